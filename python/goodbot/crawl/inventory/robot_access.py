"""What each robot may do with each page of a crawl: fetch it, index it, quote it, train on it.

Scope: from what the crawl stored, not from its own verdict: the robots.txt of each site over time,
and what each page says to all robots. Nothing is fetched.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from goodbot.bots import ObeyedRules, rules_for
from goodbot.content_use import uses
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import ColumnKind
from goodbot.crawl.frontier.reading import UrlRecord
from goodbot.crawl.inventory.indexability import barred
from goodbot.crawl.inventory.overview import with_facts
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.display import short_repr
from goodbot.errors import NoOriginError, NotAStoreError, WrongValueError
from goodbot.http.status import NOT_MODIFIED
from goodbot.indexability.decision import Indexability, decide, normal
from goodbot.indexability.robot_columns import page_dialect_for, shown_name
from goodbot.page import Page
from goodbot.page.said_reading import read_said
from goodbot.page.said_to_all import SaidToAll
from goodbot.policy import Policy

__all__ = ["ACCESS", "ACCESS_COLUMNS", "AccessColumn", "AccessWord", "RobotAccess", "robot_access"]

AccessWord: TypeAlias = Literal[
    "allowed", "disallowed", "licensed", "reserved", "unknown", "not consulted", "not kept",
    "no page",
]  # fmt: skip
ACCESS: dict[AccessWord, str] = {
    "allowed": "Nothing that the crawl has forbids it.",
    "disallowed": "A statement forbids it.",
    "licensed": "It needs a licence.",
    "reserved": "A statement reserves it.",
    "unknown": "The crawl does not know the robots.txt, or nobody mentions the use.",
    "not consulted": "Nothing that the crawl has forbids it, and what it did not read may.",
    "not kept": "The crawl did not keep what the page says to all robots; crawl it again.",
    "no page": "The answer was no page.",
}
"""What may be said of an act, each with its meaning."""

MOST_VERSIONS = 200
"""The most versions of a robots.txt of a site that are asked since when they disallow a URL."""
MOST_SITES = 256
MOST_PAGES = 4_096
SUCCESS, MULTIPLE = 200, 300
WORDS_OF_USES = (b"content-", b"license", b"tdm")
"""Without any of these, a robots.txt says nothing of uses beside what may be fetched."""
DAMAGED = "the facts of a page are damaged; restore the folder from a backup, or crawl again"


@dataclass(frozen=True, slots=True)
class RobotAccess:
    """What one robot may do with one page, and who says so."""

    url: str
    robot: str
    fetch: AccessWord
    fetch_source: str
    index: AccessWord
    index_source: str
    snippet: AccessWord
    snippet_source: str
    train: AccessWord
    train_source: str
    since: datetime | None
    """Since when it may not fetch or not index the page, as far as the crawl has seen; `None` if it
    may, or if that is not known."""

    __repr__ = short_repr

    @property
    def is_usable(self) -> bool | None:
        """Whether the robot may fetch and index the page; `None` if that is not known."""
        if "disallowed" in {self.fetch, self.index} or self.index == "no page":
            return False
        return True if (self.fetch, self.index) == ("allowed", "allowed") else None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {one.name: getattr(self, one.name) for one in ACCESS_COLUMNS}
        return plain | {"since": None if self.since is None else self.since.isoformat()}

    def as_cells(self) -> dict[str, Any]:
        """Return values for tables."""
        return {one.name: getattr(self, one.name) for one in ACCESS_COLUMNS}


class AccessColumn(NamedTuple):
    """A column of pages by robots."""

    name: str
    kind: ColumnKind
    meaning: str


ACCESS_COLUMNS = (
    AccessColumn("url", "text", "The URL."),
    AccessColumn("robot", "text", "The robot."),
    AccessColumn("fetch", "text", "Whether robots.txt lets it fetch the page."),
    AccessColumn("fetch_source", "text", "The line of robots.txt that says so."),
    AccessColumn("index", "text", "Whether it may have the page in its index, at this URL."),
    AccessColumn("index_source", "text", "Who says so: the statement with its line."),
    AccessColumn("snippet", "text", "Whether it may quote the page."),
    AccessColumn("snippet_source", "text", "Who says so: the statement with its line."),
    AccessColumn(
        "train",
        "text",
        "Whether AI may be trained on it. The crawl does not read tdmrep.json or licences, so that "
        "`not consulted` is the most that it can say where nothing forbids it.",
    ),
    AccessColumn("train_source", "text", "Who says so, or what was not consulted."),
    AccessColumn(
        "since",
        "time",
        "Since when it may not fetch or not index the page, as far as the crawl has seen.",
    ),
)
"""The columns of CSV and Parquet, which are the keys of JSON."""


def robot_access(database: Database, robots: Sequence[str], now: datetime) -> Iterator[RobotAccess]:
    """Yield what each robot may do with each page, page by page.

    Args:
        database: The file of the crawl.
        robots: The robots, by their names.
        now: The time, an aware `datetime`: what has expired by then forbids.

    Raises:
        NotAStoreError: A row is damaged.
        RobotNameError: A name is none.

    """
    sites = Sites(database)
    names = [(robot, page_dialect_for(robot), shown_name(robot)) for robot in robots]
    for entry, record in with_facts(database):
        if entry.how == "sitemap-file":
            continue
        for robot, dialect, shown in names:
            yield access_of(entry, record, sites, (robot, dialect, shown), now)


class Sites:
    """The robots.txt of the sites of a crawl, as robots obey them."""

    def __init__(self, database: Database) -> None:
        """Prepare to read policies."""
        self._database = database
        self.policy = lru_cache(MOST_SITES)(self._policy)
        self.rules = lru_cache(MOST_SITES)(self._rules)
        self._history = lru_cache(MOST_SITES)(self._read_history)
        self.page = lru_cache(MOST_PAGES)(read_page)
        self.says_uses = lru_cache(MOST_SITES)(self._says_uses)
        self._training: dict[tuple[str, str, str, int], tuple[AccessWord, str]] = {}

    def _says_uses(self, origin: str) -> bool:
        """Return whether the robots.txt of a site may speak of uses, by path or otherwise."""
        policy = self.policy(origin)
        if policy is None or policy.robots_txt is None:
            return False
        content = policy.robots_txt.content.lower()
        return any(word in content for word in WORDS_OF_USES)

    def training(
        self, entry: UrlRecord, said: str, page: Page, robot: str, now: datetime
    ) -> tuple[AccessWord, str]:
        """Return whether AI may be trained on a page; pages of a site that say the same share it.

        They do not where robots.txt speaks of uses, which it may do path by path.
        """
        policy = self.policy(entry.origin)
        if policy is None or self.says_uses(entry.origin):
            return training(entry.url, page, policy, robot, now)
        key = entry.origin, said, robot, page.status
        found = self._training.get(key)
        if found is None:
            if len(self._training) >= MOST_PAGES:
                self._training.clear()
            found = self._training[key] = training(entry.url, page, policy, robot, now)
        return found

    def _policy(self, origin: str) -> Policy | None:
        record = self._database.store.get(origin)
        return None if record is None else policy_in(record)

    def _rules(self, origin: str, robot: str) -> ObeyedRules | None:
        policy = self.policy(origin)
        return None if policy is None else rules_for(policy, robot)

    def _read_history(self, origin: str, robot: str) -> list[tuple[datetime, ObeyedRules | None]]:
        """Return the versions of a robots.txt, the latest first."""
        versions = [*self._database.store.history(origin)][-MOST_VERSIONS:]
        policies = [(seen.first, policy_in(seen.record)) for seen in reversed(versions)]
        return [
            (first, None if policy is None else rules_for(policy, robot))
            for first, policy in policies
        ]

    def disallowed_since(self, entry: UrlRecord, robot: str) -> datetime | None:
        """Return since when robots.txt has disallowed a URL, in every version without a gap."""
        since = None
        for first, rules in self._history(entry.origin, robot):
            if rules is None or rules.verdict(entry.url).allowed:
                break
            since = first
        return since


def policy_in(record: Any) -> Policy | None:  # noqa: ANN401  as stores have it
    """Return a stored policy; `None` if its format is not known."""
    try:
        return Policy.from_record(record)
    except WrongValueError:
        return None


def read_page(said: str, url: str, robot: str, dialect: str, status: int) -> Page:
    """Read what a page says to all robots for one of them.

    Raises:
        NotAStoreError: It is damaged.

    """
    try:
        return read_said(SaidToAll.unpack(said), url, robot, dialect, status=status)
    except ValueError as error:
        raise NotAStoreError(DAMAGED) from error


def access_of(
    entry: UrlRecord,
    record: PageRecord | None,
    sites: Sites,
    robot: tuple[str, str, str],
    now: datetime,
) -> RobotAccess:
    """Return what one robot may do with one page."""
    name, dialect, shown = robot
    rules, policy = sites.rules(entry.origin, name), sites.policy(entry.origin)
    if rules is None or policy is None:
        return same(entry, shown, "unknown", "robots.txt is not known")
    try:
        verdict = policy.verdict(entry.url, name)
    except NoOriginError:  # no crawl queues such a URL, but the folder may be a stranger's
        return same(entry, shown, "unknown", "this is no URL")
    if not verdict.is_answer:
        return same(entry, shown, "unknown", verdict.source)
    if not verdict.allowed:
        since = sites.disallowed_since(entry, name)
        return same(entry, shown, "disallowed", verdict.source, since)
    fetch: tuple[AccessWord, str] = ("allowed", verdict.source)
    status = entry.status
    if status == NOT_MODIFIED and record is not None:
        status = record.status
    if entry.state == "disallowed":
        # The crawl was kept away, so what the page says to others is not known.
        return of_page(entry, shown, fetch, ("not kept", NOT_READ))
    closed = barred(entry)
    if closed is not None or status is None or not SUCCESS <= status < MULTIPLE:
        why = (closed.source or closed.reason) if closed is not None else f"status {status}"
        return of_page(entry, shown, fetch, ("no page", why))
    if record is None or record.said is None:
        return of_page(entry, shown, fetch, ("not kept", NOT_KEPT))
    # Only a page that names another address depends on its own.
    url = entry.url if '"url"' in record.said.lower() or "indexinstead" in record.said else ANY_URL
    page = sites.page(record.said, url, name, dialect, status)
    index = page.index_at(now)
    said = Indexability(index.allowed, index.reason, str(index.source or ""))
    decided = decide(entry.url, None, said, normal(record.canonical))
    snippet = page.snippet
    since = None
    if not decided.allowed and decided.reason != "canonical":
        since = record.said_since
    train = sites.training(entry, record.said, page, name, now)
    return RobotAccess(
        entry.url,
        shown,
        *fetch,
        "allowed" if decided.allowed else "disallowed",
        decided.source,
        "allowed" if snippet.allowed else "disallowed",
        str(snippet.source or ""),
        *train,
        since,
    )


ANY_URL = "https://example.com/"
"""In place of the URL of a page whose statements do not depend on it."""
NOT_READ = "the crawl must not read the page"
NOT_KEPT = "what the page says to all robots was not kept"


def training(
    url: str, page: Page, policy: Policy | None, robot: str, now: datetime
) -> tuple[AccessWord, str]:
    """Return whether AI may be trained on a page, and who says so or what was not consulted."""
    found = uses(url, page, robots_txt=policy, robot=robot, now=now)
    train = found.train
    source = "" if train.said is None else str(train.said)
    if train.status in {"reserved", "licensed"}:
        return ("reserved" if train.status == "reserved" else "licensed"), source
    if found.not_consulted:
        missing = f"not consulted: {', '.join(found.not_consulted)}"
        return "not consulted", f"{source}; {missing}" if source else missing
    return ("allowed" if train.status == "allowed" else "unknown"), source


def same(
    entry: UrlRecord, robot: str, access: AccessWord, source: str, since: datetime | None = None
) -> RobotAccess:
    """Return the same answer on every act: what must not be fetched cannot be used."""
    answer = (access, source)
    return RobotAccess(entry.url, robot, *answer, *answer, *answer, *answer, since)


def of_page(
    entry: UrlRecord, robot: str, fetch: tuple[AccessWord, str], page: tuple[AccessWord, str]
) -> RobotAccess:
    """Return an answer for a URL that may be fetched, and of whose page nothing is known."""
    return RobotAccess(entry.url, robot, *fetch, *page, *page, *page, None)
