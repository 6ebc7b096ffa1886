"""A crawl copes with changes and unexpected errors."""

from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, Database
from goodbot.crawl.folder.journal import Journal, Note
from goodbot.crawl.index.indexable import document_of
from goodbot.errors import StoreFullError
from goodbot.pace import Manners
from goodbot.store import NotAStoreError, SQLiteStore
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import OTHER, SITE, crawl, html, paths, rows, searched

DAY = 86_400


def test_a_rule_holds_through_an_outage(tmp_path: Path) -> None:
    """While robots.txt is unreachable its stored copy is obeyed (RFC 9309 section 2.3.1.4)."""
    site = FakeSite({"/robots.txt": "", "/": html("lamp")}, clock=FakeClock())
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/"]
    site.clock.advance(2 * DAY)
    site.routes["/robots.txt"] = "User-agent: *\nDisallow: /"
    crawl(tmp_path, site)  # nothing is due, so nothing is requested
    site.clock.advance(8 * DAY)
    site.routes["/robots.txt"] = lambda visit: (
        "User-agent: *\nDisallow: /" if visit.monotonic < 10 * DAY + 10 else 503
    )
    crawl(tmp_path, site, again=True)
    assert rows(tmp_path)[f"{SITE}/"].state == "disallowed"
    assert searched(tmp_path, "lamp") == []
    site.clock.advance(31 * DAY)
    crawl(tmp_path, site, again=True)
    assert rows(tmp_path)[f"{SITE}/"].state in {"disallowed", "queued", "failed"}
    assert searched(tmp_path, "lamp") == []
    assert len(site.visits_to("/")) == 1


def test_new_bounds_hold_for_what_waits(tmp_path: Path) -> None:
    """URLs queued in an earlier run are skipped."""
    site = FakeSite(
        {"/": "<a href=/cart>a</a> <a href=/b>b</a>", "/cart": "x", "/b": "y"}, clock=FakeClock()
    )
    crawl(tmp_path, site, bounds=Bounds(pages=1))
    crawl(tmp_path, site, bounds=Bounds(exclude=("/cart",)))
    assert not site.visits_to("/cart")
    assert site.visits_to("/b")
    assert rows(tmp_path)[f"{SITE}/cart"].reason == "excluded"


class Odd(FakeSite):
    """A user's own fetcher with a bug."""

    async def fetch(self, url: str, **options: Any) -> Any:  # noqa: ANN401
        """Fetch, or fail with an unexpected error."""
        if url.endswith("/odd"):
            message = "nobody foresaw this"
            raise ValueError(message)
        return await super().fetch(url, **options)


def test_what_nobody_foresaw_costs_one_url(tmp_path: Path) -> None:
    """The other URLs are visited, and the evidence records the error."""
    links = "".join(f"<a href=/{name}>{name}</a>" for name in ("odd", "b", "c"))
    site = Odd({"/": links, "/b": html("lamp"), "/c": html("lamp")}, clock=FakeClock())
    crawl(tmp_path, site)
    row = rows(tmp_path)[f"{SITE}/odd"]
    assert (row.state, row.reason) == ("failed", "unforeseen")
    assert "nobody foresaw this" in row.source
    assert searched(tmp_path, "lamp") == ["/b", "/c"]


def test_a_page_that_cannot_be_read_costs_one_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds even if it is recorded together with others."""
    real = document_of

    def falls_over(page: Any, now: Any) -> Any:  # noqa: ANN401
        if page.url.endswith("/b"):
            raise ZeroDivisionError
        return real(page, now)

    monkeypatch.setattr("goodbot.crawl.run.page_batch.document_of", falls_over)
    links = "".join(f"<a href=/{name}>{name}</a>" for name in "abcde")
    pages = {f"/{name}": html("lamp") for name in "abcde"}
    quick = Manners(floor=0.0, factor=0.0, default=0.0)
    site = FakeSite({"/": links, **pages}, clock=FakeClock())
    crawl(tmp_path, site, manners=quick)
    assert searched(tmp_path, "lamp") == ["/a", "/c", "/d", "/e"]
    assert rows(tmp_path)[f"{SITE}/b"].reason == "unforeseen"
    assert len(site.visits_to("/c")) == 1


def test_what_is_not_there_is_looked_for_ever_later(tmp_path: Path) -> None:
    """The time is 1 day, then 2, 4, and up to 30."""
    site = FakeSite({"/": 404}, clock=FakeClock())
    for _ in range(60):
        crawl(tmp_path, site, again=True)
        site.clock.advance(DAY)
    days = [round(visit.monotonic / DAY) for visit in site.visits_to("/")]
    assert days[:5] == [0, 1, 3, 7, 15]
    site.routes["/"] = html("lamp")
    site.clock.advance(60 * DAY)
    crawl(tmp_path, site, again=True)
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/"]


def test_slow_sites_keep_nobody_from_others(tmp_path: Path) -> None:
    """The same holds for any number of origins, however short-lived their robots.txt is."""
    slow = [f"https://slow-{number}.example" for number in range(20)]
    file = Answer(body=b"User-agent: *\nCrawl-delay: 500", headers=[("Cache-Control", "max-age=0")])
    site = FakeSite(
        {
            **{f"{origin}/robots.txt": file for origin in slow},
            **{f"{origin}/": "<a href=/x>x</a>" for origin in slow},
            **{f"{origin}/x": "x" for origin in slow},
            f"{OTHER}/robots.txt": "User-agent: *\nCrawl-delay: 1",
            f"{OTHER}/": "".join(f"<a href=/{number}>x</a>" for number in range(100)),
            **{f"{OTHER}/{number}": "x" for number in range(100)},
        },
        clock=FakeClock(),
    )
    starts = [f"{origin}/" for origin in (*slow, OTHER)]
    crawl(tmp_path, site, *starts, workers=4, patience=None)
    quick = [visit.monotonic for visit in site.visits if visit.url.startswith(OTHER)]
    assert len(quick) == 102
    assert max(quick) < 200, "it waited for others"
    assert len(paths(tmp_path, "done")) == 101 + 2 * len(slow)
    for origin in slow:
        asked = site.visits_to(f"{origin}/robots.txt")
        assert len(asked) <= 3, "each turn went to asking"


def test_half_a_note_does_not_spoil_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk only part of it may be written."""
    import os  # noqa: PLC0415  to be changed

    notes = Journal(tmp_path)
    notes.add(Note(SITE, 1, 2))
    real = os.write
    with monkeypatch.context() as changed:
        changed.setattr(os, "write", lambda file, data: real(file, data[:5]))
        with pytest.raises(StoreFullError):
            notes.add(Note(SITE, 3, 4))
    notes.add(Note(OTHER, 5, 6))
    assert list(Journal(tmp_path)) == [Note(SITE, 1, 2), Note(OTHER, 5, 6)]


def test_the_file_of_a_crawl_is_no_store_for_others(tmp_path: Path) -> None:
    """The crawl relies on its memory, so no one else is allowed to write to the folder."""
    with Database(tmp_path, create=True) as database:
        path = database.path
    with pytest.raises(NotAStoreError, match="use another file"):
        SQLiteStore(path)
