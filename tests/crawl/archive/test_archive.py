"""The archive keeps what may be kept, in WARC files that other readers accept."""

import gzip
import json
import re
import subprocess
import sys
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

import goodbot
from goodbot import Page
from goodbot._core import message_head
from goodbot.crawl.archive.copies import DOUBTFUL, partial_copy
from goodbot.crawl.archive.http_message import decoded_payload, message_of, read_message
from goodbot.crawl.archive.warc import Origin, Writer, read_record
from goodbot.crawl.archive.warc_archive import OF_ANSWER, OF_ROBOTS_TXT
from goodbot.crawl.folder.database import Database
from goodbot.errors import MisuseError, NotAStoreError, WrongTypeError
from goodbot.net import Limits
from goodbot.net.decoding import DECODERS
from goodbot.testing import FakeSite
from goodbot.testing.fake_site import Answer
from tests.support.crawls.archived_crawls import (
    HTML,
    LAMP,
    NOON,
    PARTS,
    PROFILE,
    Crawl,
    all_records,
    answer,
    everything,
    later,
    page_of,
    records,
    warc_files,
)

ROBOTS = "https://shop.example/robots.txt"
ZIPPED = (*HTML, ("Content-Encoding", "gzip"))
NO_COPY = "<meta name=robots content=noarchive><p>secret"


@pytest.fixture
def crawl(tmp_path: Path) -> Any:  # noqa: ANN401 - a generator of one
    """Return a crawl that is closed at the end."""
    with Crawl(tmp_path, user_agent="ExampleBot/1.0 (+https://example.com/bot)") as opened:
        yield opened


# What is kept.


def test_a_page_that_allows_a_copy_is_kept_as_received(crawl: Crawl, tmp_path: Path) -> None:
    """Another reader finds status, header fields in order, content, address and time."""
    fields = [*HTML, ("X-One", "1"), ("x-one", "caf\xe9"), ("Content-Length", "8")]
    (kept,) = crawl.keep(answer("<p>hello", headers=fields, address="192.0.2.1", status=203))
    info, record = records(tmp_path / kept.file)
    assert (kept.kind, record.kind, record.status) == ("response", "response", 203)
    assert record.headers == fields
    assert record.payload == b"<p>hello"
    assert record.fields["warc-target-uri"] == LAMP
    assert record.fields["warc-date"] == "2026-03-01T12:00:00.000000Z"
    assert record.fields["warc-ip-address"] == "192.0.2.1"
    assert record.fields["warc-payload-digest"].startswith("sha1:")
    assert "warc-truncated" not in record.fields
    assert record.fields["warc-protocol"] == "http/1.1"
    facts = dict(line.split(": ", 1) for line in info.payload.decode().splitlines())
    assert facts["software"] == f"goodbot/{goodbot.__version__}"
    assert (facts["format"], facts["robots"]) == ("WARC File Format 1.1", "obey")
    assert facts["http-header-user-agent"] == "ExampleBot/1.0 (+https://example.com/bot)"


def test_every_record_is_a_gzip_member_of_its_own(crawl: Crawl, tmp_path: Path) -> None:
    """From its offset on, as many bytes as its length are one record and nothing else."""
    kept = [one for body in ("<p>a", PARTS) for one in crawl.keep(answer(body, f"{LAMP}/{body}"))]
    content = (tmp_path / kept[0].file).read_bytes()
    for one in kept:
        stream = zlib.decompressobj(31)
        text = stream.decompress(content[one.offset : one.offset + one.length])
        assert (stream.eof, stream.unused_data) == (True, b"")
        assert text.startswith(b"WARC/1.1\r\n")
    assert kept[-1].offset + kept[-1].length == len(content)


def test_the_bytes_as_received_are_kept_if_available(crawl: Crawl, tmp_path: Path) -> None:
    """With them the header fields apply; without them fields are renamed, the length corrected."""
    body, wire = b"<p>" + b"hello " * 50, gzip.compress(b"<p>" + b"hello " * 50)
    size = ("Content-Length", str(len(wire)))
    chunked = ("Transfer-Encoding", "chunked")
    crawl.keep(answer(body, f"{LAMP}/1", headers=[*ZIPPED, size], wire=wire))
    crawl.keep(answer(body, f"{LAMP}/2", headers=[*ZIPPED, size]))
    crawl.keep(answer(body, f"{LAMP}/3", headers=[*ZIPPED, chunked], wire=wire))
    first, second, third = all_records(tmp_path)[1:]
    assert (first.payload, first.headers) == (wire, [*ZIPPED, size])
    assert second.payload == body
    assert second.headers == [
        *HTML,
        ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("X-Archive-Orig-Content-Length", str(len(wire))),
        ("Content-Length", str(len(body))),
    ]
    assert third.headers == [*ZIPPED, ("X-Archive-Orig-Transfer-Encoding", "chunked")]
    assert [copy_of(crawl, f"{LAMP}/{number}") for number in (1, 2, 3)] == [body] * 3


def copy_of(crawl: Crawl, url: str = LAMP) -> bytes | None:
    """Return the content of a kept copy."""
    copy = crawl.archive.show(url)
    return None if copy is None else copy.content


def test_a_truncated_response_is_marked_as_such(crawl: Crawl, tmp_path: Path) -> None:
    """Only the decoded beginning is kept, because the compressed bytes may have unread content."""
    wire = gzip.compress(b"<p>beginning and rest")
    crawl.keep(answer("<p>beginning", headers=ZIPPED, wire=wire, truncated=True))
    record = all_records(tmp_path)[1]
    assert (record.fields["warc-truncated"], record.payload) == ("length", b"<p>beginning")
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert copy.truncated


def test_a_page_with_hidden_parts_is_kept_without_them(crawl: Crawl, tmp_path: Path) -> None:
    """The archive has a `conversion` with visible gaps and `metadata` that list the cuts only."""
    kept = crawl.keep(answer(PARTS))
    assert [one.kind for one in kept] == ["conversion", "metadata"]
    _, conversion, metadata = all_records(tmp_path)
    assert b"hidden" not in everything(tmp_path)
    text = conversion.payload.decode("utf-8-sig")
    assert text == page_of(answer(PARTS)).archive_copy().html
    assert "open […] end" in text
    assert conversion.payload.startswith(b"\xef\xbb\xbf")
    assert conversion.fields["content-type"] == "text/html; charset=utf-8"
    assert metadata.fields["warc-refers-to"] == conversion.fields["warc-record-id"]
    values = json.loads(metadata.payload)
    assert values["cuts"] == [{"line": 1, "octets": 6, "source": "robots-noarchive, line 1"}]
    assert (values["status"], values["headers"]) == (200, [list(HTML[0])])
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert [(cut.line, cut.bytes, cut.source) for cut in copy.cuts] == [
        (1, 6, "robots-noarchive, line 1")
    ]


def test_a_copy_of_xml_declares_its_own_encoding(crawl: Crawl) -> None:
    """A copy of a document in Latin-1 is in UTF-8, and its declaration says so."""
    text = (
        '<?xml version="1.0" encoding="iso-8859-1"?><html xmlns="http://www.w3.org/1999/xhtml">'
        f'{PROFILE}<body><p>caf\xe9 <b class="robots-noarchive">hidden</b></p></body></html>'
    )
    fields = [("Content-Type", "application/xhtml+xml")]
    crawl.keep(answer(text.encode("latin-1"), headers=fields))
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert copy.kind == "conversion"
    assert copy.content_type == "application/xhtml+xml; charset=utf-8"
    again = Page(LAMP, copy.content, content_type=copy.content_type)
    assert (again.encoding, again.findings) == ("utf-8", [])
    assert "café" in again.text()


def test_a_part_that_was_not_parsed_is_not_kept(crawl: Crawl, tmp_path: Path) -> None:
    """Marks in it would have been missed."""
    body = "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>read</p></oops> behind"
    crawl.keep(answer(body, headers=[("Content-Type", "application/xhtml+xml")]))
    assert b"behind" not in everything(tmp_path)
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert (copy.cuts, len(copy.not_read)) == ((), 1)
    assert b"read" in copy.content


def test_a_page_with_too_many_findings_to_list_is_not_kept_whole() -> None:
    """A finding that something was not read may be among those not listed."""
    metas = "".join(f"<meta name=robots content='max-snippet:{n}x'>" for n in range(1_100))
    page = page_of(answer(f"<head>{metas}</head><p>a"))
    assert any(finding.code == "findings-cut" for finding in page.findings)
    assert partial_copy(page) is not None


FORBIDDEN = {
    "noarchive in META": answer(NO_COPY),
    "noarchive in the header": answer("secret", headers=[*HTML, ("X-Robots-Tag", "noarchive")]),
    "an image with a header": answer(
        "secret", headers=[("Content-Type", "image/png"), ("X-Robots-Tag", "noarchive")]
    ),
    "expired": answer("<meta name=robots content='unavailable_after: 2026-02-28'>secret"),
    "not found": answer("secret", status=404),
    "gone": answer("secret", status=410),
    "content of another type": answer(b"\x89PNG\r\n\x1a\nsecret"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_under_noarchive_nothing_is_kept(name: str, crawl: Crawl, tmp_path: Path) -> None:
    """No payload is stored, not even for a moment, and earlier copies are not shown any more."""
    assert crawl.keep(FORBIDDEN[name]) == []
    assert warc_files(tmp_path) == []
    crawl.keep(answer("<p>before"))
    assert crawl.keep(FORBIDDEN[name]) == []
    assert crawl.archive.show(LAMP) is None
    assert b"secret" not in everything(tmp_path)


@pytest.mark.parametrize("status", [301, 304, 408, 429, 500, 503])
def test_a_temporary_failure_leaves_the_copy(status: int, crawl: Crawl) -> None:
    """A site that is down has not asked for the copy to be deleted."""
    crawl.keep(answer("<p>before"))
    assert crawl.keep(answer("down", status=status)) == []
    assert copy_of(crawl) == b"<p>before"


def test_an_image_is_kept_as_received(crawl: Crawl, tmp_path: Path) -> None:
    """An image has no parts: the verdict on the whole decides."""
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    crawl.keep(answer(image, headers=[("Content-Type", "image/png")]))
    assert all_records(tmp_path)[1].payload == image
    assert copy_of(crawl) == image


def test_the_next_response_replaces_the_last(crawl: Crawl) -> None:
    """Each URL has one copy, whatever kind it was before."""
    bodies = ["<p>1", "<p>2", PARTS, "<p>3", NO_COPY, "<p>4"]
    for day, body in enumerate(bodies):
        crawl.keep(answer(body, started=later(days=day)))
    assert [kind for kind, _, _ in crawl.rows()] == ["response"]
    assert copy_of(crawl) == b"<p>4"


def test_an_expired_copy_is_deleted(crawl: Crawl) -> None:
    """A copy has its `unavailable_after`; a compaction from that time on drops it."""
    body = "<meta name=robots content='unavailable_after: 2026-03-05'><p>a"
    crawl.keep(answer(body))
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert copy.until is not None
    crawl.archive.compact(copy.until - timedelta(seconds=1))
    assert crawl.archive.show(LAMP) is not None
    crawl.archive.compact(copy.until)
    assert crawl.archive.show(LAMP) is None


def test_revisits_expire_with_the_record_they_refer_to(crawl: Crawl) -> None:
    """Revisits from before the time was stated expire, too."""
    late = ("X-Robots-Tag", "unavailable_after: 2026-03-05")
    for day, fields in enumerate([HTML, HTML, (*HTML, late)]):
        crawl.keep(answer("<p>a", headers=fields, started=later(days=day)))
    assert len(crawl.rows()) == 3
    crawl.archive.compact(later(days=10))
    assert crawl.rows() == []


# The same again.


def test_the_same_content_again_is_not_kept_twice(crawl: Crawl, tmp_path: Path) -> None:
    """A `revisit` names the first record and has the header fields of the second response."""
    crawl.keep(answer("<p>same" * 1000))
    crawl.keep(answer("<p>same" * 1000, headers=[*HTML, ("Age", "1")], started=later(days=1)))
    _, first, second = all_records(tmp_path)
    assert (second.kind, second.payload) == ("revisit", b"")
    assert second.headers == [*HTML, ("Age", "1")]
    assert second.fields["warc-profile"].endswith("/1.1/revisit/identical-payload-digest")
    assert second.fields["warc-payload-digest"] == first.fields["warc-payload-digest"]
    assert second.fields["warc-refers-to"] == first.fields["warc-record-id"]
    assert second.fields["warc-refers-to-target-uri"] == first.fields["warc-target-uri"]
    assert second.fields["warc-refers-to-date"] == first.fields["warc-date"]
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert (copy.received, copy.confirmed) == (NOON, later(days=1))
    assert copy.content == b"<p>same" * 1000


def test_a_page_equal_to_its_partial_copy_is_kept_as_received(crawl: Crawl) -> None:
    """A revisit refers to a response, and a partial copy is not one."""
    crawl.keep(answer(PARTS))
    copy = copy_of(crawl)
    assert copy is not None
    (kept,) = crawl.keep(answer(copy, started=later(days=1)))
    assert kept.kind == "response"
    assert copy_of(crawl) == copy


def test_a_year_of_a_robots_txt_is_small(crawl: Crawl, tmp_path: Path) -> None:
    """Each response is kept in files of its own; an unchanged one takes only a revisit."""
    texts = [b"User-agent: *\nDisallow: /%d\n" % (day // 100) * 500 for day in range(365)]
    for day, text in enumerate(texts):
        started = later(days=day)
        crawl.archive.keep_robots_txt(answer(text, ROBOTS, headers=[], started=started))
    hop = answer("", "https://shop.example/old", headers=[("Location", ROBOTS)], status=301)
    crawl.archive.keep_robots_txt(hop)
    (path,) = warc_files(tmp_path)
    assert path.name == "robots-txt-00001.warc.gz"
    kinds = [record.kind for record in records(path)]
    assert (kinds.count("response"), kinds.count("revisit")) == (5, 361)
    assert path.stat().st_size < 200_000
    assert [row[1] for row in crawl.rows()] == [0] * 366
    copy = crawl.archive.show(ROBOTS)
    assert copy is not None
    assert (copy.content, copy.confirmed) == (texts[-1], later(days=364))
    moved = crawl.archive.show("https://shop.example/old")
    assert moved is not None
    assert (moved.status, moved.headers) == (301, (("Location", ROBOTS),))


def test_an_old_robots_txt_that_comes_back_is_shown(crawl: Crawl) -> None:
    """After first, second, first again, the one in force is shown."""
    for day, text in enumerate(["one", "two", "one", "one"]):
        crawl.archive.keep_robots_txt(answer(text, ROBOTS, headers=[], started=later(days=day)))
    copy = crawl.archive.show(ROBOTS)
    assert copy is not None
    assert (copy.content, copy.confirmed) == (b"one", later(days=3))


# Files.


def test_a_full_file_is_followed_by_the_next(tmp_path: Path) -> None:
    """Each file begins with a warcinfo that names it, and no record is split."""
    with Crawl(tmp_path, most_bytes=2_000) as crawl:
        for number in range(20):
            crawl.keep(answer(f"<p>{number}", f"{LAMP}/{number}"))
    paths = warc_files(tmp_path)
    assert len(paths) > 3
    assert [path.name for path in paths] == [
        f"pages-{number:05d}.warc.gz" for number in range(1, len(paths) + 1)
    ]
    for path in paths:
        assert path.stat().st_size <= 2_000
        first, *rest = records(path)
        assert (first.kind, first.fields["warc-filename"]) == ("warcinfo", path.name)
        assert rest
        assert all(record.kind == "response" for record in rest)


def test_a_crawl_goes_on_where_it_ended(tmp_path: Path) -> None:
    """New files have the User-Agent even if the archive was reopened without it."""
    with Crawl(tmp_path, user_agent="ExampleBot/1.0", most_bytes=1) as crawl:
        crawl.keep(answer("<p>1", f"{LAMP}/1"))
    with Crawl(tmp_path, most_bytes=1) as crawl:
        crawl.keep(answer("<p>2", f"{LAMP}/2"))
        assert [copy_of(crawl, f"{LAMP}/{number}") for number in (1, 2)] == [b"<p>1", b"<p>2"]
    infos = [record.payload for record in all_records(tmp_path) if record.kind == "warcinfo"]
    assert len(infos) == 2
    assert infos[0] == infos[1]
    assert b"ExampleBot/1.0" in infos[0]


def test_warcio_reads_the_files(crawl: Crawl, tmp_path: Path) -> None:
    """Every digest is right, and every record ends where the next begins."""
    crawl.keep(answer("<p>one", headers=ZIPPED, wire=gzip.compress(b"<p>one")))
    crawl.keep(
        answer("<p>one", headers=ZIPPED, wire=gzip.compress(b"<p>two"), started=later(days=1))
    )
    crawl.keep(answer(PARTS, f"{LAMP}/2"))
    crawl.archive.keep_robots_txt(answer("User-agent: *", ROBOTS, headers=[]))
    for path in warc_files(tmp_path):
        with path.open("rb") as file:
            reader = ArchiveIterator(file, check_digests="raise")
            kinds = [(record.rec_type, record.content_stream().read()) for record in reader]
            assert reader.err_count == 0
        assert kinds[0][0] == "warcinfo"


# Compaction.


def test_compaction_removes_what_must_go(tmp_path: Path) -> None:
    """Kept records stay byte for byte; all others are gone from the disk."""
    with Crawl(tmp_path, most_bytes=3_000) as crawl:
        for number in range(20):
            crawl.keep(answer(f"<p>marked-{number}-", f"{LAMP}/{number}"))
            crawl.keep(answer(f"<p>marked-{number}-", f"{LAMP}/{number}", started=later(days=1)))
        for number in [*range(12), 15, 19]:
            crawl.archive.forget(crawl.number(f"{LAMP}/{number}"))
        before = len(everything(tmp_path)), sum(p.stat().st_size for p in warc_files(tmp_path))
        done = crawl.archive.compact()
        files = warc_files(tmp_path)
        assert done.bytes == sum(path.stat().st_size for path in files)
        assert (before[1] - done.bytes, done.records) == (done.bytes_removed, 12)
        assert done.files_removed
        assert done.files_rewritten
        left = everything(tmp_path)
        for number in range(20):
            is_kept = number not in {*range(12), 15, 19}
            assert (b"marked-%d-" % number in left) == is_kept
            assert (copy_of(crawl, f"{LAMP}/{number}") is not None) == is_kept
        assert all_records(tmp_path)
        again = crawl.archive.compact()
        assert (again.bytes, again.bytes_removed, again.files_rewritten) == (done.bytes, 0, 0)
        crawl.keep(answer("<p>after", LAMP))
        assert copy_of(crawl) == b"<p>after"
    with Crawl(tmp_path) as crawl:
        assert copy_of(crawl) == b"<p>after"


def test_no_revisit_is_left_without_what_it_refers_to(crawl: Crawl, tmp_path: Path) -> None:
    """A revisit is removed with the record it refers to."""
    for day in range(3):
        crawl.keep(answer("<p>same", started=later(days=day)))
    crawl.keep(answer("<p>other", started=later(days=4)))
    crawl.archive.compact()
    found = all_records(tmp_path)
    assert [record.kind for record in found] == ["warcinfo", "response"]
    assert found[1].payload == b"<p>other"


def test_the_number_of_a_file_is_not_used_again(crawl: Crawl, tmp_path: Path) -> None:
    """A reader with an old row must not find another record in its place."""
    crawl.keep(answer("<p>1"))
    crawl.archive.forget(crawl.number(LAMP))
    crawl.archive.compact()
    assert warc_files(tmp_path) == []
    (kept,) = crawl.keep(answer("<p>2"))
    assert kept.file == "pages-00002.warc.gz"


def test_compaction_cannot_be_part_of_another_change(crawl: Crawl) -> None:
    """If that change were undone, the old file would be gone."""
    with crawl.database.changing(), pytest.raises(MisuseError, match="changing"):
        crawl.archive.compact()


def test_a_copy_can_be_shown_while_another_process_writes(tmp_path: Path) -> None:
    """Reading waits for no lock, and survives a compaction by another process."""
    with Crawl(tmp_path) as crawl, Crawl(tmp_path) as other:
        crawl.keep(answer("<p>1"))
        with crawl.database.changing():
            assert copy_of(other) == b"<p>1"
        crawl.keep(answer("<p>old", f"{LAMP}/2"))
        crawl.archive.forget(crawl.number(f"{LAMP}/2"))
        other.archive.compact()
        assert copy_of(crawl) == b"<p>1"
        (kept,) = crawl.keep(answer("<p>3", f"{LAMP}/3"))
        assert kept.file == "pages-00002.warc.gz"
        assert copy_of(other, f"{LAMP}/3") == b"<p>3"


# Foreign content.


LATIN = st.text(st.characters(max_codepoint=255), max_size=20)


@given(
    st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12) | LATIN), max_size=5),
    st.binary(max_size=60),
    st.integers(100, 999),
    st.text(max_size=30),
)
def test_no_response_breaks_the_form_of_a_record(
    fields: list[tuple[str, str]], body: bytes, status: int, url: str
) -> None:
    """Whatever another client passes, there is one record, with the payload received."""
    message = message_of(answer(body, url, headers=fields, status=status))
    record = Writer().response(Origin(url, 0), message)
    stored = read_record(record.content, "here")
    assert stored.fields["warc-type"] == "response"
    back = read_message(stored.block)
    assert (back.status, back.payload) == (status, body)
    added = len(back.headers) - len(fields)
    assert 0 <= added <= 1


def head_of(first: str, fields: list[tuple[str, str]], size: int, is_encoded: bool) -> bytes:  # noqa: FBT001
    """Return what `message_head` returns, with the regular expressions of the standard."""
    dropped = {"transfer-encoding"} | (set() if is_encoded else {"content-encoding"})
    lines, is_measured = [first], True
    for name, value in fields:
        prefix, stated = "", value.strip()
        if name.lower() in dropped and stated.lower() not in {"", "identity"}:
            prefix = "X-Archive-Orig-"
        elif name.lower() == "content-length" and stated != str(size):
            prefix, is_measured = "X-Archive-Orig-", False
        name = re.sub("[^!#$%&'*+.^_`|~0-9A-Za-z-]", "-", prefix + name) or "-"  # noqa: PLW2901
        lines.append(name + ": " + re.sub("[\r\n\0]+", " ", value))
    lines += [] if is_measured else [f"Content-Length: {size}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


ANY_TEXT = st.text(st.characters(codec=None), max_size=9)
ODD = st.text(st.sampled_from("a \r\n\0\x1c\xa0\xe9\u2003\u212a\ud800\U0001f600"), max_size=9)
NAMES = st.sampled_from(["Content-Encoding", "transfer-encoding", "CONTENT-LENGTH", "ETag", ""])
VALUES = st.sampled_from(["7", " 7\x1f", "07", "", " ", "Identity ", "gzip", "\u2003identity"])


@given(
    st.lists(st.tuples(NAMES | ODD | ANY_TEXT, VALUES | ODD | ANY_TEXT), max_size=5), st.booleans()
)
def test_the_head_of_a_kept_response_is_as_defined(
    fields: list[tuple[str, str]],
    is_encoded: bool,  # noqa: FBT001
) -> None:
    """Whatever another client passes, also characters that ISO 8859-1 has not."""
    head = message_head("HTTP/1.1 200 OK", fields, 7, is_encoded)
    assert head == head_of("HTTP/1.1 200 OK", fields, 7, is_encoded)


@given(st.binary(max_size=200))
def test_bytes_that_are_not_a_record_raise(content: bytes) -> None:
    """Any bytes in place of a record raise one exception; its message says what to do."""
    with pytest.raises(NotAStoreError, match="restore the file from a backup"):
        read_record(content, "here")


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_record_with_a_changed_byte_is_detected(place: int, byte: int) -> None:
    """Either its content is the same as before, or reading it raises."""
    message = message_of(answer("<p>some content"))
    member = bytearray(Writer().response(Origin(LAMP, 0), message).content)
    whole = read_record(bytes(member), "here")
    member[place % len(member)] = byte
    try:
        assert read_record(bytes(member), "here").block == whole.block
    except NotAStoreError as error:
        assert "restore the file from a backup" in str(error)  # noqa: PT017 - it may raise or not


def test_a_bomb_is_decompressed_up_to_a_limit() -> None:
    """A kept response is not decompressed without limit."""
    wire = gzip.compress(bytes(1_000_000))
    message = read_message(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + wire)
    assert decoded_payload(message, 1_000) == bytes(1_000)
    assert decoded_payload(message._replace(headers=(("content-encoding", "no"),)), 9) is None


def test_an_encoding_that_cannot_be_decoded_is_reported(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content is then returned as it is kept."""
    crawl.keep(answer("<p>a", headers=[*HTML, ("Content-Encoding", "gzip")], wire=b"\x1f\x8b..."))
    monkeypatch.delitem(DECODERS, "gzip")
    copy = crawl.archive.show(LAMP)
    assert copy is not None
    assert (copy.encoded, copy.content) == ("gzip", b"\x1f\x8b...")


# Of the layers below.


@pytest.mark.parametrize(
    "body", ["<p>a", PARTS, f"<html>{PROFILE}<p>nothing marked", "<p class=robots-noarchive>a"]
)
def test_the_quick_check_for_cuts_misses_none(body: str) -> None:
    """It never says no if the full copy has a cut."""
    page = page_of(answer(body))
    cuts = page.archive_copy().cuts
    assert page.may_have_cuts or not cuts
    assert (partial_copy(page) is not None) == bool(cuts)


@given(st.lists(st.sampled_from(
    [PROFILE, "<p class=robots-noarchive>", "<noindex>", "<!--googleoff: all-->", "text", "<img>",
     "<div data-nosnippet>", "<b class='robots-nocontent robots-noarchive'>", "</b>", "</p>"]
)))  # fmt: skip
def test_the_quick_check_agrees_with_the_full_copy(pieces: list[str]) -> None:
    """They agree on pages with any marks."""
    page = page_of(answer("".join(pieces)))
    copy = page.archive_copy()
    assert page.may_have_cuts or not copy.cuts
    assert (partial_copy(page) is None) == (not copy.cuts)


def test_findings_that_say_that_something_was_not_read_exist() -> None:
    """Every code in the list exists."""
    assert {code for code, *_ in goodbot.page.finding_codes()} >= DOUBTFUL


async def fetched(route: Answer, **limits: Any) -> Any:  # noqa: ANN401
    """Fetch from a site in memory."""
    site = FakeSite({LAMP: route})
    return await site.fetch(LAMP, limits=Limits(**limits))


def test_a_site_in_memory_gives_the_bytes_as_received() -> None:
    """It does if they equal the body or are given, and only if they are requested."""
    import asyncio  # noqa: PLC0415 - for this test alone

    plain, zipped = Answer(body=b"abc"), Answer(body=b"a", wire=b"xyz", headers=ZIPPED[1:])
    assert asyncio.run(fetched(plain)).wire is None
    assert asyncio.run(fetched(plain, keep_wire=True)).wire == b"abc"
    assert asyncio.run(fetched(zipped, keep_wire=True)).wire == b"xyz"
    unknown = Answer(body=b"a", headers=ZIPPED[1:])
    assert asyncio.run(fetched(unknown, keep_wire=True)).wire is None
    with pytest.raises(WrongTypeError, match="True or False"):
        Limits(keep_wire=1)  # type: ignore[arg-type]


WITHOUT_WARCIO = """
import sys
sys.modules["warcio"] = None
import goodbot, goodbot.crawl.folder.database
try:
    import goodbot.crawl.archive.warc_archive
except goodbot.MissingExtraError as error:
    print(error)
"""


def test_without_the_extra_the_message_names_it() -> None:
    """The message says which extra to install."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", WITHOUT_WARCIO], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "warcio is not installed; run pip install 'goodbot[crawl]', or '.[crawl]' in a checkout\n"
    )


@pytest.mark.parametrize("statement", [OF_ANSWER, OF_ROBOTS_TXT])
def test_a_robots_txt_is_found_by_its_address(tmp_path: Path, statement: str) -> None:
    """And not among those of all sites, which all have 0 for the number of their URL."""
    with Database(tmp_path, create=True) as database:
        values = [None] * statement.count("?")
        plan = database.connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    assert "kept_at (address=?)" in plan[0][3]
