"""A crawl of the example sites has the results in their cases: index, archive, links, evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from goodbot.crawl import Database, Evidence, Summary, WarcArchive, search
from goodbot.crawl.evidence.history import Ask, UrlHistory
from goodbot.crawl.evidence.why_no_copy import why_no_copy
from tests.support import conformance_cases as data
from tests.support.example_sites import CASES, ServedInMemory, crawl_in, unserved

FETCHED = [case for case in CASES if case["outcome"] == "fetched"]
LEFT = [case for case in CASES if case["outcome"] == "not-fetched"]
PAGES = [case for case in FETCHED if case.get("status", 200) == 200]
EVERY_HIT = 1000


@dataclass
class Crawled:
    """The results of the crawl."""

    folder: Path
    site: ServedInMemory
    summary: Summary
    database: Database
    archive: WarcArchive
    evidence: Evidence

    def history(self, case: data.Case) -> UrlHistory:
        """Return the history of the URL of a case."""
        history = self.evidence.history(url_of(case))
        assert history is not None, case["why"]
        return history

    def finds(self, url: str, field: str, phrase: str) -> bool:
        """Return whether a phrase finds a page."""
        query = f'{field}:"{phrase}"'
        found = search(self.database, query, now=self.site.fake.clock.now(), limit=EVERY_HIT)
        assert not found.findings, query
        return url in {hit.url for hit in found.hits}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl all example sites once for all tests."""
    folder = tmp_path_factory.mktemp("crawl")
    site = ServedInMemory()
    summary = crawl_in(folder, site, site.sites.starts)
    with Database(folder) as database, WarcArchive(database) as archive:
        yield Crawled(folder, site, summary, database, archive, Evidence(database))


def url_of(case: data.Case) -> str:
    """Return the URL of a case."""
    return str(unserved().origins[case["site"]] + case["path"])


def by_id(case: data.Case) -> str:
    """Return the name of a test for its case."""
    return str(case["id"])


def last_visit(history: UrlHistory) -> Ask:
    """Return the latest visit to a URL."""
    return [ask for ask in history.asks if ask.event == "visited"][-1]


def test_it_comes_to_what_is_listed_and_to_nothing_else(crawled: Crawled) -> None:
    """Every URL has a case, and every case occurs; sitemaps do not count as pages."""
    rows = crawled.database.connection.execute("SELECT url FROM urls WHERE how <> 'sitemap-file'")
    assert {url for (url,) in rows} == {url_of(case) for case in CASES}
    assert crawled.summary.ended == "waiting"


@pytest.mark.parametrize("case", LEFT, ids=by_id)
def test_what_is_not_fetched_has_its_reason(crawled: Crawled, case: data.Case) -> None:
    """The slug and the line of robots.txt are those that the evidence quotes and confirms."""
    history = crawled.history(case)
    assert (history.reason, history.requests) == (case["reason"], ()), case["why"]
    assert (history.indexed, history.kept) == (None, ())
    if case["reason"] == "nofollow":
        assert (history.state, history.asks) == ("skipped", ())
        assert history.source
        return
    (ask,) = history.asks
    assert ask.event == ("deferred" if case["reason"] == "visit-time" else "refused")
    if "line" in case:
        assert ask.verdicts[0].line == case["line"]
        assert ask.confirmed
        assert [line.number for line in ask.quoted if line.decides] == [case["line"]]


@pytest.mark.parametrize("case", FETCHED, ids=by_id)
def test_what_is_fetched_has_its_status(crawled: Crawled, case: data.Case) -> None:
    """The statuses, the way the URL was found, its due time and its source are correct."""
    history = crawled.history(case)
    expected = [case["first_status"]] if "first_status" in case else []
    expected.append(case.get("status", 200))
    assert [ask.status for ask in history.asks] == expected, case["why"]
    assert [request.status for request in history.requests] == expected
    assert history.how == case.get("how", history.how)
    for ask in history.asks:
        assert ask.verdicts[0].allowed
        assert ask.confirmed
    if "due" in case:
        assert history.due is not None
        assert (history.due - history.asks[-1].at).total_seconds() == case["due"][1]


@pytest.mark.parametrize("case", FETCHED, ids=by_id)
def test_what_is_done_with_a_page(crawled: Crawled, case: data.Case) -> None:
    """Its index entry, its copy, and the page that stands for it are correct."""
    history = crawled.history(case)
    assert (history.indexed is not None) is case["indexed"], case["why"]
    copy = crawled.archive.show(url_of(case))
    kind, cuts = ("nothing", ()) if copy is None else (copy.kind, copy.cuts)
    assert (kind, len(cuts)) == (case["kept"], case.get("cuts", 0)), case["why"]
    if "instead" in case:
        assert history.target == case["instead"]


@pytest.mark.parametrize("case", PAGES, ids=by_id)
def test_the_evidence_says_why(crawled: Crawled, case: data.Case) -> None:
    """The actions follow from the recorded verdicts, which have a source."""
    history = crawled.history(case)
    ask = last_visit(history)
    said = {verdict.act: verdict for verdict in ask.verdicts}
    assert all(one.source for one in ask.verdicts if not one.allowed), case["why"]
    has_stand_in = "instead" in case and said["index"].reason != "index-instead"
    assert said["index"].allowed is (case["indexed"] or has_stand_in or said["index"].source == "")
    is_over = said["index"].reason == "too-late"
    is_shown = bool(said["archive"].allowed) and not is_over and history.reason != "index-instead"
    assert (case["kept"] != "nothing") is is_shown
    assert (case["kept"] == "conversion") is (said["archive"].parts is not None)


@pytest.mark.parametrize("case", FETCHED, ids=by_id)
def test_by_what_a_page_is_found(crawled: Crawled, case: data.Case) -> None:
    """It is found by phrases of its title, its text, and the texts of links to it."""
    for field, phrase in case.get("found", []):
        assert crawled.finds(url_of(case), field, phrase), (case["why"], phrase)
    for field, phrase in case.get("not_found", []):
        assert not crawled.finds(url_of(case), field, phrase), (case["why"], phrase)


@pytest.mark.parametrize("case", PAGES, ids=by_id)
def test_what_a_page_says_of_others(crawled: Crawled, case: data.Case) -> None:
    """The right link texts are stored, and the right links are not followed."""
    rows = crawled.database.connection.execute(
        "SELECT target.url, anchors.text FROM anchors JOIN urls AS target "
        "ON target.id = anchors.target JOIN urls AS source ON source.id = anchors.source "
        "WHERE source.url = ?",
        (url_of(case),),
    )
    said = set(rows)
    assert {tuple(pair) for pair in case.get("says", [])} <= said
    assert not {tuple(pair) for pair in case.get("says_not", [])} & said
    for url in case.get("not_followed", []):
        history = crawled.evidence.history(url)
        assert history is not None
        assert (history.state, history.reason) == ("skipped", "nofollow")


def test_nobody_is_visited_early(crawled: Crawled) -> None:
    """Each site asks for 1 second, and one of them once for 2 seconds."""
    times: dict[str, list[float]] = {}
    for visit in crawled.site.fake.visits:
        times.setdefault(visit.url.partition(".example")[0], []).append(visit.monotonic)
    gaps = {name: [b - a for a, b in pairwise(at)] for name, at in times.items()}
    assert sum(map(len, gaps.values())) > 70
    assert all(gap >= 1 for found in gaps.values() for gap in found)
    workshop = [visit for visit in crawled.site.fake.visits if "workshop" in visit.url]
    busy = next(at for at, visit in enumerate(workshop) if visit.path == "/busy.html")
    assert workshop[busy + 1].monotonic - workshop[busy].monotonic >= 2


def test_every_robots_txt_is_kept_as_it_came(crawled: Crawled) -> None:
    """It includes the response of the site that is closed for repairs."""
    for name, origin in crawled.site.sites.origins.items():
        copy = crawled.archive.show(f"{origin}/robots.txt")
        assert copy is not None
        assert copy.kind == "robots-txt"
        assert copy.content == crawled.site.sites.answer(name, "/robots.txt").body


def test_going_on_visits_nothing_twice(tmp_path: Path) -> None:
    """Nothing is due yet: the remaining URLs are due later."""
    site = ServedInMemory()
    crawl_in(tmp_path, site, site.sites.starts)
    before = len(site.fake.visits)
    assert crawl_in(tmp_path, site, []).pages == 0
    assert len(site.fake.visits) == before


def test_what_has_no_copy_says_why(crawled: Crawled) -> None:
    """One is not kept because of its date, the other because of a header field."""
    over = why_no_copy(crawled.database, "http://workshop.example/fair.html")
    assert over.startswith("the page has expired: META robots, line 6")
    recipe = why_no_copy(crawled.database, "http://workshop.example/recipe.html")
    assert recipe == "the page disallows copies: X-Robots-Tag: noarchive"
