"""The summary of a crawl, from those of its processes.

Scope: adding.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from goodbot.crawl.folder.states import STATES
from goodbot.crawl.run.answers import AnswerCounts
from goodbot.crawl.run.events import Summary

__all__ = ["total"]


def total(summaries: Sequence[Summary], ended: str, started: datetime) -> Summary:
    """Add up the summaries of all processes.

    Args:
        summaries: One of each process.
        ended: Why the crawl ended.
        started: When it started.

    """
    urls = sums(one.urls for one in summaries)
    answers = AnswerCounts()
    for one in summaries:
        for origin, counts in one.answers.items():
            for answer, count in counts.items():
                answers.add(origin, answer, count)
    return Summary(
        ended,
        started,
        max(one.finished for one in summaries),
        sum(one.pages for one in summaries),
        sum(one.requests for one in summaries),
        sum(one.bytes for one in summaries),
        {state: urls[state] for state in STATES if state in urls},
        dict(sums(one.reasons for one in summaries).most_common()),
        first(one.earliest for one in summaries),
        sum(one.not_kept for one in summaries),
        dict(sums(one.findings for one in summaries).most_common()),
        answers.told(),
        dict(sums(one.traps for one in summaries)),
        first(one.next_revisit for one in summaries),
    )


def first(times: Iterable[datetime | None]) -> datetime | None:
    """Return the first of some times; `None` if there is none."""
    return min((one for one in times if one is not None), default=None)


def sums(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """Add up counts by name."""
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return found
