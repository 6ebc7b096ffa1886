"""A disk that is really full: a file system of 2 megabytes, in memory."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import program
from tests.support.loopback_shop import PAGES, ROBOT, open_shop
from tests.support.program import environment
from tests.support.small_disk import LARGE, mount, small_disk

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Create a small disk."""
    with small_disk(tmp_path / "disk") as place:
        yield place


def large_pages(count: int) -> dict[str, bytes]:
    """Return pages that compression cannot make small."""
    chance = random.Random(1)  # noqa: S311  the same each time
    words = (b"%x" % chance.getrandbits(400_000) for _ in range(count))
    pages = {
        f"/page{number}": b"<title>Page</title><p>" + word for number, word in enumerate(words)
    }
    links = b"".join(b"<a href=%s>a</a> " % path.encode() for path in pages)
    return {**PAGES, "/": b"<title>Shop</title>" + links, **pages}


@pytest.mark.parametrize("processes", [(), ("--processes", "2")])
def test_a_crawl_ends_when_the_disk_is_full_and_goes_on_with_more_room(
    processes: tuple[str, ...], disk: Path
) -> None:
    """The message says what to do, nothing is lost, and with room the folder is completed."""
    folder = str(disk / "crawl")
    with open_shop(large_pages(60)) as shop:
        words = (*ROBOT, "--out", folder)
        done = program.run("crawl", f"{shop.origin}/", *words, *processes, env=environment())
        assert done.returncode == 2
        complaints = done.stderr.decode()
        assert f"there is no room for {folder}" in complaints
        assert "make room" in complaints
        assert "Traceback" not in complaints
        asked = set(shop.asked)
        assert len(asked) < 60

        mount(disk, f"remount,{LARGE}")
        done = program.run("crawl", "--resume", *words, env=environment())
        assert done.returncode == 0, done.stderr
        assert set(shop.asked) > asked
        assert {f"/page{number}" for number in range(60)} <= set(shop.asked)
    assert program.run("archive", "check", folder).returncode == 0
    listed = program.run("archive", "list", folder).stdout.decode()
    assert listed.count(f"{shop.origin}/page") == 60
