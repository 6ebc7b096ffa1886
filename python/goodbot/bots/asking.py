r"""One question for every source: what may this robot fetch, according to a file or a site?

Scope: from a source and a robot to what it obeys there. The core judges the URLs.

>>> import goodbot
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /")
>>> rules = goodbot.bots.rules_for(robots, "AdsBot-Google")
>>> rules.allows("https://example.com/"), rules.token, rules.verdict("/").reason
(True, None, 'ignores-star')
"""

from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from typing import TypeGuard

from goodbot._core import (
    Dialect,
    Judge,
    JudgesByTime,
    JudgeThen,
    RobotsTxt,
    Rules,
    Verdict,
    rules_memory,
)
from goodbot.bots.family import known_or_none, obeyed_by, reread
from goodbot.bots.known_robot import KnownRobot
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.grounds import EXPIRED, IGNORES_STAR, NEVER_ASKED, UNKNOWN, Grounds
from goodbot.http.instants import checked_time
from goodbot.lazy_dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goodbot.history.policy_timeline import PolicyTimeline
    from goodbot.policy import Policy

__all__ = ["ObeyedRules", "allow_many", "ask", "ask_as_fetcher", "rules_for"]

MOST_KEPT = 256
"""For how many robots a source keeps what they obey."""
LARGEST_KEPT = 64 * 1024
"""The most bytes of the rules of a robot that a source keeps: 16 MiB for one source."""
SIZE_WITHOUT_RULES = 2 * 1024
"""As how many bytes a robot counts whose rules are kept for a time: its name and its grounds."""
LONGEST_KEPT = 512
"""The most characters of a name that a source keeps."""

OPEN = {"rules", "allow-all"}
"""What a policy allows if it allows anything."""


@dataclass(frozen=True, slots=True, repr=False)
class ObeyedRules:
    r"""What a robot obeys according to one source, chosen once for many URLs.

    `goodbot.verdict(source, url, robot)` is `rules_for(source, robot).verdict(url)`.
    """

    grounds: Grounds
    """Which robot was asked about, whose group it obeys, and what the site said."""
    rules: Rules | None
    """What it must obey; `None` if it obeys no group, or the policy of the site has no rules."""
    file: RobotsTxt | None
    """The robots.txt, in the dialect in which the robot reads it; `None` if there is none."""
    robot: KnownRobot | None
    """The robot; `None` if it is not a known one."""
    judge: Judge = field(compare=False, repr=False)
    """What decides."""
    literal: Rules | None = None
    """What it must obey, too, because it is about to fetch under this name."""

    __repr__ = short_repr

    @property
    def name(self) -> str:
        """The robot as it was asked for."""
        return self.grounds.robot

    @property
    def token(self) -> str | None:
        """The product token whose group it obeys; `None` if no group names any of its tokens."""
        return self.grounds.token

    @property
    def tried(self) -> tuple[str, ...]:
        """The product tokens that it looked for, in this order; empty if they are not known."""
        return self.grounds.tried

    @property
    def dialect(self) -> str:
        """The name of the dialect in which the file was read."""
        return self.grounds.dialect

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is special about the robot here, in sentences; empty for most."""
        return self.grounds.remarks

    def allows(self, url: str | bytes) -> bool:
        """Return whether the robot may fetch a URL; see `verdict`."""
        return self.judge.verdict(url).allowed

    def allows_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        """Return for each of many URLs whether the robot may fetch it; see `verdict`."""
        return self.judge.allows_many(urls)

    def verdict(self, url: str | bytes) -> Verdict:
        """Return the verdict on a URL, with its reason.

        Args:
            url: A URL; from a file, a path that begins with `/` is enough.

        Raises:
            NoOriginError: From a policy, and the URL is not absolute.
            OtherOriginError: From a policy, and the URL is of another site.

        """
        return self.judge.verdict(url)


def rules_for(
    source: "RobotsTxt | Policy",
    robot: KnownRobot | str,
    *,
    dialect: str | Dialect | None = None,
    fetching: bool = False,
) -> ObeyedRules:
    r"""Return what a robot obeys according to a file or a site, for many URLs.

    Args:
        source: A robots.txt, or the policy of a site.
        robot: A known robot, a product token, or a whole User-Agent string.
        dialect: The dialect to read the file in. By default that of the known robot; if that is not
            known, that of the source.
        fetching: Whether the robot is one that is about to fetch under this name. It then obeys
            the literal reading, too: an exception that an operator states is that operator's.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.
        WrongTypeError: `source` or `robot` is something else.
        UnknownDialectError: There is no dialect of this name.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /")
    >>> goodbot.bots.rules_for(robots, "AdsBot-Google", fetching=True).allows("/")
    False

    """
    known = known_or_none(robot)
    name = name_of(robot)
    chosen = known.dialect if dialect is None and known is not None else dialect
    if isinstance(source, RobotsTxt):
        return rules_of_file(source, known, name, chosen, fetching=fetching)
    from goodbot.policy import Policy  # noqa: PLC0415  a file needs none

    if isinstance(source, Policy):
        return rules_of_policy(source, known, name, chosen, fetching=fetching)
    message = (
        f"source must be a RobotsTxt, a Policy or a PolicyTimeline, not {type(source).__name__}"
    )
    raise WrongTypeError(message)


def rules_of_file(
    file: RobotsTxt,
    known: KnownRobot | None,
    name: str,
    dialect: str | Dialect | None,
    *,
    fetching: bool,
) -> ObeyedRules:
    """Return what a robot obeys in a file."""
    read = file if dialect is None else reread(file, dialect)
    obeyed = obeyed_by(read, known, name)
    grounds = Grounds(name, read.dialect.name, known, obeyed.token, obeyed.tried)
    literal = file.rules_for(name) if fetching and known is not None else None
    return ObeyedRules(
        grounds, obeyed.rules, read, known, judge_of_rules(grounds, obeyed.rules, literal), literal
    )


def rules_of_policy(
    policy: "Policy",
    known: KnownRobot | None,
    name: str,
    dialect: str | Dialect | None,
    *,
    fetching: bool,
) -> ObeyedRules:
    """Return what a robot obeys at a site."""
    is_both = fetching and known is not None
    if is_both and policy.access not in OPEN:
        return rules_of_policy(policy, None, name, None, fetching=False)
    read = policy if dialect is None else policy.in_dialect(dialect)
    file = read.robots_txt
    obeyed = None if file is None else obeyed_by(file, known, name)
    grounds = Grounds(
        robot=name,
        dialect=read.dialect.name,
        known=known,
        token=None if obeyed is None else obeyed.token,
        tried=() if obeyed is None else obeyed.tried,
        access=read.access,
        policy_reason=read.reason,
        said=read.said,
        retry_at=read.retry_at,
        until=read.fresh_until,
        is_answer=read.is_answer,
    )
    rules = None if obeyed is None else obeyed.rules
    literal = policy.rules_for(name) if is_both else None
    if obeyed is not None or (literal is not None and read.access in OPEN):
        judge = judge_of_rules(grounds, rules, literal, policy.origin)
        file = file or policy.robots_txt
        return ObeyedRules(grounds, rules or literal, file, known, judge, literal)
    # Where this machine makes no request, not even robots.txt may be visited.
    is_refused = read.reason in NEVER_ASKED
    itself = None if is_refused else RobotsTxt(b"", dialect=read.dialect).rules_for(name)
    statement = (read.access == "allow-all", read.reason)
    judge = Judge(grounds, [], statement=statement, itself=itself, origin=policy.origin)
    return ObeyedRules(grounds, None, None, known, judge)


def judge_of_rules(
    grounds: Grounds, rules: Rules | None, literal: Rules | None, origin: str | None = None
) -> Judge:
    """Return the judge of a robot by its rules; without any, everything is allowed."""
    readings = [one for one in (rules, literal) if one is not None]
    statement = None if readings else (True, IGNORES_STAR)
    return Judge(grounds, readings, statement=statement, origin=origin)


def allow_many(rules: Rules, urls: Iterable[str | bytes]) -> list[bool]:
    """Return for each of many URLs whether some rules allow it, as it is sent and as it is written.

    `Rules.allows_many` is literal.
    """
    return Judge(Grounds(rules.robot, rules.dialect), [rules]).allows_many(urls)


def ask(
    source: "RobotsTxt | Policy | PolicyTimeline",
    url: str | bytes,
    robot: KnownRobot | str,
    at: datetime | None = None,
    dialect: str | Dialect | None = None,
) -> Verdict:
    """Return the verdict of `goodbot.verdict`, and let the source keep what the robot obeys."""
    if at is not None:
        checked_time(at, "at")
    if not isinstance(source, RobotsTxt):
        from goodbot.history.policy_timeline import PolicyTimeline  # noqa: PLC0415  a file needs none
        from goodbot.policy import Policy  # noqa: PLC0415  a file needs none

        if isinstance(source, PolicyTimeline):
            return ask_at(source, url, robot, at, dialect, kept=source._judges_by_time)  # noqa: SLF001  they are kept for this module
        if isinstance(source, Policy) and at is not None:
            timeline = PolicyTimeline.of([source])
            kept = source._judges_by_time  # noqa: SLF001  they are kept for this module
            if kept is None:
                kept = timeline._judges_by_time  # noqa: SLF001  they are kept for this module
                object.__setattr__(source, "_judges_by_time", kept)
            return ask_at(timeline, url, robot, at, dialect, kept=kept)
    rules = rules_for(source, robot, dialect=dialect)
    if dialect is None:
        keep(source._judges, robot, rules)  # noqa: SLF001  they are kept for this module
    return rules.judge.verdict(url)


def ask_at(
    timeline: "PolicyTimeline",
    url: str | bytes,
    robot: KnownRobot | str,
    at: datetime | None,
    dialect: str | Dialect | None,
    *,
    kept: JudgesByTime,
) -> Verdict:
    """Return the verdict that held at a time; disallowed, as `unknown`, if nothing is known of it.

    It is disallowed as `expired` if what was known then would allow the URL, but was too old.

    The judge is kept for all the interval of the time, in which `PolicyTimeline.at` finds the same.

    Raises:
        WrongValueError: There is no time.

    """
    if at is None:
        message = "a timeline has a verdict for each time: pass at=, an aware datetime"
        raise WrongValueError(message)
    then = timeline.at(at)
    obeyed = [rules_for(one, robot, dialect=dialect) for one in then.policies]
    judges = [one.judge for one in obeyed]
    unknown = None
    if not then.is_current:
        unknown = judge_of_unknown(timeline, robot, dialect, is_known=bool(then))
        judges = judges or [unknown]
    judge = JudgeThen(judges[0], judges[1:], unknown)
    size = sum(map(size_of, obeyed))
    if dialect is None and is_kept(robot, size):
        kept.keep(at, robot, judge, size + SIZE_WITHOUT_RULES)
    return judge.verdict(url)


def judge_of_unknown(
    timeline: "PolicyTimeline",
    robot: KnownRobot | str,
    dialect: str | Dialect | None,
    *,
    is_known: bool,
) -> Judge:
    """Return the judge of a time of which nothing is known, or nothing that was still current."""
    name = name_of(robot)
    RobotsTxt(b"", dialect=dialect).rules_for(name)  # raises if either is no name
    said = (
        "the robots.txt that was known then was no longer current"
        if is_known
        else "nothing is known of robots.txt at this time"
    )
    reason = EXPIRED if is_known else UNKNOWN
    grounds = Grounds(
        name, "", known_or_none(robot), access="defer", policy_reason=reason, said=said,
        is_answer=False,
    )  # fmt: skip
    return Judge(grounds, [], statement=(False, reason), origin=timeline.origin or None)


def name_of(robot: KnownRobot | str) -> str:
    """Return the robot as it was asked for."""
    return robot.name if isinstance(robot, KnownRobot) else robot


def ask_as_fetcher(policy: "Policy", url: str | bytes, robot: str) -> Verdict:
    """Return the verdict for a robot that is about to fetch under this name; see `rules_for`."""
    rules = rules_for(policy, robot, fetching=True)
    keep(policy._fetchers, robot, rules)  # noqa: SLF001  they are kept for this module
    return rules.judge.verdict(url)


def keep(judges: dict[str, Judge], robot: KnownRobot | str, rules: ObeyedRules) -> None:
    """Keep what a robot obeys for the next question to a source, within bounds."""
    if not is_kept(robot, size_of(rules)):
        return
    if len(judges) >= MOST_KEPT:
        judges.clear()
    judges[robot] = rules.judge


def is_kept(robot: KnownRobot | str, size: int) -> TypeGuard[str]:
    """Return whether a source keeps what a robot obeys, by the bytes of its rules."""
    return isinstance(robot, str) and len(robot) <= LONGEST_KEPT and size <= LARGEST_KEPT


def size_of(obeyed: ObeyedRules) -> int:
    """Return how many bytes the rules of a robot take."""
    return 0 if obeyed.rules is None else rules_memory(obeyed.rules)
