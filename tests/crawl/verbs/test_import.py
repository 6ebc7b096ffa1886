"""`goodbot archive import`: WARC files by others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from goodbot.cli.program import run
from goodbot.crawl.imports.warc_import import ImportSummary
from tests.support import program
from tests.support.crawls.foreign_warcs import record, response, write_warc

A = "https://a.example"
RULES = "User-agent: *\nDisallow: /till\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a file with captures that are allowed, disallowed and unknown."""
    records = [
        record("warcinfo", None, b"software: x\r\n"),
        response(f"{A}/robots.txt", RULES),
        response(f"{A}/lamps", "<title>Lamps</title><p>A brass lamp."),
        response(f"{A}/till", "<p>till"),
        response("https://b.example/", "<p>lamp"),
    ]
    write_warc(tmp_path / "then.warc.gz", records)
    return tmp_path


def test_the_output_says_what_was_decided(folder: Path) -> None:
    """Counts, what to do about the unknown ones, and what comes next."""
    words = ("archive", "import", "then.warc.gz", "--out", "out", "--robot", "ExampleBot")
    done = program.run(*words, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    output = done.stdout.decode()
    assert "5 records in 1 file, 1 robots.txt file" in output
    for line in ("allowed     1", "disallowed  1", "unknown     1", "Other records: 1 warcinfo"):
        assert line in output
    assert "--assume-allowed" in output
    assert "goodbot search out WORDS" in output
    found = program.run("search", "out", "lamp", "--json", cwd=folder)
    assert f"{A}/lamps" in found.stdout.decode()
    told = program.run("evidence", "out", "https://b.example/", cwd=folder).stdout.decode()
    assert "Found in an imported WARC file, or recorded by another crawler." in told
    assert "Captured, but whether that was allowed is unknown." in told
    for verb in ("skipped", "report", "findings"):
        assert program.run(verb, "out", cwd=folder).returncode in {0, 1}, verb


def test_assumed_captures_are_counted(folder: Path) -> None:
    """In JSON as well; an import can be repeated."""
    words = (
        "archive",
        "import",
        "then.warc.gz",
        "--out",
        "out",
        "--robot",
        "ExampleBot",
        "--assume-allowed",
    )
    first = json.loads(program.run(*words, "--json", cwd=folder).stdout)
    assert (first["allowed"], first["assumed"], first["unknown"]) == (1, 1, 0)
    again = program.run(*words, cwd=folder).stdout.decode()
    assert "known       3" in again


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no.warc", "--out", "out", "--robot", "ExampleBot"), "no.warc cannot be read"),
        (
            ("http://a.example/a.warc.gz", "--out", "out", "--robot", "ExampleBot"),
            "http://a.example/a.warc.gz is a URL, and nothing is requested here; download the file",
        ),
        ((".", "--out", "out", "--robot", "ExampleBot"), "name WARC, ARC or WACZ files"),
        (("then.warc.gz", "--out", "then.warc.gz", "--robot", "ExampleBot"), "cannot be created"),
        (("then.warc.gz", "--out", "out", "--robot", "https://a.example"), "looks like a URL"),
        (("then.warc.gz", "--out", "out", "--robot", "A", "--dialect", "x"), "dialect"),
        (("then.warc.gz", "--out", "out"), "'--robot'"),
        (("then.warc.gz", "--out", "", "--robot", "A"), "an argument is empty"),
        (("", "--out", "out", "--robot", "A"), "an argument is empty"),
        ((), "Usage"),
    ],
)
def test_misuse_is_told(folder: Path, words: tuple[str, ...], message: str) -> None:
    """The message says how to fix it."""
    done = program.run("archive", "import", *words, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_an_import_that_is_stopped_says_how_to_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends it with status 130, and the same command imports the rest."""

    def stopped(*_: object, on_progress: Callable[[ImportSummary], object], **__: object) -> None:
        on_progress(ImportSummary(records=256))
        raise KeyboardInterrupt

    words = ["archive", "import", str(folder / "then.warc.gz"), "--out", str(folder / "out")]
    with monkeypatch.context() as patched:
        patched.setattr("goodbot.crawl.imports.warc_import.import_warcs", stopped)
        assert run([*words, "--robot", "ExampleBot"]) == 130
    assert "note: stopped. Nothing is lost: the same command imports the rest" in (
        capsys.readouterr().err
    )


def test_the_start_page_of_wget_came_before_its_robots_txt(tmp_path: Path) -> None:
    """Nothing is known of it; the output says why, and JSON has the number."""
    records = [
        response(f"{A}/", "<title>Home</title><p>lamp"),
        response(f"{A}/robots.txt", RULES, hours=0.1),
        response(f"{A}/lamps", "<title>Lamps</title>", hours=0.2),
        response("https://b.example/", "<p>lamp"),
    ]
    write_warc(tmp_path / "then.warc.gz", records)
    words = ("archive", "import", "then.warc.gz", "--out", "out", "--robot", "ExampleBot")
    told = program.run(*words, cwd=tmp_path).stdout.decode()
    assert "1 of them was captured before the first robots.txt of the site" in told
    numbers = json.loads(
        program.run(*words[:3], "--out", "o", *words[5:], "--json", cwd=tmp_path).stdout
    )
    assert (numbers["allowed"], numbers["unknown"], numbers["before_robots_txt"]) == (1, 2, 1)


def test_the_exit_status_says_whether_all_was_read(folder: Path) -> None:
    """2 if a file was not, or not as a whole; what was read is imported all the same."""
    whole = (folder / "then.warc.gz").read_bytes()
    (folder / "cut.warc.gz").write_bytes(whole[:-9])
    (folder / "page.warc").write_bytes(b"<html>")
    for name, status, allowed, said in (
        ("then.warc.gz", 0, 1, "Next: "),
        ("cut.warc.gz", 2, 1, "it is damaged or cut off there"),
        ("page.warc", 2, 0, "page.warc: 6 bytes; it is an HTML page, and not a WARC file"),
    ):
        words = ("archive", "import", name, "--out", f"out-{name}", "--robot", "ExampleBot")
        done = program.run(*words, cwd=folder)
        assert done.returncode == status, name
        assert f"allowed     {allowed}" in done.stdout.decode()
        assert said in done.stdout.decode()
        assert ("Next: " in done.stdout.decode()) == (allowed > 0)
