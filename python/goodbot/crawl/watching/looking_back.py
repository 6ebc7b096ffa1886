"""What changed at a site since the crawl before, as far as it matters to its owner.

Scope: from what a crawl stored to a `WatchRun`. Nothing is fetched, and `now` is passed in.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from goodbot._core import RobotsTxt
from goodbot.bots import rules_for
from goodbot.crawl.evidence.crawl_changes import CrawlChange, compare
from goodbot.crawl.evidence.policy_at import policy_at
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.stored_policies import stored_policy
from goodbot.crawl.frontier.reading import brief_urls, is_trouble
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.watching.barred_robots import BarredPages, BarredThen, newly_barred
from goodbot.crawl.watching.robots_trial import compare_on_urls
from goodbot.crawl.watching.watch_run import MOST_CHANGES, LogSeen, WatchChange, WatchRun
from goodbot.policy import Policy

__all__ = ["look_back"]

SUCCESS = 200
REDIRECT = 300


def look_back(
    database: Database,
    site: str,
    *,
    now: datetime,
    since: datetime | None,
    robots: Sequence[str] = (),
    log: tuple[LogSeen, Sequence[WatchChange]] | None = None,
    barred: tuple[BarredPages, BarredThen | None] = ({}, None),
) -> WatchRun:
    """Return the figures of a site, and what changed since the run before that matters.

    Args:
        database: The file of the crawl, after its run.
        site: The site, as an origin.
        now: The time, an aware `datetime`.
        since: The time of the run before, whose state is compared; `None` if there was none.
        robots: The robots for which URLs are counted that robots.txt disallows.
        log: What was seen of the logs, and what changed in them; `None` if none was named.
        barred: The pages that robots must not index, and those of the run before; `None` if these
            are not known.

    Raises:
        NotAStoreError: A row is damaged.

    """
    found: list[WatchChange] = []
    if since is not None:
        every = compare(database, database, now=now, before_at=since)
        found += changes_that_matter(database, site, every, since, robots)
        found = with_robots(found, dict(newly_barred(*barred)))
    seen = None
    if log is not None:
        seen, in_log = log
        found += in_log
    counts: Counter[str] = Counter(one.kind for one in found)
    listed: Counter[str] = Counter()
    kept = []
    for one in found:
        listed[one.kind] += 1
        if listed[one.kind] <= MOST_CHANGES:
            kept.append(one)
    return WatchRun(
        now,
        site,
        count_figures(database, now),
        count_disallowed(database, site, robots),
        tuple(kept),
        dict(counts),
        since is None,
        seen,
    )


def with_robots(
    found: Iterable[WatchChange], newly: Mapping[str, tuple[str, ...]]
) -> list[WatchChange]:
    """Return changes with the robots for which pages are newly not indexable.

    A page may be newly closed to some robots that are watched, and not to that of the crawl.

    Args:
        found: The changes for the robot of the crawl.
        newly: For each page the robots that must not index it any more, in words.

    """
    kind, left = "not-indexable", dict(newly)
    whole = [
        replace(one, robots=left.pop(one.subject, ())) if one.kind == kind else one for one in found
    ]
    whole += (
        WatchChange("not-indexable", url, "indexable", "not-indexable", robots=robots)
        for url, robots in left.items()
    )
    return whole


def changes_that_matter(
    database: Database,
    site: str,
    changes: Iterable[CrawlChange],
    before_at: datetime,
    robots: Sequence[str],
) -> Iterator[WatchChange]:
    """Yield the changes that an owner wants to hear of."""
    for one in changes:
        was, is_now = one.before or "", one.after or ""
        if one.change == "robots.txt":
            yield robots_txt_change(database, site, one, before_at, robots)
        elif one.change == "robots":
            if not is_answer(is_now):
                yield WatchChange("disallowed", one.url, was, is_now, one.source)
        elif one.change == "indexability":
            if is_now == "not-indexable":
                yield WatchChange("not-indexable", one.url, was, is_now, one.source)
        elif one.change in {"gone", "status", "new"} and is_broken(is_now) and not is_broken(was):
            yield WatchChange("broken", one.url, was, is_now)


def is_answer(said: str) -> bool:
    """Return whether a state is an answer, and not the reason of a refusal."""
    return said.isdecimal()


FAILURES = {"dns", "refused", "reset", "tls", "timeout", "bad-encoding", "protocol-error"}
"""The failures that a reader has as well, of `goodbot.net.FAILURES`."""


def is_broken(said: str) -> bool:
    """Return whether a state is that of a broken URL.

    >>> [is_broken(said) for said in ("404", "timeout", "200", "301", "rule-disallows", "")]
    [True, True, False, False, False, False]
    """
    return said in FAILURES or (is_answer(said) and is_trouble(said))


def robots_txt_change(
    database: Database,
    site: str,
    change: CrawlChange,
    before_at: datetime,
    robots: Sequence[str],
) -> WatchChange:
    """Return the change of a robots.txt, with what it changes for whom on the URLs of the crawl."""
    earlier = policy_at(database, site, before_at)
    before = file_in(None if earlier is None else earlier.policy)
    after = file_in(stored_policy(database, site))
    told: tuple[str, ...] = ()
    effect = ""
    is_its = change.url.startswith(f"{site}/")
    if before is not None and after is not None and is_its:
        trial = compare_on_urls(database, site, (before, after), robots, source=change.url)
        told = tuple(
            f"{one.robot}: {one.newly_disallowed:,} newly disallowed, "
            f"{one.newly_allowed:,} newly allowed"
            for one in trial.robots
            if one
        )
        effect = EFFECTS[trial.comparison.effect]
    return WatchChange(
        "robots.txt",
        change.url,
        source=effect,
        robots=told,
        removed=change.removed,
        added=change.added,
    )


EFFECTS = {
    "same": "robots may fetch the same as before",
    "stricter": "access is stricter",
    "laxer": "access is laxer",
    "both": "access is stricter for some paths or robots, and laxer for others",
    "unknown": "whether access is stricter or laxer is undecided",
}
"""What a change of robots.txt does to access, over all paths and robots."""


def file_in(policy: Policy | None) -> RobotsTxt | None:
    """Return the rules of a policy; an empty file if it allows all, `None` if none are known."""
    if policy is None:
        return None
    if policy.robots_txt is not None and policy.access == "rules":
        return policy.robots_txt
    return RobotsTxt(b"", dialect=policy.dialect) if policy.access == "allow-all" else None


def count_figures(database: Database, now: datetime) -> dict[str, int]:
    """Return the figures of `FIGURES`."""
    counts = dict.fromkeys(("urls", "indexable", "not_indexable", "broken", "disallowed"), 0)
    words = 0
    for row in inventory_rows(database, now):
        if row.is_external:
            continue
        counts["urls"] += 1
        counts["indexable"] += row.indexable
        has_page = row.status is not None and SUCCESS <= row.status < REDIRECT
        counts["not_indexable"] += has_page and not row.indexable
        counts["broken"] += row.broken
        counts["disallowed"] += row.declared == "disallowed"
        words += row.words or 0 if row.indexable else 0
    return counts | {"words": words}


def count_disallowed(database: Database, site: str, robots: Sequence[str]) -> dict[str, int]:
    """Return how many URLs of a site its robots.txt disallows to each robot."""
    file = file_in(stored_policy(database, site))
    if file is None:
        return {}
    urls = [one.url for one in brief_urls(database) if one.origin == site]
    return {
        name: sum(not allowed for allowed in rules_for(file, name).allows_many(urls))
        for name in robots
    }
