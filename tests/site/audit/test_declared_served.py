"""What robots.txt declared and the server served: a log made to order has every pair."""

from __future__ import annotations

import datetime as dt
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.history import PolicyTimeline
from goodbot.http.served import DECLARED, SERVED, find_served, pairs
from goodbot.site.audit import audit, judge_requests, write_requests
from goodbot.site.audit.declared_served import MOST_FOLDERS, folder_of, is_challenge, week_of
from goodbot.site.audit.request import ROBOTS_TXT, target_path
from tests.site.audit.test_table_judging import REQUESTS, VERSIONS, table_of
from tests.support.examples import examples
from tests.support.program import bare_environment, run

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.site.audit import Audit

SITE = "https://example.com"
UTC = dt.timezone.utc
KNOWN_SINCE = dt.datetime(2026, 3, 2, tzinfo=UTC)
"""A Monday, and since when robots.txt is known."""
WEEKS = 3
FORMAT = (
    'log_format own \'$remote_addr [$time_local] "$request" $status '
    '"$http_user_agent" "$sent_http_cf_mitigated"\';'
)
ANSWERS = {
    "served": (200, "-"),
    "refused": (403, "-"),
    "challenged": (403, "challenge"),
    "priced": (402, "-"),
    "limited": (429, "-"),
    "failed": (500, "-"),
}
"""How a server answers, by the word for it."""
FOLDERS = ("/shop/", "/news/")
DECLARATIONS = {"allowed": "open", "disallowed": "closed", "unknown": "any"}


def count_of(folder: int, week: int, pair: int) -> int:
    """Return how many requests one pair has in a folder and a week: no two have the same sums."""
    return 1 + (pair * 7 + folder * 3 + week * 5) % 4


def make_log() -> tuple[str, Counter[tuple[str, dt.date, str, str]]]:
    """Return a log with every pair in each folder and week, and what is in it."""
    lines: list[tuple[dt.datetime, str]] = []
    made: Counter[tuple[str, dt.date, str, str]] = Counter()
    for place, (declared, served) in enumerate(pairs()):
        for at, folder in enumerate(FOLDERS):
            for week in range(WEEKS):
                # What is declared is unknown before the first robots.txt is known.
                offset = -WEEKS if declared == "unknown" else 0
                monday = KNOWN_SINCE + dt.timedelta(weeks=week + offset)
                number = count_of(at, week, place)
                made[folder, monday.date(), declared, served] += number
                status, mark = ANSWERS[served]
                for second in range(number):
                    time = monday + dt.timedelta(days=2, minutes=place, seconds=second)
                    target = f"{folder}{DECLARATIONS[declared]}/{second}"
                    lines.append((time, line_of(time, target, status, mark)))
    return "".join(line for _, line in sorted(lines)), made


def line_of(time: dt.datetime, target: str, status: int | str, mark: str = "-") -> str:
    """Return a line of the log."""
    asked = f'192.0.2.1 [{time:%d/%b/%Y:%H:%M:%S %z}] "GET {target} HTTP/1.1"'
    return f'{asked} {status} "GPTBot/1.3" "{mark}"\n'


@pytest.fixture
def made(tmp_path: Path) -> tuple[Audit, Counter[tuple[str, dt.date, str, str]]]:
    """Return the audit of the log, and what the log was made of."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /*/closed/\n", encoding="utf-8")
    text, made = make_log()
    policy = f"{tmp_path / 'robots.txt'}@{KNOWN_SINCE:%Y-%m-%d}"
    return audit(io.BytesIO(text.encode()), policy, SITE, log_format=FORMAT), made


def test_every_pair_is_counted_by_folder_and_week(
    made: tuple[Audit, Counter[tuple[str, dt.date, str, str]]],
) -> None:
    """The sums of the robot are those that the log was made of, and no pair is missing."""
    found, expected = made
    [robot] = found.robots
    counted = Counter(
        {
            (one.folder, one.week, one.declared, one.served): one.requests
            for one in robot.declared_served
        }
    )
    assert counted == expected
    assert set(robot.pairs) == {(declared, served) for declared in DECLARED for served in SERVED}
    [plain] = found.as_dict()["robots"]
    assert sum(one["requests"] for one in plain["declared_served"]) == robot.requests


def test_every_request_has_its_words_in_parquet(
    made: tuple[Audit, Counter[tuple[str, dt.date, str, str]]], tmp_path: Path
) -> None:
    """The rows of the file have the same sums."""
    found, expected = made
    write_requests(found, tmp_path / "a.parquet")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    names = ("folder", "week", "declared", "served")
    counted = Counter(tuple(row[name] for name in names) for row in rows)
    assert counted == {
        (folder, week.isoformat(), declared, served): number
        for (folder, week, declared, served), number in expected.items()
    }
    table = found.result.table
    assert Counter(table.column("declared").to_pylist()) == Counter(row["declared"] for row in rows)
    assert Counter(table.column("served").to_pylist()) == Counter(row["served"] for row in rows)


def test_text_and_page_show_every_pair(tmp_path: Path) -> None:
    """Each pair has its number, and what the site does otherwise than it says has its folders."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /*/closed/\n", encoding="utf-8")
    text, expected = make_log()
    (tmp_path / "access.log").write_text(text, encoding="utf-8")
    policy = f"robots.txt@{KNOWN_SINCE:%Y-%m-%d}"
    words = ("audit", "access.log", "--policy", policy, "--site", SITE, "--log-format", FORMAT)
    done = run(*words, "--html", "a.html", env=bare_environment(), cwd=tmp_path)
    printed = done.stdout.decode()
    sums: Counter[tuple[str, str]] = Counter()
    for (_, _, declared, served), number in expected.items():
        sums[declared, served] += number
    rows = {line.split()[1]: line.split()[2:] for line in printed.splitlines()
            if line.startswith("GPTBot") and line.split()[1] in DECLARED}  # fmt: skip
    assert rows == {declared: [str(sums[declared, served]) for served in SERVED]
                    for declared in DECLARED}  # fmt: skip
    assert f"GPTBot: allowed and refused: {sums['allowed', 'refused']} requests." in printed
    assert f"GPTBot: disallowed and served: {sums['disallowed', 'served']} requests." in printed
    assert "allowed and failed" not in printed
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    for declared, served in pairs():
        assert page.count(f">{declared} and {served}<") == len(FOLDERS) * WEEKS


def test_a_log_without_a_status_says_nothing_of_what_was_served(tmp_path: Path) -> None:
    """The word is null, not a guess."""
    (tmp_path / "robots.txt").write_text("", encoding="utf-8")
    line = line_of(KNOWN_SINCE + dt.timedelta(days=1), "/a", "-")
    policy = f"{tmp_path / 'robots.txt'}@{KNOWN_SINCE:%Y-%m-%d}"
    found = audit(io.BytesIO(line.encode()), policy, SITE, log_format=FORMAT)
    [one] = found.robots[0].declared_served
    assert (one.folder, one.declared, one.served) == ("/", "allowed", None)


def test_many_folders_are_counted_together(tmp_path: Path) -> None:
    """A robot that makes up folders does not make the result grow."""
    (tmp_path / "robots.txt").write_text("", encoding="utf-8")
    log = "".join(line_of(KNOWN_SINCE, f"/{number}/a", 200) for number in range(MOST_FOLDERS + 9))
    policy = f"{tmp_path / 'robots.txt'}@{KNOWN_SINCE:%Y-%m-%d}"
    [robot] = audit(io.BytesIO(log.encode()), policy, SITE, log_format=FORMAT).robots
    assert len(robot.declared_served) == MOST_FOLDERS + 1
    assert {one.folder: one.requests for one in robot.declared_served}["…"] == 9


@examples(100)
@given(REQUESTS, VERSIONS)
def test_a_log_is_declared_as_each_request_is(requests: list[Any], versions: list[Any]) -> None:
    """Twin: what was declared of each row is what each version in force says of it alone."""
    history = PolicyTimeline.declared(SITE, versions)
    result = judge_requests(table_of(requests), [history])
    rows = result.rows
    for log in result.logs:
        states = log.states(result.options)
        for row in log.group.rows:
            path = target_path(rows.target_names[rows.targets[row]])
            in_force = (
                () if states is None else states.at(rows.times[row], rows.identities[row]).in_force
            )
            expected = "unknown"
            if path == ROBOTS_TXT and states is not None:
                expected = "allowed"
            elif path is not None and log.history is not None:
                said: set[bool] = {
                    log.reading.allows(log.history.versions[at], path) for at in in_force
                }
                if len(said) == 1:
                    expected = "allowed" if said.pop() else "disallowed"
            assert result.declared[row] == expected
            status = rows.statuses[row]
            assert result.served[row] == (None if status is None else find_served(status))


@given(st.integers(-(10**16), 10**16))
def test_a_week_begins_on_the_monday_before(time: int) -> None:
    """It is the Monday of the ISO week of that day."""
    day = (dt.datetime(1970, 1, 1, tzinfo=UTC) + dt.timedelta(microseconds=time)).date()
    assert week_of(time) == dt.date.fromisocalendar(*day.isocalendar()[:2], 1)


@given(st.text())
def test_any_target_has_a_folder(target: str) -> None:
    """A target of any content has one, which is not long."""
    assert 1 <= len(folder_of(target)) <= 64


def test_only_an_unsolved_challenge_is_one() -> None:
    """Cloudflare logs challenges that were solved, too (Logpush, Security fields)."""
    assert all(map(is_challenge, ["challenge", "captcha", "jschallenge", "managedChallenge"]))
    solved = ["challengeSolved", "managedChallengeBypassed", "allow", "block", "-", "", None]
    assert not any(map(is_challenge, solved))
