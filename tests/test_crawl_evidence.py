"""Evidence: every act can be told, with the line that decided and the robots.txt in force."""

import asyncio
import datetime as dt
import doctest
import errno
import hashlib
import importlib
import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as some

import goodbot
from crawl_sample import BUSY, DOWN, HOSTILE, NEWS, SHOP, SHOP_RULES, URLS, SampleCrawl, sample
from goodbot.crawl import acts, export, in_force, punctuality, skipped, story, whole_file
from goodbot.crawl.acts import pack_page, unpack
from goodbot.crawl.database import Database
from goodbot.crawl.evidence import Evidence
from goodbot.errors import (
    MissingExtraError,
    NoOriginError,
    NotAStoreError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.pace import Manners, Pace
from goodbot.pace.instants import SECOND, duration
from goodbot.testing import Answer

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)
MODULES = ("acts", "evidence", "export", "in_force", "punctuality", "report", "report_page")
MORE = ("looking", "report_plots", "skipped", "story", "summary", "whole_file")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Give the sample, crawled once; it is only looked at."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give the file of a crawl that has not begun."""
    with closing(Database(tmp_path / "crawl", create=True)) as made:
        yield made


def told(crawl: SampleCrawl, url: str) -> story.Story:
    """Give the story of a URL that is known."""
    found = crawl.evidence.story(url)
    assert found is not None
    return found


def verdicts(crawl: SampleCrawl, url: str) -> dict[str, acts.ActVerdict]:
    """Give the verdicts of the last time that a URL was asked about."""
    return {one.act: one for one in told(crawl, url).asks[-1].verdicts}


@pytest.mark.parametrize("name", [*MODULES, *MORE])
def test_examples_run(name: str) -> None:
    """The examples in the docstrings give what they say."""
    failed, _ = doctest.testmod(importlib.import_module(f"goodbot.crawl.{name}"))
    assert failed == 0


# Stories.


def test_a_refusal_is_quoted_from_the_octets_that_were_obeyed(crawl: SampleCrawl) -> None:
    """The line that decided stands between its neighbours, with digest and times of the file."""
    found = told(crawl, f"{SHOP}/private/diary")
    (ask,) = found.asks
    assert (found.state, ask.event, found.requests) == ("forbidden", "refused", ())
    fetch = ask.verdicts[0]
    assert (fetch.allowed, fetch.reason, fetch.line) == (False, "rule-disallows", 4)
    assert fetch.sentence.startswith(f"ExampleBot may not fetch {SHOP}/private/diary: line 4")
    assert [(line.number, line.decides) for line in ask.quoted] == [
        (2, False),
        (3, False),
        (4, True),
        (5, False),
        (6, False),
    ]
    assert [line.text for line in ask.quoted if line.decides] == ["Disallow: /private"]
    assert ask.robots_txt is not None
    assert ask.robots_txt.sha256 == hashlib.sha256(SHOP_RULES.encode()).hexdigest()
    assert ask.robots_txt.first <= ask.at
    assert ask.confirmed is True


def test_every_act_on_a_page_can_be_told(crawl: SampleCrawl) -> None:
    """Header and META are told apart, with line and text; what nobody spoke of is allowed."""
    found = verdicts(crawl, f"{SHOP}/secret")
    assert set(acts.ON_PAGES) - {"anchor"} == set(found) - {"fetch"}
    index, archive, follow = found["index"], found["archive"], found["follow"]
    assert (index.allowed, index.kind, index.line, index.text) == (False, "meta", 2, "noindex")
    assert archive.source == "META robots, line 2: noarchive"
    assert (follow.allowed, follow.reason, follow.source) == (True, "nothing-said", "")
    header = verdicts(crawl, f"{NEWS}/archive")["archive"]
    assert (header.allowed, header.kind, header.line) == (False, "header", None)


def test_parts_that_are_left_out_are_counted_with_their_marks(crawl: SampleCrawl) -> None:
    """A page that may be quoted but for a part says how many parts, and which mark."""
    found = verdicts(crawl, f"{SHOP}/lamps")
    parts = found["snippet"].parts
    assert found["snippet"].allowed
    assert parts is not None
    assert (parts.count, parts.sources) == (1, ("data-nosnippet, line 3",))
    assert parts.count < parts.of
    links = found["follow"].parts
    assert links is not None
    assert (links.count, links.of) == (1, 1)
    assert found["index"].parts is None


def test_what_is_no_document_allows_nothing(crawl: SampleCrawl) -> None:
    """After a 404 every act is forbidden, by the status."""
    found = verdicts(crawl, f"{SHOP}/gone")
    assert found.pop("fetch").allowed
    assert {(one.allowed, one.reason) for one in found.values()} == {(False, "no-document")}
    assert len(found) == len(acts.ON_PAGES) - 1


def test_failures_and_putting_off_are_told(crawl: SampleCrawl) -> None:
    """Who was asked, what failed, and until when a visit was put off."""
    (failed,) = told(crawl, f"{NEWS}/slow").asks
    assert (failed.event, failed.verdicts[0].reason) == ("failed", "timeout")
    assert failed.verdicts[0].allowed
    assert "in time" in failed.sentence
    put_off = told(crawl, f"{BUSY}/b").asks[0]
    assert (put_off.event, put_off.verdicts[0].allowed) == ("put-off", None)
    assert put_off.verdicts[0].reason == "retry-after"
    assert put_off.until is not None
    assert put_off.until > put_off.at


def test_a_site_that_is_down_is_told(crawl: SampleCrawl) -> None:
    """There is no file to quote; what came of asking for it decides."""
    (ask,) = told(crawl, f"{DOWN}/a").asks
    assert ask.verdicts[0].kind == "access"
    assert (ask.verdicts[0].allowed, ask.quoted) == (False, ())
    assert ask.robots_txt is not None
    assert (ask.robots_txt.access, ask.robots_txt.sha256) == ("disallow-all", None)


def test_a_redirect_says_where_it_leads_and_nothing_of_a_page(crawl: SampleCrawl) -> None:
    """No act but fetching was asked about."""
    found = told(crawl, f"{SHOP}/moved")
    assert [one.act for one in found.asks[0].verdicts] == ["fetch"]
    assert found.requests[0].status == 301


def test_evidence_follows_the_robots_txt_of_its_time(database: Database) -> None:
    """When a site changes its file, what was done before is told by the one of then."""
    with_rules = [SHOP_RULES, "User-agent: *\nDisallow: /\n"]
    add_url(database, f"{SHOP}/a", SHOP)
    evidence = Evidence(database)
    for hour, rules in enumerate(with_rules):
        now = NOON + dt.timedelta(hours=hour)
        policy = put_policy(database, rules, now)
        verdict = policy.verdict(f"{SHOP}/a", "ExampleBot")
        at = now + dt.timedelta(minutes=1)
        if verdict:
            evidence.visited(1, at, verdict, 200)
        else:
            evidence.refused(1, at, verdict)
    found = evidence.story(f"{SHOP}/a")
    assert found is not None
    digests = [ask.robots_txt.sha256 for ask in found.asks if ask.robots_txt is not None]
    assert digests == [hashlib.sha256(rules.encode()).hexdigest() for rules in with_rules]
    assert [ask.verdicts[0].line for ask in found.asks] == [6, 2]
    assert [ask.confirmed for ask in found.asks] == [True, True]


def test_what_the_kept_file_does_not_say_is_not_confirmed(tmp_path: Path) -> None:
    """A row that was changed afterwards is seen: the kept octets say otherwise."""
    crawl = sample(tmp_path)
    with crawl.database.changing() as connection:
        connection.execute(
            "UPDATE evidence SET verdicts = replace(verdicts, '\"allowed\":false', "
            "'\"allowed\":true')"
        )
    assert told(crawl, f"{SHOP}/private/diary").asks[0].confirmed is False
    crawl.database.close()


def test_damaged_evidence_is_told(tmp_path: Path) -> None:
    """It raises one of the tree, with the cure."""
    crawl = sample(tmp_path)
    for text in ("", "{}", "[1]", '{"event":"visited","fetch":{}}', '{"event":"x","page":{}}'):
        with crawl.database.changing() as connection:
            connection.execute("UPDATE evidence SET verdicts = ?", (text,))
        with pytest.raises(NotAStoreError, match="restore the crawl from a copy"):
            crawl.evidence.story(f"{SHOP}/")
    crawl.database.close()


def test_unknown_urls_have_neighbours(crawl: SampleCrawl) -> None:
    """What is known and alike is proposed; what is no URL is misuse."""
    assert crawl.evidence.story(f"{SHOP}/secre") is None
    assert story.near(crawl.database, f"{SHOP}/secre")[0] == f"{SHOP}/secret"
    with pytest.raises(NoOriginError):
        crawl.evidence.story("secret")


def test_a_story_is_json(crawl: SampleCrawl) -> None:
    """Every story has plain values."""
    for url in URLS:
        assert json.loads(json.dumps(told(crawl, url).as_dict()))["url"]


def test_evidence_and_what_it_goes_with_are_kept_together(database: Database) -> None:
    """Within a change that fails, neither is kept."""
    policy = put_policy(database, SHOP_RULES, NOON)
    verdict = policy.verdict(f"{SHOP}/a", "ExampleBot")

    def fail() -> None:
        with database.changing():
            Evidence(database).refused(1, NOON, verdict)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert database.connection.execute("SELECT count(*) FROM evidence").fetchone() == (0,)


PIECES = some.sampled_from(
    ["noindex", "nofollow", "noarchive", "nosnippet", "max-snippet:5", "all", "noai", "notranslate"]
)


@given(
    some.lists(PIECES, max_size=4), some.lists(PIECES, max_size=3), some.sampled_from([200, 410])
)
def test_what_is_packed_says_what_the_page_says(
    header: list[str], meta: list[str], status: int
) -> None:
    """The compact form is compared with the page's own verdicts, act by act."""
    body = (
        f'<meta name=robots content="{",".join(meta)}"><p>a <span data-nosnippet>b</span>'
        "<!--googleoff: index-->c<!--googleon: index--><a href=/x rel=nofollow>d</a>"
    )
    fields = [("X-Robots-Tag", one) for one in header] + [("Content-Type", "text/html")]
    page = goodbot.Page(f"{SHOP}/a", body, headers=fields, status=status)
    fetch = {"allowed": True, "reason": "rule-allows"}
    packed = {"event": "visited", "fetch": fetch, "page": pack_page(page, NOON)}
    found = {one.act: one for one in unpack(json.dumps(packed)).verdicts}
    for act, verdict in page.verdicts.items():
        one = found[act]
        assert (one.allowed, one.reason, one.source) == (
            verdict.allowed,
            verdict.reason,
            verdict.source,
        )
    for act in ("index", "archive", "snippet"):
        denied = sum(not getattr(run, act).allowed for run in page.runs)
        parts = found[act].parts
        assert (parts.count if parts else 0) == (denied if page.verdicts[act] else 0)


def test_header_text_that_is_no_unicode_is_kept(database: Database, tmp_path: Path) -> None:
    """Half a pair of surrogates in a reason of a failure breaks neither writing nor export."""
    add_url(database, f"{SHOP}/a", SHOP)
    Evidence(database).failed(1, NOON, "reset", "half \ud800 a pair")
    assert export.export(database, tmp_path / "all.parquet") == 1
    assert export.export(database, tmp_path / "all.jsonl") == 1


def test_writing_is_cheap(database: Database) -> None:
    """A row of evidence and one of a request cost far less than a page."""
    pages = 500
    evidence = Evidence(database)
    verdict = put_policy(database, SHOP_RULES, NOON).verdict(f"{SHOP}/a", "ExampleBot")
    page = goodbot.Page(f"{SHOP}/a", b"<p>one <a href=/b>two</a>" * 20)
    started = time.perf_counter()
    with database.changing():
        for number in range(pages):
            evidence.visited(number, NOON, verdict, 200, page)
    each = (time.perf_counter() - started) / pages
    # 0.05 ms is what it should cost; a loaded machine is given ten times that.
    assert each < 0.0005


# Requests.


def test_every_request_is_recorded(crawl: SampleCrawl) -> None:
    """As many as the sites saw, with purpose, status and failure."""
    rows = crawl.database.connection.execute(
        "SELECT url, purpose, status, failure, started, ended, not_before FROM requests"
    ).fetchall()
    assert [row[0] for row in rows] == [visit.url for visit in crawl.site.visits]
    by_url = {row[0]: row[1:] for row in rows}
    assert by_url[f"{SHOP}/robots.txt"][:3] == ("robots-txt", 200, None)
    assert by_url[f"{NEWS}/slow"][:3] == ("page", None, "timeout")
    ended, not_before = by_url[f"{BUSY}/a"][-2:]
    assert not_before == ended + 120 * SECOND


def test_a_robots_txt_that_may_not_be_kept_is_obeyed_and_not_quoted(tmp_path: Path) -> None:
    """After one that says no-store, no older file is told as if it were in force."""
    crawl = SampleCrawl(tmp_path)
    rules = ["Crawl-delay: 5", "Crawl-delay: 1\nDisallow: /b", "Crawl-delay: 5"]
    controls = ["max-age=60", "no-store, max-age=60", "max-age=60"]
    turn = iter(zip(rules, controls, strict=True))

    def answer(_: object) -> Answer:
        text, control = next(turn)
        fields = (("Cache-Control", control),)
        return Answer(body=f"User-agent: *\n{text}\n".encode(), headers=fields)

    crawl.site.routes[f"{SHOP}/robots.txt"] = answer
    for urls in ([f"{SHOP}/a"], [f"{SHOP}/e", f"{SHOP}/b"], [f"{SHOP}/c"]):
        crawl.add(urls)
        asyncio.run(crawl.run())
        crawl.clock.advance(7200)
    kept = [told(crawl, f"{SHOP}/{name}").asks[0] for name in "abc"]
    assert [ask.not_kept for ask in kept] == [False, True, False]
    assert [ask.robots_txt is None for ask in kept] == [False, True, False]
    assert [ask.event for ask in kept] == ["visited", "refused", "visited"]
    assert kept[1].verdicts[0].line == 3
    assert kept[1].confirmed is None
    found = {row["url"]: row for row in export.rows(crawl.database) if row["act"] == "fetch"}
    digests = [found[f"{SHOP}/{name}"]["robots_txt_sha256"] for name in "abc"]
    assert digests[0] == digests[2]
    assert digests[0]
    assert digests[1] is None
    pauses = list(punctuality.pauses(crawl.database, SHOP, "ExampleBot", crawl.manners))
    unknown = {one.url: one for one in pauses}[f"{SHOP}/e"]
    assert unknown.left is not None
    assert 1 * SECOND <= unknown.left < 5 * SECOND
    assert unknown.source == "the robot's own floor, as robots.txt may not be kept"
    assert not [one for one in pauses if one.early]
    crawl.database.close()


# The plain check of the pace.


def test_the_sample_has_no_early_request(crawl: SampleCrawl) -> None:
    """The robot kept to what was asked, at each origin."""
    found = [
        one
        for origin in (SHOP, NEWS, DOWN, BUSY)
        for one in punctuality.pauses(crawl.database, origin, "ExampleBot/1.0", crawl.manners)
    ]
    assert len(found) == len(crawl.site.visits)
    assert not [one for one in found if one.early]
    asked = {one.url: (one.asked, one.source) for one in found}
    assert asked[f"{SHOP}/secret"] == (5 * SECOND, "Crawl-delay")
    assert asked[f"{NEWS}/archive"] == (20 * SECOND, "Request-rate 1/20")
    assert asked[f"{BUSY}/a"] == (10 * SECOND, "manners")


@pytest.mark.parametrize(
    ("rules", "pause", "why"),
    [
        ("Crawl-delay: 5", 4.999999, "Crawl-delay asks for 5 seconds"),
        ("Request-rate: 1/10", 9.9, "Request-rate 1/10 asks for 10 seconds"),
        ("Disallow: /x", 9.0, "manners asks for 10 seconds"),
        ("Crawl-delay: 5\nVisit-time: 0100-0200", 5.0, "not within Visit-time"),
        ("Request-rate: 2/10", 5.0, ""),
        ("Crawl-delay: 5", 5.0, ""),
        ("Crawl-delay: 0", 0.0, ""),
    ],
)
def test_an_early_request_is_found(database: Database, rules: str, pause: float, why: str) -> None:
    """A microsecond too early is early; on time is not."""
    put_policy(database, f"User-agent: *\nRobot-version: 2.0.0\n{rules}", NOON)
    add_requests(database, [0.0, pause])
    second = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))[1]
    assert why in second.early
    assert bool(second.early) is bool(why)


def test_a_rate_of_several_documents_counts_them(database: Database) -> None:
    """Where a faster rate ended, what started within the period of the slower one counts."""
    rules = "User-agent: *\nRequest-rate: 10/1m 0000-1159\nRequest-rate: 3/60s 1200-2359\n"
    put_policy(database, rules, NOON - dt.timedelta(hours=1))
    add_requests(database, [-18.0, -12.0, -6.0, 14.0, 48.0])
    found = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))
    assert "no more than 3 in 60 seconds" in found[3].early
    assert [bool(one.early) for one in found] == [False, False, False, True, False]


def test_nobody_comes_within_retry_after(database: Database) -> None:
    """Neither for a page nor for robots.txt; a request that was never sent is none."""
    put_policy(database, "User-agent: *\nCrawl-delay: 1", NOON)
    add_requests(database, [0.0, 50.0, 61.0])
    with database.changing() as connection:
        connection.execute("UPDATE requests SET not_before = ended + 60000000 WHERE id = 1")
        connection.execute("UPDATE requests SET purpose = 'robots-txt' WHERE id = 2")
        connection.execute(
            "INSERT INTO requests(origin, url, purpose, started, ended, failure) "
            "SELECT origin, url, purpose, started, started, 'private-address' FROM requests"
        )
    found = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))
    assert [bool(one.early) for one in found] == [False, True, False]


WINDOWS = some.sampled_from(["", " 0000-1159", " 1100-1400", " 2300-0100"])
RATES = some.tuples(some.integers(1, 20), some.integers(1, 600), WINDOWS)


@given(
    some.one_of(some.none(), some.integers(0, 100)),
    some.lists(RATES, max_size=3),
    some.floats(0, 20),
    some.floats(0, 30),
    some.integers(0, 24 * 3600 - 1),
)
def test_the_plain_reading_of_the_pace_is_that_of_the_robot(
    delay: int | None,
    rates: list[tuple[int, int, str]],
    floor: float,
    took: float,
    seconds: int,
) -> None:
    """What the check takes for asked is what `goodbot.pace.Pace` takes for it."""
    lines = ["User-agent: *", *(f"Request-rate: {n}/{s}s{w}" for n, s, w in rates)]
    lines += [] if delay is None else [f"Crawl-delay: {delay}"]
    rules = goodbot.RobotsTxt("\n".join(lines)).rules_for("ExampleBot")
    manners = Manners(floor=floor)
    at = NOON.replace(hour=0) + dt.timedelta(seconds=seconds)
    pause, _ = punctuality.Wishes(rules, manners).pause(at, duration(took))
    wanted = Pace(rules, manners=manners).interval(at, took=duration(took) / SECOND)
    assert pause == duration(wanted)


# Skipped.


def test_skipped_urls_are_grouped_with_who_says_so(crawl: SampleCrawl) -> None:
    """Forbidden, failed, left out and not reached: each its own group, with an example."""
    found = {
        (one.origin, one.state, one.reason): (one.count, one.example, one.source, one.sources)
        for one in skipped.skipped_groups(crawl.database)
    }
    diary = f"{SHOP}/private/diary"
    assert found[SHOP, "forbidden", "rule-disallows"] == (2, diary, "robots.txt line 4", 2)
    assert found[SHOP, "left-out", "too-deep"] == (1, f"{SHOP}/deep", "bounds: depth 3", 1)
    assert found[SHOP, "queued", "not-reached"] == (1, f"{SHOP}/later", "", 1)
    assert found[BUSY, "queued", "retry-after"][0] == 1
    assert found[NEWS, "failed", "timeout"][0] == 1
    assert found[DOWN, "forbidden", "failure-refused"][0] == 1
    assert {one.url for one in skipped.skipped_urls(crawl.database, "rule-disallows")} == {
        diary,
        f"{SHOP}/till",
        f"{NEWS}/drafts/1",
    }
    everything = list(skipped.skipped_urls(crawl.database))
    assert len(everything) == sum(count for count, *_ in found.values())


# Export.


def test_the_export_has_a_row_for_each_url_and_act(crawl: SampleCrawl, tmp_path: Path) -> None:
    """Both forms have the same rows, and every URL is there, with every column."""
    lines, table = tmp_path / "all.jsonl", tmp_path / "all.parquet"
    count = export.export(crawl.database, lines)
    assert export.export(crawl.database, table) == count
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(rows) == count
    names = [one.name for one in export.COLUMNS]
    assert all(list(row) == names for row in rows)
    (urls,) = crawl.database.connection.execute("SELECT count(*) FROM urls").fetchone()
    assert len({row["url"] for row in rows}) == urls
    asked = [(row["url"], row["act"], row["at"]) for row in rows]
    assert len(set(asked)) == count
    assert as_json(table) == rows


def as_json(table: Path) -> list[dict[str, Any]]:
    """Read a Parquet file, with times as JSON has them."""
    from pyarrow import parquet  # noqa: PLC0415  of the tests of this form alone

    found = parquet.read_table(table)
    kinds = {str(field.type) for field in found.schema}
    assert kinds == {"string", "int64", "bool", "timestamp[us, tz=UTC]"}
    return [
        {
            name: value.isoformat() if isinstance(value, dt.datetime) else value
            for name, value in row.items()
        }
        for row in found.to_pylist()
    ]


def test_rows_say_who_decided(crawl: SampleCrawl) -> None:
    """Verdict, reason, line and the digest of robots.txt stand in each row."""
    found = {(row["url"], row["act"]): row for row in export.rows(crawl.database)}
    row = found[f"{SHOP}/private/diary", "fetch"]
    assert (row["allowed"], row["reason"], row["line"]) == (False, "rule-disallows", 4)
    assert row["robots_txt_sha256"] == hashlib.sha256(SHOP_RULES.encode()).hexdigest()
    row = found[f"{SHOP}/secret", "archive"]
    assert (row["allowed"], row["source_kind"], row["text"]) == (False, "meta", "noarchive")
    assert found[f"{SHOP}/lamps", "snippet"]["parts_left_out"] == 1
    row = found[f"{SHOP}/deep", "fetch"]
    assert (row["event"], row["allowed"], row["reason"]) == ("left-out", None, "too-deep")
    assert found[HOSTILE, "index"]["text"] == "noindex"


class FullDisk:
    """A file that takes a little, and then no more."""

    def __init__(self, file: BinaryIO) -> None:
        """Take the file."""
        self.file = file
        self.left = 100

    def write(self, octets: bytes) -> int:
        """Write, while there is room."""
        self.left -= len(octets)
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(octets)


def test_a_full_disk_leaves_what_was_there(crawl: SampleCrawl, tmp_path: Path) -> None:
    """No half of a file is left, the old one stays, and the message tells the cure."""
    path = tmp_path / "all.jsonl"
    path.write_text("before")
    with (
        pytest.raises(StoreFullError, match="make room"),
        whole_file.whole_file(path) as file,
    ):
        export.write_json_lines(export.rows(crawl.database), FullDisk(file))  # type: ignore[arg-type]
    assert [one.name for one in tmp_path.iterdir()] == ["all.jsonl"]
    assert path.read_text() == "before"


@pytest.mark.parametrize("name", ["missing/all.jsonl", "folder.jsonl"])
def test_a_file_that_cannot_be_written_is_told(
    crawl: SampleCrawl, tmp_path: Path, name: str
) -> None:
    """The message names the file."""
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        export.export(crawl.database, tmp_path / name)


def test_parquet_without_pyarrow_says_what_to_install(
    crawl: SampleCrawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is written."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"goodbot\[parquet\]"):
        export.export(crawl.database, tmp_path / "all.parquet")
    assert not list(tmp_path.iterdir())


def test_the_export_is_a_stream(crawl: SampleCrawl) -> None:
    """A row can be had before the others are made."""
    found = export.rows(crawl.database)
    assert next(found)["act"] == "fetch"
    assert next(found)["act"] == "index"


def test_histories_remember_a_bounded_number_of_origins(crawl: SampleCrawl) -> None:
    """The oldest is forgotten, and read again when it is asked for."""
    reads: list[str] = []

    def keep(seen: Any) -> str:  # noqa: ANN401  of any kind
        reads.append(seen.record["url"])
        return str(seen.record["url"])

    known = in_force.Histories(crawl.database, keep, most=1)
    for origin in (SHOP, SHOP, NEWS, SHOP):
        assert known.at(origin, NOON) == f"{origin}/robots.txt"
    assert len(reads) == 3
    assert known.at(SHOP, NOON.replace(year=1999)) is None


# What the tests need.


def put_policy(database: Database, rules: str, now: dt.datetime) -> goodbot.Policy:
    """Put a robots.txt of the shop."""
    policy = goodbot.Policy.from_response(f"{SHOP}/robots.txt", 200, {}, rules, now=now)
    database.put(SHOP, policy.as_record(), now)
    return policy


def add_url(database: Database, url: str, origin: str) -> None:
    """Add one URL to the queue."""
    with database.changing() as connection:
        connection.execute("INSERT INTO origins VALUES(1, ?)", (origin,))
        connection.execute(
            "INSERT INTO urls(id, url, origin, depth, hops, how, state) "
            "VALUES(1, ?, 1, 0, 0, 'start', 'done')",
            (url,),
        )


def add_requests(database: Database, starts: list[float]) -> None:
    """Add requests for a page of the shop: each at so many seconds after noon, and over at once."""
    noon = int(NOON.timestamp()) * SECOND
    with database.changing() as connection:
        for start in starts:
            at = noon + round(start * SECOND)
            connection.execute(
                "INSERT INTO requests(origin, url, purpose, started, ended, status) "
                "VALUES(?, ?, 'page', ?, ?, 200)",
                (SHOP, f"{SHOP}/a", at, at),
            )
