"""Web archives against what sites say now."""

import datetime as dt
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from goodbot.content_use import read_tdmrep
from goodbot.crawl.reconsidering.file_scan import ScanOptions, scan_files
from goodbot.crawl.reconsidering.holdings import ArchiveHoldings, FoundSources, find_sources
from goodbot.crawl.reconsidering.question import ALL_USES, HeldQuestion
from goodbot.crawl.reconsidering.statement_sources import StatementSource
from goodbot.errors import MisuseError
from goodbot.policy import Policy
from goodbot.reconsidering import HeldUse, Reconsidered, SiteStatements, TakedownList
from tests.support.crawls.foreign_warcs import NOON, http, record, response, write_warc

SITE = "https://a.example"
OPTIONS = ScanOptions("ExampleBot", "google", reads_pages=True)
NOW = NOON + dt.timedelta(days=400)


class Says:
    """A source that has one robots.txt for every site."""

    def __init__(self, robots_txt: bytes) -> None:
        """Store it."""
        self.robots_txt = robots_txt

    def at(self, origin: str, time: dt.datetime | None) -> SiteStatements:
        """Return what follows from it."""
        policy = Policy.from_response(f"{origin}/robots.txt", 200, {}, self.robots_txt, now=NOW)
        return SiteStatements((policy,), time, tdmrep=read_tdmrep(b"[]"))


def rows_of(
    *files: Path,
    now: StatementSource,
    uses: Sequence[HeldUse] = ALL_USES,
    takedown: TakedownList | None = None,
) -> list[Reconsidered]:
    """Return the report on files."""
    options = OPTIONS._replace(takedown=takedown)
    with ArchiveHoldings(FoundSources("archives", files), options, workers=1) as held:
        question = HeldQuestion(
            "ExampleBot", uses, held.then("rfc9309"), now, NOW, takedown=takedown
        )
        return list(held.rows(question))


@pytest.mark.parametrize("how", ["by record", "whole", "plain"])
def test_each_record_has_a_row_for_each_use(tmp_path: Path, how: str) -> None:
    """Then by the robots.txt in the file, now by what the site says, and what META said."""
    file = write_warc(
        tmp_path / "a.warc.gz",
        [
            response(f"{SITE}/robots.txt", "User-agent: *\nAllow: /\n"),
            response(f"{SITE}/private/a", "<p>brass", hours=1),
            response(f"{SITE}/b", "<meta name=robots content=noai><p>lamp", hours=1),
        ],
        how,
    )
    rows = rows_of(file, now=Says(b"User-agent: *\nDisallow: /private\n"))
    assert [(one.url, one.use, one.then, one.now, one.do) for one in rows] == [
        (f"{SITE}/private/a", "fetch", "allowed", "disallowed", "remove"),
        (f"{SITE}/private/a", "archive", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/private/a", "search", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/private/a", "ground", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/private/a", "train", "unknown", "unmentioned", "keep"),
        (f"{SITE}/b", "fetch", "allowed", "allowed", "keep"),
        (f"{SITE}/b", "archive", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/b", "search", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/b", "ground", "unmentioned", "unmentioned", "keep"),
        (f"{SITE}/b", "train", "reserved", "reserved", "exclude-from-training"),
    ]


def test_a_revisit_says_what_its_original_says(tmp_path: Path) -> None:
    """It has no document of its own, which may have said more."""
    digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    later = NOON + dt.timedelta(days=1)
    page = http(b"<meta name=robots content=noarchive>")
    file = write_warc(
        tmp_path / "a.warc.gz",
        [
            record("response", f"{SITE}/a", page, WARC_Payload_Digest=digest),
            record("revisit", f"{SITE}/a", http(), at=later, WARC_Payload_Digest=digest),
        ],
    )
    found = rows_of(file, now=Says(b""), uses=("archive",))
    assert [(one.kind, one.now) for one in found] == [
        ("response", "reserved"), ("revisit", "reserved"),
    ]  # fmt: skip


def test_what_is_derived_from_a_page_has_the_rows_of_its_url(tmp_path: Path) -> None:
    """Texts and pictures of a page that other tools store beside it, under names of their own."""
    url = f"{SITE}/private/a"
    file = write_warc(
        tmp_path / "a.warc.gz",
        [
            record("resource", f"urn:text:{url}", b"brass"),
            record("resource", f"screenshot:{url}", b"\x89PNG"),
            record("conversion", url, b"brass"),
            record("metadata", url, b"outlink: x"),
            record("request", url, b"GET / HTTP/1.1"),
            record("warcinfo", None, b"software: x"),
            record("resource", "dns:a.example", b"192.0.2.1"),
        ],
    )
    rows = rows_of(file, now=Says(b"User-agent: *\nDisallow: /private\n"), uses=("fetch",))
    assert [(one.kind, one.do) for one in rows] == [
        ("resource", "remove"), ("resource", "remove"), ("conversion", "remove"),
    ]  # fmt: skip


def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    """The rows are the same, in the same order."""
    files = [
        write_warc(tmp_path / f"{number}.warc.gz", [response(f"{SITE}/{number}", "<p>a")])
        for number in range(3)
    ]
    found = []
    for workers in (1, 2):
        folder = tmp_path / f"scan-{workers}"
        folder.mkdir()
        with closing(scan_files(files, OPTIONS, folder, workers)) as scan:
            found.append(scan.execute("SELECT * FROM records ORDER BY id").fetchall())
    assert found[0] == found[1]
    assert len(found[0]) == 3


def test_sources_are_told_apart(tmp_path: Path) -> None:
    """Archives and indexes in folders; what is nothing is refused."""
    write_warc(tmp_path / "archive.warc.gz", [response(f"{SITE}/a", "<p>")])
    (tmp_path / "index.cdxj").write_text("")
    (tmp_path / "notes.txt").write_text("")
    found = find_sources([tmp_path])
    assert (found.kind, [one.name for one in found.files]) == ("archives", ["archive.warc.gz"])
    assert [one.name for one in found.indexes] == ["index.cdxj"]
    with pytest.raises(MisuseError, match="there is no"):
        find_sources([tmp_path / "missing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MisuseError, match="nothing that goodbot can reconsider"):
        find_sources([tmp_path / "empty"])
