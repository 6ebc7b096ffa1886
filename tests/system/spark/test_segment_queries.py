"""The queries of the how-to on segments, asked by Spark."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.fleet.test_segments import HOW_TO, at_once, blocks, made, site, worker
from tests.support.postgres import PostgresCluster, cluster
from tests.support.program import run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["at_once", "cluster"]

pytestmark = [
    # PySpark leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.usefixtures("at_once"),
]


def test_spark_answers_the_queries_of_the_page(
    spark: Any,  # noqa: ANN401  a session
    cluster: PostgresCluster,
    tmp_path: Path,
) -> None:
    """With the same text as DuckDB, over the files that the manifest names."""
    url = cluster.new_url()

    async def crawl() -> str:
        async with site() as one:
            with made(url, (tmp_path / "objects").as_uri()) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                await worker(url, tmp_path / "a").run()
            return one.origin

    origin = asyncio.run(crawl())
    names: dict[str, Any] = {}
    exec("".join(blocks(HOW_TO, "python")), names)  # noqa: S102  of our own page
    names["files_of"] = lambda database, kind: (
        run("fleet", "segments", database, "--kind", kind).stdout.decode().split()
    )
    names["open_in_spark"](spark, url)
    asked = [
        [tuple(row) for row in spark.sql(one).collect()]
        for one in blocks(HOW_TO, "sql")
        if one.startswith("SELECT")
    ]
    of_sites, gaps, leases, robots_txt, forbidden, broken = asked
    assert of_sites == [(origin, 8, 5, 1)]
    assert gaps[0][1] >= timedelta(seconds=0.05)
    assert [(one, overlaps) for one, _, overlaps in leases] == [(origin, 0)]
    assert robots_txt == [(origin, 1, 1)]
    assert ("fetch", "rule-disallows", "Disallow: /secret", 1) in forbidden
    assert broken == [(f"{origin}/", f"{origin}/gone", 404)]
