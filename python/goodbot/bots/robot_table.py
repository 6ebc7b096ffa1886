"""The table of known robots: loaded once, when it is first needed.

Scope: from table.json, which docs/generate.py makes of known-robots/, to records, and lookups.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from goodbot.bots.known_robot import PURPOSES, AddressList, FactSource, KnownRobot
from goodbot.errors import WrongTypeError, WrongValueError

__all__ = [
    "ROBOT_SETS",
    "RobotTable",
    "by_operator",
    "by_purpose",
    "by_set",
    "checked",
    "every",
    "get",
    "known_names",
    "operators",
    "table",
]

TABLE = Path(__file__).with_name("table.json")

NEARNESS = 0.6
"""How alike two names are, from 0 to 1, when one is suggested for the other."""


class RobotTable:
    """The rows of a compiled table; each becomes a record when it is first needed."""

    def __init__(self, text: str) -> None:
        """Read the text."""
        import json  # noqa: PLC0415  only the table needs it

        table = json.loads(text)
        self.rows: list[dict[str, Any]] = table["robots"]
        self.sources = {key: FactSource(**fields) for key, fields in table["sources"].items()}
        self.records: dict[int, KnownRobot] = {}
        self.lists: dict[str, AddressList] = {}

    def robot(self, place: int) -> KnownRobot:
        """Return the record of a row."""
        if place not in self.records:
            self.records[place] = self.record_of(self.rows[place])
        return self.records[place]

    def record_of(self, row: dict[str, Any]) -> KnownRobot:
        """Return the record of a row. Equal lists are one object: many robots share theirs."""
        origins, source = row["from"], row["source"]
        values: dict[str, Any] = {
            key: one for key, one in row.items() if key not in {"from", "source"}
        }
        facts = {field: self.sources[origins.get(field, source)] for field in values}
        if "addresses" in values:
            values["addresses"] = [self.address_list(one) for one in row["addresses"]]
        for field, value in values.items():
            values[field] = tuple(value) if isinstance(value, list) else value
        return KnownRobot(**values, sources=facts)

    def address_list(self, row: str | dict[str, Any]) -> AddressList:
        """Return a list of addresses: a URL alone stands for Google's form."""
        fields = {"url": row} if isinstance(row, str) else row
        return self.lists.setdefault(fields["url"], AddressList(**fields))


@lru_cache(maxsize=1)
def table() -> RobotTable:
    """Return the table of the package."""
    return RobotTable(TABLE.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def every() -> tuple[KnownRobot, ...]:
    """Return every known robot, sorted by name.

    >>> from goodbot import bots
    >>> len(bots.every()) >= 150
    True
    """
    return tuple(table().robot(place) for place in range(len(table().rows)))


@lru_cache(maxsize=1)
def known_names() -> Mapping[str, int]:
    """Return the places of robots by their names in lower case.

    A robot is also found by the group that it looks for first, and by a text of its User-Agent, if
    no other robot has that for a name.
    """
    names = {row["name"].casefold(): place for place, row in enumerate(table().rows)}
    for place, row in enumerate(table().rows):
        for other in (*row.get("tokens", ())[:1], *row.get("user_agents", ())):
            names.setdefault(other.casefold(), place)
    return names


def get(name: str) -> KnownRobot:
    """Return a robot by its name, in any case of letters.

    Args:
        name: A name such as `Googlebot-News`. For a whole User-Agent, use `of_user_agent`.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: No robot of this name is known; the message names the nearest.

    >>> get("claudebot").operator
    'Anthropic'
    >>> get("Googelbot")
    Traceback (most recent call last):
    goodbot.errors.WrongValueError: no robot 'Googelbot' is known; did you mean Googlebot? 'goodbot bots' lists all

    """  # noqa: E501  a message is a line
    place = known_names().get(checked(name, "name").casefold())
    if place is None:
        message = f"no robot {name[:60]!r} is known;{meant(name)} 'goodbot bots' lists all"
        raise WrongValueError(message)
    return table().robot(place)


def checked(value: object, what: str) -> str:
    """Return an argument that must be a `str`."""
    if not isinstance(value, str):
        message = f"{what} must be a str such as 'Googlebot', not {type(value).__name__}"
        raise WrongTypeError(message)
    return value


def meant(name: str) -> str:
    """Return which robot was probably meant, as part of a sentence; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  slow to load, and only errors need it

    near = get_close_matches(name[:60].casefold(), known_names(), n=1, cutoff=NEARNESS)
    return f" did you mean {table().robot(known_names()[near[0]]).name}?" if near else ""


def by_purpose(*purposes: str) -> list[KnownRobot]:
    """Return the robots that have all of these purposes.

    Args:
        purposes: Words of `PURPOSES`, such as `ai-training`.

    Raises:
        WrongValueError: There is no such purpose; the message lists them.

    >>> "GPTBot" in [robot.name for robot in by_purpose("ai-training")]
    True

    """
    for purpose in purposes:
        if checked(purpose, "purpose") not in PURPOSES:
            known = ", ".join(PURPOSES)
            message = f"there is no purpose {purpose[:60]!r}; use one of {known}"
            raise WrongValueError(message)
    return [robot for robot in every() if set(purposes) <= set(robot.purposes)]


ROBOT_SETS: Mapping[str, tuple[str, ...]] = {"ai": ("ai-training", "ai-search"), "all": ()}
"""Sets of robots that are no purpose, and the purposes of which a robot in them has one; none means
any."""


def by_set(name: str) -> list[KnownRobot]:
    """Return the robots of a set, as `goodbot check --robots` names it.

    Args:
        name: `ai` (those of `ai-training` or `ai-search`), `all`, or a word of `PURPOSES`.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: There is no such set; the message lists them.

    >>> {"GPTBot", "OAI-SearchBot"} <= {robot.name for robot in by_set("ai")}
    True

    """
    if checked(name, "name") not in ROBOT_SETS and name not in PURPOSES:
        known = ", ".join([*ROBOT_SETS, *PURPOSES])
        message = f"there is no set of robots {name[:60]!r}; use one of {known}"
        raise WrongValueError(message)
    wanted = ROBOT_SETS.get(name, (name,))
    return [robot for robot in every() if not wanted or not set(wanted).isdisjoint(robot.purposes)]


def by_operator(operator: str) -> list[KnownRobot]:
    """Return the robots of an operator, in any case of letters.

    Args:
        operator: A name such as `OpenAI`.

    Raises:
        WrongValueError: No robot of this operator is known; the message names the nearest.

    >>> [robot.name for robot in by_operator("apple")][:2]
    ['Apple Messages preview', 'Applebot']

    """
    asked = checked(operator, "operator").casefold()
    found = [robot for robot in every() if (robot.operator or "").casefold() == asked]
    if found:
        return found
    from difflib import get_close_matches  # noqa: PLC0415  slow to load, and only errors need it

    near = get_close_matches(asked[:60], operators(), n=1, cutoff=NEARNESS)
    hint = f"; did you mean {operators()[near[0]]}?" if near else ""
    message = f"no robot of {operator[:60]!r} is known{hint}"
    raise WrongValueError(message)


@lru_cache(maxsize=1)
def operators() -> Mapping[str, str]:
    """Return the operators by their names in lower case."""
    rows = table().rows
    return {row["operator"].casefold(): row["operator"] for row in rows if row.get("operator")}
