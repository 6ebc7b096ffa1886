"""Orders of the operator during a run, and before the next one."""

from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot.crawl import Crawl, Database
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.orders import Order
from goodbot.robot import Fetched
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import OTHER, SITE, html, pages_at, rows
from tests.support.robot_sites import ME, run


def site_of(*urls: str) -> FakeSite:
    """Return a site whose first page links to some URLs."""
    pages = {url.removeprefix(SITE): html("A lamp") for url in urls}
    return FakeSite({"/": html("Home", *urls), **pages}, clock=FakeClock())


def crawl_of(folder: Path, site: FakeSite, **options: Any) -> Crawl:  # noqa: ANN401  of many types
    """Return a crawl of a site."""
    given = {"fetcher": site, "clock": site.clock, **options}
    if not given.get("resume"):
        given = {"name": "ExampleBot/1.0", "start": [f"{SITE}/"], **ME, **given}
    return Crawl(folder, **given)


def test_a_block_holds_from_now_on(tmp_path: Path) -> None:
    """The same holds even if a URL of the site is being visited: its result is not kept."""
    site = site_of(f"{SITE}/a", f"{SITE}/b", f"{SITE}/c")

    def decide(event: Any) -> None:  # noqa: ANN401  whatever happens
        if isinstance(event, Fetched) and event.url == f"{SITE}/a":
            crawl.block(SITE, "they asked us", by="ada")

    crawl = crawl_of(tmp_path, site, on_event=decide)
    summary = run(crawl.run())
    assert summary.ended == "nothing-left"
    assert pages_at(site.visits) == ["/", "/a"]
    assert {row.reason for row in rows(tmp_path).values()} == {"operator-block"}
    with Database(tmp_path) as database:
        assert database.connection.execute("SELECT count(*) FROM documents").fetchone() == (0,)
        assert database.connection.execute("SELECT count(*) FROM kept WHERE url").fetchone() == (0,)
        refused = "SELECT count(DISTINCT url) FROM evidence WHERE verdicts LIKE '%by ada%'"
        assert database.connection.execute(refused).fetchone() == (4,)


def test_what_is_found_of_a_blocked_place_is_refused(tmp_path: Path) -> None:
    """The operator's verdict is recorded without a request, until the block is removed."""
    site = site_of(f"{SITE}/a", f"{SITE}/b", f"{OTHER}/")
    crawl = crawl_of(tmp_path, site, bounds={"any_origin": True})
    crawl.block(f"{SITE}/b*", "a trap")
    crawl.block(OTHER, "they asked us")
    run(crawl.run())
    assert pages_at(site.visits) == ["/", "/a"]
    assert [visit.url for visit in site.visits if visit.url.startswith(OTHER)] == []
    states = {url: row.state for url, row in rows(tmp_path).items()}
    assert states[f"{SITE}/b"] == states[f"{OTHER}/"] == "disallowed"
    again = crawl_of(tmp_path, site, resume=True)
    again.unblock(f"{SITE}/b*")
    assert run(again.run()).pages == 1
    assert pages_at(site.visits) == ["/", "/a", "/b"]


def test_a_paused_site_goes_on_when_it_is_resumed(tmp_path: Path) -> None:
    """A run waits no longer for a paused site than its patience; another run continues."""
    site = site_of(f"{SITE}/a", f"{SITE}/b")

    def decide(event: Any) -> None:  # noqa: ANN401  whatever happens
        if isinstance(event, Fetched) and event.url == f"{SITE}/a":
            crawl.pause(SITE, "they move")

    crawl = crawl_of(tmp_path, site, on_event=decide, patience=600)
    began = site.clock.monotonic()
    assert run(crawl.run()).ended == "waiting"
    assert 600 < site.clock.monotonic() - began < 700
    assert pages_at(site.visits) == ["/", "/a"]
    left = rows(tmp_path)[f"{SITE}/b"]
    assert (left.state, left.reason) == ("queued", "operator-pause")
    assert "they move" in left.source
    with Database(tmp_path) as database:
        said = "SELECT count(*) FROM evidence WHERE verdicts LIKE '%operator-pause%they move%'"
        assert database.connection.execute(said).fetchone() == (1,)
    again = crawl_of(tmp_path, site, resume=True)
    again.resume(SITE)
    assert run(again.run()).ended == "nothing-left"
    assert pages_at(site.visits) == ["/", "/a", "/b"]


def test_an_order_that_is_none_goes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Files with other names stay; an order that cannot be carried out is logged."""
    site = site_of()
    run(crawl_of(tmp_path, site).run())
    at = site.clock.now()
    names = [
        orders.leave(tmp_path, Order("block", "no place", at, "x")),
        orders.leave(tmp_path, Order("block", SITE, at)),
        "order-00000000000000000001-0000abcd.json",
    ]
    junk = [b"", b"[]", b'{"do": 1}', b'{"do": "dance"}', b"\xff", b"[" * 100_000]
    for number, content in enumerate(junk):
        name = f"order-00000000000000000002-0000000{number}.json"
        (tmp_path / name).write_bytes(content)
        assert orders.read(tmp_path, name) is None
    (tmp_path / names[-1]).symlink_to(tmp_path / names[0])
    (tmp_path / "order.txt").write_text("mine", "utf-8")
    run(crawl_of(tmp_path, site, resume=True).run())
    assert orders.waiting(tmp_path) == []
    assert (tmp_path / "order.txt").exists()
    assert "is not a valid order" in caplog.text
    assert "a block needs a reason" in caplog.text
    with Database(tmp_path) as database:
        assert database.store.holds() == []


def test_an_order_is_checked_when_it_is_given(tmp_path: Path) -> None:
    """The error is raised before anything is written."""
    crawl = crawl_of(tmp_path, site_of())
    with pytest.raises(goodbot.WrongValueError, match="a block needs a reason"):
        crawl.block(SITE, "")
    with pytest.raises(goodbot.WrongValueError, match="only a whole site can be paused"):
        crawl.pause(f"{SITE}/a")
    for order in (crawl.unblock, crawl.resume, crawl.forget):
        with pytest.raises(goodbot.NoOriginError):
            order("/a")
    assert list(tmp_path.iterdir()) == []
