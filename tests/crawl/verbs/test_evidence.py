"""`goodbot evidence`, `goodbot report skipped` and `goodbot report`: what an auditor reads."""

import json
import shlex
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from goodbot.crawl.verbs.report import open_in_browser
from tests.support import program
from tests.support.crawls.sample_crawl import BUSY, NEWS, SHOP, sample

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of the sample."""
    made = tmp_path_factory.mktemp("crawl")
    sample(made).database.close()
    return str(made)


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the program; give status, output and complaints."""
    done = program.run(*arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# Evidence.


def test_a_refusal_is_told_with_the_line_quoted(folder: str) -> None:
    """The sentence, the file in force, its lines with numbers, and that it is confirmed."""
    status, text, _ = run("evidence", folder, f"{SHOP}/private/diary")
    assert status == 0
    assert 'line 4, "Disallow: /private", is the longest match (group *; dialect rfc9309).' in text
    assert "\n      3 | Crawl-delay: 5\n    > 4 | Disallow: /private\n      5 | " in text
    assert "SHA-256 b1906eaa725b893c1235e9d6f201efb83f9e0471c861b8ba83b1fd777d4238bb" in text
    assert "Re-evaluated today: same result." in text
    assert "Not due for another visit." in text


def test_a_page_is_told_act_by_act(folder: str) -> None:
    """The directives on each act, the request, and the parts that are excepted."""
    _, text, _ = run("evidence", folder, f"{SHOP}/secret")
    assert "index         disallowed   META robots, line 2: noindex (directive-forbids)\n" in text
    assert "follow        allowed      no statement\n" in text
    assert "Requested 2026-01-01 00:00:15 UTC: status 200, 54 bytes" in text
    assert "Due for the next visit from 2026-01-02" in text
    _, text, _ = run("evidence", folder, f"{SHOP}/lamps")
    assert "except 1 of 4 runs of text: data-nosnippet, line 3\n" in text
    assert "except 1 of 1 links: nofollow, line 4\n" in text


def test_a_failure_and_a_deferral_are_told(folder: str) -> None:
    """In the words of the robot."""
    _, text, _ = run("evidence", folder, f"{NEWS}/slow")
    assert "The request failed.\n" in text
    assert "failed: timeout" in text
    _, text, _ = run("evidence", folder, f"{BUSY}/b")
    assert "The visit was deferred.\n" in text
    assert text.count("Until 2026-01-01 00:03:41 UTC.") == 1
    assert "try again" not in text


def test_the_history_as_json(folder: str) -> None:
    """One object on one line; times are ISO 8601."""
    status, text, _ = run("evidence", folder, f"{SHOP}/private/diary", "--json")
    found = json.loads(text)
    assert (status, text.count("\n")) == (0, 1)
    assert found["asks"][0]["verdicts"][0]["line"] == 4
    assert found["asks"][0]["robots_txt"]["first_seen"] == "2026-01-01T00:00:00+00:00"


def test_an_unknown_url_is_told_with_its_neighbours(folder: str) -> None:
    """The status is 1, and what is alike is proposed."""
    status, text, _ = run("evidence", folder, f"{SHOP}/secre")
    assert status == 1
    assert f"{SHOP}/secre" in text
    assert f"  similar: {SHOP}/secret\n" in text
    status, text, _ = run("evidence", folder, f"{SHOP}/secre", "--json")
    assert status == 1
    assert json.loads(text)["near"][0] == f"{SHOP}/secret"


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("evidence", "{folder}"), "name one URL, or write all evidence with --export FILE"),
        (("evidence", "{folder}", "https://a.example/", "--export", "a.jsonl"), "name one URL, or"),
        (("evidence", "{folder}", "--export", "-", "--json"), "--json is for one URL"),
        (("evidence", "{folder}", "--export", "a.csv"), "ends in .parquet or .jsonl"),
        (("evidence", "{folder}", "--export", "/no/such/a.jsonl"), "cannot be written"),
        (("evidence", "{folder}", "secret"), "not an absolute http or https URL"),
        (("evidence", "/no/such", "https://a.example/"), "there is no crawl in /no/such"),
        (
            ("report", "skipped", "/no/such"),
            "in /no/such; start one: goodbot crawl URL --out /no/such",
        ),
        (("report", "/no/such"), "there is no crawl in /no/such"),
        (("report", "{folder}", "-o", "/no/such/report.html"), "cannot be written"),
    ],
)
def test_misuse_tells_the_cure(folder: str, arguments: tuple[str, ...], cure: str) -> None:
    """One line on standard error, with the status 2, and nothing on standard output."""
    status, text, complaint = run(*(one.format(folder=folder) for one in arguments))
    assert (status, text) == (2, "")
    assert cure in complaint
    assert complaint.startswith("Error: ")


def test_the_export_goes_to_a_file_or_to_standard_output(folder: str, tmp_path: Path) -> None:
    """Each has the same lines; a table has a row for each act of them."""
    path = tmp_path / "all.jsonl"
    status, text, _ = run("evidence", folder, "--export", str(path))
    _, lines, _ = run("evidence", folder, "--export", "-")
    assert lines == path.read_text()
    assert (status, text) == (0, f"{path}: {len(lines.splitlines())} lines\n")
    status, text, _ = run("evidence", folder, "--export", str(tmp_path / "all.parquet"))
    verdicts = [one for line in lines.splitlines() for one in json.loads(line)["verdicts"]]
    acts = sum(len(one["acts"]) for one in verdicts)
    assert (status, text.split(": ")[1]) == (0, f"{acts} rows\n")


# Skipped.


def test_what_was_skipped_is_grouped(folder: str) -> None:
    """By origin and reason, with an example and who says so."""
    status, text, _ = run("report", "skipped", folder)
    assert status == 0
    assert (
        f"{SHOP}\n        2  rule-disallows: must not be fetched (robots.txt line 4 and 1 more)\n"
        f"           for example {SHOP}/private/diary\n" in text
    )
    assert "not-reached: is queued for a visit\n" in text
    assert text.endswith("8 URLs not fetched.\n")


def test_what_was_skipped_for_one_reason_is_listed(folder: str) -> None:
    """A line each, or an object each."""
    status, text, _ = run("report", "skipped", folder, "--reason", "rule-disallows", "--urls")
    assert (status, text.count("\n")) == (0, 3)
    assert f"{SHOP}/till  (rule-disallows, robots.txt line 5)\n" in text
    _, text, _ = run("report", "skipped", folder, "--reason", "rule-disallows", "--urls", "--json")
    assert [json.loads(line)["state"] for line in text.splitlines()] == ["disallowed"] * 3
    _, text, _ = run("report", "skipped", folder, "--json")
    *groups, busy, news, shop = map(json.loads, text.splitlines())
    assert sum(one["count"] for one in groups) == 8
    assert (shop["state"], shop["origin"], shop["count"]) == ("answers", SHOP, 6)
    assert shop["answers"] == {"200": 4, "301": 1, "404": 1}
    assert (busy["answers"], news["answers"]) == ({"503": 1}, {"200": 2, "timeout": 1})
    _, text, _ = run("report", "skipped", folder, "--reason", "too-deep")
    assert text.endswith("1 URL not fetched.\n")


def test_a_reason_for_which_nothing_was_skipped_is_told(folder: str) -> None:
    """The status is 1, and the reasons that there are are listed."""
    status, text, _ = run("report", "skipped", folder, "--reason", "no-such")
    assert status == 1
    assert "The reasons are failure-refused, not-reached, retry-after, rule-disallows" in text
    assert run("report", "skipped", folder, "--reason", "no-such", "--json")[:2] == (1, "")


# Report.


def test_the_report_is_written_beside_the_crawl(folder: str, tmp_path: Path) -> None:
    """Or where one wants it; the sentence says whether anybody was early."""
    status, text, _ = run("report", folder)
    assert (status, text) == (
        0,
        f"{folder}/report.html: All 10 follow-up requests kept the required pause.\n",
    )
    page = Path(folder, "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    other = tmp_path / "other.html"
    assert run("report", folder, "-o", str(other))[0] == 0
    assert other.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    status, text, _ = run("report", folder, "-o", "-")
    assert status == 0
    assert text.startswith("<!DOCTYPE html>")
    assert text.endswith("</html>\n")


def test_the_report_is_opened_in_the_browser(folder: str, tmp_path: Path) -> None:
    """It is opened as a file; standard output cannot be opened."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {shlex.quote(str(seen))}\n', encoding="utf-8")
    browser.chmod(0o755)
    page = tmp_path / "a report.html"
    env = {**program.bare_environment(), "BROWSER": str(browser)}
    done = program.run("report", folder, "--open", "-o", str(page), env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert seen.read_text(encoding="utf-8") == page.as_uri()
    status, _, complaint = run("report", folder, "--open", "-o", "-")
    assert status == 2
    assert "--open needs a file" in complaint


def test_without_a_browser_the_message_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report itself is there."""
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    open_in_browser("report.html")
    assert "No browser was found; open report.html" in capsys.readouterr().err


def test_an_early_request_is_told_by_the_status(tmp_path: Path) -> None:
    """A program that watches crawls sees it."""
    crawl = sample(tmp_path)
    with crawl.database.changing() as connection:
        early = "UPDATE requests SET started = started - 1 WHERE url LIKE '%/lamps'"
        connection.execute(early.replace("- 1", "- 1000000"))
    crawl.database.close()
    status, text, _ = run("report", str(tmp_path))
    assert status == 1
    assert "1 of 10 follow-up requests came too early." in text


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize(
    "arguments",
    [
        ("evidence", "{}", f"{SHOP}/"),
        ("evidence", "{}", "--export", "-"),
        ("report", "skipped", "{}"),
    ],
)
def test_a_full_disk_is_told(folder: str, arguments: tuple[str, ...]) -> None:
    """Standard output that takes no more leaves with 2 and one line."""
    words = [one.format(folder) for one in arguments]
    with FULL.open("wb") as full:
        done = program.run(*words, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"Error: the output could not be written: No space left on device\n"


def test_help_does_not_load_the_crawl() -> None:
    """The program stays light until a verb runs."""
    code = (
        "import sys; from goodbot.cli.program import run; run(['evidence', '--help']);"
        "sys.exit('sqlite3' in sys.modules or any(name.startswith('goodbot.crawl.')"
        " and not name.startswith('goodbot.crawl.verbs')"
        " for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603  our own code
    assert done.returncode == 0, done.stderr


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    """A page of the file that was overwritten is no traceback, and no answer."""
    sample(tmp_path).database.close()
    file = tmp_path / "crawl.db"
    content = bytearray(file.read_bytes())
    content[8192:-4096] = bytes(len(content) - 8192 - 4096)
    file.write_bytes(content)
    for words in (("report skipped",), ("report",), ("evidence", f"{SHOP}/")):
        status, _, complaint = run(*words[0].split(), str(tmp_path), *words[1:])
        assert status == 2
        assert complaint.startswith("Error: ")
        assert "Traceback" not in complaint


def test_a_crawl_that_goes_on_can_be_looked_at(tmp_path: Path) -> None:
    """While another connection has changed something and not yet finished."""
    crawl = sample(tmp_path)
    with crawl.database.changing() as connection:
        connection.execute("UPDATE urls SET state = 'failed'")
        status, text, _ = run("report", "skipped", str(tmp_path))
    crawl.database.close()
    assert (status, text.splitlines()[-1]) == (0, "8 URLs not fetched.")
