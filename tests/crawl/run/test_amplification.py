"""Small responses take little disk space: each test sends some and measures the folder."""

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, Crawl, Database
from goodbot.crawl.evidence.export import rows
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.evidence.skipped import not_kept_links, skipped_urls
from goodbot.testing import Answer, FakeSite

pytestmark = pytest.mark.stress

SITE = "https://a.example"
KB, MB = 1_000, 1_000_000


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def crawl(folder: Path, site: FakeSite, **settings: Any) -> Any:  # noqa: ANN401  a summary
    """Crawl a site in memory."""
    crawl = Crawl(
        folder,
        "ExampleBot/1.0",
        info_url="https://example.com/bot",
        contact="bot@example.com",
        start=[f"{SITE}/"],
        fetcher=site,
        clock=site.clock,
        **settings,
    )
    return asyncio.run(crawl.run())


def html(*pieces: str) -> Answer:
    """Respond with a page."""
    return Answer(body="".join(pieces).encode(), headers=[("Content-Type", "text/html")])


def test_a_long_rule_is_kept_once(tmp_path: Path) -> None:
    """For 500 links disallowed by a rule of 480 KB, only the beginning of the line is stored."""
    rule = "Disallow: /private" + "*" * 480 * KB
    site = FakeSite(
        {
            "/robots.txt": f"User-agent: *\n{rule}\n",
            "/": html(*(f"<a href=/private/{number}>x</a>" for number in range(500))),
        }
    )
    crawl(tmp_path, site)
    assert size_of(tmp_path) < 3 * MB
    with closing(Database(tmp_path)) as database:
        history = history_of(database, f"{SITE}/private/7")
        assert history is not None
        assert history.state == "disallowed"
        fetch = history.asks[0].verdicts[0]
        assert fetch.line == 2
        assert fetch.text.startswith("Disallow: /private*")
        assert len(fetch.text) <= 300
        assert history.asks[0].robots_txt is not None
        assert history.asks[0].robots_txt.sha256 is not None
        assert [line.number for line in history.asks[0].quoted if line.decides] == [2]
        assert len(json.dumps(history.as_dict())) < 10 * KB
        for row in rows(database):
            assert len(row["text"] or "") <= 300
            assert len(row["sentence"] or "") < 2 * KB
        assert all(len(one.source) < 300 for one in skipped_urls(database))


def test_what_is_not_queued_is_kept_short_and_counted(tmp_path: Path) -> None:
    """Of many long links to other sites some are stored as prefix and digest, others counted."""
    long = "b" * 800
    pages = {
        f"/{page}": html(
            f"<base href='https://b.example/{long}/'>",
            *(f"<a href='{page}-{number}'>x</a>" for number in range(1_200)),
        )
        for page in range(20)
    }
    start = html(*(f"<a href=/{page}>x</a>" for page in range(20)))
    site = FakeSite({"/robots.txt": "", "/": start, **pages})
    summary = crawl(tmp_path, site)
    found = 20 * 1_200
    assert summary.pages == 21
    assert summary.urls["skipped"] == 20 * 1_000
    assert summary.urls["skipped"] + summary.not_kept == found
    assert size_of(tmp_path) < 25 * MB
    with closing(Database(tmp_path)) as database:
        first = next(iter(skipped_urls(database)))
        assert len(first.url) < 400
        history = history_of(database, f"https://b.example/{long}/0-0")
        assert history is not None
        assert history.reason == "other-origin"
        assert not_kept_links(database) == {"other-origin": summary.not_kept}


def test_a_page_queues_no_more_than_so_many(tmp_path: Path) -> None:
    """Further links are counted; links to known URLs do not count."""
    links = "".join(f"<a href={number}>x" for number in range(12_000))
    site = FakeSite({"/robots.txt": "", "/": html("<a href=/>x", links)})
    summary = crawl(tmp_path, site, bounds=Bounds(pages=1))
    assert summary.urls["queued"] == 10_000
    assert summary.not_kept == 2_000
    with closing(Database(tmp_path)) as database:
        assert not_kept_links(database) == {"too-many-links": 2_000}


def test_what_was_left_out_is_queued_when_somebody_lets_it(tmp_path: Path) -> None:
    """The same holds also for URLs of which only a prefix and a digest are stored."""
    path = "/" + "c" * 1_000
    site = FakeSite(
        {
            "/robots.txt": "",
            "/": html(f"<a href={path} rel=nofollow>x</a><a href=/b>y</a>"),
            "/b": html(f"<a href={path}>x</a>"),
            path: html("found"),
        }
    )
    summary = crawl(tmp_path, site)
    assert summary.urls == {"done": 3}
    with closing(Database(tmp_path)) as database:
        history = history_of(database, SITE + path)
        assert history is not None
        assert (history.url, history.state) == (SITE + path, "done")


def test_the_folder_has_a_limit(tmp_path: Path) -> None:
    """Pages that compress well do not fill the disk: the crawl ends, and can be resumed."""
    pages = {
        f"/{number}": html(f"<a href=/{number + 1}>x</a>", f"<p>{number} word" * 20_000)
        for number in range(60)
    }
    site = FakeSite({"/robots.txt": "", "/": html("<a href=/0>x</a>"), **pages})
    summary = crawl(tmp_path, site, bounds=Bounds(disk=2 * MB, depth=None))
    assert summary.ended == "disk-limit"
    assert 0 < summary.pages < 40
    assert size_of(tmp_path) < 6 * MB
    before = summary.pages
    again = crawl(tmp_path, site, bounds=Bounds(disk=2 * MB, depth=None))
    assert (again.ended, again.pages) == ("disk-limit", 0)
    rest = crawl(tmp_path, site, bounds=Bounds(disk=200 * MB, depth=None))
    assert rest.ended == "nothing-left"
    assert before + rest.pages == 61


def test_an_index_of_sitemaps_brings_so_many(tmp_path: Path) -> None:
    """Of a sitemap index with 5,000 entries, 1,000 are queued and the others counted."""
    listed = "".join(f"<sitemap><loc>{SITE}/s{number}</loc></sitemap>" for number in range(5_000))
    site = FakeSite(
        {
            "/robots.txt": f"Sitemap: {SITE}/index.xml\n",
            "/": html("a"),
            "/index.xml": f"<sitemapindex>{listed}</sitemapindex>",
        }
    )
    summary = crawl(tmp_path, site)
    assert summary.pages == 1
    assert summary.urls == {"done": 1_001}
    with closing(Database(tmp_path)) as database:
        assert not_kept_links(database) == {"too-many-sitemaps": 4_001}
