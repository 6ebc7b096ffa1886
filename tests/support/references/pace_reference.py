"""A slow reference for `goodbot.pace`: it checks each rule at instant after instant."""

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
    """What has happened so far."""

    ended: dt.datetime | None = None
    took: int = 0
    starts: list[dt.datetime] = field(default_factory=list)
    blocked_until: dt.datetime | None = None
    blocked_by: str = "retry-after"
    size: int = 0
    answer: int = 0


def in_force(
    rules: goodbot.Rules, at: dt.datetime
) -> tuple[goodbot.RequestRate | None, goodbot.RequestRate | None]:
    """Return the rate in force, and the one that may also be in force.

    A rate with times applies between its times; otherwise the rates without times apply. Of
    several, the one with the fewest documents per unit of time applies; of equals, the first.
    """
    timed, untimed, doubtful = [], [], []
    for rate in rules.request_rates:
        if rate.window is not None and not rate.window.contains(at.time()):
            continue
        if rate.doubtful:
            doubtful.append(rate)
        elif rate.window is not None:
            timed.append(rate)
        else:
            untimed.append(rate)
    return (
        min(timed or untimed, key=pace_of, default=None),
        min(doubtful, key=pace_of, default=None),
    )


def pace_of(rate: goodbot.RequestRate) -> Fraction:
    """Return the documents per second."""
    return Fraction(rate.documents, rate.seconds)


def objections(rules: goodbot.Rules, manners: Manners, past: Past, at: dt.datetime) -> list[str]:
    """Return what forbids a visit at an instant, in the order of the table."""
    found = []
    rate, beside = in_force(rules, at)
    rates = [one for one in (rate, beside) if one is not None]
    slowest = max([rules.crawl_delay or 0, *(one.seconds / one.documents for one in rates)])
    if manners.patience is not None and slowest > manners.patience:
        found.append("beyond-patience")
    if past.blocked_until is not None and at < past.blocked_until:
        found.append(past.blocked_by)
    since = None if past.ended is None else Fraction((at - past.ended).total_seconds())
    if since is not None and rules.crawl_delay is not None and since < Fraction(rules.crawl_delay):
        found.append("crawl-delay")
    if since is not None and any(too_fast(one, past, since, at) for one in rates):
        found.append("request-rate")
    if rules.visit_times and not any(time.contains(at.time()) for time in rules.visit_times):
        found.append("visit-time")
    if not within(manners.hours, at):
        found.append("own-hours")
    delay = rules.crawl_delay
    stated = (rate is not None and rate.documents <= rate.seconds * 10) or (
        delay is not None and delay >= 0.1
    )
    usual = max(Fraction(manners.factor) * past.took, Fraction(manners.default))
    if since is not None and not stated and since < usual:
        found.append("manners")
    return found + own_limits(manners, past, at)


def own_limits(manners: Manners, past: Past, at: dt.datetime) -> list[str]:
    """Return which of the robot's own limits forbid a visit, whatever the site asks for."""
    since = None if past.ended is None else Fraction((at - past.ended).total_seconds())
    found = []
    if since is not None and since < Fraction(manners.factor) * past.answer * manners.adaptive:
        found.append("slow-server")
    if is_above_bandwidth(manners, past, at):
        found.append("bandwidth")
    if since is not None and since < Fraction(manners.floor):
        found.append("own-floor")
    return found


def is_above_bandwidth(manners: Manners, past: Past, at: dt.datetime) -> bool:
    """Return whether the last answer had more bytes than the bandwidth allows by an instant."""
    if manners.bytes_per_second is None or not past.starts:
        return False
    passed = Fraction((at - max(past.starts)).total_seconds())
    return passed * Fraction(manners.bytes_per_second) < past.size


def within(hours: str, at: dt.datetime) -> bool:
    """Return whether an instant lies in one of the robot's own windows."""
    time = f"{at:%H:%M}"
    for window in hours.split(",") if hours else ():
        first, _, end = window.strip().partition("-")
        if first < end and first <= time < end:
            return True
        if first > end and (time >= first or time < end):
            return True
    return not hours


def too_fast(rate: goodbot.RequestRate, past: Past, since: Fraction, at: dt.datetime) -> bool:
    """Return whether a visit now would be faster than a rate allows, by interval or by count."""
    if since * rate.documents < rate.seconds:
        return True
    recent = [start for start in past.starts if at - start < dt.timedelta(seconds=rate.seconds)]
    return len(recent) + 1 > rate.documents


def turn(
    rules: goodbot.Rules,
    manners: Manners,
    past: Past,
    now: dt.datetime,
    *,
    step: dt.timedelta,
    horizon: dt.timedelta,
) -> tuple[dt.datetime | None, str]:
    """Check instant after instant; the reason is what forbade the last one that failed."""
    last = "nothing"
    at = now
    while at <= now + horizon:
        found = objections(rules, manners, past, at)
        if not found:
            return at, last
        last = found[0]
        at += step
    return None, last


# The back-off.

OVERLOADED = {429, 503, 529}
OF_THE_DOCUMENT = {"bad-encoding", "too-large"}


def kind_of(status: int | None, failure: str = "") -> str:
    """Classify what a visit says about the site: `fine`, `document`, `failure` or `overload`."""
    if failure in OF_THE_DOCUMENT:
        return "document"
    if status in OVERLOADED:
        return "overload"
    return "failure" if status is None or status >= 500 else "fine"


def back_off(past: list[tuple[str, str]], threshold: int) -> int:
    """Return the step of the back-off after these visits, each a URL and a kind.

    Everything is computed from the whole list.
    """
    step = 0
    for number, (_, kind) in enumerate(past):
        if kind == "fine":
            step = max(step - 1, 0)
        if kind == "overload" or (
            kind == "failure" and len(began_to_fail(past[: number + 1])) >= threshold
        ):
            step += 1
    return step


def began_to_fail(past: list[tuple[str, str]]) -> list[str]:
    """Return the URLs that began to fail since the last successful visit."""
    last = max((n for n, (_, kind) in enumerate(past) if kind == "fine"), default=-1)
    return [
        url
        for n, (url, kind) in enumerate(past)
        if n > last and kind in {"failure", "overload"} and not failed_last(past[:n], url)
    ]


def failed_last(past: list[tuple[str, str]], url: str) -> bool:
    """Return whether the last visit to a URL failed."""
    kinds = [kind for other, kind in past if other == url and kind != "document"]
    return bool(kinds) and kinds[-1] != "fine"
