"""A policy as it is served: every document and header field, for one host at one time.

Scope: `render`, and what it returns. It decides; the time is handed in.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from html import escape

from goodbot._core import RobotsTxt
from goodbot.bots import KnownRobot, ObeyedRules, rules_for
from goodbot.content_use.statement import Use
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.http.instants import checked_time
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.documents import robots_txt, rsl, tdm_policy, tdmrep
from goodbot.site.gate.gate_policy import GatePolicy, GateRule
from goodbot.site.gate.group_rules import GroupRules
from goodbot.site.gate.page_fields import GateFields, PageFields
from goodbot.site.gate.robot_groups import STAR, GateGroup, groups_of, obeyed_by
from goodbot.site.gate.use_statements import directives

__all__ = ["Rendered", "ServedFile", "render"]

ROBOTS_TXT = "/robots.txt"
TDMREP = "/.well-known/tdmrep.json"
LICENSE = "/license.xml"
TDM_POLICY = "/tdm-policy.json"
MOST_REMEMBERED = 4_096
"""The most robots whose groups are remembered."""


@dataclass(frozen=True, slots=True, repr=False)
class ServedFile:
    """A file that is served from a policy."""

    content_type: str
    """Its media type."""
    body: bytes
    """Its content."""

    __repr__ = short_repr


@dataclass(frozen=True, eq=False, repr=False)
class Rendered:
    """What one host says at one time: the same in every document.

    >>> from datetime import datetime, timezone
    >>> from goodbot.site.gate import GatePolicy, GateRule, render
    >>> rule = GateRule(purposes=("ai-training",), uses={"train": False})
    >>> policy = GatePolicy(site="https://example.com", rules=(rule,))
    >>> said = render(policy, now=datetime(2026, 12, 1, tzinfo=timezone.utc))
    >>> said.headers("/articles/1", "GPTBot")[:2]
    (('X-Robots-Tag', 'noai'), ('Content-Usage', 'train-ai=n'))
    >>> said.headers("/articles/1", "bingbot")
    (('Vary', 'User-Agent'),)
    """

    policy: GatePolicy
    """The policy."""
    host: str
    """The host."""
    groups: tuple[GateGroup, ...]
    """The groups of robots.txt, that for everyone last."""
    files: Mapping[str, ServedFile]
    """Every file that is served, by its path: robots.txt always, tdmrep.json and licences."""
    until: datetime | None
    """When the policy says something else because of a date; `None` if there is no such date."""
    changed: datetime | None
    """When it last said something else: by the policy's `last_modified`, or by a date of a rule;
    `None` unless the policy says when it was changed."""
    robots_txt: RobotsTxt
    """robots.txt, as goodbot reads it."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Remember answers: a server is asked the same again and again."""
        object.__setattr__(self, "_pages", self.page_fields())
        object.__setattr__(self, "_group", lru_cache(maxsize=MOST_REMEMBERED)(self._group_of))

    @property
    def origin(self) -> str:
        """The origin of the host."""
        return site_of(self.policy, self.host)

    @property
    def tdm_policy(self) -> str | None:
        """The URL of the policy for text and data mining; `None` if there is none."""
        own = f"{self.origin}{TDM_POLICY}" if self.policy.tdm is not None else None
        return self.policy.tdm_policy or own

    @property
    def licenses(self) -> dict[GroupRules, str]:
        """The URLs of the licences in RSL, by the rules of their groups."""
        paths = license_paths(self.groups) if self.policy.rsl is not None else {}
        return {rules: f"{self.origin}{path}" for rules, path in paths.items()}

    def page_fields(self) -> PageFields:
        """Return the writer of header fields for pages."""
        level = self.policy.use_level
        return PageFields(self.groups, self.tdm_policy, level, self.licenses)

    def rules_for(self, robot: KnownRobot | str) -> ObeyedRules:
        """Return what a robot must obey, by robots.txt as it is served.

        Args:
            robot: A known robot, a name, or a whole User-Agent.

        """
        return rules_for(self.robots_txt, robot)

    def group_of(self, robot: KnownRobot | str = STAR) -> GateGroup:
        """Return the group that a robot obeys; that for everyone if none names it.

        Args:
            robot: A known robot, a name, or a whole User-Agent.

        """
        group: GateGroup = self._group(robot)  # type: ignore[attr-defined]
        return group

    def _group_of(self, robot: KnownRobot | str) -> GateGroup:
        if robot == STAR:
            return self.groups[-1]
        rules = self.rules_for(robot).rules
        return self.groups[-1] if rules is None else obeyed_by(rules, self.groups)

    def answers(self, path: str, robot: KnownRobot | str = STAR) -> dict[Use, bool]:
        """Return the answers on uses that hold for a path and a robot.

        Args:
            path: A path with its query, or a URL.
            robot: A known robot, a name, or a whole User-Agent.

        """
        pages: PageFields = self._pages  # type: ignore[attr-defined]
        return pages.answers(self.group_of(robot), path)

    def headers(self, path: str, robot: KnownRobot | str = STAR) -> GateFields:
        """Return the header fields to add to a response.

        Args:
            path: A path with its query, or a URL.
            robot: A known robot, a name, or a whole User-Agent.

        """
        return self.fields_for(self.group_of(robot), path)

    def fields_for(self, group: GateGroup, *paths: str) -> GateFields:
        """Return the header fields for the robots of a group.

        Args:
            group: One of `groups`.
            paths: A path with its query, or a URL, in each spelling that may lead to the page.

        """
        pages: PageFields = self._pages  # type: ignore[attr-defined]
        return pages.of(group, *paths)

    def meta(self, path: str, robot: KnownRobot | str = STAR) -> str:
        """Return the META element for a page; empty if it has nothing to say.

        Args:
            path: A path with its query, or a URL.
            robot: A known robot, a name, or a whole User-Agent.

        """
        return self.meta_for(self.group_of(robot), path)

    def meta_for(self, group: GateGroup, *paths: str) -> str:
        """Return the META element of a page for the robots of a group.

        Args:
            group: One of `groups`.
            paths: A path with its query, or a URL, in each spelling that may lead to the page.

        """
        pages: PageFields = self._pages  # type: ignore[attr-defined]
        said = directives(pages.answers(group, *paths))
        return f'<meta name="robots" content="{escape(said)}">' if said else ""

    def max_age(self, now: datetime) -> int:
        """Return for how many seconds the files may be cached: never beyond a change by date."""
        if self.until is None:
            return self.policy.max_age
        left = int((self.until - now) / timedelta(seconds=1))
        return max(0, min(self.policy.max_age, left))


def render(policy: GatePolicy, *, now: datetime, host: str | None = None) -> Rendered:
    """Write every document of a policy.

    Args:
        policy: The policy.
        now: The time, for rules with dates.
        host: The host, with its port unless that is the default; by default that of `site`.

    Raises:
        WrongTypeError: `policy` is not a `GatePolicy`.
        WrongValueError: `now` has no time zone.

    """
    if not isinstance(policy, GatePolicy):
        message = f"policy must be a GatePolicy, not {type(policy).__name__}; use read_policy()"
        raise WrongTypeError(message)
    checked_time(now, "now")
    host = (host or policy.own_host).lower()
    about = [rule for rule in policy.rules if not rule.hosts or host in rule.hosts]
    rules = [rule for rule in about if rule.holds_at(now)]
    groups = groups_of(rules)
    origin = site_of(policy, host)
    licenses = license_paths(groups) if policy.rsl is not None else {}
    urls = {rules: f"{origin}{path}" for rules, path in licenses.items()}
    sitemaps = [url if not url.startswith("/") else f"{origin}{url}" for url in policy.sitemaps]
    reasons = list(dict.fromkeys(rule.why for rule in rules if rule.why))
    text = robots_txt(
        groups,
        urls,
        sitemaps,
        reasons,
        policy.use_level,
        training_token=policy.training_token,
    )
    files = {ROBOTS_TXT: ServedFile("text/plain; charset=utf-8", text)}
    offered = f"{origin}{TDM_POLICY}" if policy.tdm is not None else None
    reserved = tdmrep(groups[-1].rules.parts, policy.tdm_policy or offered)
    if reserved is not None:
        files[TDMREP] = ServedFile("application/json", reserved)
    if policy.tdm is not None and offered is not None:
        written = tdm_policy(policy.tdm, offered, origin)
        files[TDM_POLICY] = ServedFile("application/ld+json", written)
    for held, path in licenses.items():
        if policy.rsl is not None:
            files[path] = ServedFile("application/rsl+xml", rsl(held.parts, policy.rsl))
    until, changed = next_change(about, now), last_change(policy, about, now)
    return Rendered(policy, host, groups, files, until, changed, RobotsTxt(text))


def site_of(policy: GatePolicy, host: str) -> str:
    """Return the origin of a host of the policy; all have the scheme of the site."""
    scheme = policy.site.partition("://")[0]
    return f"{scheme}://{host}"


def license_paths(groups: tuple[GateGroup, ...]) -> dict[GroupRules, str]:
    """Return the path of the licence of each group that has answers on uses.

    A licence addresses nobody, so that each group names its own (RSL 1.0, section 4.4).
    """
    found: dict[GroupRules, str] = {}
    for group in groups:
        if group.rules.parts:
            name = re.sub(r"[^a-z0-9_-]", "-", group.tokens[0].lower())
            found[group.rules] = LICENSE if group.tokens == (STAR,) else f"/license-{name}.xml"
    return found


def next_change(rules: list[GateRule], now: datetime) -> datetime | None:
    """Return the next time at which a rule starts or ends."""
    times = [at for rule in rules for at in (rule.starts, rule.ends) if at is not None and at > now]
    return min(times, default=None)


def last_change(policy: GatePolicy, rules: list[GateRule], now: datetime) -> datetime | None:
    """Return when the policy last said something else; `None` if it names no such time."""
    if policy.last_modified is None:
        return None
    times = [at for rule in rules for at in (rule.starts, rule.ends) if at is not None]
    return max([policy.last_modified, *(at for at in times if at <= now)])
