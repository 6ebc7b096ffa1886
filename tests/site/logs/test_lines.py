"""Lines of logs by the conformance cases, and lines of the Combined Log Format by a slow reader."""

import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import bots
from goodbot._core import ArrowTable
from goodbot.errors import WrongValueError
from goodbot.site.logs import LOG_FORMATS, open_logs
from goodbot.site.logs.configured_format import configured_format
from tests.support import conformance_cases as data
from tests.support.examples import examples

CASES = data.cases("logs")
LINE = re.compile(
    rb'(\S+) (\S+) (.+?) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-) '
    rb'"((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"'
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_lines_have_the_fields_that_their_server_documents(case: data.Case, tmp_path: Path) -> None:
    """Each line is the request that the authority says."""
    log = tmp_path / "access.log"
    log.write_text("\n".join(case["lines"]), encoding="utf-8")
    given_format = case["format"] if case.get("is_given") else None
    reader = open_logs([log], given_format, sites=["https://example.com"])
    rows = [row for batch in reader.requests() for row in rows_of(batch)]
    counts = reader.counts()
    refused = {reason: count for reason, count in counts.refused.items() if count}
    assert refused == case.get("refused", {}), counts.shown
    if not case.get("is_given"):
        assert counts.formats == {str(log): case["format"]}
    assert counts.people == case.get("people", 0)
    assert len(rows) == ("row" in case)
    for row in rows:
        assert {key: row[key] for key in case["row"]} == case["row"]
        assert all(row[key] is None for key in case.get("absent", []))


def test_every_known_format_has_a_case() -> None:
    """No format is read without an authority for it."""
    others = {"combined-with-host", "common-with-host", "common-with-host-and-port", "nginx-json"}
    cases = {case["format"] for case in CASES}
    assert {known.name for known in LOG_FORMATS} - others <= cases


def rows_of(batch: ArrowTable) -> list[dict[str, Any]]:
    """Return the rows of a batch."""
    columns = batch.to_pydict()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


AGENTS = st.sampled_from(
    ["GPTBot/1.3", "Mozilla/5.0 (compatible; bingbot/2.0)", "Firefox/1", "-", "ExampleBot/1", "Å"]
)
TARGETS = st.sampled_from(["/", "/a b", "/robots.txt", '/\\"q', "/%41?x=1", "/\\x41", "/ö"])


@examples(200)
@given(
    requests=st.lists(
        st.tuples(
            st.integers(0, 2_000_000_000), TARGETS, AGENTS, st.integers(100, 599), st.booleans()
        ),
        max_size=30,
    )
)
def test_a_slow_reader_of_combined_agrees(
    requests: list[tuple[int, str, str, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Requests, counts and sums are those of a regular expression and `of_user_agent`."""
    lines = []
    for second, target, agent, status, is_broken in requests:
        when = datetime.fromtimestamp(second, timezone.utc).strftime("%d/%b/%Y:%H:%M:%S +0000")
        mark = "" if is_broken else '"'
        line = f'192.0.2.1 - - [{when}] {mark}GET {target} HTTP/1.1" {status} 7 "-" "{agent}"'
        lines.append(line)
    log = tmp_path_factory.mktemp("logs") / "access.log"
    log.write_text("\n".join(lines), encoding="utf-8")
    reader = open_logs([log], "combined", unknown=True)
    rows = [row for batch in reader.requests() for row in rows_of(batch)]
    expected, people = slowly(lines)
    found = [(row["line"], row["time"], row["target"], row["status"], row["robot"]) for row in rows]
    assert found == expected
    counts = reader.counts()
    assert counts.people == people
    assert counts.refused["form"] == sum(is_broken for *_, is_broken in requests)
    assert sum(one.requests for one in reader.summary().robots) == counts.robots


def slowly(lines: list[str]) -> tuple[list[tuple[Any, ...]], int]:
    """Return what the lines say of robots, and how many are of people."""
    rows: list[tuple[Any, ...]] = []
    people = 0
    for number, line in enumerate(lines, 1):
        found = LINE.fullmatch(line.encode())
        if found is None:
            continue
        *_, when, request, status, _, _, agent = (part.decode() for part in found.groups())
        target = request.partition(" ")[2].rpartition(" ")[0]
        target = target.replace('\\"', '"').replace("\\x41", "A")
        robot = bots.of_user_agent(agent)
        if robot is None and agent != "ExampleBot/1":
            people += 1
            continue
        time = datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z")
        rows.append((number, time, target, int(status), robot and robot.name))
    return rows, people


def test_requests_for_robots_txt_are_given_out_under_any_name(tmp_path: Path) -> None:
    """With `robots_txt`, those of people have no robot; other requests of people stay out."""
    agents = ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "ExampleBot/1", "GPTBot/1.3")
    when = "10/Oct/2000:13:55:36 -0700"
    log = tmp_path / "access.log"
    log.write_text(
        "".join(
            f'192.0.2.1 - - [{when}] "GET {target} HTTP/1.1" 200 7 "-" "{agent}"\n'
            for agent in agents
            for target in ("/robots.txt", "/robots.txt?x", "/a", "/a/robots.txt")
        )
    )
    found = {
        wanted: [
            (row["line"], row["robot"])
            for batch in open_logs([log], "combined", robots_txt=wanted).requests()
            for row in rows_of(batch)
        ]
        for wanted in (False, True)
    }
    named = [(line, "GPTBot") for line in (9, 10, 11, 12)]
    assert found[False] == named
    assert found[True] == [(1, None), (2, None), (5, None), (6, None), *named]


def test_a_mapping_to_what_does_not_exist_names_what_does() -> None:
    """The message has the names, of which one was meant."""
    with pytest.raises(WrongValueError, match=r"'url'; .* target, path, query, .*user-agent"):
        open_logs([__file__], '{"ts": "time", "u": "url"}', sites=["https://example.com"])


@pytest.mark.parametrize(
    "written",
    [
        "log_format own '$msec $request_uri",
        "log_format own escape=xml '$msec $request_uri';",
        "log_format own '$msec $request_uri' }",
        "escape=json",
        'LogFormat "%h %t',
        "log_format own;",
    ],
)
def test_a_directive_that_is_not_complete_is_refused(written: str) -> None:
    """Its parts are not taken for the texts of a log."""
    assert configured_format(written) is None
    with pytest.raises(WrongValueError):
        open_logs([__file__], written, sites=["https://example.com"])
