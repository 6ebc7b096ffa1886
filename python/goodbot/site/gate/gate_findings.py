"""What a policy cannot bring about, said before it is served.

Scope: findings on a policy at one time. None is an error: the documents agree with each other, and
some robots read them otherwise, or not at all.
"""

from collections.abc import Iterator
from datetime import datetime

from goodbot._core import RobotsTxt
from goodbot._core import dialect as named_dialect
from goodbot.bots import KnownRobot, by_purpose, every
from goodbot.bots.family import tokens_of
from goodbot.bots.user_agents import known
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.gate_policy import GatePolicy, GateRule
from goodbot.site.gate.group_rules import EVERYONE, FAMILY, KIND, is_spared, precision
from goodbot.site.gate.rendered import Rendered, render
from goodbot.site.gate.robot_groups import STAR, GateGroup
from goodbot.site.reasoning import first_difference

__all__ = ["CHECK_CODES", "GateFinding", "check_gate"]

CHECK_CODES: dict[str, str] = {
    "ends-later": "A rule never holds any more: its last day has passed.",
    "ignores-star": "Robots that ignore the group for everyone are not named.",
    "also-searches": "A rule for a purpose leaves a robot in, because it also searches.",
    "two-purposes": "A rule refuses one purpose of a robot, and with it another that is kept.",
    "does-not-obey": "A named robot is said not to obey robots.txt: only enforcement stops it.",
    "delay-not-read": "A rule sets a delay for robots of which none is known to read Crawl-delay.",
    "unknown-robot": "A name belongs to no known robot: it may be misspelt.",
    "no-proxies": "The gate enforces by addresses, and no proxies are declared.",
    "dialect-differs": "A dialect reads the rules for everyone otherwise.",
}  # fmt: skip
"""Every code of a finding, and its meaning."""

MOST_NAMED = 5
"""How many robots a finding names."""


@dataclass(frozen=True, slots=True, repr=False)
class GateFinding:
    """A finding on a policy."""

    code: str
    """A key of `CHECK_CODES`."""
    message: str
    """A sentence that says what, and what to do."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return the message and the code."""
        return f"{self.message} ({self.code})"

    def as_dict(self) -> dict[str, str]:
        """Return plain values, for JSON."""
        return {"code": self.code, "message": self.message}


def check_gate(policy: GatePolicy, *, now: datetime, host: str | None = None) -> list[GateFinding]:
    """Return the findings on a policy at one time.

    Args:
        policy: The policy.
        now: The time.
        host: The host; by default, every host of the policy is checked.

    >>> from datetime import datetime, timezone
    >>> from goodbot.site.gate import GatePolicy, GateRule
    >>> rule = GateRule(robots=("Bytespider",), fetch=False)
    >>> policy = GatePolicy(site="https://example.com", rules=(rule,))
    >>> now = datetime(2026, 12, 1, tzinfo=timezone.utc)
    >>> [one.code for one in check_gate(policy, now=now)]
    ['does-not-obey']

    """
    hosts = policy.hosts if host is None else (host,)
    found = (one for each in hosts for one in check_host(policy, now, each))
    return list(dict.fromkeys(found))


def check_host(policy: GatePolicy, now: datetime, host: str) -> Iterator[GateFinding]:
    """Yield the findings on a policy, for one host."""
    said = render(policy, now=now, host=host)
    yield from of_dates(policy, now)
    yield from of_names(policy)
    yield from of_purposes(policy, said)
    yield from of_groups(said)
    yield from of_delays(said)
    yield from of_dialects(said)
    yield from of_enforcement(policy)


def of_dates(policy: GatePolicy, now: datetime) -> Iterator[GateFinding]:
    """Yield the rules that never hold again."""
    for number, rule in enumerate(policy.rules, 1):
        if rule.ends is not None and rule.ends <= now:
            message = f"Rule {number} ended on {rule.ends:%Y-%m-%d}; remove it"
            yield GateFinding("ends-later", message)


def of_enforcement(policy: GatePolicy) -> Iterator[GateFinding]:
    """Yield that robots are recognized by their addresses, where no proxy may name them."""
    held = policy.enforce
    if not held.proxies and (held.access or held.delay or held.spoofed == "refuse"):
        message = (
            "Robots are recognized by the address that connects: behind a proxy or a Unix socket "
            'nobody is refused; name it in enforce.proxies ("unix" for a socket), unless your '
            "server itself reads X-Forwarded-For"
        )
        yield GateFinding("no-proxies", message)


def of_names(policy: GatePolicy) -> Iterator[GateFinding]:
    """Yield the names of robots that are not known."""
    for number, rule in enumerate(policy.rules, 1):
        for name in rule.robots:
            if name != STAR and known(name) is None:
                message = f"Rule {number} names {name}, which is no known robot; check its spelling"
                yield GateFinding("unknown-robot", message)


def of_purposes(policy: GatePolicy, said: Rendered) -> Iterator[GateFinding]:
    """Yield the rules that refuse a purpose of robots that have another one with the same name."""
    refusing = [(n, rule) for n, rule in enumerate(policy.rules, 1) if rule.fetch is False]
    refused = {purpose for _, rule in refusing for purpose in rule.purposes}
    for number, rule in refusing:
        robots = [one for purpose in rule.purposes for one in by_purpose(purpose)]
        left = dict.fromkeys(robots)  # in order, each once
        if spared := [one.name for one in left if is_spared(rule, one) and not is_named(said, one)]:
            message = (
                f"Rule {number} leaves robots in that also search: {', '.join(spared)}; "
                "to disallow one, name it in a rule with fetch = false"
            )
            yield GateFinding("also-searches", message)
        both = [
            f"{one.name} ({', '.join(others)})"
            for one in left
            if not is_named(said, one) and is_refused(rule, one)
            if (others := [other for other in one.purposes if other not in refused])
        ]
        if both:
            message = (
                f"Rule {number} also refuses what it does not name, because these robots do both "
                f"with one name: {', '.join(both)}; to let one in, name it in a rule with "
                "fetch = true"
            )
            yield GateFinding("two-purposes", message)


def is_named(said: Rendered, robot: KnownRobot) -> bool:
    """Return whether a rule names a robot or its family, and says what it may fetch."""
    token = next(iter(tokens_of(robot)), None)
    levels = [
        precision(rule, token, (robot,))
        for rule in said.policy.rules
        if token is not None and rule.fetch is not None
    ]
    return token is None or any((level or EVERYONE) >= FAMILY for level in levels)


def is_refused(rule: GateRule, robot: KnownRobot) -> bool:
    """Return whether a rule refuses a robot by its purpose."""
    return precision(rule, tokens_of(robot)[0], (robot,)) == KIND


def of_groups(said: Rendered) -> Iterator[GateFinding]:
    """Yield the robots that what is said does not reach."""
    named = {token.casefold() for group in said.groups for token in group.tokens}
    robots = [one for one in every() if tokens_of(one)]
    if said.groups[-1].rules.fetch:
        left = [
            one.name for one in robots if one.ignores_star and said.rules_for(one).rules is None
        ]
        if left:
            message = f"{', '.join(left)} ignore the group for everyone; name those that you mean"
            yield GateFinding("ignores-star", message)
    for one in robots:
        if one.obeys is False and tokens_of(one)[0].casefold() in named and is_held(said, one):
            cure = (
                "enforce.access refuses it by the addresses of its operator"
                if one.addresses
                else "its operator publishes no addresses, so that only your server can refuse it, "
                "by its User-Agent"
            )
            message = f"{one.name} is said not to obey robots.txt; {cure}"
            yield GateFinding("does-not-obey", message)


def is_held(said: Rendered, robot: KnownRobot) -> bool:
    """Return whether a robot is disallowed anything."""
    return any(not allowed for _, allowed in said.group_of(robot).rules.fetch)


def of_delays(said: Rendered) -> Iterator[GateFinding]:
    """Yield the named groups whose delay none of its robots is known to read."""
    for group in said.groups[:-1]:
        if group.rules.delay is not None and not any(reads_delays(one) for one in robots_of(group)):
            message = f"None of {listed(group.tokens)} is known to read Crawl-delay"
            yield GateFinding("delay-not-read", message)


def robots_of(group: GateGroup) -> Iterator[KnownRobot]:
    """Yield the known robots that a group names."""
    for token in group.tokens:
        robot = known(token)
        if robot is not None:
            yield robot


def reads_delays(robot: KnownRobot) -> bool:
    """Return whether a robot is known to read Crawl-delay."""
    return "crawl-delay" in {one.casefold() for one in robot.reads}


def of_dialects(said: Rendered) -> Iterator[GateFinding]:
    """Yield the dialects of known robots in which everyone's rules mean something else."""
    name = "goodbot-check"
    body = said.files["/robots.txt"].body
    rules = said.robots_txt.rules_for(name)
    for dialect in sorted({one.dialect for one in every() if one.dialect}):
        # Whether robots.txt itself may be fetched is no question of rules: it is never refused.
        reader = named_dialect(dialect).replace(name=dialect, robots_txt_itself="always-allowed")
        other = RobotsTxt(body, dialect=reader).rules_for(name)
        found = first_difference(rules, other)
        if found is not None:
            word = "may" if found.after.allowed else "must not"
            message = f"A robot that reads as {dialect} does {word} fetch {found.path}"
            yield GateFinding("dialect-differs", message)


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Return some names; of many, the first ones and how many more."""
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
