"""The arguments of `goodbot page`.

Scope: their values; the verb describes each of them.
"""

from typing import Any

from goodbot.cli.shared import options
from goodbot.lazy_dataclass import dataclass

__all__ = ["PageArgs"]


@dataclass(frozen=True)
class PageArgs:
    """The arguments of the command line."""

    file: str | None
    url: str | None
    headers: tuple[str, ...]
    robots: tuple[str, ...]
    dialect: str | None
    status: int | None
    content_type: str | None
    marks: tuple[str, ...]
    profile_uris: tuple[str, ...]
    names_page: str | None
    profile_links: bool
    strict_pi: bool
    view: str | None
    query: str | None
    width: int | None
    every_finding: bool
    anyway: bool
    strict: bool
    as_json: bool

    @property
    def page_options(self) -> dict[str, Any]:
        """The options for reading pages."""
        return options.page_options_named(
            self.marks,
            self.profile_uris,
            self.names_page,
            profile_links=self.profile_links,
            strict_pi=self.strict_pi,
        )
