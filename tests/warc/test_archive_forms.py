"""Whatever form a web archive has, it is read, or refused by the name of its form."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
from pathlib import Path
from typing import Any

import pytest

from goodbot.net.decoding import ZSTD
from goodbot.tables.building import build_policies, policy_rows
from goodbot.warc.archive_forms import why_not_read
from goodbot.warc.foreign_records import foreign_records, record_at
from tests.support import program
from tests.support.crawls.foreign_warcs import record, response

A = "https://a.example"
RECORDS = [
    record("warcinfo", None, b"software: x\r\n"),
    response(f"{A}/robots.txt", "User-agent: *\nDisallow: /till\n"),
    response(f"{A}/lamps", "<title>Lamps</title>lamp"),
    response(f"{A}/till", "<title>Till</title>money", hours=1),
]
zstd: Any = ZSTD


def run_import(folder: Path, *files: Path) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit status and its numbers."""
    words = ("--out", str(folder / "out"), "--robot", "ExampleBot", "--json")
    done = program.run("archive", "import", *map(str, files), *words)
    found: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, found


def arc(*, version: int = 1, is_counted: bool = False) -> list[bytes]:
    """Return the records of an ARC file; `is_counted`: its description has the blank line."""
    names = b"URL IP-address Archive-date Content-type Archive-length\n"
    about = b"%d 0 x\n" % version + names + b"\n" * is_counted
    head = b"filedesc://x.arc 0.0.0.0 20240501120000 text/plain %d\n" % len(about)
    found = [head + about + b"\n" * (not is_counted)]
    for one, kind in zip(RECORDS[1:], (b"text/plain", b"text/html; charset=utf-8", b"text/html"),
                         strict=True):  # fmt: skip
        fields, block = one.removesuffix(b"\r\n\r\n").split(b"\r\n\r\n", 1)
        url = fields.partition(b"URI: ")[2].partition(b"\r")[0]
        time = b"20240501130000" if url.endswith(b"till") else b"20240501120000"
        more = b" 200 - - 0 x.arc" if version == 2 else b""
        found.append(b"%s 192.0.2.1 %s %s%s %d\n" % (url, time, kind, more, len(block)) + block)
        found[-1] += b"\n"
    return found


def zst(parts: list[bytes], dictionary: bytes = b"", *, is_packed: bool = False) -> bytes:
    """Return records as frames of Zstandard, with a dictionary."""
    if not dictionary:
        return b"".join(map(zstd.compress, parts))
    known = zstd.ZstdDict(dictionary)
    stored = zstd.compress(dictionary) if is_packed else dictionary
    head = struct.pack("<4sI", b"\x5d\x2a\x4d\x18", len(stored)) + stored
    skipped = struct.pack("<4sI", b"\x50\x2a\x4d\x18", 3) + b"any"
    return head + skipped.join(zstd.compress(one, zstd_dict=known) for one in parts)


def trained() -> bytes:
    """Return a dictionary."""
    samples = [b"".join(RECORDS) + str(number).encode() * 9 for number in range(99)]
    found: bytes = zstd.train_dict(samples, 2_000).dict_content
    return found


PLAIN = b"".join(RECORDS)
READ = {
    "plain.warc": PLAIN,
    "records.warc.gz": b"".join(map(gzip.compress, RECORDS)),
    "old.warc": PLAIN.replace(b"WARC/1.0\r\n", b"WARC/0.17\r\n"),
    "older.warc": PLAIN.replace(b"WARC/1.0\r\n", b"WARC/0.18\r\n"),
    "minor.warc": PLAIN.replace(b"WARC/1.0\r\n", b"WARC/1.1\r\n"),
    "a.arc": b"".join(arc()),
    "counted.arc": b"".join(arc(is_counted=True)),
    "two.arc": b"".join(arc(version=2)),
    "a.arc.gz": b"".join(map(gzip.compress, arc())),
    "whole.arc.gz": gzip.compress(b"".join(arc())),
    "a.warc.zst": zst(RECORDS),
    "whole.warc.zst": zst([PLAIN]),
    "dictionary.warc.zst": zst(RECORDS, trained()),
    "packed.warc.zst": zst(RECORDS, trained(), is_packed=True),
    "a.arc.zst": zst(arc()),
    "no-name": zst(RECORDS, trained()),
}


@pytest.mark.parametrize("name", READ)
def test_import_and_build_read_every_form_alike(tmp_path: Path, name: str) -> None:
    """One page is allowed, one is not, and the table has the robots.txt."""
    path = tmp_path / name
    path.write_bytes(READ[name])
    status, done = run_import(tmp_path, path)
    assert (status, done["damaged"]) == (0, 0), done
    assert (done["records"], done["allowed"], done["disallowed"]) == (4, 1, 1)
    table = tmp_path / "t.parquet"
    summary = build_policies([path], table)
    assert (summary.records, summary.answers, summary.damaged) == (4, 1, [])
    (row,) = policy_rows(table, A)
    assert row.policy is not None
    assert row.policy.access == "rules"


@pytest.mark.parametrize("name", READ)
def test_each_record_can_be_read_again(name: str) -> None:
    """At its offset, unless it is in a member with others."""
    file = io.BytesIO(READ[name])
    found = list(foreign_records(file))
    assert len(found) == 4
    for one in found:
        assert one.offset < 0 or record_at(file, one.offset) == one


def tar() -> bytes:
    """Return a tar archive with a WARC file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as packed:
        entry = tarfile.TarInfo("a.warc")
        entry.size = len(PLAIN)
        packed.addfile(entry, io.BytesIO(PLAIN))
    return file.getvalue()


POSITIONAL = b"WARC/0.9 120 response http://a.example/ 20060101000000 text/html x\r\n\r\n<p>"
MULTI = {"profile": "multi-wacz-package", "resources": [{"path": "https://a.example/x.wacz"}]}
REFUSED = {
    "a.warc.bz2": (bz2.compress(PLAIN), "bunzip2"),
    "a.warc.xz": (lzma.compress(PLAIN), "unxz"),
    "a.warc.lz4": (b"\x04\x22\x4d\x18" + PLAIN, "LZ4"),
    "a.warc": (POSITIONAL, "WARC 0.9"),
    "later.warc": (PLAIN.replace(b"WARC/1.0", b"WARC/2.0"), "WARC 2.0"),
    "page.warc": (b"\n<!DOCTYPE html><p>", "HTML"),
    "page.warc.gz": (gzip.compress(b"<html>"), "HTML"),
    "b.warc": (b"PAR1....", "Parquet"),
    "c.warc": (b" CDX N b a m s k r M S V g\n", "CDX"),
    "d.warc": (b'com,example)/ 20240501120000 {"url": "x"}\n', "CDXJ"),
    "e.warc": (tar(), "tar archive"),
    "e.warc.gz": (gzip.compress(tar()), "tar archive"),
    "f.warc": (json.dumps(MULTI).encode(), "multi-WACZ"),
    "g.warc": (b'{"log": {}}', "JSON"),
    "h.warc": (b"", "empty"),
    "h.warc.gz": (gzip.compress(b""), "no record"),
    "i.warc": (b"hello", "does not begin"),
    "j.warc.zst": (zst(RECORDS, trained()).split(b"\x50\x2a\x4d\x18", 1)[1][7:], "dictionary"),
    "k.warc.zst": (b"\x5d\x2a\x4d\x18\xff\xff\xff\xff" + b"\0" * 9_000_000, "larger than 8 MiB"),
    "l.warc.zst": (b"\x5d\x2a\x4d\x18\x04\0\0\0abcd", "dictionary is damaged"),
}


def test_what_is_not_read_is_refused_by_name(tmp_path: Path) -> None:
    """It is never called damaged, the exit status is 2, and other files are imported."""
    paths = [tmp_path / name for name in REFUSED]
    for path, (content, _) in zip(paths, REFUSED.values(), strict=True):
        path.write_bytes(content)
    other = tmp_path / "other.warc"
    other.write_bytes(PLAIN)
    status, done = run_import(tmp_path, *paths, other)
    assert (status, done["allowed"], done["damaged"]) == (2, 1, len(REFUSED))
    found = {Path(part["file"]).name: part["why"] for part in done["unread_parts"]}
    assert found.keys() == REFUSED.keys()
    for name, (_, named) in REFUSED.items():
        assert named in found[name], name
        assert "it is damaged" not in found[name], name
    summary = build_policies([*paths, other], tmp_path / "t.parquet")
    assert {Path(part.file).name: part.why for part in summary.damaged} == found


def test_a_file_that_is_refused_alone_ends_with_2(tmp_path: Path) -> None:
    """One such file among good ones is enough."""
    path, other = tmp_path / "g.warc", tmp_path / "other.warc"
    path.write_bytes(REFUSED["g.warc"][0])
    other.write_bytes(PLAIN)
    status, done = run_import(tmp_path, path, other)
    assert (status, done["allowed"], done["damaged"]) == (2, 1, 1)


def test_a_damaged_file_is_damaged() -> None:
    """Its form is known."""
    for content in (PLAIN[:30], gzip.compress(PLAIN)[:40], zst(RECORDS)[:40], b"".join(arc())[:90]):
        (found,) = foreign_records(io.BytesIO(content))
        assert (found.is_damaged, found.why) == (True, ""), content[:40]
        assert why_not_read(io.BytesIO(content)) == ""


def test_a_url_with_spaces_is_whole() -> None:
    """The line is read from its end; where it says several things, it says nothing."""
    head, *_ = arc()
    lines = [
        (b"http://a.example/b c?d=W 802.02(B) 192.0.2.1 20240501120000 text/html 5", "/b c?d=W"),
        (b"http://a.example/b 9.9.9.9 20200101000000 x 192.0.2.1 2024 text/html 5", "x"),
        (b"http://a.example/ 9.9.9.9 2020 a b c 192.0.2.1 2024 text/html; charset=x 5", None),
        (b"http://a.example/v6 2001:db8::1 202405011200 text/html 5", "/v6"),
    ]
    for line, end in lines:
        file = io.BytesIO(head + line + b"\nhello\n")
        _, found = foreign_records(file)
        assert not found.is_damaged
        url = found.fields.get("warc-target-uri")
        assert (url is None) if end is None else (url is not None and end in url)


def test_damage_to_frames_ends_where_it_must() -> None:
    """As of gzip: behind a frame that is whole, its record is proven to begin."""
    bad = RECORDS[2].replace(b"Content-Length: ", b"Content-Length: 9", 1)
    parts = [RECORDS[0], RECORDS[1], bad, RECORDS[3]]
    found = list(foreign_records(io.BytesIO(zst(parts))))
    assert [one.is_damaged for one in found] == [False, False, True, False]


def test_a_bomb_of_zstandard_is_given_up() -> None:
    """It expands ten thousand times, and is reported."""
    bomb = zstd.compress(RECORDS[0] + b"\0" * 300_000_000)
    found = list(foreign_records(io.BytesIO(zst(RECORDS[:1]) + bomb)))
    assert [one.is_damaged for one in found][-1]
