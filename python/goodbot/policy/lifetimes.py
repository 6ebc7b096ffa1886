"""How long a response may be used: as HTTP says, within the limits of the dialect.

Scope: from a header and a policy dialect to a time. What the header itself says is in `freshness`.
"""

from datetime import datetime, timedelta, timezone
from typing import NamedTuple

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


class Lifetime(NamedTuple):
    """Until when a response may be used, and why."""

    until: datetime
    """The time at which to request it again."""
    freshness: Freshness | None
    """What the header says, as far as the dialect obeys it; `None` after a failure."""
    findings: tuple[Finding, ...] = ()
    """What is odd about that."""


def file_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, requested: datetime, *, keep: bool
) -> Lifetime:
    """Return the lifetime of a file.

    Args:
        policy: The policy dialect.
        fields: The fields of the response.
        now: When the response came.
        requested: When the request was sent.
        keep: Whether the dialect stores files of this size.

    Source: RFC 9309 section 2.4, or the documents of the dialect.

    """
    told = heeded_freshness(policy, fields, now, requested)
    life = stated_lifetime(told, policy.default_life) if keep else 0
    return bounded(policy, life, told, now, policy.longest_life)


def negative_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, requested: datetime
) -> Lifetime:
    """Return the lifetime of a response without a file: short, so that a new file is soon noticed.

    Source: HTTP book, chapter 9: the owner of a new robots.txt expects it to be obeyed soon.
    """
    told = heeded_freshness(policy, fields, now, requested)
    life = stated_lifetime(told, policy.negative_life)
    return bounded(policy, life, told, now, policy.negative_life)


def retry_lifetime(
    policy: PolicyDialect, fields: Fields, now: datetime, failing_since: datetime
) -> Lifetime:
    """Return the time of the next attempt: as the server says, or later the longer it has failed.

    Source: RFC 9110 section 10.2.3; without Retry-After there is no document, and goodbot waits as
    long again as requests have failed.
    """
    asked, findings = retry_after(fields, now)
    least = max(policy.first_retry, policy.shortest_life)
    if asked is None:
        wait = min(max(seconds_between(failing_since, now), least), policy.longest_retry)
    else:
        wait = min(asked, policy.longest_retry_after)
    return Lifetime(later(now, max(wait, least)), None, findings)


def retry_after(fields: Fields, now: datetime) -> tuple[float | None, tuple[Finding, ...]]:
    """Return the seconds of Retry-After; `None` if there is no valid one."""
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
    """Return what a header says about freshness, as far as the dialect obeys it."""
    return freshness(
        heeded_fields(policy, fields),
        now=now,
        requested=requested,
        shared=policy.shared,
        # If nothing is stated, the dialect has its own lifetime, and nothing is guessed.
        heuristic=False,
    )


def heeded_fields(policy: PolicyDialect, fields: Fields) -> Fields:
    """Return the fields that the dialect obeys."""
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
    """Return the seconds that remain by the header, or the default if it says nothing."""
    if told.must_validate or not told.store:
        return 0
    return default if told.lifetime is None else told.remaining


def bounded(
    policy: PolicyDialect, life: float, told: Freshness, now: datetime, longest: int | None
) -> Lifetime:
    """Return a lifetime within the dialect's limits, with a finding if it was changed."""
    # A date may be further ahead than the largest number of seconds (RFC 9111 section 1.2.2).
    longest = GREATEST_DELTA if longest is None else longest
    findings: tuple[Finding, ...]
    if life > longest:
        until, findings = later(now, longest), (finding("life-cut"),)
    elif life < policy.shortest_life:
        until, findings = later(now, policy.shortest_life), (finding("life-raised"),)
    else:
        until, findings = later(now, life), ()
    if policy.life_rule == "utc-day":
        # The day may end soon; that costs one request more, not many.
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
    """List what is odd about the fields that are about caching."""
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
