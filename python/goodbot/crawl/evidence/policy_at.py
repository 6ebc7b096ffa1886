"""The robots.txt in force at a time, and the lines that decided.

Scope: finding, for an origin and a time, the robots.txt that the store kept, and quoting its lines.
Nothing is fetched: the quoted bytes are the ones that were obeyed.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from goodbot.crawl.evidence.reading import robots_txt_answers, was_no_store
from goodbot.crawl.folder.database import Database
from goodbot.errors import WrongValueError
from goodbot.history.values_by_time import ValuesByTime
from goodbot.http.instants import to_datetime, written
from goodbot.http.quoting import shortened
from goodbot.policy import Policy
from goodbot.store import StoredPolicy

__all__ = ["PolicyAt", "QuotedLine", "policy_at", "policy_of", "stored_timeline"]

AROUND = 2
"""How many lines are quoted before and after the one that decides."""
LONGEST_LINE = 500
"""The most characters of a line that are quoted."""

Kept = TypeVar("Kept")


class QuotedLine(NamedTuple):
    """A line of robots.txt."""

    number: int
    """Its number, from 1."""
    text: str
    """Its text; bytes that are not UTF-8 become escapes such as `\\xff`."""
    decides: bool
    """Whether this line decided."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"number": self.number, "text": self.text, "decides": self.decides}


class PolicyAt(NamedTuple):
    """What was known about a site's robots.txt at a time."""

    url: str
    """The URL of robots.txt."""
    access: str
    """What followed from it: `rules`, `allow-all`, `disallow-all` or `defer`."""
    outcome: str
    """The outcome of fetching it: a name of `goodbot.policy.OUTCOMES`."""
    status: int | None
    """The status of the latest response; `None` if none came."""
    sha256: str | None
    """The SHA-256 of its bytes; `None` if there are none."""
    bytes: int | None
    """The number of bytes."""
    first: datetime
    """When it was first seen, in UTC."""
    last: datetime
    """When it was last seen before any other version, in UTC."""
    policy: Policy | None
    """The policy; `None` if the stored record has an unknown format."""

    def quoted(self, line: int | None) -> tuple[QuotedLine, ...]:
        """Quote a line with two lines before and after it; nothing if there is no such line."""
        robots_txt = None if self.policy is None else self.policy.robots_txt
        if robots_txt is None or not line:
            return ()
        lines = robots_txt.lines[max(line - 1 - AROUND, 0) : line + AROUND]
        return tuple(
            QuotedLine(one.number, decode_line(one.raw), one.number == line) for one in lines
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("url", "access", "outcome", "status", "sha256", "bytes")
        plain = {name: getattr(self, name) for name in names}
        return plain | {"first_seen": written(self.first), "last_seen": written(self.last)}


def decode_line(raw: bytes) -> str:
    """Decode a line of robots.txt for quoting, without its line ending."""
    return shortened(raw.decode("utf-8", "backslashreplace").rstrip("\r\n"), LONGEST_LINE)


def policy_of(seen: StoredPolicy) -> Policy | None:
    """Return the stored policy; `None` if the record has an unknown format."""
    try:
        return Policy.from_record(seen.record)
    except WrongValueError:
        return None


def policy_at(database: Database, origin: str, at: datetime) -> PolicyAt | None:
    """Return what is stored about an origin's robots.txt at a time; `None` if nothing is.

    Source: RFC 9111 section 5.2.2.5: a robots.txt with no-store is obeyed but not stored.

    Args:
        database: The file of the crawl.
        origin: The origin.
        at: The time, an aware `datetime`.

    """
    seen = None if was_no_store(database, origin, at) else database.store.in_force(origin, at)
    if seen is None:
        return None
    policy, copy = policy_of(seen), seen.record.get("copy") or {}
    body = copy.get("body")
    return PolicyAt(
        url=str(seen.record.get("url", "")),
        access=str(seen.record.get("access", "")),
        outcome=str(seen.record.get("outcome", "")),
        status=seen.record.get("status"),
        sha256=seen.sha256,
        bytes=None if body is None else len(body),
        first=seen.first,
        last=seen.last,
        policy=policy,
    )


def stored_timeline(
    database: Database, origin: str, keep: Callable[[StoredPolicy], Kept]
) -> ValuesByTime[datetime, Kept | None]:
    """Return what is kept of each robots.txt of an origin that was in force; `None` of one that
    was not stored.

    Args:
        database: The file of the crawl.
        origin: The origin.
        keep: Returns what to keep of a robots.txt. The policies of all versions could take any
            amount of memory.

    Source: RFC 9111 section 5.2.2.5: a robots.txt with no-store is obeyed but not stored.

    """  # noqa: D205  one sentence
    stored = ValuesByTime.of((one.first, keep(one)) for one in database.store.history(origin))
    changes: list[tuple[datetime, Kept | None]] = [*zip(stored.times, stored.values, strict=True)]
    is_kept = True
    for ended, no_store in robots_txt_answers(database, origin):
        at = to_datetime(ended)
        if at is not None and not (is_kept and not no_store):
            is_kept = not no_store
            # A file that is seen again has no new entry: the existing one continues.
            changes.append((at, stored.at(at) if is_kept else None))
    return ValuesByTime.of(changes)
