"""The arguments of `goodbot crawl`."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from click.core import ParameterSource

from goodbot.crawl.verbs.crawl_view.config_file import config_text, unchanged_in
from goodbot.crawl.verbs.crawl_view.option_kinds import LIFTED
from goodbot.crawl.verbs.crawl_view.option_rows import OPTION_BY_NAME, settings_in
from goodbot.lazy_dataclass import dataclass

__all__ = ["CrawlArgs"]

IDENTITY = {"robot", "info_url", "contact"}
"""The options that say who crawls."""


@dataclass(frozen=True, kw_only=True)
class CrawlArgs:
    """The arguments of the command line; `option_rows` describes each option."""

    urls: tuple[str, ...]
    urls_file: str | None
    folder: str
    resume: bool
    due: bool
    again: bool
    remove: bool
    processes: int | None
    workers: int
    patience: float | None
    allow_private: bool
    allow_network: tuple[str, ...]
    timeout: float | None
    own_site: bool
    yes: bool
    identity: str | None
    store: str | None
    alert: str | None
    strict: bool
    as_json: bool
    quiet: bool
    given: Mapping[str, Any]
    """The value of each option that was given, in the command or elsewhere, by its name."""
    config: Mapping[str, Any] | None = None
    """What the config file says, by key; `None` if none was read."""
    from_config: frozenset[str] = frozenset()
    """The names of the options in `given` that come from the config file."""

    @classmethod
    def of(
        cls,
        values: Mapping[str, Any],
        sources: Mapping[str, ParameterSource | None],
        config: Mapping[str, Any] | None,
    ) -> "CrawlArgs":
        """Return the arguments.

        Args:
            values: The value of every parameter.
            sources: Where each of them comes from.
            config: What the config file says, by key; `None` if none was read.

        """
        names = {one.name for one in fields(cls)} - {"given", "config", "from_config"}
        of_this_run: dict[str, Any] = {name: values[name] for name in names}
        if of_this_run["patience"] in {LIFTED, math.inf}:
            of_this_run["patience"] = None
        given = {
            name: value
            for name, value in values.items()
            if name in OPTION_BY_NAME and sources[name] is not ParameterSource.DEFAULT
        }
        default_map = ParameterSource.DEFAULT_MAP
        from_config = frozenset(name for name in given if sources[name] is default_map)
        return cls(**of_this_run, given=given, config=config, from_config=from_config)

    def settings(self, config_before: str | None) -> dict[str, Any]:
        """Return the settings of the crawl that were given, as arguments of `GivenSettings`.

        What a config file said before, too, was settled then: in the folder or in a later command.

        Args:
            config_before: What the config file said in the last run in this folder; `None` if
                there was none.

        Raises:
            MisuseError: A value cannot be used; the message says what to write.

        """
        config = self.config or {}
        settled = self.from_config & unchanged_in(config, config_before or "")
        if not self.goes_on:  # then who crawls must be passed again
            settled -= IDENTITY
        named = {name: value for name, value in self.given.items() if name not in settled}
        stored = {} if self.config is None else {"config": config_text(config)}
        return settings_in(named) | stored

    @property
    def goes_on(self) -> bool:
        """Whether the folder must contain a crawl already."""
        return self.resume or self.due or self.again
