"""The export of a crawl as WACZ: what is in the file, and what is not."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from goodbot.crawl import WaczSummary, export_wacz
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.wacz.cdxj import LINES, CaptureIndex, capture_line
from goodbot.crawl.wacz.wacz_export import write_wacz
from goodbot.errors import MisuseError, NotAStoreError, StoreFullError
from tests.support.crawls.archived_crawls import LAMP, NOON, PARTS, Crawl, answer, later, warc_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from tests.support.shop_site.crawled import ShopCrawl

EXPIRING = "<meta name=robots content='unavailable_after: 2026-03-02T12:00:00Z'><p>for a day"
ROBOTS = "https://shop.example/robots.txt"
TEXT = (("Content-Type", "text/plain"),)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Keep some pages and a robots.txt, one of them twice and one for a day only."""
    with Crawl(tmp_path / "crawl", user_agent="ExampleBot/1.0") as crawl:
        crawl.archive.keep_robots_txt(answer("User-agent: *\n", ROBOTS, headers=TEXT))
        crawl.keep(answer("<title>Lamp</title><p>brass"))
        crawl.keep(answer("<title>Lamp</title><p>brass", started=later(hours=1)))
        crawl.keep(answer(PARTS, f"{LAMP}/parts"))
        crawl.keep(answer("\x89PNG", f"{LAMP}.png", headers=(("Content-Type", "image/png"),)))
        crawl.keep(answer(EXPIRING, f"{LAMP}/expiring"))
        crawl.keep(answer("<p>old", f"{LAMP}/replaced"))
        crawl.keep(answer("<p>new", f"{LAMP}/replaced", started=later(hours=2)))
        crawl.keep(answer("<p>gone", f"{LAMP}/forgotten"))
        crawl.archive.forget(crawl.number(f"{LAMP}/forgotten"))
    return tmp_path / "crawl"


def exported(folder: Path, now: datetime = NOON, **options: Any) -> zipfile.ZipFile:  # noqa: ANN401
    """Export a crawl, and open the file."""
    path = folder.parent / "shop.wacz"
    with open_readonly(folder) as database:
        export_wacz(database, path, now, **options)
    return zipfile.ZipFile(path)


def captures(wacz: zipfile.ZipFile) -> list[tuple[str, str, dict[str, str]]]:
    """Return the lines of the index."""
    lines = gzip.decompress(wacz.read("indexes/index.cdx.gz")).decode().splitlines()
    assert lines == sorted(lines)
    parts = (line.split(" ", 2) for line in lines)
    return [(key, time, json.loads(facts)) for key, time, facts in parts]


def records(wacz: zipfile.ZipFile) -> Iterator[tuple[str, str | None, bytes]]:
    """Yield kind, URL and content of every record, as another reader sees them."""
    for name in wacz.namelist():
        if name.startswith("archive/"):
            file = io.BytesIO(wacz.read(name))
            any_type = WarcRecordType.any_type
            for record in ArchiveIterator(file, record_types=any_type, parse_http=False):
                assert record.verify_block_digest()
                url = record.headers.get("WARC-Target-URI")
                yield record.headers["WARC-Type"], url, record.reader.read()


def test_the_list_of_members_has_their_digests(folder: Path) -> None:
    """datapackage.json lists every member, and datapackage-digest.json has its own digest."""
    with exported(folder, title="The shop", description="*All* of it") as wacz:
        manifest = json.loads(wacz.read("datapackage.json"))
        digest = json.loads(wacz.read("datapackage-digest.json"))
        members = {one: wacz.read(one) for one in wacz.namelist()}
        stored = {one.filename for one in wacz.infolist() if not one.compress_type}
    listed = {one["path"]: (one["hash"], one["bytes"]) for one in manifest["resources"]}
    own = {"datapackage.json", "datapackage-digest.json"}
    hashes = {one: f"sha256:{hashlib.sha256(members[one]).hexdigest()}" for one in members}
    assert listed == {one: (hashes[one], len(members[one])) for one in members.keys() - own}
    assert digest == {"path": "datapackage.json", "hash": hashes["datapackage.json"]}
    assert stored == {one for one in members if one.endswith(".gz")}
    facts = {name: manifest[name] for name in ("profile", "wacz_version", "title", "created")}
    assert facts == {
        "profile": "data-package", "wacz_version": "1.1.1", "title": "The shop",
        "created": "2026-03-01T12:00:00Z",
    }  # fmt: skip
    assert manifest["mainPageUrl"] == LAMP


def test_every_line_of_the_index_leads_to_its_record(folder: Path) -> None:
    """Offset and length name one gzip member, whose record is that of the line."""
    with exported(folder) as wacz:
        found = captures(wacz)
        for _, time, facts in found:
            content = wacz.read(f"archive/{facts['filename']}")
            start = int(facts["offset"])
            member = content[start : start + int(facts["length"])]
            assert facts["recordDigest"] == f"sha256:{hashlib.sha256(member).hexdigest()}"
            (record,) = ArchiveIterator(io.BytesIO(member), record_types=WarcRecordType.any_type)
            assert record.headers["WARC-Target-URI"] == facts["url"]
            date = record.headers["WARC-Date"]
            assert "".join(one for one in date if one.isdigit())[:14] == time
            assert record.headers.get("WARC-Payload-Digest", facts["digest"]) == facts["digest"]
        blocks = wacz.read("indexes/index.idx").decode().splitlines()
    kinds = [(key, facts["mime"], facts.get("status")) for key, _, facts in found]
    assert kinds == [
        ("example,shop)/lamp", "text/html", "200"),
        ("example,shop)/lamp", "warc/revisit", "200"),
        ("example,shop)/lamp.png", "image/png", "200"),
        ("example,shop)/lamp/expiring", "text/html", "200"),
        ("example,shop)/lamp/parts", "text/html", None),
        ("example,shop)/lamp/replaced", "text/html", "200"),
        ("example,shop)/robots.txt", "text/plain", "200"),
    ]
    assert blocks[0].startswith("!meta 0 ")
    assert len(blocks) == 2


def test_the_list_of_pages_has_documents_only(folder: Path) -> None:
    """Neither images nor robots.txt; a page that is not in the index has no title."""
    with exported(folder) as wacz:
        first, *pages = map(json.loads, wacz.read("pages/pages.jsonl").decode().splitlines())
    assert first["format"] == "json-pages-1.0"
    assert [(one["url"], one["ts"], one.get("title")) for one in pages] == [
        (LAMP, "2026-03-01T12:00:00Z", None),
        (f"{LAMP}/parts", "2026-03-01T12:00:00Z", None),
        (f"{LAMP}/expiring", "2026-03-01T12:00:00Z", None),
        (f"{LAMP}/replaced", "2026-03-01T14:00:00Z", None),
    ]


def test_what_must_not_be_shown_is_not_in_the_file(folder: Path) -> None:
    """Neither forgotten, replaced, cut nor expired content; the WARC files still have it."""
    with exported(folder, later(days=1)) as wacz:
        every = list(records(wacz))
        urls = {facts["url"] for *_, facts in captures(wacz)}
        pages = wacz.read("pages/pages.jsonl")
    content = b"".join(one for *_, one in every)
    for secret in (b"for a day", b"<p>old", b"<p>gone", b"hidden"):
        assert secret not in content
    for shown in (b"brass", b"<p>new", b"open"):
        assert shown in content
    assert f"{LAMP}/expiring" not in urls
    assert b"expiring" not in pages
    kept = b"".join(gzip.decompress(path.read_bytes()) for path in warc_files(folder))
    assert b"for a day" in kept
    with open_readonly(folder) as database:
        done = write_wacz(database, io.BytesIO(), later(days=1))
    assert done == WaczSummary(3, 7, 2, done.bytes, 1, 0)


def test_pages_of_which_there_is_no_copy_are_counted(shop_crawl: ShopCrawl) -> None:
    """Those of the shop that forbid copies, or expire at once."""
    with open_readonly(shop_crawl.folder) as database:
        done = write_wacz(database, io.BytesIO(), later(days=1))
    assert done.without_copy == len({"/marked/noarchive", "/marked/late"})


def test_a_revisit_of_what_has_expired_is_omitted(tmp_path: Path) -> None:
    """Its content is gone, so that nothing could be replayed; and then there is no file at all."""
    with Crawl(tmp_path / "crawl") as crawl:
        crawl.keep(answer(EXPIRING))
        crawl.keep(answer(EXPIRING, started=later(hours=1)))
    with exported(tmp_path / "crawl") as wacz:
        assert [facts["mime"] for *_, facts in captures(wacz)] == ["text/html", "warc/revisit"]
    (tmp_path / "shop.wacz").unlink()
    with pytest.raises(NotAStoreError, match="every copy in the archive has expired"):
        exported(tmp_path / "crawl", later(days=1))
    assert [path.name for path in tmp_path.iterdir()] == ["crawl"]


def test_an_empty_archive_cannot_be_exported(tmp_path: Path) -> None:
    """The message says so."""
    with Crawl(tmp_path / "crawl"):
        pass
    with pytest.raises(NotAStoreError, match="the archive is empty"):
        exported(tmp_path / "crawl")


class Pipe(io.RawIOBase):
    """A stream that can only be written to, and only so far."""

    def __init__(self, most: int = 1 << 30) -> None:
        """Start with nothing."""
        self.content = b""
        self.most = most

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, content: Any) -> int:  # noqa: ANN401  as `io` declares it
        """Store the bytes; fail as a full disk does."""
        if len(self.content) + len(content) > self.most:
            raise OSError(28, os.strerror(28))
        self.content += bytes(content)
        return len(content)


def test_a_stream_has_the_same_members(folder: Path) -> None:
    """Only its ZIP structure differs: each member is followed by its length (data descriptors)."""
    pipe = Pipe()
    with open_readonly(folder) as database:
        write_wacz(database, pipe, NOON, streamed=True)  # type: ignore[arg-type]
    with exported(folder) as wacz, zipfile.ZipFile(io.BytesIO(pipe.content)) as streamed:
        assert streamed.testzip() is None
        assert all(one.flag_bits & 8 for one in streamed.infolist())
        assert not any(one.flag_bits & 8 for one in wacz.infolist())
        for name in wacz.namelist():
            assert streamed.read(name) == wacz.read(name)


def test_a_full_disk_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whatever byte it is full, the previous file stays and the message says what to do."""
    path = folder.parent / "shop.wacz"
    with exported(folder):
        whole = path.read_bytes()
    for most in range(0, len(whole), 97):
        pipe = Pipe(most)
        with open_readonly(folder) as database, pytest.raises(OSError, match="No space left"):
            write_wacz(database, pipe, NOON, streamed=True)  # type: ignore[arg-type]

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("goodbot.crawl.wacz.wacz_export.write_index", full)
    with open_readonly(folder) as database, pytest.raises(StoreFullError, match="make room"):
        export_wacz(database, path, NOON)
    assert path.read_bytes() == whole
    assert sorted(one.name for one in folder.parent.iterdir()) == ["crawl", "shop.wacz"]


def test_a_name_with_another_ending_is_refused(folder: Path) -> None:
    """Readers recognise the file by its ending, so the message has the name to use."""
    with open_readonly(folder) as database, pytest.raises(MisuseError, match=r"shop\.zip\.wacz"):
        export_wacz(database, folder.parent / "shop.zip", NOON)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE kept SET offset = offset + 1 WHERE kind = 'conversion'", "no whole record"),
        ("UPDATE kept SET offset = 0 WHERE kind = 'conversion'", "impossible records"),
        ("UPDATE kept SET length = 1 << 60 WHERE kind = 'conversion'", "impossible records"),
        ("UPDATE kept SET record = zeroblob(16) WHERE kind = 'revisit'", "another record"),
        ("UPDATE kept SET digest = 7", "never writes"),
    ],
)
def test_rows_that_do_not_fit_the_files_are_refused(
    folder: Path, change: str, message: str
) -> None:
    """Whatever the database says, what is exported is the record that the row names."""
    with Crawl(folder) as crawl, crawl.database.changing() as connection:
        connection.execute(change)
    with pytest.raises(NotAStoreError, match=message):
        exported(folder)
    assert not (folder.parent / "shop.wacz").exists()


def test_an_index_of_many_lines_is_in_blocks() -> None:
    """Each block is a gzip member of its own, found by its first line."""
    file = io.BytesIO()
    with closing(CaptureIndex()) as index:
        for number in reversed(range(2 * LINES + 1)):
            index.add(capture_line(f"a)/{number:05}", number, {"url": "u"}))
        blocks = index.write(file).decode().splitlines()[1:]
    places = [json.loads(block.split(" ", 2)[2]) for block in blocks]
    content = file.getvalue()
    counts = []
    for block, place in zip(blocks, places, strict=True):
        member = content[place["offset"] : place["offset"] + place["length"]]
        lines = gzip.decompress(member).splitlines()
        assert lines[0].decode().split(" ")[0] == block.split(" ")[0]
        counts.append(len(lines))
    assert counts == [LINES, LINES, 1]
    assert sum(place["length"] for place in places) == len(content)
