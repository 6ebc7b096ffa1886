"""The folder of a crawl without pages that go."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from goodbot.crawl import check_archive, inventory_rows, search, site_findings
from goodbot.crawl.archive.kept_copy import kept_copy
from goodbot.crawl.evidence.reading import visits_of
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.reconsidering.folder_rewriting import (
    RewrittenFolder,
    remove_in_place,
    write_folder,
)
from goodbot.crawl.reconsidering.holdings import FolderHoldings, find_sources
from goodbot.crawl.reconsidering.question import HeldQuestion
from goodbot.crawl.reconsidering.removal_log import RemovalLog
from goodbot.errors import MisuseError, StoreBusyError
from goodbot.reconsidering import HeldUse, TakedownList, read_takedown
from tests.crawl.reconsidering.test_archive_report import NOW, Says
from tests.crawl.reconsidering.test_archive_rewriting import contents
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of

WORD = "velvetsofaword"
TITLE = "mahoganytitleword"
CLOSED = b"User-agent: *\nDisallow: /private\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Crawl a site while it is open."""
    private = html(
        f"{WORD} <a href=/lamp>{WORD}link</a>",
        head=f"<title>{TITLE}</title><meta name=description content={WORD}about>",
    )
    site = site_of(
        b"User-agent: *\nAllow: /",
        home=html("welcome", "/private", "/lamp"),
        private=private,
        lamp=html("brasslampword"),
    )
    crawl(tmp_path / "shop", site)
    assert WORD.encode() in everything(tmp_path / "shop")
    return tmp_path / "shop"


def everything(folder: Path) -> bytes:
    """Return every byte of a folder, and what is in its files."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return b"\n".join(contents(path.read_bytes()) for path in files)


def rewrite(
    folder: Path,
    new: Path | None,
    *,
    says: bytes = CLOSED,
    uses: Sequence[HeldUse] = ("fetch", "archive", "search"),
    takedown: TakedownList | None = None,
) -> RewrittenFolder:
    """Rewrite a folder by what its site says now."""
    with FolderHoldings(find_sources([folder])) as held:
        question = HeldQuestion(
            "ExampleBot", uses, held.then("rfc9309"), Says(says), NOW, takedown=takedown
        )
        for _ in held.rows(question, uses):
            pass
        going = list(held.going)
    if new is None:
        return remove_in_place(folder, going, RemovalLog(folder / "removed.jsonl", NOW, "x"), NOW)
    return write_folder(folder, new, going, None, NOW, "ExampleBot")


def found(folder: Path, words: str) -> list[str]:
    """Return the pages that a search finds."""
    with open_readonly(folder) as database:
        return [one.url for one in search(database, words, now=NOW).hits]


@pytest.mark.parametrize("in_place", [False, True])
def test_no_word_of_a_removed_page_is_left(shop: Path, in_place: bool) -> None:  # noqa: FBT001  a parameter
    """Neither in the index, the archive, the links nor the inventory, nor in free pages."""
    new = shop if in_place else shop.with_name("new")
    done = rewrite(shop, None if in_place else new)
    assert (done.pages, done.from_index) == (1, 0)
    left = everything(new)
    assert WORD.encode() not in left
    assert TITLE.encode() not in left
    assert found(new, WORD) == found(new, TITLE) == []
    assert found(new, "brasslampword") == [f"{SITE}/lamp"]
    with open_readonly(new) as database:
        assert kept_copy(database, f"{SITE}/private") is None
        assert kept_copy(database, f"{SITE}/lamp") is not None
        assert list(check_archive(database)) == []
    if not in_place:
        assert WORD.encode() in everything(shop)


def test_the_evidence_says_by_which_statement(shop: Path) -> None:
    """A row `removed`; the visit itself stays on record."""
    rewrite(shop, shop.with_name("new"))
    with open_readonly(shop.with_name("new")) as database:
        (number,) = database.connection.execute(
            "SELECT id FROM urls WHERE url = ?", (f"{SITE}/private",)
        ).fetchone()
        rows = [(one.said.event, one.said.sentence) for one in visits_of(database, number)]
    assert rows == [
        ("visited", ""),
        (
            "removed",
            "Reconsidered: fetch is disallowed now (robots.txt, line 2: Disallow: /private).",
        ),
    ]
    lines = (shop.with_name("new") / "removed.jsonl").read_text().splitlines()
    assert [json.loads(one)["url"] for one in lines] == [f"{SITE}/private"]


def test_the_other_records_are_byte_for_byte_as_they_were(shop: Path) -> None:
    """Each record is a member of gzip, which is copied."""
    rewrite(shop, shop.with_name("new"))

    def records(folder: Path) -> dict[str, bytes]:
        with closing(sqlite3.connect(folder / "crawl.db")) as database:
            rows = database.execute("SELECT address, file, offset, length FROM kept").fetchall()
        return {
            url: (folder / file).read_bytes()[offset : offset + length]
            for url, file, offset, length in rows
        }

    before, after = records(shop), records(shop.with_name("new"))
    del before[f"{SITE}/private"]
    assert after == before


def test_what_must_not_be_found_leaves_the_index_only(shop: Path) -> None:
    """`search` is about the index; the copy stays, and can be shown."""
    done = rewrite(shop, shop.with_name("new"), says=b"User-agent: *\nContent-Usage: search=n\n")
    assert (done.pages, done.from_index) == (0, 3)
    assert found(shop.with_name("new"), "brasslampword") == []
    with open_readonly(shop.with_name("new")) as database:
        assert kept_copy(database, f"{SITE}/lamp") is not None


@pytest.mark.parametrize(
    ("says", "reasons"),
    [
        (CLOSED, {"": ("nothing-said", True), "lamp": ("nothing-said", True),
                  "private": ("removed", False)}),
        (b"User-agent: *\nContent-Usage: search=n\n",
         dict.fromkeys(("", "lamp", "private"), ("reconsidered", False))),
    ],
)  # fmt: skip
def test_the_inventory_says_that_a_page_was_removed(
    shop: Path, says: bytes, reasons: dict[str, tuple[str, bool]]
) -> None:
    """It is not counted as indexable, and that is no fault of its site."""
    rewrite(shop, None, says=says)
    with open_readonly(shop) as database:
        rows = [one for one in inventory_rows(database, NOW) if one.status is not None]
        found = {one.url: (one.indexable_reason, one.indexable) for one in rows}
        assert found == {f"{SITE}/{path}": reason for path, reason in reasons.items()}
        assert [code for one in rows if not one.indexable for code in site_findings(one)] == []


def test_a_takedown_takes_the_same_way(shop: Path) -> None:
    """By a URL in another spelling."""
    listed = read_takedown(f"{SITE}/x/../%70rivate")
    rewrite(shop, shop.with_name("new"), uses=("takedown",), takedown=listed)
    assert WORD.encode() not in everything(shop.with_name("new"))
    assert found(shop.with_name("new"), "brasslampword") == [f"{SITE}/lamp"]


def test_nothing_is_removed_while_the_crawl_runs(shop: Path) -> None:
    """It holds part of its data in memory; nothing is written, and nothing is left behind."""
    before = everything(shop)
    with FolderLock(shop):
        for new in (shop.with_name("new"), None):
            with pytest.raises(StoreBusyError, match="another crawl is running"):
                rewrite(shop, new)
    assert not shop.with_name("new").exists()
    assert sorted(one.name for one in shop.parent.iterdir()) == ["shop"]
    assert WORD.encode() in before


def test_a_new_folder_does_not_replace_another(shop: Path) -> None:
    """One that is empty will do."""
    new = shop.with_name("new")
    shutil.copytree(shop, new)
    with pytest.raises(MisuseError, match="exists; name a folder that does not"):
        rewrite(shop, new)
    shutil.rmtree(new)
    new.mkdir()
    assert rewrite(shop, new).pages == 1


def test_a_crawl_goes_on_in_the_new_folder(shop: Path) -> None:
    """Its settings, its queue and its policies are those of the old one."""
    new = shop.with_name("new")
    rewrite(shop, new)
    site = site_of(CLOSED, home=html("welcome again", "/lamp"), lamp=html("brasslampword"))
    crawl(new, site)
    assert found(new, "brasslampword") == [f"{SITE}/lamp"]
    assert WORD.encode() not in everything(new)
