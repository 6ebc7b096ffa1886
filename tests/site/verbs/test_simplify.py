"""`goodbot simplify`, as a whole program."""

import io
import os
import stat
import sys
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.dialect_names import listed_dialects
from goodbot.cli.shared.printing import Printer
from goodbot.site.reasoning import Simplification, SimplifiedPart
from goodbot.site.verbs.simplify import notes
from tests.support.live_sites import ask

FILE = (
    "# Ours\nUser-agent: *\nDisallow: /a\nDisallow: /a/b\n\nUser-agent: GPTBot\nDisallow: /\n\n"
    "User-agent: CCBot\nDisallow: /\n"
)
SIMPLE = (
    "# Ours\nUser-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"
)
DIFF = """\
--- robots.txt
+++ robots.txt
@@ -1,10 +1,7 @@
 # Ours
 User-agent: *
 Disallow: /a
-Disallow: /a/b
\x20
 User-agent: GPTBot
-Disallow: /
-
 User-agent: CCBot
 Disallow: /
"""
EVERY = listed_dialects([one.name for one in goodbot.dialects()])


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder that has a robots.txt."""
    (tmp_path / "robots.txt").write_bytes(FILE.encode())
    return tmp_path


def simplify(here: Path, *words: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run the program in a folder."""
    return ask("simplify", *words, cwd=str(here), given=given)


def test_the_result_is_printed(here: Path) -> None:
    """The file is printed as it is to be published; what was done is on standard error."""
    note = f"note: 3 lines and 28 bytes fewer; proven to say the same to every robot in {EVERY}\n"
    assert simplify(here, "robots.txt") == (0, SIMPLE, note)
    assert simplify(here, "-", given=FILE.encode()) == (0, SIMPLE, note)
    assert (here / "robots.txt").read_text() == FILE


def test_the_result_is_printed_as_a_diff(here: Path) -> None:
    """The diff can be reviewed, and applied with patch."""
    status, output, _ = simplify(here, "robots.txt", "--diff")
    assert (status, output) == (0, DIFF)
    (here / "robots.txt").write_bytes(FILE.encode().rstrip(b"\n"))
    assert "\n\\ No newline at end of file\n" in simplify(here, "robots.txt", "--diff")[1]


def test_each_change_can_be_listed(here: Path) -> None:
    """--explain names the lines of the file as it was."""
    complaints = simplify(here, "robots.txt", "--explain")[2]
    assert "note: line 4: the rule changes nothing\n" in complaints
    assert "note: lines 9 and 10: the group is merged with an equal one\n" in complaints


def test_the_file_is_replaced_as_a_whole(here: Path) -> None:
    """--write keeps the permissions, and writes nothing the second time."""
    path = here / "robots.txt"
    path.chmod(0o640)
    assert simplify(here, "robots.txt", "--write")[:2] == (0, "")
    assert path.read_text() == SIMPLE
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o640
    before = path.stat()
    status, _, complaints = simplify(here, "robots.txt", "--write")
    assert (status, complaints) == (0, f"note: nothing was simplified; compared in {EVERY}\n")
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert os.listdir(here) == ["robots.txt"]  # noqa: PTH208  names alone


def test_dialects_can_be_chosen(here: Path) -> None:
    """In a dialect without Allow, a line that allows is needless; in that of RFC 9309 it is not."""
    (here / "robots.txt").write_text("User-agent: *\nDisallow: /a\nAllow: /a/b\n")
    assert "Allow" in simplify(here, "robots.txt")[1]
    assert "Allow" not in simplify(here, "robots.txt", "-d", "koster1994")[1]
    assert "Allow" in simplify(here, "robots.txt", "-d", "koster1994", "-d", "google")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("absent.txt",), "cannot read absent.txt"),
        (("-", "--write"), "- is standard input; redirect the output instead"),
        (("robots.txt", "--write", "--diff"), "omit one"),
        (("robots.txt", "-d", "none"), 'there is no dialect "none"'),
        (("large.txt",), "large.txt cannot be simplified: it has 600,"),
    ],
)
def test_no_result_is_status_2(here: Path, words: tuple[str, ...], message: str) -> None:
    """Nothing is printed or written."""
    (here / "large.txt").write_text(FILE + "# \n" * 200_000)
    status, output, complaints = simplify(here, *words)
    assert (status, output) == (2, "")
    assert message in complaints
    assert (here / "robots.txt").read_text() == FILE


def test_what_could_not_be_proven_is_said() -> None:
    """A note counts the changes that were not made, and names the first."""
    part = SimplifiedPart("rule", (7,))
    stream = io.StringIO()
    notes(Simplification(b"", b"", (), (part, part), ""), Printer(stream), explain=False)
    assert stream.getvalue() == (
        "note: nothing was simplified\n"
        "note: 2 possible changes could not be proven within bounds, so these lines stay as they "
        "are; the first: line 7: the rule changes nothing\n"
    )


def test_an_absolute_url_is_no_obstacle(here: Path) -> None:
    """Robots do not agree on what it means as a pattern; it stays, and the rest is proven."""
    rules = "Disallow: /a\nDisallow: /a/b\nDisallow: https://example.com/x\n"
    (here / "robots.txt").write_text(f"User-agent: *\n{rules}")
    status, _, complaints = simplify(here, "robots.txt")
    assert status == 0
    assert complaints == (
        f"note: 1 line and 15 bytes fewer; proven to say the same to every robot in {EVERY}\n"
    )


def test_a_search_that_ended_early_is_said() -> None:
    """There may be a smaller file, and the note says so."""
    stream = io.StringIO()
    found = Simplification(b"", b"", (), (), "", is_complete=False)
    notes(found, Printer(stream), explain=False)
    assert "not everything was tried within bounds" in stream.getvalue()


@pytest.mark.parametrize("name", ["page.html", "-"])
def test_what_is_no_robots_txt_is_refused(here: Path, name: str) -> None:
    """An error page has no smallest equal file: there is no result, and nothing is written."""
    page = b"<!DOCTYPE html>\n<title>Not found</title>\n"
    (here / "page.html").write_bytes(page)
    words = [name] if name == "-" else [name, "--write"]
    status, output, complaints = simplify(here, *words, given=page)
    assert (status, output) == (2, "")
    assert "Error: the file looks like HTML, not robots.txt" in complaints
    assert (here / "page.html").read_bytes() == page


def test_a_file_of_comments_is_refused_or_kept(here: Path) -> None:
    """A path instead of a file's content is refused; a file without rules is printed as it is."""
    assert simplify(here, "-", given=b"https://example.com/robots.txt\n")[0] == 2
    assert simplify(here, "-", given=b"# nothing yet\n")[:2] == (0, "# nothing yet\n")
