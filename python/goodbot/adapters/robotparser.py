r"""The interface of `urllib.robotparser` with goodbot's answers: change one line of imports.

    from goodbot.adapters.robotparser import RobotFileParser

Every method and attribute exists, with the same arguments. The answers differ in these points:

| point | Python 3.13 | Python 3.15 | here | source |
| --- | --- | --- | --- | --- |
| which rule decides | the first that matches | the longest match in the URL | the longest that matches | RFC 9309 section 2.2.2 |
| `*` and `$` in a path | ordinary | wildcard and end of path | wildcard and end of path | RFC 9309 section 2.2.3 |
| `$` within a path | ordinary | drops the rule | ordinary | RFC 9309 section 2.2.3 |
| which groups apply | the first that matches | all of the name that matches | all that name the robot | RFC 9309 section 2.2.1 |
| several groups for `*` | the first | all of them | all of them | RFC 9309 section 2.2.1 |
| `*` in `entries` | no | yes | no | goodbot: as in Python 3.13 |
| the robot's name | contains the value | equals, else contains the value | equals the value | RFC 9309 section 2.2.1 |
| a blank line | ends a group | is ignored | is ignored | RFC 9309 section 2.2 |
| User-agent after a Crawl-delay | a new group | the same | the same rules, own delay | RFC 9309 section 2.1 |
| escapes | `%2F` is `/`; a fragment counts | the same | as in Figure 4; no fragment | RFC 9309 section 2.2.2 |
| `/robots.txt` | a path like any other | always allowed | always allowed | RFC 9309 section 2.2.2 |
| misspelt fields | ignored | the same | `Disalow` is understood | RFC 9309 section 2.2 |
| Crawl-delay | a whole number | the same | fractions too | Bing webmaster documentation |
| Request-rate | `1/5` only | the same | units and hours; the strictest | Conner 1996, Request-rate |
| 5xx, or no answer | has no effect; raises | all is disallowed; raises | all is disallowed | RFC 9309 section 2.3.1.4 |
| 429 | all is allowed | the same | all is deferred | RFC 6585 section 4 |
| an earlier copy | is lost | the same | is used while the site fails | RFC 9309 section 2.4 |
| content that is not UTF-8 | raises | is read | is read | RFC 9309 section 2.3 |
| `modified` without a file | allows all | the same | allows nothing | goodbot: no file, no permission |
| a string instead of lines | allows all | the same | `WrongTypeError` | goodbot: misuse raises |
| arguments in the wrong order | allows all | the same | `RobotNameError` | goodbot: misuse raises |
| `read` sends as its name | `Python-urllib` | the same | `robot`, else `goodbot` | RFC 9110 section 10.1.5 |
| `read` sends From | never | the same | `contact`, if you pass it | RFC 9110 section 10.1.2 |
| `read` of a URL that is not robots.txt | reads it | the same | `WrongValueError` | RFC 9309 section 2.3 |

Python 3.15 reads robots.txt by RFC 9309, and so do patch releases of older versions from May 2026 on:
those whose parser has the attribute `groups`, which is here in any version. They measure a match by
how much of the URL it takes, not by the length of the rule. Python 3.14.2 answers as 3.13 does, but
reads content that is not UTF-8.

401 and 403 disallow everything, as in the original: RFC 9309 section 2.3.1.3 leaves it open, and
the draft of 1996 requires it.
"""  # noqa: E501  the rows of a table

import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import NamedTuple

from goodbot._core import Group, RobotsTxt, Rule, Rules
from goodbot._core import RequestRate as Rate
from goodbot._core import crawl_delay as delay_of
from goodbot.adapters.opening import PROGRAM, send_request
from goodbot.adapters.policy_cache import TimeFunction, ask, drive, utc_now
from goodbot.adapters.sender import checked_contact, note_missing_from
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy, PolicyDialect
from goodbot.policy import policy_dialect as meanings_of
from goodbot.policy.inquiry import Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["Entry", "RequestRate", "RobotFileParser", "RuleLine"]

CLOSED = {"unauthorized": "disallow-all", "forbidden": "disallow-all"}
"""What the original does with 401 and 403, which RFC 9309 section 2.3.1.3 leaves open."""

SECONDS = 30.0


class RequestRate(NamedTuple):
    """The largest number of requests in a number of seconds.

    >>> RequestRate(9, 30).seconds
    30
    """

    requests: int
    seconds: int


@dataclass(frozen=True)
class RuleLine:
    """A rule of an entry.

    >>> print(RuleLine("/private", allowance=False))
    Disallow: /private
    """

    path: str
    allowance: bool

    def __str__(self) -> str:
        """Return the rule as a line of robots.txt."""
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"


@dataclass(frozen=True)
class Entry:
    """A group as the original shows it: for display, not for decisions.

    >>> print(Entry(["ExampleBot"], [RuleLine("/private", allowance=False)]))
    User-agent: ExampleBot
    Disallow: /private
    """

    useragents: list[str] = field(default_factory=list)
    rulelines: list[RuleLine] = field(default_factory=list)
    delay: float | None = None
    req_rate: RequestRate | None = None

    def __str__(self) -> str:
        """Return the group as lines of robots.txt."""
        lines = [f"User-agent: {agent}" for agent in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        return "\n".join([*lines, *map(str, self.rulelines)])


class RobotFileParser:
    r"""A replacement for `urllib.robotparser.RobotFileParser`; the module lists the differences.

    Args:
        url: The URL of a robots.txt; `set_url` sets it too.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean; by default what the dialect says, except that 401 and
            403 disallow everything, as in the original.
        clock: Returns the time as an aware `datetime`.
        robot: The name that `read` sends as User-Agent; by default that of goodbot.
        contact: The email address that `read` sends as From; by default none.

    Raises:
        UnknownDialectError: There is no dialect of this name.
        WrongValueError: `contact` is not an email address.

    Attributes:
        allow_all: Whether everything is allowed, whatever the file says; you may set it.
        disallow_all: Whether everything is disallowed; it overrides `allow_all`.
        last_checked: When the file was last read, in seconds since 1970; 0 for never.
        policy: The `goodbot.Policy` of the last `read`; `None` before the first.
        robots_txt: The `goodbot.RobotsTxt` that decides; `None` until a file was read.

    >>> parser = RobotFileParser()
    >>> parser.can_fetch("ExampleBot", "/")  # nothing is known yet
    False
    >>> parser.parse(["User-agent: *", "Crawl-delay: 3", "Request-rate: 9/30", "Disallow: /tmp/"])
    >>> parser.can_fetch("ExampleBot", "https://example.com/tmp/a")
    False
    >>> parser.crawl_delay("ExampleBot"), parser.request_rate("ExampleBot")
    (3, RequestRate(requests=9, seconds=30))

    Source: docs.python.org, urllib.robotparser.
    """

    def __init__(
        self,
        url: str = "",
        *,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        clock: TimeFunction = utc_now,
        robot: str | None = None,
        contact: str | None = None,
    ) -> None:
        """Start without a file."""
        self._who = {"User-Agent": robot} if robot else dict(PROGRAM)
        if contact is not None:
            self._who["From"] = checked_contact(contact)
        self.dialect = RobotsTxt(b"", dialect=dialect).dialect
        if policy_dialect is None:
            self._meanings = meanings_of(self.dialect).replace(outcomes=CLOSED)
        else:
            self._meanings = meanings_of(policy_dialect)
        self.policy: Policy | None = None
        self.robots_txt: RobotsTxt | None = None
        self.allow_all = False
        self.disallow_all = False
        self.last_checked: float = 0
        self._clock = clock
        self.set_url(url)

    def set_url(self, url: str | urllib.request.Request) -> None:
        """Set the URL of robots.txt, or take that of a request."""
        self.url = url.full_url if isinstance(url, urllib.request.Request) else url
        self.host, self.path = urllib.parse.urlparse(self.url)[1:3]

    def mtime(self) -> float:
        """Return the time when robots.txt was last read, in seconds since 1970; 0 for never."""
        return self.last_checked

    def modified(self) -> None:
        """Set the time when robots.txt was last read to now."""
        self.last_checked = time.time() if self._clock is utc_now else self._clock().timestamp()

    def read(
        self,
        *,
        seconds: float = SECONDS,
        opener: Callable[[Question, float], RobotsTxtAnswer] | None = None,
    ) -> None:
        """Fetch robots.txt and read it. A failed fetch disallows everything and raises nothing.

        Args:
            seconds: How long each request may take, from its start to the end of the answer.
            opener: Sends one request; by default with `urllib.request`.

        Raises:
            NoOriginError: The URL has no origin.
            WrongValueError: It is not the URL of a robots.txt.

        Source: RFC 9309 section 2.3.1.

        """
        previous = self.policy if self._is_of(self.policy) else None
        choices = {"dialect": self.dialect, "policy_dialect": self._meanings}
        Policy.from_failure(self.url, "dns", now=self._clock())  # raises for misuse
        way = ask(self.url, clock=self._clock, previous=previous, **choices)
        self._take(drive(way, lambda question: (opener or self._send)(question, seconds)))

    def _send(self, question: Question, seconds: float) -> RobotsTxtAnswer:
        """Send one request, as the robot if it was named."""
        if "From" not in self._who:
            note_missing_from("pass robot='ExampleBot/1.0' and contact='you@example.com'")
        return send_request(question, seconds, self._who)

    def parse(self, lines: Iterable[str | bytes]) -> None:
        """Read the lines of a robots.txt that you fetched yourself.

        Args:
            lines: The lines, with or without their line ends.

        Raises:
            WrongTypeError: `lines` is one string; pass `text.splitlines()`.

        """
        if isinstance(lines, (str, bytes)):
            message = "lines must be a sequence of lines, not one string; pass text.splitlines()"
            raise WrongTypeError(message)
        raw = [line if isinstance(line, bytes) else encoded(line) for line in lines]
        content = b"\n".join(line.rstrip(b"\r\n") for line in raw)
        self.robots_txt = RobotsTxt(content, dialect=self.dialect)
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Return whether a robot may fetch a URL.

        Args:
            useragent: The robot: a product token or a whole User-Agent string.
            url: A URL, or a path with its query.

        Raises:
            RobotNameError: The robot has no name, or its name is a URL.

        """
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        return self.robots_txt is not None and self.robots_txt.allows(url, useragent)

    def crawl_delay(self, useragent: str) -> float | None:
        """Return the Crawl-delay in seconds, as an `int` if it is whole, or `None`."""
        rules = self._rules(useragent)
        return None if rules is None else whole(rules.crawl_delay)

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Return the strictest Request-rate, or `None` if there is none."""
        rules = self._rules(useragent)
        return None if rules is None else strictest(rules.request_rates)

    def site_maps(self) -> list[str] | None:
        """Return the URLs of the sitemaps, or `None` if there are none."""
        return (self.robots_txt.sitemaps or None) if self.robots_txt is not None else None

    @property
    def sitemaps(self) -> list[str]:
        """The URLs of the sitemaps."""
        return self.site_maps() or []

    @property
    def entries(self) -> list[Entry]:
        """The groups that name robots, in the order of the file.

        If a group states a delay or a rate for only some of its robots, such as by a Crawl-delay
        between its User-agent lines, these robots have an entry of their own for it, before the
        entry with the rules.
        """
        return [entry for group, parts in self._groups() for entry in entries_of(group, parts)]

    @property
    def default_entry(self) -> Entry | None:
        """The groups for every robot (`*`), merged into one, or `None` if there are none."""
        found = [(group, parts) for group, parts in self._groups() if "*" in group.agents]
        if not found:
            return None
        shared = [agent for group, parts in found if len(parts) == 1 for agent in group.agents]
        stating = [part for _, parts in found for part in parts if "*" in part.agents]
        rules = [rule for group, _ in found for rule in group.rules]
        return entry_of(list(dict.fromkeys([*shared, "*"])), rules, stating)

    @property
    def groups(self) -> dict[str, Entry]:
        """For each name in lower case, also `*`, all that the file has for it, merged."""
        last = [] if self.default_entry is None else [self.default_entry]
        found: dict[str, Entry] = {}
        for entry in [*self.entries, *last]:
            for agent in dict.fromkeys(one.lower() for one in entry.useragents):
                found[agent] = merged(found[agent], entry) if agent in found else entry
        return found

    def __str__(self) -> str:
        """Return what was read as a robots.txt, with the group for every robot last."""
        last = [] if self.default_entry is None else [self.default_entry]
        return "\n\n".join(map(str, [*self.entries, *last]))

    def _groups(self) -> list[tuple[Group, list[Group]]]:
        """Return the groups, each with the parts in which fields other than rules hold."""
        if self.robots_txt is None:
            return []
        parts = iter(self.robots_txt.field_groups)
        found = []
        for group in self.robots_txt.groups:
            own = [next(parts)]
            while sum(len(part.lines) for part in own) < len(group.lines):
                own.append(next(parts))
            found.append((group, own))
        return found

    def _rules(self, useragent: str) -> Rules | None:
        """Return the robot's rules, or `None` if no file was read."""
        return None if self.robots_txt is None else self.robots_txt.rules_for(useragent)

    def _is_of(self, policy: Policy | None) -> bool:
        return policy is not None and self.url in {policy.url, *policy.hops[:1]}

    def _take(self, policy: Policy) -> None:
        """Set the attributes from a policy."""
        self.policy = policy
        self.robots_txt = policy.robots_txt
        self.allow_all = policy.access == "allow-all"
        self.disallow_all = policy.access in {"disallow-all", "defer"}
        self.modified()


def encoded(line: str) -> bytes:
    """Return the bytes of a line; bytes that a decoder escaped come back unchanged."""
    return line.encode("utf-8", "surrogateescape" if is_escaped(line) else "replace")


def is_escaped(line: str) -> bool:
    """Return whether all surrogates of a line stand for bytes that were not UTF-8 (PEP 383)."""
    return all(not "\ud800" <= one <= "\udfff" or "\udc80" <= one <= "\udcff" for one in line)


def whole(seconds: float | None) -> float | None:
    """Return an `int` if the number is whole, as the original does."""
    return int(seconds) if seconds is not None and seconds.is_integer() else seconds


def strictest(rates: list[Rate]) -> RequestRate | None:
    """Return the rate with the longest time between requests, whatever its hours."""
    rate = max(rates, key=lambda one: one.interval, default=None)
    return None if rate is None else RequestRate(rate.documents, rate.seconds)


def entries_of(group: Group, parts: list[Group]) -> list[Entry]:
    """Return the entries of one group, without what it says to every robot."""
    if len(parts) == 1:
        return [] if "*" in group.agents else [entry_of(group.agents, group.rules, parts)]
    named = [(named_in(part), part) for part in parts]
    entries = [entry_of(agents, [], [part]) for agents, part in named if agents and part.fields]
    return [*entries, entry_of(named_in(group), group.rules, [])] if named_in(group) else entries


def named_in(group: Group) -> list[str]:
    """Return the robots that a group names, without the `*`."""
    return [agent for agent in group.agents if agent != "*"]


def entry_of(agents: list[str], rules: list[Rule], stating: list[Group]) -> Entry:
    """Build an entry from names, rules, and the groups that state delay and rate."""
    fields = [(name, value) for group in stating for name, value, _ in group.fields]
    delays = [delay_of(value) for name, value in fields if name == "Crawl-delay"]
    rates = [rate_of(value) for name, value in fields if name == "Request-rate"]
    return Entry(
        list(dict.fromkeys(agents)),
        [RuleLine(rule.pattern, rule.field == "Allow") for rule in rules],
        whole(max((one for one in delays if one is not None), default=None)),
        strictest([rate for rate in rates if rate is not None]),
    )


def merged(one: Entry, other: Entry) -> Entry:
    """Return the entry of a robot of which two speak; delay and rate are the longest."""
    names = {name.lower() for name in other.useragents}
    delays = [each.delay for each in (one, other) if each.delay is not None]
    rates = [each.req_rate for each in (one, other) if each.req_rate is not None]
    return Entry(
        [name for name in one.useragents if name.lower() in names],
        one.rulelines + other.rulelines,
        max(delays, default=None),
        max(rates, key=lambda rate: rate.seconds / rate.requests, default=None),
    )


def rate_of(text: str) -> Rate | None:
    """Parse a Request-rate; return `None` for a malformed one."""
    try:
        return Rate.parse(text)
    except WrongValueError:
        return None
