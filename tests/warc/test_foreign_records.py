"""Records of WARC files by others are found whatever state the files are in."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import zlib

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from goodbot.warc import foreign_records as module
from goodbot.warc import warc_stream
from goodbot.warc.foreign_records import ForeignRecord, foreign_records, record_at
from goodbot.warc.warc_stream import WarcStream
from tests.support.crawls.foreign_warcs import record

URL = "https://a.example/"
BLOCKS = [b"", b"one", b"two\r\n\r\nWARC/1.0\r\n", bytes(range(256)) * 700, b"x" * 200_000]
RECORDS = [record("response", f"{URL}{number}", block) for number, block in enumerate(BLOCKS)]
FILES = {
    "plain": b"".join(RECORDS),
    "by record": b"".join(map(gzip.compress, RECORDS)),
    "whole": gzip.compress(b"".join(RECORDS)),
    "two in a member": gzip.compress(RECORDS[0] + RECORDS[1])
    + gzip.compress(b"".join(RECORDS[2:])),
    "in pieces": b"".join(
        gzip.compress(b"".join(RECORDS)[at : at + 1000]) for at in range(0, 500_000, 1000)
    ),
    "padded": b"".join(map(gzip.compress, RECORDS)) + bytes(1024),
}


def found(content: bytes) -> list[ForeignRecord]:
    """Read a file to its end."""
    return list(foreign_records(io.BytesIO(content)))


def urls(records: list[ForeignRecord]) -> list[str]:
    """Return the URLs of records; `damaged` for a place without one."""
    return ["damaged" if one.is_damaged else one.fields["warc-target-uri"] for one in records]


@pytest.mark.parametrize("how", FILES)
def test_every_form_of_compression_has_the_same_records(how: str) -> None:
    """Each record by itself, the whole file, members of any size, and none."""
    records = found(FILES[how])
    assert [one.block for one in records] == BLOCKS
    assert urls(records) == [f"{URL}{number}" for number in range(len(BLOCKS))]


@pytest.mark.parametrize("how", FILES)
def test_a_record_can_be_read_again_at_its_offset(how: str) -> None:
    """If it has one: a record within a member is reached only from the start of that."""
    records = found(FILES[how])
    offsets = [one.offset for one in records]
    for one in records:
        if one.offset >= 0:
            assert record_at(io.BytesIO(FILES[how]), one.offset) == one
    if how in {"plain", "by record"}:
        assert min(offsets) == 0
    if how == "whole":
        assert offsets == [0, -1, -1, -1, -1]


@pytest.mark.parametrize("how", ["plain", "by record"])
def test_a_file_may_be_read_at_two_places_at_once(how: str) -> None:
    """A record is read again while others are read: each reader knows its own place."""
    file = io.BytesIO(FILES[how] * 3)
    offsets, records = [0], []
    for one in foreign_records(file):
        assert record_at(file, offsets[0]) is not None
        offsets.append(one.offset)
        records.append(one.block)
    assert records == BLOCKS * 3


def test_there_is_no_record_at_other_offsets() -> None:
    """The answer is `None`, and nothing raises."""
    for content in FILES.values():
        for offset in (1, 100, len(content) - 1, len(content), len(content) + 9):
            assert record_at(io.BytesIO(content), offset) is None


@pytest.mark.parametrize("how", ["plain", "by record", "whole"])
def test_a_truncated_file_has_the_records_before_its_end(how: str) -> None:
    """The last one is damaged, unless the file ends between two records."""
    content = FILES[how]
    chance = random.Random(1)  # noqa: S311  the same each time
    for end in [*range(300), *(chance.randrange(len(content)) for _ in range(100))]:
        records = found(content[:end])
        whole = [one for one in records if not one.is_damaged]
        assert [one.block for one in whole] == BLOCKS[: len(whole)]
        assert sum(one.is_damaged for one in records) <= 1


@pytest.mark.parametrize("how", ["plain", "by record", "two in a member"])
@pytest.mark.parametrize("length", [0, 1, 2, 1_000, 10**14, -1])
def test_a_wrong_length_costs_one_record(how: str, length: int) -> None:
    """If each record is a gzip member; in other files, nothing proves where the next one begins."""
    broken = record("response", f"{URL}broken", b"abc", length=length)
    parts = [RECORDS[1], broken, RECORDS[1], RECORDS[1]]
    if how == "plain":
        content = b"".join(parts)
    elif how == "by record":
        content = b"".join(map(gzip.compress, parts))
    else:
        content = gzip.compress(parts[0] + parts[1]) + gzip.compress(parts[2] + parts[3])
    names = urls(found(content))
    assert "damaged" in names
    further = [f"{URL}1", f"{URL}1"] if how == "by record" else []
    assert names == [f"{URL}1", "damaged", *further]


@pytest.mark.parametrize(
    "odd",
    [
        b"nothing of the kind\r\n\r\n",
        b"WARC/9.9\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: x\r\n\r\n",
        b"WARC/1.0\r\n\r\n",
        b"WARC/1.0\r\n" + b"a: b\r\n" * 20_000,
        b"\0" * 1_000 + b"\n",
        b"WARC/1.0 " + b"x" * 100_000 + b"\n",
        b"GIF89a\x1f\x8b\x08\n",
    ],
)
def test_what_is_no_record_is_skipped(odd: bytes) -> None:
    """In a gzip member of its own; a plain file is read up to there. What is left is counted."""
    parts = [RECORDS[1], odd, RECORDS[1]]
    packed = [gzip.compress(part) for part in parts]
    records = found(b"".join(packed))
    assert urls(records) == [f"{URL}1", "damaged", f"{URL}1"]
    assert (records[1].offset, records[1].unread) == (len(packed[0]), len(packed[1]))
    records = found(b"".join(parts))
    assert urls(records) == [f"{URL}1", "damaged"]
    assert records[1].offset + records[1].unread == len(b"".join(parts))
    assert 0 <= records[1].offset - len(RECORDS[1]) <= len(odd)


FORGED = record("response", f"{URL}robots.txt", b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n")


def stored(content: bytes) -> bytes:
    """Return a gzip member that has its content as it is."""
    packer = zlib.compressobj(0, wbits=31)
    return packer.compress(content) + packer.flush()


def damaged(content: bytes) -> list[bytes]:
    """Return content damaged in some ways near its beginning: changed, cut off, and added to."""
    return [
        content[:at] + middle + content[at + size :]
        for at in range(0, 60, 3)
        for middle, size in ((b"\xff" * 4, 4), (b"", 40), (b"junk", 0))
    ]


def test_content_cannot_pass_for_a_record() -> None:
    """Whatever is damaged before it: neither as text, nor as a gzip member that is stored."""
    content = (b"x" * 100 + b"\r\n\r\n" + FORGED + stored(FORGED)) * 20
    page = record("response", f"{URL}page", content)
    for parts in ([RECORDS[1], page, RECORDS[1]], [page, RECORDS[1]]):
        for how in (bytes, stored, gzip.compress):
            whole = [how(part) for part in parts]
            at = len(whole) - 2
            for changed in damaged(whole[at]):
                file = b"".join([*whole[:at], changed, *whole[at + 1 :]])
                assert f"{URL}robots.txt" not in urls(found(file))


def test_a_wrong_checksum_is_damage() -> None:
    """A record that its gzip member contradicts is not returned."""
    members = [gzip.compress(RECORDS[1], mtime=0) for _ in range(3)]
    members[1] = members[1][:-8] + bytes([members[1][-8] ^ 1]) + members[1][-7:]
    assert urls(found(b"".join(members))) == [f"{URL}1", "damaged"]


def test_empty_records_cost_little() -> None:
    """A small file cannot have very many of them."""
    content = gzip.compress(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n" * 200_000)
    records = found(content)
    assert records[-1].is_damaged
    assert len(records) <= module.FREE_RECORDS + len(content) // module.LEAST_SIZE + 1


def test_changed_bytes_never_raise() -> None:
    """Whatever is changed, removed or added, reading ends, and what was before is not lost."""
    chance = random.Random(2)  # noqa: S311  the same each time
    for content in (b"".join(RECORDS[:3]) * 3, b"".join(map(gzip.compress, RECORDS[:3])) * 3):
        original = found(content)
        for _ in range(300):
            at, size = chance.randrange(len(content)), chance.randrange(40)
            changed = content[:at] + chance.randbytes(chance.randrange(40)) + content[at + size :]
            records = found(changed)
            assert len(records) <= 30
            before = [one.block for one in original if one.offset < at][:-1]
            assert [one.block for one in records[: len(before)]] == before
            unread = sum(one.unread for one in records)
            assert 0 <= unread <= len(changed)


def test_many_beginnings_take_linear_time() -> None:
    """A file of nothing but the first bytes of gzip members, or of records, is read once."""
    assert len(found(b"\x1f\x8b\x08" * 100_000)) <= 1
    assert len(found(b"\x1f\x8b\x08\x1f" * 100_000)) <= 1
    assert len(found(b"WARC/1.0\r\n" * 20_000)) <= 2
    assert all(one.is_damaged for one in found(b"WARC/1.0\r\n\r\n" * 5_000))


class Counted(io.BytesIO):
    """A file that counts what is read of it."""

    total = 0

    def read(self, size: int | None = -1) -> bytes:
        """Read some bytes."""
        piece = super().read(size)
        self.total += len(piece)
        return piece


def test_no_byte_is_read_often() -> None:
    """Damaged members, each of which claims the next ones, are read once by each of two readers."""
    greedy = gzip.compress(record("response", URL, b"abc", length=10**9))
    file = Counted(gzip.compress(RECORDS[1]) + greedy * 2_000)
    whole, damage = foreign_records(file)
    assert (whole.is_damaged, damage.unread) == (False, len(greedy) * 2_000)
    assert file.total <= 2 * (len(file.getvalue()) + 10)


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b"\r\n\n"])
def test_blank_lines_are_skipped_at_once(monkeypatch: pytest.MonkeyPatch, blank: bytes) -> None:
    """A small gzip member expands to millions of them: each piece is read in one step."""
    reads: list[int] = []
    read = WarcStream.read

    def counted(stream: WarcStream, size: int) -> bytes:
        reads.append(size)
        return read(stream, size)

    monkeypatch.setattr(WarcStream, "read", counted)
    lines = blank * 500_000
    parts = [lines, RECORDS[1], lines + b"\r", b"\n" + RECORDS[1], b"\r" + RECORDS[1]]
    assert urls(found(b"".join(map(gzip.compress, parts)))) == [f"{URL}1", f"{URL}1", "damaged"]
    assert len(reads) < 4 * len(b"".join(parts)) / warc_stream.PIECE + 100


def test_a_bomb_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that expands a thousand times is damaged, and the next one is read.

    To find where it ends costs time, so only so many bytes are skipped.
    """
    monkeypatch.setattr(warc_stream, "FREE", 1 << 20)
    packer = zlib.compressobj(9, wbits=31)
    bomb = packer.compress(record("response", URL, b"", length=1 << 30)[:-4])
    bomb += b"".join(packer.compress(bytes(1 << 20)) for _ in range(20)) + packer.flush()
    content = gzip.compress(RECORDS[1]) + bomb + gzip.compress(RECORDS[1])
    assert urls(found(content)) == [f"{URL}1", "damaged", f"{URL}1"]
    monkeypatch.setattr(warc_stream, "MOST_SKIPPED", 1 << 20)
    records = found(content)
    assert urls(records) == [f"{URL}1", "damaged"]
    assert records[1].offset + records[1].unread == len(content)


def test_memory_does_not_grow_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large block only the beginning is held, and it says so."""
    monkeypatch.setattr(module, "MAX_BLOCK", 1 << 20)
    content = gzip.compress(record("response", URL, b"x" * (40 << 20)))
    file = io.BytesIO(content + gzip.compress(RECORDS[1]))
    tracemalloc.start()
    try:
        large, small = foreign_records(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(large.block), large.is_cut, small.is_cut) == (1 << 20, True, False)
    assert peak < 8 << 20


@pytest.mark.parametrize("how", ["plain", "by record", "whole"])
def test_another_reader_finds_the_same_records(how: str) -> None:
    """FastWARC reads what is not damaged; fields, blocks and their order are the same."""
    any_type = WarcRecordType.any_type
    records = ArchiveIterator(io.BytesIO(FILES[how]), record_types=any_type, parse_http=False)
    theirs = [(dict(one.headers), one.reader.read()) for one in records]
    ours = [(one.fields, one.block) for one in found(FILES[how])]
    assert len(ours) == len(theirs)
    for (fields, block), (other_fields, other_block) in zip(ours, theirs, strict=True):
        assert block == other_block
        assert {name.lower(): value for name, value in other_fields.items()} == fields


def test_fields_that_are_there_again_are_kept_apart() -> None:
    """The first counts; white space before the colon is ignored, as other readers do."""
    head = (
        b"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Concurrent-To: <urn:a>\r\n"
        b"warc-concurrent-to: <urn:b>\r\nWARC-Type: metadata\r\nWARC-Target-URI : http://a.example/\r\n"
        b"no field : x\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
    )
    [one] = foreign_records(io.BytesIO(head))
    assert one.fields["warc-concurrent-to"] == "<urn:a>"
    assert one.repeated == (("warc-concurrent-to", "<urn:b>"),)
    assert one.fields["warc-target-uri"] == "http://a.example/"
