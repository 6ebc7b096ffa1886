"""From when until when a log has the requests of a site, whatever single lines say.

Scope: decides, from counts by day. A machine with a wrong clock writes lines of 1970 or of another
year; if one of them said when the log begins, all that is not known would seem to be known. The
order of the lines has no influence, and a doubt makes the log begin later, which is better for
robots.

>>> from goodbot.site.audit.log_span import DayCount, log_span
>>> from goodbot.http.instants import DAY
>>> days = {0: DayCount(1, 0, 0), 20_000: DayCount(9, 20_000 * DAY, 20_000 * DAY + 5)}
>>> found = log_span(days)
>>> found.begins // DAY, found.requests, found.outside
(20000, 9, 1)
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

LONGEST_PAUSE = 92
"""After so many days without a request, what follows is not of the same log."""
FEWEST = 1_000
"""Of so many requests, one before a day without any is no beginning."""


class DayCount(NamedTuple):
    """The requests of one day, in UTC."""

    requests: int
    first: int
    """The time of the earliest, in microseconds since 1970."""
    last: int
    """The time of the latest."""


class LogSpan(NamedTuple):
    """From when until when a log has all requests, as far as its lines show."""

    begins: int
    """The first time, in microseconds since 1970."""
    ends: int
    """The last time."""
    requests: int
    """How many requests are within."""
    outside: int
    """How many are not, by their times."""


def log_span(days: Mapping[int, DayCount]) -> LogSpan | None:
    """Return from when until when a log has all requests; `None` if it has none.

    Times that are more than 92 days apart from those of most requests do not count. Nor do the
    earliest ones, as long as less than one in 1,000 requests comes before a day without any.

    Args:
        days: The requests by day: the number of days since 1970, in UTC.

    """
    if not days:
        return None
    groups = runs(days, LONGEST_PAUSE)
    sizes = [sum(days[day].requests for day in group) for group in groups]
    # Of several that are as large, the last one: the log then begins later.
    size, main = max(zip(sizes, groups, strict=True), key=lambda pair: (pair[0], pair[1][0]))
    skipped, kept = 0, main
    for run in runs(main, 1):
        skipped += sum(days[day].requests for day in run)
        if skipped * FEWEST >= size:
            break
        kept = kept[len(run) :]
    within = sum(days[day].requests for day in kept)
    return LogSpan(days[kept[0]].first, days[kept[-1]].last, within, sum(sizes) - within)


def runs(days: Iterable[int], pause: int) -> list[list[int]]:
    """Return days in groups, with more than a pause between two groups."""
    found: list[list[int]] = []
    for day in sorted(days):
        if found and day - found[-1][-1] <= pause:
            found[-1].append(day)
        else:
            found.append([day])
    return found


def merge_days(parts: Iterable[Mapping[int, DayCount]]) -> dict[int, DayCount]:
    """Return the requests by day of several parts of a log together."""
    found: dict[int, DayCount] = {}
    for part in parts:
        for day, one in part.items():
            known = found.get(day, one)
            requests = one.requests + (known.requests if day in found else 0)
            first, last = min(known.first, one.first), max(known.last, one.last)
            found[day] = DayCount(requests, first, last)
    return found
