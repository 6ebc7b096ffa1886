"""A policy of a site: what its owner declares, once, for every document.

Scope: the records and their checks. `policy_toml` reads them; `rendered` writes documents.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from goodbot.bots import by_operator, by_purpose
from goodbot.bots.family import tokens_of
from goodbot.bots.user_agents import known
from goodbot.content_use.statement import USES, Use
from goodbot.content_use.use_level import USE_LEVELS
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.files.toml_input import wrong
from goodbot.http.instants import checked_time
from goodbot.http.quoting import shortened
from goodbot.http.request_target import plain_path
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.client_address import SOCKET
from goodbot.site.gate.license_offers import RslNotice, TdmOffer
from goodbot.site.gate.path_patterns import normal_pattern
from goodbot.site.gate.policy_checks import checked_host, checked_url, texts

__all__ = ["Enforcement", "GatePolicy", "GateRule"]

TOKEN = re.compile(r"[A-Za-z_-]+")
"""A product token (RFC 9309 section 2.2.1)."""
ROBOTS_TXT = "/robots.txt"
MOST_RULES = 1_000
"""The most rules of a policy."""
MOST_SECONDS = 86_400
"""The longest delay and the longest `max_age`: a day (RFC 9309 section 2.4)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateRule:
    """One rule: for whom, where and when, and what holds then.

    >>> GateRule(purposes=("ai-training",), fetch=False).is_for_everyone
    False

    A rule for no robots, purposes and operators is for everyone; one without paths is about the
    whole site.
    """

    robots: tuple[str, ...] = ()
    """Names of robots, such as `GPTBot`; `*` is everyone."""
    purposes: tuple[str, ...] = ()
    """Purposes of robots, words of `goodbot.bots.PURPOSES`."""
    operators: tuple[str, ...] = ()
    """Operators of robots, such as `OpenAI`."""
    paths: tuple[str, ...] = ()
    """Path patterns, as in robots.txt. An empty tuple is the whole site."""
    hosts: tuple[str, ...] = ()
    """The hosts for which the rule holds; empty for all."""
    fetch: bool | None = None
    """Whether the paths may be fetched; `None` if the rule does not say."""
    delay: float | None = None
    """The seconds between two requests of one robot."""
    uses: Mapping[Use, bool] = field(default_factory=dict)
    """For each use that the rule states, whether it is allowed. `search` includes `preview` unless
    that is stated, because excerpts are part of search (draft-ietf-aipref-vocab, Search)."""
    starts: datetime | None = None
    """The time from which the rule holds; `None` for always."""
    ends: datetime | None = None
    """The time from which the rule no longer holds."""
    why: str = ""
    """The reason, which becomes a comment in robots.txt."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value, and bring paths and uses into their normal form."""
        check_rule(self, "rule")

    def __hash__(self) -> int:
        """Return a hash; uses are a mapping."""
        return hash((self.robots, self.purposes, self.operators, self.paths, self.fetch))

    @property
    def is_for_everyone(self) -> bool:
        """Whether the rule is for all robots."""
        return "*" in self.robots or not (self.robots or self.purposes or self.operators)

    def holds_at(self, now: datetime) -> bool:
        """Return whether the rule holds at a time."""
        return (self.starts is None or self.starts <= now) and (
            self.ends is None or now < self.ends
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Enforcement:
    """What a middleware does beside telling: by default nothing."""

    access: bool = False
    """Whether verified robots get 403 for what robots.txt disallows them."""
    delay: bool = False
    """Whether robots that are known to read delays get 429 if they come too early."""
    spoofed: Literal["allow", "refuse"] = "allow"
    """What becomes of requests under the name of a robot from addresses that are not its own:
    `allow`, or `refuse` with 403."""
    signatures: bool = False
    """Whether a request that is signed with a key of the robot which it names is verified, whatever
    its address is. Its keys are fetched beside the requests."""
    fail: Literal["open", "closed"] = "open"
    """What becomes of a request if the gate itself fails: it passes (`open`), or gets 503
    (`closed`)."""
    proxies: tuple[str, ...] = ()
    """Addresses and prefixes of proxies that may name the address of a client; `unix` for a proxy
    that connects through a Unix socket."""
    client_header: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for"
    """The header field in which they name it."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        for name in ("access", "delay", "signatures"):
            if not isinstance(getattr(self, name), bool):
                message = f"enforce: {name} must be true or false"
                raise WrongTypeError(message)
        one_of("spoofed", self.spoofed, ("allow", "refuse"))
        one_of("fail", self.fail, ("open", "closed"))
        one_of("client-header", self.client_header, ("x-forwarded-for", "forwarded"))
        object.__setattr__(self, "proxies", texts("proxies", self.proxies, "enforce"))
        check_prefixes(self.proxies)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GatePolicy:
    """What the owner of a site declares to robots; everything else is written from it.

    >>> rule = GateRule(paths=("/x",), fetch=False, hosts=("shop.example.com",))
    >>> GatePolicy(site="https://example.com", rules=(rule,)).hosts
    ('example.com', 'shop.example.com')
    """

    site: str
    """The origin of the site, such as `https://example.com`, for absolute URLs."""
    rules: tuple[GateRule, ...] = ()
    """The rules, in any order: fewer robots before more, then the longest path."""
    max_age: int = 3_600
    """The seconds for which robots.txt and the other files may be cached."""
    last_modified: datetime | None = None
    """When the policy was changed, for the header field of that name."""
    sitemaps: tuple[str, ...] = ()
    """URLs of sitemaps, or paths."""
    tdm_policy: str | None = None
    """The URL of a policy for text and data mining (TDMRep, tdm-policy) that is served elsewhere;
    `tdm` is for one that the gate writes."""
    tdm: TdmOffer | None = None
    """The policy for text and data mining that is written for `/tdm-policy.json`."""
    use_level: Literal["immediate", "reference", "full"] | None = None
    """The level up to which AI systems may use the content of the site (Content-Signal, `use`)."""
    training_token: bool = True
    """Whether robots.txt states what is reserved from training in a group for the shared training
    token, too, whose draft is unverified."""
    rsl: RslNotice | None = None
    """Whether licences in RSL are served, and what they say beside uses; `None` for none."""
    enforce: Enforcement = field(default_factory=Enforcement)
    """What a middleware does beside telling."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        check_policy(self)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts for which robots.txt is written: that of the site, and those of rules."""
        named = (host for rule in self.rules for host in rule.hosts)
        return tuple(dict.fromkeys((self.own_host, *named)))

    @property
    def own_host(self) -> str:
        """The host of the site, with its port if it has one."""
        return self.site.partition("://")[2]


def check_policy(policy: GatePolicy) -> None:
    """Check the values of a policy.

    Raises:
        WrongTypeError: A value has the wrong type.
        WrongValueError: A value is invalid; the message says what to write.

    """
    checked_url(policy.site, "site")
    scheme, _, rest = policy.site.partition("://")
    authority, _, path = rest.partition("/")
    if path:
        message = (
            f"{policy.site[:60]!r} has a path; a policy is for a whole site, so omit what is "
            "behind the host"
        )
        raise wrong(message=message, place="site")
    host = checked_host(authority, "site")
    object.__setattr__(policy, "site", f"{scheme.lower()}://{host}")
    if not isinstance(policy.max_age, int) or not 0 <= policy.max_age <= MOST_SECONDS:
        message = f"max-age: write whole seconds from 0 to {MOST_SECONDS:,}, a day"
        raise WrongValueError(message)
    if policy.last_modified is not None:
        checked_time(policy.last_modified, "last-modified")
    for url in texts("sitemaps", policy.sitemaps, "policy"):
        checked_url(url if not url.startswith("/") else policy.site + url, "sitemaps")
    if policy.tdm_policy is not None:
        checked_url(policy.tdm_policy, "tdm-policy")
    if policy.tdm is not None and policy.tdm_policy is not None:
        message = "tdm-policy and [tdm] both name a policy; remove one of them"
        raise WrongValueError(message)
    if policy.use_level not in {None, *USE_LEVELS}:
        message = f"use-level: write one of {', '.join(USE_LEVELS)}"
        raise WrongValueError(message)
    if not isinstance(policy.training_token, bool):
        message = "training-token: write true or false"
        raise WrongTypeError(message)
    object.__setattr__(policy, "rules", tuple(policy.rules))
    object.__setattr__(policy, "sitemaps", tuple(policy.sitemaps))
    if len(policy.rules) > MOST_RULES:
        message = f"policy: it has more than {MOST_RULES:,} rules; name several robots in one"
        raise WrongValueError(message)
    if not all(isinstance(rule, GateRule) for rule in policy.rules):
        message = (
            "rules must be GateRule objects; write GateRule(paths=('/private/',), fetch=False)"
        )
        raise WrongTypeError(message)
    check_offers(policy)
    for number, rule in enumerate(policy.rules, 1):
        if policy.rsl and rule.uses.get("search") != rule.uses.get("preview"):
            message = "RSL has one word for search and preview; answer both alike, or omit [rsl]"
            place = f"rule {number}"
            raise wrong(place, message)


def check_offers(policy: GatePolicy) -> None:
    """Refuse an offer of a licence for what no rule reserves.

    Raises:
        WrongTypeError: An offer has the wrong type.
        WrongValueError: No rule reserves the use; the message says what to write.

    """
    if policy.tdm is not None and not isinstance(policy.tdm, TdmOffer):
        message = "tdm must be a TdmOffer; write TdmOffer(holder='Example Media', url='https://…')"
        raise WrongTypeError(message)
    if policy.rsl is not None and not isinstance(policy.rsl, RslNotice):
        message = "rsl must be an RslNotice; write RslNotice(copyright='Example Media')"
        raise WrongTypeError(message)
    reserved = {use for rule in policy.rules for use, answer in rule.uses.items() if not answer}
    offers = policy.rsl.offers if policy.rsl is not None else ()
    offered: list[tuple[Use, str]] = [(use, "rsl.offer") for one in offers for use in one.uses]
    offered += [("train", "tdm")] if policy.tdm is not None else []
    for use, place in offered:
        if use not in reserved:
            message = (
                f"it offers a licence to {use}, which no rule reserves; write uses.{use} = false "
                "in a rule, or remove the offer"
            )
            raise wrong(place, message)


def check_rule(rule: GateRule, place: str) -> None:
    """Check the values of a rule.

    Raises:
        WrongTypeError: A value has the wrong type.
        WrongValueError: A value is invalid; the message says what to write.

    """
    for name in ("robots", "purposes", "operators", "paths", "hosts"):
        object.__setattr__(rule, name, texts(name, getattr(rule, name), place))
    object.__setattr__(rule, "paths", tuple(checked_path(one, place) for one in rule.paths))
    object.__setattr__(rule, "hosts", tuple(checked_host(one, place) for one in rule.hosts))
    by_purpose(*rule.purposes)
    for operator in rule.operators:
        by_operator(operator)
    for name in rule.robots:
        check_robot(name, place)
    if rule.fetch is not None and not isinstance(rule.fetch, bool):
        raise wrong(place, "write fetch = true or fetch = false")
    check_delay(rule, place)
    object.__setattr__(rule, "uses", checked_uses(rule.uses, place))
    for name, at in (("starts", rule.starts), ("ends", rule.ends)):
        if at is not None:
            checked_time(at, name)
    if rule.starts and rule.ends and rule.ends <= rule.starts:
        raise wrong(place, "it ends before it starts; exchange the two dates")
    if rule.fetch is None and rule.delay is None and not rule.uses:
        raise wrong(place, "it says nothing; add fetch = false, delay = 10 or uses.train = false")
    if rule.why:
        texts("why", (rule.why,), place)


def checked_path(path: str, place: str) -> str:
    """Return a path pattern in its normal spelling; refuse those that are served as robots.txt.

    Source: HTTP book, chapter 9, The Disallow and Allow lines; RFC 9309 section 2.2.2.
    """
    pattern = normal_pattern(path, place)
    if plain_path(pattern.removesuffix("$")) == ROBOTS_TXT:
        message = f"{ROBOTS_TXT} may always be fetched, and no rule may name it"
        raise wrong(place, f"{message}; remove {shortened(path, 60)!r} from the paths")
    return pattern


def check_delay(rule: GateRule, place: str) -> None:
    """Check the delay of a rule: a delay is a robot's, not a path's."""
    if rule.delay is None:
        return
    number = isinstance(rule.delay, int | float) and not isinstance(rule.delay, bool)
    if not number or not 0 < rule.delay <= MOST_SECONDS:
        raise wrong(place, f"delay must be seconds, above 0 and at most {MOST_SECONDS:,}")
    if rule.paths:
        raise wrong(place, "a delay is for the whole site; move it to a rule without paths")


def check_robot(name: str, place: str) -> None:
    """Refuse a name that no group of a robots.txt can have."""
    robot = known(name)
    if robot is not None and not tokens_of(robot):
        message = f"{robot.name} obeys no group of a robots.txt, so that no rule can name it"
        raise wrong(place, f"{message}; remove it")
    if name == "*" or robot is not None or TOKEN.fullmatch(name):
        return
    shown = name[:60]
    message = f"{shown!r} is no known robot, and no product token of letters, - and _"
    raise wrong(place, f"{message}; 'goodbot bots' lists the known ones")


def checked_uses(uses: Any, place: str) -> dict[Use, bool]:  # noqa: ANN401  what a caller passes
    """Return the uses of a rule; an answer on search is one on previews, unless that is stated."""
    if not isinstance(uses, Mapping):
        raise wrong(place, "uses must be a table; write uses.train = false")
    for use, answer in uses.items():
        if use not in USES:
            raise wrong(place, f"there is no use {str(use)[:40]!r}; the uses are {', '.join(USES)}")
        if not isinstance(answer, bool):
            raise wrong(place, f"write uses.{use} = true or uses.{use} = false")
    found = dict(uses)
    if "search" in found:
        found.setdefault("preview", found["search"])
    return {use: found[use] for use in USES if use in found}


def one_of(name: str, value: object, words: tuple[str, ...]) -> None:
    """Refuse a value that is none of some words."""
    if value not in words:
        message = f"enforce: {name} must be {' or '.join(words)}, not {str(value)[:40]!r}"
        raise WrongValueError(message)


def check_prefixes(prefixes: tuple[str, ...]) -> None:
    """Refuse a proxy that is neither an address nor a prefix."""
    import ipaddress  # noqa: PLC0415  only policies with proxies need it

    for one in prefixes:
        if one == SOCKET:
            continue
        try:
            ipaddress.ip_network(one, strict=False)
        except ValueError as error:
            cure = "write '10.0.0.0/8', '::1' or 'unix'"
            message = f"enforce: the proxy {one[:60]!r} is no address; {cure}"
            raise WrongValueError(message) from error
