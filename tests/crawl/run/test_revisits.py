"""Revisits with conditional requests, and the effect of a 304 on index, archive and evidence."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from goodbot.crawl import Database, WarcArchive
from goodbot.crawl.archive.checking import check_archive
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.folder.database import FILE
from goodbot.testing import Answer, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import SITE, crawl, html, kept, rows, searched, site_of

TAG = ("ETag", '"1"')
SINCE = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
DAYS = 31
HOME = f"{SITE}/"


def asked(visit: FakeVisit) -> dict[str, str]:
    """Return the conditions of a request."""
    return {name: value for name, value in visit.headers if name.startswith("If-")}


def site_with(answers: list[Answer], condition: Answer, body: str = "") -> FakeSite:
    """Return a site whose first page gives responses in turn, and one for conditional requests."""
    left = [*answers]

    def answer(visit: FakeVisit) -> Answer:
        if asked(visit):
            return condition
        return left.pop(0) if len(left) > 1 else left[0]

    return site_of(home=answer, b=html(body or "bell"))


def page(*fields: tuple[str, str], text: str = "lamp", head: str = "") -> Answer:
    """Return a page that links to another."""
    return Answer(body=html(text, "/b", head=head).encode(), headers=[TAG, SINCE, *fields])


def again(folder: Path, site: FakeSite) -> dict[str, str]:
    """Crawl again when the pages are due; return the conditions of the first request."""
    site.clock.advance(DAYS * 86_400)
    before = len(site.visits)
    crawl(folder, site, again=True)
    return next(asked(visit) for visit in site.visits[before:] if visit.url == HOME)


def acts(folder: Path) -> list[tuple[str, bool | None]]:
    """Return the verdicts at the latest visit to the first page."""
    with Database(folder) as database:
        history = history_of(database, HOME)
        assert history is not None
        return [(one.act, one.allowed) for one in history.asks[-1].verdicts]


def test_a_page_that_is_as_before_is_not_sent_again(tmp_path: Path) -> None:
    """Index and archive stay unchanged, the links are known, and the evidence has the 304."""
    site = site_with([page()], Answer(status=304, headers=[TAG]))
    crawl(tmp_path, site)
    first = kept(tmp_path, HOME)
    for _ in range(3):
        assert again(tmp_path, site) == {"If-None-Match": TAG[1], "If-Modified-Since": SINCE[1]}
        now = site.clock.now()
        assert searched(tmp_path, "lamp", now) == ["/"]
        assert searched(tmp_path, "bell", now) == ["/b"]
        assert kept(tmp_path, HOME) == first
    row = rows(tmp_path)[HOME]
    assert (row.state, row.reason, row.status) == ("done", "not-modified", 304)
    assert dict(acts(tmp_path))["index"]
    with Database(tmp_path) as database:
        assert list(check_archive(database)) == []
        copy = WarcArchive(database).show(HOME)
    assert copy is not None
    assert copy.confirmed is not None
    assert copy.confirmed > copy.received


@pytest.mark.parametrize(
    ("said", "in_index", "in_archive"),
    [("noindex", False, True), ("noarchive", True, False), ("none", False, True)],
)
def test_the_header_of_a_304_counts(
    said: str, tmp_path: Path, *, in_index: bool, in_archive: bool
) -> None:
    """Its fields become those of the page (RFC 9111 section 4.3.4)."""
    site = site_with([page()], Answer(status=304, headers=[TAG, ("X-Robots-Tag", said)]))
    crawl(tmp_path, site)
    assert again(tmp_path, site)
    assert bool(searched(tmp_path, "lamp", site.clock.now())) is in_index
    assert (kept(tmp_path, HOME) is not None) is in_archive
    assert dict(acts(tmp_path))["index"] is in_index
    assert dict(acts(tmp_path))["archive"] is in_archive
    # A 304 without the field could not revoke it, so the page is requested unconditionally.
    assert again(tmp_path, site) == {}
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/"]
    assert kept(tmp_path, HOME) is not None
    assert again(tmp_path, site)


def test_what_forbids_in_the_header_is_asked_for_anew(tmp_path: Path) -> None:
    """A page without its former X-Robots-Tag returns, although its content never changed."""
    site = site_with([page(("X-Robots-Tag", "noindex")), page()], Answer(status=304))
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == []
    assert again(tmp_path, site) == {}
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/"]


def test_no_condition_is_sent_where_no_whole_copy_is_kept(tmp_path: Path) -> None:
    """That holds for pages with noarchive, and for pages of which a part must not be kept."""
    cut = (
        '<html><head profile="http://example.org/xmdp/robots-profile#"></head>'
        "<p>lamp <b class=robots-noarchive>hidden</b>"
    )
    heads = [page(head="<meta name=robots content=noarchive>"), page(text=cut)]
    heads.append(Answer(body=cut.encode(), headers=[TAG]))
    for number, answer in enumerate(heads):
        folder, site = tmp_path / str(number), site_with([answer], Answer(status=304))
        crawl(folder, site)
        assert again(folder, site) == ({} if number != 1 else asked(site.visits[-1]))
        assert searched(folder, "lamp", site.clock.now()) == ["/"]


def test_the_fields_of_a_later_answer_hold(tmp_path: Path) -> None:
    """After the same content with another header, a 304 updates that response, not the first."""
    moved = ("Link", '</b>; rel="canonical"')
    site = site_with([page(), page(moved)], Answer(status=304))
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/"]
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("UPDATE kept SET etag = NULL, modified = NULL")
    database.commit()
    database.close()
    assert again(tmp_path, site) == {}
    assert again(tmp_path, site)
    assert searched(tmp_path, "lamp", site.clock.now()) == []


# An enemy's answers.


@pytest.mark.parametrize(
    "condition",
    [Answer(status=304, headers=[("ETag", '"other"')]), Answer(status=412), Answer(status=503)],
)
def test_an_answer_that_confirms_nothing_leaves_all_as_it_is(
    condition: Answer, tmp_path: Path
) -> None:
    """A 304 about another copy is no valid response; the next request is unconditional."""
    site = site_with([page()], condition)
    crawl(tmp_path, site)
    first = kept(tmp_path, HOME)
    assert again(tmp_path, site)
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/"]
    assert kept(tmp_path, HOME) == first
    assert asked([visit for visit in site.visits if visit.url == HOME][-1]) == {}
    assert rows(tmp_path)[HOME].reason == "fetched"


def test_a_304_for_a_page_that_was_never_kept_is_no_page(tmp_path: Path) -> None:
    """The request was not conditional."""
    site = site_of(home=Answer(status=304, headers=[TAG]))
    crawl(tmp_path, site)
    assert rows(tmp_path)[HOME].reason != "not-modified"
    assert kept(tmp_path, HOME) is None


def test_validators_of_a_megabyte_are_not_kept(tmp_path: Path) -> None:
    """They are neither sent nor recorded."""
    site = site_with([Answer(body=html("lamp").encode(), headers=[("ETag", "x" * 2**20)])], page())
    crawl(tmp_path, site)
    assert again(tmp_path, site) == {}


def damage_record(folder: Path) -> None:
    """Change a byte in the middle of the copy."""
    database = sqlite3.connect(folder / FILE)
    name, offset, length = database.execute(
        "SELECT file, offset, length FROM kept WHERE kind = 'response' AND address = ?", (HOME,)
    ).fetchone()
    database.close()
    data = bytearray((folder / name).read_bytes())
    data[offset + length // 2] ^= 0xFF
    (folder / name).write_bytes(data)


def damage_rows(folder: Path) -> None:
    """Write a value into the table that goodbot never writes."""
    database = sqlite3.connect(folder / FILE)
    database.execute("UPDATE kept SET fields = '[1, {}]' WHERE kind = 'response'")
    database.commit()
    database.close()


@pytest.mark.parametrize("damage", [damage_record, damage_rows])
def test_a_copy_that_is_broken_is_confirmed_by_nothing(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    """The page is requested unconditionally, and judged by the response."""
    site = site_with([page()], Answer(status=304))
    crawl(tmp_path, site)
    damage(tmp_path)
    assert again(tmp_path, site)
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/"]
    assert rows(tmp_path)[HOME].reason == "fetched"


def test_early_revisits_read_robots_txt_again(tmp_path: Path) -> None:
    """After a change of a site the new rules hold at once, also for the pages that are kept."""
    rules = ["User-agent: *\n"]
    site = site_of(lambda _: rules[0], home=html("lamp", "/b"), b=html("bell"))
    crawl(tmp_path, site)
    rules[0] = "User-agent: *\nDisallow: /b\n"
    site.clock.advance(60)
    before = len(site.visits)
    crawl(tmp_path, site, resume=True, early=True)
    assert [one.path for one in site.visits[before:]] == ["/robots.txt", "/"]
    assert rows(tmp_path)[f"{SITE}/b"].state == "disallowed"
    assert searched(tmp_path, "bell") == []


def test_early_revisits_keep_a_retry_after(tmp_path: Path) -> None:
    """A site whose robots.txt said when to come back is asked no sooner."""
    busy = Answer(status=503, headers=[("Retry-After", "3600")])
    site = site_of(busy, home=html("lamp"))
    crawl(tmp_path, site, patience=1.0)
    before = len(site.visits)
    crawl(tmp_path, site, resume=True, early=True, patience=1.0)
    assert len(site.visits) == before
