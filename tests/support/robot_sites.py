"""Helpers for the tests of the robot: a robot that never waits in real time, and sites for it."""

import asyncio
import datetime as dt
import zlib
from collections.abc import Coroutine
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import goodbot
from goodbot.net import DEFAULT_LIMITS, HeaderFields, Limits, Response
from goodbot.store import Lease, MemoryStore
from goodbot.testing import Answer, Behaviour, FakeClock, FakeSite, LoopbackVisit
from goodbot.testing import FakeVisit as Asked
from goodbot.testing.behaviours import ROBOTS_TXT, behaviour
from goodbot.testing.steps import CLOSE, Pause

ME: dict[str, Any] = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
SITE, OTHER = "https://a.example", "https://b.example"
MOST_UNPACKED = 4 * 1024 * 1024
Answering = TypeVar("Answering")


def run(task: Coroutine[Any, Any, Answering]) -> Answering:
    """Run a task in its own event loop."""
    return asyncio.run(task)


def robot_at(site: FakeSite, **options: Any) -> goodbot.Robot:  # noqa: ANN401 - of many types
    """Return a robot that visits a site, on the site's clock."""
    given: dict[str, Any] = {"fetcher": site, "clock": site.clock, **ME, **options}
    return goodbot.Robot("ExampleBot/1.0", **given)


def site_with(robots_txt: Any = 404, **routes: Any) -> FakeSite:  # noqa: ANN401 - as FakeSite has it
    """Return a site with a robots.txt and pages, named by their paths."""
    pages = {f"/{name}": answer for name, answer in routes.items()}
    return FakeSite({"/robots.txt": robots_txt, "/": "Home", "/a": "A", **pages}, clock=FakeClock())


def no_lease_is_out(store: MemoryStore, *origins: str) -> bool:
    """Return whether every lease was returned."""
    for origin in origins or (SITE, OTHER):
        account = store._accounts.get(origin)  # noqa: SLF001 - a lost lease shows here
        if account is not None and account.held:
            return False
    return True


def gaps(visits: list[Asked]) -> list[float]:
    """Return the seconds between the starts of visits."""
    times = [visit.monotonic for visit in visits]
    return [after - before for before, after in pairwise(times)]


def is_free(store: MemoryStore, at: dt.datetime, origin: str = SITE) -> bool:
    """Return whether another robot would be granted a lease."""
    return isinstance(store.acquire(origin, at, lease_seconds=1, holder="another"), Lease)


def site_behaving_as(name: str) -> FakeSite:
    """Return a site in memory that answers like a row of the table of behaviours."""
    one = behaviour(name)
    clock = FakeClock()
    counts: dict[str, int] = {}

    def answer(asked: Asked, script_of: Behaviour) -> Answer:
        counts[asked.url] = counts.get(asked.url, 0) + 1
        origin = SITE if asked.url.startswith(SITE) else OTHER
        visit = LoopbackVisit(
            method="GET",
            target=asked.path,
            headers=asked.headers,
            at=asked.monotonic,
            origin=origin,
            other_origin=OTHER if origin == SITE else SITE,
            number=counts[asked.url],
        )
        return answered(script_of, visit)

    robots_txt = one if one.path == ROBOTS_TXT else behaviour("polite")
    routes: dict[str, Any] = {"/public": "Public", "/private/secret": "Secret", "/": "Home"}
    for path in (ROBOTS_TXT, "/moved/robots.txt"):
        routes[path] = lambda asked: answer(asked, robots_txt)
    if one.path != ROBOTS_TXT:
        routes[one.path] = lambda asked: answer(asked, one)
    return FakeSite(routes, clock=clock)


def answered(one: Behaviour, visit: LoopbackVisit) -> Answer:
    """Return what a behaviour sends, as an answer in memory."""
    if one.transport != "http":
        return Answer(failure="tls")
    content, seconds = b"", 0.0
    for step in one.answer(visit):
        if isinstance(step, Pause):
            seconds += step.seconds
        elif step == CLOSE:
            return Answer(failure="reset", seconds=seconds)
        else:
            assert isinstance(step, bytes)
            content += step
    head, _, body = content.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = [line.partition(": ") for line in lines]
    fields = tuple((field, value) for field, _, value in pairs)
    if ("Content-Encoding", "gzip") in fields:
        body = zlib.decompressobj(31).decompress(body, MOST_UNPACKED)
    return Answer(status=int(first.split()[1]), headers=fields, body=body, seconds=seconds)


@dataclass
class Seen:
    """One request to a watched site, from start to end."""

    origin: str
    path: str
    start: float
    end: float
    status: int | None
    retry_after: float | None
    headers: tuple[tuple[str, str], ...]
    was_broken_off: bool = False


class WatchedSite(FakeSite):
    """A site that also sees when each request ends."""

    def __init__(self, routes: Any, *, clock: FakeClock) -> None:  # noqa: ANN401 - as FakeSite has it
        """Start with no requests."""
        super().__init__(routes, clock=clock)
        self.seen: list[Seen] = []

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Answer, and record how it went."""
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        fields = tuple(headers)
        now = self.clock.monotonic()
        seen = Seen(f"{scheme}://{host}", f"/{path}", now, now, None, None, fields)
        self.seen.append(seen)
        try:
            response = await super().fetch(url, headers=fields, limits=limits)
            seen.status = response.status
            after = response.field("Retry-After")
            seen.retry_after = None if after is None else float(after)
        except asyncio.CancelledError:
            seen.was_broken_off = True
            raise
        finally:
            seen.end = self.clock.monotonic()
        return response
