"""A crawl in several processes does what one process does, whenever any of them is killed."""

import json
import os
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from goodbot.crawl import Bounds, ProcessCrawl, search
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.shares import part_folder
from goodbot.crawl.processes.part_crawl import portable
from goodbot.crawl.run import crawl_run
from goodbot.errors import MisuseError, StoreFullError, StoreUnavailableError
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, crawl, html, moved
from tests.support.crawls.memory_crawls import run as run_crawl
from tests.support.crawls.process_crawls import (
    SITES,
    LoopCrawl,
    crawl_in_parts,
    parts_crawl_at,
    ring,
    states,
)
from tests.support.program import environment, run


def test_all_pages_of_all_sites_are_visited_once(tmp_path: Path) -> None:
    """Links that lead to sites of other processes are followed there."""
    site = ring()
    found = crawl_in_parts(tmp_path, site, f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    assert found.summary.ended == "nothing-left"
    assert found.summary.urls == {"done": 20, "disallowed": 5}
    pages = [one.url for one in site.visits if not one.url.endswith("robots.txt")]
    assert sorted(pages) == sorted(f"{origin}/{page}" for origin in SITES for page in ["", 1, 2, 3])
    assert len(site.visits) == 25
    assert states(tmp_path) == {
        **{f"{origin}/{page}": ("done", "fetched") for origin in SITES for page in ["", 1, 2, 3]},
        **{f"{origin}/private": ("disallowed", "rule-disallows") for origin in SITES},
    }


def test_a_process_with_nothing_to_do_does_not_wait_for_the_usual_commit(tmp_path: Path) -> None:
    """The others commit what they found for it, and so does a process that rests."""
    at_work = parts_crawl_at(
        tmp_path, ring(), f"{SITES[0]}/", processes=3, bounds={"origins": SITES}
    )
    with (
        patch.object(crawl_run, "PART_COMMIT_AFTER", 3600.0),
        patch.object(crawl_run, "HAND_OVER_AFTER", 0.0),
    ):
        summary = run_crawl(at_work.run())
    assert summary.ended == "nothing-left"
    assert summary.urls == {"done": 20, "disallowed": 5}


def told(folder: Path, *words: str) -> list[dict[str, Any]]:
    """Return what a verb prints as JSON, without what differs between two crawls anyway."""
    done = run(*words[0].split(), folder, *words[1:], "--json")
    assert done.returncode in {0, 1}, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [without(one) for one in found]


OF_ONE_CRAWL = {
    *("file", "offset", "length", "took", "id", "first", "last", "score"),
    *("first_byte", "first_byte_ms"),
}
"""Keys whose values depend on where something is stored, or on the time."""


def without(value: Any) -> Any:  # noqa: ANN401  any JSON
    """Return JSON without places and times."""
    if isinstance(value, dict):
        kept = {name: without(one) for name, one in value.items() if name not in OF_ONE_CRAWL}
        return {name: one for name, one in kept.items() if not is_time(one)}
    return [without(one) for one in value] if isinstance(value, list) else value


def is_time(value: object) -> bool:
    """Return whether a value is a time of the fake clock."""
    return isinstance(value, str) and value.startswith("2026-")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the folder of a crawl in three processes, and that of the same crawl in one."""
    several, one = (tmp_path_factory.mktemp(name) for name in ("several", "one"))
    start = [f"{SITES[0]}/"]
    crawl_in_parts(several, ring(), *start, processes=3, bounds={"origins": SITES})
    crawl(one, ring(), *start, bounds=Bounds(origins=frozenset(SITES)), allow_private=True)
    return several, one


@pytest.mark.parametrize(
    "words",
    [
        ("evidence", f"{SITES[1]}/"),
        ("evidence", f"{SITES[3]}/2"),
        ("evidence", f"{SITES[4]}/private"),
        ("search", "two"),
        ("search", "home"),
        ("report skipped",),
        ("report skipped", "--urls"),
        ("report findings",),
        ("links", "--to", f"{SITES[3]}/3"),
        ("links", "--from", f"{SITES[2]}/"),
        ("links", "--external"),
        ("links", "--broken"),
        ("inventory",),
        ("archive show", f"{SITES[2]}/2"),
        ("archive", "check"),
        ("archive", "list"),
    ],
    ids=" ".join,
)
def test_verbs_read_all_parts_as_one_crawl(words: tuple[str, ...], both: tuple[Path, Path]) -> None:
    """What they print is what they print for the same crawl in one process, in some order."""
    several, one = both
    if words[0] == "archive":
        found, expected = (told_of_archive(folder, words[1]) for folder in both)
    else:
        found, expected = (told(folder, *words) for folder in (several, one))
    for row in (*found, *expected) if words[0] == "inventory" else ():
        for name in ("same_title_as", "same_description_as", "same_text_as"):
            row.pop(name)  # of pages that are alike, the one that was found first
    if (
        words[0] == "report findings"
    ):  # of pages that are alike, the first one that was found has it
        found, expected = ([one["code"] for one in rows] for rows in (found, expected))
    assert sorted(map(comparable, found)) == sorted(map(comparable, expected))
    assert expected or words == ("links", "--broken")


def test_two_forms_of_one_crawl_do_not_differ(both: tuple[Path, Path]) -> None:
    """The comparison, the export of the evidence and the report read all parts, too."""
    several, one = both
    done = run("report", "compare", several, one)
    assert (done.returncode, done.stdout) == (0, b"Nothing differs.\n")
    found, expected = (
        [without(json.loads(line)) for line in exported.stdout.splitlines()]
        for exported in (run("evidence", folder, "--export", "-") for folder in both)
    )
    assert len(expected) == 25
    assert sorted(map(comparable, found)) == sorted(map(comparable, expected))
    kept = [run("report", folder, "-o", folder.with_suffix(".html")) for folder in both]
    assert [b"All 20 follow-up requests kept" in one.stdout for one in kept] == [True, True]


def test_the_archive_of_a_part_is_repaired(both: tuple[Path, Path], tmp_path: Path) -> None:
    """Broken files are named with their part; a forgotten page is gone, in whichever part it is."""
    folder = tmp_path / "crawl"
    shutil.copytree(both[0], folder)
    forgotten, broken = f"{SITES[1]}/2", "part-3/pages-00001.warc.gz"
    assert run("robot", "forget", folder, forgotten).returncode == 0
    assert run("archive", "show", folder, forgotten).returncode == 1
    os.truncate(folder / broken, (folder / broken).stat().st_size - 20)
    checked = run("archive", "check", folder)
    assert checked.returncode == 1
    assert checked.stdout.decode().startswith(f"{broken}, byte ")
    assert b"1 record dropped" in run("archive", "repair", folder).stdout
    assert run("archive", "check", folder).returncode == 0


def told_of_archive(folder: Path, verb: str) -> list[dict[str, Any]]:
    """Return what a verb of the archive prints as JSON; sizes and numbers of files differ."""
    done = run("archive", verb, folder, "--json")
    assert done.returncode == 0, done.stderr
    found = [without(json.loads(line)) for line in done.stdout.splitlines()]
    for one in found:
        one.pop("files", None)
        one.pop("bytes", None)
        one.pop("records" if verb == "check" else "", None)
    return found


def comparable(value: Any) -> str:  # noqa: ANN401  any JSON
    """Return JSON as text, in which the order of lists does not matter.

    The depth of a page is that of the way by which it was found first, and which way is first
    depends on how soon a process receives what others found.
    """
    if isinstance(value, dict):
        kept = ((name, one) for name, one in value.items() if name != "depth")
        return str(sorted((name, comparable(one)) for name, one in kept))
    return str(sorted(map(comparable, value))) if isinstance(value, list) else repr(value)


def test_orders_of_the_operator_reach_every_process(tmp_path: Path) -> None:
    """A block removes the pages of a site, in whichever part they are; it can be lifted."""
    crawl_in_parts(tmp_path, ring(), f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    for origin in SITES:
        done = run(
            "robot", "block", "add", tmp_path, origin, "--why", "asked by mail", "--by", "Jo"
        )
        assert done.returncode == 0, done.stderr
        assert b"4 pages" in done.stdout or b"4" in done.stdout
    listed = run("robot", "block", "list", tmp_path, "--json")
    assert len(listed.stdout.splitlines()) == len(SITES)
    assert run("search", tmp_path, "home").returncode == 1
    assert {state for state, _ in states(tmp_path).values()} == {"disallowed"}
    assert run("archive", "compact", tmp_path, "--json").returncode == 0
    run("robot", "block", "remove", tmp_path, SITES[1])
    site = ring()
    crawl_in_parts(tmp_path, site, resume=True, processes=None, start=())
    assert {one.url for one in site.visits} >= {f"{SITES[1]}/{page}" for page in ("", 1, 2, 3)}
    assert not any(one.url.startswith(SITES[2]) for one in site.visits)


def test_links_and_redirects_to_what_is_not_received_yet(tmp_path: Path) -> None:
    """While a crawl runs, and after a stop, a part may not have what another one found for it."""
    site = ring()
    site.routes[f"{SITES[1]}/"] = moved(f"{SITES[2]}/2")
    crawl_in_parts(tmp_path, site, f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    lost = f"{SITES[2]}/2"
    before = told(tmp_path, "links", "--from", f"{SITES[0]}/")
    assert lost in {one["to"] for one in before}
    assert lost in {one["end"] for one in before}
    for part in range(3):
        with Database(part_folder(tmp_path, part)) as database, database.changing() as connection:
            ours = "(SELECT id FROM urls WHERE url = ?)"
            connection.execute(f"DELETE FROM outlinks WHERE page = {ours}", (lost,))  # noqa: S608
            connection.execute("DELETE FROM urls WHERE url = ?", (lost,))
    after = told(tmp_path, "links", "--from", f"{SITES[0]}/")
    assert [one["to"] for one in after] == [one["to"] for one in before if one["to"] != lost]
    assert not any(one["end"] == lost for one in after)
    (redirect,) = told(tmp_path, "links", "--redirects", "--from", f"{SITES[0]}/")
    assert (redirect["to"], redirect["end"]) == (f"{SITES[1]}/", None)
    for verb in ("links", "inventory"):
        assert told(tmp_path, verb)


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        (3, 2, "shared out over 3 processes; continue it with --processes 3"),
        (3, 1, "shared out over 3 processes"),
        (1, 3, "has one process"),
    ],
)
def test_another_number_of_processes_is_refused(
    first: int, then: int, words: str, tmp_path: Path
) -> None:
    """The sites stay where they are; the message says which number to use."""
    if first == 1:
        crawl(tmp_path, ring(), allow_private=True)
    else:
        crawl_in_parts(tmp_path, ring(), f"{SITES[0]}/", processes=first)
    done = run(
        *("crawl", "--resume", "--out", tmp_path, "--processes", str(then), "--allow-private"),
        env=environment(),
    )
    assert done.returncode == 2
    assert words in " ".join(done.stderr.decode().split())
    if then == 1:
        with pytest.raises(MisuseError, match="has several processes"):
            crawl(tmp_path, ring(), resume=True, allow_private=True)


def test_a_program_reads_all_parts(both: tuple[Path, Path]) -> None:
    """The database of the folder alone has no pages, so a search in it is refused."""
    now = FakeClock().now()
    with open_readonly(both[0]) as database:
        found = search(database, "one", now=now)
    assert found.total == 5
    with Database(both[0]) as face, pytest.raises(MisuseError, match="open_readonly"):
        search(face, "one", now=now)


def test_a_new_crawl_needs_a_number(tmp_path: Path) -> None:
    """Without it, `Crawl` is the class to use; other clients and clocks stay in one process."""
    with pytest.raises(MisuseError, match="number of its processes"):
        crawl_in_parts(tmp_path, ring(), processes=None)
    with pytest.raises(MisuseError, match="fetcher= cannot be used"):
        ProcessCrawl(tmp_path, "ExampleBot/1.0", processes=2, fetcher=ring(), **ME)


@pytest.mark.parametrize("pages", [1, 2, 7, 19])
def test_the_limit_of_pages_counts_for_all_processes(pages: int, tmp_path: Path) -> None:
    """Not one page more is fetched, and none less; the next run fetches as many again."""
    site = ring()
    bounds = {"origins": SITES, "pages": pages}
    found = crawl_in_parts(tmp_path, site, f"{SITES[0]}/", processes=3, bounds=bounds)
    assert (found.summary.ended, found.summary.pages) == ("page-limit", pages)
    again = crawl_in_parts(tmp_path, site, resume=True, processes=None, start=())
    assert again.summary.pages == min(pages, 20 - pages)
    fetched = [one.url for one in site.visits if not one.url.endswith("robots.txt")]
    assert len(fetched) == len(set(fetched)) == min(2 * pages, 20)


def test_an_error_in_one_part_ends_all(tmp_path: Path) -> None:
    """A disk that is full for one process stops the others in order; nothing is lost."""
    site = ring()

    def fails(*_: object, **__: object) -> None:
        message = "there is no room for the archive"
        raise StoreFullError(message)

    with (
        patch("goodbot.crawl.archive.warc_archive.WarcArchive.keep", fails),
        pytest.raises(StoreFullError, match="no room"),
    ):
        crawl_in_parts(tmp_path, site, f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    found = crawl_in_parts(tmp_path, site, resume=True, processes=None, start=())
    assert found.summary.ended == "nothing-left"
    assert len(states(tmp_path)) == 25


def test_a_part_that_cannot_be_read_ends_all(tmp_path: Path) -> None:
    """Without what another process found, none would know when the crawl is over."""

    def fails(*_: object) -> None:
        message = "the part cannot be read"
        raise StoreUnavailableError(message)

    with (
        patch("goodbot.crawl.frontier.handover.OtherPart.handed", fails),
        pytest.raises(StoreUnavailableError, match="cannot be read"),
    ):
        crawl_in_parts(tmp_path, ring(), f"{SITES[0]}/", bounds={"origins": SITES})


def test_a_crawl_that_is_killed_before_its_parts_exist(tmp_path: Path) -> None:
    """The start URLs are visited by the next run; meanwhile, verbs work."""
    killed = patch.object(LoopCrawl, "_pipes", side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        crawl_in_parts(tmp_path, ring(), f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    assert states(tmp_path) == {}
    done = run("robot", "block", "add", tmp_path, SITES[4], "--why", "asked by mail", "--by", "Jo")
    assert done.returncode == 0, done.stderr
    assert run("archive", "compact", tmp_path, "--json").returncode == 0
    site = ring()
    found = crawl_in_parts(tmp_path, site, resume=True, processes=None, start=())
    assert found.summary.urls["done"] >= 12
    assert not any(one.url.startswith(SITES[4]) for one in site.visits)


def test_errors_pass_from_process_to_process() -> None:
    """An error that cannot be pickled passes as its text."""

    class OddError(Exception):
        """An exception of a local class."""

    error = StoreFullError("no room")
    assert portable(error) is error
    assert str(portable(OddError("lamp"))) == "OddError: lamp"


# One pace, whichever process visits.


def test_hosts_of_one_server_are_visited_one_at_a_time(tmp_path: Path) -> None:
    """A server group has one budget for all processes."""
    site = ring()
    for origin in SITES:
        site.routes[f"{origin}/"] = Answer(body=html("home", "/1", "/2").encode(), seconds=3.0)
    start = [f"{origin}/" for origin in SITES]
    manners = Manners(default=10.0, factor=0.0, groups=("*.example",))
    found = crawl_in_parts(tmp_path, site, *start, processes=3, manners=manners, patience=None)
    assert found.summary.urls["done"] >= 15
    visits = sorted(site.visits, key=lambda one: one.monotonic)
    pause = manners.between_hosts(0.0)
    assert pause > 0.5
    for before, one in pairwise(visits):
        assert one.monotonic >= before.monotonic + pause - 1e-5, (before, one)


def test_a_robots_txt_at_a_site_of_another_process_keeps_its_pace(tmp_path: Path) -> None:
    """The account of that site is moved to where both processes use it."""
    one, other = SITES[:2]
    site = FakeSite(
        {
            f"{one}/robots.txt": moved(f"{other}/robots.txt"),
            f"{other}/robots.txt": "User-agent: *\nDisallow: /private",
            f"{one}/": html("one", *(f"/{page}" for page in range(3))),
            f"{other}/": html("other", *(f"/{page}" for page in range(12))),
            **{f"/{page}": html("page") for page in range(12)},
        },
        clock=FakeClock(),
    )
    manners = {"default": 5.0, "factor": 0.0, "floor": 2.0}
    start = [f"{other}/", f"{one}/"]
    found = crawl_in_parts(tmp_path, site, *start, manners=manners, patience=None)
    assert found.summary.urls == {"done": 17}
    there = [visit for visit in site.visits if visit.url.startswith(other)]
    assert [visit.path for visit in there].count("/robots.txt") == 2
    for before, after in pairwise(there):
        assert after.monotonic >= before.monotonic + 2.0 - 1e-5, (before, after)
    with Database(tmp_path) as database:
        assert database.store.accounts() == [other]
