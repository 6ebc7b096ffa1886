"""The views of `goodbot page` in detail, as a whole program."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import goodbot
from tests.support.page_program import PROFILE, SHOP, URL, ask, page, page_bytes
from tests.support.program import GOODBOT

FULL = Path("/dev/full")


def test_limits_are_told_with_their_sources() -> None:
    """Every limit is shown with its directive."""
    said = "max-snippet:-1, max-video-preview:0, noindex, indexifembedded"
    later = "unavailable_after: 1 Jan 2999 00:00:00 GMT"
    _, output, _ = ask("-H", f"X-Robots-Tag: {said}", "-H", f"X-Robots-Tag: {later}", given=b"<p>")
    for wanted in (
        "any number of characters may be quoted: X-Robots-Tag: max-snippet: -1",
        "a still image of a video may be shown: X-Robots-Tag: max-video-preview: 0",
        "must not be shown after 2999-01-01 00:00:00 UTC: X-Robots-Tag: unavailable_after: 1 Jan",
        "may be indexed as part of a page that embeds it: X-Robots-Tag: indexifembedded",
    ):
        assert wanted in output


def test_texts_of_links_may_be_forbidden_too() -> None:
    """A link whose text may not describe its target says so, in both views."""
    body = b"<p><!--googleoff: anchor--><a href=/x>x</a><!--googleon: anchor--> <a href=/y>y</a>"
    status, output, _ = ask("--view", "links", given=body)
    assert status == 0
    assert output.splitlines()[0].endswith(
        '"x"  its text must not describe the target: googleoff-anchor, line 1'
    )
    assert "2 texts, of which 1 may be used" in ask(given=body)[1]


def test_text_of_a_link_passes_for_no_reason() -> None:
    """A text and an unresolved address stand in quotation marks, and theirs are escaped."""
    body = b'<a href=\'http://[::1  "fine"\'>x"  nofollow, line 1</a>'
    _, output, _ = ask("--view", "links", given=body)
    assert output == 'yes  "http://[::1  \\"fine\\""  "x\\" nofollow, line 1"  not resolved\n'


def test_copy_without_cuts_is_the_file_itself() -> None:
    """If nothing is cut, the copy has the exact bytes, whatever they are."""
    for body, kind in (
        (b"<meta charset=iso-8859-1>\r\n<p>caf\xe9\x00\x1b", "text/html"),
        (b"%PDF-1.4\x00\xff\xfe", "application/pdf"),
        (b"caf\xe9\r\n", "text/plain"),
    ):
        arguments = ("-", "-u", URL, "--view", "copy", "--content-type", kind)
        status, output, _ = page_bytes(*arguments, given=body)
        assert (status, output) == (0, body)


@pytest.mark.parametrize(
    ("kind", "start", "encoding"),
    [
        ("text/html", "<html><head profile='{}'><meta charset=iso-8859-2></head>", "iso-8859-2"),
        ("text/html", "<html><head profile='{}'><meta charset=shift_jis></head>", "shift_jis"),
        (
            "application/xhtml+xml",
            "<?xml version='1.0' encoding='iso-8859-2'?><html><head profile='{}'/>",
            "iso-8859-2",
        ),
        ("text/html", "\ufeff<html><head profile='{}'></head>", "utf-16-le"),
    ],
)
def test_copy_is_read_as_its_document(kind: str, start: str, encoding: str) -> None:
    """A copy with cuts is read again as what it is, whatever the document declares."""
    text = "ホンダ" if encoding == "shift_jis" else "őszi"
    marked = f"<p>{text} <b class='robots-noarchive'>x</b></p></html>"
    body = (start.format(PROFILE) + marked).encode(encoding)
    arguments = ("-", "-u", URL, "--content-type", kind)
    status, output, _ = page_bytes(*arguments, "--view", "copy", given=body)
    assert status == 0
    again = goodbot.Page(URL, output, content_type=kind)
    assert again.text() == f"{text} […]"


def test_copy_of_what_is_too_large_has_no_more_than_was_read() -> None:
    """What was not read may be marked, and so it is in no copy."""
    body = b"<p>" + b"word " * 3_500_000 + b"end"
    status, output, complaints = page_bytes("-", "-u", URL, "--view", "copy", given=body)
    assert (status, len(output)) == (0, 16 * 1024 * 1024)
    assert "[too-large]" in complaints


def test_snippet_that_no_word_fits() -> None:
    """The width is the caller's, and may be more; `max-snippet` is the document's word."""
    status, output, complaints = ask("--view", "snippet", "--width", "1")
    assert (status, output) == (0, "")
    assert complaints == "warning: no word fits into 1 character; use a larger --width\n"
    limited = ("-H", "X-Robots-Tag: max-snippet:2", "--view", "snippet")
    status, output, complaints = ask(*limited)
    assert (status, output) == (1, "")
    assert "at most 2 characters may be quoted" in complaints


def test_json_has_statements_cuts_and_text() -> None:
    """The object has directives with their places, what a copy leaves out, and the text."""
    found = json.loads(ask("--json", "-H", "X-Robots-Tag: unavailable_after: 2999-01-01")[1])
    assert found["statements"][0]["value"] == "2999-01-01T00:00:00+00:00"
    assert [one["directive"] for one in found["statements"][1:]] == [
        "max-snippet",
        "max-image-preview",
    ]
    assert found["cuts"] == [{"line": 9, "bytes": 10, "source": "robots-noarchive, line 9"}]
    assert found["text"] == goodbot.Page(URL, SHOP).text()


def test_price_is_told() -> None:
    """If payment is required, the price is shown."""
    _, output, _ = ask("--status", "402", "-H", "crawler-price: USD 0.01")
    assert "asked for before it is served: the price USD 0.01" in output
    assert "asked for before it is served: a payment, without a price" in ask("--status", "402")[1]


def test_header_may_be_a_whole_block() -> None:
    """`-H "$(curl -sI URL)"` works too."""
    block = "HTTP/1.1 200 OK\r\nServer: x\r\nX-Robots-Tag: noindex\r\n"
    assert "no   index         X-Robots-Tag: noindex" in ask("-H", block)[1]


def test_odd_line_of_a_header_is_a_warning(tmp_path: Path) -> None:
    """A line that is no field is named; with --strict there is no answer."""
    saved = tmp_path / "headers.txt"
    saved.write_bytes(b"HTTP/1.1 200 OK\nX-Robots-Tag noindex\nServer: x\nbad name: y\n")
    status, _, complaints = ask("-H", f"@{saved}")
    assert status == 0
    assert "is not a header field: X-Robots-Tag noindex (and 1 more)" in complaints
    status, output, _ = ask("-H", f"@{saved}", "--strict")
    assert (status, output) == (2, "")


def test_file_without_a_header_is_refused(tmp_path: Path) -> None:
    """A document given where a header is meant is no header."""
    saved = tmp_path / "page.html"
    saved.write_bytes(b"<p>\n")
    status, output, complaints = ask("-H", f"@{saved}")
    assert (status, output) == (2, "")
    assert "contains no header field" in complaints


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (SHOP, "text/html"),
        ("\ufeff<p>wide".encode("utf-16-le"), "text/html"),
        ("<p>wide".encode("utf-16-be"), "text/html; charset=utf-16be"),
        (b"plain words", "text/plain"),
        (gzip.compress(SHOP), "application/gzip"),
        (b"<a/>", "application/xml"),
    ],
)
def test_what_is_a_document_is_not_in_doubt(content: bytes, kind: str) -> None:
    """With --strict there is a result, without warnings."""
    status, _, complaints = ask("--strict", "--content-type", kind, given=content)
    assert (status, complaints) == (0, "")


def test_lists_have_an_end_that_is_told() -> None:
    """Of many marks the first lines are named, and of many licences the first."""
    links = b"".join(b"<link rel=license href=/%d>\n" % number for number in range(15))
    body = b"<head>" + links + b"</head>" + b"<p><a href=/x rel=ugc>x</a>\n" * 15
    _, output, _ = ask(given=body)
    assert "15 not: ugc (lines 16, 17, 18, 19, 20, 21, 22, 23, 24, 25 and 5 more)" in output
    assert "licence: https://shop.example/9\n  and 5 more; --view json lists them all" in output


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_copy_on_a_terminal_is_escaped(tmp_path: Path) -> None:
    """A copy is exact in a pipe; on a terminal it steers nothing, and a PDF is kept away."""
    import pty  # noqa: PLC0415  there is none on Windows

    document = tmp_path / "page.html"
    document.write_bytes(b"<p>a\x1b[2J\xe2\x80\xae\tb\r\n")
    assert page_bytes(str(document), "-u", URL, "--view", "copy")[1] == document.read_bytes()

    def seen(*arguments: str) -> tuple[int, bytes]:
        control, terminal = pty.openpty()
        command = [*GOODBOT, "page", str(document), "-u", URL]
        done = subprocess.run(  # noqa: S603  our own program
            [*command, "--view", "copy", *arguments],
            stdout=terminal,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.write(terminal, b"$")
        os.close(terminal)
        with os.fdopen(control, "rb", buffering=0) as screen:
            shown = b""
            while not shown.endswith(b"$"):
                shown += screen.read(10_000) or b"$"
            return done.returncode, shown

    assert seen() == (0, b"<p>a\\x1b[2J\\u202e       b\r\n$")
    assert seen("--content-type", "application/pdf") == (2, b"$")


def test_output_in_a_small_encoding_works() -> None:
    """Where the output's encoding lacks a character it is escaped; a copy stays exact."""
    body = "<p>café \u2603".encode()
    small = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    _, output, _ = page("-", "-u", URL, "--view", "text", given=body, **small)
    assert output == "caf\\xe9 \\u2603\n"
    _, printed, _ = page_bytes("-", "-u", URL, "--view", "copy", given=body, **small)
    assert printed == body


@pytest.mark.parametrize(("module", "verb"), [("goodbot.page", "check"), ("rich", "page")])
def test_only_what_is_needed_is_loaded(module: str, verb: str, tmp_path: Path) -> None:
    """Other verbs do not wait for pages, and this one not for tables."""
    document = tmp_path / "page.html"
    document.write_bytes(SHOP)
    words = (
        ["page", str(document), "-u", URL]
        if verb == "page"
        else ["check", "-f", str(document), "/"]
    )
    code = (
        "import sys; from goodbot.cli.program import run;"
        f"run({words!r}); sys.exit({module!r} in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603  our own code
    assert done.returncode == 0, done.stderr


def test_document_that_was_not_read_to_its_end_is_in_doubt() -> None:
    """A view that shows no findings warns; with --strict there is no answer."""
    broken = b"<?xml version='1.0'?><a><b>x</a>"
    status, output, complaints = ask("--view", "text", given=broken)
    assert (status, output) == (0, "x\n")
    assert complaints.startswith("warning: line 1: error: ")
    assert "[not-well-formed]" in complaints
    status, output, complaints = ask(given=broken)
    assert (complaints, "[not-well-formed]" in output) == ("", True)
    status, output, _ = ask("--strict", given=broken)
    assert (status, output) == (2, "")
