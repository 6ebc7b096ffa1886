"""Every archive and every place passes the suite."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.archive.place import FolderPlace, MemoryPlace, WarcPlace
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.folder.database import Database
from goodbot.crawl.testing.archive_suite import ArchiveSuite, OpenArchive
from goodbot.errors import NotAStoreError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.archive.protocol import Archive


def opened(folder: Path, place: WarcPlace | None) -> Iterator[OpenArchive]:
    """Yield a function that opens database and archive again, as another process would."""
    with ExitStack() as stack:

        def open_archive() -> Archive:
            database = stack.enter_context(Database(folder, create=True))
            archive = WarcArchive(database, user_agent="ExampleBot", place=place)
            return stack.enter_context(archive)

        yield open_archive


class TestFolder(ArchiveSuite):
    """WARC files beside the database."""

    @pytest.fixture
    def open_archive(self, tmp_path: Path) -> Iterator[OpenArchive]:
        """Yield a function that opens the archive."""
        yield from opened(tmp_path, None)


class TestElsewhere(ArchiveSuite):
    """WARC files in another place."""

    @pytest.fixture
    def open_archive(self, tmp_path: Path) -> Iterator[OpenArchive]:
        """Yield a function that opens the archive."""
        yield from opened(tmp_path, MemoryPlace())
        assert not list(tmp_path.glob("*.warc.gz"))


NAME = "pages-00001.warc.gz"


@pytest.fixture(params=["folder", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WarcPlace]:
    """Open an empty place."""
    empty = FolderPlace(tmp_path) if request.param == "folder" else MemoryPlace()
    yield empty
    empty.close()


def test_a_place_keeps_what_is_recorded(place: WarcPlace) -> None:
    """Bytes after the recorded length are replaced, and writing twice changes nothing."""
    assert isinstance(place, WarcPlace)
    assert (place.names(), place.size(NAME)) == ([], None)
    place.append(NAME, 0, b"one")
    for _ in range(2):
        place.append(NAME, 3, b"two")
        assert (place.size(NAME), place.read(NAME, 2, 3)) == (6, b"etw")
    place.append(NAME, 0, b"anew")
    assert place.read(NAME, 0, 100) == b"anew"
    place.cut(NAME, 2)
    assert (place.names(), place.read(NAME, 0, 100)) == ([NAME], b"an")
    place.close()
    place.append(NAME, 2, b"d on")
    assert place.read(NAME, 0, 100) == b"and on"


def test_a_place_reports_missing_files(place: WarcPlace) -> None:
    """Reading, appending or cutting a missing or shorter file raises."""
    with pytest.raises(StoreUnavailableError, match="restore it"):
        place.read(NAME, 0, 1)
    for missing in (True, False):
        message = "is missing" if missing else "2 bytes instead of the recorded 3"
        with pytest.raises(NotAStoreError, match=message):
            place.append(NAME, 3, b"x")
        with pytest.raises(NotAStoreError, match=message):
            place.cut(NAME, 3)
        place.append(NAME, 0, b"ab")
    place.remove(NAME)
    place.remove(NAME)
    assert place.size(NAME) is None


def test_a_place_writes_a_file_whole_or_not_at_all(place: WarcPlace) -> None:
    """An error in the pieces leaves no file."""

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        place.write(NAME, pieces())
    assert place.names() == []
    place.write(NAME, iter([b"wh", b"ole"]))
    assert (place.names(), place.read(NAME, 0, 9)) == ([NAME], b"whole")
