"""What a log does not show counts in the robot's favour, and is said."""

from __future__ import annotations

import datetime as dt
import json
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from goodbot.site.audit import COLUMNS
from goodbot.site.audit.files import robot_log
from goodbot.site.logs import open_logs
from tests.support.program import GOODBOT, bare_environment, run
from tests.support.waiting import HANGS, has_read, wait_until
from tests.tables.building.warc_text import response, write_warc

if TYPE_CHECKING:
    from pathlib import Path

SITE = ("--site", "https://example.com")
CLOSED = "User-agent: *\nDisallow: /private\n"
PERSON = "Mozilla/5.0 (X11) Firefox/1"
GPTBOT_ADDRESS = "52.230.152.9"


def line(
    at: str, path: str, status: int = 200, *, ip: str = "203.0.113.5", ua: str = "GPTBot/1"
) -> str:
    """Return a line of Combined."""
    time_of = dt.datetime.fromisoformat(at).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'{ip} - - [{time_of}] "GET {path} HTTP/1.1" {status} 100 "-" "{ua}"\n'


BASE = line("2026-02-20T00:00:00", "/", ua=PERSON)


def caddy(at: str, path: str, status: int = 200, *, retry: str = "", ua: str = "SlowBot/1") -> str:
    """Return a line of Caddy."""
    seconds = dt.datetime.fromisoformat(f"{at}+00:00").timestamp()
    request = {"remote_ip": "203.0.113.5", "method": "GET", "host": "example.com", "uri": path,
               "headers": {"User-Agent": [ua]}}  # fmt: skip
    headers = {"Retry-After": [retry]} if retry else {}
    return json.dumps({
        "level": "info", "ts": seconds, "logger": "http.log.access", "msg": "handled request",
        "request": request, "size": 23, "status": status, "resp_headers": headers,
    }) + "\n"  # fmt: skip


def audit(
    folder: Path, log: str, *words: str, files: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Run the command on a log; return its status, its output in one line, and its messages."""
    (folder / "access.log").write_text(log, encoding="utf-8")
    for name, content in ({"v/2026-01-01.txt": CLOSED} | (files or {})).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    sources = () if "--policy" in words else ("--policy", "v")
    env = bare_environment(XDG_CACHE_HOME=str(folder / "cache"))
    done = run("audit", "access.log", *sources, *SITE, *words, env=env, cwd=folder)
    return done.returncode, " ".join(done.stdout.decode().split()), done.stderr.decode()


def rows(folder: Path, log: str, *words: str, files: dict[str, str] | None = None) -> list[Any]:
    """Return the judged requests of a log."""
    status, _, told = audit(folder, log, *words, "--requests", "rows.jsonl", files=files)
    assert status == 0, told
    return [json.loads(one) for one in (folder / "rows.jsonl").read_text().splitlines()]


def test_the_failure_of_an_unverified_sender_convicts_no_verified_robot(tmp_path: Path) -> None:
    """Somebody else may have asked for robots.txt under its name."""
    log = BASE + line("2026-03-10T09:00:00", "/robots.txt", 503, ip="10.0.0.1")
    log += line("2026-03-10T09:10:00", "/ok", ip=GPTBOT_ADDRESS)
    found = rows(
        tmp_path, log, "--addresses", "GPTBot=list.txt", files={"list.txt": "52.230.152.0/24\n"}
    )
    assert [(one["identity"], one["reason"]) for one in found] == [
        ("unverifiable", "robots-txt-itself"), ("verified", "rules-allow"),
    ]  # fmt: skip


def test_lines_after_a_gap_have_no_wrong_clock(tmp_path: Path) -> None:
    """Months between two parts of a log are no fault of a clock; each part is judged by itself."""
    log = "".join(line(f"2026-03-{day:02}T00:00:00", "/") for day in range(1, 9))
    later = "".join(line(f"2026-09-10T0{hour}:00:00", "/private") for hour in range(3))
    _, printed, _ = audit(tmp_path, log + later)
    assert "3 lines are apart from all others (2026-09-10 02:00:00 UTC)" in printed
    assert "a part of the log may be missing" in printed
    assert "as a wrong clock writes" not in printed


def test_what_is_not_judged_says_how_much_was_disallowed(tmp_path: Path) -> None:
    """A robot that does not claim to obey is not accused, and its requests are still counted."""
    log = BASE + line("2026-03-12T00:00:00", "/private", ua="Bytespider")
    log += line("2026-03-12T00:00:01", "/private/a", ua="Bytespider")
    log += line("2026-03-12T00:00:02", "/", ua="Bytespider")
    _, printed, _ = audit(tmp_path, log)
    assert "Bytespider: 3 requests, 2 of them disallowed by robots.txt." in printed
    [robot] = json.loads(audit(tmp_path, log, "--json")[1])["robots"]
    assert robot["unclaimed_disallowed"] == 2


def test_the_option_that_decides_is_named(tmp_path: Path) -> None:
    """What is unknown because the log begins may be known with another option, or another log."""
    log = line("2026-03-10T00:00:00", "/") + line("2026-03-10T03:00:00", "/private")
    _, printed, _ = audit(tmp_path, log)
    assert "2 requests are unknown because a robot may use a copy" in printed
    assert "state its max-age with --max-age" in printed
    assert "--policy" not in printed.partition("2 requests are unknown")[2]
    found = rows(tmp_path, log, "--max-age", "1h")
    assert [one["outcome"] for one in found] == ["unknown", "violation"]


def test_no_batch_of_a_log_stays_in_memory(tmp_path: Path) -> None:
    """What is kept of the rows has no column of the batch, which would keep its long texts, too."""
    log = tmp_path / "access.log"
    log.write_text("".join(line("2026-03-10T00:00:00", f"/{n}{'a' * 7_000}") for n in range(900)))
    [batch] = list(open_logs([log]).requests())
    table = pa.table(batch)
    tables: list[Any] = []
    begin = pa.total_allocated_bytes()
    names = [*COLUMNS, *robot_log.FURTHER]
    rows = table.select(names).set_column(
        names.index("target"), "target", pa.array(["/"] * table.num_rows)
    )
    robot_log.add_table(tables, rows)
    places = {buffer.address for column in tables[0].columns for chunk in column.chunks
              for buffer in chunk.buffers() if buffer is not None}  # fmt: skip
    foreign = {buffer.address for column in table.columns for chunk in column.chunks
               for buffer in chunk.buffers() if buffer is not None}  # fmt: skip
    assert not places & foreign
    assert pa.total_allocated_bytes() - begin < 900 * 200


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_long_targets_are_kept_up_to_so_many_bytes(
    parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more, the beginnings are kept, in whatever tables they come; short ones are whole."""
    monkeypatch.setattr(robot_log, "MOST_LONG_BYTES", 10 * 2_000)
    rows = [f"/{number:02}{'a' * 1_997}" for number in range(20)] + ["/short"] * 20
    mixed = [target for pair in zip(rows[:20], rows[20:], strict=True) for target in pair]
    targets, kept = robot_log.LongTargets(), list[str]()
    for start in range(parts):
        table = pa.table({"line": mixed[start::parts], "target": mixed[start::parts]})
        kept += targets.limit_targets(table).column("target").to_pylist()
    assert [one for one in kept if one == "/short"] == ["/short"] * 20
    assert sum(one.startswith("/") and len(one) == 2_000 for one in kept) == 10
    assert sum(one.startswith("\u2026/") and len(one) == 201 for one in kept) == 10


def test_a_line_with_a_wrong_clock_does_not_say_when_the_log_begins(tmp_path: Path) -> None:
    """What is unknown without it stays so, wherever the line stands; a note counts such lines."""
    log = BASE + line("2026-02-20T09:10:00", "/private")
    wrong = line("1970-01-01T00:00:00", "/", ua=PERSON) + line("2099-01-01T00:00:00", "/private")
    for mixed in (wrong + log, log + wrong):
        found = rows(tmp_path, mixed)
        assert [one["reason"] for one in found] == ["log-begins", "outside-the-log"]
    _, printed, _ = audit(tmp_path, wrong + log)
    assert (
        "2 lines have times far from all others (1970-01-01 00:00:00 UTC and 2099-01-01" in printed
    )
    assert "2026-02-20 00:00:00 UTC to 2026-02-20 09:10:00 UTC" in printed
    audit(tmp_path, wrong + log, "--html", "a.html")
    drawn = (tmp_path / "a.html").read_text(encoding="utf-8").partition("<h2>Robots")[0]
    assert "unknown: 2" in drawn
    assert drawn.count("<rect") == 2  # one in the time line, and one of the robot
    loaded = json.loads(audit(tmp_path, log + wrong, "--json")[1])["log"]
    assert (loaded["outside"], loaded["begins"]) == (2, "2026-02-20T00:00:00+00:00")


@pytest.mark.parametrize(
    ("made", "outcomes", "said"),
    [
        ("2027-03-05T12:00:00", ["unverifiable", "unverifiable"], "after the log ends"),
        ("2026-03-11T00:00:00", ["unverifiable", "spoofed"], "nothing about requests before that"),
        ("2026-01-05T12:00:00", ["spoofed", "spoofed"], ""),
    ],
)
def test_a_list_shows_nothing_before_its_own_date(
    tmp_path: Path, made: str, outcomes: list[str], said: str
) -> None:
    """A list that is dated after a request does not cover it, and the date is said."""
    log = BASE + line("2026-03-10T09:00:00", "/private") + line("2026-03-12T09:00:00", "/private")
    content = {"creationTime": made, "prefixes": [{"ipv4Prefix": "52.230.152.0/24"}]}
    given = ("--addresses", "GPTBot=list.json")
    files = {"list.json": json.dumps(content)}
    assert [one["identity"] for one in rows(tmp_path, log, *given, files=files)] == outcomes
    printed = audit(tmp_path, log, *given, files=files)[1]
    assert ("the list states the date" in printed, said in printed) == (bool(said), True)


def test_reserved_prefixes_are_not_used(tmp_path: Path) -> None:
    """That is said, and a list that is not whole shows no spoofed name."""
    log = BASE + line("2026-03-10T09:00:00", "/private")
    given = ("--addresses", "GPTBot=list.txt")
    reserved = {"list.txt": "192.0.2.0/24\n10.0.0.0/8\n"}
    status, _, told = audit(tmp_path, log, *given, files=reserved)
    assert (status, "reserved prefixes are not used" in told) == (2, True)
    partly = {"list.txt": "52.230.152.0/24\n10.0.0.0/8\n"}
    assert [one["identity"] for one in rows(tmp_path, log, *given, files=partly)] == [
        "unverifiable"
    ]
    printed = audit(tmp_path, log, *given, files=partly)[1]
    assert "1 prefix skipped, such as 10.0.0.0/8 (reserved prefixes are not used)" in printed
    wrong = audit(tmp_path, log, *given, files={"list.txt": "0.0.0.0/0\n"})[2]
    assert "0.0.0.0/0: it is broader than /8" in wrong
    assert "no address or prefix" in audit(tmp_path, log, *given, files={"list.txt": ""})[2]


def test_the_version_that_was_seen_is_named(tmp_path: Path) -> None:
    """Between two answers of an archive, either may have been in force; after that, one was."""
    newer_text = f"{CLOSED}Disallow: /new\n"
    seen = [("2026-02-19", CLOSED), ("2026-03-05", newer_text), ("2026-03-20", newer_text)]
    url, clock = "https://example.com/robots.txt", "T08:00:00+00:00"
    records = [
        response(url, dt.datetime.fromisoformat(day + clock), 200, body.encode())
        for day, body in seen
    ]
    write_warc(tmp_path / "a.warc", records)
    log = BASE + line("2026-03-01T09:00:00", "/private") + line("2026-03-09T09:00:00", "/private")
    older, newer = (one["policy"] for one in rows(tmp_path, log, "--policy", "a.warc"))
    assert older != newer
    printed = audit(tmp_path, log, "--policy", "a.warc")[1]
    assert f"{older}, in force since 2026-02-19 08:00:00 UTC, or else {newer}" in printed
    assert (
        f"{newer}, first seen at 2026-03-05 08:00:00 UTC, and in force since "
        "2026-02-19 08:00:00 UTC at the earliest"
    ) in printed


def test_another_port_is_another_site(tmp_path: Path) -> None:
    """A note says how many requests that are, and how to judge them; a proxy speaks to port 80."""
    log = f"example.com:443 {BASE}"
    log += f"example.com:8080 {line('2026-03-10T09:00:00', '/private')}"
    log += f"example.com:80 {line('2026-03-10T09:00:00', '/private')}"
    assert [one["reason"] for one in rows(tmp_path, log)] == ["no-request-seen"]
    printed = audit(tmp_path, log)[1]
    assert "1 request to another port than that of https://example.com not judged" in printed
    cure = "name port 8080 with --server-port; if it is another site, name http://example.com:8080 "
    assert f"{cure}with --site" in printed
    ports = ("--server-port", "8080")
    assert [one["reason"] for one in rows(tmp_path, log, *ports)] == ["no-request-seen"] * 2


def test_a_request_by_http_belongs_to_the_site_of_http(tmp_path: Path) -> None:
    """A note says how to judge it, also in JSON."""
    log = BASE + line("2026-03-10T09:00:00", "http://example.com/private")
    printed = audit(tmp_path, log)[1]
    assert "1 request by http and not https, as https://example.com is named, not judged" in printed
    assert "to judge them, too, name http://example.com with --site" in printed
    notes = json.loads(audit(tmp_path, log, "--json")[1])["notes"]
    assert any("by http and not https" in note for note in notes)
    assert rows(tmp_path, log) == []


def test_retry_after_is_judged_where_the_log_has_it(tmp_path: Path) -> None:
    """A request within the time that the server asked for is too fast; the clock counts for it."""
    log = caddy("2026-02-20T00:00:00", "/", ua=PERSON)
    log += caddy("2026-03-05T03:00:00", "/a", 429, retry="60")
    log += caddy("2026-03-05T03:00:59", "/b") + caddy("2026-03-05T03:01:00", "/c")
    found = rows(tmp_path, log, "--unknown")
    assert [one["too_fast"] for one in found] == [None, "retry-after", None]
    printed = audit(tmp_path, log, "--unknown")[1]
    assert (
        "SlowBot: too fast, 1 of 2 requests over IPv4 after 1 answer of 429 or 503 over IPv4: line "
        "2 was answered with 429, to wait 60 seconds. Requests came too early"
    ) in printed


def test_what_follows_429_503_and_410_is_shown_everywhere(tmp_path: Path) -> None:
    """In the summary, in the story of the robot, and on the page."""
    log = BASE + line("2026-03-05T03:00:00", "/a", 429) + line("2026-03-05T03:00:11", "/a", 503)
    log += line("2026-03-05T03:01:11", "/gone", 410) + line("2026-03-05T03:02:11", "/gone", 410)
    overloaded = (
        "not judged, 2 answers of 429 or 503 over IPv4: The server asked for fewer requests; how "
        "long it asked to wait is not in the log. The next request came 11 seconds later"
    )
    gone = "not judged, 1 of 1 request over IPv4 after 2 answers of 410 over IPv4: The robot came"
    for words in ((), ("--robot", "GPTBot")):
        printed = audit(tmp_path, log, *words)[1]
        assert overloaded in printed
        assert gone in printed
    audit(tmp_path, log, "--html", "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "The next request came 11 seconds later" in page
    assert "no document forbids that" in page


def test_what_follows_is_shown_once_for_both_families(tmp_path: Path) -> None:
    """Not for each family of addresses and for both."""
    log = BASE + line("2026-03-05T03:00:00", "/a", 429)
    log += line("2026-03-05T03:00:11", "/b", 503, ip="2001:db8::1")
    printed = audit(tmp_path, log)[1]
    assert printed.count("of 429 or 503") == 1
    assert "not judged, 2 answers of 429 or 503: The server asked" in printed


def test_a_visit_outside_the_hours_is_called_so(tmp_path: Path) -> None:
    """It is not too fast, and the sums of the table are those of the rows."""
    policy = {"v/2026-01-01.txt": "User-agent: *\nCrawl-delay: 10\nVisit-time: 0200-0400\n"}
    log = BASE + "".join(
        line(f"2026-03-05T12:00:{at:02}", f"/{at}", ua="SlowBot/1") for at in (0, 20, 22, 50)
    )
    found = rows(tmp_path, log, "--unknown", files=policy)
    assert [one["too_fast"] for one in found] == [
        "visit-time", "visit-time", "crawl-delay visit-time", "visit-time",
    ]  # fmt: skip
    printed = audit(tmp_path, log, "--unknown", files=policy)[1]
    assert "SlowBot: outside the hours, 4 of 4 requests over IPv4" in printed
    assert "Requests came outside the hours that the site asks for" in printed
    [robot] = json.loads(audit(tmp_path, log, "--unknown", "--json", files=policy)[1])["robots"]
    assert robot["too_fast"] == sum(one["too_fast"] is not None for one in found) == 4


def test_the_life_of_a_copy_can_be_declared(tmp_path: Path) -> None:
    """Where files and repositories do not state Cache-Control, --max-age does."""
    files = {"v/2026-03-05T080000Z.txt": "User-agent: *\nDisallow: /new\n"}
    log = BASE + line("2026-03-05T07:00:00", "/robots.txt") + line("2026-03-05T10:00:00", "/new")
    for age, reason in (
        ("7d", "held-copy-allows"),
        ("2h", "copy-expired"),
        ("3600", "copy-expired"),
    ):
        found = rows(tmp_path, log, "--max-age", age, files=files)
        assert [one["reason"] for one in found] == ["robots-txt-itself", reason]
    assert "'1 week' is not a duration" in audit(tmp_path, log, "--max-age", "1 week")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--policy", ""), "--policy '' names no robots.txt"),
        (("--policy", "git:"), "--policy 'git:' names no robots.txt"),
        (("--requests", "a.jsonl", "--requests", "b.parquet"), "--requests was given 2 times"),
        (("--html", "a.html", "--html", "b.html"), "--html was given 2 times"),
        (("--server-port", "0"), "0 is not in the range"),
    ],
)
def test_what_would_be_dropped_is_refused(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    """Neither an empty source nor one of two files is taken silently."""
    status, _, told = audit(tmp_path, BASE, *words)
    assert (status, said in " ".join(told.split())) == (2, True), told


def test_a_log_without_user_agents_acquits_nobody(tmp_path: Path) -> None:
    """Also where it is JSON."""
    log = json.dumps({
        "ClientHost": "203.0.113.5", "DownstreamStatus": 200, "RequestHost": "example.com",
        "RequestMethod": "GET", "RequestPath": "/a", "StartUTC": "2026-02-20T20:55:36Z",
    })  # fmt: skip
    printed = audit(tmp_path, log + "\n")[1]
    assert "The log has no User-Agent, so nothing is known of robots." in printed
    assert "no request has a User-Agent, so that no robot is known;" in printed
    assert "No known robot" not in printed


def test_a_robot_with_spoofed_requests_only_was_sent_no_bytes(tmp_path: Path) -> None:
    """That is known, and not unknown."""
    log = BASE + line("2026-03-10T09:00:00", "/private")
    files = {"list.txt": "52.230.152.0/24\n"}
    printed = audit(tmp_path, log, "--addresses", "GPTBot=list.txt", files=files)[1]
    assert "GPTBot 0 0 0 0 0 0 0 0 0 bytes" in printed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has other signals")
def test_a_log_is_followed_until_it_is_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends the reading, and the audit is that of what was read, also after a rotation."""
    log = tmp_path / "access.log"
    log.write_text(BASE, encoding="utf-8")
    (tmp_path / "v").mkdir()
    (tmp_path / "v/2026-01-01.txt").write_text(CLOSED, encoding="utf-8")
    words = [
        "audit",
        "access.log",
        "--policy",
        "v",
        *SITE,
        "--follow",
        "--json",
        "--fail-on",
        "violation",
    ]
    env = bare_environment(XDG_CACHE_HOME=str(tmp_path / "cache"))
    with subprocess.Popen(  # noqa: S603  the program itself
        [*GOODBOT, *words], env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stderr is not None
        assert b"Ctrl-C ends that" in program.stderr.readline()
        with log.open("a", encoding="utf-8") as file:
            file.write(line("2026-03-10T09:00:00", "/private"))
        wait_until(lambda: has_read(program.pid, log))
        log.rename(tmp_path / "access.log.1")
        log.write_text(line("2026-03-10T10:00:00", "/ok"), encoding="utf-8")
        wait_until(lambda: has_read(program.pid, log))
        program.send_signal(signal.SIGINT)
        printed, told = program.communicate(timeout=HANGS)
    assert (program.returncode, b"found violation" in told) == (1, True), told
    [robot] = json.loads(printed)["robots"]
    assert robot["outcomes"] == {"allowed": 1, "violation": 1}


def test_standard_input_is_not_followed(tmp_path: Path) -> None:
    """It ends when it ends."""
    done = run("audit", "-", "--policy", "v", *SITE, "--follow", cwd=tmp_path)
    assert (done.returncode, b"name the file" in done.stderr) == (2, True)
