"""The audit of logs in one call: what the command prints, as values."""

from __future__ import annotations

import inspect
import io
import json
import pickle
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.site.audit import (
    FINDINGS,
    REQUEST_COLUMNS,
    audit,
    judge_requests,
    suggest_from_logs,
    sum_robots,
    write_requests,
)
from goodbot.site.verbs.audit import FINDINGS as NAMED_FINDINGS
from goodbot.tables.building import folder_timeline
from tests.support.paths import ROOT
from tests.support.program import bare_environment, run

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = ROOT / "examples" / "audit"
LOG, ROBOTS = EXAMPLE / "access.log", EXAMPLE / "robots"
SITE = "https://example.com"
LINE = '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET {} HTTP/1.1" 200 {} "-" "GPTBot/1.3"\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a new cache in each test."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def printed(*words: str) -> list[dict[str, Any]]:
    """Return what the command prints of the example as JSON."""
    env = bare_environment(XDG_CACHE_HOME="/nonexistent")
    given = ("audit", "access.log", "--policy", "robots", "--site", SITE, "--json", *words)
    done = run(*given, env=env, cwd=EXAMPLE)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_one_call_has_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain values are the command's JSON, to the letter; so are the stories."""
    monkeypatch.chdir(EXAMPLE)
    own = {"GPTBot": "gptbot.txt"}
    found = audit("access.log", "robots", SITE, unknown=True, addresses=own)
    [said] = printed("--unknown", "--addresses", "GPTBot=gptbot.txt")
    assert json.loads(json.dumps(found.as_dict())) == said
    assert [one.robot for one in found.robots] == [one["robot"] for one in said["robots"]]
    assert found.findings == ("violation", "late", "too-fast", "spoofed")
    [story] = found.stories("shelfbot")
    told = printed("--unknown", "--addresses", "GPTBot=gptbot.txt", "--robot", "ShelfBot")
    assert list(story.as_dicts()) == told
    senders = {one.reason: one.outcome for many in found.senders.values() for one in many}
    assert senders["not-listed"] == "spoofed"


def test_logs_and_policies_are_what_one_has() -> None:
    """A path, a stream, several of them, a pattern; a folder, a timeline."""
    whole = [(one.robot, one.reasons) for one in audit(LOG, ROBOTS, SITE, unknown=True).robots]
    halves = LOG.read_bytes().splitlines(keepends=True)
    streams = [io.BytesIO(b"".join(part)) for part in (halves[:100], halves[100:])]
    timeline = folder_timeline(SITE, ROBOTS)
    given = ([LOG], str(EXAMPLE / "access*"), io.BytesIO(LOG.read_bytes()), streams)
    for logs in given:
        found = audit(logs, [timeline], [SITE], unknown=True)
        assert [(one.robot, one.reasons) for one in found.robots] == whole
    assert found.log_names == ("stream", "stream (2)")
    with LOG.open("rb") as file:
        assert audit(file, timeline, SITE).log_names == (str(LOG),)
        assert not file.closed


def test_every_request_can_be_had_and_written(tmp_path: Path) -> None:
    """Rows have the columns of the file; addresses are whole only if that is wanted."""
    found = audit(LOG, ROBOTS, SITE, unknown=True)
    rows = list(found.requests())
    assert {tuple(row) for row in rows} == {tuple(one.name for one in REQUEST_COLUMNS)}
    assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)
    sums = Counter(row["outcome"] for row in rows)
    assert sums == sum((one.outcomes for one in found.robots), Counter[str]())
    assert write_requests(found, tmp_path / "a.jsonl") == len(rows)
    assert all(row["address"].endswith("/24") for row in rows)
    whole = audit(LOG, ROBOTS, SITE, unknown=True, whole_addresses=True)
    assert not any("/" in row["address"] for row in whole.requests())
    late = next(one for one in found.robots if one.outcomes["late"])
    row = next(row for row in late.rows if found.result.reasons[row] == "held-copy-allows")
    assert found.judgement(row).outcome == "late"


def test_a_log_is_read_in_steps_that_can_be_watched_and_ended() -> None:
    """Each step is reported in its order; a log that grows is read until the caller ends it."""
    steps: list[str] = []
    audit(LOG, ROBOTS, SITE, progress=lambda what, _: steps.append(what))
    assert steps == ["policies", "lines", "senders", "requests"]
    assert audit(LOG, ROBOTS, SITE, stop=lambda: True).log.lines == 286


@pytest.mark.parametrize(
    ("logs", "given", "fault"),
    [
        (["-", "-"], {}, "standard input can be one log only"),
        ("-", {"stop": lambda: True}, "stop= reads a file"),
        (io.BytesIO(b""), {"stop": lambda: True}, "stream, which is not read as it grows"),
        (io.StringIO("a"), {}, 'open it with mode "rb"'),
        ([7], {}, "must be a path or a binary stream, not int"),
        (b"a log", {}, "several of them, not bytes"),
        (None, {}, "several of them, not NoneType"),
        (LOG, {"dns": True}, "now=datetime.now"),
        (LOG, {"addresses": ["NoBot"]}, "write ROBOT=FILE"),
    ],
)
def test_what_cannot_be_audited_says_why(logs: Any, given: dict[str, Any], fault: str) -> None:  # noqa: ANN401  wrong types
    """The message says how to fix it."""
    with pytest.raises(goodbot.MisuseError, match=fault):
        audit(logs, ROBOTS, SITE, **given)


def test_policies_are_paths_or_timelines() -> None:
    """Anything else is refused with its type."""
    for policies in (7, [7]):
        with pytest.raises(goodbot.MisuseError, match="not int"):
            audit(LOG, policies, SITE)  # type: ignore[arg-type]


def test_a_site_must_be_named() -> None:
    """Nothing is judged without one."""
    with pytest.raises(goodbot.MisuseError, match="no site was named"):
        audit(LOG, ROBOTS, [])


def test_the_command_names_every_finding() -> None:
    """Its names stand apart, as the library is slow to load."""
    assert tuple(FINDINGS) == NAMED_FINDINGS


def test_the_sums_of_a_table_need_no_log() -> None:
    """`judge_requests` and `sum_robots` answer for a table what `audit` does for logs."""
    whole = audit(LOG, ROBOTS, SITE)
    [robot] = sum_robots(judge_requests(log_table(), [folder_timeline(SITE, ROBOTS)]))
    assert robot.reasons == whole.robots[0].reasons


def log_table() -> object:
    """Return the requests of the example as a table."""
    pa = pytest.importorskip("pyarrow")
    from goodbot.site.logs import open_logs  # noqa: PLC0415  with pyarrow

    reader = open_logs([LOG], sites=[SITE])
    return [pa.table(batch) for batch in reader.requests()]


def test_suggestions_come_from_logs_in_one_call() -> None:
    """A change is weighed, or lines are suggested, as the command does."""
    log = "".join(LINE.format(f"/find?q={one}", 1000) for one in range(7))
    before = goodbot.RobotsTxt("User-agent: *\nDisallow: /private\n")
    after = goodbot.RobotsTxt("User-agent: *\nDisallow: /private\nDisallow: /find\n")
    found = suggest_from_logs(io.BytesIO(log.encode()), before, SITE, change=after)
    assert (found.site, found.effect, found.suggestions) == (SITE, "stricter", ())
    assert [(one.robot, one.kept.requests) for one in found.robots] == [("GPTBot", 7)]
    found = suggest_from_logs(io.BytesIO(log.encode()), before, SITE, most=1)
    assert (found.effect, len(found.suggestions)) == (None, 1)


OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
PARAMETERS = set(inspect.signature(audit).parameters)
"""What the function can be passed; each setting that a message names is one of them."""


def words_of(*given: str) -> str:
    """Return what the command prints on both streams."""
    done = run("audit", *given, env=bare_environment(XDG_CACHE_HOME="/nonexistent"), cwd=EXAMPLE)
    return " ".join((done.stdout + done.stderr).decode().split())


def named_in(text: str) -> set[str]:
    """Return the parameters that a message names, as in `log_format=`."""
    return set(re.findall(r"\b([a-z_]+)=", text))


@pytest.mark.parametrize(
    ("given", "words", "setting"),
    [
        ({"addresses": ["NoBot"]}, ["--addresses", "NoBot"], "addresses"),
        ({"addresses": ["GPTBot=/dev/null"]}, ["--addresses", "GPTBot=/dev/null"], "addresses"),
        ({"keys": ["NoBot"]}, ["--keys", "NoBot"], "keys"),
        ({"keys": ["NoBot=a"]}, ["--keys", "NoBot=a"], "keys"),
        ({"keys": ["ChatGPT Agent=/dev/null"]}, ["--keys", "ChatGPT Agent=/dev/null"], "keys"),
        ({"policies": "git:"}, ["--policy", "git:"], "policies"),
        ({"policies": "none"}, ["--policy", "none"], "policies"),
        (
            {"policies": ["a@2026-01-01", "b@2026-01-01"]},
            ["--policy", "a@2026-01-01", "--policy", "b@2026-01-01"],
            "policies",
        ),
        ({"sites": f"{SITE}/a"}, ["--site", f"{SITE}/a"], "sites"),
        ({"log_format": "json"}, ["--log-format", "json"], "log_format"),
    ],
)
def test_messages_name_what_the_caller_can_pass(
    given: dict[str, Any], words: list[str], setting: str
) -> None:
    """In Python a parameter, in the command an option."""
    with pytest.raises(goodbot.MisuseError) as caught:
        audit(LOG, **{"policies": ROBOTS, "sites": SITE, **given})
    assert not OPTION.search(str(caught.value))
    assert setting in named_in(str(caught.value)) <= PARAMETERS
    others = [
        word
        for option, value in (("--policy", "robots"), ("--site", SITE))
        if option not in words
        for word in (option, value)
    ]
    told = words_of("access.log", *others, *words)
    assert words[0] in OPTION.findall(told)
    assert f"{setting}=" not in told


def test_notes_name_what_the_caller_can_pass(tmp_path: Path) -> None:
    """As messages do; the values of the command have its options, too."""
    log = tmp_path / "access.log"
    lines = [f"{host} {LINE.format('/', 200)}" for host in ("example.com:8080", "other.example")]
    log.write_text(LINE.format("/", 200) + "".join(lines) + LOG.read_text())
    notes = audit(log, ROBOTS, SITE, proxies=1).notes
    assert {"proxies", "unknown"} <= set.union(*map(named_in, notes)) <= PARAMETERS
    assert not any(OPTION.search(note) for note in notes)
    assert pickle.loads(pickle.dumps(notes)) == notes  # noqa: S301  what was written here
    [said] = [
        json.loads(line)
        for line in run(
            *("audit", str(log), "--policy", "robots", "--site", SITE, "--proxies", "1", "--json"),
            env=bare_environment(XDG_CACHE_HOME="/nonexistent"),
            cwd=EXAMPLE,
        ).stdout.splitlines()
    ]
    assert {"--proxies", "--unknown"} <= set(OPTION.findall(" ".join(said["notes"])))
    assert not any(map(named_in, said["notes"]))


def test_a_story_names_what_the_caller_can_pass() -> None:
    """A robot without a request may be one that is not known."""
    with pytest.raises(goodbot.MisuseError, match="unknown=True includes unknown robots"):
        audit(LOG, ROBOTS, SITE).stories("NoBot")
    told = words_of("access.log", "--policy", "robots", "--site", SITE, "--robot", "NoBot")
    assert "--unknown includes unknown robots" in told
