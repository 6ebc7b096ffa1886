"""Files of other versions: older ones are upgraded, newer ones are refused."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot.cli.program import run
from goodbot.crawl import Database
from goodbot.crawl.evidence.evidence_format import EVIDENCE_KINDS
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.folder.tables import CRAWL, NEWEST, comparable, digest_of
from goodbot.errors import StoreVersionError
from goodbot.store import SQLiteStore
from goodbot.store.schema import STORE
from goodbot.store.versions import Schema, bring_up_to_date, objects_in, objects_of
from tests.support import paths

FIXTURES = paths.FIXTURES / "0.1.0"
CRAWLS = ("crawl", "killed")
RENAMED = {"forbidden": "disallowed", "left-out": "skipped"}
"""States that were renamed in version 5 of the tables."""


def copy_of(name: str, to: Path) -> Path:
    """Copy a file or folder that 0.1.0 wrote, because SQLite changes a file by opening it."""
    source = FIXTURES / name
    if source.is_dir():
        return Path(shutil.copytree(source, to / name))
    return Path(shutil.copy(source, to / name))


def plain(path: Path) -> sqlite3.Connection:
    """Open a database without goodbot."""
    return sqlite3.connect(path, isolation_level=None)


def urls_in(folder: Path) -> set[tuple[str, str]]:
    """Read the URLs of a crawl without goodbot."""
    with closing(plain(folder / FILE)) as connection:
        return set(connection.execute("SELECT url, state FROM urls"))


def test_the_digest_is_that_of_the_newest_tables() -> None:
    """If it is wrong, folders are only read more slowly: write what is found here into `tables`."""
    objects = objects_of(STORE.steps) | objects_of(CRAWL.steps)
    assert digest_of(comparable(objects)) == NEWEST


@pytest.mark.parametrize("name", CRAWLS)
def test_an_older_crawl_is_brought_up_to_date(name: str, tmp_path: Path) -> None:
    """It then has the tables of a new crawl, and nothing is lost."""
    folder = copy_of(name, tmp_path)
    before = urls_in(copy_of(name, tmp_path / "before"))
    with Database(folder) as database, Database(tmp_path / "new", create=True) as new:
        assert STORE.is_current(database.connection)
        assert CRAWL.is_current(database.connection)
        assert objects_in(database.connection) == objects_in(new.connection)
    assert urls_in(folder) == {(url, RENAMED.get(state, state)) for url, state in before}
    assert len(before) >= 3


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_names_that_changed_are_rewritten(separators: tuple[str, str], tmp_path: Path) -> None:
    """Names of states and of an event are replaced; similar text elsewhere stays."""
    folder = copy_of("crawl", tmp_path)
    put_off = {"event": "put-off", "reason": "retry-after", "sentence": '{"event":"put-off"'}
    with closing(plain(folder / FILE)) as connection:
        connection.execute(
            "UPDATE evidence SET verdicts = ? WHERE id = (SELECT max(id) FROM evidence)",
            (json.dumps(put_off, separators=separators),),
        )
    assert {"forbidden", "left-out"} <= {state for _, state in urls_in(folder)}
    with Database(folder) as database:
        states = {state for _, state in urls_in(folder)}
        rows = database.connection.execute("SELECT verdicts FROM evidence ORDER BY id").fetchall()
    assert {"disallowed", "skipped"} <= states <= set(STATES)
    said = [json.loads(text) for (text,) in rows]
    assert said[-1] == put_off | {"event": "deferred"}
    assert {one["event"] for one in said} <= set(EVIDENCE_KINDS)


def test_what_older_versions_skipped_and_kept_is_due(tmp_path: Path) -> None:
    """Kept pages outside the bounds are revisited, so that they go when their site says so."""
    connection = plain(tmp_path / FILE)
    before = replace(CRAWL, steps=CRAWL.steps[:7])
    bring_up_to_date(connection, FILE, [STORE, before])
    for number, state in enumerate(("skipped", "skipped", "done"), start=1):
        url = f"https://a.example/{number}"
        connection.execute(
            "INSERT INTO urls(id, url, origin, depth, hops, how, state, visited) "
            "VALUES(?, ?, 1, 0, 0, 'link', ?, 7)",
            (number, url, state),
        )
    connection.execute("INSERT INTO documents(id, title, text) VALUES(1, '', 'lamp')")
    bring_up_to_date(connection, FILE, [STORE, CRAWL])
    found = connection.execute("SELECT id, state, due FROM urls ORDER BY id").fetchall()
    connection.close()
    assert found == [(1, "done", 7), (2, "skipped", None), (3, "done", None)]


def test_entries_that_were_outdated_still_are(tmp_path: Path) -> None:
    """They are in a table of their own from version 22 on."""
    connection = plain(tmp_path / FILE)
    before = replace(CRAWL, steps=CRAWL.steps[:21])
    bring_up_to_date(connection, FILE, [STORE, before])
    for number, stale in ((1, 0), (2, 1), (3, 2)):
        connection.execute(
            "INSERT INTO documents(id, title, text, stale) VALUES(?, '', 'lamp', ?)",
            (number, stale),
        )
    bring_up_to_date(connection, FILE, [STORE, CRAWL])
    found = connection.execute("SELECT id, stale FROM outdated ORDER BY id").fetchall()
    connection.close()
    assert found == [(2, 1), (3, 2)]


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    """Every record can be read, and the tables are those of a new one."""
    path = copy_of("store.db", tmp_path)
    with SQLiteStore(path) as store, SQLiteStore(tmp_path / "new.db") as new:
        with closing(plain(path)) as connection, closing(plain(tmp_path / "new.db")) as fresh:
            assert STORE.is_current(connection)
            assert objects_in(connection) == objects_in(fresh)
            origins = [one for (one,) in connection.execute("SELECT origin FROM policies")]
        assert len(origins) >= 4
        assert all(store.get(origin) for origin in origins)
        now = datetime(2026, 11, 22, tzinfo=timezone.utc)
        assert store.acquire(origins[0], now, 60, "one")
        assert not new.get(origins[0])


@pytest.mark.parametrize("name", CRAWLS)
def test_every_verb_reads_an_older_crawl(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verbs that read and verbs that rewrite the archive work on it."""
    folder = str(copy_of(name, tmp_path))
    url, _ = min(urls_in(Path(folder)))
    for arguments, expected in (
        (["search", folder, "the"], {0, 1}),
        (["show", folder, url], {0, 1}),
        (["evidence", folder, url], {0}),
        (["evidence", folder, "--export", "-"], {0}),
        (["skipped", folder], {0}),
        (["findings", folder], {0}),
        (["report", folder], {0}),
        (["archive", "list", folder], {0}),
        (["archive", "compact", folder], {0}),
        (["archive", "repair", folder], {0}),
    ):
        status = run(arguments)
        printed = capsys.readouterr()
        assert status in expected, (arguments, printed.err)
        assert printed.out or status, arguments


@pytest.mark.parametrize("name", CRAWLS)
def test_an_older_crawl_goes_on(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It can be resumed; the bounds skip every queued URL, so that no request is made."""
    folder = str(copy_of(name, tmp_path))
    words = ["crawl", "--resume", "--out", folder, "--exclude", "/", "--patience", "0", "--json"]
    assert run([*words, "--robot", "ExampleBot/1.0"]) == 0, capsys.readouterr().err
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["requests"] == 0


@pytest.mark.parametrize("change", ["PRAGMA user_version = 99", "settings"])
def test_a_newer_crawl_is_refused(
    change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Either version number is checked; the message says to upgrade, and the file is unchanged."""
    Database(tmp_path, create=True).close()
    with closing(plain(tmp_path / FILE)) as connection:
        if change == "settings":
            change = "INSERT OR REPLACE INTO settings VALUES('format', '99')"
        connection.execute(change)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreVersionError, match=r"is 99, .* upgrade goodbot"):
        Database(tmp_path)
    assert run(["search", str(tmp_path), "lamp"]) == 2
    assert "upgrade goodbot" in capsys.readouterr().err
    assert (tmp_path / FILE).read_bytes() == before


def test_a_step_that_fails_leaves_the_older_version(tmp_path: Path) -> None:
    """All steps of all schemas are one transaction."""
    broken = Schema("crawl", (*CRAWL.steps, ("CREATE TABLE a(b)", "SELECT no_such_function()")),
                    CRAWL.version, CRAWL.set_version)  # fmt: skip
    folder = copy_of("crawl", tmp_path)
    with closing(plain(folder / FILE)) as connection:
        before = objects_in(connection)
        with pytest.raises(sqlite3.OperationalError):
            bring_up_to_date(connection, "it", [STORE, broken])
        assert (STORE.version(connection), CRAWL.version(connection)) == (1, 1)
        assert objects_in(connection) == before


def test_steps_run_once_and_in_order() -> None:
    """A file of version N goes through the steps after the Nth, including functions."""
    ran: list[int] = []
    steps = tuple((lambda _connection, n=n: ran.append(n),) for n in (1, 2, 3))
    schema = Schema("it", steps, STORE.version, STORE.set_version)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1")
        bring_up_to_date(connection, "it", [schema])
        bring_up_to_date(connection, "it", [schema])
    assert ran == [2, 3]


def test_urls_in_several_spellings_become_one(tmp_path: Path) -> None:
    """Version 10 merges URLs that differ only in escapes of unreserved characters."""
    connection = plain(tmp_path / FILE)
    bring_up_to_date(connection, FILE, [STORE, replace(CRAWL, steps=CRAWL.steps[:9])])
    urls = {1: ("/%7ea", "done"), 2: ("/~a", "done"), 3: ("/%62", "done"), 4: ("/c%2fd", "skipped")}
    urls |= {5: ("/%63", "done"), 6: ("/c", "skipped"), 7: ("/%", "done")}
    for number, (path, state) in urls.items():
        url = f"https://a.example{path}"
        connection.execute(
            "INSERT INTO urls(id, url, origin, depth, hops, how, state, target) "
            "VALUES(?, ?, 1, 0, 0, 'link', ?, ?)",
            (number, url, state, 1 if number == 3 else None),
        )
        connection.execute("INSERT INTO documents(id, title, text) VALUES(?, '', 'x')", (number,))
    connection.execute("INSERT INTO anchors VALUES(3, 1, 'lamp')")
    bring_up_to_date(connection, FILE, [STORE, CRAWL])
    found = connection.execute("SELECT id, url, spelling, state, target FROM urls ORDER BY id")
    site = "https://a.example"
    assert found.fetchall() == [
        (1, f"{site}/%7ea", "", "skipped", None),
        (2, f"{site}/~a", "", "done", None),
        (3, f"{site}/b", f"{site}/%62", "done", 2),
        (4, f"{site}/c%2Fd", f"{site}/c%2fd", "skipped", None),
        (5, f"{site}/%63", "", "skipped", None),
        (6, f"{site}/c", "", "queued", None),
        (7, f"{site}/%", "", "done", None),
    ]
    documents = [one for (one,) in connection.execute("SELECT id FROM documents ORDER BY id")]
    anchors = connection.execute("SELECT source, target FROM anchors").fetchall()
    connection.close()
    assert documents == [2, 3, 4, 6, 7]
    assert anchors == [(3, 2)]
