"""A slow twin of `goodbot.pace`: it looks at instant after instant, and asks each rule plainly."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import goodbot
    from goodbot.pace import Manners


@dataclass
class Past:
    """What went before."""

    ended: dt.datetime | None = None
    took: int = 0
    starts: list[dt.datetime] = field(default_factory=list)
    blocked_until: dt.datetime | None = None
    blocked_by: str = "retry-after"


def in_force(rules: goodbot.Rules, at: dt.datetime) -> goodbot.RequestRate | None:
    """Of the rates in force, that of the fewest documents per unit of time; of equals the first."""
    best = None
    for rate in rules.request_rates:
        holds = rate.window is None or rate.window.contains(at.time())
        if holds and (best is None or pace_of(rate) < pace_of(best)):
            best = rate
    return best


def pace_of(rate: goodbot.RequestRate) -> Fraction:
    """Documents per second."""
    return Fraction(rate.documents, rate.seconds)


def objections(rules: goodbot.Rules, manners: Manners, past: Past, at: dt.datetime) -> list[str]:
    """Say what forbids a visit at an instant, in the order of the table."""
    found = []
    rate = in_force(rules, at)
    slowest = max([rules.crawl_delay or 0, rate.seconds / rate.documents if rate else 0])
    if manners.patience is not None and slowest > manners.patience:
        found.append("beyond-patience")
    if past.blocked_until is not None and at < past.blocked_until:
        found.append(past.blocked_by)
    since = None if past.ended is None else Fraction((at - past.ended).total_seconds())
    if since is not None and rules.crawl_delay is not None and since < Fraction(rules.crawl_delay):
        found.append("crawl-delay")
    if since is not None and rate is not None and too_fast(rate, past, since, at):
        found.append("request-rate")
    if rules.visit_times and not any(time.contains(at.time()) for time in rules.visit_times):
        found.append("visit-time")
    stated = rate is not None or rules.crawl_delay is not None
    usual = max(Fraction(manners.factor) * past.took, Fraction(manners.default))
    if since is not None and not stated and since < usual:
        found.append("manners")
    if since is not None and since < Fraction(manners.floor):
        found.append("own-floor")
    return found


def too_fast(rate: goodbot.RequestRate, past: Past, since: Fraction, at: dt.datetime) -> bool:
    """Whether a visit now would be faster than a rate allows, by interval or by count."""
    if since * rate.documents < rate.seconds:
        return True
    recent = [start for start in past.starts if at - start < dt.timedelta(seconds=rate.seconds)]
    return len(recent) + 1 > rate.documents


def turn(  # noqa: PLR0913  all that it depends on
    rules: goodbot.Rules,
    manners: Manners,
    past: Past,
    now: dt.datetime,
    *,
    step: dt.timedelta,
    horizon: dt.timedelta,
) -> tuple[dt.datetime | None, str]:
    """Look at instant after instant; the reason is what forbade the last one in vain."""
    last = "nothing"
    at = now
    while at <= now + horizon:
        found = objections(rules, manners, past, at)
        if not found:
            return at, last
        last = found[0]
        at += step
    return None, last
