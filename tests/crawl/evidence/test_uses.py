"""Evidence on uses: kept with the visit, answered later from the record and robots.txt."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from goodbot import Page, Policy
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.evidence_format import pack_page, packed_page, unpack
from goodbot.crawl.evidence.rows import EvidenceRow, refused, visited
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.protocol import QueueEntry
from goodbot.crawl.frontier.sqlite import SQLiteFrontier

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot import Verdict
    from goodbot.crawl.evidence.history import Ask

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
ORIGIN = "https://a.example"
URL = f"{ORIGIN}/page"
ROBOTS = b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nLicense: https://a.example/l.xml"


def ask_of(folder: Path, row: EvidenceRow) -> Ask:
    """Store one visit under a robots.txt, and return what is read of it."""
    policy = Policy.from_response(f"{ORIGIN}/robots.txt", 200, {}, ROBOTS, now=NOW)
    with Database(folder, create=True) as database:
        evidence = Evidence(database)
        with database.changing():
            database.store.put(ORIGIN, policy.as_record(), NOW)
            start = (Discovery(URL, "start"), QueueEntry(URL, ORIGIN, depth=0))
            (url_id,) = SQLiteFrontier(database, NOW).add([start], NOW)
            evidence.keep(url_id, row, visit=1)
        history = evidence.history(URL)
    assert history is not None
    return history.asks[0]


def verdict() -> Verdict:
    """Return a verdict that allows the visit."""
    policy = Policy.from_response(f"{ORIGIN}/robots.txt", 200, {}, ROBOTS, now=NOW)
    return policy.verdict(URL, "ExampleBot")


def test_uses_are_answered_from_record_and_stored_robots_txt(tmp_path: Path) -> None:
    """Header, document and robots.txt of that time; licences and tdmrep.json were not requested."""
    page = Page(URL, "<meta name=robots content=noarchive>", headers={"tdm-reservation": "0"})
    ask = ask_of(tmp_path, visited(NOW, verdict(), 200, page))
    assert ask.uses is not None
    assert {use: one.status for use, one in ask.uses.verdicts.items()} == {
        "train": "reserved",
        "ground": "licensed",
        "search": "licensed",
        "archive": "reserved",
        "preview": "licensed",
    }
    assert str(ask.uses.train.said) == "robots.txt, line 2: ai-train=no"
    assert [one.statement.place for one in ask.uses.train.conflicts] == [
        "header tdm-reservation",
        "robots.txt, line 4, licence https://a.example/l.xml",
    ]
    assert ask.uses.not_consulted == ("tdmrep.json", "https://a.example/l.xml")
    plain = ask.as_dict()["uses"]
    assert plain["uses"]["ground"]["terms"]["is_read"] is False


def test_the_level_of_use_is_kept_and_told(tmp_path: Path) -> None:
    """The level in the header is in the record of the visit."""
    page = Page(URL, "", headers={"Content-Signal": "use=reference"})
    ask = ask_of(tmp_path, visited(NOW, verdict(), 200, page))
    assert ask.uses is not None
    assert str(ask.uses.level).startswith("header Content-Signal: use=reference: at most index")
    assert ask.as_dict()["uses"]["level"]["level"] == "reference"


def test_without_a_page_there_are_no_uses(tmp_path: Path) -> None:
    """A refusal, and a response without a page, answer nothing."""
    assert ask_of(tmp_path, refused(NOW, verdict())).uses is None


def test_rows_of_older_versions_have_no_uses() -> None:
    """What a page said about its uses was not recorded then, and is not guessed."""
    page = Page(URL, "<meta name=robots content=noarchive>")
    record = {"event": "visited", "fetch": {"reason": "x"}, "page": pack_page(page, NOW)}
    assert unpack(json.dumps(record)).uses is not None
    del record["page"]["uses"]  # type: ignore[attr-defined]
    assert unpack(json.dumps(record)).uses is None


@pytest.mark.parametrize("count", [1, 5_000])
def test_the_record_of_a_page_is_small(count: int) -> None:
    """However much a page says, and however long it is, its record has a bound."""
    long = "x" * 10_000
    body = f'<meta name=tdm-policy content="/{long}"><meta name=tdm-reservation content=1>' * count
    links = f'<link rel=license type="application/rsl+xml" href="/{long}">' * min(count, 500)
    packed = pack_page(Page(URL, body + links), NOW)["uses"]
    assert len(json.dumps(packed)) < 100_000
    nothing = pack_page(Page(URL, "<p>a"), NOW)["uses"]
    assert nothing == {}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("", {}),
        ("<meta name=robots content=all>", {}),
        ("<meta name=robots content=noindex,nosnippet>", {}),
        ("\n<meta name=robots content=noindex,nosnippet>", {}),
        ("<meta name=robots content='max-snippet:0'>", {}),
        ("<meta name=robots content='max-snippet:5'>", {}),
        ("<meta name=robots content='unavailable_after: 2027-01-01'>", {}),
        ("<meta name=robots content='unavailable_after: 2026-01-01'>", {}),
        ("<meta name=bingbot content=noarchive>", {}),
        ("<meta name=tdm-reservation content=1>", {}),
        ("<meta name=URL content=https://a.example/other>", {}),
        ("<p data-nosnippet>Sea", {}),
        ("<a rel=license href=/l>L</a><link rel=license href=/l>", {}),
        ("", {"X-Robots-Tag": "noindex"}),
        ("", {"Content-Signal": "ai-train=no"}),
        ("", {"crawler-price": "USD 1.00"}),
        ("", {"cf-mitigated": "challenge"}),
    ],
)
def test_pages_that_state_the_same_have_one_record(
    body: str, header: dict[str, str], first: int
) -> None:
    """What a page shares with others is the record that it has by itself; all orders are tried."""
    for robot in ("ExampleBot", "bingbot")[first:]:
        for status in (200, 404):
            for number in (1, 2):
                page = Page(f"{URL}{number}", body, headers=header, robot=robot, status=status)
                assert pack_page(page, NOW) == packed_page(page, NOW)
                assert {act: one.act for act, one in page.verdicts.items()} == {
                    act: act for act in page.verdicts
                }
                assert {one.url for one in page.verdicts.values()} == {page.url}
