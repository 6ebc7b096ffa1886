"""`goodbot audit`: the log of a week, judged by the robots.txt of a git repository and others."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from goodbot.tables.building import build_policies
from tests.support.paths import ROOT
from tests.support.program import GOODBOT, bare_environment, run
from tests.support.waiting import HANGS
from tests.tables.building.warc_text import response, write_warc

EXAMPLE = ROOT / "examples" / "audit"
SITE = ("--site", "https://example.com")
FULL = Path("/dev/full")
OLD, NEW = "2026-02-20", "2026-03-05T080000Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the example, with nothing in the user's cache."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    return tmp_path / "example"


def audit(folder: Path, *words: str | Path, given: bytes = b"") -> tuple[int, str, str]:
    """Run the command in a folder; return its status, output and messages."""
    env = bare_environment(XDG_CACHE_HOME=str(folder / "cache"))
    done = run("audit", *words, env=env, cwd=folder, given=given)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def found(folder: Path, *words: str | Path) -> dict[str, Any]:
    """Return the object of the example's log."""
    status, printed, told = audit(folder, "access.log", *words, *SITE, "--json")
    assert status == 0, told
    loaded: dict[str, Any] = json.loads(printed)
    return loaded


def robots_in(audited: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the robots of an object by name."""
    return {one["robot"]: one for one in audited["robots"]}


def git(folder: Path, *words: str, at: str) -> None:
    """Run git, as of a time."""
    names = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(  # noqa: S603  no shell
        ["git", *names, *words],  # noqa: S607  the git of the machine
        cwd=folder,
        check=True,
        env={"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "PATH": os.environ["PATH"]},
    )


def test_a_week_is_judged_robot_by_robot(folder: Path) -> None:
    """Each robot does what the example says of it, and nothing is laid on a spoofed name."""
    words = ("--policy", "robots", "--unknown", "--addresses", "GPTBot=gptbot.txt")
    robots = robots_in(found(folder, *words))
    assert {name: one["outcomes"] for name, one in robots.items()} == {
        "DashBot": {"allowed": 26},
        "GPTBot": {"allowed": 56},
        "GrazeBot": {"allowed": 16, "violation": 11},
        "ShelfBot": {"allowed": 38, "late": 6},
    }
    assert robots["GPTBot"]["verified"] == robots["GPTBot"]["requests"] == 56
    assert robots["GPTBot"]["spoofed"] == {"requests": 12, "addresses": 1}
    assert robots["GrazeBot"]["reasons"]["no-request-seen"] == 11
    assert {name: one["too_fast"] for name, one in robots.items() if one["too_fast"]} == {
        "DashBot": 24
    }


def test_without_the_operators_list_the_name_counts_as_it_is_given(folder: Path) -> None:
    """Nothing is verified, nothing spoofed; what the log says is judged under the name."""
    robots = robots_in(found(folder, "--policy", "robots"))
    assert list(robots) == ["GPTBot"]
    assert robots["GPTBot"]["spoofed"]["requests"] == robots["GPTBot"]["verified"] == 0
    assert robots["GPTBot"]["outcomes"]["violation"] == 12


def test_the_summary_has_a_row_for_each_robot_and_says_why(folder: Path) -> None:
    """What could not be read is shown, with its address hidden unless it is asked for."""
    words = ("access.log", "--policy", "robots", *SITE, "--unknown")
    status, printed, told = audit(folder, *words, "--addresses", "GPTBot=gptbot.txt")
    assert (status, told) == (0, "")
    lines = printed.splitlines()
    assert lines[0] == ("access.log: 286 lines, 2026-03-02 06:00:00 UTC to 2026-03-08 17:46:19 UTC")
    rows = {line.split()[0]: line.split()[1:9] for line in lines[5:9]}
    assert rows["GrazeBot"] == ["27", "0", "16", "0", "11", "0", "0", "0"]
    assert rows["GPTBot"] == ["56", "56", "56", "0", "0", "0", "0", "0"]
    assert all(len(line) <= 80 for line in lines[3:9])
    assert 'line 3, "Disallow: /reviews/", of robots.txt 2923af13b743' in printed
    assert "GPTBot: 12 requests from 1 address: no list of the operator had" in printed
    assert "line 201, not in the format of the log: (address) - - [06/Mar/2026" in printed
    assert "203.0.113." not in printed
    assert "203.0.113." in audit(folder, *words, "--whole-addresses")[1]


def test_lines_of_several_logs_and_proxies_without_a_field_are_told(folder: Path) -> None:
    """An unread line names its file, and an option that changes nothing says so."""
    text = (folder / "access.log").read_text(encoding="utf-8")
    (folder / "older.log").write_text(text, encoding="utf-8")
    words = ("access.log", "older.log", "--policy", "robots", *SITE)
    assert "line 201 of access.log, not in the format" in audit(folder, *words)[1]
    unread = json.loads(audit(folder, *words, "--json")[1])["log"]["unread"]
    assert {one["source"] for one in unread} == {"access.log", "older.log"}
    note = "--proxies has no effect: no request of a robot states X-Forwarded-For"
    assert note not in audit(folder, *words)[1]
    assert note in " ".join(audit(folder, *words, "--proxies", "2")[1].split())


def test_sizes_that_the_log_does_not_state_are_not_zero(folder: Path) -> None:
    """A format of one's own without sizes: null, and a question mark."""
    text = (folder / "access.log").read_text(encoding="utf-8")
    short = re.sub(r'(" \d{3}) (?:\d+|-) "', r'\1 "', text)
    (folder / "access.log").write_text(short, encoding="utf-8")
    own = (
        """$remote_addr - - [$time_local] "$request" $status "$http_referer" "$http_user_agent\""""
    )
    words = ("access.log", "--policy", "robots", *SITE, "--log-format", own)
    assert {one["bytes"] for one in json.loads(audit(folder, *words, "--json")[1])["robots"]} == {
        None
    }
    assert re.search(r"^GPTBot .* \?$", audit(folder, *words)[1], re.MULTILINE)


def test_times_that_state_no_zone_are_told(folder: Path) -> None:
    """A server that writes its local time would shift what is judged by hours."""
    text = (folder / "access.log").read_text(encoding="utf-8")
    note = "state no time zone and are read as UTC"
    words = ("access.log", "--policy", "robots", *SITE)
    assert note not in " ".join(audit(folder, *words)[1].split())
    (folder / "access.log").write_text(text.replace(" +0000]", "]"), encoding="utf-8")
    own = (
        '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent '
        '"$http_referer" "$http_user_agent"'
    )
    told = " ".join(audit(folder, *words, "--log-format", own)[1].split())
    assert f"the times of 285 requests {note}" in told


def test_every_kind_of_source_gives_the_same_answer(folder: Path) -> None:
    """A repository, files with dates, folders, and what was received until the log's end."""
    contents = [(folder / "robots" / f"{time}.txt").read_bytes() for time in (OLD, NEW)]
    work = folder / "work"
    work.mkdir()
    git(work, "init", "-q", at="2026-02-20T00:00:00Z")
    for content, at in zip(contents, ("2026-02-20T00:00:00Z", "2026-03-05T08:00:00Z"), strict=True):
        (work / "robots.txt").write_bytes(content)
        git(work, "add", ".", at=at)
        git(work, "commit", "-qm", "a version", at=at)
    sites = folder / "sites" / "example.com"
    shutil.copytree(folder / "robots", sites)
    expected = robots_in(found(folder, "--policy", "robots"))
    for words in (
        ["--policy", "git:work/robots.txt"],
        ["--policy", "sites"],
        ["--policy", f"robots/{NEW}.txt@{NEW}", "--policy", f"robots/{OLD}.txt@{OLD}"],
    ):
        assert robots_in(found(folder, *words)) == expected


def test_received_answers_are_known_until_the_last_of_them(folder: Path) -> None:
    """Of WARC files and a table of policies the same; between two answers nothing is laid on it."""
    from datetime import datetime, timezone  # noqa: PLC0415  for this test only

    url = "https://example.com/robots.txt"
    contents = [(folder / "robots" / f"{time}.txt").read_bytes() for time in (OLD, NEW)]
    days = [datetime(2026, 3, day, tzinfo=timezone.utc) for day in (1, 7)]
    warcs = [
        write_warc(folder / f"{day:%d}.warc.gz", [response(url, day, 200, content)])
        for day, content in zip(days, contents, strict=True)
    ]
    audited = found(folder, "--policy", "01.warc.gz", "--policy", "07.warc.gz")
    [history] = audited["policies"]
    assert (history["known_from"][:10], history["known_until"][:10]) == ("2026-03-01", "2026-03-07")
    reasons = robots_in(audited)["GPTBot"]["reasons"]
    assert reasons["no-policy-known"] == 14
    build_policies(warcs, folder / "both.parquet")
    again = found(folder, "--policy", "both.parquet")
    assert robots_in(again) == robots_in(audited)


@pytest.mark.parametrize(
    ("address", "outcome"), [("52.230.152.9", "late"), ("192.0.2.9", "violation")]
)
def test_robots_txt_may_be_fetched_by_the_operator_under_any_name(
    folder: Path, address: str, outcome: str
) -> None:
    """The copy that a browser's name received counts, if its address is the operator's."""
    lines = (
        ("192.0.2.1", "02/Mar/2026:00:00:00", "/", "Mozilla/5.0"),
        (address, "05/Mar/2026:07:00:00", "/robots.txt", "Mozilla/5.0 (X11)"),
        ("52.230.152.7", "05/Mar/2026:11:00:00", "/reviews/1", "GPTBot/1.3"),
    )
    (folder / "access.log").write_text(
        "".join(f'{one} - - [{at} +0000] "GET {path} HTTP/1.1" 200 9 "-" "{agent}"\n'
                for one, at, path, agent in lines)
    )  # fmt: skip
    words = ("--policy", "robots", "--addresses", "GPTBot=gptbot.txt")
    outcomes = robots_in(found(folder, *words))["GPTBot"]["outcomes"]
    assert {name: count for name, count in outcomes.items() if count} == {outcome: 1}


def test_fail_on_is_the_exit_status(folder: Path) -> None:
    """1 if it was found, 0 if not; a spoofed name is no violation."""
    words = ("access.log", "--policy", "robots", *SITE)
    own = ("--addresses", "GPTBot=gptbot.txt")
    assert audit(folder, *words, *own, "--fail-on", "violation")[0] == 0
    status, _, told = audit(folder, *words, *own, "--fail-on", "spoofed", "--fail-on", "late")
    assert (status, told) == (1, "note: --fail-on: found spoofed\n")
    every = [word for name in ("violation", "late", "too-fast") for word in ("--fail-on", name)]
    status, _, told = audit(folder, *words, *own, "--unknown", *every)
    assert (status, told) == (1, "note: --fail-on: found violation, late, too-fast\n")


def test_a_log_from_a_pipe_or_in_several_files_is_the_same_log(folder: Path) -> None:
    """With several files, a line has its file."""
    words = ("--policy", "robots", *SITE, "--unknown")
    whole = audit(folder, "access.log", *words, "--json")[1]
    log = (folder / "access.log").read_bytes()
    status, printed, _ = audit(folder, "-", *words, "--json", given=log)
    assert status == 0
    assert json.loads(printed)["robots"] == json.loads(whole)["robots"]
    lines = log.splitlines(keepends=True)
    (folder / "b.log").write_bytes(b"".join(lines[:100]))
    (folder / "a.log").write_bytes(b"".join(lines[100:]))
    status, printed, _ = audit(folder, "[ab].log", *words, "--json")
    assert {one["robot"]: one["reasons"] for one in json.loads(printed)["robots"]} == {
        one["robot"]: one["reasons"] for one in json.loads(whole)["robots"]
    }
    assert "line 57 of b.log, 2026-03-03" in audit(folder, "[ab].log", *words)[1]


def test_lines_about_other_hosts_are_counted_and_not_judged(folder: Path) -> None:
    """The log says which host a request is about; a missing scheme is either."""
    line = json.dumps({
        "ts": 1772600000,
        "request": {
            "remote_ip": "192.0.2.1", "host": "HOST", "method": "GET", "uri": "/",
            "headers": {"User-Agent": ["GPTBot/1.3"]},
        },
        "status": 200,
        "size": 9,
    })  # fmt: skip
    (folder / "caddy.log").write_text(
        "\n".join(line.replace("HOST", host) for host in ("example.com", "b.example"))
    )
    status, printed, _ = audit(folder, "caddy.log", "--policy", "robots", *SITE, "--json")
    audited = json.loads(printed)
    assert (status, audited["log"]["other_hosts"]) == (0, {"b.example": 1})
    assert robots_in(audited)["GPTBot"]["requests"] == 1


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["access.log", "--policy", "robots"], "--site"),
        (["access.log", "--policy", "robots", "--site", "nowhere"], "nowhere"),
        (["access.log", "--policy", "gptbot.txt", *SITE], "since when was gptbot.txt served"),
        (["access.log", "--policy", "missing", *SITE], "no file or folder missing"),
        (["access.log", "--policy", "gptbot.txt@noon", *SITE], "'noon' is not a time"),
        (["missing.log", "--policy", "robots", *SITE], "names no file"),
        (["gptbot.txt", "--policy", "robots", *SITE], "--log-format"),
        (["access.log", "--policy", "robots", *SITE, "--addresses", "GPTBot"], "ROBOT=FILE"),
        (
            ["access.log", "--policy", "robots", *SITE, "--log-format", "nonsense"],
            "is not a format",
        ),
        (["access.log", "--policy", "robots", "--policy", "other", *SITE], "several sources"),
        (["-", "-", "--policy", "robots", *SITE], "name - once"),
        (["empty.log", "--policy", "robots", *SITE], "empty.log is empty"),
        (["access.log", "--policy", "robots", "--site", "ftp://example.com"], "a whole site"),
        (["access.log", "--policy", "robots", "--site", "https://example.com/shop"], "whole site"),
        (["access.log", "--policy", "robots", *SITE, "--html", "access.log"], "is read as well"),
        (
            [
                "*.log",
                "--policy",
                "robots",
                *SITE,
                "--requests",
                "./a.parquet",
                "--html",
                "a.parquet",
            ],
            "is read as well",
        ),
        (
            ["access.log", "--policy", "gptbot.txt@2026-01-01", *SITE, "--html", "gptbot.txt"],
            "is read as well",
        ),
    ],
)
def test_a_mistake_ends_with_2_and_a_cure(folder: Path, words: list[str], cure: str) -> None:
    """Nothing is printed as a result, and what is read stays."""
    (folder / "empty.log").touch()
    before = (folder / "access.log").read_bytes(), (folder / "gptbot.txt").read_bytes()
    (folder / "other" / "example.com").mkdir(parents=True)
    shutil.copy(folder / "robots" / f"{OLD}.txt", folder / "other" / "example.com")
    status, printed, told = audit(folder, *words)
    assert (status, printed) == (2, "")
    assert cure in told
    assert before == ((folder / "access.log").read_bytes(), (folder / "gptbot.txt").read_bytes())


def test_what_the_log_and_the_policies_lack_is_said(folder: Path) -> None:
    """A clean result is not mistaken for an obedient robot."""
    lines = (folder / "access.log").read_text(encoding="utf-8").splitlines()
    common = "\n".join(line.rsplit(' "', 2)[0] for line in lines)
    (folder / "common.log").write_text(common, encoding="utf-8")
    (folder / "own.log").write_text('{"when": 1}\n' * 9, encoding="utf-8")
    words = ("--policy", "robots", *SITE)
    assert "no request has a User-Agent" in " ".join(audit(folder, "common.log", *words)[1].split())
    both = " ".join(audit(folder, "access.log", "own.log", *words)[1].split())
    assert "the format of own.log is not known; name it with --log-format" in both
    late = ("--policy", "gptbot.txt@2027-01-01", *SITE)
    assert "after the log ends" in " ".join(audit(folder, "access.log", *late)[1].split())
    http = ("--policy", "robots", "--site", "http://example.com")
    line = lines[0].replace('"GET /', '"GET https://example.com/', 1).replace("Mozilla", "GPTBot/1")
    (folder / "proxy.log").write_text(line, encoding="utf-8")
    told = " ".join(audit(folder, "proxy.log", *http)[1].split())
    assert "(https://example.com); name one with --site" in told


def test_a_log_without_robots_is_no_failure(folder: Path) -> None:
    """There is nothing to judge, and that is said."""
    log = b"".join(
        line for line in (folder / "access.log").read_bytes().splitlines(keepends=True)
        if b"Gecko/20100101" in line
    )  # fmt: skip
    status, printed, _ = audit(folder, "-", "--policy", "robots", *SITE, given=log)
    assert (status, "No known robot has requested anything" in printed) == (0, True)


def test_the_log_of_the_example_is_what_its_script_writes() -> None:
    """The script always writes the same lines."""
    script = runpy.run_path(str(EXAMPLE / "make_log.py"))
    assert script["log_text"]() == (EXAMPLE / "access.log").read_text(encoding="utf-8")


def test_no_arguments_print_the_help(folder: Path) -> None:
    """As every verb does."""
    status, _, told = audit(folder)
    assert (status, "Usage: goodbot audit" in told) == (2, True)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said(folder: Path) -> None:
    """The result is not lost in silence."""
    words = ("audit", "access.log", "--policy", "robots", *SITE)
    with FULL.open("wb") as full:
        done = run(*words, env=bare_environment(), cwd=folder, stdout=full)
    assert done.returncode == 2
    assert b"No space left" in done.stderr


@pytest.mark.stress
def test_a_reader_that_goes_away_and_an_interruption_end_it(folder: Path) -> None:
    """141 and 130, without a traceback, as of every verb."""
    words = [*GOODBOT, "audit", "-", "--policy", "robots", *SITE]
    env = bare_environment(XDG_CACHE_HOME=str(folder / "cache"))
    log = (folder / "access.log").read_bytes()
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(  # noqa: S603  our own program
        words, input=log, stdout=write, stderr=subprocess.PIPE, check=False, env=env, cwd=folder
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
    waiting = subprocess.Popen(  # noqa: S603  as above
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
        cwd=folder,
    )  # fmt: skip
    assert waiting.stdin is not None
    # More than a block: when all of it is in the pipe, the program reads the log.
    waiting.stdin.write(log * 200)
    waiting.stdin.flush()
    waiting.send_signal(signal.SIGINT)
    printed, told = waiting.communicate(timeout=HANGS)
    assert (waiting.returncode, printed, told.strip()) == (130, b"", b"")


def test_what_robots_txt_says_about_uses_is_counted(folder: Path) -> None:
    """Of pages that were served; refusals, errors, redirects and robots.txt itself are none."""
    (folder / "robots.txt").write_text(
        "User-agent: *\nContent-Signal: ai-train=no, search=yes\n"
        "Content-Signal: /open/ ai-train=yes\nDisallow: /private\n"
    )
    asked = [
        ("/a", 200), ("/a", 304), ("/open/b", 206), ("/c", 402), ("/d", 404), ("/e", 301),
        ("/robots.txt", 200),
    ]  # fmt: skip
    lines = [
        f'192.0.2.1 - - [05/Mar/2026:10:00:{n:02} +0000] "GET {path} HTTP/1.1" {status} 9 "-" '
        '"GPTBot/1.3"'
        for n, (path, status) in enumerate(asked)
    ]
    (folder / "uses.log").write_text("\n".join(lines) + "\n")
    words = ("uses.log", "--policy", f"robots.txt@{OLD}", *SITE)
    gptbot = robots_in(json.loads(audit(folder, *words, "--json")[1]))["GPTBot"]
    assert gptbot["uses"]["train"] == {"allowed": 1, "reserved": 2}
    assert gptbot["uses"]["search"] == gptbot["uses"]["preview"] == {"allowed": 3}
    assert gptbot["uses"]["ground"] == {"unknown": 3}
    assert gptbot["priced"] == 1
    text = " ".join(audit(folder, *words)[1].split())
    assert "GPTBot: train: 2 reserved, 1 allowed; search: 3 allowed" in text
    audit(folder, *words, "--html", "audit.html")
    page = (folder / "audit.html").read_text(encoding="utf-8")
    assert "<h2>Uses</h2>" in page
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /private\n")
    assert robots_in(json.loads(audit(folder, *words, "--json")[1]))["GPTBot"]["uses"] == {}


def test_priced_answers_are_counted(folder: Path) -> None:
    """A robot that was asked for a payment got nothing, whatever robots.txt allows it."""
    (folder / "robots.txt").write_text("User-agent: *\nAllow: /\n")
    lines = [
        f'192.0.2.1 - - [05/Mar/2026:10:00:{number:02} +0000] "GET /{number} HTTP/1.1" '
        f'{status} 5 "-" "GPTBot/1.2"'
        for number, status in enumerate([402, 200, 402])
    ]
    (folder / "priced.log").write_text("\n".join(lines) + "\n")
    words = ("priced.log", "--policy", f"robots.txt@{OLD}", *SITE)
    plain = json.loads(audit(folder, *words, "--json")[1])
    assert robots_in(plain)["GPTBot"]["priced"] == 2
    printed = " ".join(audit(folder, *words)[1].split())
    assert "Priced: answered with 402, and not served GPTBot: 2 requests" in printed
