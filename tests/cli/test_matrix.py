"""`goodbot check` with several robots: a matrix of robots and URLs, in every form."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.matrix_view.matrix_cells import Cell
from goodbot.cli.matrix_view.matrix_table import print_by_robots
from goodbot.cli.matrix_view.text_forms import in_code, in_text
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import always
from tests.support import program
from tests.support.live_sites import ask, open_site
from tests.support.live_sites import check as check_sites

FILE = (
    b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n"
    b"User-agent: Googlebot\nDisallow: /drafts\n\nUser-agent: *\nDisallow: /private\n"
)
MANY_URLS = [f"/{number}" for number in range(20)]
TWO = ("-r", "GPTBot", "-r", "Googlebot-News")
URLS = ("/", "/drafts/a", "/private/a")


def check(*words: str, given: bytes = FILE, columns: int = 100) -> tuple[int, str, str]:
    """Run `goodbot check` on the file of this test; its exit status, output and complaints."""
    env = program.environment() | {"COLUMNS": str(columns)}
    done = program.run("check", "-f", "-", *words, given=given, env=env)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cells(text: str) -> list[list[str]]:
    """Return the cells of a table that is printed with gaps of two spaces."""
    return [re.split(r" {2,}", line) for line in text.splitlines() if line]


def test_several_robots_are_a_table_of_urls_by_robots() -> None:
    """Each cell has the answer and the line that decides; below are the lines and the counts."""
    status, output, complaints = check(*TWO, *URLS)
    assert (status, complaints) == (ExitStatus.DISALLOWED, "")
    assert cells(output)[:4] == [
        ["URL", "GPTBot", "Googlebot-News"],
        ["/", "disallowed, line 3", "allowed"],
        ["/drafts/a", "disallowed, line 3", "disallowed, line 6"],
        ["/private/a", "disallowed, line 3", "allowed"],
    ]
    assert "line 6: Disallow: /drafts\n" in output
    assert "3 of 3 URLs disallowed: GPTBot\n" in output
    assert "1 of 3 URLs disallowed: Googlebot-News\n" in output


def test_the_status_says_whether_any_url_is_disallowed_for_any_robot() -> None:
    """0 if all is allowed for all, whichever robot is named last."""
    assert check("-r", "GPTBot", "-r", "Googlebot", "/")[0] == ExitStatus.DISALLOWED
    assert check("-r", "Googlebot", "-r", "GPTBot", "/")[0] == ExitStatus.DISALLOWED
    assert check("-r", "Googlebot", "-r", "bingbot", "/")[0] == ExitStatus.ALLOWED


def test_a_narrow_terminal_gets_a_list() -> None:
    """Each answer stands with its robots and the line; what is disallowed comes first."""
    _, output, _ = check(*TWO, "-r", "bingbot", "/drafts/a", columns=60)
    assert output == (
        "/drafts/a\n"
        "  disallowed  GPTBot (line 3, Disallow: /)\n"
        "  disallowed  Googlebot-News (line 6, Disallow: /drafts)\n"
        "  allowed     bingbot\n"
    )


def test_a_long_url_has_a_line_of_its_own() -> None:
    """The columns stay where they are."""
    long = "/" + "a" * 80
    rows = check(*TWO, long, columns=80)[1].splitlines()
    assert rows[1] == long
    assert rows[2].startswith(" " * 20)
    assert rows[0].index("GPTBot") == rows[2].index("disallowed")


def test_few_urls_are_columns_if_robots_are_many() -> None:
    """Each robot is named once, those that are blocked first, and no line is too long."""
    _, output, _ = check("--robots", "ai", "/", "/private/a", columns=80)
    urls, table, lines = output.rstrip("\n").split("\n\n")
    assert re.fullmatch(
        r"1  /: 2 of \d+ robots blocked by robots.txt\n"
        r"2  /private/a: \d+ of \d+ robots blocked by robots.txt",
        urls,
    )
    heads, first, *others = table.splitlines()
    assert heads.split() == ["1", "2", "robots"]
    assert re.fullmatch(r"disallowed, line 3  disallowed, line 3  .*GPTBot", first)
    assert re.match(r"allowed +disallowed, line 9  AddSearchBot, ", others[0])
    assert "PetalBot" in table
    assert " more" not in table
    assert lines.splitlines() == ["line 3: Disallow: /", "line 9: Disallow: /private"]


def test_three_urls_have_room_for_their_words() -> None:
    """The lines are listed below."""
    _, output, _ = check("--robots", "ai", "/", "/private/a", "/b", columns=80)
    assert re.search(r"^allowed     disallowed  allowed     AddSearchBot, ", output, re.MULTILINE)
    assert "line 9: Disallow: /private" in output


def test_names_are_wrapped_on_a_terminal() -> None:
    """Below each other, in the last column."""
    stream = io.StringIO()
    printer = Printer(stream)
    printer.width, printer.columns = 80, 80
    names = [f"ExampleBot-{number}" for number in range(40)]
    blocked = Cell("disallowed", "line 3")
    print_by_robots([("/", [blocked] * 40), ("/a", [blocked] * 40)], names, printer)
    printed = stream.getvalue()
    assert max(map(len, printed.splitlines())) <= 80
    assert [name for name in names if name not in printed] == []
    assert "\n" + " " * 40 + "ExampleBot-" in printed


def test_many_robots_are_named_once() -> None:
    """From the second URL on, a list names ten robots that are allowed, and counts the rest."""
    _, output, _ = check("--robots", "ai", "/", "/drafts/a", *MANY_URLS)
    first, second = output.split("\n/drafts/a: ")
    assert "PetalBot" in first
    listed = second.partition("\n\n")[0]
    assert re.search(r"allowed +\d+ robots: .* and \d+ more$", listed, re.MULTILINE)
    assert "PetalBot" not in listed


@pytest.mark.parametrize("columns", [80, 200])
def test_all_robots_that_are_blocked_are_named(columns: int) -> None:
    """For each URL, behind the line that blocks them."""
    _, output, _ = check("--robots", "ai", "/", "/private/a", *MANY_URLS, columns=columns)
    second = output.split("/private/a: ")[1].partition("\n/0: ")[0]
    listed = " ".join(second.split())
    blocked = r"disallowed \d+ robots \(line 9, Disallow: /private\): AddSearchBot, "
    assert re.search(blocked, listed)
    assert "PetalBot" in listed
    assert "YouBot" in listed
    assert " more" not in listed
    assert "1 of 22 URLs disallowed: AddSearchBot" in output


@pytest.mark.parametrize(
    ("words", "robots"),
    [
        (("-r", "GPTBot,Googlebot"), ["GPTBot", "Googlebot"]),
        (("-r", "GPTBot, Datadog Synthetics"), ["GPTBot", "Datadog Synthetics"]),
        (("-r", "GPTBot", "-r", "gptbot,CCBot/2.0"), ["GPTBot", "CCBot/2.0"]),
        (("-r", "Mozilla/5.0 (KHTML, like Gecko; GPTBot/1.3)", "-r", "*"), None),
    ],
)
def test_commas_are_understood(words: tuple[str, ...], robots: list[str] | None) -> None:
    """`GPTBot,Googlebot` is two robots; a whole User-Agent has its commas for itself."""
    _, output, _ = check(*words, "/", "--csv")
    (heads, *_) = csv.reader(io.StringIO(output))
    assert heads == ["url", *(robots or [words[1], "*"])]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-r", "GPTBot,"), "is not a list of names: '' is none"),
        (("-r", "GPTBot,two words"), "'two words' is none"),
        (("-r", ""), "the robot has no name"),
        (("-r", "GPTBot", "-r", "https://x.example"), "is a URL; write it without -r"),
        (("--robots", "serch"), "Did you mean search?"),
        (("--robots", "nothing.txt"), "neither a file nor a set of robots. The sets are ai,"),
        ((*TWO, "-d", "all"), "--dialect all compares the dialects for one robot"),
        ((*TWO, "--csv", "--html"), "--csv and --html are two formats"),
        ((*TWO, "--csv", "--explain"), "--csv has no place for explanations"),
    ],
)
def test_what_is_not_understood_is_refused(words: tuple[str, ...], told: str) -> None:
    """Nothing is dropped in silence; the message says what to write."""
    status, output, complaints = check(*words, "/")
    assert (status, output) == (ExitStatus.MISUSE, "")
    assert told in complaints.replace("\n", " ")


def test_a_near_miss_is_noted() -> None:
    """An unknown name is looked up as it is; a note names the known robot that it resembles."""
    _, output, complaints = check("-r", "Googelbot", "-r", "ExampleBot", "/drafts/a")
    assert "allowed" in output
    assert complaints.count("note:") == 1
    assert "Googelbot is not a known robot" in complaints
    assert "did you mean Googlebot?" in complaints
    assert "did you mean GPTBot?" in check("-r", "GPTBott", "/")[2]


def test_sets_of_robots(tmp_path: Path) -> None:
    """A set is what its purposes say; a file has a name on each line; both add to --robot."""

    def heads(*words: str) -> list[str]:
        return next(csv.reader(io.StringIO(check(*words, "/", "--csv")[1])))[1:]

    assert heads("--robots", "all") == [one.name for one in goodbot.bots.every()]
    assert heads("--robots", "seo") == [one.name for one in goodbot.bots.by_purpose("seo")]
    assert {"GPTBot", "OAI-SearchBot", "Google-Extended"} <= set(heads("--robots", "ai"))
    assert "Googlebot" not in heads("--robots", "ai")
    assert {"Googlebot", "bingbot", "GPTBot"} <= set(heads("--robots", "ai,search"))
    names = tmp_path / "names.txt"
    names.write_text("# mine\nExampleBot\n\n  Datadog Synthetics \n", encoding="utf-8")
    assert heads("--robots", str(names), "-r", "GPTBot") == [
        "GPTBot",
        "ExampleBot",
        "Datadog Synthetics",
    ]
    names.write_text("# nothing\n", encoding="utf-8")
    assert "contains no names" in check("--robots", str(names), "/")[2]
    names.write_text("User-agent: *\nDisallow: /\n")
    assert "'User-agent: *', which is no name" in check("--robots", str(names), "/")[2]
    names.write_text("Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)\n")
    assert "no name" not in check("--robots", str(names), "/")[2]


def test_json_has_an_object_for_each_robot_and_url() -> None:
    """The objects are those of one robot; --explain adds the rules that were compared."""
    _, output, _ = check(*TWO, "/drafts/a", "/b", "--json", "--explain")
    found = [json.loads(line) for line in output.splitlines()]
    assert [(one["url"], one["robot"], one["token"], one["allowed"]) for one in found] == [
        ("/drafts/a", "GPTBot", "GPTBot", False),
        ("/drafts/a", "Googlebot-News", "Googlebot", False),
        ("/b", "GPTBot", "GPTBot", False),
        ("/b", "Googlebot-News", "Googlebot", True),
    ]
    assert found[0]["considered"][0]["decides"]


def test_csv_is_safe_for_spreadsheets() -> None:
    """A cell that a spreadsheet would compute is quoted; the answer is one word."""
    _, output, _ = check(*TWO, "=1+1", "/a,b", "--csv")
    assert list(csv.reader(io.StringIO(output)))[1:] == [
        ["'=1+1", "disallowed", "allowed"],
        ["/a,b", "disallowed", "allowed"],
    ]


def test_markdown_is_a_table_whatever_the_urls_contain() -> None:
    """A pipe, a backtick and HTML stay within their cells."""
    status, output, _ = check(*TWO, "/a|b`c<b>", "/\x1b[31m", "--markdown")
    assert status == ExitStatus.DISALLOWED
    assert output.splitlines()[:4] == [
        "| URL | GPTBot | Googlebot-News |",
        "| --- | --- | --- |",
        "| `` /a\\|b`c<b> `` | disallowed, line 3 | allowed |",
        "| `/\\x1b[31m` | disallowed, line 3 | allowed |",
    ]
    assert "- line 3: `Disallow: /`" in output
    assert in_text("@you <b> #1 [a](b)") == r"\@you \<b\> \#1 \[a\](b)"
    assert in_code("``") == "``` `` ```"


def test_many_robots_are_the_rows_if_there_are_few_urls() -> None:
    """A table of Markdown or HTML with ninety columns could not be read."""
    _, output, _ = check("--robots", "search", "/", "--markdown")
    assert output.startswith("| robot | `/` |\n")
    assert "| Googlebot-News | allowed |" in output
    urls = [f"/{number}" for number in range(20)]
    _, output, _ = check("--robots", "search", "--markdown", *urls)
    assert output.startswith("| URL | 360Spider | ")


def test_html_is_one_page_that_escapes_everything() -> None:
    """The answer, the matrix, the lines and the robots; nothing from outside is markup."""
    hostile = "/<script>alert(1)</script>"
    status, page, _ = check(*TWO, "-r", "AdsBot-Google", hostile, "/b", "--html")
    assert status == ExitStatus.DISALLOWED
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for wanted in (
        "Disallowed in 2 of 6 cases.",
        '<span class="badge bad">disallowed</span> <span class="note">line 3</span>',
        '<span class="note">ignores *</span>',
        "Googlebot-News, then Googlebot",
        "Read from standard input.",
    ):
        assert wanted in page
    assert "Every URL is allowed for every robot." in check("-r", "a", "/b", "--html")[1]


def test_explanations_of_several_robots() -> None:
    """Robots with the same explanation share it; each names its family."""
    _, output, _ = check(*TWO, "-r", "Googlebot-News/1.0", "/drafts/a", "--explain")
    assert "GPTBot: Disallowed: line 3" in output
    assert "Googlebot-News, Googlebot-News/1.0: Disallowed: line 6" in output
    assert output.count("^ decides") == 2


def test_a_chosen_dialect_holds_for_all_robots_and_is_said() -> None:
    """The note names the robots that are known to read the file in another one."""
    _, output, complaints = check(*TWO, "/", "-d", "bing", "--json")
    assert [json.loads(line)["dialect"] for line in output.splitlines()] == ["bing", "bing"]
    assert "because of --dialect; known to read it otherwise: Googlebot-News as google" in (
        complaints.replace("\n", " ")
    )


def test_other_verbs_take_one_robot() -> None:
    """They refuse several, instead of taking the last or a name that nobody has."""
    for verb in ("rules", "policy", "page uses", "page profile"):
        for words in (TWO, ["-r", "GPTBot,Googlebot"]):
            done = program.run(*verb.split(), "-", *words, given=FILE)
            assert done.returncode == ExitStatus.MISUSE, verb
            assert b"takes one robot" in b" ".join(done.stderr.split())
    done = program.run(
        "page", "-", "-u", "https://a.example/", "-r", "GPTBot,Googlebot", given=FILE
    )
    assert b"--robot names GPTBot and Googlebot; run it once for each" in done.stderr


# Live sites.


def test_a_site_is_asked_once_for_all_robots() -> None:
    """Its robots.txt is requested once, under goodbot's own name."""
    with open_site(always(200, FILE, TEXT)) as site:
        urls = [f"{site.origin}{path}" for path in URLS]
        status, output, _ = check_sites(*TWO, "-r", "ExampleBot", *urls, "--json")
        assert len(site.visits) == 1
        agent = site.visits[0].field("User-Agent") or ""
    assert status == ExitStatus.DISALLOWED
    assert agent.startswith("goodbot/")
    found = [json.loads(line) for line in output.splitlines()]
    assert [one["allowed"] for one in found] == [
        *(False, True, True),
        *(False, False, True),
        *(False, True, False),
    ]
    assert [one["dialect"] for one in found[:3]] == ["rfc9309", "google", "rfc9309"]
    assert found[1]["tried"] == ["Googlebot-News", "Googlebot"]
    assert found[0]["policy"]["dialect"] == "rfc9309"


def test_a_site_that_fails_is_read_by_each_dialect() -> None:
    """What a status means is a choice of the operator, too; the cell has the reason."""
    with open_site(always(503, b"", TEXT)) as site:
        status, output, _ = check_sites("-r", "YandexBot,GPTBot", f"{site.origin}/a")
    assert status != ExitStatus.ALLOWED
    assert "service unavailable" in output
    assert "allowed, service unavailable" in output


def test_live_matrix_goes_on_after_what_is_no_url() -> None:
    """A line that is no URL is a warning, and the exit status says that an answer is missing."""
    with open_site(always(200, FILE, TEXT)) as site:
        lines = f"{site.origin}/\nnot a url\n{site.origin}/b\n".encode()
        status, output, complaints = check_sites(*TWO, "--csv", given=lines)
    assert status == ExitStatus.MISUSE
    assert output.count("\n") == 3
    assert "not a url has no scheme" in complaints
    assert "has no URLs" in check_sites(*TWO, given=b"\n")[2]


def test_a_list_begins_with_how_many_robots_are_blocked() -> None:
    """The short answer stands beside each URL."""
    content = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /a\n"
    words = ("-f", "-", "--robots", "ai", "/", "/a")
    _, output, complaints = ask("check", *words, given=content)
    assert complaints == ""
    assert re.search(r"^1  /: 0 of [0-9]+ robots blocked by robots.txt$", output, re.MULTILINE)
    assert re.search(r"^2  /a: 2 of [0-9]+ robots blocked by robots.txt$", output, re.MULTILINE)


@pytest.mark.parametrize(
    ("robot", "said"),
    [("ai", "write --robots ai"), ("GPT", "did you mean GPTBot?"), ("openai", "of OpenAI")],
)
def test_a_robot_that_names_several_has_a_hint(robot: str, said: str) -> None:
    """It is looked up as a name, and the note says what was probably meant."""
    _, _, complaints = ask("check", "-f", "-", "-r", robot, "/", given=b"User-agent: *\nAllow: /\n")
    assert said in complaints.replace("\n", " ")
