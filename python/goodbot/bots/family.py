r"""What robots.txt says to a known robot: whose group it obeys, and what it makes an exception of.

Scope: the choice of the group among those of a family, and the sentence; the core reads the rules.

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /drafts")
>>> print(goodbot.bots.verdict(robots, "https://example.com/drafts/a", "Googlebot-News"))
Disallowed: line 2, "Disallow: /drafts", is the longest match (group Googlebot; dialect google). Googlebot-News has no group; Google then uses Googlebot's.
"""  # noqa: E501  a sentence is a line

from dataclasses import dataclass
from typing import Any

from goodbot._core import (
    Dialect,
    Group,
    RobotsTxt,
    Rule,
    Rules,
    Verdict,
    robot_product,
    selected_how,
)
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.robot_table import checked, get
from goodbot.bots.user_agents import known
from goodbot.display import short_repr, verdict_html
from goodbot.errors import WrongTypeError
from goodbot.http.address import spellings_of, url_text
from goodbot.http.fields import scalar

__all__ = [
    "IGNORES_STAR",
    "FamilyRules",
    "FamilyVerdict",
    "any_rules_for",
    "rules_for",
    "verdict",
]

IGNORES_STAR = "ignores-star"
"""The reason of a verdict if only the group for `*` could apply, and the robot ignores it."""

NAMED = {"named", "leading-token"}
"""The ways in which the core chooses a group that names the robot."""

STAR = "*"
"""The name of a robot that has no group of its own."""


@dataclass(frozen=True, slots=True)
class FamilyRules:
    r"""What a robot obeys in one robots.txt, chosen once for many URLs.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /")
    >>> rules = goodbot.bots.rules_for(robots, goodbot.bots.get("AdsBot-Google"))
    >>> rules.allows("https://example.com/"), rules.token
    (True, None)
    """

    robot: KnownRobot | None
    """The robot; `None` if it is not a known one."""
    name: str
    """The robot as it was asked for."""
    token: str | None
    """The product token whose group it obeys; `None` if no group names any of its tokens."""
    tried: tuple[str, ...]
    """The product tokens that it looked for, in this order; empty if they are not known."""
    rules: Rules | None
    """What it must obey; `None` if it obeys no group."""
    dialect: str
    """The name of the dialect in which the file was read."""

    __repr__ = short_repr

    def allows(self, url: str) -> bool:
        """Return whether robots.txt allows the robot to fetch a URL."""
        return self.rules is None or self.rules.allows(url)

    def verdict(self, url: str | bytes) -> "FamilyVerdict":
        """Return the verdict on a URL, with its reason.

        Args:
            url: A URL, or a path that begins with `/`.

        """
        found = None if self.rules is None else self.rules.verdict(url)
        shown = url if isinstance(url, str) else url_text(bytes(url))
        return FamilyVerdict(shown if found is None else found.url, self, found)

    def verdict_as_sent(self, url: str | bytes) -> "FamilyVerdict":
        r"""Return the verdict on a URL as it is sent and as it is written: both must be allowed.

        It is the verdict of `Policy.verdict_as_sent`. A robot sends the normal form of a URL, such
        as `/b` for `/%62`, and dialects differ in how they treat percent-encoding. So the rules are
        checked for the normal form and, if its escapes are written otherwise, for those too.

        Args:
            url: A URL, or a path that begins with `/`.

        >>> import goodbot
        >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /b", dialect="lwp")
        >>> rules = goodbot.bots.family.any_rules_for(robots, "ExampleBot")
        >>> bool(rules.verdict("/%62")), bool(rules.verdict_as_sent("/%62"))
        (True, False)

        """
        shown = url if isinstance(url, str) else url_text(bytes(url))
        if self.rules is None:
            return FamilyVerdict(shown, self, None)
        for spelling in spellings_of(url):
            found = self.rules.verdict(spelling)
            if not found.allowed:
                break
        return FamilyVerdict(shown, self, found)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is special about the robot here, in sentences; empty for most."""
        return () if self.robot is None else (*self.about_the_group(), *about_obeying(self.robot))

    def sentence_of(self, found: Verdict | None) -> str:
        """Return a verdict as sentences."""
        first = self.why_no_group_applies() if found is None else str(found)
        return " ".join((first, *self.remarks))

    def why_no_group_applies(self) -> str:
        """Return why everything is allowed to a robot that ignores `*`."""
        source = None if self.robot is None else self.robot.source("ignores_star")
        where = f"{source.title}; " if source is not None else ""
        return (
            f"Allowed: no group names {self.shown_name}, and it ignores the group for * "
            f"({where}dialect {self.dialect})."
        )

    @property
    def shown_name(self) -> str:
        """The name of the known robot, or else the robot as it was asked for."""
        return self.name if self.robot is None else self.robot.name

    def about_the_group(self) -> tuple[str, ...]:
        """Return a sentence on whose group is used, if it is not the robot's own."""
        if not self.tried:
            return (f"Which groups {self.shown_name} looks for is not known.",)
        operator = (self.robot.operator if self.robot else None) or "its operator"
        before = self.tried[: self.tried.index(self.token)] if self.token else self.tried
        if self.token and before:
            return (f"{listed(before)} no group; {operator} then uses {self.token}'s.",)
        if not self.token and len(self.tried) > 1:
            return (f"{listed(self.tried)} no group.",)
        return ()


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """May a robot fetch a URL, and who says so?

    It is truthy when robots.txt allows the URL, and `str()` returns it as a sentence.
    """

    url: str
    """The URL, as it was passed."""
    family: FamilyRules
    """What the robot obeys, and whose group that is."""
    rules: Verdict | None
    """The verdict of the rules; `None` if it obeys none."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return `allowed`."""
        return self.allowed

    @property
    def robot(self) -> str:
        """The robot, as it was asked for."""
        return self.family.name

    @property
    def allowed(self) -> bool:
        """Whether robots.txt allows it to fetch the URL; for a mere token, whether to use it."""
        return self.rules is None or self.rules.allowed

    @property
    def reason(self) -> str:
        """The reason: a slug of `goodbot.reasons()`, or `ignores-star`."""
        return IGNORES_STAR if self.rules is None else self.rules.reason

    @property
    def token(self) -> str | None:
        """The product token whose group it obeys; `None` if no group names any of its tokens."""
        return self.family.token

    @property
    def tried(self) -> tuple[str, ...]:
        """The product tokens that it looked for, in this order."""
        return self.family.tried

    @property
    def obeys(self) -> bool | None:
        """Whether it is said to obey robots.txt; `None` if that is not known."""
        return None if self.family.robot is None else self.family.robot.obeys

    @property
    def rule(self) -> Rule | None:
        """The rule that decides, if one does."""
        return None if self.rules is None else self.rules.rule

    @property
    def group(self) -> Group | None:
        """The group that it obeys, if there is one."""
        return None if self.rules is None else self.rules.group

    @property
    def dialect(self) -> str:
        """The name of the dialect in which the file was read."""
        return self.family.dialect

    @property
    def source(self) -> str:
        """Who says so: a line of robots.txt, or the file."""
        return self.rules.source if self.rules is not None else "robots.txt"

    @property
    def sentence(self) -> str:
        """The verdict as sentences, with what is special about the robot."""
        return self.family.sentence_of(self.rules)

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
            "known_robot": None if self.family.robot is None else self.family.robot.name,
            "allowed": self.allowed,
            "reason": self.reason,
            "token": self.token,
            "tried": list(self.tried),
            "obeys": self.obeys,
            "rules": self.rules.as_dict() if self.rules is not None else None,
            "dialect": self.dialect,
            "sentence": self.sentence,
        }


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
    if isinstance(robot, KnownRobot):
        return family_rules(robots, robot, robot.name, dialect)
    return family_rules(robots, get(checked(robot, "robot")), robot, dialect)


def any_rules_for(
    robots: RobotsTxt, robot: KnownRobot | str, *, dialect: str | Dialect | None = None
) -> FamilyRules:
    r"""Return what a robot obeys in a robots.txt, whether it is a known one or not.

    A robot that is not known obeys the group of its name, or else the one for `*`.

    Args:
        robots: A robots.txt.
        robot: A known robot, a name, or a whole User-Agent.
        dialect: See `rules_for`.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.
        MisuseError: See `rules_for`.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: ExampleBot\nDisallow: /")
    >>> any_rules_for(robots, "ExampleBot/1.0").token
    'ExampleBot'

    """
    one = robot if isinstance(robot, KnownRobot) else known(robot)
    name = robot.name if isinstance(robot, KnownRobot) else robot
    if one is not None:
        return family_rules(robots, one, name, dialect)
    read = robots if dialect is None else reread(robots, dialect)
    rules = read.rules_for(name)
    product = robot_product(scalar(name)) or name
    tried = () if product == STAR else (product,)
    token = product if rules.selection.how in NAMED else None
    return FamilyRules(None, name, token, tried, rules, read.dialect.name)


def family_rules(
    robots: RobotsTxt, robot: KnownRobot, name: str, dialect: str | Dialect | None
) -> FamilyRules:
    """Return what a known robot obeys; `name` is how it was asked for."""
    chosen = dialect if dialect is not None else robot.dialect
    read = robots if chosen is None else reread(robots, chosen)
    tried = tokens_of(robot)
    obeyed, is_named = obeyed_name(read, robot)
    rules = None if obeyed is None else read.rules_for(obeyed)
    token = None
    if rules is not None and obeyed is not None and is_named:
        token = named_by(rules, obeyed, tried)
    return FamilyRules(robot, name, token, tried, rules, read.dialect.name)


def obeyed_name(robots: RobotsTxt, robot: KnownRobot) -> tuple[str | None, bool]:
    """Return the name whose rules a known robot obeys, and whether a group names it.

    The name is `None` if no group names the robot and it ignores the group for `*`. Nothing is
    compiled: a file may be large, and the known robots are many.

    Args:
        robots: A robots.txt, in the dialect in which the robot reads it.
        robot: The robot.

    """
    tried = tokens_of(robot)
    for token, how in zip(tried, selected_how(robots, list(tried)), strict=True):
        if how in NAMED:
            return token, True
    return None if robot.ignores_star else tried[0] if tried else STAR, False


def tokens_of(robot: KnownRobot) -> tuple[str, ...]:
    """Return the product tokens that a robot looks for, in this order.

    Where its operator names none, that is its name. A name of several words is no product token
    (RFC 9309 section 2.2.1): a group for `Apple` is not about `Apple Messages preview`.
    """
    return robot.tokens or (() if " " in robot.name else (robot.name,))


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
