"""`goodbot archive`: copies, what is removed from them, and their deletion."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import program
from tests.support.crawls.archived_crawls import (
    HTML,
    LAMP,
    PARTS,
    Crawl,
    answer,
    later,
    microseconds,
    warc_files,
)
from tests.support.program import GOODBOT

ROBOTS = "https://shop.example/robots.txt"
NO_COPY = "https://shop.example/none"
IMAGE = b"\x89PNG\r\n\x1a\n\x00"


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program."""
    return program.run(*arguments, env=program.bare_environment(NO_COLOR="1", **environment))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a crawl with some copies."""
    with Crawl(tmp_path / "crawl") as crawl:
        crawl.keep(answer(PARTS))
        for day in range(2):
            text = "<p>na\u00efve \x1b[2J\u202e".encode("utf-16")
            fields = [("Content-Type", "text/html; charset=utf-16")]
            crawl.keep(answer(text, f"{LAMP}/2", headers=fields, started=later(days=day)))
        crawl.keep(answer(IMAGE, f"{LAMP}/3", headers=[("Content-Type", "image/png")]))
        late = "<meta name=robots content='unavailable_after: 2999-01-01'><p>a"
        crawl.keep(answer(late, f"{LAMP}/4"))
        crawl.archive.keep_robots_txt(answer("User-agent: *", ROBOTS, headers=[]))
        crawl.number(NO_COPY)
    return tmp_path / "crawl"


def state(folder: Path, **columns: object) -> None:
    """Set what the crawl stored on the page without a copy."""
    with Crawl(folder) as crawl, crawl.database.changing() as connection:
        for name, value in columns.items():
            connection.execute(f"UPDATE urls SET {name} = ? WHERE url = ?", (value, NO_COPY))  # noqa: S608


def evidence(folder: Path, said: object, status: int | None = None) -> None:
    """Store evidence on the page without a copy."""
    with Crawl(folder) as crawl, crawl.database.changing() as connection:
        row = (crawl.number(NO_COPY), microseconds(later(days=1)), status, json.dumps(said))
        connection.execute(
            "INSERT INTO evidence(url, at, status, verdicts) VALUES(?, ?, ?, ?)", row
        )


# A copy.


def test_a_copy_says_what_is_left_out(folder: Path) -> None:
    """The description has time, URL, verdict and cuts; the text follows, with its placeholders."""
    done = run("archive", "show", folder, LAMP)
    head, _, text = done.stdout.decode().partition("\n\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert head.splitlines() == [
        f"Copy of {LAMP}",
        "  received 2026-03-01 12:00:00 UTC, status 200",
        "  text/html; charset=utf-8, 168 bytes",
        "  may be kept: nothing disallows it",
        "  removed: 1 part, each shown as […]",
        "    line 1: 6 bytes of text: robots-noarchive, line 1",
        head.splitlines()[-1],
    ]
    assert head.splitlines()[-1].startswith("  in pages-00001.warc.gz, byte ")
    assert "open […] end" in text
    assert "hidden" not in text


def test_a_text_in_another_encoding_is_read_and_steers_nothing(folder: Path) -> None:
    """Control characters are escaped, and a confirmation is shown."""
    done = run("archive", "show", folder, f"{LAMP}/2")
    text = done.stdout.decode()
    assert "<p>naïve \\x1b[2J\\u202e\n" in text
    assert "confirmed 2026-03-02 12:00:00 UTC: unchanged" in text
    assert "complete, as received" in text


def test_raw_octets_are_exact(folder: Path, tmp_path: Path) -> None:
    """The exact bytes go to a pipe, or to a file while the description is printed."""
    assert run("archive", "show", folder, f"{LAMP}/3", "--raw").stdout == IMAGE
    done = run("archive", "show", folder, f"{LAMP}/3", "-o", tmp_path / "image.png")
    assert (tmp_path / "image.png").read_bytes() == IMAGE
    assert b"image/png, 9 bytes" in done.stdout
    done = run("archive", "show", folder, f"{LAMP}/3")
    assert (done.returncode, b"not text; write it to a file" in done.stdout) == (0, True)


def test_a_url_is_taken_in_any_spelling(folder: Path) -> None:
    """A URL is normalised as by the crawl: capitals in the host, dot segments, a fragment."""
    assert run("archive", "show", folder, "HTTPS://SHOP.example/x/../lamp#top").returncode == 0


def test_a_robots_txt_is_shown(folder: Path) -> None:
    """It is shown as received; no verdict is needed to keep it."""
    text = run("archive", "show", folder, ROBOTS).stdout.decode()
    assert text.endswith("\nUser-agent: *\n")
    assert "may be kept" not in text


def test_json_has_everything_but_the_octets(folder: Path) -> None:
    """JSON is one line with one object."""
    told = json.loads(run("archive", "show", folder, LAMP, "--json").stdout)
    assert told["cuts"] == [{"line": 1, "bytes": 6, "source": "robots-noarchive, line 1"}]
    assert (told["kind"], told["status"], told["headers"]) == ("conversion", 200, [list(HTML[0])])
    assert json.loads(run("archive", "show", folder, f"{LAMP}/4", "--json").stdout)["until"]


def test_a_time_when_it_must_go_is_told(folder: Path) -> None:
    """Before its expiry there is a copy, and afterwards none."""
    assert (
        b"must not be shown after 2999-01-01" in run("archive", "show", folder, f"{LAMP}/4").stdout
    )
    with Crawl(folder) as crawl, crawl.database.changing() as connection:
        connection.execute("UPDATE kept SET until = 1 WHERE until IS NOT NULL")
    done = run("archive", "show", folder, f"{LAMP}/4")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"must not be shown after 1970-01-01" in done.stderr


# No copy.


FETCH = {"allowed": True, "reason": "rule-allows"}
PAGE = {"event": "visited", "fetch": FETCH}
NOARCHIVE = [False, "directive-forbids", "META robots, line 1: noarchive", "meta", "robots", 1, "x"]
WHYS: dict[str, tuple[dict[str, object], object, int | None, str]] = {
    "noarchive": (
        {"state": "done", "status": 200},
        {**PAGE, "page": {"dialect": "google", "acts": {"archive": NOARCHIVE}}},
        200,
        "the page disallows copies: META robots, line 1: noarchive",
    ),
    "every act": (
        {"state": "done"},
        {**PAGE, "page": {"dialect": "google", "acts": {"*": [False, "directive-forbids", ""]}}},
        200,
        "the page disallows copies: directive-forbids",
    ),
    "refused": (
        {"state": "disallowed"},
        {
            "event": "refused",
            "fetch": {"reason": "rule-disallows", "sentence": "Disallowed: line 2."},
        },
        None,
        "it is disallowed: line 2",
    ),
    "failed": (
        {"state": "failed"},
        {"event": "failed", "reason": "timeout", "sentence": "the request timed out"},
        None,
        "the request timed out",
    ),
    "not found": ({"state": "done"}, PAGE, 404, "the response was 404"),
    "no evidence": ({"state": "done", "status": 410}, None, None, "the response was 410"),
    "only a state": (
        {"state": "skipped", "reason": "too-deep", "source": "--depth 3"},
        None,
        None,
        "it was skipped: too-deep, --depth 3",
    ),
    "queued again": (
        {"state": "queued"},
        PAGE,
        200,
        "it was fetched, but no copy was kept; it is queued for a visit",
    ),
    "not understood": ({"state": "disallowed"}, [1], None, "it must not be fetched"),
}


@pytest.mark.parametrize("name", WHYS)
def test_why_there_is_no_copy_is_told(name: str, folder: Path) -> None:
    """The exit status is 1, and the reason is on standard error."""
    columns, said, status, why = WHYS[name]
    state(folder, **columns)
    if said is not None:
        evidence(folder, said, status)
    done = run("archive", "show", folder, NO_COPY)
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"There is no copy of {NO_COPY}: {why}" in done.stderr.decode()


def test_a_url_that_the_crawl_never_met(folder: Path) -> None:
    """The message names the mistake."""
    done = run("archive", "show", folder, "https://other.example/")
    assert done.returncode == 1
    assert done.stderr == (
        b"There is no copy of https://other.example/: the crawl has not found this URL\n"
    )


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("archive", "show", "/nowhere", LAMP), "goodbot crawl URL --out /nowhere"),
        (("archive", "show", "DIR", "lamp"), "write one such as https://example.com/page"),
        (("archive", "show", "DIR", LAMP, "--raw", "--json"), "use it without --json or -o"),
        (("archive", "show", "DIR", LAMP, "-o", "/nowhere/file"), "name another file"),
        (("archive", "list", "/nowhere"), "goodbot crawl URL --out /nowhere"),
        (("archive", "compact", "/nowhere"), "goodbot crawl URL --out /nowhere"),
    ],
)
def test_misuse_tells_the_cure(arguments: tuple[str, ...], cure: str, folder: Path) -> None:
    """The exit status is 2, with one line."""
    done = run(*(str(folder) if word == "DIR" else word for word in arguments))
    assert (done.returncode, done.stdout) == (2, b"")
    assert cure in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_no_raw_octet_reaches_a_terminal(folder: Path) -> None:
    """Raw bytes could control a terminal."""
    import pty  # noqa: PLC0415  there is none on Windows

    control, terminal = pty.openpty()
    command = [*GOODBOT, "archive", "show", str(folder), f"{LAMP}/3", "--raw"]
    done = subprocess.run(command, stdout=terminal, stderr=-1, check=False)  # noqa: S603  our own
    os.close(terminal)
    os.close(control)
    assert done.returncode == 2
    assert b"use -o FILE, a pipe or a redirection" in done.stderr


# The archive.


def test_what_is_kept_is_listed(folder: Path) -> None:
    """Each record is one line, or one object."""
    lines = run("archive", "list", folder).stdout.decode().splitlines()
    assert len(lines) == 7
    assert lines[0].startswith(f"2026-03-01 12:00:00 UTC  conversion  {LAMP}  pages-00001.warc.gz:")
    told = [
        json.loads(line) for line in run("archive", "list", folder, "--json").stdout.splitlines()
    ]
    assert [one["kind"] for one in told] == [
        "conversion",
        "metadata",
        "response",
        "revisit",
        "response",
        "response",
        "robots-txt",
    ]
    assert told[-1]["url"] == ROBOTS


def test_compaction_says_what_it_removed(folder: Path) -> None:
    """The copy is deleted; the second time there is nothing to delete."""
    before = sum(path.stat().st_size for path in warc_files(folder))
    with Crawl(folder) as crawl:
        crawl.archive.forget(crawl.number(f"{LAMP}/2"))
    done = run("archive", "compact", folder)
    after = sum(path.stat().st_size for path in warc_files(folder))
    assert done.stdout.decode().splitlines() == [
        f"{before - after} bytes removed: 1 file rewritten, 0 files removed",
        f"5 records kept, {after:,} bytes in all files",
    ]
    assert json.loads(run("archive", "compact", folder, "--json").stdout) == {
        "records": 5,
        "bytes": after,
        "bytes_removed": 0,
        "files_rewritten": 0,
        "files_removed": 0,
    }
    assert run("archive", "show", folder, f"{LAMP}/2").returncode == 1
    assert run("archive", "show", folder, LAMP).returncode == 0


def test_a_damaged_archive_can_be_repaired(folder: Path) -> None:
    """The message of every command that writes names the command that helps."""
    path = next(path for path in warc_files(folder) if path.name.startswith("pages"))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    done = run("archive", "compact", folder)
    assert done.returncode == 2
    assert f"goodbot archive repair {folder}" in done.stderr.decode()
    told = run("archive", "repair", folder).stdout.decode()
    assert "the file ends before the end of this record" in told
    assert "1 record dropped" in told
    assert run("archive", "compact", folder).returncode == 0


def test_help_loads_no_crawl() -> None:
    """The program stays light until a verb runs."""
    code = (
        "import sys; from goodbot.cli.program import run; run(['show', '--help']);"
        "run(['archive', 'compact', '--help']); sys.exit(any(name.startswith('goodbot.crawl.')"
        " and not name.startswith('goodbot.crawl.verbs')"
        " for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
