"""Two crawls that share a store in PostgreSQL, as they share one in a file."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl import Crawl
from goodbot.testing import FakeSite
from tests.support.postgres import PostgresCluster, cluster

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

__all__ = ["cluster"]


def test_two_crawls_keep_one_pace(cluster: PostgresCluster, tmp_path: Path) -> None:
    """Robots.txt is fetched once, and no two visits of both are closer than the site asks."""
    pages = {f"/{name}": "<p>A lamp." for name in "abc"}
    links = "".join(f"<a href={path}>x</a>" for path in pages)
    site = FakeSite({"/robots.txt": "User-agent: *\nCrawl-delay: 5", "/": links, **pages})
    url = cluster.new_url()

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
                store=url,
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
