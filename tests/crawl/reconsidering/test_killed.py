"""A rewriting that is killed at any moment leaves each file as it was, or as it is to be."""

import shutil
from pathlib import Path

import pytest

from goodbot.crawl import check_archive
from goodbot.crawl.folder.open_readonly import open_readonly
from tests.crawl.reconsidering.test_archive_report import SITE
from tests.crawl.reconsidering.test_archive_rewriting import (
    GONE,
    PAGE,
    cdxj_of,
    members_of,
    package,
    read_by_others,
    rewrite,
)
from tests.crawl.reconsidering.test_folder_rewriting import WORD, everything, found, shop
from tests.crawl.reconsidering.test_folder_rewriting import rewrite as rewrite_folder
from tests.support.crawls.foreign_warcs import response, write_warc
from tests.support.examples import share_of, thorough
from tests.support.kill_points import kill_at_each_step

pytestmark = pytest.mark.stress

__all__ = ["shop"]


def archives(folder: Path) -> Path:
    """Write two WARC files, their index, and a WACZ."""
    folder.mkdir()
    for number in range(2):
        records = [response(GONE, PAGE), response(f"{SITE}/{number}", "<p>brass")]
        write_warc(folder / f"{number}.warc.gz", records)
    lines = [line for number in range(2) for line in cdxj_of(folder / f"{number}.warc.gz")]
    (folder / "index.cdxj").write_bytes(b"".join(sorted(lines)))
    parts = folder.parent / "parts"
    parts.mkdir()
    package(folder / "a.wacz", members_of(parts))
    return folder


def contents_of(folder: Path) -> dict[str, bytes]:
    """Return the content of each file that is not hidden, and not the log."""
    return {
        one.name: one.read_bytes()
        for one in folder.iterdir()
        if one.is_file() and one.name != "removed.jsonl" and not one.name.startswith(".")
    }


@thorough
def test_archives_are_replaced_all_or_nothing_each(tmp_path: Path) -> None:
    """At every step; the log has what is gone, and a second run finishes the work."""
    old = archives(tmp_path / "old")
    before = contents_of(old)
    finished = shutil.copytree(old, tmp_path / "finished")
    rewrite(finished, new=None)
    after = contents_of(finished)
    work, kills = tmp_path / "work", 0

    def act() -> None:
        rewrite(work, new=None)

    shutil.copytree(old, work)
    for _ in kill_at_each_step(act, tmp_path):
        kills += 1
        left = contents_of(work)
        assert left.keys() == before.keys()
        for name, content in left.items():
            if "wacz" not in name:  # it has the time at which it was written
                assert content in {before[name], after[name]}, name
        if any(left[name] != before[name] for name in left):
            assert GONE in (tmp_path / "removed.jsonl").read_text()
        rewrite(work, new=None)
        again = contents_of(work)
        assert {name: again[name] for name in again if "wacz" not in name} == {
            name: after[name] for name in after if "wacz" not in name
        }
        assert {one.name for one in work.iterdir()} == before.keys()
        read_by_others(work / "0.warc.gz")
        shutil.rmtree(work)
        shutil.copytree(old, work)
    assert kills > share_of(8)


@thorough
def test_a_folder_is_old_or_new(shop: Path, tmp_path: Path) -> None:
    """In its place, at every step: what is found has its copy, and a second run finishes."""
    work, kills = tmp_path / "work", 0
    shutil.copytree(shop, work)

    def act() -> None:
        rewrite_folder(work, None)

    for _ in kill_at_each_step(act, tmp_path, one_of=50):
        kills += 1
        assert found(work, "brasslampword") != []
        with open_readonly(work) as database:
            assert [one for one in check_archive(database) if one.row is not None] == []
        rewrite_folder(work, None)
        assert found(work, WORD) == []
        assert WORD.encode() not in everything(work)
        shutil.rmtree(work)
        shutil.copytree(shop, work)
    assert kills > share_of(8)


@thorough
def test_a_new_folder_is_whole_or_not_there(shop: Path, tmp_path: Path) -> None:
    """The old one is not touched, and what was begun is removed by the next run."""
    new, kills = tmp_path / "new", 0

    def act() -> None:
        rewrite_folder(shop, new)

    for _ in kill_at_each_step(act, tmp_path, one_of=50):
        kills += 1
        if new.exists():
            assert WORD.encode() not in everything(new)
            assert found(new, "brasslampword") != []
            shutil.rmtree(new)
        assert found(shop, WORD) != []
        rewrite_folder(shop, new)
        assert WORD.encode() not in everything(new)
        assert {one.name for one in tmp_path.iterdir()} == {"shop", "new"}
        shutil.rmtree(new)
    assert kills > share_of(8)
