"""`goodbot page` on what is hostile or large, and when its output cannot be written."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from goodbot.cli.shared.exit_status import ExitStatus
from tests.support import program
from tests.support.page_program import PROFILE, SHOP, URL, VIEWS, ask, page, page_bytes
from tests.support.program import GOODBOT
from tests.support.waiting import HANGS

FULL = Path("/dev/full")

HOSTILE = (
    b"<title>\x1b]0;t\x07</title><meta name=robots content='x\x1b[2J, y\xe2\x80\xae'>"
    b"<meta name=robots content='max-snippet: 99'><link rel=canonical href='/\x1b[1m\xc2\x9b'>"
    b"<link rel=license href='http://[\x1b'><meta name='spider by' content='\x9b\xe2\x80\xae'>"
    b"<p>a\x1b[2J\x07 \xc2\x9b\xe2\x80\xae\xff\x7f "
    b"<a href='http://[\x1b' rel=ugc>\x1b\xe2\x80\xae</a>"
)


@pytest.mark.parametrize(
    "arguments",
    [
        *(("-", "-u", URL, "--view", view) for view in VIEWS if view != "copy"),
        ("-", "-u", f"{URL}/\x1b[2J\u202e", "-r", "B\x1bot"),
        ("-", "-u", URL, "-H", "X-Robots-Tag: noindex, \x1b[2J, max-snippet: \x1b"),
        ("-", "-u", URL, "-H", "\x1b[2J"),
        ("-", "-u", URL, "-H", "Content-Type: application/\x1b"),
        ("-", "-u", URL, "-H", "@/no/\x1b"),
        ("/no/\x1b[2J/file", "-u", URL),
        ("h://\x1b[2J",),
        ("-", "-u", URL, "-d", "\x1b[2J"),
        ("-", "-u", URL, "--marks", "\x1b[2J"),
        ("-", "-u", URL, "--view", "snippet", "--query", "\x1b"),
    ],
)
@pytest.mark.parametrize("colour", ["", "1"])
def test_no_foreign_octet_steers_the_terminal(arguments: tuple[str, ...], colour: str) -> None:
    """No control character of a document, header, URL or name is printed raw.

    A copy is exact in a pipe; that it is not so on a terminal is the next test.
    """
    status, output, complaints = page(*arguments, given=HOSTILE, FORCE_COLOR=colour)
    text = (output + complaints).replace("\x1b[0m", "")
    for code in ("1", "2", "31", "32", "33"):
        text = text.replace(f"\x1b[{code}m", "")
    assert status in {0, 1, 2}
    assert text
    assert not set(text) & set("\x00\x07\x1b\r\x7f\x9b\u202e\ufffe")


def test_colour_is_only_where_it_is_wanted() -> None:
    """A pipe gets no colour; FORCE_COLOR asks for it, and NO_COLOR wins."""
    for view in ("verdicts", "links"):
        arguments = ("-", "-u", URL, "--view", view)
        assert "\x1b" not in page(*arguments, given=SHOP)[1]
        assert "\x1b[32myes" in page(*arguments, given=SHOP, FORCE_COLOR="1")[1]
        assert "\x1b" not in page(*arguments, given=SHOP, FORCE_COLOR="1", NO_COLOR="1")[1]


def test_octets_that_are_not_utf_8_work(tmp_path: Path) -> None:
    """Any bytes can be a name, a URL, a robot, a header and a content."""
    name = os.fsencode(tmp_path) + b"/page-\xe9.html"
    try:
        with open(name, "wb") as file:  # noqa: PTH123  a path of bytes
            file.write(b"<p>caf\xe9 <a href=?b>b</a> \x80\xff")
    except OSError:
        pytest.skip("this file system takes only names that are UTF-8")
    arguments = (b"-u", b"https://shop.example/caf\xe9", b"-r", b"Bot\xe9", b"-H", b"X-A: \xe9")
    for view in VIEWS:
        status, output, complaints = page_bytes(name, *arguments, "--view", view)
        assert (status, complaints) == (0, ""), view
        if view == "links":
            assert output == b'yes  https://shop.example/caf%E9?b  "b"\n'


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize("view", VIEWS)
def test_full_disk_is_told(view: str) -> None:
    """An output that takes no more leaves with 2 and one line, never with "allowed"."""
    with FULL.open("wb") as full:
        done = program.run("page", "-", "-u", URL, "--view", view, given=SHOP, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"Error: the output could not be written: No space left on device\n"


@pytest.mark.parametrize("view", ["links", "text", "copy", "json"])
def test_closed_pipe_ends_quietly(view: str, tmp_path: Path) -> None:
    """When the reader goes away the program ends at once, without a word."""
    document = tmp_path / "page.html"
    document.write_bytes(b"<p><a href=/x>word</a>\n" * 20_000)
    command = [*GOODBOT, "page", str(document), "-u", URL, "--view", view]
    # A copy, which is written in one piece, must not rely on Python's own buffer.
    buffered = os.environ | {"PYTHONUNBUFFERED": "1" if view == "copy" else ""}
    with subprocess.Popen(command, stdout=-1, stderr=-1, env=buffered) as process:  # noqa: S603  our own program
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(3)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == ExitStatus.PIPE_CLOSED


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipe with a name")
def test_interrupt_ends_quietly(tmp_path: Path) -> None:
    """Ctrl-C while the document is awaited leaves with 130 and no traceback."""
    pipe = tmp_path / "page.html"
    os.mkfifo(pipe)
    command = [*GOODBOT, "page", str(pipe), "-u", URL]
    # Opening waits for the program to open the other end: then it is past loading.
    with (
        subprocess.Popen(command, stdout=-1, stderr=-1) as process,  # noqa: S603  our own program
        pipe.open("wb") as writer,
    ):
        writer.write(b"<p>")
        writer.flush()
        process.send_signal(signal.SIGINT)
        writer.close()  # behind the signal: a read that began just after it ends so
        output, complaints = process.communicate(timeout=HANGS)
    assert (process.returncode, output) == (ExitStatus.INTERRUPTED, b"")
    assert complaints.strip() == b""


LARGE = b"<p>one</p>" + b" " * (16 * 1024 * 1024)


@pytest.mark.stress
@pytest.mark.parametrize("view", VIEWS)
def test_huge_document_is_answered(view: str) -> None:
    """Of 17 MB and more the first 16 MiB are read, and every view says so in its way."""
    body = b"<p>one <a href=/x rel=ugc>two</a> " * 3_000 + b"word " * 3_400_000
    status, output, complaints = ask("--view", view, given=body)
    assert (status in {0, 1}, output != "") == (True, True)
    assert "too-large" in output + complaints
    status, output, complaints = ask("--view", view, "--strict", given=LARGE)
    assert (status, output, "too-large" in complaints) == (2, "", True)


def test_dense_document_is_answered() -> None:
    """A document of 600,000 links is cut at 16 MiB, at 50,000 links and at as many runs."""
    body = b"<p>one <a href=/x rel=ugc>two</a> " * 600_000
    status, output, complaints = ask("--view", "links", given=body)
    assert (status, len(output.splitlines())) == (1, 50_000)
    assert "too-large" in complaints
    assert "too-many-parts" in complaints


def test_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    """A file larger than 64 MiB is refused."""
    huge = tmp_path / "page.html"
    with huge.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    status, output, complaints = page(str(huge), "-u", URL)
    assert (status, output) == (2, "")
    assert "it is larger than 64 MiB, and only 16 MiB of a page are read" in complaints


def test_hostile_headings_do_not_hang() -> None:
    """Many marks, names and directives are answered in bounded length."""
    names = b"".join(
        b"<meta name=RobotExclusion.RobotName%d content=Bot>" % number for number in range(3000)
    )
    marked = b"".join(b"<p class=robot%d-noindex>x" % number for number in range(3000))
    body = f"<head profile='{PROFILE}'>".encode() + names + b"</head>" + marked
    _, output, _ = ask("-r", "Bot", given=body)
    assert "and 2,990 more; --view json lists them all" in output
    assert len(output) < 5_000
