"""What each robot may do with each page of a crawl: fetch it, index it, quote it, train on it.

Scope: from what the crawl stored, not from its own verdict: the robots.txt of each site over time,
and what each page says to all robots. Nothing is fetched.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from goodbot.bots import ObeyedRules, rules_for
from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use import uses
from goodbot.content_use.site_statements import speaks_of_uses
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import ParquetColumn
from goodbot.crawl.folder.stored_policies import policy_in, stored_policy
from goodbot.crawl.frontier.reading import UrlRecord
from goodbot.crawl.inventory.indexability import barred
from goodbot.crawl.inventory.overview import with_facts
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.display import short_repr
from goodbot.errors import NoOriginError, NotAStoreError
from goodbot.http.status import NOT_MODIFIED
from goodbot.indexability.decision import Indexability, decide, normal
from goodbot.indexability.robot_columns import shown_name
from goodbot.lazy_dataclass import dataclass
from goodbot.page import Page
from goodbot.page.said_reading import read_said
from goodbot.page.said_to_all import SaidToAll
from goodbot.policy import Policy

__all__ = [
    "ACCESS",
    "ACCESS_COLUMNS",
    "AccessAnswer",
    "AccessWord",
    "RobotAccess",
    "Sites",
    "access_cells",
    "answers_on",
    "page_answers",
    "robot_access",
]

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

NAMING_OTHERS = ('"l":', '"link"', '"url"', "tdm-policy", "indexinstead")
"""What statements have, in lower case, that name other addresses: LINK elements, fields, META."""
MOST_VERSIONS = 200
"""The most versions of a robots.txt of a site that are asked since when they disallow a URL."""
MOST_SITES = 256
MOST_PAGES = 4_096
SUCCESS, MULTIPLE = 200, 300
DAMAGED = "the facts of a page are damaged; restore the folder from a backup, or crawl again"


class AccessAnswer(NamedTuple):
    """What one robot may do with one page, and who says so; without the names of both."""

    fetch: AccessWord
    fetch_source: str
    indexed: AccessWord
    index_source: str
    snippet: AccessWord
    snippet_source: str
    train: AccessWord
    train_source: str
    since: datetime | None = None
    """See `RobotAccess`."""

    @property
    def is_usable(self) -> bool | None:
        """Whether the robot may fetch and index the page; `None` if that is not known."""
        return usable(self.fetch, self.indexed)


@dataclass(frozen=True, slots=True, repr=False)
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
        return usable(self.fetch, self.index)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {one.name: getattr(self, one.name) for one in ACCESS_COLUMNS}
        return plain | {"since": None if self.since is None else self.since.isoformat()}


def usable(fetch: AccessWord, index: AccessWord) -> bool | None:
    """Return whether a robot may fetch and index a page; `None` if that is not known."""
    if fetch == "disallowed" or index in {"disallowed", "no page"}:
        return False
    return True if (fetch, index) == ("allowed", "allowed") else None


ACCESS_COLUMNS = (
    ParquetColumn("url", "text", "The URL."),
    ParquetColumn("robot", "text", "The robot."),
    ParquetColumn("fetch", "text", "Whether robots.txt lets it fetch the page."),
    ParquetColumn("fetch_source", "text", "The line of robots.txt that says so."),
    ParquetColumn("index", "text", "Whether it may have the page in its index, at this URL."),
    ParquetColumn("index_source", "text", "Who says so: the statement with its line."),
    ParquetColumn("snippet", "text", "Whether it may quote the page."),
    ParquetColumn("snippet_source", "text", "Who says so: the statement with its line."),
    ParquetColumn(
        "train",
        "text",
        "Whether AI may be trained on it. The crawl does not read tdmrep.json or licences, so that "
        "`not consulted` is the most that it can say where nothing forbids it.",
    ),
    ParquetColumn("train_source", "text", "Who says so, or what was not consulted."),
    ParquetColumn(
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
    names = [shown_name(robot) for robot in robots]
    for url, answers in page_answers(database, robots, now):
        for name, answer in zip(names, answers, strict=True):
            yield RobotAccess(url, name, *answer)


def access_cells(
    database: Database, robots: Sequence[str], now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield the same as `robot_access` as values of a table, by `ACCESS_COLUMNS`; it is quicker.

    Args:
        database: See `robot_access`.
        robots: See `robot_access`.
        now: See `robot_access`.

    Raises:
        NotAStoreError: A row is damaged.
        RobotNameError: A name is none.

    """
    names = [shown_name(robot) for robot in robots]
    columns = [one.name for one in ACCESS_COLUMNS]
    for url, answers in page_answers(database, robots, now):
        for name, answer in zip(names, answers, strict=True):
            yield dict(zip(columns, (url, name, *answer), strict=True))


def page_answers(
    database: Database, robots: Sequence[str], now: datetime
) -> Iterator[tuple[str, list[AccessAnswer]]]:
    """Yield each page, and what each robot may do with it, in the order of the robots.

    Args:
        database: See `robot_access`.
        robots: See `robot_access`.
        now: See `robot_access`.

    Raises:
        NotAStoreError: A row is damaged.
        RobotNameError: A name is none.

    """
    sites = Sites(database, now)
    asked = [(robot, page_dialect_for(robot)) for robot in robots]
    for entry, record in with_facts(database):
        if entry.how != "sitemap-file":
            yield entry.url, answers_on(entry, record, sites, asked)


class SaidAnswer(NamedTuple):
    """What a page says to one robot."""

    indexed: Indexability
    snippet: AccessWord
    snippet_source: str
    train: AccessWord
    train_source: str


class Sites:
    """The robots.txt of the sites of a crawl, as robots obey them."""

    def __init__(self, database: Database, now: datetime) -> None:
        """Prepare to read policies."""
        self._database = database
        self._now = now
        self.policy = lru_cache(MOST_SITES)(self._policy)
        self.rules = lru_cache(MOST_SITES)(self._rules)
        self._history = lru_cache(MOST_SITES)(self._read_history)
        self.page = lru_cache(MOST_PAGES)(read_page)
        self.says_uses = lru_cache(MOST_SITES)(self._says_uses)
        self.said = lru_cache(MOST_PAGES)(self._read_said)

    def _says_uses(self, origin: str) -> bool:
        """Return whether the robots.txt of a site may speak of uses, by path or otherwise."""
        policy = self.policy(origin)
        return policy is not None and speaks_of_uses(policy.robots_txt)

    def shared_url(self, entry: UrlRecord, said: str) -> str:
        """Return the URL by which what a page says is read; pages that say the same share one.

        They do not where robots.txt speaks of uses, which it may do path by path. Of what a page
        says, only what names another address depends on its own.
        """
        names_others = any(word in said.lower() for word in NAMING_OTHERS)
        return entry.url if names_others or self.says_uses(entry.origin) else ANY_URL

    def _read_said(
        self, origin: str, url: str, said: str, robot: str, dialect: str, status: int
    ) -> SaidAnswer:
        page = self.page(said, url, robot, dialect, status)
        index = page.index_at(self._now)
        where = f"{origin}/" if url == ANY_URL else url
        train = training(where, page, self.policy(origin), robot, self._now)
        return SaidAnswer(
            Indexability(index.allowed, index.reason, str(index.source or "")),
            "allowed" if page.snippet.allowed else "disallowed",
            str(page.snippet.source or ""),
            *train,
        )

    def _policy(self, origin: str) -> Policy | None:
        return stored_policy(self._database, origin)

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


def read_page(said: str, url: str, robot: str, dialect: str, status: int) -> Page:
    """Read what a page says to all robots for one of them.

    Raises:
        NotAStoreError: It is damaged.

    """
    try:
        return read_said(SaidToAll.unpack(said), url, robot, dialect, status=status)
    except ValueError as error:
        raise NotAStoreError(DAMAGED) from error


def answers_on(
    entry: UrlRecord,
    record: PageRecord | None,
    sites: Sites,
    robots: Sequence[tuple[str, str]],
) -> list[AccessAnswer]:
    """Return what each robot, which has a name and a page dialect, may do with one page."""
    policy = sites.policy(entry.origin)
    status = (record or entry).status if entry.status == NOT_MODIFIED else entry.status
    unread = without_statements(entry, record, status)
    statements = None if record is None or unread is not None else record.said
    url = "" if statements is None else sites.shared_url(entry, statements)
    stated = None if record is None else record.canonical
    canonical = stated if stated == entry.url else normal(stated)
    answers = []
    for name, dialect in robots:
        if policy is None or sites.rules(entry.origin, name) is None:
            answers.append(same("unknown", "robots.txt is not known"))
            continue
        try:
            verdict = policy.verdict(entry.url, name)
        except NoOriginError:  # no crawl queues such a URL, but the folder may be a stranger's
            answers.append(same("unknown", "this is no URL"))
            continue
        source = verdict.source
        if not verdict.is_answer:
            answers.append(same("unknown", source))
        elif not verdict.allowed:
            answers.append(same("disallowed", source, sites.disallowed_since(entry, name)))
        elif unread is not None or record is None or statements is None or status is None:
            of_page = unread or ("not kept", NOT_KEPT)
            answers.append(AccessAnswer("allowed", source, *of_page, *of_page, *of_page))
        else:
            said = sites.said(entry.origin, url, statements, name, dialect, status)
            answers.append(read_answer(entry, record, source, said, canonical))
    return answers


def without_statements(
    entry: UrlRecord, record: PageRecord | None, status: int | None
) -> tuple[AccessWord, str] | None:
    """Return what is known of a page without what it says; `None` if that is to be read."""
    if entry.state == "disallowed":
        # The crawl was kept away, so what the page says to others is not known.
        return "not kept", NOT_READ
    closed = barred(entry)
    if closed is not None:
        return "no page", closed.source or closed.reason
    if status is None or not SUCCESS <= status < MULTIPLE:
        return "no page", f"status {status}"
    return None if record is not None and record.said is not None else ("not kept", NOT_KEPT)


def read_answer(
    entry: UrlRecord, record: PageRecord, fetch: str, said: SaidAnswer, canonical: str | None
) -> AccessAnswer:
    """Return the answer on a page that a robot may fetch, and whose statements are kept."""
    decided = decide(entry.url, None, said.indexed, canonical)
    since = None
    if not decided.allowed and decided.reason != "canonical":
        since = record.said_since
    return AccessAnswer(
        "allowed",
        fetch,
        "allowed" if decided.allowed else "disallowed",
        decided.source,
        said.snippet,
        said.snippet_source,
        said.train,
        said.train_source,
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


def same(access: AccessWord, source: str, since: datetime | None = None) -> AccessAnswer:
    """Return the same answer on every act: what must not be fetched cannot be used."""
    answer = (access, source)
    return AccessAnswer(*answer, *answer, *answer, *answer, since)
