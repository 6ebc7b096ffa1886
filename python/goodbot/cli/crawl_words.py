"""The words of `goodbot crawl`, and which of them cannot be meant."""

import math
from dataclasses import dataclass

import goodbot

__all__ = ["PAUSE", "Words", "refuse_contradictions"]

PAUSE = 10.0
"""Seconds between visits to a site that states no pace: those of `goodbot.pace.Manners`."""


@dataclass(frozen=True)
class Words:
    """The words of the command line; `crawl` says what each of them means."""

    urls: tuple[str, ...]
    robot: str | None
    info_url: str | None
    contact: str | None
    folder: str
    resume: bool
    due: bool
    max_pages: int | None
    max_depth: int | None
    max_seconds: float | None
    max_megabytes: float | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    origins: tuple[str, ...]
    any_origin: bool
    no_sitemaps: bool
    workers: int
    pause: float | None
    patience: float
    dialect: str | None
    page_dialect: str | None
    allow_private: bool
    timeout: float | None
    as_json: bool
    quiet: bool

    @property
    def goes_on(self) -> bool:
        """Whether there must be a crawl already."""
        return self.resume or self.due


def refuse_contradictions(words: Words) -> None:
    """Raise a `MisuseError` where the words cannot be meant."""
    message = None
    if not words.folder or "" in words.urls:
        message = "an empty word is no URL and no folder; quote the variable that it came from"
    elif not words.urls and not words.goes_on:
        message = (
            "give a URL to begin with, such as https://example.com/; or --resume to go on with the "
            "crawl in a folder, --due to visit again what is due there"
        )
    elif words.any_origin and words.origins:
        message = "--any-origin goes everywhere, and --origin to some sites; give one of them"
    elif any(not math.isfinite(number) for number in bounds_of_numbers(words)):
        message = "a bound is a finite number; leave it out for none"
    if message is not None:
        raise goodbot.MisuseError(message)


def bounds_of_numbers(words: Words) -> list[float]:
    """Give the numbers that must be finite; click takes `inf` and `nan` for numbers."""
    given = (words.max_seconds, words.max_megabytes, words.pause, words.timeout)
    return [number for number in given if number is not None] + (
        [words.patience] if math.isnan(words.patience) else []
    )
