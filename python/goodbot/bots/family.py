r"""What robots.txt says to a known robot: whose group it obeys, and what it makes an exception of.

Scope: the choice of the group among those of a family, and the sentence; the core reads the rules.

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /drafts")
>>> print(goodbot.bots.verdict(robots, "https://example.com/drafts/a", "Googlebot-News"))
Disallowed: line 2, "Disallow: /drafts", is the longest match (group Googlebot; dialect google). Googlebot-News has no group; Google then uses Googlebot's.
"""  # noqa: E501  a sentence is a line

from dataclasses import dataclass
from typing import Any

from goodbot._core import Dialect, RobotsTxt, Rules, Verdict
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.robot_table import checked, get
from goodbot.display import short_repr, verdict_html
from goodbot.errors import WrongTypeError

__all__ = ["IGNORES_STAR", "FamilyRules", "FamilyVerdict", "rules_for", "verdict"]

IGNORES_STAR = "ignores-star"
"""The reason of a verdict if only the group for `*` could apply, and the robot ignores it."""

NAMED = {"named", "leading-token"}
"""The ways in which the core chooses a group that names the robot."""


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """May a known robot fetch a URL, and who says so?

    It is truthy when robots.txt allows the URL, and `str()` returns it as a sentence.
    """

    url: str
    """The URL, as it was passed."""
    robot: str
    """The name of the robot."""
    allowed: bool
    """Whether robots.txt allows it to fetch the URL; for a token, whether the use is allowed."""
    reason: str
    """The reason: a slug of `goodbot.reasons()`, or `ignores-star`."""
    token: str | None
    """The product token whose group it obeys; `None` if no group names any of its tokens."""
    tried: tuple[str, ...]
    """The product tokens that it looked for, in this order."""
    obeys: bool | None
    """Whether it is said to obey robots.txt; `None` if that is not known."""
    rules: Verdict | None
    """The verdict of the rules; `None` if it obeys none."""
    dialect: str
    """The name of the dialect in which the file was read."""
    sentence: str
    """The verdict as sentences, with what is special about the robot."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return `allowed`."""
        return self.allowed

    @property
    def source(self) -> str:
        """Who says so: a line of robots.txt, or the file."""
        return self.rules.source if self.rules is not None else "robots.txt"

    def __str__(self) -> str:
        """Return the verdict as sentences."""
        return self.sentence

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return verdict_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "robot": self.robot,
            "allowed": self.allowed,
            "reason": self.reason,
            "token": self.token,
            "tried": list(self.tried),
            "obeys": self.obeys,
            "rules": self.rules.as_dict() if self.rules is not None else None,
            "dialect": self.dialect,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class FamilyRules:
    r"""What a known robot obeys in one robots.txt, chosen once for many URLs.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /")
    >>> rules = goodbot.bots.rules_for(robots, goodbot.bots.get("AdsBot-Google"))
    >>> rules.allows("https://example.com/"), rules.token
    (True, None)
    """

    robot: KnownRobot
    """The robot."""
    token: str | None
    """The product token whose group it obeys; `None` if no group names any of its tokens."""
    tried: tuple[str, ...]
    """The product tokens that it looked for, in this order."""
    rules: Rules | None
    """What it must obey; `None` if it obeys no group."""
    dialect: str
    """The name of the dialect in which the file was read."""

    __repr__ = short_repr

    def allows(self, url: str) -> bool:
        """Return whether robots.txt allows the robot to fetch a URL."""
        return self.rules is None or self.rules.allows(url)

    def verdict(self, url: str) -> FamilyVerdict:
        """Return the verdict on a URL, with its reason.

        Args:
            url: A URL, or a path that begins with `/`.

        """
        found = None if self.rules is None else self.rules.verdict(url)
        return FamilyVerdict(
            url=url,
            robot=self.robot.name,
            allowed=found is None or found.allowed,
            reason=IGNORES_STAR if found is None else found.reason,
            token=self.token,
            tried=self.tried,
            obeys=self.robot.obeys,
            rules=found,
            dialect=self.dialect,
            sentence=self.sentence_of(found),
        )

    def sentence_of(self, found: Verdict | None) -> str:
        """Return a verdict as sentences."""
        first = self.why_no_group_applies() if found is None else str(found)
        return " ".join((first, *self.about_the_group(), *about_obeying(self.robot)))

    def why_no_group_applies(self) -> str:
        """Return why everything is allowed to a robot that ignores `*`."""
        source = self.robot.source("ignores_star")
        where = f"{source.title}; " if source is not None else ""
        return (
            f"Allowed: no group names {self.robot.name}, and it ignores the group for * "
            f"({where}dialect {self.dialect})."
        )

    def about_the_group(self) -> tuple[str, ...]:
        """Return a sentence on whose group is used, if it is not the robot's own."""
        robot = self.robot
        operator = robot.operator or "its operator"
        before = self.tried[: self.tried.index(self.token)] if self.token else self.tried
        if self.token and before:
            return (f"{listed(before)} no group; {operator} then uses {self.token}'s.",)
        if not self.token and len(self.tried) > 1:
            return (f"{listed(self.tried)} no group.",)
        return ()


def listed(tokens: tuple[str, ...]) -> str:
    """Return the beginning of a sentence that says that some tokens have no group."""
    if len(tokens) == 1:
        return f"{tokens[0]} has"
    return f"{', '.join(tokens[:-1])} and {tokens[-1]} have"


def about_obeying(robot: KnownRobot) -> tuple[str, ...]:
    """Return sentences on a robot that does not obey, or that never comes."""
    if not robot.fetches:
        return (f"{robot.name} is a token: it says how content may be used, and fetches nothing.",)
    source = robot.source("obeys")
    if robot.obeys is False and source is not None:
        return (f"But {robot.name} is said not to obey robots.txt ({source.title}).",)
    return ()


def rules_for(
    robots: RobotsTxt, robot: KnownRobot | str, *, dialect: str | Dialect | None = None
) -> FamilyRules:
    """Return what a known robot obeys in a robots.txt.

    It looks for its product tokens one by one, in the order that its operator states; the first
    that a group names decides. If none is named, the group for `*` applies, unless the robot
    ignores it. `RobotsTxt.rules_for` is the plain question: one name, in the dialect of the file.

    Args:
        robots: A robots.txt. With a `Policy` whose access is `rules`, pass its `robots_txt`.
        robot: A known robot, or the name of one.
        dialect: The dialect to read the file in. By default the robot's own; if that is not known,
            the one in which `robots` was read.

    Raises:
        WrongTypeError: `robots` or `robot` is something else.
        WrongValueError: No robot of this name is known.
        UnknownDialectError: There is no dialect of this name.

    """
    if not isinstance(robots, RobotsTxt):
        message = f"robots must be a RobotsTxt, not {type(robots).__name__}"
        raise WrongTypeError(message)
    one = robot if isinstance(robot, KnownRobot) else get(checked(robot, "robot"))
    chosen = dialect if dialect is not None else one.dialect
    read = robots if chosen is None else reread(robots, chosen)
    tried = one.tokens or (one.name,)
    for token in tried:
        rules = read.rules_for(token)
        if rules.selection.how in NAMED:
            return FamilyRules(one, named_by(rules, token, tried), tried, rules, read.dialect.name)
    default = None if one.ignores_star else read.rules_for(tried[0])
    return FamilyRules(one, None, tried, default, read.dialect.name)


def named_by(rules: Rules, token: str, tried: tuple[str, ...]) -> str:
    """Return the token that the chosen group has.

    In a dialect that compares parts of names, `YandexImages` is also named by a group of `Yandex`.
    """
    agents = {agent.casefold() for group in rules.selection.groups for agent in group.agents}
    if token.casefold() in agents:
        return token
    return next((other for other in tried if other.casefold() in agents), token)


def reread(robots: RobotsTxt, dialect: str | Dialect) -> RobotsTxt:
    """Return a robots.txt in a dialect."""
    name = dialect if isinstance(dialect, str) else dialect.name
    if robots.dialect.name == name and (isinstance(dialect, str) or robots.dialect == dialect):
        return robots
    return RobotsTxt(robots.content, dialect=dialect)


def verdict(
    robots: RobotsTxt, url: str, robot: KnownRobot | str, *, dialect: str | Dialect | None = None
) -> FamilyVerdict:
    r"""Return whether a known robot may fetch a URL, with the reason.

    Args:
        robots: A robots.txt.
        url: A URL, or a path that begins with `/`.
        robot: A known robot, or the name of one.
        dialect: See `rules_for`.

    Raises:
        MisuseError: See `rules_for`.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: Applebot\nAllow: /")
    >>> goodbot.bots.verdict(robots, "/", "Applebot").token
    'Applebot'

    """
    return rules_for(robots, robot, dialect=dialect).verdict(url)
