"""Expectations as a file of TOML states them.

Scope: from bytes to expectations, and what is wrong with a file. `results` compares them with a
robots.txt.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from goodbot._core import RobotsTxt, origin
from goodbot._core import dialect as dialect_of
from goodbot.display import short_repr
from goodbot.errors import (
    NoOriginError,
    RobotNameError,
    UnknownDialectError,
)
from goodbot.files.toml_input import check_keys, parse_toml, wrong
from goodbot.lazy_dataclass import dataclass

__all__ = ["Expectation", "ExpectationFile", "read_expectations"]

MOST_EXPECTATIONS = 100_000
"""The most expectations of a file, each a robot and a URL."""

FILE_KEYS = ("case", "dialect", "file")
CASE_KEYS = ("allow", "dialect", "robot", "url", "why")

EXAMPLE = """\
[[case]]
  robot = "GPTBot"
  url = "/articles/1"
  allow = false
  why = "Our articles are not for training."\
"""
"""A case, for messages."""


NO_RULES = RobotsTxt(b"")
"""A file that checks the names of robots."""


@dataclass(frozen=True, slots=True, repr=False)
class Expectation:
    """Whether one robot should be allowed to fetch one URL."""

    robot: str
    """A product token or a whole User-Agent; `*` is any robot that has no group of its own."""
    url: str
    """A URL, or a path that begins with `/`."""
    allow: bool
    """Whether the robot should be allowed to fetch it."""
    why: str = ""
    """Why it should, in the words of the file."""
    dialect: str | None = None
    """The dialect in which robots.txt is read; `None` for that of a known robot, or the default."""
    case: int = 1
    """The number of the case in the file, from 1."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return it as a short sentence.

        >>> str(Expectation("GPTBot", "/a", allow=False))
        'GPTBot must not fetch /a'
        """
        return f"{self.robot} {'may' if self.allow else 'must not'} fetch {self.url}"


@dataclass(frozen=True, slots=True, repr=False)
class ExpectationFile:
    """A file of expectations."""

    expectations: tuple[Expectation, ...]
    """The expectations in the order of the file: one for each robot and URL of each case."""
    file: str | None = None
    """The robots.txt that is tested, relative to the file; `None` if it names none."""

    __repr__ = short_repr


def read_expectations(content: bytes, name: str = "the file") -> ExpectationFile:
    r"""Read expectations from TOML.

    Args:
        content: The bytes of the file.
        name: Its name, for messages.

    Raises:
        WrongValueError: It is not valid; the message says where, and what to write.

    >>> file = read_expectations(b"case = [{robot = ['A', 'B'], url = '/a', allow = true}]")
    >>> [one.robot for one in file.expectations]
    ['A', 'B']

    """
    table = parse_toml(content, name)
    check_keys(table, FILE_KEYS, name)
    dialect = dialect_in(table, name)
    cases = table.get("case")
    if not isinstance(cases, list) or not cases or not all(isinstance(one, dict) for one in cases):
        raise wrong(name, f"it has no cases; write\n  {EXAMPLE}")
    read = (of_case(one, number, dialect, name) for number, one in enumerate(cases, 1))
    found = tuple(itertools.islice(itertools.chain.from_iterable(read), MOST_EXPECTATIONS + 1))
    if len(found) > MOST_EXPECTATIONS:
        message = f"it has more than {MOST_EXPECTATIONS:,} expectations; divide it into files"
        raise wrong(name, message)
    return ExpectationFile(found, text_in(table, "file", name))


def of_case(
    case: Mapping[str, Any], number: int, dialect: str | None, name: str
) -> Iterator[Expectation]:
    """Yield an expectation for each robot and URL of a case."""
    place = f"{name}, case {number}"
    check_keys(case, CASE_KEYS, place)
    if not isinstance(case.get("allow"), bool):
        raise wrong(place, "write allow = true or allow = false")
    robots = texts_in(case, "robot", '"GPTBot"', place)
    urls = texts_in(case, "url", '"/articles/1"', place)
    for robot in robots:
        check_robot(robot, place)
    for url in urls:
        check_url(url, place)
    own = dialect_in(case, place) or dialect
    why = text_in(case, "why", place) or ""
    for robot, url in itertools.product(robots, urls):
        yield Expectation(robot, url, case["allow"], why, own, number)


def text_in(table: Mapping[str, Any], key: str, place: str) -> str | None:
    """Return a text; `None` if the key is absent."""
    value = table.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise wrong(place, f'{key} must be a text; write {key} = "..." or omit it')
    return value


def texts_in(table: Mapping[str, Any], key: str, example: str, place: str) -> list[str]:
    """Return one or more texts."""
    value = table.get(key)
    texts = [value] if isinstance(value, str) else value
    if (
        not isinstance(texts, list)
        or not texts
        or not all(isinstance(one, str) and one.strip() for one in texts)
    ):
        raise wrong(place, f"write {key} = {example}, or several as {key} = [{example}, ...]")
    return texts


def dialect_in(table: Mapping[str, Any], place: str) -> str | None:
    """Return the name of a dialect; `None` if none is named."""
    name = text_in(table, "dialect", place)
    if name is not None:
        try:
            dialect_of(name)
        except UnknownDialectError as error:
            raise wrong(place, str(error)) from error
    return name


def check_robot(robot: str, place: str) -> None:
    """Refuse a name that no robot can have, and several names in one text."""
    if "," in robot and "(" not in robot:  # a whole User-Agent has its commas in a comment
        several = ", ".join(f'"{one.strip()}"' for one in robot.split(","))
        raise wrong(place, f"{robot!r} is not one name; write robot = [{several}]")
    try:
        NO_RULES.rules_for(robot)
    except RobotNameError as error:
        raise wrong(place, str(error)) from error


def check_url(url: str, place: str) -> None:
    """Refuse a text that is neither a path nor a URL with an origin."""
    if url.startswith("/") and not url.startswith("//"):
        return
    try:
        origin(url)
    except NoOriginError as error:
        message = f"{url} is not a URL; write a path such as /articles/1, or a whole URL"
        raise wrong(place, message) from error
