"""jwarc, a reader of web archives in Java, reads the files that were rewritten."""

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.crawl.reconsidering.test_archive_report import SITE
from tests.crawl.reconsidering.test_archive_rewriting import (
    GONE,
    PAGE,
    cdxj_of,
    members_of,
    package,
    rewrite,
)
from tests.support.crawls.foreign_warcs import http, record, response, write_warc
from tests.support.paths import ROOT

JAR = ROOT / "build" / "jwarc" / "jwarc-0.36.0.jar"
DIGEST = f"sha1:{base64.b32encode(hashlib.sha1(PAGE).digest()).decode()}"  # noqa: S324  as in WARC
KEPT = [
    record("warcinfo", None, b"software: x"),
    response(f"{SITE}/robots.txt", "User-agent: *\nAllow: /\n"),
    response(f"{SITE}/open", "<p>brass"),
    record("resource", "dns:a.example", b"192.0.2.1"),
]
REMOVED = [
    record("request", GONE, b"GET /private/a HTTP/1.1\r\n\r\n"),
    record("response", GONE, http(PAGE), WARC_Payload_Digest=DIGEST),
]
REVISIT = record(
    "revisit", f"{SITE}/copy", http(), WARC_Payload_Digest=DIGEST, WARC_Refers_To_Target_URI=GONE,
    WARC_Refers_To_Date="2024-05-01T12:00:00Z",
    WARC_Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
)  # fmt: skip

pytestmark = pytest.mark.skipif(
    shutil.which("java") is None or not JAR.is_file(),
    reason="java or jwarc is missing: run tests/system/install",
)


def jwarc(*words: str | Path) -> str:
    """Return what a command of jwarc prints; it must succeed and complain about nothing."""
    command = ["java", "-jar", JAR, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  ours
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def placed(lines: str) -> set[tuple[str, str, str]]:
    """Return URL, offset and length of each line of an index."""
    facts = [json.loads(line.split(" ", 2)[2]) for line in lines.splitlines()]
    return {(one["url"], one["offset"], one["length"]) for one in facts if "http" in one["url"]}


@pytest.mark.parametrize("how", ["by record", "whole", "plain"])
@pytest.mark.parametrize("tombstones", [False, True])
def test_rewritten_files_are_valid_and_their_index_is_right(
    tmp_path: Path, how: str, *, tombstones: bool
) -> None:
    """Also with a revisit that became a response, and with tombstones."""
    old = tmp_path / "old"
    old.mkdir()
    written = write_warc(old / "a.warc.gz", [*KEPT[:2], *REMOVED, *KEPT[2:], REVISIT], how)
    (old / "index.cdxj").write_bytes(b"".join(cdxj_of(written)) if how == "by record" else b"")
    rewrite(old, new=tmp_path / "new", tombstones=tombstones)
    new = tmp_path / "new" / "a.warc.gz"
    jwarc("validate", new)
    urls = [line.split()[-1] for line in jwarc("ls", new).splitlines()]
    stones = [GONE] * tombstones
    kept = [f"{SITE}/robots.txt", *stones, f"{SITE}/open", "dns:a.example", f"{SITE}/copy"]
    assert urls == ["-", *kept]
    if how == "by record":
        index = (tmp_path / "new" / "index.cdxj").read_text()
        assert placed(jwarc("cdxj", new)) == placed(index)


def test_the_files_of_a_rewritten_package_are_valid(tmp_path: Path) -> None:
    """Each WARC file in a WACZ."""
    parts = tmp_path / "parts"
    parts.mkdir()
    package(tmp_path / "old.wacz", members_of(parts))
    rewrite(tmp_path / "old.wacz", new=tmp_path / "new.wacz")
    shutil.unpack_archive(tmp_path / "new.wacz", tmp_path / "new", "zip")
    files = sorted((tmp_path / "new" / "archive").iterdir())
    assert files
    for path in files:
        jwarc("validate", path)
        assert GONE not in jwarc("ls", path)
