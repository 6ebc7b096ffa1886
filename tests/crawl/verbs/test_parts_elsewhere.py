"""Verbs that read a crawl say what is not in its folder, instead of finding nothing."""

from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import find_links, inventory_rows, open_readonly, search
from goodbot.crawl.archive.place import MemoryPlace
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.errors import MisuseError
from goodbot.testing import FakeClock
from tests.support import program
from tests.support.crawls.memory_crawls import SITE, crawl, site_of
from tests.support.crawls.memory_parts import MemoryEvidence, MemoryInventory, MemoryLinks

NAMED = {
    "evidence": {
        "evidence",
        "report",
        "archive export",
        "report compare",
        "report findings",
        "report skipped",
    },
    "links": {"links", "evidence", "report", "archive export", "report findings", "inventory"},
    "inventory": {
        "inventory",
        "evidence",
        "report",
        "archive export",
        "report compare",
        "report findings",
    },
}
WORDS = {
    "evidence": (f"{SITE}/",),
    "report": ("-o", "-"),
    "archive export": ("--wacz", "x.wacz"),
    "report compare": ("--since", "2020-01-01"),
    "report findings": (),
    "report skipped": (),
    "links": (),
    "inventory": (),
    "search": ("brass",),
    "archive show": (f"{SITE}/",),
    "archive check": (),
    "robot block list": (),
}
PARTS = {"evidence": MemoryEvidence, "links": MemoryLinks, "inventory": MemoryInventory}


@pytest.mark.parametrize("part", PARTS)
def test_who_reads_a_part_that_is_elsewhere_is_told(part: str, tmp_path: Path) -> None:
    """Every verb that would find less than there is; the others work."""
    clock = FakeClock()
    site = site_of("", clock=clock, home="<a href=/lamp>brass</a>", lamp="A brass lamp.")
    given = {part: PARTS[part]()}
    crawl(tmp_path / "c", site, **given)
    refusing = set()
    for verb, words in WORDS.items():
        done = program.run(*verb.split(), "c", *words, cwd=tmp_path)
        told = " ".join(done.stderr.decode().split())
        if f"was run with {part}= (Memory" in told:
            assert done.returncode == 2
            refusing.add(verb)
        else:
            assert done.returncode in {0, 1}, (verb, told)
    assert refusing == NAMED[part]


def test_the_library_says_the_same(tmp_path: Path) -> None:
    """For what is read without a verb."""
    site = site_of("", home="A brass lamp.")
    crawl(tmp_path / "c", site, links=MemoryLinks(), inventory=MemoryInventory())
    now = site.clock.now()
    with open_readonly(tmp_path / "c") as database:
        assert search(database, "brass", now=now).total == 1
        with pytest.raises(MisuseError, match=r"links= \(MemoryLinks\)"):
            list(find_links(database, now=now))
        with pytest.raises(MisuseError, match=r"was run with (links|inventory)="):
            list(inventory_rows(database, now))
    with (
        pytest.raises(MisuseError, match=r"links= \(MemoryLinks\)"),
        open_readonly(tmp_path / "c", reads=("links",)),
    ):
        pass


@pytest.mark.parametrize("name", ["warc_place", "index"])
def test_no_record_is_given_up_because_its_file_is_elsewhere(name: str, tmp_path: Path) -> None:
    """Verbs on the archive refuse; orders wait."""
    site, place = site_of("", home="A brass lamp."), MemoryPlace()
    with Database(tmp_path / "there", create=True) as there:
        given: dict[str, Any] = {"warc_place": place, "index": SQLiteIndex(there)}
        crawl(tmp_path / "c", site, **{name: given[name]})
        verbs = [f"archive {one} c" for one in ("check", "compact", "repair")]
        for words in (*verbs, f"archive show c {SITE}/"):
            done = program.run(*words.split(), cwd=tmp_path)
            told = " ".join(done.stderr.decode().split())
            is_refused = "was run with warc_place= (MemoryPlace)" in told
            assert is_refused == (name == "warc_place"), (words, told)
            assert done.returncode == (2 if is_refused else 0)
        for words in (f"robot block add c {SITE} --why test", f"robot forget c {SITE}/"):
            assert program.run(*words.split(), cwd=tmp_path).returncode == 0, words
        assert len(orders.waiting(tmp_path / "c")) == 2
        crawl(tmp_path / "c", site, **{name: given[name]})
        assert orders.waiting(tmp_path / "c") == []


def test_an_order_waits_for_who_has_the_parts(tmp_path: Path) -> None:
    """A page is removed where it is; a crawl without these parts could not."""
    site, inventory = site_of("", home="A brass lamp."), MemoryInventory()
    crawl(tmp_path / "c", site, inventory=inventory)
    done = program.run("robot", "block", "add", "c", SITE, "--why", "a test", cwd=tmp_path)
    assert done.returncode == 0
    assert len(orders.waiting(tmp_path / "c")) == 1
    assert inventory.pages[1][1].withheld == ""
    crawl(tmp_path / "c", site, inventory=inventory)
    assert orders.waiting(tmp_path / "c") == []
    assert inventory.pages[1][1].withheld == "removed"
