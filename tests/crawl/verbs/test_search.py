"""`goodbot search`, as a whole program."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from goodbot.crawl.folder.database import FILE, Database
from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.index.sqlite import SQLiteIndex
from tests.support import program
from tests.support.program import GOODBOT

URL = "https://shop.example/"
ADD = """INSERT INTO urls(id, url, origin, depth, hops, how, state, visited)
    VALUES(?, ?, 1, 0, 0, 'start', 'done', ?)"""
KEEP = """INSERT INTO kept(
        url, address, kind, at, file, offset, length, record, digest, reason, source)
    VALUES(?, ?, 'response', 0, 'a.warc.gz', 0, 1, x'', x'', '', '')"""
VISITED = 1_735_732_800_000_000
"""Noon of 1 January 2025."""


def search(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run `goodbot search` on these arguments; its exit status, output and complaints."""
    done = program.run("search", *arguments, env=program.bare_environment(**environment))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return the database of a crawl of three pages, not all of which are in the index yet."""
    with_pages = Database(tmp_path / "crawl", create=True)
    index = SQLiteIndex(with_pages)
    over = datetime.now(timezone.utc) - timedelta(seconds=1)
    with with_pages.changing() as connection:
        for number, path in enumerate(("lamps", "it's", "over"), 1):
            connection.execute(ADD, (number, URL + path, VISITED))
        connection.execute(KEEP, (2, URL + "it's"))
        index.put(1, Document("Lamp", "brass lamp … of old", "brass … of old", None, None))
        index.put(2, Document("", "a lamp \x1b[31m of wood", "", None, None))
        index.put(3, Document("Over", "brass lamp", "brass lamp", None, over))
        index.refresh(2)
        index.describe(2, [Anchor(1, "attic")])
    yield with_pages
    with_pages.close()


@pytest.fixture
def folder(database: Database) -> str:
    """Return the folder of a crawl."""
    return str(database.folder)


def test_hits_are_printed_with_what_may_be_shown(folder: str) -> None:
    """Title, address, quotation, visit and copy, and how many there are."""
    status, output, complaints = search(folder, "lamp")
    assert (status, complaints) == (0, "")
    assert output == (
        "1. Lamp\n"
        "   https://shop.example/lamps\n"
        "   brass … of old\n"
        "   visited 2025-01-01 12:00 UTC\n"
        "\n"
        "2. (no title)\n"
        "   https://shop.example/it's\n"
        "   visited 2025-01-01 12:00 UTC\n"
        f"   [copy: goodbot archive show {folder} 'https://shop.example/it'\"'\"'s']\n"
        "\n"
        "2 pages for lamp\n"
    )


def test_a_phrase_is_one_word_of_the_shell_or_many(folder: str) -> None:
    """The words of the command line are one query."""
    assert search(folder, '"brass lamp"')[0] == 0
    assert search(folder, "brass", "lamp")[0] == 0
    assert search(folder, "lamp -brass")[1].endswith("1 page for lamp -brass\n")
    assert search(folder, "--", "-brass", "lamp")[0] == 0
    assert search(folder, '"lamp of"')[:2] == (1, 'no pages found for "lamp of"\n')


def test_what_others_say_is_found(folder: str) -> None:
    """The texts of links are brought into the index before a search."""
    status, output, _ = search(folder, "anchor:attic", "lamp")
    assert status == 0
    assert output.startswith("1. Lamp\n")


def test_it_is_asked_in_pages(folder: str) -> None:
    """--limit and --offset choose the hits, which keep their numbers."""
    _, output, _ = search(folder, "lamp", "--limit", "1")
    assert output.startswith("1. Lamp\n")
    assert output.endswith("2 pages for lamp; shown: 1 to 1\n")
    _, output, _ = search(folder, "lamp", "--offset", "1")
    assert output.startswith("2. (no title)\n")
    status, output, _ = search(folder, "lamp", "--offset", "2")
    assert (status, output) == (0, "2 pages for lamp, but none after number 2\n")


def test_json_is_one_object(folder: str) -> None:
    """It has all that is printed, and findings."""
    status, output, complaints = search(folder, 'lamp "wood', "--json")
    found = json.loads(output)
    assert (status, complaints) == (0, "")
    assert output.count("\n") == 1
    assert found["query"] == "lamp wood"
    assert found["total"] == 1
    assert found["hits"][0] == {
        "url": "https://shop.example/it's",
        "title": "",
        "abstract": "",
        "snippet": "",
        "score": found["hits"][0]["score"],
        "has_copy": True,
        "visited": "2025-01-01T12:00:00+00:00",
    }
    assert [finding["code"] for finding in found["findings"]] == ["unclosed-quote"]
    assert search(folder, "nothing", "--json")[0] == 1


def test_words_are_marked_where_there_is_colour(folder: str) -> None:
    """The words that were looked for are bold, whatever their case."""
    _, output, _ = search(folder, "BRASS", FORCE_COLOR="1")
    assert "\x1b[1mbrass\x1b[0m … of old" in output
    assert "\x1b" not in search(folder, "BRASS")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_quotations_are_broken_on_a_terminal(database: Database) -> None:
    """Between words, where the terminal ends."""
    import pty  # noqa: PLC0415  there is none on Windows

    index = SQLiteIndex(database)
    text = "a brass lamp " + "and a chair " * 20
    index.put(1, Document("Lamp", text, text, None, None))
    control, terminal = pty.openpty()
    command = [*GOODBOT, "search", str(database.folder), "brass"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "40", "NO_COLOR": "1"}
    subprocess.run(command, stdout=terminal, check=True, env=environment)  # noqa: S603  our own program
    os.close(terminal)
    with os.fdopen(control, "rb", buffering=0) as screen:
        lines = (screen.read(10_000) or b"").decode().splitlines()
    quotation = [line for line in lines if line.startswith("   ") and "chair" in line]
    assert len(quotation) > 3
    assert max(map(len, quotation)) <= 40


def test_no_foreign_octet_steers_the_terminal(database: Database) -> None:
    """Titles, texts and queries are escaped."""
    index = SQLiteIndex(database)
    index.put(1, Document("\x1b[2J", "steer \x1b[31m", "steer \x1b[31m", None, None))
    status, output, complaints = search(str(database.folder), "steer", "\x07-\x1b[2J")
    assert status == 0
    assert "\x1b" not in output + complaints
    assert "\\x1b[2J" in output


def test_what_is_odd_is_told(folder: str) -> None:
    """A query that can find nothing says why, with the exit status of nothing."""
    status, output, complaints = search(folder, "--", "-brass")
    assert (status, output) == (1, "no pages found for -brass\n")
    assert "The query only excludes words; add a word" in complaints
    assert search(folder, "?!")[:2] == (1, "no pages found\n")


def test_it_works_while_a_crawl_writes(database: Database) -> None:
    """Pages in the index are found without a long wait, and missing ones are reported."""
    SQLiteIndex(database).refresh()
    SQLiteIndex(database).put(2, Document("", "a lamp of glass", "", None, None))
    with database.changing():
        status, output, complaints = search(str(database.folder), "lamp")
    assert status == 0
    assert output.endswith("\n1 page for lamp\n")
    assert "not in the index yet (1)" in complaints.replace("\n", " ")


def test_every_entry_is_made_before_a_search(database: Database) -> None:
    """Also those of a crawl that was cut off, of which there may be many."""
    index = SQLiteIndex(database)
    with database.changing() as connection:
        for number in range(10, 2_510):
            connection.execute(ADD, (number, f"{URL}{number}", VISITED))
            index.put(number, Document("", "glass", "", None, None))
    assert search(str(database.folder), "glass", "-n1")[1].endswith(
        "2,500 pages for glass; shown: 1 to 1\n"
    )


def test_without_a_crawl_there_is_no_answer(tmp_path: Path) -> None:
    """A folder without a crawl is an error with status 2; the message says how to fix it."""
    missing = tmp_path / "nowhere"
    status, output, complaints = search(str(missing), "lamp")
    assert (status, output) == (2, "")
    assert "there is no crawl in" in complaints
    assert f"goodbot crawl URL --out {missing}" in complaints
    assert "--out 'an old shop'" in search("an old shop", "lamp")[2]
    (tmp_path / FILE).write_text("no database at all, but some words\n" * 100)
    status, output, complaints = search(str(tmp_path), "lamp")
    assert (status, output) == (2, "")
    assert "is not a database" in complaints
    status, output, complaints = search(str(tmp_path / FILE), "lamp")
    assert (status, output) == (2, "")
    assert f"{tmp_path / FILE} is a file; name the folder of a crawl" in complaints


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("crawl",), "goodbot search crawl lamp"),
        (("crawl", " "), "write what to search for"),
        (("crawl", "a", "--limit", "0"), "--limit"),
        (("crawl", "a", "--offset", "-1"), "--offset"),
        (("crawl", "-brass"), "No such option"),
    ],
)
def test_misuse_is_told_with_the_cure(arguments: tuple[str, ...], cure: str) -> None:
    """Contradictions have the status 2."""
    status, output, complaints = search(*arguments)
    assert (status, output) == (2, "")
    assert cure in complaints
