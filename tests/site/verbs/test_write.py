"""For writers of pages and operators of robots: page convert, page profile, robot page, marks."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from goodbot.site.writing import FORMS, LOSSES
from tests.support import program
from tests.support.paths import ROOT

PROFILE = '<head profile="http://example.org/xmdp/robots-profile#"></head>'
ME = ["-r", "FooBot/1.0", "--info-url", "https://foo.example/bot", "--contact", "bot@foo.example"]


def said(*words: str, cwd: Path, status: int = 0) -> tuple[str, str]:
    """Run the program; return its output and its messages."""
    done = program.run(*words, cwd=cwd)
    assert done.returncode == status, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def test_a_wish_goes_from_meta_to_a_header(tmp_path: Path) -> None:
    """The directives of a page and its header are converted; losses are reported."""
    page = "<meta name=robots content='noindex, max-snippet:20'><meta name=otherbot content=none>"
    (tmp_path / "page.html").write_text(page)
    words = [
        "page",
        "convert",
        "page.html",
        "-u",
        "https://example.com/",
        "-H",
        "X-Robots-Tag: noarchive",
    ]
    out, told = said(*words, "--to", "header", cwd=tmp_path)
    expected = "X-Robots-Tag: noarchive, noindex, max-snippet: 20\nX-Robots-Tag: otherbot: none\n"
    assert (out, told) == (expected, "")
    out, told = said(*words, "--to", "pi", cwd=tmp_path, status=1)
    assert out == '<?robots index="no" follow="yes"?>\n'
    assert told.count("not-sayable") == 2
    assert "not-for-one-robot: otherbot: none" in told


def test_every_form_can_be_written(tmp_path: Path) -> None:
    """The command has the forms of the library."""
    for form in FORMS:
        out, _ = said(
            "page",
            "convert",
            "--wish",
            "nosnippet, noindex",
            "--to",
            form,
            cwd=tmp_path,
            status=int(form not in {"meta", "header"}),
        )
        assert out
    done = said("page", "convert", "--wish", "noindex", "--to", "meta", "--json", cwd=tmp_path)
    assert json.loads(done[0]) == {
        "wish": [{"robot": None, "directive": "noindex", "value": None}],
        "form": "meta",
        "text": '<meta name="robots" content="noindex">',
        "where": "in the HEAD of the document",
        "said": [{"robot": None, "directive": "noindex", "value": None}],
        "losses": [],
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--to", "meta"], "name a page, or write --wish"),
        (["--to", "meta", "--wish", "noidex"], "did you mean noindex?"),
        (["--to", "tea", "--wish", "noindex"], "is not one of"),
    ],
)
def test_what_cannot_be_converted_is_refused(words: list[str], told: str, tmp_path: Path) -> None:
    """The message says what to write."""
    assert told in said("page", "convert", *words, cwd=tmp_path, status=2)[1]


def test_the_profile_is_printed_and_pages_are_checked(tmp_path: Path) -> None:
    """The XMDP document, and what is wrong with the classes of a page."""
    out, _ = said("page", "profile", cwd=tmp_path)
    assert out.count("<dt id=") == 8
    (tmp_path / "page.html").write_text('<p class="robots-noindex">x')
    out, _ = said("page", "profile", "page.html", cwd=tmp_path, status=1)
    assert "[classes-without-profile]" in out or "classes-without-profile" in out
    (tmp_path / "page.html").write_text(PROFILE + '<p class="robots-noindex">x')
    assert said("page", "profile", "page.html", cwd=tmp_path)[0].startswith("The page uses")


HOSTILE = (
    PROFILE + "<title></title><script>alert(1)</script></title>"
    '<p class="robots-noindex" onclick="x()">a &lt;script&gt;alert(2)&lt;/script&gt;'
    " \u202egnp\u202c"
    '<img src="https://evil.example/x.png" onerror="y()">'
    '<a href="javascript:alert(3)" rel=nofollow>&lt;img src=x onerror=z()&gt;</a>'
    "<p data-nosnippet>b<div data-nosnippet>c</div><style>@import 'https://evil.example/';</style>"
    "<iframe src=https://evil.example></iframe>"
)


def test_the_view_of_marks_names_them(tmp_path: Path) -> None:
    """Each marked part, with what its marks forbid and the line that they stand on."""
    body = (
        PROFILE + '\n<p>one <b class="robots-noindex robots-noarchive">two</b> three\n'
        "<div data-nosnippet><p>four<p>five</div>\n<a href=/x rel=nofollow>six</a>"
    )
    (tmp_path / "page.html").write_text(body)
    words = ["page", "page.html", "-u", "https://example.com/", "--view", "marks"]
    out, _ = said(*words, cwd=tmp_path, status=1)
    assert "robots-noindex, line 2: not indexed" in out
    assert "robots-noarchive, line 2: not in a copy, not quoted" in out
    assert out.count("data-nosnippet, line 3: not quoted") == 1  # one box around both paragraphs
    assert "nofollow, line 4" in out
    (tmp_path / "plain.html").write_text("<p>one")
    assert "<p>one</p>" in said("page", "plain.html", *words[2:], cwd=tmp_path)[0]


def test_a_hostile_page_is_harmless_in_the_view_of_marks(tmp_path: Path) -> None:
    """Its content is text in the view: none of its elements, attributes and URLs is live."""
    (tmp_path / "page.html").write_text(HOSTILE)
    words = ["page", "page.html", "-u", "https://example.com/", "--view", "marks"]
    out, _ = said(*words, cwd=tmp_path, status=1)
    tags = set(re.findall(r"<([a-z0-9]+)", out))
    assert not tags & {"script", "img", "iframe", "a", "link", "object", "embed", "svg", "form"}
    assert not re.findall(r"<[^>]*\s(?:on\w+|src|href|style)\s*=", out)
    assert "&lt;script&gt;alert(2)" in out
    assert "\u202e" not in out
    assert "default-src 'none'" in out


def test_the_page_of_a_robot(tmp_path: Path) -> None:
    """Who it is, what it sends, which groups it obeys, how to keep it out, how often it comes."""
    more = ["--owner", "Foo <Ltd>", "--address", "192.0.2.0/24", "--pause", "7"]
    out, _ = said("robot", "page", *ME, *more, cwd=tmp_path)
    for part in (
        "User-Agent: FooBot/1.0 (+https://foo.example/bot)",
        "From: bot@foo.example",
        "Foo &lt;Ltd&gt;",
        "192.0.2.0/24",
        "User-agent: FooBot\nDisallow: /",
        "7 seconds.",
        "<td><code>User-agent: foobot</code></td><td>it obeys</td>",
        "<td><code>User-agent: FooBot-News</code></td><td>it does not obey</td>",
        "<td><code>User-agent: *</code></td><td>it obeys, if no other group names it</td>",
        "within 24 hours",
    ):
        assert part in out, (part, out)
    assert "<script" not in out


def test_what_a_robot_obeys_is_asked_of_the_dialect(tmp_path: Path) -> None:
    """Another dialect compares names in another way."""
    row = "<td><code>User-agent: FooBo</code></td><td>{}</td>"
    assert row.format("it does not obey") in said("robot", "page", *ME, cwd=tmp_path)[0]
    out, _ = said("robot", "page", *ME, "--dialect", "koster1994", cwd=tmp_path)
    assert row.format("it obeys") in out


def test_the_record_of_a_robot(tmp_path: Path) -> None:
    """The fields of the Web Robots Database, in their order; long ones are folded."""
    text = "visits shops " * 12
    out, _ = said("robot", "page", *ME, "--registration", "--description", text, cwd=tmp_path)
    names = [line.partition(":")[0] for line in out.splitlines() if not line.startswith(" ")]
    assert names == [
        "robot-id",
        "robot-name",
        "robot-cover-url",
        "robot-details-url",
        "robot-owner-name",
        "robot-owner-url",
        "robot-owner-email",
        "robot-status",
        "robot-purpose",
        "robot-type",
        "robot-platform",
        "robot-availability",
        "robot-exclusion",
        "robot-exclusion-useragent",
        "robot-noindex",
        "robot-host",
        "robot-from",
        "robot-useragent",
        "robot-language",
        "robot-description",
        "robot-history",
        "robot-environment",
        "modified-date",
        "modified-by",
    ]
    assert "robot-exclusion-useragent: FooBot\n" in out
    assert max(map(len, out.splitlines())) <= 80
    assert " ".join(out.split()).count("visits shops") == 12


def test_a_robot_page_needs_an_identity(tmp_path: Path) -> None:
    """The message repeats what was typed."""
    told = said("robot", "page", "-r", "FooBot/1.0", cwd=tmp_path, status=2)[1]
    assert "goodbot robot page --info-url https://example.com/bot" in told
    assert "''" not in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-r", "*"], "'*' is not a valid name"),
        (["-r", "New/../<b>"], "is not a valid name"),
        (["-r", "Bad Bot"], "'Bad Bot' is not a valid name"),
        (["--owner-url", "javascript:alert(1)"], "--owner-url 'javascript:alert(1)' is not"),
        (["--owner-url", "//foo.example/"], "--owner-url"),
        (["--address", "x y"], "--address 'x y' is not an IP address, a network or"),
        (["--address", "http://a/"], "--address"),
        (["--address", "-1"], "--address"),
        (["--address", "1.2.3.4/33"], "--address"),
        (["--address", "999.1.1.1"], "--address"),
        (["--address", ""], "--address"),
        (["--pause", "nan"], "--pause nan is not possible"),
        (["--pause", "inf"], "--pause inf is not possible"),
        (
            ["--pause", "1e-9"],
            "--pause 1e-09 is not possible; write 0 for no pause, or seconds from",
        ),
    ],
)
def test_a_robot_page_says_nothing_that_cannot_be(
    words: list[str], told: str, tmp_path: Path
) -> None:
    """A name, a link, an address or a pause that is none is refused, with the option."""
    me = ME[2:] if "-r" in words else ME
    assert told in said("robot", "page", *me, *words, cwd=tmp_path, status=2)[1]


def test_addresses_of_a_robot_are_compared_by_sites(tmp_path: Path) -> None:
    """An address, a network, or the name of a host or of all hosts below one."""
    known = ("192.0.2.7", "192.0.2.0/24", "2001:db8::/32", "c.foo.example", "*.foo.example")
    words = [word for one in known for word in ("--address", one)]
    more = ["--owner-url", "https://foo.example/", "--pause", "0.5"]
    out, _ = said("robot", "page", *ME, *words, *more, cwd=tmp_path)
    assert all(f"<code>{one}</code>" in out for one in known)
    assert 'href="https://foo.example/"' in out
    assert "0.5 seconds." in out


@pytest.mark.parametrize(
    "words", [["page", "convert", "-", "--to", "header"], ["page", "profile", "-"]]
)
@pytest.mark.parametrize("content", [b"fish and chips", b"\x93\0\xfe\x01 \0\xc3 <a", b"%PDF-1.7"])
def test_what_is_no_document_has_no_answer(
    words: list[str], content: bytes, tmp_path: Path
) -> None:
    """It is not taken for a page that allows everything."""
    done = program.run(*words, cwd=tmp_path, given=content)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"this is clearly not a page" in done.stderr


def test_a_missing_choice_is_told_in_one_line(tmp_path: Path) -> None:
    """Without the tabs in which click lists choices."""
    told = said("page", "convert", "-", cwd=tmp_path, status=2)[1]
    assert "Choose from: meta, header, pi" in told
    assert "\\t" not in told


def test_the_view_of_marks_shows_an_image_that_is_marked(tmp_path: Path) -> None:
    """In a box with the mark and its line; nothing of its address is there to be fetched."""
    image = '<img class="robots-noarchive" src="https://evil.example/x.png">'
    (tmp_path / "page.html").write_text(f"{PROFILE}\n<p>one\n{image} two")
    words = ["page", "page.html", "-u", "https://example.com/", "--view", "marks"]
    out, _ = said(*words, cwd=tmp_path, status=1)
    assert "robots-noarchive, line 3: not in a copy" in out
    assert "evil.example" not in out


DOCS = ROOT / "docs" / "how-to" / "writing.md"
SHOWN = re.findall(
    r"^\$ goodbot (page convert --wish[^\n]+)\n(.*?)^```",
    DOCS.read_text(),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_the_page_on_writing_shows_what_the_program_says(
    command: str, output: str, tmp_path: Path
) -> None:
    """Word for word."""
    done = program.run(*shlex.split(command), cwd=tmp_path, stderr=subprocess.STDOUT)
    assert done.stdout.decode() == output


def test_the_page_on_writing_lists_every_loss() -> None:
    """With its meaning."""
    page = DOCS.read_text(encoding="utf-8")
    assert len(SHOWN) == 2
    assert all(f"| `{code}` | {meaning} |" in page for code, (_, meaning) in LOSSES.items())
