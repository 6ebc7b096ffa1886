"""The database of a crawl: gathered changes, the journal of visits, and what a crash leaves."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from goodbot.crawl.folder import database as database_module
from goodbot.crawl.folder.database import FILE, LOG_SHARE, Database
from goodbot.crawl.folder.journal import Journal, Note
from goodbot.pace import History
from goodbot.store import Later, Lease, NotAStoreError, SQLiteStore
from goodbot.testing.store_suite import SITE, START, at

ADD = "INSERT INTO origins(origin) VALUES(?)"
COUNT = "SELECT count(*) FROM origins"


def copy(folder: Path, to: Path) -> Path:
    """Copy a folder in its present state, as a crash would leave it."""
    to.mkdir()
    for file in folder.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    return to


def test_a_change_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """A change that fails is undone, while earlier gathered changes stay."""
    with Database(tmp_path, create=True) as database:
        database.gather(START)
        with database.changing() as connection:
            connection.execute(ADD, ("a",))
        with pytest.raises(ZeroDivisionError), database.changing() as connection:  # noqa: PT012
            connection.execute(ADD, ("b",))
            with database.changing():
                connection.execute(ADD, ("c",))
            raise ZeroDivisionError
        assert database.connection.execute(COUNT).fetchone() == (1,)
    with Database(tmp_path) as database:
        assert database.connection.execute(COUNT).fetchone() == (1,)


def test_an_account_is_undone_with_its_change(tmp_path: Path) -> None:
    """Cached accounts are restored as well."""
    with Database(tmp_path, create=True) as database:
        database.gather(START)
        lease = database.store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        with pytest.raises(ZeroDivisionError), database.changing():  # noqa: PT012
            database.store.release(lease, ended=at(1), not_before=at(9))
            database.store.acquire("https://new.example", at(0), 60, "one")
            raise ZeroDivisionError
        assert isinstance(database.store.acquire(SITE, at(5), 60, "two"), Later)
        assert database.store.acquire("https://new.example", at(0), 60, "one")
        assert database.store.release(lease, ended=at(1), not_before=at(9))


@pytest.mark.parametrize("commits", [False, True])
def test_no_visit_is_early_after_a_crash(tmp_path: Path, *, commits: bool) -> None:
    """The pause is kept, whether or not the visit was committed."""
    folder = tmp_path / "crawl"
    with Database(folder, create=True) as database:
        database.gather(START)
        assert database.store.acquire(SITE, at(0), 60, "gone", pause=30)
        if commits:
            database.commit()
        left = copy(folder, tmp_path / "left")
    with Database(left) as database:
        database.gather(at(5))
        later = database.store.acquire(SITE, at(34), 60, "heir")
        assert isinstance(later, Later)
        assert later.not_before == at(35)
        lease = database.store.acquire(SITE, at(35), 60, "heir")
        assert isinstance(lease, Lease)
        assert lease.history == History.of(last_ended=at(5), starts=[at(0)])


def test_a_visit_that_was_given_back_before_the_crash_is_not_forgotten(tmp_path: Path) -> None:
    """Nothing was committed, so only the journal has the visits."""
    folder = tmp_path / "crawl"
    with Database(folder, create=True) as database:
        database.gather(START)
        for second in (0, 40):
            lease = database.store.acquire(SITE, at(second), 60, "gone", pause=30)
            assert isinstance(lease, Lease)
            database.store.release(lease, ended=at(second + 1), not_before=at(second + 31))
        left = copy(folder, tmp_path / "left")
    with Database(left) as database:
        database.gather(at(50))
        assert not database.store.acquire(SITE, at(79), 60, "heir")
        lease = database.store.acquire(SITE, at(80), 60, "heir")
        assert isinstance(lease, Lease)
        assert lease.history.starts[0] > lease.history.starts[1], "both visits count"


def test_notes_go_when_the_file_has_what_they_say(tmp_path: Path) -> None:
    """A commit empties the journal; otherwise it would grow and count visits again."""
    with Database(tmp_path, create=True) as database:
        database.gather(START)
        assert database.store.acquire(SITE, at(0), 60, "one")
        assert list(Journal(tmp_path))
        database.commit()
        assert not list(Journal(tmp_path))


def test_a_note_that_was_cut_short_is_of_no_visit(tmp_path: Path) -> None:
    """A note is written before its visit begins, so a partial one counts for nothing."""
    notes = Journal(tmp_path)
    notes.add(Note(SITE, 1, 2))
    with (tmp_path / "visits.log").open("ab") as file:
        file.write(b"\xff\xfe 1\nhttps://a.example x y\nhttps://b.example 5 6")
    assert list(Journal(tmp_path)) == [Note(SITE, 1, 2)]


def test_a_folder_without_a_crawl_is_reported(tmp_path: Path) -> None:
    """The message says how to start a crawl."""
    with pytest.raises(NotAStoreError, match="goodbot crawl URL --out"):
        Database(tmp_path)
    with SQLiteStore(tmp_path / FILE):
        pass
    with pytest.raises(NotAStoreError, match="no crawl"):
        Database(tmp_path)


def test_what_is_not_gathered_lasts_at_once(tmp_path: Path) -> None:
    """Another connection sees a change at once, or after `commit` while changes are gathered."""
    with Database(tmp_path, create=True) as database, Database(tmp_path) as other:
        with database.changing() as connection:
            connection.execute(ADD, ("a",))
        assert other.connection.execute(COUNT).fetchone() == (1,)
        database.gather(START + timedelta(seconds=1))
        with database.changing() as connection:
            connection.execute(ADD, ("b",))
        assert other.connection.execute(COUNT).fetchone() == (1,)
        database.commit()
        assert other.connection.execute(COUNT).fetchone() == (2,)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("is_on", [True, False])
def test_what_undoes_a_change_is_in_memory_or_in_a_file(is_on: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """SQLite opens a temporary file for more than 64 KiB of it, unless changes are small."""
    with Database(tmp_path, create=True) as database:
        rows = [(f"https://{number}.example/{'x' * 1_000}",) for number in range(200)]
        with database.changing() as connection:
            connection.executemany(ADD, rows)
        database.gather(START)
        database.undo_in_memory(is_on=is_on)
        with pytest.raises(ZeroDivisionError), database.changing() as connection:  # noqa: PT012
            connection.execute("UPDATE origins SET origin = origin || '/'")
            assert has_temporary_file() is not is_on
            raise ZeroDivisionError
        found = database.connection.execute("SELECT origin FROM origins").fetchall()
        assert found == rows


def has_temporary_file() -> bool:
    """Whether SQLite has a temporary file open, whose name begins as the library names them."""
    links = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            links.append(str(one.readlink()))
    return any("/etilqs_" in link for link in links)


MOST = 800


def test_the_log_grows_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have a share of the file; SQLite says after how many pages it copies the log."""
    monkeypatch.setattr(database_module, "CHECKPOINT", 2)
    monkeypatch.setattr(database_module, "LONGEST_LOG", MOST)
    with Database(tmp_path, create=True) as database:
        database.gather(START)
        lengths = []
        for place in range(4):
            with database.changing() as connection:
                for number in range(500):
                    text = f"https://{place}-{number}.example/" + "a" * 3_000
                    connection.execute("INSERT INTO origins(origin) VALUES(?)", (text,))
            database.commit()
            (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
            (length,) = database.connection.execute("PRAGMA wal_autocheckpoint").fetchone()
            expected = min(pages / LOG_SHARE, MOST)
            assert expected / 1.25 - 1 <= length <= expected
            lengths.append(length)
        assert lengths == sorted(lengths)
        assert len(set(lengths)) > 2
