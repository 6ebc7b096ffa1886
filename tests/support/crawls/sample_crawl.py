"""A small crawl of sites in memory, recorded as evidence, for the tests of evidence."""

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import Any

import goodbot
from goodbot.crawl.evidence import rows
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.protocol import Outcome, QueueEntry
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.http.address import address_of
from goodbot.http.instants import SECOND
from goodbot.pace import Manners
from goodbot.robot import Event, Robot
from goodbot.robot.events import Failed, Fetched
from goodbot.testing import Answer, FakeClock, FakeSite

SHOP, NEWS, DOWN, BUSY = (f"https://{name}.example" for name in ("shop", "news", "down", "busy"))
HOSTILE = "https://shop.example/%3Cscript%3Ealert(1)%3C/script%3E?a=1&b=%27%22"
SHOP_RULES = (
    "# The shop\nUser-agent: *\nCrawl-delay: 5\nDisallow: /private\nDisallow: /till\nAllow: /\n"
)
NEWS_RULES = "User-agent: ExampleBot\nRequest-rate: 1/20\nDisallow: /drafts\n"
MARKED = (
    "<html><head><title>Lamps</title></head><body>\n<p>One</p>\n"
    "<p>Two <span data-nosnippet>three</span></p>\n"
    "<p><a rel=nofollow href=/till>till</a></p></body></html>"
)
NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)
HTML = [("Content-Type", "text/html; charset=utf-8")]
URLS = [
    f"{SHOP}/",
    f"{SHOP}/private/diary",
    f"{SHOP}/till",
    f"{SHOP}/lamps",
    f"{SHOP}/secret",
    f"{SHOP}/moved",
    f"{SHOP}/gone",
    HOSTILE,
    f"{NEWS}/",
    f"{NEWS}/drafts/1",
    f"{NEWS}/archive",
    f"{NEWS}/slow",
    f"{DOWN}/a",
    f"{BUSY}/a",
    f"{BUSY}/b",
]

PERMITTED = {f"{NEWS}/archive": "by permission of the owner of the site"}
"""By which permission a URL was requested, beside what robots.txt says of it."""


def routes() -> dict[str, Any]:
    """Return the content of each URL."""
    return {
        f"{SHOP}/robots.txt": SHOP_RULES,
        f"{SHOP}/": Answer(body=b"<title>Shop</title><p>Hello", headers=HTML),
        f"{SHOP}/lamps": Answer(body=MARKED.encode(), headers=HTML),
        f"{SHOP}/secret": Answer(
            body=b'\n<meta name="robots" content="noindex, noarchive"><p>x', headers=HTML
        ),
        f"{SHOP}/moved": Answer(status=301, headers=[("Location", "/lamps")]),
        HOSTILE: Answer(
            body=b"<p>x", headers=[*HTML, ("X-Robots-Tag", "noindex, <script>alert(2)</script>")]
        ),
        f"{NEWS}/robots.txt": NEWS_RULES,
        f"{NEWS}/": Answer(body=b"<p>News", headers=HTML),
        f"{NEWS}/archive": Answer(
            body=b"<p>Old",
            headers=[*HTML, ("X-Robots-Tag", "noarchive"), ("crawler-charged", "USD 0.01")],
        ),
        f"{NEWS}/slow": Answer(failure="timeout"),
        f"{DOWN}/robots.txt": Answer(failure="refused"),
        f"{BUSY}/robots.txt": 404,
        f"{BUSY}/a": Answer(status=503, headers=[("Retry-After", "120")]),
        f"{BUSY}/b": Answer(body=b"<p>b", headers=HTML),
    }


class SampleCrawl:
    """Visits every URL in order, and records the results."""

    def __init__(self, folder: Path, manners: Manners | None = None) -> None:
        """Create the file."""
        self.clock = FakeClock()
        self.site = FakeSite(routes(), clock=self.clock)
        self.database = Database(folder, create=True)
        self.evidence = Evidence(self.database)
        self.manners = manners or Manners()
        self.frontier = SQLiteFrontier(self.database, self.clock.now())

    def on_event(self, event: Event) -> None:
        """Record requests."""
        if isinstance(event, Fetched | Failed):
            self.evidence.requested(event)

    def robot(self) -> Robot:
        """Return the robot."""
        return goodbot.Robot(
            "ExampleBot/1.0",
            info_url="https://example.com/bot",
            contact="bot@example.com",
            store=self.database.store,
            fetcher=self.site,
            clock=self.clock,
            manners=self.manners,
            on_event=self.on_event,
        )

    def add(self, urls: list[str], skip_reason: str = "", source: str = "") -> None:
        """Queue URLs."""
        places = []
        for url in urls:
            origin, address = address_of(url)
            place = QueueEntry(address, origin, depth=0, skip_reason=skip_reason, source=source)
            places.append((Discovery(address, "start"), place))
        self.frontier.add(places, self.clock.now())

    def settings(self) -> None:
        """Write the settings of the run."""
        manners = {name: getattr(self.manners, name) for name in ("floor", "factor", "default")}
        told = {
            "robot": "ExampleBot/1.0",
            "info_url": "https://example.com/bot",
            "contact": "bot@example.com",
            "started": self.clock.now().isoformat(),
            "bounds": json.dumps({"pages": 100}),
            "manners": json.dumps(manners),
            "dialect": "rfc9309",
            "made_with": "goodbot 0.1.0, knowledge of 2026-11-21",
        }
        self.database.write_settings(told)

    async def run(self) -> None:
        """Visit the queued URLs."""
        async with self.robot() as robot:
            while True:
                taken = self.frontier.take(self.clock.now())
                if taken is None:
                    return
                settled, row = await self._visit(robot, taken.url)
                self.evidence.keep(taken.id, row, taken.visit)
                now = self.clock.now()
                self.frontier.settle(taken, settled, now)
                self.frontier.free(taken, None)

    async def _visit(self, robot: Robot, url: str) -> tuple[Outcome, rows.EvidenceRow]:
        clock = self.clock
        verdict = await robot.may_fetch(url)
        try:
            visit = await robot.visit(url, longest_wait=100, redirects=False)
        except Disallowed as error:
            row = rows.refused(clock.now(), error.verdict)
            return Outcome("disallowed", error.verdict.reason, error.verdict.source), row
        except Deferred as error:
            row = rows.deferred(clock.now(), error.until, error.reason, error.because)
            return Outcome("queued", error.reason, due=error.until), row
        except FetchError as error:
            what = error.what.removeprefix(f"{error.url}: ")
            row = rows.failed(clock.now(), error.kind, what, verdict)
            return Outcome("failed", error.kind, what), row
        response = visit.response
        is_page = not 300 <= response.status < 400
        page = visit.page if is_page else None
        said = PERMITTED.get(url, "")
        row = rows.visited(clock.now(), visit.verdict, response.status, page, permission=said)
        state: Any = "done" if is_page else "redirected"
        due = clock.now() + dt.timedelta(days=1)
        return Outcome(state, "", status=response.status, due=due), row


def sample(folder: Path, manners: Manners | None = None) -> SampleCrawl:
    """Crawl the sample into a folder; one URL is skipped, and one was not reached."""
    crawl = SampleCrawl(folder, manners)
    crawl.settings()
    crawl.add(URLS)
    asyncio.run(crawl.run())
    crawl.add([f"{SHOP}/deep"], skip_reason="too-deep", source="bounds: depth 3")
    crawl.add([f"{SHOP}/later"])
    return crawl


def put_policy(database: Database, rules: str, now: dt.datetime) -> goodbot.Policy:
    """Store a robots.txt of the shop."""
    policy = goodbot.Policy.from_response(f"{SHOP}/robots.txt", 200, {}, rules, now=now)
    database.store.put(SHOP, policy.as_record(), now)
    return policy


def add_url(database: Database, url: str, origin: str) -> None:
    """Add one URL to the queue."""
    with database.changing() as connection:
        connection.execute("INSERT INTO origins VALUES(1, ?)", (origin,))
        connection.execute(
            "INSERT INTO urls(id, url, origin, depth, hops, how, state) "
            "VALUES(1, ?, 1, 0, 0, 'start', 'done')",
            (url,),
        )


def add_requests(database: Database, starts: list[float]) -> None:
    """Add requests for a page of the shop, each this many seconds after noon and over at once."""
    noon = int(NOON.timestamp()) * SECOND
    with database.changing() as connection:
        for start in starts:
            at = noon + round(start * SECOND)
            connection.execute(
                "INSERT INTO requests(origin, url, purpose, started, ended, status) "
                "VALUES(?, ?, 'page', ?, ?, 200)",
                (SHOP, f"{SHOP}/a", at, at),
            )
