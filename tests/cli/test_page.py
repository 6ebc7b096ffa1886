"""`goodbot page`, as a whole program."""

import gzip
import json
from pathlib import Path

import pytest

import goodbot
from goodbot.page import MARKS, PAGE_DIALECTS
from tests.support import program
from tests.support.page_program import SHOP, URL, VIEWS, ask, page


def test_each_act_has_a_line_with_its_source() -> None:
    """The default view says of each act yes or no and who says so; the status is 1 if one is no."""
    status, output, complaints = ask("-H", "X-Robots-Tag: notranslate", "-r", "NosyBot")
    assert (status, complaints) == (1, "")
    rows = [line.split(maxsplit=2) for line in output.splitlines()[4:12]]
    assert rows == [
        ["no", "index", "META NosyBot, line 4: noindex"],
        ["yes", "follow", "no directive"],
        ["no", "archive", "META NosyBot, line 4: noarchive"],
        ["yes", "snippet", "no directive"],
        ["yes", "image_index", "no directive"],
        ["no", "translate", "X-Robots-Tag: notranslate"],
        ["yes", "train", "no directive"],
        ["yes", "train_images", "no directive"],
    ]


def test_sheet_says_what_is_known_of_the_document() -> None:
    """Limits, what it says of itself, use, links, runs with marks and lines, and findings."""
    status, output, _ = ask("-H", "Content-Usage: train-ai=n", "-H", "tdm-reservation: 1")
    assert status == 0
    for wanted in (
        f"What a robot may do with {URL}\n  text/html, UTF-8\n  read as google: ",
        "at most 60 characters may be quoted: META robots, line 3: max-snippet: 60\n",
        "largest image preview: large: META robots, line 3: max-image-preview: large\n",
        "canonical: https://shop.example/lamps\n",
        "title: Lamps of brass\n",
        "Content-Usage: train-ai disallow\n",
        "text and data mining rights are reserved: tdm-reservation\n",
        "licence: https://shop.example/licence\n",
        "3 links, of which 2 may be followed\n    1 not: nofollow (line 7)\n",
        "5 passages, of which 4 may be indexed\n    1 not: googleoff-index (line 8)\n",
        "5 passages, of which 4 may be kept\n    1 not: robots-noarchive (line 9)\n",
        "5 passages, of which 4 may be quoted\n    1 not: robots-noarchive (line 9)\n",
        "Findings: 3 info\n  line 3: info: the directive 'fancy' in robots is not known to goodbot",
    ):
        assert wanted in output


def test_document_without_restriction_has_status_0() -> None:
    """If nothing is disallowed, the status is 0, and empty sections are omitted."""
    status, output, complaints = ask(given=b"<p>all yours <a href=x>x</a>")
    assert (status, complaints) == (0, "")
    assert "1 passage, which may be indexed, kept and quoted" in output
    assert "1 link, which may be followed" in output
    for absent in ("Limits", "Description", "Use of", "Findings", "Link texts"):
        assert absent not in output


def test_date_that_is_past_forbids_to_index() -> None:
    """After `unavailable_after` the document is not indexed; before it is."""
    past = "X-Robots-Tag: unavailable_after: 1 Jan 2001 00:00:00 GMT"
    status, output, _ = ask("-H", past)
    assert status == 1
    assert "no   index         X-Robots-Tag: unavailable_after: 1 Jan 2001" in output
    assert "(expired)" in output
    assert "passages, of which none may be indexed\n" in output
    assert "4 not: X-Robots-Tag: unavailable_after: 1 Jan 2001 00:00:00 GMT (expired)\n" in output
    assert ask("-H", past, "--view", "marks", given=b"<p>all yours")[0] == 1
    runs = json.loads(ask("-H", past, "--json")[1])["runs"]
    assert not any(run["index"] for run in runs)
    for view in ("text", "snippet"):
        status, output, complaints = ask("-H", past, "--view", view)
        assert (status, output) == (1, "")
        assert complaints.startswith(
            f"Disallowed: a robot must not index {URL}: X-Robots-Tag: unavailable"
        )
    _, output, _ = ask("-H", past, "--json")
    found = json.loads(output)
    assert (found["verdicts"]["index"]["reason"], found["text"]) == ("too-late", "")
    assert ask("-H", past.replace("2001", "2999"))[0] == 0


def test_processing_instruction_is_a_source() -> None:
    """In XML, the robots PI decides, and its line is shown."""
    feed = b'<?xml version="1.0"?>\n<?robots index="no" follow="yes"?>\n<feed><id>x</id></feed>'
    status, output, _ = ask(given=feed)
    assert status == 1
    assert 'no   index         robots PI, line 2: index="no" follow="yes"' in output
    assert 'yes  follow        robots PI, line 2: index="no" follow="yes"' in output


def test_header_is_missed_where_none_is_given() -> None:
    """Without a header the sheet says that it may say more."""
    assert "without its HTTP header" in ask()[1]
    assert "without its HTTP header" not in ask("-H", "Server: x")[1]


def test_view_text_is_the_text_that_may_be_indexed() -> None:
    """Text that must not be indexed is omitted, with a gap within a line."""
    status, output, complaints = ask("--view", "text")
    assert (status, complaints) == (0, "")
    assert output == goodbot.Page(URL, SHOP).text() + "\n"
    assert output.startswith("Lamps of brass, more lamps and chairs … in the attic.\n")


@pytest.mark.parametrize("view", ["text", "copy", "snippet"])
def test_view_of_what_is_forbidden_is_empty(view: str) -> None:
    """If the whole page is disallowed, only the reason is printed, and the status is 1."""
    status, output, complaints = ask("--view", view, "-r", "NosyBot")
    assert (status, output) == (1, "")
    assert "NosyBot must not " in complaints
    assert "META NosyBot, line 4: no" in complaints


@pytest.mark.parametrize(("view", "act"), [("text", "indexing"), ("snippet", "quoting")])
def test_marks_may_forbid_everything(view: str, act: str) -> None:
    """Where marks on all parts forbid it the status is 1; where there is no text it is 0."""
    status, output, complaints = ask("--view", view, given=b"<noindex>nothing</noindex>")
    assert (status, output) == (1, "")
    assert complaints == f"marks in the page disallow {act} for all of its text\n"
    status, output, complaints = ask("--view", view, given=b"<p><img src=a>")
    assert (status, output) == (0, "")
    assert complaints == "warning: the page contains no text\n"


def test_view_links_has_a_line_for_each() -> None:
    """Each link has a line: whether it may be followed, URL, text, and why not."""
    status, output, complaints = ask("--view", "links")
    assert (status, complaints) == (1, "")
    assert output.splitlines() == [
        'no   https://shop.example/more  "more lamps"  nofollow, line 7',
        'yes  https://shop.example/lamps/c  "chairs"',
        'yes  "http://[::1"  "odd"  vote for  not resolved',
    ]


def test_view_links_of_a_document_that_forbids_it() -> None:
    """META nofollow holds for every link, and for a document that has none."""
    nofollow = b"<meta name=robots content=nofollow><p>"
    status, output, _ = ask("--view", "links", given=nofollow + b"<a href=/x>x</a>")
    assert (status, output) == (
        1,
        'no   https://shop.example/x  "x"  META robots, line 1: nofollow\n',
    )
    status, output, complaints = ask("--view", "links", given=nofollow)
    assert (status, output) == (1, "")
    assert "contains no links" in complaints
    assert ask("--view", "links", given=b"<p>")[0] == 0


def test_view_copy_gives_the_copy_and_the_cuts() -> None:
    """The copy goes to standard output, what was cut to standard error."""
    status, output, complaints = ask("--view", "copy")
    assert (status, output) == (0, goodbot.Page(URL, SHOP).archive_copy().html)
    assert "Today only" not in output
    assert complaints == "cut at line 9: 10 bytes of text: robots-noarchive, line 9\n"


def test_view_snippet_shows_the_query() -> None:
    """A quotation shows the words that were asked for, within the width and the limit."""
    status, output, _ = ask("--view", "snippet", "--query", "attic", "--width", "40")
    assert status == 0
    assert "attic" in output
    assert len(output) <= 41
    _, output, _ = ask("--view", "snippet", "--width", "1000")
    assert 20 < len(output) <= 61
    assert "secret" not in output


def test_json_is_one_object_with_everything() -> None:
    """--json and --view json give the page's own dict, and what it leaves out."""
    arguments = ("-r", "NosyBot", "-H", "Crawler-Price: USD 1", "--status", "402")
    status, output, complaints = ask("--json", *arguments)
    assert (status, output.count("\n"), complaints) == (1, 1, "")
    assert output == ask("--view", "json", *arguments)[1]
    found = json.loads(output)
    expected = goodbot.Page(URL, SHOP, robot="NosyBot", status=402).as_dict()
    assert {name: found[name] for name in expected} == expected
    assert (found["status"], found["payment"]["price"]) == (402, "USD 1")
    assert found["verdicts"]["index"]["reason"] == "no-document"


def test_status_that_is_no_success_allows_nothing() -> None:
    """A failed request is not a permission, in any view."""
    for view in VIEWS:
        status, output, complaints = ask("--status", "404", "--view", view)
        assert status == 1, view
        assert "status: 404" in output + complaints, view
    status, output, complaints = ask("--status", "503", given=b"")
    assert (status, complaints) == (1, "")
    assert "yes" not in output


@pytest.mark.parametrize("dialect", PAGE_DIALECTS)
def test_dialect_is_heeded(dialect: str) -> None:
    """--dialect says how directives are read; they differ on a contradiction."""
    body = b"<meta name=robots content='index, noindex'>"
    status, output, _ = ask("-d", dialect, given=body)
    assert f"read as {dialect}: " in output
    assert status == (0 if dialect == "yandex" else 1)


def test_marks_can_be_chosen() -> None:
    """--marks names those that count, once or often, and `none` switches all off."""
    body = b"<p><a href=/x rel=nofollow>x</a> <a href=/y rel=ugc>y</a>"

    def followed(*marks: str) -> list[str]:
        output = ask("--view", "links", *marks, given=body)[1]
        return [line.split()[0] for line in output.splitlines()]

    assert followed() == ["no", "no"]
    assert followed("--marks", "ugc") == ["yes", "no"]
    assert followed("--marks", "ugc, nofollow") == ["no", "no"]
    assert followed("--marks", "ugc", "--marks", "nofollow") == ["no", "no"]
    assert followed("--marks", "none") == ["yes", "yes"]


def test_unknown_mark_is_answered_with_those_there_are() -> None:
    """A wrong name, and an empty one, list every mark."""
    for wrong in ("nofollows", ""):
        status, output, complaints = ask("--marks", wrong)
        assert (status, output) == (2, "")
        assert all(mark.name in complaints for mark in MARKS)


def test_content_type_takes_the_place_of_the_headers() -> None:
    """The type of the header counts, and --content-type more; of some only the header counts."""
    feed = b"<a><b>x</b></a>"
    assert "  text/html, " in ask(given=feed)[1]
    header = ("-H", "Content-Type: application/xml; charset=utf-8")
    assert "  application/xml, utf-8" in ask(*header, given=feed)[1]
    status, output, complaints = ask(
        *header, "--content-type", "application/pdf", "-H", "X-Robots-Tag: noindex"
    )
    assert (status, complaints) == (1, "")
    assert "application/pdf, not HTML, XML or text: only its header is evaluated" in output
    _, output, complaints = ask("--content-type", "application/pdf", "--view", "text")
    assert output == ""
    assert "only its header is evaluated" in complaints


def test_header_comes_from_a_file_of_curl(tmp_path: Path) -> None:
    """@FILE reads what curl -D saves: the last answer counts, with its status; lines go on."""
    saved = tmp_path / "headers.txt"
    saved.write_bytes(
        b"HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nX-Robots-Tag: noindex\r\n\r\n"
        b"HTTP/2 200 \r\ncontent-type: text/html;\r\n charset=utf-8\r\n"
        b"x-robots-tag: noarchive,\r\n\tnotranslate\r\n\r\n"
    )
    status, output, complaints = ask("-H", f"@{saved}", "-H", "X-Robots-Tag: noai")
    assert (status, complaints) == (1, "")
    said = [line.split()[1] for line in output.splitlines() if line.startswith("  no ")]
    assert said == ["archive", "translate", "train", "train_images"]
    saved.write_bytes(saved.read_bytes().replace(b"HTTP/2 200", b"HTTP/2 410"))
    assert "status: 410" in ask("-H", f"@{saved}")[1]
    assert "status: 410" not in ask("-H", f"@{saved}", "--status", "200")[1]


def test_header_comes_from_standard_input(tmp_path: Path) -> None:
    """@- reads the header from standard input, unless that is the document."""
    document = tmp_path / "page.html"
    document.write_bytes(SHOP)
    status, output, _ = page(str(document), "-u", URL, "-H", "@-", given=b"X-Robots-Tag: none")
    assert status == 1
    assert "no   follow        X-Robots-Tag: none" in output
    status, output, complaints = ask("-H", "@-")
    assert (status, output) == (2, "")
    assert "standard input is the page" in complaints


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("-", "-u", URL, "-H", "noindex"), "'X-Robots-Tag: noindex'"),
        (("-", "-u", URL, "-H", "X Robots: noindex"), "'X-Robots-Tag: noindex'"),
        (("-", "-u", URL, "-H", ""), "'X-Robots-Tag: noindex'"),
        (("-", "-u", URL, "-H", ": x"), "'X-Robots-Tag: noindex'"),
        (("-", "-u", URL, "-H", "@/no/such/file"), "check the path"),
        (("-",), "--url https://example.com/page"),
        (("/no/such/file", "-u", URL), "check the path"),
        (("/", "-u", URL), "name the page in it"),
        (("", "-u", URL), "an argument is empty"),
        (("-", "-u", ""), "an argument is empty"),
        (("-", "-u", URL, "-r", ""), "product token"),
        (("-", "-u", URL, "-r", URL), "write it as --url"),
        (("-", "-u", URL, "-d", "rfc9309"), "google, meta1996, bing, yandex"),
        (("-", "-u", URL, "--content-type", "html"), "text/html"),
        (("-", "-u", URL, "--status", "2000"), "--help"),
        (("-", "-u", URL, "--width", "0"), "--help"),
        (("-", "-u", URL, "--width", "9"), "--view snippet"),
        (("-", "-u", URL, "--query", "x", "--view", "text"), "--view snippet"),
        (("-", "-u", URL, "--json", "--view", "text"), "use one of them"),
        (("-", "-u", URL, "--view", "cuts"), "--help"),
        (("-", "-u", URL, "x"), "--help"),
    ],
)
def test_misuse_is_told_in_one_line(arguments: tuple[str, ...], cure: str) -> None:
    """An error has status 2, no output, and one line that says how to fix it."""
    status, output, complaints = page(*arguments, given=b"<p>")
    assert (status, output) == (2, "")
    assert complaints.startswith("Error: ")
    assert complaints.count("\n") == 1
    assert cure in complaints


@pytest.mark.parametrize("arguments", [(f"{URL}?a&b", "-u", URL), ("-u", f"{URL}?a&b")])
def test_a_url_is_named_as_the_argument(arguments: tuple[str, ...]) -> None:
    """With --url, a file is missing: the message says how to fetch it, or to name the URL."""
    status, output, complaints = page(*arguments)
    assert (status, output) == (2, "")
    assert f"curl -sSL -D headers.txt -o page.html '{URL}?a&b'" in complaints
    again = f"goodbot page page.html --url '{URL}?a&b' --header @headers.txt"
    assert again in complaints
    assert f"goodbot page '{URL}?a&b'\n" in complaints


def test_word_that_is_no_url_is_a_warning() -> None:
    """Links of a document without an origin may not be resolved; with --strict it is refused."""
    status, output, complaints = page("-", "-u", "example.com/a", given=SHOP)
    assert (status, "What a robot" in output) == (0, True)
    assert complaints.startswith('warning: --url: "example.com/a" is not an absolute URL')
    status, output, _ = page("-", "-u", "example.com/a", "--strict", given=SHOP)
    assert (status, output) == (2, "")


def test_empty_pipe_is_no_permission(tmp_path: Path) -> None:
    """What a failed fetch leaves in a pipe allows nothing; an empty file has a warning."""
    status, output, complaints = ask(given=b"")
    assert (status, output) == (2, "")
    assert "does not mean that everything is allowed" in complaints
    empty = tmp_path / "page.html"
    empty.touch()
    status, _, complaints = page(str(empty), "-u", URL)
    assert (status, complaints.startswith("warning: ")) == (0, True)
    assert page(str(empty), "-u", URL, "--strict")[0] == 2
    status, _, complaints = page(str(empty), "-u", URL, "--content-type", "image/png")
    assert (status, complaints) == (0, "")


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        (gzip.compress(SHOP), "gzip"),
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n<p>", "curl -D"),
        (b"%PDF-1.7\n<a>", "PDF"),
        (b"\x89PNG\r\n", "image/png"),
        (b"\x00\x01\x02<a", "NUL"),
        (b"User-agent: *\nDisallow: /\n", "goodbot check"),
        (b"# mine\n\nuser-agent: *\n", "goodbot check"),
        (b"https://shop.example/a\n", "it is a URL"),
        (b'{"error": "not found"}', "no element"),
        (b"Not found", "no element"),
    ],
)
def test_what_is_no_document(content: bytes, looks_like: str) -> None:
    """It has an answer and a warning; with --strict neither is given, and the status is 2."""
    status, output, complaints = ask(given=content)
    if "no-document" in output:
        # The library knows it for itself, and allows nothing.
        assert (status, complaints) == (1, "")
        assert looks_like in output or looks_like.endswith("png")
        return
    assert status == 0
    assert complaints.startswith("warning: this is clearly not a page: ")
    assert looks_like in complaints
    status, output, complaints = ask("--strict", given=content)
    assert (status, output) == (2, "")
    assert looks_like in complaints


def test_findings_are_cut_at_20_unless_all_are_asked_for() -> None:
    """The first 20 findings are listed, and the number of the others; --findings lists all."""
    body = b"<meta name=robots content=x>" * 50
    assert "and 30 more; add --findings to list them all" in ask(given=body)[1]
    assert ask("--findings", given=body)[1].count("[unknown-directive]") == 50


def test_help_shows_examples_views_statuses_and_dialects() -> None:
    """The help says what is printed when, with examples, and fits 80 columns."""
    status, output, _ = page("--help")
    assert status == 0
    assert "Usage: goodbot page" in output
    assert "\n    goodbot page page.html -u https://example.com/page -H @headers.txt\n" in output
    assert "Exit status: 0 " in output
    for view in VIEWS:
        assert f"\n    {view} " in output
    words = output.split()
    assert all(f"{name}," in words or f"{name}." in words for name in PAGE_DIALECTS)
    assert max(map(len, output.splitlines())) <= 80


def test_no_arguments_show_the_help() -> None:
    """Without arguments the help is shown, and the status says that nothing was asked."""
    status, output, complaints = page()
    assert status == 2
    assert "Usage: goodbot page" in output + complaints
    assert b"\n  page " in program.run("--help").stdout
