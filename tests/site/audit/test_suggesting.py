"""What a change of robots.txt would have kept away, and the lines that are suggested."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.site.audit import HEEDS, TargetSums, kept_away, request_sums, suggest
from goodbot.site.reasoning import compare_files
from tests.support.audit.audit_week import START, row_of
from tests.support.examples import examples

ROBOTS = ("GPTBot", "AhrefsBot", "SemrushBot", "Googlebot", "bingbot", "Bytespider", "ExampleBot")
TARGETS = ("/", "/a", "/a/1", "/a/b/2", "/find?q=1", "/find?sort=up&q=2", "/c/?sort=up", "/ä/*/x",
           "http://example.com/a/3", "*", "/robots.txt")  # fmt: skip
LINES = (
    "Disallow: /a",
    "Disallow: /a/b/",
    "Disallow: /*?",
    "Allow: /a/1",
    "Disallow: /",
    "Disallow:",
)
AGENTS = ("*", "GPTBot", "Googlebot", "AhrefsBot")
GROUPS = st.lists(st.tuples(st.sampled_from(AGENTS), st.lists(st.sampled_from(LINES), max_size=3)),
                  max_size=3)  # fmt: skip
REQUESTS = st.lists(
    st.tuples(st.sampled_from([None, *ROBOTS]), st.sampled_from(TARGETS), st.integers(0, 9),
              st.sampled_from(["verified", "spoofed", None])),
    max_size=25,
)  # fmt: skip


def file_of(groups: list[tuple[str, list[str]]]) -> goodbot.RobotsTxt:
    """Return a robots.txt with some groups."""
    return goodbot.RobotsTxt(
        "\n\n".join("\n".join([f"User-agent: {agent}", *lines]) for agent, lines in groups)
    )


def table_of(requests: list[Any]) -> pa.Table:
    """Return requests as a table."""
    rows = [
        row_of(robot, "192.0.2.1", target, 200)
        | {"time": START + dt.timedelta(minutes=line), "line": line, "bytes": size, "identity": who}
        for line, (robot, target, size, who) in enumerate(requests, 1)
    ]
    names = [*row_of("", "", "", 0), "time", "line", "identity"]
    kinds = {"line": pa.int64(), "time": pa.timestamp("us", "UTC"), "status": pa.int16(),
             "bytes": pa.int64()}  # fmt: skip
    schema = pa.schema({name: kinds.get(name, pa.string()) for name in names})
    return pa.Table.from_pylist(rows, schema=schema)


def slow_allows(file: goodbot.RobotsTxt, robot: str, path: str) -> bool:
    """Return whether a file allows a path to a robot, in the robot's own dialect."""
    found = bots.known(robot)
    dialect = "rfc9309" if found is None or found.dialect is None else found.dialect
    read = goodbot.RobotsTxt(file.content, dialect=dialect)
    if found is None:
        return read.rules_for(robot).allows(path)
    return bots.rules_for(read, found).allows(path)


@examples(200)
@given(REQUESTS, GROUPS, GROUPS)
def test_what_is_kept_away_is_what_each_request_says(
    requests: list[Any], before: list[Any], after: list[Any]
) -> None:
    """The sums are those of a slow way that decides each request for itself."""
    files = file_of(before), file_of(after)
    found = {one.robot: one for one in kept_away(request_sums(table_of(requests)), *files)}
    slow: dict[str, list[int]] = {}
    for robot, target, size, who in requests:
        path = target.removeprefix("http://example.com")
        if robot is None or who == "spoofed" or path in {"*", "/robots.txt"}:
            continue
        was, now = (slow_allows(file, robot, path) for file in files)
        sums = slow.setdefault(robot, [0] * 6)
        for place, counts in enumerate((True, not was, was and not now)):
            sums[2 * place] += counts
            sums[2 * place + 1] += size * counts
    assert {name: [*one.all, *one.disregarded, *one.named] for name, one in found.items()} == slow
    for one in found.values():
        assert one.heeds in HEEDS
        assert one.kept == (TargetSums() if one.heeds == "no" else one.named)


@examples(60)
@given(REQUESTS, GROUPS)
def test_a_suggestion_does_what_it_says(requests: list[Any], groups: list[Any]) -> None:
    """Appended, it keeps away what it says and allows nothing more; search engines keep `/`."""
    sums, file = request_sums(table_of(requests)), file_of(groups)
    found = suggest(sums, file, most=4)
    assert len(found) <= 4
    order = [
        (any(bots.get(name).purposes[0] == "search" for name in one.search_robots), -one.kept.bytes)
        for one in found
    ]
    assert order == sorted(order)
    for one in found:
        after = goodbot.RobotsTxt(file.content + b"\n\n" + one.added.encode())
        again = {each.robot: each for each in kept_away(sums, file, after)}
        assert {each.robot: each.kept for each in one.robots} == {
            each.robot: again[each.robot].kept for each in one.robots
        }
        assert one.kept.requests == sum(each.kept.requests for each in one.robots) > 0
        assert not compare_files(file, after).may_be("laxer")
        assert all(one.purpose in bots.get(each.robot).purposes for each in one.robots)
        is_search = any("search" in bots.get(each.robot).purposes for each in one.robots)
        assert not (one.lines == ("Disallow: /",) and (is_search or one.search_robots))


def test_a_shop_is_not_taken_out_of_search_engines() -> None:
    """A folder is never suggested for them, nor the parameter that most of their pages have."""
    pages = {f"/products/{number}": TargetSums(9, 90_000) for number in range(9)}
    sums = {"Googlebot": pages | {"/find?sort=up": TargetSums(2, 20)}, "bingbot": dict(pages)}
    found = suggest(sums, goodbot.RobotsTxt(""))
    assert [one.lines for one in found] == [("Disallow: /*?sort=", "Disallow: /*&sort=")]
    by_id = {f"/item?id={number}": TargetSums(9, 90_000) for number in range(9)}
    assert suggest({"Googlebot": by_id}, goodbot.RobotsTxt("")) == ()
    both = suggest(sums | {"GPTBot": {"/find?sort=up": TargetSums(1, 1)}}, goodbot.RobotsTxt(""))
    assert [one.purpose for one in both][-1] == "search"


def test_faulty_lines_are_not_repeated() -> None:
    """A new group has what the old one does, and not its faults."""
    content = (
        "User-agent: *\nDisallow: private\nDisalow: /x\nCrawl-delay: ten\nCrawl-delay: 5\n"
        "Disallow: https://example.com/z\nNoindex: /q\nDisallow: /ok # why\nRequest-rate: abc\n"
        "Disallow: /cart /checkout\n"
    )
    sums = {"GPTBot": {"/find/a": TargetSums(7, 5_000)}}
    for one in suggest(sums, goodbot.RobotsTxt(content)):
        repeated = one.added.splitlines()[1:-1]
        assert repeated[:3] == ["Disallow: /x", "Crawl-delay: 5", "Disallow: /ok"]
        assert not {"private", "ten", "abc"} & set(one.added.split())
        assert not compare_files(goodbot.RobotsTxt(content), goodbot.RobotsTxt(
            content + "\n" + one.added)).may_be("laxer")  # fmt: skip


def test_robots_that_do_not_heed_it_are_told_apart() -> None:
    """No line keeps away who says that it does not obey, or does what is disallowed already."""
    sums = {
        name: {"/private/a": TargetSums(3, 30), "/find/a": TargetSums(5, 50)}
        for name in ("GPTBot", "Bytespider", "StrangerBot")
    } | {"QuietBot": {"/find/a": TargetSums(1, 10)}}
    before = goodbot.RobotsTxt("User-agent: *\nDisallow: /private")
    after = goodbot.RobotsTxt("User-agent: *\nDisallow: /private\nDisallow: /find")
    found = {one.robot: one for one in kept_away(sums, before, after)}
    assert {name: one.heeds for name, one in found.items()} == {
        "GPTBot": "says-so", "Bytespider": "no", "StrangerBot": "no", "QuietBot": "did",
    }  # fmt: skip
    assert found["GPTBot"].kept == TargetSums(5, 50)
    assert found["GPTBot"].disregarded == TargetSums(3, 30)
    assert (found["Bytespider"].kept, found["Bytespider"].named) == ((0, 0), (5, 50))


def test_a_new_group_repeats_what_the_robot_obeys_now() -> None:
    """A robot that a group names no longer obeys `*` (RFC 9309 section 2.2.1)."""
    sums = {"AhrefsBot": {"/find/a": TargetSums(5, 50), "/b": TargetSums(1, 1)},
            "SemrushBot": {"/find/b": TargetSums(4, 40)}}  # fmt: skip
    file = goodbot.RobotsTxt(
        "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n\nUser-agent: SemrushBot\nDisallow: /x"
    )
    found = suggest(sums, file)
    [one] = [one for one in found if one.lines == ("Disallow: /find/",) and len(one.robots) == 2]
    assert (one.purpose, one.kept, one.search_robots) == ("seo", (9, 90), ("AhrefsBot",))
    assert one.added == (
        "User-agent: AhrefsBot\nDisallow: /private\nCrawl-delay: 5\nDisallow: /find/\n\n"
        "User-agent: SemrushBot\nDisallow: /find/\n"
    )
    assert one.comparison.effect == "stricter"


def test_misuse_names_the_cure() -> None:
    """Something else than a robots.txt is refused."""
    sums = {"GPTBot": {"/": TargetSums(1, 1)}}
    for wrong in ("User-agent: *", None):
        with pytest.raises(goodbot.MisuseError, match="must be a RobotsTxt"):
            suggest(sums, wrong)  # type: ignore[arg-type]
        with pytest.raises(goodbot.MisuseError, match="must be a RobotsTxt"):
            kept_away(sums, goodbot.RobotsTxt(""), wrong)  # type: ignore[arg-type]
