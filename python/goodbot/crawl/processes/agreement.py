"""When several processes have finished: no one has anything to do, and nothing is on its way.

Scope: deciding, from the latest report of each process. There is no clock, socket or disk.

A process that rests can be woken by a message, or by a URL that another one hands over. All numbers
in reports only grow. If every latest report says that its process rests, has heard every message,
and has received all that the others have sent according to theirs, nobody was woken since: the
first one would have been woken by a URL that was handed over before the report of its finder, so
that the numbers would differ.
"""

from collections.abc import Iterator, Sequence

from goodbot.crawl.frontier.bounds import SITE_LIMIT
from goodbot.crawl.processes.messages import ProcessReport

__all__ = ["behind", "have_finished", "reason_of"]


def have_finished(reports: Sequence[ProcessReport], told: Sequence[int]) -> bool:
    """Return whether every process rests, and nothing that would wake one is on its way.

    Args:
        reports: The latest report of each process.
        told: How many messages each was sent that may end its rest.

    """
    rest = all(
        report.rest is not None and report.heard == count
        for report, count in zip(reports, told, strict=True)
    )
    return rest and not any(True for _ in behind(reports))


def behind(reports: Sequence[ProcessReport]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of processes that have not received all, each with that of a finder."""
    for number, one in enumerate(reports):
        for other, report in enumerate(reports):
            if report.sent.get(number, 0) > one.received.get(other, 0):
                yield number, other


def reason_of(reports: Sequence[ProcessReport]) -> str:
    """Return why a crawl ended whose processes have finished with no bound reached, a slug."""
    rests = [report.rest for report in reports if report.rest is not None]
    if any(rest.is_waiting for rest in rests):
        return "waiting"
    return SITE_LIMIT if any(rest.is_cut_short for rest in rests) else "nothing-left"
