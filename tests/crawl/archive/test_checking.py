"""`goodbot archive check` and `repair`: every changed byte is detected, and repaired."""

import gzip
import json
import random
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from goodbot.cli.program import run
from goodbot.crawl.archive.checking import HEAD, check_archive, is_sound
from goodbot.crawl.folder.open_readonly import open_readonly
from tests.support.crawls.archived_crawls import LAMP, PARTS, Crawl, answer, later, warc_files
from tests.support.examples import some_of, thorough


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the path of a folder that does not exist yet."""
    return tmp_path / "crawl"


@pytest.mark.stress
@thorough
def test_every_changed_byte_is_detected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change of one bit, or of all bits, of any recorded byte is reported."""
    with Crawl(folder) as crawl:
        crawl.keep(answer("a brass lamp"))
        crawl.keep(answer(PARTS, LAMP + "/parts"))
        crawl.keep(answer("to be replaced", LAMP + "/2"))
        crawl.keep(answer("another", LAMP + "/2"))
        crawl.keep(answer("another", LAMP + "/2", started=later(days=1)))
        crawl.archive.keep_robots_txt(answer("User-agent: *", "https://shop.example/robots.txt"))
    assert run(["archive", "check", str(folder)]) == 0
    assert "no errors" in capsys.readouterr().out
    with open_readonly(folder) as database:
        for path in warc_files(folder):
            whole = path.read_bytes()
            for place in some_of(range(len(whole))):
                for change in (0xFF, 1 << place % 8):
                    changed = bytearray(whole)
                    changed[place] ^= change
                    path.write_bytes(changed)
                    assert list(check_archive(database)), (path.name, place, change)
            path.write_bytes(whole)


def test_repair_says_what_it_did(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Damaged and missing records are listed and dropped; afterwards the archive has no fault."""
    with Crawl(folder) as crawl:
        (first,) = crawl.keep(answer("a brass lamp"))
        (second,) = crawl.keep(answer("a lamp of tin", LAMP + "/2"))
        crawl.keep(answer("a lamp of glass", LAMP + "/3"))
    path = folder / first.file
    content = bytearray(path.read_bytes())
    content[second.offset + 50] ^= 4
    path.write_bytes(content + b"not recorded")
    assert run(["archive", "check", str(folder), "--json"]) == 1
    fault, numbers = map(json.loads, capsys.readouterr().out.splitlines())
    assert fault == {
        "code": "broken-record",
        "file": first.file,
        "offset": second.offset,
        "length": second.length,
        "url": LAMP + "/2",
    }
    assert numbers["faults"] == 1
    assert numbers["records"] == 3
    assert run(["archive", "repair", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert f"byte {second.offset:,}: bytes of this record were changed ({LAMP}/2)" in printed
    assert "1 record dropped, 1 file rewritten, 12 bytes cut off" in printed
    assert run(["archive", "check", str(folder)]) == 0
    assert run(["archive", "show", str(folder), LAMP]) == 0
    assert run(["archive", "show", str(folder), LAMP + "/2"]) == 1
    capsys.readouterr()
    assert run(["archive", "repair", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "faults": 0,
        "records_given_up": 0,
        "bytes_cut_off": 0,
        "files_rewritten": 0,
    }


def test_files_that_are_missing_or_short_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of another crawl is reported as well, although all its checksums are right."""
    for name in ("other", "crawl"):
        with Crawl(folder / name) as crawl:
            (kept,) = crawl.keep(answer(f"of {name}"))
    path = folder / "crawl" / kept.file
    whole = path.read_bytes()
    for content, code in (
        (None, "missing-file"),
        (whole[:-3], "short-file"),
        ((folder / "other" / kept.file).read_bytes(), "other-record"),
    ):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        assert run(["archive", "check", str(folder / "crawl"), "--json"]) == 1
        codes = [json.loads(line).get("code") for line in capsys.readouterr().out.splitlines()]
        if code == "other-record":
            # The beginnings of the two files may differ in length, and so may what follows.
            assert set(codes) & {"other-record", "broken-record", "short-file"}
        else:
            assert codes[0] == code


def same_content_otherwise_packed(member: bytes) -> bytes:
    """Return a gzip member of the same length and content that differs in one bit."""
    content = gzip.decompress(member)
    for place in range(HEAD, len(member) - 8):
        for bit in range(8):
            changed = bytearray(member)
            changed[place] ^= 1 << bit
            stream = zlib.decompressobj(31)
            with suppress(zlib.error):
                is_same = stream.decompress(bytes(changed)) == content
                if is_same and is_sound(bytes(changed), member[:HEAD]):
                    return bytes(changed)
    raise AssertionError


def test_changed_bytes_are_detected_that_change_no_content(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compressed data may be changed to refer to another occurrence of the same text."""
    with Crawl(folder) as crawl:
        crawl.keep(answer("a brass lamp"))
        # With so few letters, most pieces occur in several places before.
        text = "".join(random.Random(1).choices("abc", k=3_000))  # noqa: S311
        (kept,) = crawl.keep(answer(text, LAMP + "/2"))
    path = folder / kept.file
    whole = path.read_bytes()
    member = whole[kept.offset : kept.offset + kept.length]
    changed = same_content_otherwise_packed(member)
    path.write_bytes(whole.replace(member, changed))
    assert run(["archive", "check", str(folder), "--json"]) == 1
    fault, numbers = map(json.loads, capsys.readouterr().out.splitlines())
    assert (fault["code"], fault["file"], fault["length"]) == (
        "changed-bytes",
        kept.file,
        len(whole),
    )
    assert numbers["faults"] == 1
    assert run(["archive", "repair", str(folder)]) == 0
    assert "0 records dropped" in capsys.readouterr().out
    assert run(["archive", "check", str(folder)]) == 0
    with Crawl(folder) as crawl:
        crawl.keep(answer("a lamp of tin", LAMP + "/3"))
        crawl.keep(answer("another", LAMP + "/2"))
        assert crawl.archive.compact().files_rewritten == 1
    assert run(["archive", "check", str(folder)]) == 0
