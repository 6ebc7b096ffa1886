"""The level up to which content may be used: the signal `use` of Content-Signal.

Scope: one table, and the level that several lines state. It is beside the answers: no document says
which use a level is about, so that it decides none.

Source: Cloudflare, managed robots.txt, "Content use signal", 30 June 2026
(https://github.com/cloudflare/cloudflare-docs/pull/31794).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from goodbot._core import content_signal
from goodbot.content_use.site_statements import StatedLines, signals_of_lines
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["USE_LEVELS", "UseLevel", "level_of_robots_txt", "level_of_values", "strictest"]

USE_LEVELS: dict[str, str] = {
    "immediate": "interact with it, but store and reuse nothing",
    "reference": "index it, excerpt it and link back",
    "full": "summarise and reproduce it",
}
"""Each level and what it lets AI systems do at most, the most restrictive first."""
ORDER = tuple(USE_LEVELS)


@dataclass(frozen=True, slots=True, repr=False)
class UseLevel:
    r"""The level up to which a site lets AI systems use its content.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt("User-agent: *\nContent-Signal: use=reference\nAllow: /")
    >>> level = goodbot.uses("https://example.com/a", robots_txt=robots).level
    >>> print(level)
    robots.txt, line 2: use=reference: at most index it, excerpt it and link back

    """

    level: str
    """`immediate`, `reference` or `full`."""
    place: str
    """The place, such as `robots.txt, line 2` or `header Content-Signal`."""

    __repr__ = short_repr

    @property
    def meaning(self) -> str:
        """What AI systems may do with the content at most, in words."""
        return USE_LEVELS[self.level]

    def __str__(self) -> str:
        """Return the place, the signal and its meaning."""
        return f"{self.place}: use={self.level}: at most {self.meaning}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"level": self.level, "place": self.place, "meaning": self.meaning}


def strictest(levels: Iterable[UseLevel | None]) -> UseLevel | None:
    """Return the most restrictive level, the first of several; `None` if there is none.

    No document orders them: the choice is the one that Content-Signal's yes and no have.
    """
    stated = [one for one in levels if one is not None]
    return min(stated, key=lambda one: ORDER.index(one.level), default=None)


def level_of_values(values: Iterable[tuple[str, str]]) -> UseLevel | None:
    """Return the level that values of Content-Signal state, each with its place."""
    return level_of_signals((content_signal([value]), place) for value, place in values)


def level_of_signals(signals: Iterable[tuple[Mapping[str, str], str]]) -> UseLevel | None:
    """Return the level that signals state, each line with its place."""
    said = ((place, signals_of_line.get("use")) for signals_of_line, place in signals)
    return strictest(UseLevel(level, place) for place, level in said if level in USE_LEVELS)


def level_of_robots_txt(stated: StatedLines, url: str) -> UseLevel | None:
    """Return the level that robots.txt states for a robot about a URL."""
    return level_of_signals(signals_of_lines(stated, url))
