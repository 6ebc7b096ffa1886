"""Two crawls that share a store in PostgreSQL, as they share one in a file."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl import Crawl, Summary
from goodbot.testing import FakeSite
from tests.support.postgres import PostgresCluster, cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.store import PostgresStore

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

__all__ = ["cluster"]


@pytest.fixture
def store(cluster: PostgresCluster) -> Iterator[PostgresStore]:
    """Open a store, which is called without threads: the clock of a test waits for none."""
    from goodbot.store import PostgresStore  # noqa: PLC0415  needs the extra

    with PostgresStore(cluster.new_url()) as store:
        store.at_once = True  # type: ignore[attr-defined]
        yield store


def test_two_crawls_keep_one_pace(store: PostgresStore, tmp_path: Path) -> None:
    """Robots.txt is fetched once, and no two visits of both are closer than the site asks."""
    pages = {f"/{name}": "<p>A lamp." for name in "abc"}
    links = "".join(f"<a href={path}>x</a>" for path in pages)
    site = FakeSite({"/robots.txt": "User-agent: *\nCrawl-delay: 5", "/": links, **pages})
    site.clock.boot = "one start of one machine"

    async def crawl_both() -> None:
        crawls = [
            Crawl(
                tmp_path / name,
                "ExampleBot/1.0",
                info_url="https://example.com/bot",
                contact="bot@example.com",
                start=["https://a.example/"],
                fetcher=site,
                clock=site.clock,
                store=store,
            )
            for name in ("one", "two")
        ]
        await asyncio.gather(*(crawl.run() for crawl in crawls))

    asyncio.run(crawl_both())
    paths = [visit.path for visit in site.visits]
    assert paths.count("/robots.txt") == 1
    assert sorted(paths) == sorted(["/robots.txt", *2 * ["/", "/a", "/b", "/c"]])
    times = [visit.at for visit in site.visits]
    gaps = [(after - before).total_seconds() for before, after in pairwise(times)]
    assert min(gaps) >= 5


@pytest.mark.stress
def test_two_crawls_share_one_queue(
    store: PostgresStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each URL is visited by one of them, and each robots.txt fetched once."""
    from goodbot.crawl.frontier import postgres  # noqa: PLC0415  needs the extra

    # The clock of the test is faster than that of the leases.
    monkeypatch.setattr(postgres, "LOOK_AGAIN", 0.001)

    hosts = [f"https://{name}.example" for name in "abcdef"]
    links = "".join(f"<a href={host}/{page}>x</a>" for host in hosts for page in ("", 1, 2))
    page = f"<title>A lamp</title>{links}"
    site = FakeSite(
        {"/robots.txt": "User-agent: *\nCrawl-delay: 2", "/": page, "/1": page, "/2": page}
    )
    site.clock.boot = "one start of one machine"

    async def crawl_both() -> list[Summary]:
        crawls = [
            Crawl(
                tmp_path / name,
                "ExampleBot/1.0",
                info_url="https://example.com/bot",
                contact="bot@example.com",
                start=["https://a.example/"],
                bounds={"origins": frozenset(hosts)},
                fetcher=site,
                clock=site.clock,
                store=store,
                frontier=postgres.PostgresFrontier(store.url, name=name, most_groups=2),
            )
            for name in ("one", "two")
        ]
        return await asyncio.gather(*(crawl.run() for crawl in crawls))

    one, two = asyncio.run(crawl_both())
    requested = [visit.url for visit in site.visits]
    wanted = [f"{host}{path}" for host in hosts for path in ("/robots.txt", "/", "/1", "/2")]
    assert sorted(requested) == sorted(wanted)
    assert one.pages + two.pages == 18
    assert min(one.pages, two.pages) > 0
    assert one.urls["done"] == 18
