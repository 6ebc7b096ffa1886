"""A crawl can be read if its folder is read-only, and while another process writes."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from goodbot.cli.program import run
from goodbot.crawl import Database, SQLiteIndex
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.errors import StoreBusyError
from goodbot.policy import Policy
from goodbot.store import SQLiteStore
from tests.support import paths
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of
from tests.support.rights import give_up_root

pytestmark = [
    pytest.mark.usefixtures("capsys"),  # the program prepares its output
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
]

FIXTURES = paths.FIXTURES / "0.1.0"
READERS = (
    ["search", "{}", "lamp"],
    ["archive", "show", "{}", SITE + "/"],
    ["evidence", "{}", SITE + "/"],
    ["evidence", "{}", "--export", "-"],
    ["report", "skipped", "{}"],
    ["report", "findings", "{}"],
    ["report", "{}", "-o", "-"],
    ["archive", "list", "{}"],
    ["archive", "check", "{}"],
)


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that every user may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def made(place: Path) -> Path:
    """Crawl two pages."""
    folder = place / "crawl"
    crawl(folder, site_of(home=html("a lamp", "/more"), more=html("another lamp")))
    return folder


def closed(folder: Path) -> None:
    """Make a folder and its files read-only."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def without_rights(words: list[str], folder: Path) -> tuple[int, str]:
    """Run the program as a user who cannot write; return its status and its output."""
    with tempfile.TemporaryFile() as output:
        process = os.fork()
        if not process:
            status = 99
            try:
                for number in (1, 2):
                    os.dup2(output.fileno(), number)
                sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
                sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
                give_up_root()
                assert not os.access(folder, os.W_OK)
                status = run([word.format(folder) for word in words])
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        output.seek(0)
        return status, output.read().decode()


def contents(folder: Path) -> dict[str, bytes]:
    """Read every file."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("state", ["closed", "killed", "at-work", "older", "older-killed"])
def test_a_folder_that_may_not_be_written_is_read(state: str, place: Path) -> None:
    """Every verb reads it, whatever is beside the database, and changes nothing in the folder."""
    run(["search", str(made(place / "warm")), "lamp"])  # so that everything is imported
    with ExitStack() as stack:
        if state.startswith("older"):
            name = "killed" if state.endswith("killed") else "crawl"
            folder = Path(shutil.copytree(FIXTURES / name, place / "crawl"))
        else:
            folder = made(place)
        if state == "at-work":
            writer = stack.enter_context(Database(folder))
            writer.gather(site_of().clock.now())
            stack.enter_context(writer.changing())
        if state == "killed":
            killed = place / "killed"
            with Database(folder) as database, database.changing() as connection:
                connection.execute("INSERT INTO origins(origin) VALUES('https://new.example')")
                connection.execute("UPDATE urls SET reason = 'only-in-the-log' WHERE id = 2")
                # As `kill -9` leaves it; the index of the log was in memory.
            with Database(folder) as database:
                with database.changing() as connection:
                    connection.execute("UPDATE urls SET source = 'only in the log'")
                killed.mkdir()
                for path in folder.iterdir():
                    if not path.name.endswith("-shm"):
                        shutil.copy(path, killed)
            folder = killed
            assert (folder / f"{FILE}-wal").stat().st_size
        closed(folder)
        before = contents(folder)
        for words in READERS:
            status, printed = without_rights(words, folder)
            allowed = {0, 1} if state.startswith("older") else {0}
            assert status in allowed, (words, printed)
            assert "Error:" not in printed, (words, printed)
            assert "is locked" not in printed, words
        assert contents(folder) == before
        if state == "killed":
            assert "only in the log" in without_rights(["evidence", "{}", SITE + "/"], folder)[1]
        folder.chmod(0o755)


@pytest.mark.parametrize("what", ["crawl", "store", "killed store"])
def test_policies_are_read_from_a_folder_that_may_not_be_written(what: str, place: Path) -> None:
    """For a table, and for an audit: of a crawl, of a store, and of one that was killed."""
    folder, site = made(place), SITE
    source, out, log = "{}", place / "out", place / "access.log"
    if what != "crawl":
        stored, folder = place / "open", place / "stored"
        stored.mkdir()
        folder.mkdir()
        now = site_of().clock.now()
        rules = b"User-agent: *\nDisallow: /till\n"
        policy = Policy.from_response(f"{site}/robots.txt", 200, (), rules, now=now)
        with closing(SQLiteStore(stored / "policies.db")) as store:
            store.put(policy.origin, policy.as_record(), now)
            if what == "killed store":
                for name in ("policies.db", "policies.db-wal"):
                    shutil.copy(stored / name, folder)
                assert (folder / "policies.db-wal").stat().st_size
        if what == "store":
            shutil.copy(stored / "policies.db", folder)
        source = "{}/policies.db"
    out.mkdir()
    out.chmod(0o777)
    log.write_text(
        '127.0.0.1 - - [02/Jan/2030:12:00:00 +0000] "GET /till HTTP/1.1" 200 1 "-" "GPTBot/1.0"\n'
    )
    verbs = (
        ["tables", "build", source, "-o", f"{out}/t.parquet"],
        ["audit", str(log), "--policy", source, "--site", site],
    )
    warm = shutil.copytree(folder, place / "warm")  # so that everything is imported
    for words in verbs:
        assert run([word.format(warm) for word in words]) == 0
    (out / "t.parquet").unlink()
    closed(folder)
    before = contents(folder)
    for words in verbs:
        status, printed = without_rights(words, folder)
        assert status == 0, (words, printed)
        assert "1 policy of 1 site" in printed or "1 version of robots.txt" in printed
    assert contents(folder) == before
    folder.chmod(0o755)


OPENED = """
from pathlib import Path
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.store.reading import open_for_reading
from tests.support.rights import give_up_root
give_up_root()
with {} as opened:
    print(flush=True)
    input()
"""


@pytest.mark.parametrize("reader", ["ReadOnlyDatabase('{}')", "open_for_reading(Path('{}/{}'))"])
def test_a_reader_that_was_killed_leaves_no_copy_for_the_next(reader: str, place: Path) -> None:
    """The next one removes the private copy, and one of a reader that lives stays."""
    folder, temporary = place / "killed", place / "tmp"
    for new in (folder, temporary):
        new.mkdir()
        new.chmod(0o777)
    crawled = made(place)
    with Database(crawled) as database:
        with database.changing() as connection:
            connection.execute("UPDATE urls SET source = 'only in the log'")
        for name in (FILE, f"{FILE}-wal"):
            shutil.copy(crawled / name, folder)
    closed(folder)
    words = [sys.executable, "-c", OPENED.format(reader.format(folder, FILE))]
    counts = []
    for _ in range(2):
        with subprocess.Popen(  # noqa: S603  our own program
            words, env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as killed:  # fmt: skip
            assert killed.stdout is not None
            assert killed.stdout.readline()
            counts.append(len(list(temporary.iterdir())))
            killed.kill()
    assert counts == [1, 1]
    assert len(list(temporary.iterdir())) == 1
    folder.chmod(0o755)


def test_readers_wait_for_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """While another process is making a change, each verb reads the state before that change."""
    folder = made(tmp_path)
    with Database(folder) as writer:
        writer.gather(site_of().clock.now())
        with writer.changing() as connection:
            connection.execute("INSERT INTO outdated SELECT id, 1 FROM documents")
            connection.execute("DELETE FROM urls")
            for words in READERS:
                status = run([word.format(folder) for word in words])
                printed = capsys.readouterr()
                assert status == 0, (words, printed.err)
                assert not printed.err


def test_a_search_says_that_the_index_is_behind(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It does not say that something is locked, and it finds all indexed pages."""
    folder = made(place)
    with Database(folder) as database, database.changing() as connection:
        connection.execute("INSERT INTO outdated VALUES(1, 1)")
    with Database(folder) as writer, writer.changing() as connection:
        connection.execute("UPDATE urls SET status = 200")
        assert run(["search", str(folder), "lamp"]) == 0
    printed = capsys.readouterr()
    assert "2 pages" in printed.out
    assert "(1); the crawl that is running will add them" in printed.err
    closed(folder)
    status, both = without_rights(["search", "{}", "lamp"], folder)
    assert status == 0
    assert "2 pages" in both
    assert "search as a user who can write to the folder" in both
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
    assert run(["search", str(folder), "lamp"]) == 0
    assert not capsys.readouterr().err
    with closing(ReadOnlyDatabase(folder)) as database:
        assert not SQLiteIndex(database).left()


def test_a_read_only_file_that_changes_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read may be wrong, so an error is raised."""
    folder = made(tmp_path)
    monkeypatch.setattr("goodbot.crawl.folder.readonly_database.may_write", lambda _: False)
    database = ReadOnlyDatabase(folder)
    with closing(database):
        assert database.connection.execute("SELECT count(*) FROM urls").fetchone() == (2,)
        database.check_unchanged()
        with Database(folder) as writer, writer.changing() as connection:
            connection.execute("UPDATE urls SET source = 'x'")
        with pytest.raises(StoreBusyError, match="was changed while it was read"):
            database.check_unchanged()


def test_reading_leaves_an_older_version_as_it_is(tmp_path: Path) -> None:
    """Only writers upgrade the file in the folder."""
    folder = Path(shutil.copytree(FIXTURES / "crawl", tmp_path / "crawl"))
    before = (folder / FILE).read_bytes()
    assert run(["report", "skipped", str(folder)]) == 0
    assert (folder / FILE).read_bytes() == before
