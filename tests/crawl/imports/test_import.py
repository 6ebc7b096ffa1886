"""An import judges captures of then: robots.txt as of their time, pages as of today."""

from __future__ import annotations

import asyncio
import gzip
import random
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Crawl, import_warcs
from goodbot.crawl.archive.checking import check_archive
from goodbot.crawl.archive.kept_copy import kept_copy
from goodbot.crawl.evidence.export import rows
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.imports import survey, warc_import
from goodbot.crawl.imports.survey import Survey
from goodbot.crawl.imports.warc_import import ImportSummary
from goodbot.crawl.searching import search
from goodbot.errors import MisuseError, RobotNameError, StoreFullError
from goodbot.testing import FakeSite
from tests.support.crawls.foreign_warcs import NOON, http, record, response, write_warc

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
A = "https://a.example"
ROBOTS = f"{A}/robots.txt"
PLAIN = {"Content-Type": "text/plain"}
RULES = "User-agent: *\nDisallow: /till\n"
PAGE = "<title>Lamps</title><p>A brass lamp. <a href=/more>More lamps</a>"


def imported(folder: Path, *records: bytes, **options: Any) -> ImportSummary:  # noqa: ANN401
    """Import records as one file."""
    how = options.pop("how", "by record")
    path = write_warc(folder / "then.warc.gz", records, how)
    return import_warcs(folder / "out", [path], "ExampleBot/1.0", **{"now": NOW, **options})


def events(folder: Path, url: str) -> list[tuple[str, bool | None, str, datetime]]:
    """Return what is recorded of a URL: event, verdict on fetching, reason and time."""
    with open_readonly(folder / "out") as database:
        history = history_of(database, url)
    assert history is not None
    return [
        (ask.event, ask.verdicts[0].allowed, ask.verdicts[0].reason, ask.at) for ask in history.asks
    ]


def titles(folder: Path, words: str = "lamp") -> list[str]:
    """Return the titles of the pages that are found."""
    with open_readonly(folder / "out") as database:
        return [hit.title for hit in search(database, words, now=NOW).hits]


def copy_of(folder: Path, url: str) -> bytes | None:
    """Return the content of a kept copy."""
    with open_readonly(folder / "out") as database:
        copy = kept_copy(database, url)
    return None if copy is None else copy.content


@pytest.mark.parametrize("how", ["by record", "whole", "plain"])
def test_an_allowed_capture_is_indexed_and_kept(tmp_path: Path, how: str) -> None:
    """With the verdict of the robots.txt of its time, which may come later in the file."""
    done = imported(
        tmp_path, response(f"{A}/lamps", PAGE, hours=1), response(ROBOTS, RULES), how=how
    )
    assert done == ImportSummary(files=1, records=2, allowed=1, robots_txt=1)
    assert titles(tmp_path) == ["Lamps"]
    assert copy_of(tmp_path, f"{A}/lamps") == PAGE.encode()
    assert copy_of(tmp_path, ROBOTS) == RULES.encode()
    at = NOON + timedelta(hours=1)
    assert events(tmp_path, f"{A}/lamps") == [("visited", True, "no-rule-matches", at)]
    with open_readonly(tmp_path / "out") as database:
        history = history_of(database, f"{A}/lamps")
        assert list(check_archive(database)) == []
    assert history is not None
    assert (history.how, history.state, history.visited) == ("capture", "done", at)
    (ask,) = history.asks
    assert ask.confirmed
    assert ask.robots_txt is not None
    assert ask.robots_txt.first == NOON


def test_what_the_robots_txt_of_the_time_disallows_is_not_indexed(tmp_path: Path) -> None:
    """Although the other crawler fetched it; and the rule is quoted."""
    done = imported(tmp_path, response(ROBOTS, RULES), response(f"{A}/till/lamp", PAGE))
    assert (done.allowed, done.disallowed) == (0, 1)
    assert events(tmp_path, f"{A}/till/lamp") == [("refused", False, "rule-disallows", NOON)]
    assert titles(tmp_path) == []
    assert copy_of(tmp_path, f"{A}/till/lamp") is None
    with open_readonly(tmp_path / "out") as database:
        history = history_of(database, f"{A}/till/lamp")
    assert history is not None
    assert history.asks[0].quoted[1].text == "Disallow: /till"


def test_without_a_robots_txt_it_is_unknown(tmp_path: Path) -> None:
    """Never allowed: nothing is indexed or kept, and the export of evidence has no verdict."""
    page = response(f"{A}/lamps", PAGE)
    done = imported(tmp_path, page, response("https://b.example/robots.txt", RULES))
    assert (done.allowed, done.unknown) == (0, 1)
    assert events(tmp_path, f"{A}/lamps") == [("unknown", None, "robots-txt-unknown", NOON)]
    assert titles(tmp_path) == []
    assert copy_of(tmp_path, f"{A}/lamps") is None
    with open_readonly(tmp_path / "out") as database:
        (row,) = [one for one in rows(database) if one["url"] == f"{A}/lamps"]
    assert (row["state"], row["allowed"], row["status"]) == ("skipped", None, 200)


def test_the_operator_may_answer_for_what_is_unknown(tmp_path: Path) -> None:
    """Each such verdict says so; marks on pages and known rules are obeyed all the same."""
    hidden = "<title>Secret lamp</title><meta name=robots content='noindex, noarchive'><p>lamp"
    done = imported(
        tmp_path, response(f"{A}/lamps", PAGE), response(f"{A}/secret", hidden),
        response("https://b.example/robots.txt", "User-agent: *\nDisallow: /"),
        response("https://b.example/lamps", PAGE), assume_allowed=True,
    )  # fmt: skip
    assert (done.allowed, done.assumed, done.disallowed, done.unknown) == (0, 2, 1, 0)
    assert events(tmp_path, f"{A}/lamps") == [("visited", True, "operator-assumed", NOON)]
    assert titles(tmp_path) == ["Lamps"]
    assert copy_of(tmp_path, f"{A}/secret") is None
    with open_readonly(tmp_path / "out") as database:
        history = history_of(database, f"{A}/lamps")
    assert history is not None
    verdict = history.asks[0].verdicts[0]
    assert "assumed by the operator of the import" in verdict.sentence
    assert verdict.kind == "operator"


@pytest.mark.parametrize(
    ("status", "verdict"),
    [(404, "visited"), (403, "visited"), (500, "refused"), (503, "refused"), (200, "visited")],
)
def test_the_status_of_robots_txt_counts(tmp_path: Path, status: int, verdict: str) -> None:
    """RFC 9309: unavailable allows everything, unreachable nothing. A failure is no permission."""
    imported(tmp_path, response(ROBOTS, "", status), response(f"{A}/lamps", PAGE))
    assert [event for event, *_ in events(tmp_path, f"{A}/lamps")] == [verdict]


@pytest.mark.parametrize(
    ("hours", "path", "verdict"),
    [
        (-0.01, "/lamps", "unknown"),  # it was fetched later
        (0, "/lamps", "visited"),
        (100, "/lamps", "visited"),  # seen again unchanged at 120
        (144, "/lamps", "visited"),
        (144.01, "/lamps", "unknown"),  # RFC 9309 section 2.4
        (144.01, "/till", "refused"),  # what is forbidden counts at any age
        (119, "/till", "refused"),
        (120, "/till", "refused"),
        (200, "/till", "visited"),  # allowed from 190 on
        (200, "/lamps", "refused"),
    ],
)
def test_the_robots_txt_is_that_of_the_time(
    tmp_path: Path, hours: float, path: str, verdict: str
) -> None:
    """The latest one before the capture, if it is recent or was seen again unchanged."""
    times = {0: RULES, 50: RULES, 120: RULES, 190: "User-agent: *\nDisallow: /lamps\n"}
    answers = [response(ROBOTS, text, hours=at) for at, text in times.items()]
    imported(tmp_path, response(f"{A}{path}", PAGE, hours=hours), *answers)
    assert [event for event, *_ in events(tmp_path, f"{A}{path}")] == [verdict]


def test_a_robots_txt_may_be_redirected(tmp_path: Path) -> None:
    """Its target counts if it is in the files; otherwise nothing is known."""
    moved = response(ROBOTS, "", 301, Location="https://www.a.example/rules.txt")
    target = response("https://www.a.example/rules.txt", RULES, hours=0.1)
    page, till = response(f"{A}/lamps", PAGE, hours=1), response(f"{A}/till", PAGE, hours=1)
    done = imported(tmp_path, moved, target, page, till)
    assert (done.allowed, done.disallowed, done.unknown) == (1, 1, 1)
    assert events(tmp_path, f"{A}/till")[0][:2] == ("refused", False)
    (tmp_path / "b").mkdir()
    assert imported(tmp_path / "b", moved, page).unknown == 1


CUT = b"User-agent: *\nDisallow: /l"[:-2]


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        (http(CUT, fields={**PLAIN, "Content-Length": "40"}), {}),
        (http(b"fff\r\n" + CUT, fields={**PLAIN, "Transfer-Encoding": "chunked"}), {}),
        (http(b"f", fields={**PLAIN, "Transfer-Encoding": "chunked"}), {}),
        (http(gzip.compress(CUT)[:-9], fields={**PLAIN, "Content-Encoding": "gzip"}), {}),
        (http(CUT, fields=PLAIN), {"WARC_Truncated": "disconnect"}),
        (http(CUT, fields=PLAIN), {"WARC_Truncated": "time"}),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", {}),
    ],
)
@pytest.mark.parametrize("how", ["itself", "revisit", "redirected"])
def test_a_robots_txt_whose_transfer_failed_permits_nothing(
    tmp_path: Path, block: bytes, fields: dict[str, Any], how: str
) -> None:
    """Neither itself nor as what a redirect leads to, though an older one allows the URL."""
    digest: dict[str, Any] = {"WARC_Payload_Digest": "sha1:A"}
    url = f"{A}/rules" if how == "redirected" else ROBOTS
    older = response(ROBOTS, "User-agent: *\nDisallow:", hours=-1)
    records = [record("response", url, block, **digest, **fields)]
    if how == "revisit":
        head = http(fields=PLAIN)
        records.append(record("revisit", ROBOTS, head, at=NOON + timedelta(hours=1), **digest))
    if how == "redirected":
        records.insert(0, response(ROBOTS, b"", 302, Location="/rules"))
    done = imported(tmp_path, older, *records, response(f"{A}/lamps", PAGE, hours=2))
    assert (done.allowed, done.disallowed, done.unknown) == (0, 1 + (how == "redirected"), 0)
    at = NOON + timedelta(hours=2)
    assert events(tmp_path, f"{A}/lamps") == [("refused", False, "cut-short", at)]
    if how != "redirected":
        assert (done.robots_txt, done.unreadable) == (1, len(records))


@pytest.mark.parametrize("block", [b"hello", b"HTTP/1.1 000 No\r\n\r\n"])
@pytest.mark.parametrize("is_known", [False, True])
def test_a_robots_txt_that_is_no_response_is_a_failed_request(
    tmp_path: Path, block: bytes, *, is_known: bool
) -> None:
    """A copy of the same day stays in force, and without one nothing is allowed."""
    older = [response(ROBOTS, RULES, hours=-1)] * is_known
    failed = record("response", ROBOTS, block)
    done = imported(tmp_path, *older, failed, response(f"{A}/lamps", PAGE, hours=2))
    assert (done.allowed, done.disallowed, done.unknown) == (is_known, not is_known, 0)


def test_a_robots_txt_that_its_crawler_cut_counts_as_cut(tmp_path: Path) -> None:
    """So does its revisit: the last line, which is not whole, is no rule."""
    fields: dict[str, Any] = {"WARC_Payload_Digest": "sha1:A"}
    block = http(RULES.encode(), fields={**PLAIN, "Content-Length": "9999"})
    first = record("response", ROBOTS, block, WARC_Truncated="length", **fields)
    again = record("revisit", ROBOTS, http(fields=PLAIN), at=NOON + timedelta(hours=1), **fields)
    survey = Survey([write_warc(tmp_path / "then.warc.gz", [first, again])])
    with closing(survey):
        survey.read()
        answers = list(survey.answers(ROBOTS))
    assert [(one.body, one.truncated) for one in answers] == [(RULES.encode(), True)] * 2


def test_pages_are_judged_as_of_today(tmp_path: Path) -> None:
    """What has expired meanwhile is neither indexed nor kept; link texts of it are not either."""
    old = "<meta name=robots content='unavailable_after: 2025-01-01'>" + PAGE
    imported(tmp_path, response(ROBOTS, RULES), response(f"{A}/lamps", old))
    assert titles(tmp_path) == []
    assert copy_of(tmp_path, f"{A}/lamps") is None
    with open_readonly(tmp_path / "out") as database:
        history = history_of(database, f"{A}/lamps")
    assert history is not None
    assert next(one for one in history.asks[0].verdicts if one.act == "index").allowed is False
    (tmp_path / "b").mkdir()
    early = NOON + timedelta(days=1)
    imported(tmp_path / "b", response(ROBOTS, RULES), response(f"{A}/lamps", old), now=early)
    assert copy_of(tmp_path / "b", f"{A}/lamps") is not None


def test_links_are_stored_and_only_captures_are_fetched(tmp_path: Path) -> None:
    """A link to a capture leads to it, another one is skipped; a redirect leads to its target."""
    page = "<title>Lamps</title><p>lamp <a href=/more>More</a> <a href=/nowhere>No</a>"
    imported(
        tmp_path, response(ROBOTS, RULES), response(f"{A}/", page),
        response(f"{A}/old", "", 301, Location="/more"), response(f"{A}/more", PAGE),
    )  # fmt: skip
    with open_readonly(tmp_path / "out") as database:
        states = dict(database.connection.execute("SELECT url, state FROM urls"))
        reasons = dict(database.connection.execute("SELECT url, reason FROM urls"))
        history = history_of(database, f"{A}/old")
    assert states == {
        f"{A}/": "done", f"{A}/more": "done", f"{A}/nowhere": "skipped", f"{A}/old": "redirected",
    }  # fmt: skip
    assert reasons[f"{A}/nowhere"] == "not-captured"
    assert history is not None
    assert history.target == f"{A}/more"


def again(
    url: str,
    refers: str,
    at_hours: float,
    head: bytes = b"",
    **fields: Any,  # noqa: ANN401
) -> bytes:
    """Return a revisit of a capture at noon."""
    at = NOON + timedelta(hours=at_hours)
    named: dict[str, Any] = {
        "WARC_Refers_To_Target_URI": refers,
        "WARC_Refers_To_Date": "2024-05-01T12:00:00Z",
    }
    return record("revisit", url, head, at=at, **{**named, **fields})


def test_revisits_have_the_content_of_their_originals(tmp_path: Path) -> None:
    """Found by URL and date, by identifier or by digest, also at another URL; else unreadable."""
    digest: dict[str, Any] = {"WARC_Payload_Digest": "sha1:A"}
    lamps = record(
        "response", f"{A}/lamps", http(PAGE.encode()), WARC_Record_ID="<urn:x>", **digest
    )
    by_id = {"WARC_Refers_To_Target_URI": "", "WARC_Refers_To": "<urn:x>"}
    by_digest = {"WARC_Refers_To_Target_URI": "", **digest}
    lost = {"WARC_Refers_To_Target_URI": "", "WARC_Payload_Digest": "sha1:B"}
    head = http(fields={"X-Robots-Tag": "noarchive"})
    done = imported(
        tmp_path, response(ROBOTS, RULES), lamps, again(f"{A}/1", f"{A}/lamps", 1, head),
        again(f"{A}/2", "", 1, http(), **by_id), again(f"{A}/3", "", 1, b"", **by_digest),
        again(f"{A}/4", "", 1, http(), **lost),
        again(f"{A}/5", f"{A}/lamps", 1, http(), WARC_Payload_Digest="sha1:B"),
        again(ROBOTS, ROBOTS, 20), response(f"{A}/late", PAGE, hours=40),
    )  # fmt: skip
    assert (done.allowed, done.unreadable, done.robots_txt) == (5, 2, 2)
    assert copy_of(tmp_path, f"{A}/1") is None  # as the header of the revisit says
    for number in (2, 3):
        assert copy_of(tmp_path, f"{A}/{number}") == PAGE.encode()


def test_keys_with_the_same_number_are_not_confused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A number of 64 bits stands for a key: what it leads to must have that key."""
    monkeypatch.setattr(survey, "key_of", lambda *_: 7)
    moved = http(status=304, fields={"Content-Type": ""})
    unnamed = {"WARC_Refers_To_Target_URI": "", "WARC_Refers_To_Date": ""}
    done = imported(
        tmp_path, response(ROBOTS, RULES), response(f"{A}/lamps", PAGE),
        again(f"{A}/1", f"{A}/lamps", 1, http()), again(ROBOTS, ROBOTS, 1, http()),
        again(f"{A}/lamps", "", 2, moved, **unnamed),
    )  # fmt: skip
    assert (done.allowed, done.unreadable, done.robots_txt) == (1, 2, 2)


@pytest.mark.parametrize("is_redirected", [False, True])
def test_after_a_revisit_of_what_is_not_in_the_files_nothing_is_known(
    tmp_path: Path, *, is_redirected: bool
) -> None:
    """It says that there was another answer: an older policy must not go on permitting."""
    lost: dict[str, Any] = {"WARC_Refers_To_Target_URI": "", "WARC_Payload_Digest": "sha1:B"}
    url = f"{A}/rules" if is_redirected else ROBOTS
    moved = [response(ROBOTS, b"", 302, hours=1, Location="/rules")] * is_redirected
    records = [*moved, again(url, "", 1, http(), **lost)]
    done = imported(
        tmp_path, response(ROBOTS, "User-agent: *\nDisallow:"), response(f"{A}/early", PAGE),
        *records, response(f"{A}/late", PAGE, hours=2),
    )  # fmt: skip
    assert (done.allowed, done.unknown, done.disallowed) == (1, 1, 0)


def test_a_304_confirms_its_original(tmp_path: Path) -> None:
    """Its header counts together with the stored content; without its original it says nothing."""
    moved = http(status=304, fields={"Content-Type": "", "X-Robots-Tag": "noindex"})
    done = imported(
        tmp_path, response(ROBOTS, RULES), response(f"{A}/lamps", PAGE),
        again(f"{A}/lamps", f"{A}/lamps", 1, moved), again(f"{A}/lost", f"{A}/lost", 1, moved),
    )  # fmt: skip
    assert (done.allowed, done.unreadable) == (2, 1)
    assert titles(tmp_path) == []
    assert copy_of(tmp_path, f"{A}/lamps") == PAGE.encode()


def test_an_import_that_is_repeated_changes_nothing(tmp_path: Path) -> None:
    """Whether it was interrupted or not, and in any order of files."""
    records = [response(ROBOTS, RULES), response(f"{A}/lamps", PAGE), response(f"{A}/till", PAGE)]
    records += [response(f"{A}/{number}", f"<p>lamp {number}") for number in range(9)]
    records += [response("https://b.example/", PAGE)]
    first = imported(tmp_path, *records)

    def stored() -> list[Any]:
        with Database(tmp_path / "out") as database:
            tables = ("evidence", "kept", "policies", "documents", "urls")
            read = "SELECT * FROM {} ORDER BY 1, 2"
            return [database.connection.execute(read.format(one)).fetchall() for one in tables]

    before = stored()
    again = imported(tmp_path, *records)
    assert stored() == before
    assert again.known == first.allowed + first.disallowed + first.unknown == 12
    assert again.allowed == 0


def test_an_interrupted_import_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded before stays, and nothing is recorded twice."""
    monkeypatch.setattr(warc_import, "BATCH", 3)
    records = [response(ROBOTS, RULES), *(response(f"{A}/{n}", f"<p>lamp {n}") for n in range(10))]
    seen = 0

    def interrupt(_: ImportSummary) -> None:
        nonlocal seen
        seen += 1
        if seen == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        imported(tmp_path, *records, on_progress=interrupt)
    done = imported(tmp_path, *records)
    assert (done.known, done.allowed) == (6, 4)
    for number in range(10):
        assert len(events(tmp_path, f"{A}/{number}")) == 1


def test_the_sites_of_a_file_are_stored_in_few_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither each robots.txt nor each policy has a commit of its own."""
    commits = []

    def commit(database: Database) -> None:
        commits.append(database)
        commit_before(database)

    commit_before = Database.commit
    monkeypatch.setattr(Database, "commit", commit)
    sites = [f"https://s{number}.example" for number in range(300)]
    done = imported(tmp_path, *(response(f"{site}/robots.txt", RULES) for site in sites))
    assert done.robots_txt == 300
    assert len(commits) < 30
    with open_readonly(tmp_path / "out") as database:
        assert all(database.store.get(site) for site in sites)
    assert copy_of(tmp_path, f"{sites[-1]}/robots.txt") == RULES.encode()


def test_of_several_captures_the_latest_counts(tmp_path: Path) -> None:
    """Earlier ones are recorded if they come before it; one that comes later is known as older."""
    texts = ((1, "<p>lamp one"), (3, "<p>lamp three"), (2, "<p>lamp two"))
    done = imported(
        tmp_path, response(ROBOTS, RULES),
        *(response(f"{A}/lamps", text, hours=at) for at, text in texts),
    )  # fmt: skip
    assert (done.allowed, done.known) == (2, 1)
    assert copy_of(tmp_path, f"{A}/lamps") == b"<p>lamp three"
    assert len(events(tmp_path, f"{A}/lamps")) == 2


def test_other_records_are_counted(tmp_path: Path) -> None:
    """By type; none of them raises."""
    kinds = ("warcinfo", "request", "metadata", "resource", "conversion", "continuation", "odd")
    others = [record(kind, f"{A}/{kind}", b"x") for kind in kinds]
    done = imported(
        tmp_path, response(ROBOTS, RULES), *others, record("response", "dns:a.example", b"x"),
        record("response", f"{A}/x", b"no http"), b"broken",
    )  # fmt: skip
    assert done.other == {
        "warcinfo": 1, "request": 1, "metadata": 1, "resource": 1, "conversion": 1,
        "continuation": 1, "unknown": 1, "response": 1,
    }  # fmt: skip
    assert (done.unreadable, done.damaged, done.records) == (1, 1, 10)


def test_images_are_not_kept(tmp_path: Path) -> None:
    """As in a crawl, only documents are read, unless other types are named."""
    image = response(f"{A}/lamp.png", b"\x89PNG lamp", Content_Type="image/png")
    done = imported(tmp_path, response(ROBOTS, RULES), image)
    assert done.allowed == 1
    assert copy_of(tmp_path, f"{A}/lamp.png") is None
    (tmp_path / "b").mkdir()
    imported(tmp_path / "b", response(ROBOTS, RULES), image, types=["html", "image/*"])
    assert copy_of(tmp_path / "b", f"{A}/lamp.png") == b"\x89PNG lamp"


def test_copies_are_optional(tmp_path: Path) -> None:
    """The index does not need them."""
    imported(tmp_path, response(ROBOTS, RULES), response(f"{A}/lamps", PAGE), copies=False)
    assert (titles(tmp_path), copy_of(tmp_path, f"{A}/lamps")) == (["Lamps"], None)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    """That of a crawl, and that of an import for another robot."""
    path = write_warc(tmp_path / "a.warc.gz", [response(ROBOTS, RULES)])
    with Database(tmp_path / "crawl", create=True) as database:
        database.write_settings({"robot": "ExampleBot/1.0", "bounds": "{}"})
    with pytest.raises(MisuseError, match="there is a crawl in"):
        import_warcs(tmp_path / "crawl", [path], "ExampleBot/1.0", now=NOW)
    import_warcs(tmp_path / "out", [path], "ExampleBot/1.0", now=NOW)
    with pytest.raises(MisuseError, match="not for OtherBot"):
        import_warcs(tmp_path / "out", [path], "OtherBot", now=NOW)
    with pytest.raises(RobotNameError):
        import_warcs(tmp_path / "new", [path], "", now=NOW)
    with pytest.raises(MisuseError, match="cannot be read"):
        import_warcs(tmp_path / "new", [tmp_path / "no.warc"], "ExampleBot", now=NOW)
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_no_warc_is_imported_as_damaged(tmp_path: Path) -> None:
    """Nothing raises, and nothing is recorded."""
    for number, content in enumerate((b"", b"\0" * 99, b"hello", gzip.compress(b"hello"))):
        path = tmp_path / f"{number}.warc.gz"
        path.write_bytes(content)
        done = import_warcs(tmp_path / "out", [path], "ExampleBot", now=NOW)
        assert (done.records, done.damaged) == (0, 1)


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_robots_txt_at_one_time_both_hold(swapped: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Which one came last is unknown, so each of them can disallow a URL."""
    texts = ["User-agent: *\nDisallow: /till\n", "User-agent: *\nDisallow: /attic\n"]
    texts = texts[::-1] if swapped else texts
    names = ("till", "attic", "lamps")
    pages = [response(f"{A}/{name}", f"<title>{name}</title>lamp", hours=1) for name in names]
    done = imported(tmp_path, *(response(ROBOTS, text) for text in texts), *pages)
    assert (done.allowed, done.disallowed) == (1, 2)
    assert titles(tmp_path) == ["lamps"]


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_targets_at_one_time_both_hold(swapped: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """The same is so where a robots.txt redirects to, as long as there are few of them."""
    moved = response(ROBOTS, "", 301, Location="https://www.a.example/rules.txt")
    texts = ["User-agent: *\nDisallow: /till\n", "User-agent: *\nDisallow: /attic\n"]
    texts = texts[::-1] if swapped else texts
    names = ("till", "attic", "lamps")
    pages = [response(f"{A}/{name}", f"<title>{name}</title>lamp", hours=1) for name in names]
    targets = [response("https://www.a.example/rules.txt", text, hours=0.1) for text in texts]
    later = response("https://www.a.example/rules.txt", "User-agent: *\nDisallow: /\n", hours=0.2)
    done = imported(tmp_path, moved, *targets, later, *pages)
    assert (done.allowed, done.disallowed) == (1, 2)
    assert titles(tmp_path) == ["lamps"]


def test_targets_with_very_many_ways_permit_nothing(tmp_path: Path) -> None:
    """A few redirects of one time would make many thousands of ways."""
    places = [f"https://www.a.example/{number}" for number in range(4)]
    hops = [
        response(url, "", status, Location=following)
        for url, following in zip([ROBOTS, *places], places, strict=False)
        for status in (301, 302, 303, 307, 308)
    ]
    ends = response(places[-1], "User-agent: *\nAllow: /\n")
    done = imported(tmp_path, *hops, ends, response(f"{A}/lamps", PAGE, hours=1))
    assert (done.allowed, done.disallowed) == (0, 1)


def test_a_failure_at_the_same_time_permits_nothing(tmp_path: Path) -> None:
    """Nor do very many responses at one time."""
    lamp = response(f"{A}/lamps", PAGE)
    failed = [response(ROBOTS, RULES), response(ROBOTS, "", 503), response(ROBOTS, RULES)]
    assert imported(tmp_path, *failed, lamp).disallowed == 1
    (tmp_path / "many").mkdir()
    many = [response(ROBOTS, f"# {number}\n") for number in range(50)]
    assert imported(tmp_path / "many", *many, lamp).disallowed == 1


def test_what_is_behind_damage_is_reported(tmp_path: Path) -> None:
    """Where, and how much it is."""
    parts = [response(ROBOTS, RULES), b"broken\r\n", response(f"{A}/lamps", PAGE)]
    done = imported(tmp_path, *parts, how="plain")
    assert (done.records, done.damaged, done.unread) == (1, 1, len(parts[1] + parts[2]))
    (part,) = done.unread_parts
    assert part.file == str(tmp_path / "then.warc.gz")
    assert (part.offset, part.bytes) == (len(parts[0]), done.unread)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded before stays."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("goodbot.crawl.archive.place.write", full)
    with pytest.raises(StoreFullError):
        imported(tmp_path, response(ROBOTS, RULES), response(f"{A}/lamps", PAGE))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("CREATE", "{} PRAGMA max_page_count = 1;"),
        ("FIND_CAPTURED", "PRAGMA max_page_count = 1; {}"),
    ],
)
def test_a_full_disk_of_temporary_files_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, form: str
) -> None:
    """While the files are read or later; the folder of the import may have room all the same."""
    # Of a file that may not grow SQLite says that the disk is full.
    monkeypatch.setattr(survey, name, form.format(getattr(survey, name)))
    records = [response(f"{A}/{number}", PAGE) for number in range(500)]
    with pytest.raises(StoreFullError, match="no room for the temporary file of the import"):
        imported(tmp_path, response(ROBOTS, RULES), *records)


def test_other_robots_and_dialects(tmp_path: Path) -> None:
    """The verdicts are those for the robot that is named, which may be any."""
    rules = "User-agent: archive_org_bot\nDisallow: /\n"
    path = write_warc(tmp_path / "a.warc.gz", [response(ROBOTS, rules), response(f"{A}/l", PAGE)])
    for robot, disallowed in (("archive_org_bot", 1), ("ExampleBot", 0)):
        done = import_warcs(tmp_path / robot, [path], robot, now=NOW, dialect="google")
        assert done.disallowed == disallowed


def test_a_crawl_can_go_on_from_an_import(tmp_path: Path) -> None:
    """With other bounds, it visits what the captures link to, on their sites only."""
    page = "<title>Lamps</title><a href=/more>More</a> <a href=https://b.example/>other</a>"
    imported(tmp_path, response(ROBOTS, RULES), response(f"{A}/", page))
    site = FakeSite({"/robots.txt": "", "/more": "<p>more lamps"})
    for bounds, pages in (({}, 0), ({"depth": 5}, 1)):
        crawl = Crawl(
            tmp_path / "out", "ExampleBot/1.0", info_url="https://example.com/bot",
            contact="bot@example.com", fetcher=site, clock=site.clock, resume=True, bounds=bounds,
        )  # fmt: skip
        assert asyncio.run(crawl.run()).pages == pages
    assert [visit.url for visit in site.visits] == [ROBOTS, f"{A}/more"]
    assert copy_of(tmp_path, f"{A}/more") == b"<p>more lamps"


NASTY: dict[str, list[Any]] = {
    "WARC_Date": [
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z", "x", "",
        "2024-05-01T12:00:00Z", "2024-05-01T23:59:60Z",
    ],
    "WARC_Target_URI": [
        f"{A}/", f"{A}/lamps", ROBOTS, "http://[::1]/", "https://a.example:99999/", "", "\ufffd",
        f"{A}/{'x' * 9000}", "https://\u00e9.example/\u00e9?\u00e9", f"{A}/%00%ff", "mailto:a@b",
    ],
    "WARC_Type": ["response", "revisit", "", "\x00"],
    "WARC_IP_Address": ["192.0.2.1", "x" * 99, ""],
    "WARC_Refers_To": ["<urn:x>", ""],
    "WARC_Refers_To_Target_URI": [f"{A}/", "x", ""],
    "WARC_Refers_To_Date": ["2024-05-01T12:00:00Z", "x", ""],
    "WARC_Payload_Digest": ["sha1:A", ""],
    "WARC_Protocol": ["h2", "\x7f", ""],
}  # fmt: skip
HEADS = [
    {"X-Robots-Tag": "unavailable_after: 9999-12-31"}, {"Location": "//["}, {"Location": "/lamps"},
    {"Content-Encoding": "gzip"}, {"Transfer-Encoding": "chunked"}, {"Age": "9" * 20},
    {"Content-Type": "\x00"}, {"Refresh": "0; url=/x"}, {"Retry-After": "9" * 30},
    {"Expires": "Fri, 31 Dec 9999 23:59:59 GMT"}, {"Last-Modified": "x"}, {},
    {"Cache-Control": "max-age=9" * 9},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_odd_records_never_raise(tmp_path: Path, seed: int) -> None:
    """Whatever fields, statuses and contents are put together; and the folder stays whole."""
    chance = random.Random(seed)  # noqa: S311  the same each time
    records = []
    for _ in range(250):
        fields = {name: chance.choice(values) for name, values in NASTY.items()}
        url = fields.pop("WARC_Target_URI")
        status = chance.choice([200, 200, 200, 206, 301, 304, 404, 410, 429, 500, 599, 999])
        body = chance.choice([b"", PAGE.encode(), RULES.encode(), b"\xff\xfe\x00", b"5\r\nabc"])
        block = chance.choice([http(body, status, chance.choice(HEADS)), body])
        records.append(record(fields.pop("WARC_Type"), url, block, **fields))
    how = chance.choice(["by record", "whole", "plain"])
    done = imported(tmp_path, *records, how=how, assume_allowed=bool(seed % 2))
    assert done.records == len(records)
    again = imported(tmp_path, *records, how=how, assume_allowed=bool(seed % 2))
    assert again.allowed == again.assumed == again.disallowed == again.unknown == 0
    with open_readonly(tmp_path / "out") as database:
        assert list(check_archive(database)) == []
        assert sum(1 for _ in rows(database)) > 0
