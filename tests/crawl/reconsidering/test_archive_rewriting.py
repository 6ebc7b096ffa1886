"""Web archives rewritten: what must go is gone, and every other record is as it was."""

import datetime as dt
import gzip
import hashlib
import json
import random
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from goodbot.crawl.reconsidering.archive_rewriting import RewrittenArchives, rewrite_archives
from goodbot.crawl.reconsidering.holdings import ArchiveHoldings, find_sources
from goodbot.crawl.reconsidering.question import HeldQuestion
from goodbot.crawl.reconsidering.removal_log import RemovalLog
from goodbot.errors import MisuseError
from goodbot.reconsidering import HeldUse, TakedownList, read_takedown
from goodbot.warc.foreign_records import foreign_records
from tests.crawl.reconsidering.test_archive_report import NOW, OPTIONS, SITE, Says
from tests.support.crawls.foreign_warcs import NOON, http, record, response, write_warc

CLOSED = b"User-agent: *\nDisallow: /private\n"
SECRET = b"velvetsofaword"
PAGE = b"<p>" + SECRET
GONE = f"{SITE}/private/a"
LATER = NOON + dt.timedelta(days=1)


def rewrite(
    *sources: Path,
    new: Path | None,
    says: bytes = CLOSED,
    uses: Sequence[HeldUse] = ("fetch",),
    takedown: TakedownList | None = None,
    tombstones: bool = False,
) -> RewrittenArchives:
    """Rewrite files by what every site says now."""
    with judged(*sources, says=says, uses=uses, takedown=takedown) as held:
        base = sources[0].parent if new is None else new.parent
        log = RemovalLog(base / "removed.jsonl", NOW, "ExampleBot")
        return rewrite_archives(held, new, log, NOW, tombstones=tombstones, threads=1)


@contextmanager
def judged(
    *sources: Path,
    says: bytes = CLOSED,
    uses: Sequence[HeldUse] = ("fetch",),
    takedown: TakedownList | None = None,
) -> Iterator[ArchiveHoldings]:
    """Read files, and note what goes."""
    options = OPTIONS._replace(takedown=takedown)
    with ArchiveHoldings(find_sources(sources), options, workers=1) as held:
        question = HeldQuestion(
            "ExampleBot", uses, held.then("rfc9309"), Says(says), NOW, takedown=takedown
        )
        for _ in held.rows(question, uses):
            pass
        yield held


def plain_records(path: Path) -> list[bytes]:
    """Return the records of a file as bytes, one after the other."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    parts = content.split(b"WARC/1.")[1:]
    return [b"WARC/1." + part for part in parts]


def read_by_others(path: Path) -> list[tuple[str, str]]:
    """Return type and URL of each record, as warcio and FastWARC agree on them."""
    with path.open("rb") as file:
        by_warcio = []
        for one in ArchiveIterator(file, check_digests=True):
            one.content_stream().read()
            assert one.digest_checker.passed is not False
            url = one.rec_headers.get_header("WARC-Target-URI") or ""
            by_warcio.append((one.rec_type, url))
    by_fastwarc = [
        (one.headers["WARC-Type"], one.headers.get("WARC-Target-URI") or "")
        for one in FastIterator(str(path))
    ]
    assert by_fastwarc == by_warcio
    return by_warcio


def everything_under(folder: Path) -> bytes:
    """Return the content of all files, decompressed as far as they are."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return b"\n".join(contents(path.read_bytes()) for path in files)


def contents(content: bytes) -> bytes:
    """Return a file, and what is in it."""
    if content[:2] == b"\x1f\x8b":
        return content + contents(gzip.decompress(content))
    if content[:4] == b"PK\x03\x04":
        import io  # noqa: PLC0415  only here

        with zipfile.ZipFile(io.BytesIO(content)) as package:
            return b"\n".join(
                [content, *(contents(package.read(one)) for one in package.namelist())]
            )
    return content


@pytest.mark.parametrize("how", ["by record", "whole", "plain"])
def test_a_record_goes_and_the_others_stay_byte_for_byte(tmp_path: Path, how: str) -> None:
    """With what describes it; the old file is as it was."""
    records = [
        record("warcinfo", None, b"software: x"),
        response(f"{SITE}/robots.txt", "User-agent: *\nAllow: /\n"),
        record("request", GONE, b"GET /private/a HTTP/1.1\r\n\r\n"),
        response(GONE, PAGE),
        record("metadata", GONE, b"words: " + SECRET),
        record("conversion", GONE, SECRET),
        record("resource", f"urn:text:{GONE}", SECRET),
        response(f"{SITE}/open", "<p>brass"),
        record("resource", "dns:a.example", b"192.0.2.1"),
    ]
    old = write_warc(tmp_path / "old.warc.gz", records, how)
    before = old.read_bytes()
    done = rewrite(old, new=tmp_path / "new.warc.gz")
    assert old.read_bytes() == before
    assert done.removed == 5
    assert plain_records(tmp_path / "new.warc.gz") == [records[0], records[1], *records[7:]]
    assert SECRET not in contents((tmp_path / "new.warc.gz").read_bytes())
    assert [url for _, url in read_by_others(tmp_path / "new.warc.gz")] == [
        "", f"{SITE}/robots.txt", f"{SITE}/open", "dns:a.example",
    ]  # fmt: skip


def test_members_of_gzip_are_copied_and_not_packed_anew(tmp_path: Path) -> None:
    """So that offsets are the only thing that changes, in a file of any writer."""
    packed = [
        gzip.compress(one, 1, mtime=5)
        for one in (response(GONE, PAGE), response(f"{SITE}/b", "<p>"))
    ]
    old = tmp_path / "old.warc.gz"
    old.write_bytes(b"".join(packed))
    rewrite(old, new=tmp_path / "new.warc.gz")
    assert (tmp_path / "new.warc.gz").read_bytes() == packed[1]


def test_a_tombstone_says_by_what_a_record_was_removed(tmp_path: Path) -> None:
    """It is about the record that is gone, has no content of it, and is the same each time."""
    old = write_warc(tmp_path / "old.warc.gz", [response(GONE, PAGE), response(f"{SITE}/b", "<p>")])
    for name in ("a", "b"):
        rewrite(old, new=tmp_path / f"{name}.warc.gz", tombstones=True)
    stone, other = plain_records(tmp_path / "a.warc.gz")
    gone = plain_records(old)[0]
    identifier = next(one for one in gone.split(b"\r\n") if one.startswith(b"WARC-Record-ID"))
    assert identifier.partition(b": ")[2] in stone
    for line in (
        b"WARC-Type: metadata", b"WARC-Target-URI: " + GONE.encode(), b"removed: response",
        b"use: fetch", b"reason: rule-disallows",
        b"statement: robots.txt, line 2: Disallow: /private", b"captured: 2024-05-01T12:00:00Z",
    ):  # fmt: skip
        assert line in stone.split(b"\r\n")
    assert other == plain_records(old)[1]
    assert SECRET not in stone
    assert (tmp_path / "a.warc.gz").read_bytes() == (tmp_path / "b.warc.gz").read_bytes()
    assert [kind for kind, _ in read_by_others(tmp_path / "a.warc.gz")] == ["metadata", "response"]


def test_the_log_has_every_removal_and_no_content(tmp_path: Path) -> None:
    """By which statement; also of what went along."""
    old = write_warc(
        tmp_path / "old.warc.gz", [response(GONE, PAGE), record("metadata", GONE, SECRET)]
    )
    done = rewrite(old, new=tmp_path / "new.warc.gz")
    lines = [json.loads(one) for one in Path(done.log).read_text().splitlines()]
    assert [(one["kind"], one["url"], one["use"], one["reason"], one["line"]) for one in lines] == [
        ("response", GONE, "fetch", "rule-disallows", 2),
        ("metadata", GONE, "fetch", "rule-disallows", 2),
    ]
    assert SECRET not in Path(done.log).read_bytes()


# Smuggled through.


DIGEST = f"sha1:{'A' * 32}"


def test_a_revisit_of_a_removed_record_goes(tmp_path: Path) -> None:
    """It is of the same URL, or of another spelling of it."""
    records = [
        record("response", GONE, http(PAGE), WARC_Payload_Digest=DIGEST),
        record("revisit", f"{SITE}/x/../%70rivate/a", http(), at=LATER, WARC_Payload_Digest=DIGEST),
        record("revisit", "HTTPS://A.example:443/private/a", http(), at=LATER),
        response(f"{SITE}/b", "<p>"),
    ]
    old = write_warc(tmp_path / "old.warc.gz", records)
    rewrite(old, new=tmp_path / "new.warc.gz")
    assert plain_records(tmp_path / "new.warc.gz") == [records[3]]


@pytest.mark.parametrize("how", ["by record", "whole", "plain"])
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_revisit_of_another_url_keeps_its_content(
    tmp_path: Path,
    how: str,
    second: bool,  # noqa: FBT001  a parameter
    in_place: bool,  # noqa: FBT001  as above
) -> None:
    """The record it needs stays as its own: readers find the content, and nothing of the other."""
    original = record(
        "response", GONE, http(b"<p>brass", fields={"Content-Length": "8", "X-A": "private"}),
        WARC_Payload_Digest="sha1:" + "B" * 32,
    )  # fmt: skip
    revisit = record(
        "revisit", f"{SITE}/open", http(fields={"X-Mine": "1"}), at=LATER,
        WARC_Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        WARC_Payload_Digest="sha1:" + "B" * 32, WARC_Refers_To_Target_URI=GONE,
        WARC_Refers_To_Date="2024-05-01T12:00:00Z",
    )  # fmt: skip
    folder = tmp_path / "old"
    folder.mkdir()
    files = [[original], [revisit]] if second else [[original, revisit]]
    for number, records in enumerate(files):
        write_warc(folder / f"{number}.warc.gz", records, how)
    new = folder if in_place else tmp_path / "new"
    done = rewrite(folder, new=None if in_place else new)
    assert (done.removed, done.became) == (1, 1)
    last = new / f"{len(files) - 1}.warc.gz"
    with last.open("rb") as file:
        (found,) = [
            (
                one.rec_headers.get_header("WARC-Target-URI"), one.rec_type,
                one.rec_headers.get_header("WARC-Refers-To-Date"),
                one.http_headers.get_header("X-Mine"), one.http_headers.get_header("X-A"),
                one.content_stream().read(),
            )
            for one in ArchiveIterator(file)
        ]  # fmt: skip
    assert found == (f"{SITE}/open", "response", None, "1", None, b"<p>brass")
    assert GONE.encode() not in everything_under(new)


def test_a_304_of_another_url_says_nothing_without_its_record(tmp_path: Path) -> None:
    """Its content was never received again, so that there is nothing to keep."""
    records = [
        record("response", GONE, http(PAGE), WARC_Record_ID="<urn:uuid:1>"),
        record(
            "revisit", f"{SITE}/open", http(status=304), at=LATER, WARC_Refers_To="<urn:uuid:1>",
            WARC_Profile="http://netpreserve.org/warc/1.1/revisit/server-not-modified",
        ),
    ]  # fmt: skip
    old = write_warc(tmp_path / "old.warc.gz", records)
    done = rewrite(old, new=tmp_path / "new.warc.gz")
    assert (done.removed, done.became, (tmp_path / "new.warc.gz").read_bytes()) == (2, 0, b"")


def test_a_redirect_to_a_removed_page_has_no_content(tmp_path: Path) -> None:
    """It stays, because it is of another URL; the page itself is gone wherever it was stored."""
    redirect = response(f"{SITE}/go", b"", 302, Location=GONE)
    old = write_warc(tmp_path / "old.warc.gz", [redirect, response(GONE, PAGE)])
    rewrite(old, new=tmp_path / "new.warc.gz")
    assert plain_records(tmp_path / "new.warc.gz") == [redirect]


def test_the_same_content_at_another_url_goes_by_its_hash(tmp_path: Path) -> None:
    """What a site allows at one URL is its decision; a takedown of content is found by digest."""
    copy = response(f"{SITE}/copy", PAGE)
    zipped = response(f"{SITE}/zipped", gzip.compress(PAGE), Content_Encoding="gzip")
    other = response(f"{SITE}/b", "<p>")
    old = write_warc(tmp_path / "old.warc.gz", [copy, zipped, other])
    listed = read_takedown(f"sha256:{hashlib.sha256(PAGE).hexdigest()}")
    rewrite(old, new=tmp_path / "new.warc.gz", uses=("takedown",), takedown=listed)
    assert plain_records(tmp_path / "new.warc.gz") == [other]


def test_what_cannot_be_read_is_not_passed_on(tmp_path: Path) -> None:
    """A damaged part may hold what must go, so that the file is refused."""
    old = write_warc(tmp_path / "old.warc.gz", [response(f"{SITE}/b", "<p>"), response(GONE, PAGE)])
    old.write_bytes(old.read_bytes()[:-20])
    with pytest.raises(MisuseError, match="bytes that were not read"):
        rewrite(old, new=tmp_path / "new.warc.gz")
    assert not (tmp_path / "new.warc.gz").exists()


def test_an_archive_is_not_written_over_an_old_one(tmp_path: Path) -> None:
    """But with --replace; two files of one name need their folders."""
    old = write_warc(tmp_path / "a.warc.gz", [response(GONE, PAGE)])
    with pytest.raises(MisuseError, match="is read as well"):
        rewrite(old, new=old)
    (tmp_path / "x").mkdir()
    same = write_warc(tmp_path / "x" / "a.warc.gz", [response(GONE, PAGE)])
    with pytest.raises(MisuseError, match="the same name"):
        rewrite(old, same, new=tmp_path / "new")


ONE, TWO = "<urn:uuid:1>", "<urn:uuid:2>"
OPEN = f"{SITE}/open"
WHOLE = record("response", GONE, http(PAGE), WARC_Record_ID=ONE)


def with_lines(written: bytes, field: str, *lines: str) -> bytes:
    """Return a record that has other lines in place of one of its fields."""
    head, end, block = written.partition(b"\r\n\r\n")
    kept = [one for one in head.split(b"\r\n") if not one.startswith(field.encode())]
    return b"\r\n".join([*kept, *(line.encode() for line in lines)]) + end + block


SMUGGLED = {
    "in brackets": [record("response", f"<{GONE}>", http(PAGE))],
    "with a user": [record("response", GONE.replace("://", "://u:p@"), http(PAGE))],
    "escaped host": [record("response", GONE.replace("a.ex", "%61.ex"), http(PAGE))],
    "backslashes": [record("response", GONE.replace("/private/", "\\private\\"), http(PAGE))],
    "two URLs": [
        with_lines(
            WHOLE, "WARC-Target-URI", f"WARC-Target-URI: {OPEN}", f"WARC-Target-URI: {GONE}"
        )
    ],
    "space before the colon": [
        with_lines(WHOLE, "WARC-Target-URI", f"WARC-Target-URI : {GONE}")
    ],
    "named by a URL": [WHOLE, record("metadata", "urn:x", SECRET, WARC_Refers_To_Target_URI=GONE)],
    "segment without a URL": [
        WHOLE, record("continuation", None, SECRET, WARC_Segment_Origin_ID=ONE),
    ],
    "a record in between": [
        WHOLE,
        record("metadata", None, b"x", WARC_Record_ID=TWO, WARC_Concurrent_To=ONE),
        record("metadata", None, SECRET, WARC_Concurrent_To=TWO),
    ],
    "before its page": [record("metadata", None, SECRET, WARC_Concurrent_To=ONE), WHOLE],
    "the second of two": [
        WHOLE,
        with_lines(
            record("metadata", None, SECRET), "-", f"WARC-Concurrent-To: {TWO}",
            f"WARC-Concurrent-To: {ONE}",
        ),
    ],
    "beside another reference": [
        WHOLE, record("metadata", OPEN, SECRET, WARC_Refers_To=TWO, WARC_Concurrent_To=ONE),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", SMUGGLED)
def test_a_removed_page_is_not_smuggled_through(tmp_path: Path, case: str) -> None:
    """However its record names it, or what was made of it; the other record stays."""
    other = response(OPEN, "<p>brass")
    old = write_warc(tmp_path / "old.warc.gz", [*SMUGGLED[case], other])
    rewrite(old, new=tmp_path / "new.warc.gz")
    assert plain_records(tmp_path / "new.warc.gz") == [other]


# Indexes and packages.


def cdxj_of(path: Path, name: str = "") -> list[bytes]:
    """Return an index of a file, made by reading it with warcio."""
    lines = []
    with path.open("rb") as file:
        reader = ArchiveIterator(file)
        for one in reader:
            one.content_stream().read()
            offset, length = reader.get_record_offset(), reader.get_record_length()
            url = one.rec_headers.get_header("WARC-Target-URI")
            if one.rec_type not in {"response", "revisit"}:
                continue
            time = one.rec_headers.get_header("WARC-Date")
            digits = "".join(letter for letter in time if letter.isdigit())[:14]
            facts = {
                "url": url, "mime": "text/html", "status": "200", "length": str(length),
                "offset": str(offset), "filename": name or path.name,
            }  # fmt: skip
            lines.append(f"{url[::-1]} {digits} {json.dumps(facts)}\n".encode())
    return sorted(lines)


def test_indexes_follow(tmp_path: Path) -> None:
    """A CDXJ beside the files is what an index of the new ones is; lines of other files stay."""
    folder = tmp_path / "old"
    folder.mkdir()
    for number in range(3):
        records = [
            response(f"{SITE}/{path}/{number}", f"<p>{path}") for path in ("private", "a", "b")
        ]
        write_warc(folder / f"{number}.warc.gz", records)
    other = b'example,other)/ 20240501120000 {"filename": "other.warc.gz", "offset": "7"}\n'
    lines = [line for number in range(3) for line in cdxj_of(folder / f"{number}.warc.gz")]
    (folder / "index.cdxj").write_bytes(b"".join(sorted([*lines, other])))
    rewrite(folder, new=tmp_path / "new")
    made = [line for number in range(3) for line in cdxj_of(tmp_path / "new" / f"{number}.warc.gz")]
    assert (tmp_path / "new" / "index.cdxj").read_bytes() == b"".join(sorted([*made, other]))


def test_an_index_that_was_left_behind_is_mended(tmp_path: Path) -> None:
    """A run that was killed between the files and their index is repeated."""
    folder = tmp_path / "old"
    folder.mkdir()
    file = write_warc(
        folder / "a.warc.gz",
        [response(GONE, PAGE), response(f"{SITE}/b", "<p>"), response(f"{SITE}/c", "<p>")],
    )
    before = b"".join(cdxj_of(file))
    (folder / "index.cdxj").write_bytes(before)
    rewrite(folder, new=None)
    after = (folder / "index.cdxj").read_bytes()
    assert after == b"".join(cdxj_of(file))
    (folder / "index.cdxj").write_bytes(before)  # as a kill would leave it
    rewrite(folder, new=None)
    assert (folder / "index.cdxj").read_bytes() == after


def test_an_old_index_of_eleven_fields_follows(tmp_path: Path) -> None:
    """CDX, with its legend."""
    file = write_warc(tmp_path / "a.warc.gz", [response(GONE, PAGE), response(f"{SITE}/b", "<p>")])
    first = len(gzip.compress(response(GONE, PAGE)))
    size = file.stat().st_size
    legend = " CDX N b a m s k r M S V g\n"
    rows = [
        f"a 20240501120000 {GONE} text/html 200 - - - {first} 0 a.warc.gz\n",
        f"b 20240501120000 {SITE}/b text/html 200 - - - {size - first} {first} a.warc.gz\n",
    ]
    (tmp_path / "a.cdx").write_text(legend + "".join(rows))
    rewrite(file, tmp_path / "a.cdx", new=tmp_path / "new")
    assert (tmp_path / "new" / "a.cdx").read_text() == (
        f"{legend}b 20240501120000 {SITE}/b text/html 200 - - - {size - first} 0 a.warc.gz\n"
    )


def package(path: Path, members: dict[str, bytes], main: str = "") -> Path:
    """Write a WACZ."""
    facts: dict[str, Any] = {
        "profile": "data-package", "wacz_version": "1.1.1", "created": "2024-05-01T12:00:00Z",
        "resources": [
            {
                "name": name.rpartition("/")[2], "path": name, "bytes": len(content),
                "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
            }
            for name, content in members.items()
        ],
    }  # fmt: skip
    if main:
        facts["mainPageUrl"] = main
    manifest = json.dumps(facts).encode()
    digest = {
        "path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(manifest).hexdigest()}",
        "signedData": {"signature": "x"},
    }  # fmt: skip
    with zipfile.ZipFile(path, "w") as wacz:
        for name, content in members.items():
            wacz.writestr(name, content)
        wacz.writestr("datapackage.json", manifest, zipfile.ZIP_DEFLATED)
        wacz.writestr("datapackage-digest.json", json.dumps(digest))
    return path


def members_of(folder: Path) -> dict[str, bytes]:
    """Return the members of a WACZ with two pages, one of which goes."""
    file = write_warc(
        folder / "data.warc.gz", [response(GONE, PAGE), response(f"{SITE}/b", "<p>brass")]
    )
    lines = cdxj_of(file)
    pages = [
        {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True},
        {"url": GONE, "ts": "2024-05-01T12:00:00Z", "text": SECRET.decode()},
        {"url": f"{SITE}/b", "ts": "2024-05-01T12:00:00Z", "text": "brass"},
    ]
    index = gzip.compress(b"".join(lines))
    place = {"offset": 0, "length": len(index), "filename": "index.cdx.gz"}
    key = lines[0].split(b" ", 2)
    return {
        "archive/data.warc.gz": file.read_bytes(),
        "indexes/index.cdx.gz": index,
        "indexes/index.idx": b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'
        + b" ".join([*key[:2], json.dumps(place).encode()]) + b"\n",
        "pages/pages.jsonl": "".join(json.dumps(one) + "\n" for one in pages).encode(),
        "pages/extraPages.jsonl": (json.dumps(pages[1]) + "\n").encode(),
        "logs/crawl.log": b"started\n",
    }  # fmt: skip


def checked_package(path: Path) -> dict[str, bytes]:
    """Return the members of a WACZ, each checked by its digest."""
    with zipfile.ZipFile(path) as wacz:
        assert wacz.testzip() is None
        manifest = wacz.read("datapackage.json")
        digest = json.loads(wacz.read("datapackage-digest.json"))
        assert digest == {
            "path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(manifest).hexdigest()}",
        }  # fmt: skip
        found = {}
        for one in json.loads(manifest)["resources"]:
            content = found[one["path"]] = wacz.read(one["path"])
            assert one["bytes"] == len(content)
            assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        found["datapackage.json"] = manifest
    return found


def test_a_wacz_is_whole_again(tmp_path: Path) -> None:
    """Its index, its pages with their texts, its digests; the signature is not of this file."""
    old = package(tmp_path / "old.wacz", members_of(tmp_path), main=GONE)
    rewrite(old, new=tmp_path / "new.wacz")
    found = checked_package(tmp_path / "new.wacz")
    (tmp_path / "inner.warc.gz").write_bytes(found["archive/data.warc.gz"])
    assert read_by_others(tmp_path / "inner.warc.gz") == [("response", f"{SITE}/b")]
    index = gzip.decompress(found["indexes/index.cdx.gz"])
    assert index == b"".join(cdxj_of(tmp_path / "inner.warc.gz", "data.warc.gz"))
    place = json.loads(found["indexes/index.idx"].splitlines()[1].split(b" ", 2)[2])
    block = found["indexes/index.cdx.gz"][place["offset"] : place["offset"] + place["length"]]
    assert gzip.decompress(block) == index
    assert [json.loads(one).get("url") for one in found["pages/pages.jsonl"].splitlines()] == [
        None, f"{SITE}/b",
    ]  # fmt: skip
    assert found["pages/extraPages.jsonl"] == b""
    assert found["logs/crawl.log"] == b"started\n"
    assert "mainPageUrl" not in json.loads(found["datapackage.json"])
    assert SECRET not in contents((tmp_path / "new.wacz").read_bytes())


def test_a_wacz_in_another_one_is_rewritten_too(tmp_path: Path) -> None:
    """A page is not smuggled through in a package within a package."""
    inner = package(tmp_path / "inner.wacz", members_of(tmp_path)).read_bytes()
    old = package(tmp_path / "old.wacz", {"inner.wacz": inner})
    rewrite(old, new=tmp_path / "new.wacz")
    with zipfile.ZipFile(tmp_path / "new.wacz") as wacz:
        (tmp_path / "again.wacz").write_bytes(wacz.read("inner.wacz"))
    checked_package(tmp_path / "new.wacz")
    checked_package(tmp_path / "again.wacz")
    assert SECRET not in contents((tmp_path / "new.wacz").read_bytes())


def test_a_member_that_was_changed_is_not_passed_on(tmp_path: Path) -> None:
    """What is not as its digest says is not read, and may hold what must go."""
    members = members_of(tmp_path)
    old = package(tmp_path / "old.wacz", members)
    with zipfile.ZipFile(old, "a") as wacz:
        wacz.writestr("archive/more.warc.gz", members["archive/data.warc.gz"])
    with pytest.raises(MisuseError, match="were not read"):
        rewrite(old, new=tmp_path / "new.wacz")


# The properties, over random archives.


@pytest.mark.parametrize("seed", range(12))
def test_nothing_disallowed_stays_and_nothing_else_is_lost(tmp_path: Path, seed: int) -> None:
    """The twin judges each record alone; the rest is byte for byte as it was, in its order."""
    chosen = random.Random(seed)  # noqa: S311  no secret
    folder = tmp_path / "old"
    folder.mkdir()
    kinds = ("response", "resource", "request", "metadata", "conversion")
    paths = ("/private/a", "/%70rivate/b", "/open", "/x/../private/c", "/b", "/PRIVATE")
    written = {}
    for number in range(3):
        records = [record("warcinfo", None, b"x: %d" % number)]
        for place in range(chosen.randrange(12)):
            kind, path = chosen.choice(kinds), chosen.choice(paths)
            block = http(b"<p>%d %d" % (number, place)) if kind == "response" else b"%d" % place
            at = NOON + dt.timedelta(minutes=60 * number + place)
            records.append(record(kind, f"{SITE}{path}", block, at=at))
        name = f"{number}.warc.gz"
        written[name] = records
        write_warc(folder / name, records, chosen.choice(("by record", "whole", "plain")))
    rewrite(folder, new=tmp_path / "new")
    for name, records in written.items():
        stays = [one for one in records if not is_private(one)]
        assert plain_records(tmp_path / "new" / name) == stays
        with (tmp_path / "new" / name).open("rb") as file:
            assert not any(one.is_damaged for one in foreign_records(file)) or not stays


def is_private(one: bytes) -> bool:
    """Return whether a record is of a URL that the site disallows, as a plain reader sees it."""
    line = next((part for part in one.split(b"\r\n") if part.startswith(b"WARC-Target-URI")), b"")
    path = line.partition(b"a.example")[2].replace(b"%70", b"p").replace(b"/x/..", b"")
    return path.startswith(b"/private")
