"""The settings and the state of a fleet, in the database that its workers share.

Scope: what is the same for all workers, and what is known of them. `fleet_worker` crawls.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from goodbot.closing import Closing
from goodbot.crawl.fleet.manifest import MANIFEST_TABLES, Manifest
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.outlinks import to_candidate
from goodbot.crawl.frontier.postgres import PostgresFrontier
from goodbot.crawl.frontier.postgres_tables import PARTITIONS, PARTITIONS_MADE, queue_tables
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings
from goodbot.crawl.status.time_left import FEWEST_VISITS, MOST_SLOW, SitePace, TimeLeft, time_left
from goodbot.display import short_repr
from goodbot.errors import MisuseError, NoCrawlError, WrongTypeError, WrongValueError
from goodbot.http.address import Address
from goodbot.http.instants import SECOND, to_datetime
from goodbot.lazy_dataclass import dataclass
from goodbot.pace.groups import named_group
from goodbot.store.postgres_schema import STORE_TABLES, PostgresTables
from goodbot.store.postgres_server import PostgresServer

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database

__all__ = ["Fleet", "FleetOrders", "FleetStatus", "WorkerStatus"]

FLEET_TABLES = PostgresTables(
    "fleet",
    (
        (
            """CREATE TABLE {s}.fleet(
                is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), settings text NOT NULL,
                revision bigint NOT NULL, is_draining boolean NOT NULL)""",
        ),
        # Where the results go; empty: they stay in the folders of the workers.
        ("ALTER TABLE {s}.fleet ADD COLUMN objects text NOT NULL DEFAULT ''",),
    ),
)
"""The one row with what all workers do."""

TABLES = (STORE_TABLES, FLEET_TABLES, MANIFEST_TABLES)
"""Those that are made with a fleet, beside those of its queue."""

HAS_TABLE = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = %s AND tablename = 'fleet'"
CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
MAKE = (
    "INSERT INTO {s}.fleet(settings, revision, is_draining, objects) VALUES(%s, 1, false, %s) "
    "ON CONFLICT DO NOTHING"
)
READ = "SELECT settings, revision, is_draining, objects FROM {s}.fleet"
CHANGE = (
    "UPDATE {s}.fleet SET settings = %s, revision = revision + 1 WHERE revision = %s "
    "RETURNING revision"
)
DRAIN = "UPDATE {s}.fleet SET is_draining = %s"
STATES_OF_URLS = (
    "SELECT state, count(*), count(*) FILTER (WHERE status BETWEEN 200 AND 299) "
    "FROM {s}.urls GROUP BY state"
)
STATES_OF_SITES = (
    "SELECT CASE WHEN holder IS NOT NULL THEN 'leased' WHEN due IS NULL THEN 'idle' "
    f"WHEN due <= {CLOCK} THEN 'due' ELSE 'waiting' END, count(*) FROM {{s}}.groups GROUP BY 1"
)
WORKERS = (
    f"SELECT name, ends, seen, ends > {CLOCK}, (SELECT count(*) FROM {{s}}.groups "
    "WHERE holder = workers.id) FROM {s}.workers ORDER BY name, id"
)
FAILING = (
    "SELECT origin, count(*) FROM {s}.urls WHERE state = 'failed' GROUP BY origin "
    "ORDER BY count(*) DESC, origin LIMIT %s"
)
PACED = (
    "WITH counted AS (SELECT group_id, count(*) FILTER (WHERE state IN ('queued', 'leased')) "
    "AS waiting, count(*) FILTER (WHERE visited > %(hour)s) AS visits, "
    "min(visited) FILTER (WHERE visited > %(hour)s) AS first, "
    "count(*) FILTER (WHERE visited > %(day)s) AS of_day, "
    "min(visited) FILTER (WHERE visited > %(day)s) AS begun, max(visited) AS last "
    "FROM {s}.urls GROUP BY group_id), "
    # By the last hour, because a fleet may have rested before it; by a day where that is too short.
    "paced AS (SELECT group_id, waiting, CASE WHEN visits >= %(fewest)s THEN (last - first) / "
    "(visits - 1) WHEN of_day >= %(fewest)s THEN (last - begun) / (of_day - 1) END AS gap "
    "FROM counted WHERE waiting > 0), "
    "waits AS (SELECT *, greatest(due - %(now)s, 0) AS wait FROM paced "
    "JOIN {s}.groups ON id = group_id) "
)
SLOWEST = (
    PACED + "SELECT name, waiting, gap, coalesce(wait, 0) FROM waits WHERE gap IS NOT NULL "
    "ORDER BY coalesce(wait, 0) + gap * waiting DESC, name LIMIT %(most)s"
)
UNPACED = PACED + "SELECT count(*) FILTER (WHERE gap IS NULL), sum(waiting) FROM waits"
LATELY = "SELECT count(*), min(visited), max(visited) FROM {s}.urls WHERE visited > %s"
NOW = f"SELECT {CLOCK}"
MOST_FAILING = 10
SOON, HOUR, DAY = 600 * SECOND, 3_600 * SECOND, 86_400 * SECOND
MOST_PARTITIONS = 512
DELAY = 30.0
"""Seconds after which added URLs are visited: by then all workers know the new bounds."""


class FleetOrders(NamedTuple):
    """What all workers do."""

    settings: CrawlSettings
    revision: int
    """It grows with each change of the settings."""
    is_draining: bool
    """Whether the workers are to end."""
    objects: str = ""
    """The URL of the object storage to which the results go; empty: they stay in the folders of
    the workers."""

    def group_of(self, origin: str) -> str:
        """Return the server group of an origin, which one machine leases at a time."""
        groups = self.settings.manners.groups
        return named_group(tuple(groups), origin) if groups else origin


@dataclass(frozen=True, slots=True, repr=False)
class WorkerStatus:
    """What is known of one worker."""

    name: str
    sites: int
    """How many sites it has leased."""
    leased_until: datetime
    """When its leases end unless it renews them, by the clock of the server."""
    last_sign: datetime | None
    """When it last renewed them; `None` if a worker of an older version has not said."""
    is_alive: bool
    """Whether its leases end in the future."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "name": self.name,
            "sites": self.sites,
            "leased_until": self.leased_until.isoformat(),
            "last_sign": None if self.last_sign is None else self.last_sign.isoformat(),
            "is_alive": self.is_alive,
        }


@dataclass(frozen=True, slots=True, repr=False)
class FleetStatus:
    """The state of a fleet at one moment."""

    at: datetime
    """The time of the server."""
    robot: str
    is_draining: bool
    urls: Mapping[str, int]
    """The URLs by state, in the order of `STATES`."""
    pages: int
    """The URLs that were answered with success."""
    sites: Mapping[str, int]
    """The sites: `leased`, `due` for a worker, `waiting` until a later time, and `idle`, which have
    no URL in the queue."""
    workers: Sequence[WorkerStatus]
    failing: Mapping[str, int]
    """The origins with the most failed URLs, and how many."""
    rate: float | None
    """URLs a second that all workers together settled lately; `None` if there were too few."""
    left: TimeLeft
    """How long the fleet will still take, by the pace of its sites."""
    objects: str = ""
    """The URL of the object storage with the results; empty: they are in the folders of the
    workers."""
    segments: Mapping[str, int] = field(default_factory=dict)
    """What is in it: `settled` segments, those that are `announced`, and `visits` and `bytes` of
    the settled ones."""

    __repr__ = short_repr

    @property
    def ends(self) -> datetime | None:
        """When every URL that is queued now will be visited; `None` if no pace is known."""
        return self.left.ends(self.at)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "at": self.at.isoformat(),
            "robot": self.robot,
            "is_draining": self.is_draining,
            "urls": dict(self.urls),
            "sites": dict(self.sites),
            "workers": [one.as_dict() for one in self.workers],
            "failing": dict(self.failing),
            "pages": self.pages,
            "rate": self.rate,
            **self.left.as_dict(self.at),
            "objects": self.objects or None,
            "segments": dict(self.segments),
        }


class StoredValues:
    """Settings as they are stored, in place of the folder of a crawl."""

    def __init__(self, values: Mapping[str, str], name: str) -> None:
        """Store them."""
        self._values, self.folder = values, name

    def settings(self) -> dict[str, str]:
        """Return all of them."""
        return dict(self._values)


class Fleet(Closing):
    """A fleet; use it as a context manager, or `close` it.

    Args:
        url: The URL of its database and schema; see `goodbot.store.PostgresStore`.

    Raises:
        StoreError: The database cannot be opened; see `goodbot.store.PostgresStore`.
        WrongValueError: It is no URL of PostgreSQL.

    """

    def __init__(self, url: str) -> None:
        """Connect; upgrade the tables of an older version. Only `make` makes any."""
        self.url = url
        self._server = PostgresServer(url, ())
        try:
            self._has_table = bool(self._server.rows(HAS_TABLE, (self._server.schema,)))
            if self._has_table:
                self._server.make_tables(TABLES)
            if self._stored():
                self._server.make_tables((queue_tables(),))
        except BaseException:
            self._server.close()
            raise
        self.manifest = Manifest(self._server)
        """What is in its object storage."""
        self.name = self._server.name
        """How to show the database."""

    def close(self) -> None:
        """Close all connections."""
        self._server.close()

    @property
    def server(self) -> PostgresServer:
        """Its database."""
        return self._server

    # Orders.

    def _stored(self) -> list[tuple[Any, ...]]:
        """Return the row with the orders, if there is a fleet.

        A reader makes no tables where the URL is misspelt, so they may be missing.
        """
        self._has_table = self._has_table or bool(
            self._server.rows(HAS_TABLE, (self._server.schema,))
        )
        return self._server.rows(READ) if self._has_table else []

    @property
    def partitions(self) -> int:
        """In how many parts the URLs of its queue are; 0 if there is no queue yet."""
        ((count,),) = self._server.rows(PARTITIONS_MADE, (self._server.schema,))
        return int(count)

    def make(
        self, given: GivenSettings, *, objects: str = "", partitions: int = PARTITIONS
    ) -> None:
        """Make a fleet with some settings.

        Args:
            given: The settings.
            objects: The URL of the object storage to which the results go; see `ObjectStorage`.
                Empty: they stay in the folders of the workers.
            partitions: In how many parts the URLs of the queue are, which cannot be changed later;
                from 1 to 512 (`docs/explanation/fleets.md` says which).

        Raises:
            MisuseError: There is one already, a queue with another number of partitions is there,
                the object storage is not empty, or a setting is invalid.
            MissingExtraError: obstore is not installed.
            StoreError: The object storage cannot be read or written, or the tables of the queue
                cannot be made.
            WrongTypeError: `partitions` is no whole number.
            WrongValueError: `partitions` is out of range.

        """
        check_partitions(partitions)
        text = text_of(CrawlSettings().merged(given))
        if self._stored():
            there = self.partitions
            other = "" if there == partitions else f", whose queue has {there} partitions"
            message = (
                f"there is a fleet in {self.name} already{other}; name another schema with "
                "?schema=NAME, or add URLs to it: goodbot fleet add"
            )
            raise MisuseError(message)
        if objects:
            objects = empty_storage(objects)
        self._server.make_tables((*TABLES, queue_tables(partitions)))
        there = self.partitions
        if there != partitions:
            message = (
                f"there is a queue with {there} partitions in {self.name} already, which cannot be "
                f"changed; make the fleet with {there}, or name another schema with ?schema=NAME"
            )
            raise MisuseError(message)
        self._server.rows(MAKE, (text, objects))

    def orders(self) -> FleetOrders:
        """Return what all workers do.

        Raises:
            NoCrawlError: There is no fleet.

        """
        rows = self._stored()
        if not rows:
            message = f"there is no fleet in {self.name}; make one: goodbot fleet init"
            raise NoCrawlError(message)
        text, revision, is_draining, objects = rows[0]
        values = cast("Database", StoredValues(json.loads(text), self.name))
        settings = CrawlSettings.read(values)
        assert settings is not None  # noqa: S101  `text_of` wrote all of them
        return FleetOrders(settings, revision, is_draining, objects)

    def publishing_orders(self) -> FleetOrders:
        """Return what all workers do, if they put their results into object storage.

        Raises:
            MisuseError: They do not.
            NoCrawlError: There is no fleet.

        """
        orders = self.orders()
        if not orders.objects:
            message = (
                f"the results of the fleet in {self.name} are in the folders of its workers; read "
                "those, or make a fleet with object storage"
            )
            raise MisuseError(message)
        return orders

    def add(self, start: Iterable[Address]) -> int:
        """Add URLs to start at, and their sites to what belongs to the crawl.

        They are visited after half a minute, when all workers know it.

        Args:
            start: The origin and the URL of each.

        Returns:
            How many are new.

        """
        pairs = tuple(start)
        while True:
            orders = self.orders()
            settings = orders.settings.merged(GivenSettings(start=pairs))
            if settings == orders.settings:
                break
            if self._server.rows(CHANGE, (text_of(settings), orders.revision)):
                break
        ((now,),) = self._server.rows(NOW)
        due = to_datetime(now + round(DELAY * 1_000_000)) or datetime.now(timezone.utc)
        found = [
            to_candidate(Discovery(url, "start"), 0, settings.bounds.refuses) for _, url in pairs
        ]
        frontier = PostgresFrontier(self.url, group_of=orders.group_of)
        try:
            before = sum(frontier.how_many().values())
            frontier.add([one for one in found if one is not None], due)
            return sum(frontier.how_many().values()) - before
        finally:
            frontier.close()

    def drain(self, *, begin: bool = True) -> None:
        """End all workers in order, or let workers begin again.

        Args:
            begin: Whether they are to end.

        """
        self.orders()
        self._server.rows(DRAIN, (begin,))

    def status(self) -> FleetStatus:
        """Return the state of the fleet."""
        orders = self.orders()
        ((now,),) = self._server.rows(NOW)
        counts = {state: row for state, *row in self._server.rows(STATES_OF_URLS)}
        sites = Counter(dict(self._server.rows(STATES_OF_SITES)))
        rate, left = self._outlook(now)
        return FleetStatus(
            time_of(now),
            orders.settings.robot,
            orders.is_draining,
            {state: counts[state][0] for state in STATES if state in counts},
            sum(pages for _, pages in counts.values()),
            {state: sites[state] for state in ("leased", "due", "waiting", "idle")},
            [
                WorkerStatus(
                    name, groups, time_of(ends), None if seen is None else time_of(seen), is_alive
                )
                for name, ends, seen, is_alive, groups in self._server.rows(WORKERS)
            ],
            dict(self._server.rows(FAILING, (MOST_FAILING,))),
            rate,
            left,
            orders.objects,
            self.manifest.counts() if orders.objects else {},
        )

    def _outlook(self, now: int) -> tuple[float | None, TimeLeft]:
        """Return the URLs a second lately, and how long all that are queued will take."""
        ((count, first, last),) = self._server.rows(LATELY, (now - SOON,))
        lately = last - first if count >= FEWEST_VISITS else 0
        rate = (count - 1) * SECOND / lately if lately else None
        values = {
            "now": now,
            "hour": now - HOUR,
            "day": now - DAY,
            "fewest": FEWEST_VISITS,
            "most": MOST_SLOW,
        }
        ((unknown, queued),) = self._server.rows(UNPACED, values)
        slowest = [
            SitePace(name, waiting, gap / SECOND, wait / SECOND, "measured")
            for name, waiting, gap, wait in self._server.rows(SLOWEST, values)
        ]
        return rate, time_left(slowest, rate, queued=int(queued or 0), unknown=unknown)


def check_partitions(partitions: object) -> None:
    """Raise unless it can be a number of partitions.

    Raises:
        WrongTypeError: It is no whole number.
        WrongValueError: It is out of range.

    """
    if not isinstance(partitions, int) or isinstance(partitions, bool):
        message = f"partitions must be a whole number such as 16, not {partitions!r}"
        raise WrongTypeError(message)
    if not 1 <= partitions <= MOST_PARTITIONS:
        message = f"partitions must be from 1 to {MOST_PARTITIONS:,}; it is {partitions}"
        raise WrongValueError(message)


def empty_storage(url: str) -> str:
    """Return the URL of an object storage for a new fleet, as it is stored.

    Raises:
        MisuseError: It has objects: `sweep` would remove what another fleet has settled there.
        StoreError: It cannot be read or written.

    """
    from goodbot.crawl.fleet.object_storage import checked_storage  # noqa: PLC0415  an extra

    storage = checked_storage(url)
    if any(storage.names()):
        message = (
            f"there are objects in {storage.url} already, and a fleet needs a place of its own; "
            "name a new folder of it"
        )
        raise MisuseError(message)
    return storage.url


def text_of(settings: CrawlSettings) -> str:
    """Return settings as they are stored.

    Raises:
        MisuseError: The robot has no name, page or contact.

    """
    identity = settings.identity
    return json.dumps(replace(settings, config="").as_texts(identity.name, identity.product))


def time_of(microseconds: int) -> datetime:
    """Return a time of the server."""
    return to_datetime(microseconds) or datetime.max.replace(tzinfo=timezone.utc)
