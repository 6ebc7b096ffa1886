"""WACZ files are read like the WARC files in them, if their digests are right."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tracemalloc
import zipfile
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import export_wacz, import_warcs
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.errors import MisuseError
from goodbot.tables.building import build_policies
from goodbot.warc import warc_sources
from goodbot.warc.warc_sources import open_warcs
from goodbot.warc.zip_members import FilePart
from tests.support.crawls.foreign_warcs import response
from tests.support.crawls.memory_crawls import SITE, crawl, site_of

if TYPE_CHECKING:
    from goodbot.crawl.imports.warc_import import ImportSummary

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
A = "https://a.example"
ROBOTS = response(f"{A}/robots.txt", "User-agent: *\nDisallow: /till\n")
LAMPS = response(f"{A}/lamps", "<title>Lamps</title>lamp")
WARC = gzip.compress(ROBOTS) + gzip.compress(LAMPS)


def digest(content: bytes) -> str:
    """Return a digest as a WACZ has it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def wacz(path: Path, members: dict[str, bytes], how: int = zipfile.ZIP_STORED, **of: Any) -> Path:  # noqa: ANN401
    """Write a WACZ; `of` replaces the digests by path, or the package itself."""
    listed = {name: digest(content) for name, content in members.items()} | of.get("digests", {})
    resources = [{"path": name, "hash": one} for name, one in listed.items() if one]
    package = of.get("package", json.dumps({"resources": resources}).encode())
    with zipfile.ZipFile(path, "w", how) as file:
        for name, content in members.items():
            file.writestr(name, content)
        if package is not None:
            file.writestr("datapackage.json", package)
            stated = {"path": "datapackage.json", "hash": of.get("stated", digest(package))}
            file.writestr("datapackage-digest.json", json.dumps(stated))
    return path


def imported(folder: Path, path: Path) -> ImportSummary:
    """Import a file."""
    return import_warcs(folder / "out", [path], "ExampleBot", now=NOW)


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_each_warc_of_a_wacz_is_read(how: int, tmp_path: Path) -> None:
    """Whatever their number, and whether the ZIP file compresses them."""
    members = {"archive/a.warc.gz": gzip.compress(ROBOTS), "archive/b.warc": LAMPS, "x/c.warc": b""}
    done = imported(tmp_path, wacz(tmp_path / "a.wacz", members, how))
    assert (done.files, done.records, done.allowed, done.damaged) == (2, 2, 1, 0)


def test_a_wacz_of_goodbot_can_be_imported(tmp_path: Path) -> None:
    """What was archived comes back, with the same robots.txt."""
    site = site_of("User-agent: *\nDisallow: /till", home="<a href=/lamps>", lamps="a lamp")
    crawl(tmp_path / "crawl", site)
    with open_readonly(tmp_path / "crawl") as database:
        export_wacz(database, tmp_path / "a.wacz", site.clock.now())
    done = imported(tmp_path, tmp_path / "a.wacz")
    assert (done.allowed, done.robots_txt, done.unknown, done.damaged) == (2, 1, 0, 0)
    with open_readonly(tmp_path / "out") as database:
        urls = {url for (url,) in database.connection.execute("SELECT url FROM urls")}
    assert urls >= {f"{SITE}/", f"{SITE}/lamps"}


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        (digest(b"other"), "differs"),
        ("", "does not list it"),
        ("md5:d41d8cd98f00b204e9800998ecf8427e", "differs"),
        ("blake3:d41d8cd98f00b204e9800998ecf8427e", "a digest of blake3, which is not known"),
    ],
)
def test_a_warc_without_its_digest_is_not_read(stated: str, why: str, tmp_path: Path) -> None:
    """The others are, and the summary says which one was not, and why."""
    members = {"archive/a.warc.gz": WARC, "archive/b.warc.gz": gzip.compress(LAMPS)}
    path = wacz(tmp_path / "a.wacz", members, digests={"archive/a.warc.gz": stated})
    done = imported(tmp_path, path)
    assert (done.files, done.records, done.damaged, done.unread) == (1, 1, 1, len(WARC))
    (part,) = done.unread_parts
    assert part.file == f"{path}/archive/a.warc.gz"
    assert why in part.why


@pytest.mark.parametrize(
    ("of", "why"),
    [
        ({"package": None}, "no datapackage.json"),
        ({"package": b"{"}, "Expecting"),
        ({"package": b"[]", "stated": digest(b"{}")}, "was changed"),
    ],
)
def test_a_zip_that_is_no_wacz_is_refused(of: dict[str, Any], why: str, tmp_path: Path) -> None:
    """The message says why, and nothing is created."""
    path = wacz(tmp_path / "a.wacz", {"archive/a.warc.gz": WARC}, **of)
    with pytest.raises(MisuseError, match=why):
        imported(tmp_path, path)
    assert not (tmp_path / "out").exists()


STATS: dict[str, dict[str, Any]] = {
    "sha256": {"stats": {"hash": digest(WARC), "bytes": 1}},
    "bare sha256": {"stats": {"hash": digest(WARC)[7:], "bytes": 1}, "hashing": "sha-256"},
    "md5": {"hash": f"md5:{hashlib.md5(WARC, usedforsecurity=False).hexdigest()}"},
    "bare md5": {"stats": {"hash": hashlib.md5(WARC, usedforsecurity=False).hexdigest()}},
    "sha512": {"hash": f"SHA512:{hashlib.sha512(WARC).hexdigest().upper()}"},
}


@pytest.mark.parametrize("how", STATS)
def test_digests_of_older_and_other_writers_are_checked(how: str, tmp_path: Path) -> None:
    """In `stats`, without the name of the algorithm, and of other algorithms."""
    resource = {"path": "archive/a.warc.gz", **STATS[how]}
    for content, damaged in ((WARC, 0), (WARC + b"x", 1)):
        package = json.dumps({"resources": [resource]}).encode()
        path = wacz(tmp_path / f"{damaged}.wacz", {"archive/a.warc.gz": content}, package=package)
        done = imported(tmp_path / str(damaged), path)
        assert (done.allowed, done.damaged) == (1 - damaged, damaged)


def multi(path: Path, *inner: Path, **more: Any) -> Path:  # noqa: ANN401
    """Write a multi-WACZ."""
    members = {one.name: one.read_bytes() for one in inner}
    stated = more.pop("stated", {})
    listed = [
        {"name": name, "path": name, "hash": stated.get(name, digest(content))}
        for name, content in members.items()
    ]
    package = {"profile": "multi-wacz-package", "resources": [*listed, *more.get("others", [])]}
    return wacz(path, members, package=json.dumps(package).encode())


def test_each_wacz_in_a_multi_wacz_is_read(tmp_path: Path) -> None:
    """By import and by the building of a table; a digest in it is checked, if there is one."""
    rules = wacz(tmp_path / "rules.wacz", {"archive/a.warc.gz": gzip.compress(ROBOTS)})
    pages = wacz(tmp_path / "pages.wacz", {"archive/a.warc": LAMPS}, zipfile.ZIP_DEFLATED)
    for number, stated in enumerate(({}, {"pages.wacz": None})):
        path = multi(tmp_path / f"{number}.wacz", rules, pages, stated=stated)
        done = imported(tmp_path / str(number), path)
        assert (done.files, done.records, done.allowed, done.damaged) == (2, 2, 1, 0)
        summary = build_policies([path], tmp_path / "t.parquet")
        assert (summary.records, summary.rows, summary.damaged) == (2, 1, [])


def test_what_of_a_multi_wacz_is_not_read_is_named(tmp_path: Path) -> None:
    """What is elsewhere, changed, no WACZ, or too deep."""
    rules = wacz(tmp_path / "rules.wacz", {"archive/a.warc.gz": gzip.compress(ROBOTS)})
    (tmp_path / "odd.wacz").write_bytes(b"hello")
    deep = multi(tmp_path / "deep.wacz", multi(tmp_path / "deeper.wacz", rules))
    away = [{"path": "https://a.example/x.wacz"}]
    path = multi(
        tmp_path / "a.wacz", rules, tmp_path / "odd.wacz", deep,
        stated={"rules.wacz": digest(b"x")}, others=away,
    )  # fmt: skip
    done = imported(tmp_path, path)
    whys = {part.file.rpartition("/")[2]: part.why for part in done.unread_parts}
    assert (done.files, done.damaged, len(whys)) == (0, 4, 4)
    for name, why in (
        ("rules.wacz", "digest"), ("odd.wacz", "no WACZ"), ("deeper.wacz", "no further"),
        ("x.wacz", "only its URL"),
    ):  # fmt: skip
        assert why in whys.get(name, ""), name


def test_a_wacz_without_files_to_read_is_refused(tmp_path: Path) -> None:
    """Also one of the first version, which has another list."""
    with pytest.raises(MisuseError, match="no WARC files in archive/"):
        imported(tmp_path, wacz(tmp_path / "a.wacz", {"pages/pages.jsonl": b"{}"}))
    old = wacz(tmp_path / "b.wacz", {"webarchive.yaml": b"x"}, package=None)
    with pytest.raises(MisuseError, match=r"WACZ 0\.1\.0"):
        imported(tmp_path, old)


def test_a_wacz_that_was_not_fetched_as_a_whole_is_called_so(tmp_path: Path) -> None:
    """Its table of members is at its end, so nothing of it is known."""
    path = wacz(tmp_path / "a.wacz", {"archive/a.warc.gz": WARC})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(MisuseError, match=r"damaged or cut off \(.*\); fetch it again"):
        imported(tmp_path, path)


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="this system has no names for pipes")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """As a shell makes one of `<(zcat …)`: it cannot be read twice. Nothing is created."""
    ours, theirs = os.pipe()
    os.write(theirs, WARC)
    os.close(theirs)
    try:
        with pytest.raises(MisuseError, match="is a pipe, and web archives are read more than"):
            imported(tmp_path, Path(f"/dev/fd/{ours}"))
    finally:
        os.close(ours)
    assert not (tmp_path / "out").exists()


def test_damaged_zip_files_never_raise_otherwise(tmp_path: Path) -> None:
    """Whatever is cut off or changed, they are refused, or parts are not read."""
    path = wacz(tmp_path / "a.wacz", {"archive/a.warc.gz": WARC}, zipfile.ZIP_DEFLATED)
    content = path.read_bytes()
    for at in range(4, len(content), 7):
        for changed in (content[:at], content[:at] + b"\xff" + content[at + 1 :]):
            path.write_bytes(changed)
            with ExitStack() as stack:
                try:
                    found, unread = open_warcs(path, stack)
                except MisuseError:
                    continue
                assert len(found) + len(unread) <= 1
                assert all(source.file.read() is not None for source in found)


@pytest.mark.parametrize("at", [12, 16])
def test_a_zip_with_offsets_before_the_file_is_refused(at: int, tmp_path: Path) -> None:
    """Where the end record places the directory, or shifts members, before the file's beginning."""
    path = wacz(tmp_path / "a.wacz", {"archive/a.warc.gz": WARC})
    content = bytearray(path.read_bytes())
    end = content.rindex(b"PK\x05\x06") + at
    stated = int.from_bytes(content[end : end + 4], "little")
    content[end : end + 4] = (stated + (1 << 20)).to_bytes(4, "little")
    path.write_bytes(content)
    with ExitStack() as stack, pytest.raises(MisuseError, match=r"no WACZ|damaged or cut off"):
        open_warcs(path, stack)


def test_zip_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that expands beyond measure is not read; members that overlap are refused."""
    monkeypatch.setattr(warc_sources, "FREE", 1 << 20)
    members = {"archive/a.warc": bytes(1 << 22), "archive/b.warc": ROBOTS}
    path = wacz(tmp_path / "a.wacz", members, zipfile.ZIP_DEFLATED)
    with ExitStack() as stack:
        found, unread = open_warcs(path, stack)
    assert [one.name for one in found] == [f"{path}/archive/b.warc"]
    assert [one.file for one in unread] == [f"{path}/archive/a.warc"]
    overlapping = tmp_path / "b.wacz"
    with zipfile.ZipFile(wacz(overlapping, {"archive/a.warc": bytes(100_000)}), "a") as file:
        (member,) = [one for one in file.infolist() if one.filename == "archive/a.warc"]
        file.filelist += [member] * 20
        file.writestr("end", b"")
    with ExitStack() as stack, pytest.raises(MisuseError, match="overlap"):
        open_warcs(overlapping, stack)


def test_a_part_of_a_file_is_a_file() -> None:
    """It has its own place, and ends where it ends."""
    part = io.BufferedReader(FilePart(io.BytesIO(b"0123456789"), 2, 5))
    assert (part.read(2), part.read(), part.read()) == (b"23", b"456", b"")
    assert part.seek(0, io.SEEK_END) == 5
    part.seek(1)
    assert (part.read(99), part.seek(9), part.read()) == (b"3456", 9, b"")


@pytest.mark.parametrize(
    "package",
    [
        b'{"resources": [' + b"{}," * 4_000_000 + b"{}]}",
        b"[" * 12_000_000,
        b'{"resources": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b" " * 12_000_000 + b"{}",
    ],
)
def test_a_list_of_files_has_a_bound_in_memory(package: bytes, tmp_path: Path) -> None:
    """17 KB of brackets, compressed, took 468 MB as values."""
    path = wacz(
        tmp_path / "a.wacz", {"archive/a.warc.gz": WARC}, zipfile.ZIP_DEFLATED, package=package
    )
    tracemalloc.start()
    with pytest.raises(MisuseError, match="no WACZ"):
        imported(tmp_path, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * 1024 * 1024
