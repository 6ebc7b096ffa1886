"""What one robots.txt has that is counted: names, fields, signals, and what robots may not fetch.

Scope: it decides, from the parser's reading of the file. Every fact is counted once for a site,
however often the file has it.
"""

from collections.abc import Iterator, Sequence

from goodbot._core import (
    RobotsTxt,
    agent_names,
    content_signal,
    content_usage,
    robot_product,
    selected_how,
)
from goodbot.bots import KnownRobot, rules_for
from goodbot.bots.family import known_or_none, tokens_of
from goodbot.content_use.purpose_tokens import is_purpose, purposes_named
from goodbot.errors import RobotNameError
from goodbot.lazy_dataclass import dataclass
from goodbot.tables.counting.disallowing import HowMuch, how_much_is_disallowed

__all__ = ["AskedRobot", "FileFacts", "asked_robot", "facts_of"]

STAR = "*"
ANSWERS = {"allow": "y", "disallow": "n"}
"""The preferences of Content-Usage, as they are written."""
LONGEST_FIELD = 60
"""The most characters of the name of an unknown field."""
MOST_UNKNOWN = 100
"""The most unknown fields that are counted of one file."""


@dataclass(frozen=True, slots=True)
class AskedRobot:
    """A robot whose rights are counted."""

    name: str
    """Its name, as it is printed."""
    known: KnownRobot | None = None
    """What is known of it; `None` if it is not a known robot."""
    tokens: tuple[str, ...] = ()
    """The product tokens that it looks for."""

    @property
    def is_plain(self) -> bool:
        """Whether it obeys the group for `*` if no group names one of its tokens."""
        return self.known is None or not (self.known.ignores_star or self.known.dialect)

    @property
    def own_token(self) -> str:
        """The product token that names it, and no other robot of its family."""
        return token_of(self.tokens[0])


def asked_robot(name: str) -> AskedRobot:
    """Return a robot by its name: a known robot, a product token, or `*`.

    Raises:
        RobotNameError: It is empty, or a URL.

    """
    RobotsTxt("").rules_for(name)  # checks the name
    known = None if name == STAR else known_or_none(name)
    tokens = (name,) if known is None else tokens_of(known)
    shown = name if known is None else known.name
    return AskedRobot(shown, known, tokens)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is counted of one file."""

    size: int
    """Its bytes."""
    names: frozenset[str]
    """The product tokens of its User-agent lines, in lower case, and `*`; without purposes."""
    fields: frozenset[str]
    """The fields that it has, as their documents write them."""
    signals: frozenset[str]
    """The statements on use, such as `Content-Signal: ai-train=no`, and the purposes that have
    groups."""
    unknown: frozenset[str]
    """The fields that no document known to goodbot defines, in lower case."""
    disallowed: tuple[HowMuch, ...]
    """For each robot that was asked about, how much is disallowed to it."""
    named: tuple[bool, ...]
    """For each of them, whether a User-agent line names it."""


def facts_of(content: bytes, robots: Sequence[AskedRobot], dialect: str) -> FileFacts:
    """Return what is counted of a file.

    Args:
        content: The file.
        robots: The robots that are asked about.
        dialect: The dialect in which it is read.

    """
    file = RobotsTxt(content, dialect=dialect)
    tokens = frozenset(token_of(one) for one in agent_names(file))
    of_star = how_much_is_disallowed(file.rules_for(STAR))
    return FileFacts(
        size=len(content),
        names=frozenset(one for one in tokens if not is_purpose(one)),
        fields=frozenset(file.fields_used),
        signals=frozenset(signals_of(file)),
        unknown=frozenset(unknown_of(file)),
        disallowed=tuple(of_robot(one, file, of_star) for one in robots),
        named=tuple(one.own_token in tokens for one in robots),
    )


def token_of(name: str) -> str:
    """Return the product token of a name, in lower case: what names are compared by.

    >>> token_of("GPTBot/1.0"), token_of("*")
    ('gptbot', '*')
    """
    try:
        return robot_product(name).casefold()
    except RobotNameError:
        return name.casefold()


def of_robot(robot: AskedRobot, file: RobotsTxt, of_star: HowMuch) -> HowMuch:
    """Return how much is disallowed to a robot, as its operator says how it reads the file."""
    if robot.name == STAR:
        return of_star
    if robot.is_plain and not is_addressed(robot, file):
        return of_star
    rules = rules_for(file, robot.known or robot.name).rules
    return "not-at-all" if rules is None else how_much_is_disallowed(rules)


def is_addressed(robot: AskedRobot, file: RobotsTxt) -> bool:
    """Return whether a group other than that for `*` may apply to a robot, by any of its tokens."""
    ways = selected_how(file, list(robot.tokens))
    return any(one not in {"default", "none"} for one in ways)


def signals_of(file: RobotsTxt) -> Iterator[str]:
    """Yield each statement on use that a file has, for any robot and any path."""
    for purpose in purposes_named(file):
        yield f"User-agent: {purpose[:LONGEST_FIELD]}"
    used = {one.lower() for one in file.fields_used}
    if used.isdisjoint({"content-signal", "content-usage", "license"}):
        return
    for line in file.lines:
        name, value = (line.name or b"").lower(), (line.value or b"").decode("utf-8", "replace")
        if name == b"content-signal":
            for signal, answer in content_signal([without_path(value)]).items():
                yield f"Content-Signal: {signal}={answer}"
        elif name == b"content-usage":
            for label, answer in content_usage([without_path(value)]).items():
                if answer in ANSWERS:
                    yield f"Content-Usage: {label}={ANSWERS[answer]}"
        elif name == b"license" and value:
            yield "License"


def without_path(value: str) -> str:
    """Return a value of Content-Signal or Content-Usage without the path before it."""
    if not value.startswith("/"):
        return value
    return "".join(value.split(maxsplit=1)[1:])


def unknown_of(file: RobotsTxt) -> Iterator[str]:
    """Yield the fields of a file that no document known to goodbot defines."""
    found = (one.name for one in file.lines if one.kind == "unknown-field" and one.name)
    names = dict.fromkeys(one.strip().lower()[:LONGEST_FIELD] for one in found)
    for name in list(names)[:MOST_UNKNOWN]:
        yield name.decode("utf-8", "replace")
