"""The arguments of `goodbot crawl`."""

from dataclasses import dataclass

__all__ = ["BACK_OFF", "BACK_OFF_AFTER", "MAX_BACK_OFF", "PAUSE", "Words"]

PAUSE = 10.0
"""Seconds between two visits if the site does not ask for a pause."""

BACK_OFF, MAX_BACK_OFF, BACK_OFF_AFTER = 30.0, 21_600.0, 3
"""The defaults of `goodbot.pace.Manners`, which is not loaded only for the help."""


@dataclass(frozen=True)
class Words:
    """The arguments of the command line; `crawl` describes each of them."""

    urls: tuple[str, ...]
    robot: str | None
    info_url: str | None
    contact: str | None
    folder: str
    resume: bool
    due: bool
    remove: bool
    max_pages: int | None
    max_pages_per_site: int | None
    max_depth: int | None
    max_seconds: float | None
    max_megabytes: float | None
    max_disk: float | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    origins: tuple[str, ...]
    any_origin: bool
    no_sitemaps: bool
    all_types: bool
    traps: str | None
    workers: int
    pause: float | None
    back_off: float | None
    max_back_off: float | None
    back_off_after: int | None
    hours: str | None
    bandwidth: float | None
    patience: float
    dialect: str | None
    page_dialect: str | None
    marks: tuple[str, ...]
    profile_uris: tuple[str, ...]
    names_page: str | None
    profile_links: bool
    strict_pi: bool
    allow_private: bool
    allow_network: tuple[str, ...]
    timeout: float | None
    alert: str | None
    as_json: bool
    quiet: bool

    @property
    def goes_on(self) -> bool:
        """Whether the folder must contain a crawl already."""
        return self.resume or self.due
