"""`goodbot audit --robot`: what one robot did, with the lines of robots.txt beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.paths import ROOT
from tests.support.program import bare_environment, run

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = ROOT / "examples" / "audit"


def story(robot: str, *words: str, policy: str = "robots") -> tuple[int, str, str]:
    """Run the command on the example; return its status, output and messages."""
    own = ("--addresses", "GPTBot=gptbot.txt", "--unknown", "--site", "https://example.com")
    given = ("audit", "access.log", "--policy", policy, *own, "--robot", robot, *words)
    env = bare_environment(XDG_CACHE_HOME="/nonexistent", COLUMNS="110")
    done = run(*given, env=env, cwd=EXAMPLE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def events(robot: str) -> list[dict[str, object]]:
    """Return what happened, in order."""
    return [json.loads(line) for line in story(robot, "--json")[1].splitlines()]


def test_a_late_robot_held_the_copy_that_it_fetched_before_the_change() -> None:
    """The order tells it: fetched, changed, late, fetched again, allowed."""
    found = events("shelfbot")
    told = [
        (one["event"], one.get("outcome") or one.get("usable_until") or one.get("changes"))
        for one in found[5:10]
    ]
    assert told == [
        ("robots-txt-requested", "2026-03-06T07:40:48+00:00"),
        ("robots-txt-changed", ["+ 3: Disallow: /reviews/"]),
        ("requests", "allowed"),
        ("requests", "late"),
        ("robots-txt-requested", "2026-03-07T07:55:12+00:00"),
    ]
    late = found[8]
    assert (late["lines"], late["requests"], late["rule_line"]) == ([143, 159], 6, 3)
    assert late["digest"] == found[6]["digest"]
    times = [str(one["at"]) for one in found]
    assert times == sorted(times)


def test_the_log_and_robots_txt_stand_side_by_side() -> None:
    """The words are those of the reasons; what was never asked for is said first."""
    status, printed, told = story("GrazeBot")
    assert (status, told) == (0, "")
    assert "No request for robots.txt was seen in this log." in printed.splitlines()
    row = next(line for line in printed.splitlines() if "lines 164 to 167, 4 requests" in line)
    assert row.split()[-2:] == ["2923af13b743", "violation"]
    assert "no-request-seen: No request for robots.txt was seen in this log; what" in printed


def test_spoofed_requests_are_not_judged_in_the_story_of_the_name() -> None:
    """They stand in their place, and are not violations."""
    found = events("GPTBot")
    spoofed = [one for one in found if one.get("reason") == "spoofed"]
    assert sum(int(str(one["requests"])) for one in spoofed) == 12
    assert not [one for one in found if one.get("outcome") == "violation"]
    assert "spoofed: The request does not come from the operator" in story("GPTBot")[1]


def test_lines_of_several_files_name_their_file(tmp_path: Path) -> None:
    """A number alone would be ambiguous; the summary, its JSON and the story name the file."""
    lines = (EXAMPLE / "access.log").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "a.log").write_text("".join(lines[:110]), encoding="utf-8")
    (tmp_path / "b.log").write_text("".join(lines[110:]), encoding="utf-8")
    given = ("audit", "a.log", "b.log", "--policy", f"{EXAMPLE}/robots")
    own = ("--unknown", "--site", "https://example.com")
    env = bare_environment(XDG_CACHE_HOME="/nonexistent", COLUMNS="110")

    def printed(*words: str) -> str:
        return run(*given, *own, *words, env=env, cwd=tmp_path).stdout.decode()

    assert "first in line 102 of a.log, 103" in " ".join(printed().split())
    pace = [
        one for robot in json.loads(printed("--json"))["robots"] for one in robot["pace"]
        if robot["robot"] == "DashBot" and one["breaches"]
    ]  # fmt: skip
    assert pace[0]["files"][0] == "a.log"
    assert len(pace[0]["files"]) == len(pace[0]["lines"])
    found = [json.loads(line) for line in printed("--json", "--robot", "GrazeBot").splitlines()]
    sent = [one for one in found if one["event"] == "requests"]
    assert (sent[0]["lines"], sent[0]["files"]) == ([49, 56], ["a.log", "a.log"])
    assert sent[-1]["files"] == ["b.log", "b.log"]
    fetched = [one["file"] for one in found if one["event"] == "robots-txt-requested"]
    assert set(fetched) <= {"a.log", "b.log"}
    assert "lines 49 to 56 of a.log, 8 requests" in printed("--robot", "GrazeBot")


def test_a_robot_that_the_log_does_not_have_is_a_mistake() -> None:
    """The message names those that it has."""
    status, printed, told = story("bingbot")
    assert (status, printed) == (2, "")
    assert "it has DashBot, GPTBot, GrazeBot, ShelfBot" in told


def test_what_another_robot_of_the_operator_fetched_is_in_the_story(tmp_path: Path) -> None:
    """Its copy serves all robots of the operator, so that the story has its request, too."""
    line = '192.0.2.1 - - [0{}/Mar/2026:10:00:00 +0000] "GET {} HTTP/1.1" 200 5 "-" "{}"\n'
    log = line.format(5, "/robots.txt", "Googlebot-Image/1.0") + line.format(6, "/a", "Googlebot")
    (tmp_path / "access.log").write_text(log, encoding="utf-8")
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nAllow: /")
    given = ("audit", "access.log", "--policy", "robots.txt@2026-01-01", "--unknown")
    own = ("--site", "https://example.com", "--robot", "Googlebot", "--json")
    env = bare_environment(XDG_CACHE_HOME="/nonexistent", COLUMNS="110")
    done = run(*given, *own, env=env, cwd=tmp_path)
    found = [json.loads(one) for one in done.stdout.decode().splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    fetched = [one["at"] for one in found if one["event"] == "robots-txt-requested"]
    assert fetched == ["2026-03-05T10:00:00+00:00"]
