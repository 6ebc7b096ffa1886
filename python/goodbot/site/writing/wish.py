"""A wish: what the author of a page wants from robots, independent of the form."""

import re
from collections.abc import Iterable
from datetime import datetime, timezone
from difflib import get_close_matches
from typing import Any, NamedTuple

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.page.directives import DIRECTIVES, value_of
from goodbot.page.header import x_robots_tag
from goodbot.page.verdict import Value

__all__ = ["Wish", "Wished"]

TOKEN = re.compile(r"[a-z_-]+")
"""A robot's name, in lower case (RFC 9309 section 2.2.1)."""


class Wished(NamedTuple):
    """One directive, for one robot or for all."""

    robot: str | None
    """The name of the robot, in lower case; `None` for all robots."""
    directive: str
    """The name of the directive, in lower case."""
    value: Value = None
    """The number, choice or date; `None` if the directive takes none."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)

    @property
    def text(self) -> str:
        """The directive as it is written in a list.

        >>> Wished(None, "max-snippet", 20).text
        'max-snippet: 20'
        """
        if self.value is None:
            return self.directive
        return f"{self.directive}: {written_value(self.value)}"


def written_value(value: Value) -> str:
    """Return a value as text; a date has no comma, which would split a list (RFC 822)."""
    if isinstance(value, datetime):
        at = value.astimezone(timezone.utc)
        return f"{at.day} {MONTHS[at.month - 1]} {at.year:04d} {at:%H:%M:%S} GMT"
    return str(value)


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True, repr=False)
class Wish:
    """What the author of a page wants from robots, in the order in which it is stated.

    >>> wish = Wish.parse("noindex, max-snippet: 20, googlebot: nofollow")
    >>> [(one.robot, one.text) for one in wish.stated]
    [(None, 'noindex'), (None, 'max-snippet: 20'), ('googlebot', 'nofollow')]
    """

    stated: tuple[Wished, ...] = ()

    __repr__ = short_repr

    @classmethod
    def parse(cls, text: str) -> "Wish":
        """Parse a list of directives as in `X-Robots-Tag`; a robot's name may precede some.

        Raises:
            WrongTypeError: `text` is not a `str`.
            WrongValueError: There is no such directive, or its value is malformed.

        Source: Google, robots meta tag, X-Robots-Tag.

        """
        if not isinstance(text, str):
            given = type(text).__name__
            message = f"a wish must be a str such as 'noindex, nofollow', not {given}"
            raise WrongTypeError(message)
        return cls.of(x_robots_tag(text))

    @classmethod
    def of(cls, stated: Iterable[tuple[str | None, str, str]]) -> "Wish":
        """Build a wish from triples of robot, directive and value, as they are written.

        Raises:
            WrongValueError: There is no such directive, or its value is malformed.

        """
        found = dict.fromkeys(wished(*one) for one in stated)
        return cls(tuple(found))

    @property
    def robots(self) -> list[str | None]:
        """The robots that are addressed, each once; `None` stands for all robots."""
        return list(dict.fromkeys(one.robot for one in self.stated))

    def of_robot(self, robot: str | None) -> tuple[Wished, ...]:
        """Return what is addressed to one robot by its name; with `None`, to all robots."""
        return tuple(one for one in self.stated if one.robot == robot)

    def __str__(self) -> str:
        """Return the wish as the value of an `X-Robots-Tag` field.

        >>> str(Wish.parse("googlebot: nofollow, noarchive"))
        'googlebot: nofollow, noarchive'
        """
        parts = []
        for robot in sorted(self.robots, key=lambda name: name is not None):
            listed = ", ".join(one.text for one in self.of_robot(robot))
            parts.append(listed if robot is None else f"{robot}: {listed}")
        return ", ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "stated": [
                {
                    "robot": one.robot,
                    "directive": one.directive,
                    "value": None if one.value is None else written_value(one.value),
                }
                for one in self.stated
            ]
        }


def wished(robot: str | None, directive: str, text: str) -> Wished:
    """Check one directive, and parse its value.

    Raises:
        WrongValueError: There is no such directive, or its value is malformed.

    """
    row = DIRECTIVES.get(directive)
    if row is None:
        like = get_close_matches(directive, DIRECTIVES, n=1, cutoff=0.7)
        fix = f"did you mean {like[0]}?" if like else f"choose from {', '.join(DIRECTIVES)}"
        message = f"there is no directive {directive[:60]!r}; {fix}"
        raise WrongValueError(message)
    if robot is not None and not TOKEN.fullmatch(robot):
        message = (
            f"{robot[:60]!r} is not the name of a robot; write its product token of letters, - and "
            "_, such as googlebot"
        )
        raise WrongValueError(message)
    value = value_of(row, text)
    if row.kind != "flag" and value is None:
        message = f"{text[:60]!r} is not a value of {directive}. Its meaning: {row.meaning}"
        raise WrongValueError(message)
    return Wished(robot, directive, value)
