"""Counts over a table: by cases, by a slow twin, and by row."""

from __future__ import annotations

import csv
import json
from collections import Counter
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.errors import RobotNameError, WrongValueError
from goodbot.tables.building import build_policies
from goodbot.tables.counting import (
    COUNT_COLUMNS,
    DEFINITIONS,
    HOW_MUCH,
    PolicyCounts,
    RobotCounts,
    SizeCounts,
    count_policies,
    how_much_is_disallowed,
)
from goodbot.tables.counting.counting import last_rows
from goodbot.tables.counting.file_facts import asked_robot, facts_of
from tests.support import conformance_cases as data
from tests.support import program

if TYPE_CHECKING:
    from pathlib import Path

CASES = data.cases("tables")
SITE = "https://example.com"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_how_much_is_disallowed_to_whom(case: data.Case) -> None:
    """Each robot has its class, and those that a line names are named."""
    robots = [asked_robot(name) for name in case["disallowed"]]
    facts = facts_of(case["content"], robots, "rfc9309")
    found = {robot.name: one for robot, one in zip(robots, facts.disallowed, strict=True)}
    assert found == case["disallowed"], case["why"]
    found_named = zip(robots, facts.named, strict=True)
    named = [robot.name for robot, one in found_named if one and robot.name != "*"]
    assert named == case["named"]


LINES = st.sampled_from(
    ("User-agent: *", "User-agent: GPTBot", "User-agent: gptbot/2", "User-agent: bot",
     "User-agent: Googlebot", "User-agent: GPTBot, CCBot", "User-agent: *bot",
     "User-agent: CCBot\0x",
     "Disallow: /", "Disallow: /a", "Disallow: /a$", "Disallow: /*a", "Disallow: /*", "Disallow:",
     "Disallow: b", "Disallow: /*?", "Allow: /", "Allow: /a", "Allow: /a*b", "Allow: /$",
     "Sitemap: /s", "Crawl-delay: 1", "# text", "")
)  # fmt: skip


def test_a_purpose_is_a_signal_and_no_robot() -> None:
    """It is counted by its product token, known or not."""
    content = b"User-agent: __usage_AI-training/1\nUser-agent: A\nUser-agent: __usage_x\nAllow: /\n"
    facts = facts_of(content, [], "rfc9309")
    assert facts.names == {"a"}
    assert facts.signals == {"User-agent: __usage_ai-training", "User-agent: __usage_x"}


PATHS = ["/", "/a", "/aa", "/ab", "/b", "/ba", "/a?b", "/?", "/b?a", "/c/a/b", "/azb", "/zz"]
DIALECTS = [one.name for one in goodbot.dialects()]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.lists(LINES, max_size=9))
def test_the_class_is_that_of_trying_paths(dialect: str, lines: list[str]) -> None:
    """A slow twin tries paths: what it has seen decides, unless it has seen one side only."""
    content = "\n".join(lines).encode() + b"\n"
    file = goodbot.RobotsTxt(content, dialect=dialect)
    robots = [asked_robot(name) for name in ("*", "GPTBot", "CCBot", "Googlebot-News", "ZqBot")]
    facts = facts_of(content, robots, dialect)
    for robot, how_much in zip(robots, facts.disallowed, strict=True):
        obeyed = bots.rules_for(file, robot.known or robot.name)
        seen = set(obeyed.allows_many([SITE + path for path in PATHS]))
        if len(seen) > 1:
            assert how_much == "partly"
        else:
            assert how_much in {"partly", "not-at-all" if True in seen else "wholly"}
        plain = obeyed.rules
        exact = "not-at-all" if plain is None else how_much_is_disallowed(plain)
        assert how_much == exact, "the short way for robots that no group names"


@given(st.lists(LINES.filter(lambda one: one.startswith(("Allow", "Disallow"))), max_size=6))
def test_what_is_partly_disallowed_has_two_urls(lines: list[str]) -> None:
    """A class is undecided only when the bound is reached."""
    rules = goodbot.RobotsTxt("User-agent: *\n" + "\n".join(lines)).rules_for("*")
    assert how_much_is_disallowed(rules) != "undecided"
    assert how_much_is_disallowed(rules, most_states=1) in {*HOW_MUCH}


def test_a_search_that_reaches_its_bound_is_undecided() -> None:
    """It is not guessed."""
    lines = [f"Disallow: /{'*'.join('abcdefgh'[number:])}" for number in range(7)]
    lines += ["Allow: /$", "Disallow: /", "Disallow: /*"]
    rules = goodbot.RobotsTxt("User-agent: *\n" + "\n".join(lines)).rules_for("*")
    assert how_much_is_disallowed(rules) == "partly"
    closed = goodbot.RobotsTxt("User-agent: *\nDisallow: /*a*b*c\nDisallow: /*\nAllow: /*a*b\n")
    assert how_much_is_disallowed(closed.rules_for("*"), most_states=0) in {"undecided", "partly"}


FILES = {
    "a.example/2025-01-31T120000Z.txt": "User-agent: *\nDisallow: /\n",
    "a.example/2025-06-30T120000Z.txt": "User-agent: GPTBot\nDisallow: /\n",
    "a.example/2026-01-31T120000Z.txt": "User-agent: GPTBot\nDisallow: /x\nColour: blue\n",
    "b.example/2025-03-31T120000Z.txt": "User-agent: GPTBot\nDisallow: /\n",
    "c.example/2026-03-31T120000Z.txt": (
        "User-agent: *\nDisallow: /x\nContent-Signal: /blog/ ai-train=no, search=yes\n"
        "Content-Usage: train-ai=n\nLicense: https://c.example/l\n"
    ),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a table of three sites over two years."""
    folder = tmp_path_factory.mktemp("counts")
    for name, text in FILES.items():
        path = folder / "dated" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build_policies([folder / "dated"], folder / "policies.parquet")
    return folder / "policies.parquet"


def test_the_last_row_of_a_site_counts_in_each_year(table: Path) -> None:
    """Earlier files of the same year do not, and each site counts once."""
    first, second = count_policies(table, robots=["*", "GPTBot"], by="year")
    assert (first.period, first.sites, first.names) == ("2025", 2, {"gptbot": 2})
    assert first.robots[1].as_dict() == {
        "robot": "GPTBot", "named": 2, "wholly": 2, "partly": 0, "not_at_all": 0, "undecided": 0,
        "unknown": 0,
    }  # fmt: skip
    assert first.robots[0].not_at_all == 2
    assert (second.period, second.sites) == ("2026", 2)
    assert (second.robots[1].named, second.robots[1].partly) == (1, 2)
    assert second.unknown_fields == {"colour": 1}
    assert second.signals == {
        "Content-Signal: ai-train=no": 1, "Content-Signal: search=yes": 1,
        "Content-Usage: train-ai=n": 1, "License": 1,
    }  # fmt: skip
    assert second.statuses == {"200": 2}
    sizes = [len(FILES[name]) for name in FILES if "2026" in name]
    assert (second.sizes.files, second.sizes.least, second.sizes.most) == (2, *sorted(sizes))


def test_the_whole_table_has_each_site_once(table: Path) -> None:
    """Without a period, the newest row of each site counts; by crawl, that of each source."""
    (found,) = count_policies(table, robots=["GPTBot"])
    assert (found.period, found.sites) == ("", 3)
    assert found.robots[0].named == 2
    crawls = count_policies(table, robots=["GPTBot"], by="crawl")
    assert sum(one.sites for one in crawls) >= 3
    assert all(one.period for one in crawls)


def test_default_robots_are_any_and_those_for_training(table: Path) -> None:
    """Each adds up to the sites."""
    (found,) = count_policies(table)
    names = [one.robot for one in found.robots]
    assert names[0] == "*"
    assert {robot.name for robot in bots.by_purpose("ai-training")} == {*names[1:]}
    for one in found.robots:
        rest = one.wholly + one.partly + one.not_at_all + one.undecided + one.unknown
        assert rest == found.sites


def answers_table(rows: list[dict[str, Any]], path: Path) -> Path:
    """Build a table of answers, each with a status and a body, and return its path."""
    source = path / "answers.parquet"
    pq.write_table(pa.Table.from_pylist(rows), source)
    build_policies([source], path / "policies.parquet")
    return path / "policies.parquet"


def test_sites_without_rules_are_counted_by_their_answer(tmp_path: Path) -> None:
    """A 404 disallows nothing; what a 503 leaves open is not known, and is not guessed."""
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    rows = [
        {"url": f"https://{name}.example/robots.txt", "time": noon, "status": status, "body": body}
        for name, status, body in (
            ("a", 200, b"User-agent: *\nDisallow: /\n"), ("b", 404, b""), ("c", 503, b""),
            ("d", 200, b"User-agent: *\nDisallow: /\n"),
        )
    ]  # fmt: skip
    (found,) = count_policies(answers_table(rows, tmp_path), robots=["*"])
    assert found.statuses == {"200": 2, "404": 1, "503": 1}
    star = found.robots[0]
    assert (star.wholly, star.not_at_all, star.unknown) == (2, 1, 1)
    assert found.sizes.files == 2


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.sampled_from(range(3))),
        min_size=1, max_size=12,
    )
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_a_twin_counts_row_by_row(made: list[tuple[str, int, int]]) -> None:
    """The columns find the same last rows as a loop over the rows does, in any order."""
    times = [
        datetime(2024 + number // 2, 1, 1 + number, tzinfo=timezone.utc) for _, number, _ in made
    ]
    table = pa.table(
        {
            "origin": [f"https://{name}.example" for name, _, _ in made],
            "valid_from": pa.array(times, pa.timestamp("us", tz="UTC")),
            "source": [str(source) for _, _, source in made],
        }
    )
    for by in (None, "year", "crawl"):
        last: dict[tuple[str, str], tuple[datetime, int]] = {}
        for row, ((name, _, source), time) in enumerate(zip(made, times, strict=True)):
            period = {"year": str(time.year), "crawl": str(source)}.get(by or "", "")
            key = (period, f"https://{name}.example")
            last[key] = max(last.get(key, (time, row)), (time, row))
        found = last_rows(table, by).to_pylist()
        assert {((one["period"], one["origin"]), one["row"]) for one in found} == {
            (key, row) for key, (_, row) in last.items()
        }


def test_arguments_that_are_wrong(table: Path) -> None:
    """The message says what to write."""
    with pytest.raises(WrongValueError, match="year, crawl"):
        count_policies(table, by="month")  # type: ignore[arg-type]
    with pytest.raises(RobotNameError):
        count_policies(table, robots=["https://example.com/"])


def count(*words: str) -> bytes:
    """Run `goodbot tables count`."""
    done = program.run("tables", "count", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_verb_prints_what_the_library_answers(table: Path, tmp_path: Path) -> None:
    """As text with the definitions, as JSON, as CSV and as Parquet."""
    words = (str(table), "--by", "year", "-r", "*", "-r", "GPTBot")
    found: list[PolicyCounts] = count_policies(table, robots=["*", "GPTBot"], by="year")
    printed = [json.loads(line) for line in count(*words, "--json").splitlines()]
    assert [one.pop("definitions") for one in printed] == [DEFINITIONS, DEFINITIONS]
    assert all(one.pop("made_with") for one in printed)
    assert printed == [one.as_dict() for one in found]
    rows = [row for one in found for row in one.rows()]
    lines = count(*words, "--csv").decode().splitlines()
    assert lines[0] == ",".join(COUNT_COLUMNS)
    assert len(list(csv.reader(lines[1:]))) == len(rows)
    file = tmp_path / "counts.parquet"
    count(*words, "--parquet", str(file))
    written = pq.read_table(file)
    assert written.to_pylist() == rows
    assert json.loads(written.schema.metadata[b"goodbot.definitions"]) == DEFINITIONS
    text = " ".join(count(*words).decode().split())
    for meaning in DEFINITIONS.values():
        assert meaning in text
    assert "2025: 2 sites" in text


def test_each_figure_has_a_definition() -> None:
    """Each measure and category that a row can have says what it counts."""
    counts = PolicyCounts(
        "", 1, {"rules": 1}, {"200": 1}, SizeCounts(), (), {"a": 1},
        {"License": 1}, {"Sitemap": 1}, {"colour": 1},
    )  # fmt: skip
    measures = Counter(row["measure"] for row in counts.rows())
    assert {*measures, "robot"} - {*DEFINITIONS} == {"robot"}
    robot = RobotCounts("*").as_dict()
    assert {name.replace("_", "-") for name in robot} - {"robot"} <= {*DEFINITIONS}
