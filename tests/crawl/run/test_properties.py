"""Crawls of random sites: nothing disallowed, missed, early or fetched twice.

A plain reference and a plain judge, in `crawl_world` and here, state the expected results.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from hypothesis import HealthCheck, given

from goodbot.crawl import Bounds, search
from goodbot.crawl.archive.kept_copy import kept_copy
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.pace import Manners
from tests.support.crawls.memory_crawls import SITE, kept, rows
from tests.support.crawls.memory_crawls import crawl as crawl_in_one
from tests.support.crawls.process_crawls import crawl_in_parts
from tests.support.examples import examples
from tests.support.references import pace_reference
from tests.support.references.random_worlds import (
    EPSILON,
    ORIGINS,
    ROOT,
    World,
    attempts,
    expected,
    time_of,
    word,
    words_of,
    worlds,
)
from tests.support.robot_sites import Seen, WatchedSite

START = SITE + ROOT
ANYWHERE = Bounds(origins=frozenset(ORIGINS), depth=None)
KEEP_OFF = 30.0
"""Seconds to leave a site in trouble alone."""
Crawling: TypeAlias = Callable[..., object]
"""`crawl_in_one`, or `crawl_in_parts` with one site for each of its two processes."""


def crawled(world: World, folder: Path, crawl: Crawling) -> WatchedSite:
    """Crawl a world with unlimited patience."""
    site = world.site()
    crawl(
        folder,
        site,
        START,
        bounds=ANYWHERE,
        workers=world.workers,
        patience=None,
        manners=Manners(default=world.default, back_off_longest=KEEP_OFF),
    )
    return site


@examples(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds(changes=False))
def test_a_crawl_fetches_indexes_and_keeps_what_its_plain_reference_does(world: World) -> None:
    """Exactly the allowed pages are fetched, each once."""
    check_contents(world, crawl_in_one)


@examples(20, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds(changes=False))
def test_a_crawl_in_two_processes_does_what_its_plain_reference_does(world: World) -> None:
    """The same holds if each site has a process of its own."""
    check_contents(world, crawl_in_parts)


def check_contents(world: World, crawl: Crawling) -> None:
    """Compare the requests, the queue, the index and the archive with the reference."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = crawled(world, folder, crawl)
        come = expected(world, START)
        pages = [seen.origin + seen.path for seen in site.seen if seen.path != "/robots.txt"]
        assert set(pages) == come.fetched
        for url in come.fetched:
            sheet = world.sheets.get(url)
            tries = 1 if sheet is None else min(sheet.failures + 1, attempts(sheet))
            assert pages.count(url) == tries, url
        known = rows(folder)
        assert {url for url, row in known.items() if row.state == "disallowed"} == come.forbidden
        left = {url for url, row in known.items() if row.state in {"queued", "leased"}}
        assert not left
        check_found(world, folder, come.answered)
        check_paces(world, site)


def check_found(world: World, folder: Path, answered: set[str]) -> None:
    """Each word is found and stored exactly if that is allowed."""
    with open_readonly(folder) as database:
        for url, sheet in world.sheets.items():
            page_index = url in answered and not sheet.directives & {"noindex", "none"}
            page_keep = url in answered and "noarchive" not in sheet.directives
            copy = kept_copy(database, url)
            data = b"" if copy is None else copy.content
            hits = search(database, word(url), now=world.clock.now()).hits
            assert [hit.url for hit in hits] == ([url] if page_index else []), url
            assert (copy is not None) == page_keep, url
            for one, (may_index, may_keep) in words_of(url, sheet).items():
                hits = search(database, one, now=world.clock.now()).hits
                assert [hit.url for hit in hits] == ([url] if page_index and may_index else [])
                assert (one.encode() in data) == (page_keep and may_keep), one


@examples(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds(changes=True))
def test_nothing_forbidden_is_fetched_and_nothing_early_however_rules_change(world: World) -> None:
    """The judge uses what each site had stated most recently at the time."""
    check_requests(world, crawl_in_one)


@examples(20, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds(changes=True))
def test_two_processes_obey_rules_that_change(world: World) -> None:
    """The same holds if each site has a process of its own."""
    check_requests(world, crawl_in_parts)


def check_requests(world: World, crawl: Crawling) -> None:
    """Compare all requests with the rules of their time."""
    with tempfile.TemporaryDirectory() as name:
        site = crawled(world, Path(name), crawl)
        check_paces(world, site)
        for url, row in rows(Path(name)).items():
            copy = kept(Path(name), url)
            assert copy is None or row.state == "done", url


def check_paces(world: World, site: WatchedSite) -> None:
    """Check each request to each origin."""
    for origin in ORIGINS:
        seen = [one for one in site.seen if one.origin == origin]
        asked: Seen | None = None
        for number, one in enumerate(seen):
            before = seen[:number]
            assert all(one.start >= earlier.end for earlier in before), "two at once"
            check_failure(before, one)
            if one.path == "/robots.txt":
                asked = one
            else:
                assert asked is not None, f"{one}: nobody asked"
                check_visit(world, asked, before, one)


def check_failure(before: list[Seen], one: Seen) -> None:
    """After overload, or failures of three URLs in a row, the site is left alone for a while."""
    past = [(earlier.path, pace_reference.kind_of(earlier.status)) for earlier in before]
    if pace_reference.back_off(past, Manners().back_off_after):
        assert one.start >= before[-1].end + KEEP_OFF - EPSILON, f"{one}: after failures"


def check_visit(world: World, asked: Seen, before: list[Seen], one: Seen) -> None:
    """Compare a visit with the latest robots.txt."""
    said = world.at(one.origin, asked.start)
    assert not said.forbids(one.origin + one.path), f"{one}: forbidden"
    pause = world.default if said.delay is None else said.delay
    assert one.start >= before[-1].end + pause - EPSILON, f"{one}: early"
    # A request for robots.txt costs a turn, and its response counts for the visit that needed it;
    # a visit after a longer pause may use it for its whole lifetime.
    oldest = max(said.life, pause + max(62, said.life + 2), KEEP_OFF + 2)
    if said.hours is None:
        assert one.start - asked.end <= oldest, f"{one}: robots.txt is too old"
        return
    begin, last = said.hours
    hour = time_of(one.start + EPSILON).hour
    inside = begin <= hour <= last if begin <= last else hour >= begin or hour <= last
    assert inside, f"{one}: outside the hours of visit"
