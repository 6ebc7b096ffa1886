"""The arguments of `goodbot crawl`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from goodbot.cli.crawl_view.option_kinds import LIFTED
from goodbot.cli.crawl_view.option_rows import OPTION_BY_NAME, settings_in

__all__ = ["CrawlArgs"]


@dataclass(frozen=True, kw_only=True)
class CrawlArgs:
    """The arguments of the command line; `option_rows` describes each option."""

    urls: tuple[str, ...]
    folder: str
    resume: bool
    due: bool
    remove: bool
    workers: int
    patience: float | None
    allow_private: bool
    allow_network: tuple[str, ...]
    timeout: float | None
    alert: str | None
    as_json: bool
    quiet: bool
    settings: Mapping[str, Any]
    """The settings of the crawl that were given, as arguments of `GivenSettings`."""

    @classmethod
    def of(cls, values: Mapping[str, Any], given: Mapping[str, Any]) -> "CrawlArgs":
        """Return the arguments.

        Args:
            values: The value of every parameter.
            given: Those that were given: not by default.

        Raises:
            MisuseError: A value cannot be used; the message says what to write.

        """
        names = {one.name for one in fields(cls)} - {"settings"}
        of_this_run: dict[str, Any] = {name: values[name] for name in names}
        if of_this_run["patience"] in {LIFTED, math.inf}:
            of_this_run["patience"] = None
        stored = {name: value for name, value in given.items() if name in OPTION_BY_NAME}
        return cls(**of_this_run, settings=settings_in(stored))

    @property
    def goes_on(self) -> bool:
        """Whether the folder must contain a crawl already."""
        return self.resume or self.due
