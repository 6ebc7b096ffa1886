"""Decisions of a robot's operator: which sites and URLs are blocked or paused, and why.

Scope: from a decision to its verdicts. A store keeps the decisions (`goodbot.store.HoldKeeper`);
there is no clock and no disk here.
"""

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any, Literal

from goodbot._core import Verdict
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.grounds import Grounds
from goodbot.http.address import Address, address_of
from goodbot.http.instants import instant, written
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.decide import is_answer

__all__ = ["ASSUMED", "BLOCKED", "HOLD_REASONS", "PAUSED", "Hold", "HoldKind", "HoldList"]

HoldKind = Literal["block", "pause"]

BLOCKED = "operator-block"
PAUSED = "operator-pause"
ASSUMED = "operator-assumed"

HOLD_REASONS = {
    BLOCKED: "The operator of the robot has blocked the URL or its site; no request was made.",
    PAUSED: "The operator of the robot has paused the site; no request was made.",
    ASSUMED: "The operator of an import assumes that the capture was allowed, because no "
    "robots.txt of its time is in the files.",
}
"""The reasons that come from decisions of the operator, each with its meaning."""

REASON_OF: dict[str, str] = {"block": BLOCKED, "pause": PAUSED}
SAID = {"block": "blocked", "pause": "paused"}
MOST_CHARACTERS = 500
"""The longest text of an operator."""


@dataclass(frozen=True, slots=True, repr=False)
class Hold:
    """One decision of the operator: a block, which is permanent, or a pause.

    >>> hold = Hold.of("https://a.example/", "block", why="they asked us", by="ada", at=datetime(
    ...     2026, 1, 1, tzinfo=timezone.utc))
    >>> hold.covers("https://a.example/any/page"), hold.covers("https://b.example/")
    (True, False)
    >>> print(hold)
    https://a.example was blocked on 2026-01-01 by ada: they asked us
    """

    scope: str
    """An origin, the URL of a page, or, with a `*` at the end, all URLs that begin like that."""
    kind: HoldKind
    why: str
    """The operator's reason."""
    by: str
    """Who decided; empty if unknown."""
    at: datetime
    """When, in UTC."""

    __repr__ = short_repr

    @classmethod
    def of(cls, place: str, kind: HoldKind, *, why: str, by: str = "", at: datetime) -> "Hold":
        """Make a decision about a place.

        Args:
            place: An origin or the URL of its first page, for the whole site; another URL, for
                that page, or with a `*` at the end for all URLs that begin like that.
            kind: `block` or `pause`; only a whole site can be paused.
            why: The reason.
            by: Who decides.
            at: When: an aware `datetime`.

        Raises:
            NoOriginError: The place is not an absolute URL of http or https.
            WrongTypeError: An argument has the wrong type.
            WrongValueError: The reason is empty, `at` is naive, or a pause is not for a whole site.

        """
        for name, value in (("why", why), ("by", by)):
            if not isinstance(value, str):
                message = f"{name} must be a str, not {type(value).__name__}"
                raise WrongTypeError(message)
        if kind == "block" and not why.strip():
            message = "a block needs a reason, for anyone who finds it later; pass {why}"
            raise WrongValueError(message, {"why": "why="})
        origin, scope = scope_of(place)
        if kind == "pause" and scope != origin:
            message = f"only a whole site can be paused; pause {origin}, or block {scope}"
            raise WrongValueError(message)
        instant(at, "at")
        return cls(scope, kind, line_of(why), line_of(by), at.astimezone(timezone.utc))

    @property
    def origin(self) -> str:
        """The origin that it applies to."""
        return address_of(self.scope)[0]

    @property
    def reason(self) -> str:
        """The reason of its verdicts, one of `HOLD_REASONS`."""
        return REASON_OF[self.kind]

    def covers(self, url: str) -> bool:
        """Whether it applies to a URL, which is in its normal form or an origin."""
        origin, normal = address_of(url)
        if self.scope.endswith("*"):
            return normal.startswith(self.scope[:-1])
        return self.scope in {origin, normal}

    def __str__(self) -> str:
        """Return it as a sentence without a full stop."""
        who = f" by {self.by}" if self.by else ""
        why = f": {self.why}" if self.why else ""
        return f"{self.scope} was {SAID[self.kind]} on {self.at:%Y-%m-%d}{who}{why}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "scope": self.scope,
            "kind": self.kind,
            "why": self.why,
            "by": self.by,
            "at": written(self.at),
        }

    def verdict(self, url: str, robot: str, dialect: str = "") -> Verdict:
        """Return the verdict on a URL that it applies to: disallowed."""
        grounds = Grounds(
            robot,
            dialect,
            access="disallow-all",
            policy_reason=self.reason,
            said=str(self),
            is_answer=is_answer("disallow-all", self.reason),
        )
        return grounds.state(url, self.reason)


class HoldList:
    """All current decisions, by origin.

    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> holds = HoldList([Hold.of("https://a.example/private*", "block", why="theirs", at=at)])
    >>> holds.find("https://a.example", "https://a.example/private/1").reason
    'operator-block'
    >>> holds.find("https://a.example", "https://a.example/") is None
    True
    """

    def __init__(self, holds: Iterable[Hold] = ()) -> None:
        """Sort them by origin; if several apply to one URL, a block comes before a pause."""
        self._by_origin: dict[str, list[Hold]] = {}
        for one in sorted(holds, key=lambda hold: hold.kind):
            self._by_origin.setdefault(one.origin, []).append(one)
        self.is_empty = not self._by_origin
        """Whether there is no decision at all."""

    def has(self, origin: str) -> bool:
        """Return whether there is a decision about an origin or a URL of it."""
        return without_root(origin) in self._by_origin

    def find(self, origin: str, url: str) -> Hold | None:
        """Return the decision about a URL; `None` if there is none."""
        held = without_root(origin)
        there = self._by_origin.get(held)
        if there is None:
            return None
        named = url if held == origin else held + url[len(origin) :]
        return next((one for one in there if one.covers(named)), None)


def scope_of(place: str) -> Address:
    """Return the origin of a place, and the scope of a decision about it.

    >>> scope_of("https://A.example:443/")
    ('https://a.example', 'https://a.example')
    >>> scope_of("https://a.example/b/../c*")
    ('https://a.example', 'https://a.example/c*')
    """
    origin, url = address_of(place)
    held = without_root(origin)
    return held, held if url == f"{origin}/" else held + url[len(origin) :]


def without_root(origin: str) -> str:
    """Return an origin without the dot of the root at the end of its host: that is the same site.

    >>> without_root("https://a.example.:8443"), without_root("https://a.example")
    ('https://a.example:8443', 'https://a.example')

    Source: RFC 3986 section 3.2.2 (a name that ends with a dot).
    """
    return origin[:-1] if origin.endswith(".") else origin.replace(".:", ":")


def line_of(text: str) -> str:
    """Return an operator's text as one line of bounded length."""
    return " ".join(text.split())[:MOST_CHARACTERS]
