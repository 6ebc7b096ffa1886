"""`goodbot check`, as a whole program."""

import gzip
import json
from pathlib import Path

import pytest

import goodbot
from goodbot.knowledge import KNOWN_AS_OF
from tests.support import program
from tests.support.paths import ROOT

SHOP = ROOT / "examples" / "shop" / "robots.txt"
SITE = "https://antiques.example"


def check(*arguments: str | bytes, given: bytes = b"") -> tuple[int, str, str]:
    """Run `goodbot check` on these arguments; its exit status, output and complaints."""
    done = program.run("check", *arguments, given=given)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_shop(*arguments: str | bytes, given: bytes = b"") -> tuple[int, str, str]:
    """Run `goodbot check` on the file of the example."""
    return check("--robots-txt", str(SHOP), *arguments, given=given)


def test_allowed_url_is_told_in_a_sentence_with_status_0() -> None:
    """One allowed URL prints one sentence, with the status 0."""
    status, output, complaints = check_shop("--robot", "Attic-Spider", f"{SITE}/lamps")
    assert (status, complaints) == (0, "")
    assert output.startswith(f"{SITE}/lamps: Allowed: ")
    assert output.count("\n") == 1


@pytest.mark.parametrize("url", [f"{SITE}/%62", "/%62", f"{SITE}/%7efred"])
def test_either_spelling_forbids(url: str) -> None:
    """A URL is checked as written and as sent if a dialect distinguishes them."""
    rules = b"User-agent: *\nDisallow: /b\nDisallow: /%7efred\n"
    for words in (("-d", "lwp"), ("-d", "lwp", "--json"), ("-d", "all")):
        status, output, _ = check("-f", "-", "-r", "FooBot", *words, url, given=rules)
        assert status == 1
        assert "Allowed:" not in output
    assert check("-f", "-", "-d", "lwp", f"{SITE}/%63", given=rules)[0] == 0


def test_one_disallowed_url_gives_status_1() -> None:
    """The status is 1 when any URL is disallowed, also if the last is allowed."""
    status, output, _ = check_shop("-r", "NosyBot", f"{SITE}/till", f"{SITE}/lamps")
    assert status == 1
    assert [line.split(": ")[:2] for line in output.splitlines()] == [
        [f"{SITE}/till", "Disallowed"],
        [f"{SITE}/lamps", "Allowed"],
    ]


def test_robot_is_any_robot_by_default() -> None:
    """Without --robot, the group for * applies."""
    status, output, _ = check_shop("/till")
    assert status == 1
    assert "(group *;" in output


def test_urls_come_from_arguments_then_from_a_file(tmp_path: Path) -> None:
    """URLs of the arguments come first, then those of the file; blank lines and CR are nothing."""
    urls = tmp_path / "urls.txt"
    urls.write_bytes(b"\xef\xbb\xbf/b\r\n\r\n  /c  \n/d")
    _, output, _ = check_shop("/a", "--urls", str(urls), "--json")
    assert [json.loads(line)["url"] for line in output.splitlines()] == ["/a", "/b", "/c", "/d"]


def test_urls_come_from_standard_input() -> None:
    """Standard input gives the URLs when there is none, or when --urls - says so."""
    for arguments in ((), ("--urls", "-")):
        status, output, _ = check_shop(*arguments, given=b"/lamps\n/till\n")
        assert status == 1
        assert len(output.splitlines()) == 2


def test_file_comes_from_standard_input() -> None:
    """--robots-txt - reads the file from standard input."""
    status, output, _ = check("-f", "-", "/a", given=b"User-agent: *\nDisallow: /a")
    assert status == 1
    assert "line 2" in output


def test_standard_input_is_not_both() -> None:
    """The file and the URLs cannot both come from standard input."""
    for arguments in ((), ("--urls", "-")):
        status, output, complaints = check("-f", "-", *arguments, given=b"/a")
        assert (status, output) == (2, "")
        assert "standard input is the robots.txt file" in complaints


def test_no_url_at_all_is_no_permission() -> None:
    """An input without a URL is an error, not "all allowed"."""
    status, output, complaints = check_shop(given=b"\n\n")
    assert (status, output) == (2, "")
    assert "standard input has no URLs" in complaints


def test_empty_file_warns(tmp_path: Path) -> None:
    """An empty file allows everything, with a warning."""
    empty = tmp_path / "robots.txt"
    empty.touch()
    status, _, complaints = check("-f", str(empty), "/a")
    assert status == 0
    assert "empty" in complaints


def test_empty_pipe_is_no_permission() -> None:
    """The empty pipe of a failed download is not a robots.txt that allows everything."""
    status, output, complaints = check("-f", "-", "/a", given=b"")
    assert (status, output) == (2, "")
    assert "does not mean that everything is allowed" in complaints.replace("\n", " ")


@pytest.mark.parametrize(
    ("content", "looks_like", "answer"),
    [
        (b"<!DOCTYPE html><html><body>Not found</body>", "HTML", 0),
        (b'{"error": "not found"}\n', "no field", 0),
        (b"Not found\n", "no field", 0),
        (gzip.compress(b"User-agent: *\nDisallow: /", mtime=0), "gzip", 0),
        ("User-agent: *\nDisallow: /".encode("utf-16"), "UTF-16", 1),
        ("User-agent: *\nDisallow: /".encode("utf-16-le"), "UTF-16", 1),
        (b"https://example.com/robots.txt", "a path or URL", 0),
    ],
)
def test_what_is_no_robots_txt(content: bytes, looks_like: str, answer: int) -> None:
    """It has an answer and a warning; with --strict neither is given, and the status is 2."""
    status, _, complaints = check("-f", "-", "/a", given=content)
    assert status == answer
    assert complaints.startswith("warning: ")
    assert looks_like in complaints
    status, output, complaints = check("-f", "-", "--strict", "/a", given=content)
    assert (status, output) == (2, "")
    assert looks_like in complaints


def test_strict_answers_where_nothing_is_odd() -> None:
    """A file of comments, and one with unknown fields beside known ones, are robots.txt files."""
    for content in (b"# nothing is forbidden\n", b"Fancy: x\nUser-agent: *\n"):
        status, _, complaints = check("-f", "-", "--strict", "/a", given=content)
        assert (status, complaints) == (0, "")


def test_where_a_file_is_needed_the_cure_is_told() -> None:
    """To compare dialects needs a file; the message says how to download it and check again."""
    status, output, complaints = check("-d", "all", f"{SITE}:8080/a?b&c")
    assert (status, output) == (2, "")
    assert f"curl -sSfL -o robots.txt {SITE}:8080/robots.txt" in complaints
    assert f"goodbot check --robots-txt robots.txt --dialect all '{SITE}:8080/a?b&c'" in complaints


def test_misuse_is_told_in_one_line() -> None:
    """An error has status 2, no output, and one line that says how to fix it."""
    cases = (
        (("-f", "/no/such/file", "/a"), "check the path"),
        (("-f", str(SHOP.parent), "/a"), "name a file in it"),
        (("-f", f"{SITE}/robots.txt", "/a"), "curl"),
        (("-f", str(SHOP), "-r", "", "/a"), "product token"),
        (("-f", str(SHOP), "-r", SITE, "/a"), "write it without -r"),
        (("-f", str(SHOP), "-d", "latin", "/a"), "rfc9309"),
        (("-f", str(SHOP), "-d", "all", "-e", "/a"), "--json"),
        (("-f", str(SHOP), "-"), "--urls -"),
        (("-f", str(SHOP), ""), "an argument is empty"),
        (("-f", str(SHOP), "--urls", "/no/such/file"), "check the path"),
        (("--colour",), "--help"),
    )
    for arguments, cure in cases:
        status, output, complaints = check(*arguments)
        assert (status, output) == (2, ""), arguments
        assert complaints.startswith("Error: "), arguments
        assert complaints.count("\n") == 1, complaints
        assert cure in complaints


def test_json_is_one_object_a_line() -> None:
    """--json prints the verdict's own dict for each URL."""
    status, output, _ = check_shop("--json", "-r", "Chair-Finder", "/till/stock", "/till")
    first, second = map(json.loads, output.splitlines())
    assert status == 1
    assert (first["allowed"], first["rule"]["line"]) == (True, 13)
    assert (second["allowed"], second["reason"]) == (False, "rule-disallows")
    assert "considered" not in first


def test_json_with_explain_has_what_was_considered() -> None:
    """--json --explain adds every rule that matched, the one that decides first."""
    _, output, _ = check_shop("--json", "--explain", "-r", "Chair-Finder", "/till/stock")
    considered = json.loads(output)["considered"]
    assert [(one["rule"]["line"], one["decides"]) for one in considered] == [
        (13, True),
        (14, False),
    ]


def test_json_with_all_dialects_has_one_object_each() -> None:
    """--json --dialect all prints an object for each URL and dialect."""
    _, output, _ = check_shop("--json", "-d", "all", "/a", "/b")
    found = [(one["url"], one["dialect"]) for one in map(json.loads, output.splitlines())]
    assert len(found) == len(set(found)) == 2 * len(goodbot.dialects())


def test_explain_marks_the_deciding_line_and_the_losers() -> None:
    """--explain marks the line that decides and the ones that lose, each with why."""
    status, output, _ = check_shop("-e", "-r", "Attic-Spider", "/private/attic-spider/a")
    lines = output.splitlines()
    assert status == 0
    assert lines[1] == "Attic-Spider obeys the group for Attic-Spider: it matches attic-spider."
    assert ">  8 | Allow: /private/attic-spider/" in lines
    assert "-  7 | Disallow: /private" in lines
    assert any("^ decides: it is the longest match" in line for line in lines)
    assert any("^ loses: " in line for line in lines)


def test_explain_names_what_is_not_known() -> None:
    """A word that no document defines is named once, with the day, and changes no verdict."""
    content = b"User-agent: *\nTraining: no\nContent-Signal: zqx=yes\nDisallow: /b\n"
    status, output, _ = check("-f", "-", "--explain", "/a", "/c", given=content)
    assert status == 0
    assert output.count(f"is not known to goodbot as of {KNOWN_AS_OF}") == 2
    assert check("-f", "-", "/a", "/b", given=content)[0] == 1


def test_explain_shows_of_a_long_file_what_matters() -> None:
    """Of a file of 5,000 lines only the group's lines and those around are shown."""
    others = b"".join(b"User-agent: bot%d\nDisallow: /\n" % number for number in range(2500))
    _, output, _ = check("-f", "-", "-e", "-r", "bot7", "/a", given=others)
    assert "User-agent: bot7" in output
    assert "..." in output
    assert len(output.splitlines()) < 15


def test_explain_shows_of_a_long_group_what_matters() -> None:
    """Of a group of 5,000 rules only its agents and those that matched are shown."""
    rules = b"".join(b"Disallow: /%d/\n" % number for number in range(5000))
    _, output, _ = check("-f", "-", "-e", "/77/", given=b"User-agent: *\n" + rules)
    assert ">   79 | Disallow: /77/" in output
    assert len(output.splitlines()) < 15


def test_all_dialects_are_compared() -> None:
    """--dialect all shows each verdict with its line, and where and why dialects disagree."""
    status, output, _ = check_shop(
        "-d", "all", "-r", "Attic-Spider", "/private/attic-spider/a", "/"
    )
    assert status == 1
    assert "allowed, line 8" in output
    assert "disallowed, line 7" in output
    assert "The dialects disagree on 1 of 2 URLs" in output
    assert "precedence" in output


def test_all_dialects_agree() -> None:
    """If all dialects agree, the output says so."""
    status, output, _ = check("-f", "-", "-d", "all", "/b", given=b"User-agent: *\nDisallow: /a\n")
    assert status == 0
    assert "agree on every URL" in output


def test_name_that_never_matches_is_a_warning() -> None:
    """Findings about the name go to standard error, and leave the output as it is."""
    status, output, complaints = check_shop("-d", "google", "-r", "MJ12bot", "/lamps")
    assert (status, output.count("\n")) == (0, 1)
    assert complaints.startswith("warning: ")


@pytest.mark.parametrize(
    ("word", "status", "then"),
    [
        ("public/a", 1, "most dialects disallow it"),
        ("mailto:a@b.example", 1, "most dialects disallow it"),
        ("http://[::1", 0, "only its path is compared"),
        ("//h/a", 0, "only its path is compared"),
        ("http://", 1, "most dialects disallow it"),
        ("http:///a", 1, "most dialects disallow it"),
    ],
)
def test_word_that_is_no_url_is_a_warning(word: str, status: int, then: str) -> None:
    """A URL without an origin has a warning that names it; with --strict, it is an error."""
    found, output, complaints = check_shop(word)
    assert (found, output.count("\n")) == (status, 1)
    assert complaints.startswith("warning: ")
    assert then in complaints.replace("\n", " ")
    assert word in complaints
    refused, output, _ = check_shop("--strict", word)
    assert (refused, output) == (2, "")


def test_many_words_that_are_no_urls_are_counted() -> None:
    """Five are named, the rest counted."""
    _, output, complaints = check_shop(given=b"x\n" * 9)
    assert output.count("\n") == 9
    assert complaints.count("warning: ") == 6
    assert "4 more arguments are not URLs" in complaints


def test_urls_of_several_sites_are_a_warning() -> None:
    """URLs of several sites have a warning: a robots.txt applies to one site."""
    _, _, complaints = check_shop("https://a.example/x", "https://b.example/", "/y")
    assert "https://a.example, https://b.example" in complaints.replace("\n", " ")


def test_comments_among_the_urls_are_passed_over() -> None:
    """A list of URLs may have lines that begin with a number sign."""
    _, output, _ = check_shop(given=b"# mine\n/lamps\n")
    assert output.count("\n") == 1


def test_url_for_a_robot_is_told_apart() -> None:
    """`-r URL` says which option is wrong."""
    status, _, complaints = check_shop("-r", "https://a.example/", "/x")
    assert status == 2
    assert "--robot is a name" in complaints


def test_dialect_that_is_nearly_right_is_named() -> None:
    """A capital letter or a missing year in a dialect's name is understood."""
    for near, name in (("Google", "google"), ("koster", "koster1994"), ("RFC-9309", "rfc9309")):
        status, _, complaints = check_shop("-d", near, "/x")
        assert status == 2
        assert f'did you mean "{name}"?' in complaints


FAMILY = b"User-agent: Googlebot\nDisallow: /drafts\n\nUser-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    ("robot", "status", "told"),
    [
        ("Googlebot-News", 1, "Googlebot-News has no group; Google then uses Googlebot's."),
        ("AdsBot-Google", 0, "no group names AdsBot-Google, and it ignores the group for *"),
        ("Datadog Synthetics", 1, "Which groups Datadog Synthetics looks for is not known."),
        ("Google-Extended", 1, "Google-Extended is a token"),
    ],
)
def test_a_known_robot_brings_its_family(robot: str, status: int, told: str) -> None:
    """The groups that it looks for and its exceptions, and the sentence says so."""
    found = check("-f", "-", "-r", robot, "/drafts/a", given=FAMILY)
    assert found[0] == status
    assert told in found[1]


def test_explanations_and_json_have_the_family() -> None:
    """--explain names the tokens and their source, --json those that were tried."""
    words = ("-f", "-", "-r", "Googlebot-News", "/drafts/a")
    _, output, _ = check(*words, "--explain", given=FAMILY)
    assert "looks for the group of Googlebot-News, then Googlebot (Google: common" in output
    assert "> 2 | Disallow: /drafts" in output
    found = json.loads(check(*words, "--json", given=FAMILY)[1])
    assert (found["known_robot"], found["token"], found["obeys"]) == (
        "Googlebot-News",
        "Googlebot",
        True,
    )
    assert found["tried"] == ["Googlebot-News", "Googlebot"]
    ads = ("-f", "-", "-r", "AdsBot-Google", "/a")
    _, output, _ = check(*ads, "--explain", given=FAMILY)
    assert "  5 | Disallow: /\n" in output
    found = json.loads(check(*ads, "--json", "--explain", given=FAMILY)[1])
    assert (found["reason"], found["considered"]) == ("ignores-star", [])


LOG = (
    b'203.0.113.9 - - [22/Nov/2026:10:00:00 +0000] "GET /lamps HTTP/1.1" 200 1\n'
    b'203.0.113.9 - - [22/Nov/2026:10:00:01 +0000] "GET /till HTTP/1.1" 200 1\n'
    b'203.0.113.9 - - [22/Nov/2026:10:00:02 +0000] "-" 408 0\n'
)
SITEMAP = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>https://antiques.example/lamps</loc></url>"
    b"<url><loc>https://antiques.example/till</loc></url></urlset>"
)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("content", "note"), [(LOG, "1 line of"), (SITEMAP, "")])
def test_logs_and_sitemaps_are_lists_of_urls(
    tmp_path: Path, content: bytes, note: str, *, packed: bool
) -> None:
    """--urls reads logs and sitemaps, also compressed; a line without a request is counted."""
    (tmp_path / "urls").write_bytes(gzip.compress(content) if packed else content)
    status, output, complaints = check_shop("--urls", str(tmp_path / "urls"))
    assert status == 1
    paths = [line.split(": ")[0].removeprefix(SITE) for line in output.splitlines()]
    assert paths == ["/lamps", "/till"]
    assert complaints.startswith(f"note: {note}" if note else "")
    assert bool(complaints) == bool(note)


def test_a_damaged_sitemap_is_a_warning(tmp_path: Path) -> None:
    """The URLs before the fault are checked, and the warning says where it is."""
    (tmp_path / "urls").write_bytes(SITEMAP.replace(b"</urlset>", b"</urlse>"))
    _, output, complaints = check_shop("--urls", str(tmp_path / "urls"))
    assert output.count("\n") == 2
    assert "line 1: the XML is not well-formed" in complaints.replace("\n", " ")
