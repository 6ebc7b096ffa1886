"""Folders from someone else: nothing outside them is touched, and odd rows are reported."""

import io
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from goodbot.cli.program import run
from goodbot.crawl import Database
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.journal import Journal
from goodbot.crawl.folder.lock import FolderLock
from goodbot.errors import NotAStoreError, StoreError
from tests.support.crawls.memory_crawls import SITE, html, site_of
from tests.support.crawls.memory_crawls import crawl as crawl_it
from tests.support.examples import some_of, thorough

pytestmark = pytest.mark.usefixtures("capsys")  # the program prepares its output

WARC = "pages-00001.warc.gz"
LAMP = f"{SITE}/lamp"
READERS = (
    ["search", "{}", "lamp"],
    ["show", "{}", LAMP],
    ["evidence", "{}", LAMP],
    ["evidence", "{}", "--export", "-"],
    ["skipped", "{}"],
    ["findings", "{}"],
    ["skipped", "{}", "--urls"],
    ["links", "{}"],
    ["inventory", "{}"],
    ["report", "{}", "-o", "-"],
    ["archive", "list", "{}"],
    ["archive", "check", "{}"],
)
WRITERS = (["archive", "compact", "{}"], ["archive", "repair", "{}"])
PRECIOUS = b"do not touch" * 1000


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a crawl with something in each table."""
    path = tmp_path_factory.mktemp("crawled") / "crawl"
    site = site_of(home=html("a lamp", "/lamp", "/gone"), lamp=html("a brass lamp"), gone="")
    crawl_it(path, site)
    return path


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    """Return a copy of that crawl."""
    return Path(shutil.copytree(crawled, tmp_path / "crawl"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a file outside the folder that must not change."""
    path = tmp_path / "victim"
    path.write_bytes(PRECIOUS)
    return path


def crafted(folder: Path, *statements: str) -> None:
    """Run statements on the database without goodbot."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def status_of(words: list[str], folder: Path) -> int:
    """Run the program; return its exit status."""
    return int(run([word.format(folder) for word in words]))


def goes_on(folder: Path) -> None:
    """Resume the crawl."""
    crawl_it(folder, site_of(home=html("a lamp", "/lamp")))


NAMES = [
    "'../victim'",
    "'pages-00001.warc.gz/../../victim'",
    "'pages-../../victim'",
    "'pages-00001.warc.gz.part'",
    "'pages-' || hex(zeroblob(3000)) || '.warc.gz'",
    "x'2e2e2f76696374696d'",
    "''",
    "7",
]
LENGTHS = ["-1", "'all'", "x'00'", "1e300", "9223372036854775807", "NULL"]


@pytest.mark.parametrize("name", [*NAMES, "absolute"])
def test_a_name_in_the_database_leads_nowhere_else(
    name: str, folder: Path, victim: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are cut, removed and rewritten only under goodbot's own names."""
    name = f"'{victim}'" if name == "absolute" else name
    for length in ("0", "5", "100000000"):
        crafted(folder, f"INSERT OR REPLACE INTO files VALUES({name}, {length}, NULL)")
        crafted(folder, f"UPDATE kept SET file = {name}")  # noqa: S608
        for words in WRITERS:
            assert status_of(words, folder) == 2
            assert "do not use this folder unless you trust" in capsys.readouterr().err
        with pytest.raises(NotAStoreError):
            goes_on(folder)
        assert victim.read_bytes() == PRECIOUS


@pytest.mark.parametrize("length", LENGTHS[:-1])
def test_a_length_in_the_database_is_a_length(length: str, folder: Path) -> None:
    """An invalid length is refused, and no file is cut to it."""
    before = (folder / WARC).read_bytes()
    crafted(folder, f"UPDATE files SET length = {length}")  # noqa: S608
    for words in WRITERS:
        assert status_of(words, folder) == 2
    with pytest.raises(NotAStoreError):
        goes_on(folder)
    assert (folder / WARC).read_bytes() == before


def link(path: Path, target: Path) -> None:
    """Make a symbolic link."""
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def hard_link(path: Path, target: Path) -> None:
    """Make a second name for the same file."""
    path.unlink(missing_ok=True)
    os.link(target, path)


def pipe(path: Path, _target: Path) -> None:
    """Make a pipe, on which a reader would wait forever."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("how", [link, hard_link, pipe])
@pytest.mark.parametrize(
    "name", [WARC, "crawl.lock", "visits.log", FILE, f"{FILE}-wal", f"{FILE}-shm"]
)
def test_what_stands_in_place_of_a_file_is_not_followed(
    how: Callable[[Path, Path], None], name: str, folder: Path, victim: Path
) -> None:
    """It is not written to, cut or waited for."""
    how(folder / name, victim)
    with pytest.raises(StoreError, match=r"link|regular file"):
        goes_on(folder)
    if name.startswith(FILE):
        for words in (*READERS, *WRITERS):
            assert status_of(words, folder) == 2 or how is hard_link
    assert victim.read_bytes() == PRECIOUS


def test_a_rollback_journal_is_refused(folder: Path, victim: Path) -> None:
    """A rollback journal can name a file that SQLite would then remove."""
    (folder / f"{FILE}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    for words in (*READERS, *WRITERS):
        assert status_of(words, folder) == 2
    assert victim.read_bytes() == PRECIOUS


def test_lock_and_notes_are_opened_without_following(tmp_path: Path, victim: Path) -> None:
    """Neither follows a link."""
    for name, opened in (("crawl.lock", FolderLock), ("visits.log", Journal)):
        (tmp_path / name).symlink_to(victim)
        with pytest.raises(NotAStoreError, match="link"):
            opened(tmp_path)
    assert victim.read_bytes() == PRECIOUS


def test_a_report_replaces_a_link_in_the_folder(folder: Path, victim: Path) -> None:
    """A link of that name is replaced; a link would be followed only if the user had named it."""
    (folder / "report.html").symlink_to(victim)
    assert status_of(["report", "{}"], folder) == 0
    assert victim.read_bytes() == PRECIOUS
    assert not (folder / "report.html").is_symlink()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON settings BEGIN DELETE FROM urls; END",
        "CREATE TRIGGER t AFTER DELETE ON kept BEGIN UPDATE files SET length = 0; END",
        "CREATE VIEW extra AS SELECT load_extension('x')",
        "CREATE TABLE mine(a)",
        "CREATE INDEX slow ON urls(length(url))",
        "DROP INDEX kept_in",
        "ALTER TABLE files ADD COLUMN b AS (abs(length))",
        "DROP TABLE requests",
    ],
)
def test_other_tables_than_ours_are_refused(
    statement: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view or a trigger would run by itself when a table is read or written."""
    crafted(folder, statement)
    for words in (*READERS, *WRITERS):
        assert status_of(words, folder) == 2
        assert "has other tables than those of a crawl" in capsys.readouterr().err
    with pytest.raises(NotAStoreError):
        goes_on(folder)


def test_a_view_in_place_of_a_table_is_refused(folder: Path) -> None:
    """A view could run forever."""
    crafted(
        folder,
        "DROP TABLE evidence",
        "CREATE VIEW evidence AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS id, 1 AS url, 1 AS at, 200 AS status, '[]' AS verdicts FROM n",
    )
    for words in READERS:
        assert status_of(words, folder) == 2


def tables() -> list[str]:
    """List every table except those that SQLite creates itself."""
    with tempfile.TemporaryDirectory() as place, Database(place, create=True) as database:
        rows = database.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%'"
        )
        return [name for (name,) in rows]


Reads = dict[tuple[str, str], list[list[str]]]


@pytest.fixture(scope="module")
def reads(crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> Reads:
    """Return the verbs that read each column: to any other its value makes no difference."""
    folder = Path(shutil.copytree(crawled, tmp_path_factory.mktemp("read") / "crawl"))
    found: Reads = {}
    seen: set[tuple[str, str]] = set()

    def note(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            seen.add((str(table), str(column)))
        return sqlite3.SQLITE_OK

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401  as it takes them
        connection: sqlite3.Connection = opened(*args, **options)
        connection.set_authorizer(note)
        return connection

    opened = sqlite3.connect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect)
        for name in ("stdout", "stderr"):
            patch.setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
        for words in READERS:
            seen.clear()
            assert status_of(words, folder) in {0, 1}
            for column in sorted(seen):
                found.setdefault(column, []).append(words)
    return found


ODD = [
    "'x'", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e300", "x'ff00fe'", "NULL",
    "''", "'[]'", "'{{}}'", "'[[[[' || hex(zeroblob(20000))",
    "replace(hex(zeroblob(9000)), '0', '[')",
    "'9' || hex(zeroblob(4000))", "'../x'", "char(55296)",
]  # fmt: skip


@pytest.mark.stress
@thorough
@pytest.mark.parametrize("table", tables())
def test_an_odd_value_is_reported_and_crashes_no_reader(
    table: str, reads: Reads, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each verb either answers or prints one of our errors, for odd values in every column."""
    original = (folder / FILE).read_bytes()
    for column in (column for of, column in reads if of == table and column):
        for value in some_of(ODD):
            (folder / FILE).write_bytes(original)
            try:
                crafted(folder, f"UPDATE {table} SET {column} = {value.format()}")  # noqa: S608
            except sqlite3.Error:
                continue  # the table itself does not take it
            for words in reads[table, column]:
                status = status_of(words, folder)  # anything but an error of ours would be raised
                printed = capsys.readouterr()
                assert status in {0, 1, 2}
                found = (column, value, words, printed.err)
                assert status != 2 or "\nError: " in f"\n{printed.err}", found


@pytest.mark.parametrize("change", ["origin = 'x'", "depth = 'a'", "attempts = 'a'", "hops = 1.5"])
def test_a_url_of_the_queue_is_of_our_own_form(change: str, folder: Path) -> None:
    """A value that goodbot never writes raises `NotAStoreError`."""
    crafted(folder, f"UPDATE urls SET state = 'queued', due = 1, {change}")  # noqa: S608
    with pytest.raises(NotAStoreError, match="queue is damaged"):
        goes_on(folder)


def test_large_numbers_in_the_database_cost_nothing(folder: Path) -> None:
    """A huge number of attempts and an infinite count do no harm."""
    crafted(folder, f"UPDATE urls SET state = 'queued', due = 1, attempts = {2**62}")  # noqa: S608
    crafted(folder, """INSERT OR REPLACE INTO settings VALUES('not-kept', '{"x": 1e999}')""")
    goes_on(folder)
