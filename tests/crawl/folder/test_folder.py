"""The folder of a crawl, and odd URLs and links."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Database
from goodbot.errors import NoOriginError, StoreBusyError, StoreFullError
from goodbot.testing import FakeClock, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import (
    SITE,
    crawl,
    crawl_at,
    html,
    kept,
    numbered,
    pages_at,
    searched,
    site_of,
)

# The folder.


def test_two_crawls_in_one_folder(tmp_path: Path) -> None:
    """The second raises an error, and the first continues."""
    site = FakeSite(numbered(3), clock=FakeClock())
    errors: list[str] = []

    def intrude(visit: FakeVisit) -> str:
        with pytest.raises(StoreBusyError, match="another crawl is running") as raised:
            crawl_at(tmp_path, site).run().send(None)
        errors.append(str(raised.value))
        return html(visit.path)

    site.routes["/p1"] = intrude
    assert crawl(tmp_path, site).summary.pages == 4
    assert len(errors) == 1


class FullDatabase(Database):
    """A database that has room for only so many pages."""

    room = 40

    def __init__(self, folder: Any, **options: Any) -> None:  # noqa: ANN401
        """Open the file and limit its size."""
        super().__init__(folder, **options)
        self._connection.execute(f"PRAGMA max_page_count = {self.room}")


@pytest.mark.stress
@pytest.mark.parametrize("room", [55, 60, 65, 70, 75, 80])
def test_a_full_disk_ends_the_crawl_with_whole_files(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to do; with room again, nothing is missing and nothing is there twice."""
    pages = {path: html(f"{path[1:]} lamp " + path * 2000, *numbered(30)) for path in numbered(30)}
    site = FakeSite({**pages, "/robots.txt": "User-agent: *\nCrawl-delay: 2"}, clock=FakeClock())
    monkeypatch.setattr(FullDatabase, "room", room)
    monkeypatch.setattr("goodbot.crawl.run.crawl.Database", FullDatabase)
    with pytest.raises(StoreFullError, match="room"):
        crawl(tmp_path, site)
    monkeypatch.undo()
    with Database(tmp_path) as database:
        assert database.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert crawl(tmp_path, site).summary.ended == "nothing-left"
    assert searched(tmp_path, "lamp", site.clock.now()) == sorted(pages)
    assert all(
        after.monotonic - before.monotonic >= 2 - 1e-5
        for before, after in pairwise(site.visits)
        if after.path != "/robots.txt"
    )
    assert all(kept(tmp_path, SITE + path) for path in pages)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The message says to name another folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="name another folder"):
        crawl(tmp_path / "file" / "in", FakeSite({}))


# URLs.


class SiteOfLamps(FakeSite):
    """A site with a page at every path."""

    def _route(self, url: str) -> Any:  # noqa: ANN401  as FakeSite has it
        return super()._route(url) if url.endswith("/robots.txt") else html("lamp")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example:8443/x",
        "http://[2001:db8::1]/x",
        "https://xn--bcher-kva.example/x",
        "https://a.example/%FF%00?q=%E2%82%AC#top",
        "https://user:word@a.example/x",
        "https://a.example/" + "l" * 1900,
        "https://bücher.example/käse?s=ß",
        "https://a.example/a b|c\\d/../e",
    ],
)
def test_odd_urls_are_visited(url: str, tmp_path: Path) -> None:
    """They are visited and found by a search; user name and password are not sent."""
    site = SiteOfLamps({"/robots.txt": 404}, clock=FakeClock())
    done = crawl(tmp_path, site, url)
    assert done.summary.urls == {"done": 1}
    assert len(searched(tmp_path, "lamp")) == 1
    assert not any("word" in visit.url for visit in site.visits)


def test_odd_links_do_no_harm(tmp_path: Path) -> None:
    """Links that are not URLs of the web are ignored; the others are followed."""
    odd = [
        "http://",
        "https://[",
        "mailto:a@b.example",
        "javascript:1",
        "//",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "https://a.example:99999/",
        "/ok",
        "?",
        "#x",
        "data:,x",
        "https:///nowhere",
        "ftp://a.example/",
        "/\u0000/x",
        "http://a.example\\@b/",
    ]
    site = site_of(home=html("x", *odd), ok=html("fine"))
    done = crawl(tmp_path, site)
    assert done.summary.ended == "nothing-left"
    assert "/ok" in pages_at(site.visits)
    assert all(visit.url.startswith(SITE) for visit in site.visits)


def test_no_crawl_begins_at_what_is_no_url(tmp_path: Path) -> None:
    """An invalid start URL raises before the folder is created."""
    with pytest.raises(NoOriginError):
        crawl_at(tmp_path / "new", FakeSite({}), "a.example")
    assert not (tmp_path / "new").exists()
