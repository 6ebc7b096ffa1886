"""How long an answer lives: what HTTP says, within what the dialect takes.

What may live here: from a header and a policy dialect to a time. What the header says by itself is
in `freshness`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from goodbot._core import Finding
from goodbot.http.cache_control import GREATEST_DELTA, cache_control, delta_seconds
from goodbot.http.dates import http_date
from goodbot.http.fields import Fields, first, values_of
from goodbot.http.freshness import Freshness, freshness
from goodbot.http.instants import SECOND, instant, later, seconds_between
from goodbot.http.retry_after import retry_instant
from goodbot.policy.dialects import PolicyDialect
from goodbot.policy.finding_codes import finding

__all__ = ["Lifetime", "file_lifetime", "header_findings", "negative_lifetime", "retry_lifetime"]

AGEING = {"age", "date"}


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Until when an answer holds, and why so long."""

    until: datetime
    """The time at which it is to be asked for again."""
    freshness: Freshness | None
    """What the header says, as far as the dialect heeds it; `None` where a time of retry rules."""
    findings: tuple[Finding, ...] = ()
    """What is odd about that."""


def file_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, requested: datetime, *, keep: bool
) -> Lifetime:
    """Give the life of a file.

    Args:
        policy: The policy dialect.
        fields: The fields of the answer.
        now: When the answer came.
        requested: When it was asked for.
        keep: Whether the dialect keeps files of this size.

    Source: RFC 9309 section 2.4, or the documents of the dialect.

    """
    told = heeded_freshness(policy, fields, now, requested)
    life = stated_lifetime(told, policy.default_life) if keep else 0
    return bounded(policy, life, told, now, policy.longest_life)


def negative_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, requested: datetime
) -> Lifetime:
    """Give the life of an answer that is no file: short, so that a new file is soon seen.

    Source: HTTP book, chapter 9: whoever puts up a robots.txt waits for it to be heeded.
    """
    told = heeded_freshness(policy, fields, now, requested)
    life = min(stated_lifetime(told, policy.negative_life), policy.negative_life)
    return bounded(policy, life, told, now, None)


def retry_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, failing_since: datetime
) -> Lifetime:
    """Give the time of the next attempt: when the server says, or later the longer it has failed.

    Source: RFC 9110 section 10.2.3; without Retry-After no document, so goodbot waits as long again
    as it has failed already.
    """
    asked, findings = retry_after(fields, now)
    least = max(policy.first_retry, policy.shortest_life)
    if asked is None:
        wait = min(max(seconds_between(failing_since, now), least), policy.longest_retry)
    else:
        wait = min(asked, policy.longest_retry_after)
    return Lifetime(later(now, max(wait, least)), None, findings)


def retry_after(fields: Fields, now: datetime) -> tuple[float | None, tuple[Finding, ...]]:
    """Return the seconds that Retry-After says; `None` if it says nothing that counts."""
    value = first(fields, "retry-after")
    if value is None:
        return None, ()
    here = instant(now, "now")
    at = retry_instant(value, here)
    if at is None:
        return None, (finding("bad-retry-after", value),)
    return (at - here) / SECOND, ()


def heeded_freshness(
    policy: PolicyDialect, fields: Fields, now: datetime, requested: datetime
) -> Freshness:
    """Tell what a header says of freshness, as far as the dialect heeds it."""
    return freshness(
        heeded_fields(policy, fields),
        now=now,
        requested=requested,
        shared=policy.shared,
        # Where nothing is stated the dialect has a life of its own, and nothing is guessed.
        heuristic=False,
    )


def heeded_fields(policy: PolicyDialect, fields: Fields) -> Fields:
    """Give the fields that the dialect heeds."""
    if "cache-control" in policy.heeds:
        dropped = set() if "expires" in policy.heeds else {"expires"}
        return tuple(line for line in fields if line[0] not in dropped)
    names = AGEING | ({"expires"} & set(policy.heeds))
    kept = tuple(line for line in fields if line[0] in names)
    control = cache_control(values_of(fields, "cache-control"))
    if "max-age" in policy.heeds and (control.max_age is not None or "max-age" in control.invalid):
        number = "" if control.max_age is None else control.max_age
        return (*kept, ("cache-control", f"max-age={number}"))
    return kept


def stated_lifetime(told: Freshness, default: float) -> float:
    """Give the seconds that a header leaves, or the default where it says nothing."""
    if told.must_validate or not told.store:
        return 0
    return default if told.lifetime is None else told.remaining


def bounded(
    policy: PolicyDialect, life: float, told: Freshness, now: datetime, longest: int | None
) -> Lifetime:
    """Put a life within the dialect's bounds, and say so."""
    # A date may be further off than the greatest number of seconds (RFC 9111 section 1.2.2).
    longest = GREATEST_DELTA if longest is None else longest
    findings: tuple[Finding, ...]
    if life > longest:
        until, findings = later(now, longest), (finding("life-cut"),)
    elif life < policy.shortest_life:
        until, findings = later(now, policy.shortest_life), (finding("life-raised"),)
    else:
        until, findings = later(now, life), ()
    if policy.life_rule == "utc-day":
        # The day ends when it ends, however near that is: that is one request more, not many.
        until = min(until, next_day(now))
    return Lifetime(until, told, findings)


def next_day(now: datetime) -> datetime:
    """Return the end of the UTC day."""
    try:
        tomorrow = now + timedelta(days=1)
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc)
    return tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)


def header_findings(fields: Fields, now: datetime) -> list[Finding]:
    """List what is odd about the fields that bear on keeping an answer."""
    found = []
    for name in ("date", "expires", "last-modified"):
        value = first(fields, name)
        if value is not None and http_date(value, now=now) is None:
            found.append(finding("bad-date", f"{name}: {value}"))
    control = cache_control(values_of(fields, "cache-control"))
    found += [finding("bad-cache-control", name) for name in control.invalid]
    age = first(fields, "age")
    if age is not None and delta_seconds(age.partition(",")[0].strip()) is None:
        found.append(finding("bad-age", age))
    if control.no_store and not control.must_understand:
        found.append(finding("no-store"))
    varies = ", ".join(values_of(fields, "vary"))
    if varies and varies.lower() != "accept-encoding":
        found.append(finding("varies", varies))
    return found
