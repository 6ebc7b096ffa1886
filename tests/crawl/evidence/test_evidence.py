"""Evidence reports every act, with the line that decided and the robots.txt in force."""

import asyncio
import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import goodbot
from goodbot.crawl.evidence import evidence_format, export, history, punctuality
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.evidence_format import pack_page, unpack
from goodbot.crawl.evidence.rows import failed, refused, visited
from goodbot.crawl.folder.database import Database
from goodbot.errors import (
    NoOriginError,
    NotAStoreError,
)
from goodbot.http.instants import SECOND
from goodbot.page.verdict import ACTS
from goodbot.policy import Hold
from goodbot.testing import Answer
from tests.support.crawls.sample_crawl import (
    BUSY,
    DOWN,
    NEWS,
    NOON,
    SHOP,
    SHOP_RULES,
    URLS,
    SampleCrawl,
    add_url,
    put_policy,
    sample,
)
from tests.support.work import lines_run, sqlite_steps


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Yield the sample crawl, which no test changes."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Yield the database of a crawl that has not begun."""
    with closing(Database(tmp_path / "crawl", create=True)) as made:
        yield made


def told(crawl: SampleCrawl, url: str) -> history.UrlHistory:
    """Return the history of a URL that is known."""
    found = crawl.evidence.history(url)
    assert found is not None
    return found


def verdicts(crawl: SampleCrawl, url: str) -> dict[str, evidence_format.ActVerdict]:
    """Return the verdicts of the latest visit to a URL."""
    return {one.act: one for one in told(crawl, url).asks[-1].verdicts}


# Histories.


def test_a_refusal_is_quoted_from_the_bytes_that_were_obeyed(crawl: SampleCrawl) -> None:
    """The line that decided is quoted with its neighbours, the digest and the file's times."""
    found = told(crawl, f"{SHOP}/private/diary")
    (ask,) = found.asks
    assert (found.state, ask.event, found.requests) == ("disallowed", "refused", ())
    fetch = ask.verdicts[0]
    assert (fetch.allowed, fetch.reason, fetch.line) == (False, "rule-disallows", 4)
    assert fetch.sentence.startswith("Disallowed: line 4")
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
    """Header and META are distinguished, with line and text; unmentioned acts are allowed."""
    found = verdicts(crawl, f"{SHOP}/secret")
    assert set(ACTS) - {"anchor"} == set(found) - {"fetch"}
    index, archive, follow = found["index"], found["archive"], found["follow"]
    assert (index.allowed, index.kind, index.line, index.text) == (False, "meta", 2, "noindex")
    assert archive.source == "META robots, line 2: noarchive"
    assert (follow.allowed, follow.reason, follow.source) == (True, "nothing-said", "")
    header = verdicts(crawl, f"{NEWS}/archive")["archive"]
    assert (header.allowed, header.kind, header.line) == (False, "header", None)


def test_parts_that_are_left_out_are_counted_with_their_marks(crawl: SampleCrawl) -> None:
    """For a page that may be quoted except for a part, the parts and the mark are recorded."""
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


def test_the_acts_on_parts_are_those_of_the_core() -> None:
    """Runs of text and links have their own verdicts, each on certain acts."""
    assert evidence_format.OF_RUNS == ("index", "archive", "snippet")
    assert evidence_format.OF_LINKS == ("follow", "anchor")


def test_what_is_no_document_allows_nothing(crawl: SampleCrawl) -> None:
    """After a 404 every act is disallowed because of the status."""
    found = verdicts(crawl, f"{SHOP}/gone")
    assert found.pop("fetch").allowed
    assert {(one.allowed, one.reason) for one in found.values()} == {(False, "no-document")}
    assert len(found) == len(ACTS) - 1


def test_failures_and_deferrals_are_told(crawl: SampleCrawl) -> None:
    """The record says what failed, and until when a visit was deferred."""
    (failed,) = told(crawl, f"{NEWS}/slow").asks
    assert (failed.event, failed.verdicts[0].reason) == ("failed", "timeout")
    assert failed.verdicts[0].allowed
    assert "timed out" in failed.sentence
    deferred = told(crawl, f"{BUSY}/b").asks[0]
    assert (deferred.event, deferred.verdicts[0].allowed) == ("deferred", None)
    assert deferred.verdicts[0].reason == "retry-after"
    assert deferred.until is not None
    assert deferred.until > deferred.at


def test_a_site_that_is_down_is_told(crawl: SampleCrawl) -> None:
    """There is no file to quote: the failure to fetch it decides."""
    (ask,) = told(crawl, f"{DOWN}/a").asks
    assert ask.verdicts[0].kind == "access"
    assert (ask.verdicts[0].allowed, ask.quoted) == (False, ())
    assert ask.robots_txt is not None
    assert (ask.robots_txt.access, ask.robots_txt.sha256) == ("disallow-all", None)


def test_a_redirect_says_where_it_leads_and_nothing_of_a_page(crawl: SampleCrawl) -> None:
    """The only verdict is on fetching."""
    found = told(crawl, f"{SHOP}/moved")
    assert [one.act for one in found.asks[0].verdicts] == ["fetch"]
    assert found.requests[0].status == 301


def test_evidence_follows_the_robots_txt_of_its_time(database: Database) -> None:
    """When a site changes robots.txt, earlier visits still refer to the earlier file."""
    with_rules = [SHOP_RULES, "User-agent: *\nDisallow: /\n"]
    add_url(database, f"{SHOP}/a", SHOP)
    evidence = Evidence(database)
    for hour, rules in enumerate(with_rules):
        now = NOON + dt.timedelta(hours=hour)
        policy = put_policy(database, rules, now)
        verdict = policy.verdict(f"{SHOP}/a", "ExampleBot")
        at = now + dt.timedelta(minutes=1)
        if verdict:
            evidence.keep(1, visited(at, verdict, 200))
        else:
            evidence.keep(1, refused(at, verdict))
    found = evidence.history(f"{SHOP}/a")
    assert found is not None
    digests = [ask.robots_txt.sha256 for ask in found.asks if ask.robots_txt is not None]
    assert digests == [hashlib.sha256(rules.encode()).hexdigest() for rules in with_rules]
    assert [ask.verdicts[0].line for ask in found.asks] == [6, 2]
    assert [ask.confirmed for ask in found.asks] == [True, True]


def test_a_block_of_the_operator_is_not_compared_with_robots_txt(database: Database) -> None:
    """Robots.txt did not decide, so evaluating it again says nothing about the refusal."""
    add_url(database, f"{SHOP}/a", SHOP)
    put_policy(database, SHOP_RULES, NOON)
    hold = Hold.of(f"{SHOP}/a", "block", why="they asked us", by="ada", at=NOON)
    blocked = hold.verdict(f"{SHOP}/a", "ExampleBot")
    Evidence(database).keep(1, refused(NOON + dt.timedelta(minutes=1), blocked))
    found = Evidence(database).history(f"{SHOP}/a")
    assert found is not None
    (ask,) = found.asks
    assert ask.robots_txt is not None
    assert (ask.verdicts[0].kind, ask.confirmed) == ("operator", None)


def test_a_changed_verdict_is_not_confirmed(tmp_path: Path) -> None:
    """If a row was changed afterwards, the stored robots.txt leads to another result."""
    crawl = sample(tmp_path)
    with crawl.database.changing() as connection:
        connection.execute(
            "UPDATE evidence SET verdicts = replace(verdicts, '\"allowed\":false', "
            "'\"allowed\":true')"
        )
    assert told(crawl, f"{SHOP}/private/diary").asks[0].confirmed is False
    crawl.database.close()


def test_damaged_evidence_is_told(tmp_path: Path) -> None:
    """It raises NotAStoreError, and the message says how to fix it."""
    crawl = sample(tmp_path)
    for text in ("", "{}", "[1]", '{"event":"visited","fetch":{}}', '{"event":"x","page":{}}'):
        with crawl.database.changing() as connection:
            connection.execute("UPDATE evidence SET verdicts = ?", (text,))
        with pytest.raises(NotAStoreError, match="restore the crawl from a backup"):
            crawl.evidence.history(f"{SHOP}/")
    crawl.database.close()


def test_unknown_urls_have_neighbours(crawl: SampleCrawl) -> None:
    """Similar known URLs are suggested; something that is not a URL raises."""
    assert crawl.evidence.history(f"{SHOP}/secre") is None
    assert history.near(crawl.database, f"{SHOP}/secre")[0] == f"{SHOP}/secret"
    with pytest.raises(NoOriginError):
        crawl.evidence.history("secret")


def test_a_history_is_json(crawl: SampleCrawl) -> None:
    """Every history has plain values."""
    for url in URLS:
        assert json.loads(json.dumps(told(crawl, url).as_dict()))["url"]


def test_evidence_and_what_it_goes_with_are_kept_together(database: Database) -> None:
    """If a change fails, its evidence is not stored either."""
    policy = put_policy(database, SHOP_RULES, NOON)
    verdict = policy.verdict(f"{SHOP}/a", "ExampleBot")

    def fail() -> None:
        with database.changing():
            Evidence(database).keep(1, refused(NOON, verdict))
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
    """The compact form has the page's own verdict on each act."""
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
    """A lone surrogate in the reason of a failure breaks neither writing nor the export."""
    add_url(database, f"{SHOP}/a", SHOP)
    Evidence(database).keep(1, failed(NOON, "reset", "half \ud800 a pair"))
    assert export.export_evidence(database, tmp_path / "all.parquet") == 1
    assert export.export_evidence(database, tmp_path / "all.jsonl") == 1


def test_writing_is_cheap(database: Database) -> None:
    """A row of evidence takes few steps, as many for the last page as for the first."""
    pages = 500
    evidence = Evidence(database)
    verdict = put_policy(database, SHOP_RULES, NOON).verdict(f"{SHOP}/a", "ExampleBot")
    page = goodbot.Page(f"{SHOP}/a", b"<p>one <a href=/b>two</a>" * 20)

    def keep(number: int) -> None:
        evidence.keep(number, visited(NOON, verdict, 200, page), visit=1)

    with database.changing() as connection:
        for number in range(pages):
            keep(number)
        assert lines_run(lambda: keep(pages)) < 1_000
        assert sqlite_steps(connection, lambda: keep(pages + 1)) < 1_000


# Requests.


def test_every_request_is_recorded(crawl: SampleCrawl) -> None:
    """The record has every request that the sites saw, with purpose, status and failure."""
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
    """After a robots.txt with no-store, an older file is not shown as if it were in force."""
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
    assert unknown.source == "the robot's minimum pause (robots.txt is not stored)"
    assert not [one for one in pauses if one.early]
    crawl.database.close()
