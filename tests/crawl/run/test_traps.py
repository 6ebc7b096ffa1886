"""Traps in a crawl: endless repetition ends, and all real pages are visited."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from goodbot.cli.program import run as command
from goodbot.crawl import TRAPS, Bounds, Database
from goodbot.crawl.evidence.skipped import skipped_groups, traps_met
from goodbot.crawl.evidence.trap_findings import counts_by_trap, trap_findings
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import WrongValueError
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    SITE,
    Crawled,
    crawl,
    crawl_at,
    html,
    paths,
    rows,
    run,
)
from tests.support.crawls.reports import report_text

LINKS = ("north", "south", "west")
PAGES = {
    "/": "".join(f"<a href={one}/>x</a>" for one in (*LINKS, "/lamps", "/clocks")),
    "/lamps/": "<p>Lamps</p><a href=brass>Brass</a>",
    "/lamps/brass": "<p>A brass lamp</p>",
    "/clocks/": "<p>Clocks</p><a href=lamps/>Clocks with lamps</a>",
    "/clocks/lamps/": "<p>Clocks with lamps</p><a href=lamps/>Lamps of these</a>",
    "/clocks/lamps/lamps/": "<p>Lamps of clocks</p>",
}
"""A tree of folders, some with equal names, with links from the root."""


class LinkedSite(FakeSite):
    """A site whose root contains three symbolic links to the root."""

    def _route(self, url: str) -> Answer:
        segments = urlsplit(url).path.split("/")[1:]
        while segments and segments[0] in LINKS:
            del segments[0]
        body = PAGES.get("/" + "/".join(segments))
        return Answer(status=404) if body is None else Answer(body=body.encode())


def linked(folder: Path, most: int = 3_000, **options: Any) -> tuple[Crawled, LinkedSite]:  # noqa: ANN401  as `crawl`
    """Crawl at most so many pages of the site with the three links."""
    site = LinkedSite({}, clock=FakeClock())
    return crawl(folder, site, bounds=Bounds(pages=most, depth=None), **options), site


def roots(folder: Path) -> list[str]:
    """Return the URLs at which the root was fetched."""
    fetched = [url for url, row in rows(folder).items() if row.state == "done"]
    return [url for url in fetched if set(url.removeprefix(SITE).split("/")) <= {*LINKS, ""}]


def unlinked(site: FakeSite) -> set[str]:
    """Return the paths of the tree that were visited, without the symbolic links."""
    found = {urlsplit(visit.url).path for visit in site.visits} - {"/robots.txt"}
    return found & set(PAGES)


def test_a_site_with_three_symbolic_links_comes_to_an_end(tmp_path: Path) -> None:
    """The crawl ends by default long before 3,000 pages, with every real page visited."""
    crawled, site = linked(tmp_path)
    assert crawled.summary.ended == "nothing-left"
    assert unlinked(site) == set(PAGES)
    # All paths of the three names with fewer than three repetitions: 1, 3, 9, 27, 78 and 150.
    assert len(roots(tmp_path)) == 268
    left_out = {url for url, row in rows(tmp_path).items() if row.reason == "repeated-path"}
    assert {url.count("/") - 3 for url in left_out} >= {4, 5, 6}
    source = rows(tmp_path)[f"{SITE}/north/north/north/north/"].source
    assert source == (
        f"3 segments of its path repeat, and {SITE}/north/north/north/ has the same content as "
        f"{SITE}/north/north/"
    )


@pytest.mark.parametrize(("trap", "expected"), [("repeated-tree", 13), ("duplicate-content", 4)])
def test_other_traps_end_it_sooner(tmp_path: Path, trap: str, expected: int) -> None:
    """The operator chooses the traps; no real page is lost here either."""
    crawled, site = linked(tmp_path, traps=[trap])
    assert crawled.summary.ended == "nothing-left"
    assert unlinked(site) == set(PAGES)
    assert len(roots(tmp_path)) == expected


@pytest.mark.stress
def test_without_traps_it_has_no_end(tmp_path: Path) -> None:
    """It shows that the tests above are not vacuous."""
    crawled, _ = linked(tmp_path, most=800, traps=[])
    assert crawled.summary.ended == "page-limit"
    assert crawled.summary.pages == 800


SESSIONS = FakeSite({"/": html("home", "/p?sid=1", "/p?sid=2"), "/p?sid=1": "p", "/p?sid=2": "p"})


def test_a_trap_is_told_and_followed_unless_the_operator_wants_otherwise(tmp_path: Path) -> None:
    """By default both are visited; the folder records the traps."""
    done = crawl(tmp_path, SESSIONS)
    assert paths(tmp_path, "done") == ["/", "/p?sid=1", "/p?sid=2"]
    with Database(tmp_path) as database:
        (met,) = traps_met(database)
    assert (met.trap, met.links, met.example) == ("session-id", 1, f"{SITE}/p?sid=2")
    assert done.summary.traps == done.summary.as_dict()["traps"] == {"session-id": 1}


def test_traps_are_counted_over_all_sites(tmp_path: Path) -> None:
    """The most frequent trap is first, with the first site's example; the summary agrees."""
    hosts = ("https://a.example", "https://b.example")
    calendar = {f"{hosts[0]}/2031/05/": "May", f"{hosts[0]}/2031/06/": "June"}
    pages = {f"{one}/p?sid={number}": "p" for one in hosts for number in (1, 2, 3)}
    home = html("home", "/p?sid=1", "/p?sid=2", "/p?sid=3")
    homes = {
        f"{hosts[0]}/": html("home", "/p?sid=1", "/p?sid=2", "/2031/05/"),
        f"{hosts[1]}/": home,
    }
    site = FakeSite({**homes, **pages, **calendar}, clock=FakeClock())
    bounds = Bounds(origins=frozenset(hosts))
    done = crawl(tmp_path, site, *homes, bounds=bounds)
    with Database(tmp_path) as database:
        sessions, months = counts_by_trap(database)
        assert len(trap_findings(database)) == 3
        assert [one.origin for one in trap_findings(database, ["calendar"])] == [hosts[0]]
        report = report_text(database, FakeClock().now())[1]
    assert (sessions.code, sessions.sites, sessions.links) == ("session-id", 2, 3)
    assert sessions.url == f"{hosts[0]}/p?sid=2"
    assert (months.code, months.sites, months.links) == ("calendar", 1, 1)
    assert list(done.summary.traps.items()) == [("session-id", 3), ("calendar", 1)]
    assert "Links into traps" in report
    assert sessions.url in report
    assert months.why in report


def test_a_report_without_traps_says_nothing_of_them(tmp_path: Path) -> None:
    """The section is omitted, as for messages and blocks."""
    done = crawl(tmp_path, FakeSite({"/": "home"}))
    with Database(tmp_path) as database:
        assert "traps were met" not in report_text(database, FakeClock().now())[1]
    assert done.summary.traps == {}


def test_settings_are_kept_and_can_be_changed(tmp_path: Path) -> None:
    """A resumed crawl keeps its traps; URLs of traps that are no longer named are visited."""
    crawl(tmp_path, SESSIONS, traps=["session-id", "repeated-path"])
    assert paths(tmp_path, "skipped") == ["/p?sid=2"]
    with Database(tmp_path) as database:
        settings = CrawlSettings.read(database)
        assert settings is not None
        assert settings.traps == {"session-id", "repeated-path"}
        (group,) = skipped_groups(database)
    assert (group.reason, group.count) == ("session-id", 1)
    assert group.source == f"the same as {SITE}/p?sid=1 except for the session id"
    crawl(tmp_path, SESSIONS)
    assert paths(tmp_path, "skipped") == ["/p?sid=2"]
    crawl(tmp_path, SESSIONS, traps=["calendar"])
    assert paths(tmp_path, "skipped") == []
    assert paths(tmp_path, "done") == ["/", "/p?sid=1", "/p?sid=2"]


def test_what_was_learned_lasts(tmp_path: Path) -> None:
    """A resumed crawl still knows the contents of pages."""
    site = LinkedSite({}, clock=FakeClock())
    for pages in (20, 100, 3_000):
        summary = run(crawl_at(tmp_path, site, bounds=Bounds(pages=pages, depth=None)).run())
    assert summary.ended == "nothing-left"
    assert len(roots(tmp_path)) == 268


def test_a_mirror_is_left_out_when_it_is_known_to_be_one(tmp_path: Path) -> None:
    """The same holds also for queued URLs; each page is visited on only one of the hosts."""
    bare, www = "https://a.example", "https://www.a.example"
    names = [f"/p{number}" for number in range(300)]
    pages = {"/": "".join(f"<a href={one}>{one}</a>" for one in names)}
    pages |= {name: f"page {name}" for name in names}
    site = FakeSite(
        {origin + path: body for origin in (bare, www) for path, body in pages.items()},
        clock=FakeClock(),
    )
    bounds = Bounds(origins=frozenset({bare, www}))
    crawl(tmp_path, site, f"{bare}/", f"{www}/", bounds=bounds, traps=["mirror-host"])
    fetched = {urlsplit(visit.url).path for visit in site.visits}
    assert fetched == {"/robots.txt", *pages}
    left_out = [url for url, row in rows(tmp_path).items() if row.reason == "mirror-host"]
    assert len(left_out) > 100
    assert all(row.state in {"done", "skipped"} for row in rows(tmp_path).values())


def test_an_unknown_trap_is_refused(tmp_path: Path) -> None:
    """The error is raised before anything is created."""
    with pytest.raises(WrongValueError, match="there is no trap 'calender'; choose from repeated"):
        crawl_at(tmp_path / "new", SESSIONS, traps=["calender"])
    assert not (tmp_path / "new").exists()


def test_the_command_lists_what_was_met(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`report skipped` lists each trap that was followed, with an example and the option."""
    crawl(tmp_path, SESSIONS)
    assert command(["report", "skipped", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "1 link into a possible trap was followed (session-id), such as" in printed
    assert "--traps" in printed
    assert command(["report", "skipped", str(tmp_path), "--json"]) == 0
    (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (row["state"], row["reason"], row["count"]) == ("followed", "session-id", 1)


def test_the_evidence_of_a_url_tells_the_trap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the trap and the reason for a skipped URL, and the duplicate of a page."""
    crawl(tmp_path, SESSIONS, traps=["session-id"])
    assert command(["evidence", str(tmp_path), f"{SITE}/p?sid=2"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"It was skipped (session-id, the same as {SITE}/p?sid=1 except for the" in printed
    crawl(tmp_path, SESSIONS, traps=[])
    assert command(["evidence", str(tmp_path), f"{SITE}/p?sid=2"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"Same content as {SITE}/p?sid=1." in printed


def test_the_help_names_every_trap(capsys: pytest.CaptureFixture[str]) -> None:
    """The operator finds the names of traps in the help of the option."""
    assert command(["crawl", "--help"]) == 0
    printed = "".join(capsys.readouterr().out.split())
    assert [name for name in TRAPS if name not in printed] == []
