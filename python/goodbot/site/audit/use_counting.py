"""How many pages a robot was served whose robots.txt reserves a use, allows it, or is silent.

Scope: counts. What a file says is decided by `goodbot.content_use`; a use is no request, so that
nothing of it is a violation: an audit sees who fetched what, and not what became of it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from goodbot.content_use.file_answers import UsesOfFile, strictest_statuses
from goodbot.content_use.statement import USES, Use, UseStatus
from goodbot.site.audit.audit_result import AuditResult, SiteLog
from goodbot.site.audit.request import ROBOTS_TXT, target_path

__all__ = ["UseCounts", "count_uses"]

UseCounts = dict[Use, dict[UseStatus, int]]
"""For each use how many requests have each answer; empty where no file says anything."""
REDIRECTS = range(300, 400)
"""The page is elsewhere, and another request fetches it there."""
UNCHANGED = 304
"""The robot has the page, and may go on to use it (RFC 9110 section 15.4.5)."""


def count_uses(result: AuditResult, rows: Iterable[int]) -> UseCounts:
    """Return what the robots.txt in force said about the uses of what requests were answered with.

    Of several files that may have been in force, the one that permits least counts for each use.
    Refusals, errors and redirects serve nothing, and robots.txt itself is not asked about.

    Args:
        result: The judged requests.
        rows: The places of requests in it.

    """
    found: dict[Use, Counter[UseStatus]] = {use: Counter() for use in USES}
    for log, places in result.rows_by_log(rows):
        for answers, number in answers_in(result, log, places).items():
            for use, status in answers:
                found[use][status] += number
    if all(set(counts) <= {"unknown"} for counts in found.values()):
        return {}
    return {use: dict(sorted(counts.items())) for use, counts in found.items()}


UsesOfPage = tuple[tuple[Use, UseStatus], ...]


def answers_in(result: AuditResult, log: SiteLog, places: Sequence[int]) -> Counter[UsesOfPage]:
    """Return how often each set of answers holds for requests of one robot at one site."""
    counts: Counter[UsesOfPage] = Counter()
    states, history = log.states(result.options), log.history
    if states is None or history is None:
        return counts
    files = [UsesOfFile(one.content, log.reading.name) for one in history.versions]
    is_silent = all(file.says_nothing for file in files)
    known: dict[tuple[tuple[int, ...], int], UsesOfPage] = {}
    rows = result.rows
    for row in places:
        status, target = rows.statuses[row], rows.targets[row]
        path = target_path(rows.target_names[target])
        is_redirect = status in REDIRECTS and status != UNCHANGED
        if result.served[row] != "served" or is_redirect or path is None or path == ROBOTS_TXT:
            continue
        in_force = () if is_silent else states.at(rows.times[row], rows.identities[row]).in_force
        key = tuple(in_force), target
        if key not in known:
            url = f"{log.group.site}{path}"
            said = strictest_statuses(files[one].answer(url)[0] for one in in_force)
            known[key] = tuple((use, said.get(use, "unknown")) for use in USES)
        counts[known[key]] += 1
    return counts
