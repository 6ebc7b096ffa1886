"""`goodbot diff`, as a whole program."""

import gzip
import json
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.dialect_names import listed_dialects
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.site.reasoning import compare_files
from goodbot.site.verbs.diff import status_of, why_failed
from goodbot.site.verbs.diff_view.diff_html import html_page
from goodbot.site.verbs.diff_view.diff_markdown import markdown_lines
from goodbot.site.verbs.diff_view.diff_result import DiffResult
from goodbot.site.verbs.diff_view.sides import Side
from goodbot.store import SQLiteStore
from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site

OLD = "User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"
NEW = "User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n\nUser-agent: GPTBot\nDisallow: /b\n"
LAXER = "User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n"
PATTERNS = [f"Disallow: /*{a}*{b}*{c}" for a in "abcdef" for b in "ghijkl" for c in "mnop"]
HARD = "\n".join(["User-agent: *", *PATTERNS])


@pytest.fixture
def here(tmp_path: Path) -> str:
    """Return a folder with files."""
    texts = {"old": OLD, "new": NEW, "laxer": LAXER}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(tmp_path)


def test_the_answer_comes_first_then_each_group_of_robots(here: str) -> None:
    """Each difference has its example and both lines; what changes beside access is there, too."""
    status, output, complaints = ask("diff", "old.txt", "new.txt", cwd=here)
    assert (status, complaints) == (1, "")
    head, star, named = output.strip().split("\n\n")
    assert head.splitlines() == [
        "Stricter and laxer for 2 groups of robots.",
        "- old.txt",
        "+ new.txt",
    ]
    assert star.splitlines() == [
        "Every other robot (*): laxer",
        "  now allows /private",
        "    before  line 2: Disallow: /private",
        "    after   no rule matches",
    ]
    assert named.splitlines()[0] == "GPTBot: stricter and laxer"
    assert "    after   line 6: Disallow: /b" in named.splitlines()
    assert "  Crawl-delay: - 10" in named.splitlines()


def test_equal_files_are_the_same(here: str) -> None:
    """The exit status is 0, in every form."""
    for form in ([], ["--json"], ["--markdown"], ["--html"], ["--fail-on", "any"]):
        status, output, complaints = ask("diff", "old.txt", "old.txt", *form, cwd=here)
        assert (status, complaints) == (0, "")
        assert "Both files mean the same for every robot." in output


CONNER = (
    "User-agent: Alfred\nRobot-version: 2.0.0\nAllow: /blackhole/info*\nDisallow: *.shtml\n\n"
    "User-agent: *\nDisallow: /\n"
)


def test_the_same_names_the_dialects_and_says_where_one_differs(tmp_path: Path) -> None:
    """A star at the end means nothing today; in a record of Conner's second version it does."""
    (tmp_path / "a").write_text(CONNER, encoding="utf-8")
    (tmp_path / "b").write_text(CONNER.replace("info*", "info"), encoding="utf-8")
    (tmp_path / "c").write_text(f"{CONNER}# a comment\n", encoding="utf-8")

    def compared(*words: str) -> tuple[int, str, str]:
        return ask("diff", *words, cwd=str(tmp_path))

    every = listed_dialects([one.name for one in goodbot.dialects()])
    status, output, _ = compared("a", "c")
    assert status == 0
    assert output.startswith("Both files mean the same for every robot.\n")
    assert f"Compared for robots of any name, and the same, in {every}." in output
    status, output, _ = compared("a", "b")
    assert status == 1
    others = every.replace("conner1996, ", "")
    first, *_, last = output.splitlines()
    assert first == (f"Both files mean the same in {others}, and differ in the dialect conner1996.")
    assert last == (
        "In the dialect conner1996, https://example.com/ is now allowed for Alfred (before: "
        "Conner's record has Allow lines only, and none of them matches; now: no rule matches)."
    )
    assert (
        "`https://example.com/` is now allowed for `Alfred`" in compared("a", "b", "--markdown")[1]
    )
    assert "https://example.com/ is now allowed for Alfred" in compared("a", "b", "--html")[1]
    status, output, _ = compared("a", "b", "--json")
    (answer,) = (one for one in json.loads(output)["dialects"] if one["same"] is False)
    assert (answer["dialect"], answer["robot"]) == ("conner1996", "Alfred")
    status, _, complaints = compared("a", "b", "--fail-on", "laxer")
    assert (status, "becomes laxer in the dialect conner1996" in complaints) == (1, True)
    status, output, _ = compared("a", "b", "-d", "rfc9309")
    assert status == 0
    assert output.startswith(
        "Both files mean the same for every robot that reads the dialect rfc9309."
    )


@pytest.mark.parametrize(
    ("new", "options", "status"),
    [
        ("laxer.txt", ["--fail-on", "laxer"], 1),
        ("laxer.txt", ["--fail-on", "stricter"], 0),
        ("laxer.txt", ["--fail-on", "any"], 1),
        ("new.txt", ["--fail-on", "stricter"], 1),
    ],
)
def test_a_ci_can_fail_on_one_kind_of_change(
    here: str, new: str, options: list[str], status: int
) -> None:
    """The status is 1 if access changes in that way for some robot, and a note says for which."""
    done, _, complaints = ask("diff", "old.txt", new, *options, cwd=here)
    assert done == status
    assert complaints.startswith(f"note: {' '.join(options)}: " if status else "")
    whom = "GPTBot" if new == "new.txt" else "every other robot (*)"
    assert (f"for {whom}" in complaints) == bool(status)


def test_a_pace_alone_is_a_difference_but_no_change_of_access(tmp_path: Path) -> None:
    """Without --fail-on it counts; --fail-on is about access."""
    (tmp_path / "a").write_text(OLD, encoding="utf-8")
    (tmp_path / "b").write_text(OLD.replace("10", "5"), encoding="utf-8")
    status, output, _ = ask("diff", "a", "b", cwd=str(tmp_path))
    assert status == 1
    assert output.startswith("Robots may fetch the same as before; what else they are asked")
    assert "  Crawl-delay: + 5" in output.splitlines()
    assert ask("diff", "a", "b", "--fail-on", "any", cwd=str(tmp_path))[0] == 0


def test_json_has_everything(here: str) -> None:
    """The object has what the terminal shows, with the whole rules."""
    status, output, _ = ask("diff", "old.txt", "new.txt", "--json", cwd=here)
    found = json.loads(output)
    assert (status, found["effect"], found["different"], found["complete"]) == (
        1,
        "both",
        True,
        True,
    )
    star = found["robots"][0]
    assert star["names"] == ["*"]
    (difference,) = star["differences"]
    assert difference["path"] == "/private"
    assert difference["before"]["rule"]["line"] == 2
    assert difference["after"] == {"allowed": True, "reason": "no-rule-matches", "rule": None}


@pytest.mark.parametrize("form", ["--markdown", "--html", "--json", None])
def test_foreign_text_has_no_meaning_in_any_form(tmp_path: Path, form: str | None) -> None:
    """Lines, paths and names are escaped for the form in which they are shown."""
    odd = "<script>alert(1)</script>|`x`**b**\x1b[31m"
    text = f"User-agent: {odd}\nDisallow: /{odd}\nComment: @everyone {odd}\n"
    (tmp_path / "a|`<b>").write_bytes(text.encode())
    (tmp_path / "empty").write_bytes(b"User-agent: *\nAllow: /\n")
    words = [form] if form else []
    status, output, _ = ask("diff", "empty", "a|`<b>", *words, cwd=str(tmp_path))
    assert status == 1
    assert "\x1b" not in output
    if form == "--html":
        assert "<script" not in output
    if form == "--markdown":
        for line in output.splitlines():
            if line.startswith("|"):
                assert line.count("|") - line.count("\\|") == 5
            outside = without_code(line)
            assert "<" not in outside
            assert "@" not in outside


def without_code(line: str) -> str:
    """Return a line of Markdown without its code spans (CommonMark 0.31, section 6.1)."""
    kept, at = "", 0
    while at < len(line):
        if line[at] != "`":
            kept += line[at]
            at += 1
            continue
        end = at
        while line[end : end + 1] == "`":
            end += 1
        fence, close = line[at:end], end
        while True:
            close = line.find(fence, close)
            assert close >= 0, line
            after = close
            while line[after : after + 1] == "`":
                after += 1
            if after - close == len(fence):
                break
            close = after
        at = after
    return kept


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("content", "form", "tried"),
    [
        (b"/private\n/b/1\n# no\n\nhttps://example.com/c\nodd one\n", "list", 3),
        (
            (
                b'::1 - - [10/Oct/2000:13:55:36 -0700] "GET /private HTTP/1.1" 200 1 "-" "b/1"\n'
                b'a.example:443 ::1 - bob [x] "HEAD /b/1?q=1 HTTP/2.0" 200 1\n'
                b'::1 - - [x] "\\x16\\x03" 400 0\n'
                b'::1 - - [x] "GET /c HTTP/1.0" 200 1\n'
            ),
            "log",
            3,
        ),
        (
            (
                b"<?xml version='1.0'?><urlset><url><loc>https://example.com/private</loc></url>"
                b"<url><loc>https://example.com/b/1</loc></url><url><loc>https://example.com/c</loc>"
                b"</url></urlset>"
            ),
            "sitemap",
            3,
        ),
    ],
)
def test_urls_are_tried(
    here: str, tmp_path: Path, content: bytes, form: str, tried: int, *, packed: bool
) -> None:
    """A list, a log and a sitemap have the same URLs, compressed or not."""
    (tmp_path / "urls").write_bytes(gzip.compress(content) if packed else content)
    words = ("diff", "old.txt", "new.txt", "--urls", "urls")
    found = json.loads(ask(*words, "--json", cwd=here)[1])
    assert (found["urls"]["form"], found["urls"]["tried"]) == (form, tried)
    assert found["urls"]["skipped"] == (0 if form == "sitemap" else 1)
    star, named = found["robots"][0]["urls"], found["robots"][1]["urls"]
    assert (star["newly_allowed"], star["newly_disallowed"]) == (1, 0)
    assert star["allowed_examples"][0].endswith("/private")
    assert (named["newly_allowed"], named["newly_disallowed"]) == (1, 1)
    output = ask(*words, cwd=here)[1]
    assert "  1 newly allowed" in output.splitlines()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no URLs"),
        (b"noise\n", "has no URLs"),
        (gzip.compress(b"/a\n" * 9000, mtime=0)[:-20], "is damaged gzip"),
        (b"\x1f\x8b\x08", "is damaged gzip"),
        (b"\x1f\x8bno gzip at all", "is damaged gzip"),
        (b"/" + b"a" * 3_000_000 + b"\nnoise", "has no URLs"),
        (
            b"<sitemapindex><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>",
            "is an index of sitemaps",
        ),
    ],
)
def test_input_without_urls_is_refused(
    here: str, tmp_path: Path, content: bytes, said: str
) -> None:
    """A count of nothing would look like a result."""
    (tmp_path / "urls").write_bytes(content)
    status, output, complaints = ask("diff", "old.txt", "new.txt", "--urls", "urls", cwd=here)
    assert (status, output) == (2, "")
    assert said in complaints


def run_git(folder: str, *words: str) -> None:
    """Run git in a folder, with no settings of the developer."""
    subprocess.run(  # noqa: S603  no shell
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words],  # noqa: S607
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_a_revision_is_compared_with_the_file(here: str) -> None:
    """git:REVISION:PATH is the file in a commit; a revision without it allows everything."""
    run_git(here, "init", "-q", "-b", "main")
    run_git(here, "commit", "-q", "--allow-empty", "-m", "empty")
    run_git(here, "add", "old.txt")
    run_git(here, "commit", "-q", "-m", "a file")
    assert ask("diff", "git:main:old.txt", "old.txt", cwd=here)[0] == 0
    assert ask("diff", "git:HEAD:./old.txt", "laxer.txt", "--fail-on", "laxer", cwd=here)[0] == 1
    status, output, complaints = ask("diff", "git:HEAD~1:old.txt", "old.txt", cwd=here)
    assert (status, output.partition("\n")[0]) == (1, "Stricter for 1 group of robots.")
    assert "git:HEAD~1:old.txt has no robots.txt, so everything is allowed there" in complaints
    gate = ask("diff", "git:main:typo.txt", "old.txt", "--fail-on", "laxer", cwd=here)
    assert (gate[0], "git:main:typo.txt does not exist" in gate[2]) == (2, True)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("git:nowhere:old.txt", "this repository has no revision 'nowhere'; 'git log' and"),
        ("git:--output=x:old.txt", "'--output=x' is not a revision"),
        ("git::old.txt", "'' is not a revision"),
        ("git:HEAD", "git:HEAD names no file"),
        ("git:HEAD:folder", "is not a file in that revision"),
    ],
)
def test_what_git_does_not_know_is_refused(
    here: str, tmp_path: Path, named: str, said: str
) -> None:
    """A wrong revision is not an empty file, and never an option of git."""
    run_git(here, "init", "-q", "-b", "main")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("x", encoding="utf-8")
    run_git(here, "add", "folder")
    run_git(here, "commit", "-q", "-m", "a folder")
    status, output, complaints = ask("diff", named, "old.txt", cwd=here)
    assert (status, output) == (2, "")
    assert said in complaints
    assert "fatal" not in complaints
    assert not (tmp_path / "x").exists()


def test_a_folder_without_a_repository_is_said_to_have_none(here: str) -> None:
    """The message says what to do, and not what git said."""
    status, _, complaints = ask("diff", "git:HEAD:old.txt", "old.txt", cwd=here)
    assert status == 2
    assert complaints.startswith("Error: there is no git repository here; run goodbot in one")


def test_without_git_the_message_says_so(here: str) -> None:
    """It names what is missing, and what to do instead."""
    env = {"PATH": here}
    status, _, complaints = ask("diff", "git:HEAD:old.txt", "old.txt", cwd=here, env=env)
    assert status == 2
    assert "git is not installed or not on the PATH" in complaints


def test_a_live_site_is_fetched(here: str) -> None:
    """Its robots.txt is compared; one without any allows everything, and one that fails nothing."""
    with open_site(always(200, OLD.encode())) as site:
        words = ("diff", f"{site.origin}/any/page", "old.txt", "--allow-private")
        assert ask(*words, cwd=here)[0] == 0
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
    with open_site(always(404, b"")) as site:
        status, output, complaints = ask(
            "diff", site.origin, "old.txt", "--allow-private", cwd=here
        )
        assert (status, output.partition("\n")[0]) == (1, "Stricter for 1 group of robots.")
        assert "has no robots.txt (robots.txt returned status 404)" in complaints
    with open_site(always(503, b"")) as site:
        failing = ("diff", site.origin, "old.txt", "--allow-private", "--fail-on", "laxer")
        status, output, complaints = ask(*failing, cwd=here)
        assert (status, output) == (2, "")
        assert "there is no result" in complaints


def test_versions_in_a_store_are_compared(here: str, tmp_path: Path) -> None:
    """The newest, the one before, the one at a time, and one by its digest."""
    url, first = "https://a.example/robots.txt", datetime(2026, 1, 1, tzinfo=timezone.utc)
    digest = ""
    with SQLiteStore(tmp_path / "robots.db") as store:
        for day, text in enumerate([OLD, NEW, None]):
            at = first + timedelta(days=day)
            status, body = (404, b"") if text is None else (200, text.encode())
            policy = goodbot.Policy.from_response(url, status, {}, body, now=at)
            store.put("https://a.example", policy.as_record(), at)
        digest = store.history("https://a.example")[0].sha256 or ""
    for named, new, result in (
        ("@-2", "old.txt", 0),
        ("@-1", "new.txt", 0),
        ("@2026-01-01", "old.txt", 0),
        ("@2026-01-02T12:00", "new.txt", 0),
        (f"@{digest[:8]}", "old.txt", 0),
        ("", "old.txt", 1),
    ):
        one = f"store:https://a.example/x{named}"
        assert ask("diff", "--store", "robots.db", one, new, cwd=here)[0] == result, named
    refused: list[tuple[tuple[str, ...], str]] = [
        (("store:https://a.example", "old.txt"), "--store names the store"),
        (("--store", "none.db", "store:https://a.example", "old.txt"), "there is no file none.db"),
        (("--store", "robots.db", "store:https://b.example", "old.txt"), "has no robots.txt of"),
        (("--store", "robots.db", "store:https://a.example@-9", "old.txt"), "no version -9"),
        (("--store", "robots.db", "store:https://a.example@soon", "old.txt"), "names no version"),
    ]
    for odd, said in refused:
        status, _, complaints = ask("diff", *odd, cwd=here)
        assert status == 2
        assert said in complaints
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-", "-"), "standard input can be only one of the two files"),
        (("-", "old.txt", "--urls", "-"), "--urls must name a file"),
        (("old.txt", "none.txt"), "cannot read none.txt"),
        (("old.txt", "new.txt", "--json", "--html"), "choose one"),
        (("old.txt", "page.html"), "HTML"),
        (("-", "old.txt"), "standard input is empty"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    here: str, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    """Nothing is compared with a guess."""
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html><p>Not found", encoding="utf-8")
    status, output, complaints = ask("diff", *words, cwd=here)
    assert (status, output) == (2, "")
    assert said in complaints


@pytest.mark.parametrize("fail_on", [None, "laxer", "stricter", "any"])
def test_undecided_is_no_success(fail_on: str | None) -> None:
    """A search that reaches its bound exits with 2, also with --fail-on, and the output says so."""
    files = (goodbot.RobotsTxt(text) for text in (HARD, f"{HARD}\nAllow: /*a*h*o*zz$"))
    sides = [Side("a", file) for file in files]
    found = compare_files(*(side.file for side in sides), most_states=20)
    assert status_of(found, fail_on) == ExitStatus.MISUSE
    result = DiffResult(sides[0], sides[1], found)
    assert "is undecided" in why_failed(result, fail_on or "any")
    assert "undecided" in result.headline()
    assert not result.as_object()["complete"]
    assert any("reached its bound" in line for line in markdown_lines(result))
    assert "reached its bound" in "".join(html_page(result))


def test_what_is_found_counts_even_if_the_rest_is_undecided() -> None:
    """One laxer path is enough to fail on laxer; that there is no stricter one stays open."""
    before = f"{HARD}\nUser-agent: b\nDisallow: /"
    after = f"{HARD}\nAllow: /*a*h*o*zz$\nUser-agent: b\nAllow: /"
    files = (goodbot.RobotsTxt(text) for text in (before, after))
    found = compare_files(*files, most_states=100)
    assert not found.is_complete
    assert status_of(found, "laxer") == ExitStatus.DISALLOWED
    assert status_of(found, "stricter") == ExitStatus.MISUSE
    assert status_of(found, None) == ExitStatus.DISALLOWED


def test_standard_input_can_be_one_side(here: str) -> None:
    """A pipe can be compared with a file."""
    status, output, _ = ask("diff", "old.txt", "-", given=OLD.encode(), cwd=here)
    assert (status, output.splitlines()[2]) == (0, "+ -")
