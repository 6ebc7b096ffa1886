"""Each row of a column has the answers on uses that its policy, asked alone, has for its URL."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

import goodbot
from goodbot.content_use import USES
from goodbot.history import PolicyTimeline
from goodbot.tables.columns import PolicyTable, use_verdicts

NOON = datetime(2026, 11, 29, 12, tzinfo=timezone.utc)
DAY = timedelta(days=1)
FILES = {
    "https://a.example": (
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y, ai-use=y\n"
        "Content-Signal: search=yes, use=reference\nAllow: /\n"
    ),
    "https://b.example": "User-agent: __usage_ai-training\nDisallow: /a\n",
    "https://c.example": "License: https://c.example/l.xml\nUser-agent: *\nDisallow: /x\n",
    "https://d.example": "User-agent: GPTBot\nContent-Signal: ai-train=yes\n",
}
PATHS = ("/", "/a", "/open/b", "/x")
URLS = [f"{origin}{path}" for origin in FILES for path in PATHS]


def table() -> pa.Table:
    """Return a table of policies with one policy for each origin."""
    number = len(FILES)
    return pa.table(
        {
            "origin": list(FILES),
            "valid_from": [NOON] * number,
            "valid_until": [NOON + DAY] * number,
            "access": ["rules"] * number,
            "reason": ["found"] * number,
            "stale": [False] * number,
            "body": [text.encode() for text in FILES.values()],
        }
    )


def alone(url: str, robot: str) -> dict[str, str | None]:
    """Return what the policy of a URL, asked alone, says about each use."""
    origin = goodbot.origin(url)
    file = FILES[origin].encode()
    policy = goodbot.Policy.from_response(f"{origin}/robots.txt", 200, {}, file, now=NOON)
    found = goodbot.uses(url, robots_txt=policy, robot=robot)
    level = None if found.level is None else found.level.level
    return {use: one.status for use, one in found.verdicts.items()} | {"level": level}


@pytest.mark.parametrize("robot", ["ExampleBot", "GPTBot", "AdsBot-Google", "Googlebot-News"])
def test_each_row_is_the_answer_of_its_policy(robot: str) -> None:
    """For several robots, among them one that ignores the group for everyone."""
    found = use_verdicts(URLS, table(), robot, NOON + timedelta(hours=1))
    assert found.column_names == [*USES, "level"]
    assert found.to_pylist() == [alone(url, robot) for url in URLS]


def test_an_old_policy_only_reserves() -> None:
    """What an expired policy allows is unknown; what it reserves counts at any age."""
    later = use_verdicts(URLS, table(), "ExampleBot", NOON + 9 * DAY).to_pylist()
    expected = [
        {name: "unknown" if said in {"allowed", "licensed"} else said for name, said in row.items()}
        for row in (alone(url, "ExampleBot") for url in URLS)
    ]
    assert later == expected


def test_a_policy_that_was_seen_again_held_in_between_for_every_url() -> None:
    """Whether a URL may be fetched does not say whether what its file permits still counts."""
    file = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /a\n"
    policies = [
        goodbot.Policy.from_response("https://a.example/robots.txt", 200, {}, file, now=at)
        for at in (NOON, NOON + 10 * DAY)
    ]
    urls = ["https://a.example/a", "https://a.example/b"]
    seen = pa.concat_tables([table().slice(0, 1)] * 2)
    for name, column in {
        "valid_from": [one.fetched_at for one in policies],
        "valid_until": [one.fresh_until for one in policies],
        "body": [file] * 2,
    }.items():
        seen = seen.set_column(seen.column_names.index(name), name, pa.array(column))
    at = NOON + 5 * DAY
    [then] = PolicyTimeline.of(policies).at(at).policies
    found = use_verdicts(urls, seen, "ExampleBot", at)
    for row, url in enumerate(urls):
        expected = goodbot.uses(url, robots_txt=then, robot="ExampleBot", now=at)
        assert {use: found[use][row].as_py() for use in USES} == {
            use: one.status for use, one in expected.verdicts.items()
        }


def of_one_time(*files: str | None) -> pa.Table:
    """Return a table with several policies of one origin and one time; `None` is no file."""
    number = len(files)
    bodies = pa.array([None if one is None else one.encode() for one in files], pa.binary())
    return pa.table({
        "origin": ["https://a.example"] * number, "valid_from": [NOON] * number,
        "valid_until": [NOON + DAY] * number, "access": ["rules"] * number,
        "reason": ["found"] * number, "stale": [False] * number, "body": bodies,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("files", "train", "search", "level"),
    [
        (("ai-train=yes, search=yes", "ai-train=no, search=yes"), "reserved", "allowed", None),
        (("ai-train=yes, use=full", "use=immediate"), "unknown", "unknown", "immediate"),
        (("ai-train=yes", "ai-train=yes"), "allowed", "unknown", None),
        (("ai-train=yes, search=no", None), "unknown", "reserved", None),
    ],
)
def test_of_several_policies_of_one_time_the_strictest_counts(
    files: tuple[str | None, ...], train: str, search: str, level: str | None
) -> None:
    """Whatever their order, what one of them reserves or does not say is not permitted."""
    text = "User-agent: *\nContent-Signal: {}\nDisallow: /x\n"
    texts = [None if one is None else text.format(one) for one in files]
    for order in (texts, texts[::-1]):
        urls = ["https://a.example/a", "https://a.example/x"]
        for row in use_verdicts(urls, of_one_time(*order), "ExampleBot", NOON).to_pylist():
            assert (row["train"], row["search"], row["level"]) == (train, search, level)


def test_what_is_not_known_is_unknown_and_what_is_no_url_is_null() -> None:
    """No policy of the origin, a time before all policies, a null and a text that is no URL."""
    urls = ["https://e.example/", None, "no url", "https://a.example/"]
    times = [NOON + DAY, NOON, NOON, NOON - DAY]
    found = use_verdicts(urls, table(), "ExampleBot", times)
    assert found["train"].to_pylist() == ["unknown", None, None, "unknown"]


@pytest.mark.parametrize(
    "column",
    [
        URLS,
        pa.array(URLS),
        pa.chunked_array([URLS[:3], URLS[3:]]),
        pa.array(URLS).dictionary_encode(),
    ],
    ids=["list", "array", "chunks", "dictionary"],
)
def test_columns_of_any_form(column: Any) -> None:  # noqa: ANN401
    """Arrow and Python's own lists are read alike, and a table may be opened before."""
    found = use_verdicts(column, PolicyTable(table()), "ExampleBot", NOON)
    assert found["train"].to_pylist() == [alone(url, "ExampleBot")["train"] for url in URLS]
