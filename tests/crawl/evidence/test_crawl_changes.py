"""Two crawls of a site, or two times of one, are compared URL by URL."""

import shutil
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from goodbot.crawl import CrawlChange, Database, compare
from goodbot.crawl.evidence import crawl_changes
from goodbot.crawl.evidence.crawl_changes import CHANGE_KINDS, MOST_LINES, changed_lines
from goodbot.testing import Answer, FakeSite
from tests.support.crawls.memory_crawls import SITE, crawl, html, moved, site_of

DAYS = 31
TAG = ("ETag", '"1"')


def page(title: str, *links: str, head: str = "") -> str:
    """Return a page with a title."""
    return html("lamp", *links, head=head).replace("<title>t<", f"<title>{title}<")


def by_turns(*answers: object) -> object:
    """Return a page that gives answers in turn, the last one again and again."""
    left = list(answers)
    return lambda _visit: left.pop(0) if len(left) > 1 else left[0]


def changing_site() -> FakeSite:
    """Return a site of which every page is another at the second visit."""
    links = ["/stays", "/named", "/lost", "/moves", "/shy", "/open", "/private", "/breaks"]
    noindex = "<meta name=robots content=noindex>"
    return site_of(
        by_turns("User-agent: *\nDisallow: /open\n", "User-agent: *\nDisallow: /private\n"),
        home=by_turns(page("Home", *links), page("Home", *links, "/young", "/younger")),
        stays=lambda visit: Answer(
            status=304 if any(name == "If-None-Match" for name, _ in visit.headers) else 200,
            body=page("Stays").encode(),
            headers=[TAG],
        ),
        named=by_turns(page("Old name"), page("New name")),
        lost=by_turns(page("Lost"), 410),
        moves=by_turns(page("Moves"), moved("/stays")),
        shy=by_turns(page("Shy"), page("Shy", head=noindex)),
        open=page("Open"),
        private=page("Private"),
        breaks=by_turns(page("Breaks"), Answer(status=500)),
        young=page("Young"),
    )


EXPECTED = {
    ("new", "/young", None, "200", ""),
    ("new", "/younger", None, "404", ""),
    ("gone", "/lost", "200", "410", ""),
    ("status", "/moves", "200", "301", ""),
    ("status", "/breaks", "200", "500", ""),
    ("robots", "/private", "200", "rule-disallows", "robots.txt line 2"),
    ("robots", "/open", "rule-disallows", "200", "robots.txt line 2"),
    ("indexability", "/shy", "indexable", "not-indexable", "META robots, line 1: noindex"),
}
"""The changes that both ways of comparing find, besides those of robots.txt."""
TITLE = ("title", "/named", "Old name", "New name", "")


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, FakeSite]:
    """Crawl the site twice in one folder; return a copy from between, the folder, and the site."""
    base = tmp_path_factory.mktemp("crawls")
    folder, site = base / "after", changing_site()
    crawl(folder, site)
    shutil.copytree(folder, base / "before")
    site.clock.advance(DAYS * 86_400)
    crawl(folder, site, again=True)
    return base / "before", folder, site


def rows(changes: Iterable[CrawlChange]) -> set[tuple[str, str, str | None, str | None, str]]:
    """Return the changes of URLs, by path."""
    return {
        (one.change, one.url.removeprefix(SITE), one.before, one.after, one.source)
        for one in changes
        if one.change != "robots.txt"
    }


def test_two_folders_are_compared(crawls: tuple[Path, Path, FakeSite]) -> None:
    """What is new, gone, has another status, title or permission; a 304 is no change."""
    before, after, site = crawls
    with Database(before) as first, Database(after) as second:
        found = list(compare(first, second, now=site.clock.now()))
        assert rows(found) == EXPECTED | {TITLE}
        assert not list(compare(first, first, now=site.clock.now()))
        back = rows(compare(second, first, now=site.clock.now()))
    (robots_txt,) = [one for one in found if one.change == "robots.txt"]
    assert (robots_txt.removed, robots_txt.added) == (("Disallow: /open",), ("Disallow: /private",))
    assert robots_txt.url == f"{SITE}/robots.txt"
    assert robots_txt.before != robots_txt.after
    assert ("gone", "/young", "200", None, "") in back
    assert ("status", "/lost", "410", "200", "") in back
    assert {one.change for one in found} == CHANGE_KINDS.keys()


def test_two_times_of_one_folder_are_compared(crawls: tuple[Path, Path, FakeSite]) -> None:
    """From the evidence, which has every visit; titles are not among them."""
    _, folder, site = crawls
    now = site.clock.now()
    with Database(folder) as database:
        middle = now - timedelta(days=DAYS / 2)
        found = list(compare(database, database, now=now, before_at=middle))
        assert rows(found) == EXPECTED
        assert [one.added for one in found if one.change == "robots.txt"] == [
            ("Disallow: /private",)
        ]
        assert not list(compare(database, database, now=now, before_at=now, after_at=now))
        shown = compare(database, database, now=now, before_at=middle, after_at=now)
        assert "title" not in {one.change for one in shown}


def test_the_title_of_an_earlier_time_is_known_if_no_visit_followed(
    crawls: tuple[Path, Path, FakeSite],
) -> None:
    """Compared with another crawl, titles are not omitted because a time is named."""
    before, after, site = crawls
    now = site.clock.now()
    with Database(before) as first, Database(after) as second:
        assert rows(compare(first, second, now=now, before_at=now)) == EXPECTED | {TITLE}


def test_what_was_not_visited_yet_is_not_gone(crawls: tuple[Path, Path, FakeSite]) -> None:
    """The later crawl may have been stopped: it says nothing of what is queued."""
    before, _, site = crawls
    early = site.clock.now() - timedelta(days=9 * DAYS)
    with Database(before) as first:
        known = {one.url for one in compare(first, first, now=site.clock.now(), before_at=early)}
        home = site_of(home="".join(f"<a href={url}>" for url in sorted(known)))
        crawl(before.parent / "stopped", home, bounds={"pages": 1})
        with Database(before.parent / "stopped") as second:
            found = rows(compare(first, second, now=site.clock.now()))
    assert known
    assert not {url for change, url, *_ in found if change == "gone"}


def test_titles_of_pages_that_have_expired_are_not_compared(tmp_path: Path) -> None:
    """Nor are those of pages that must not be indexed: none of them is known."""
    late = "<meta name=robots content='unavailable_after: 2026-02-01'>"
    for name in ("one", "two"):
        crawl(tmp_path / name, site_of(home=page(name, head=late)))
    with Database(tmp_path / "one") as first, Database(tmp_path / "two") as second:
        now = site_of().clock.now()
        assert [one.change for one in compare(first, second, now=now)] == ["title"]
        assert not list(compare(first, second, now=now.replace(year=2100)))


def test_long_files_are_compared_as_sets() -> None:
    """So that no robots.txt takes long; moved lines are not found then."""
    many = [f"Disallow: /{number}" for number in range(MOST_LINES + 1)]
    assert changed_lines(many, [*many[1:], "Allow: /"]) == ((many[0],), ("Allow: /",))
    moved_lines = ["b", "a", "c"]
    assert changed_lines(["a", "b", "c"], moved_lines) != ((), ())
    assert changed_lines(many, many[::-1]) == ((), ())


def test_files_of_the_same_lines_again_and_again_are_compared_by_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In their order they would take minutes; lines that repeat a little keep their order."""
    before = [str(number % 2) for number in range(MOST_LINES)]
    after = [str(number * number % 7 % 2) for number in range(MOST_LINES)]
    few = ["User-agent: *", "Disallow: /a", ""] * 20
    assert changed_lines(few, [*few[1:], few[0]]) == ((few[0],), (few[0],))
    monkeypatch.delattr(crawl_changes, "SequenceMatcher")
    removed, added = changed_lines(before, after)
    assert Counter(before) - Counter(after) == Counter(removed)
    assert Counter(after) - Counter(before) == Counter(added)
    assert len(removed) == len(added) > 0
