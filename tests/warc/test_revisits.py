"""A revisit is what its WARC-Profile says, in an import and in a table of policies alike."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import import_warcs
from goodbot.tables.building import build_policies, policy_rows
from tests.support.crawls.foreign_warcs import NOON, http, record, response, write_warc

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
A = "https://a.example"
ROBOTS = f"{A}/robots.txt"
RULES = "User-agent: *\nDisallow: /till\n"
UNCHANGED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
SAME = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"

HEADS = {
    "the stored head": http(fields={"Content-Type": "text/plain"}),
    "a 304": http(status=304),
    "no head": b"",
    "a head with a stored length": http(fields={"Content-Length": "31"}),
}
PROFILES = [
    UNCHANGED,
    f"<{UNCHANGED}>",
    "http://netpreserve.org/warc/1.0/revisit/server-not-modified",
    "http://netpreserve.org/warc/0.18/revisit/server-not-modified",
    "HTTPS://netpreserve.org/warc/1.1/revisit/server-not-modified/",
]


def again(url: str, hours: float, profile: str, head: bytes, **fields: Any) -> bytes:  # noqa: ANN401
    """Return a revisit."""
    at = NOON + timedelta(hours=hours)
    return record("revisit", url, head, at=at, WARC_Profile=profile, **fields)


def decided(folder: Path, *records: bytes) -> tuple[int, int, int, int]:
    """Import records; return how many captures are allowed, disallowed, unknown, unreadable."""
    write_warc(folder / "a.warc.gz", records)
    done = import_warcs(folder / "out", [folder / "a.warc.gz"], "ExampleBot", now=NOW)
    return done.allowed, done.disallowed, done.unknown, done.unreadable


def late(path: str) -> bytes:
    """Return a page that came 30 hours after noon."""
    return response(f"{A}/{path}", "<title>T</title>lamp", hours=30)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_server_did_not_modify_is_renewed(tmp_path: Path, head: str, profile: str) -> None:
    """Whatever the head says, and without a reference, which is optional."""
    first = response(ROBOTS, RULES)
    second = again(ROBOTS, 20, profile, HEADS[head])
    found = decided(tmp_path, first, second, late("lamps"), late("till"))
    assert found == (1, 1, 0, 0)
    build_policies([tmp_path / "a.warc.gz"], tmp_path / "t.parquet")
    before, row = policy_rows(tmp_path / "t.parquet", A)
    assert row.policy is not None
    assert before.policy is not None
    assert (row.policy.access, row.policy.status) == ("rules", 304)
    assert row.policy.failing_since is None
    assert row.policy.copy_content == RULES.encode()
    assert row.policy.fresh_until == before.policy.fresh_until + timedelta(hours=20)


def test_another_entity_tag_is_another_file(tmp_path: Path) -> None:
    """A 304 with a tag that the copy does not have confirms nothing."""
    first = response(ROBOTS, RULES, ETag='"a"')
    second = again(ROBOTS, 20, UNCHANGED, http(fields={"ETag": '"b"'}))
    decided(tmp_path, first, second, late("lamps"))
    build_policies([tmp_path / "a.warc.gz"], tmp_path / "t.parquet")
    _, row = policy_rows(tmp_path / "t.parquet", A)
    assert row.policy is not None
    assert row.policy.failing_since is not None


@pytest.mark.parametrize("head", HEADS)
def test_an_unknown_profile_is_not_interpreted(tmp_path: Path, head: str) -> None:
    """Then nothing is known of robots.txt, and the page is unreadable."""
    odd = "http://example.com/profile/diff"
    digest: dict[str, Any] = {"WARC_Payload_Digest": "sha1:A"}
    first = record("response", ROBOTS, http(RULES.encode()), **digest)
    page = record("response", f"{A}/lamps", http(b"<p>lamp"), WARC_Payload_Digest="sha1:B")
    second = again(ROBOTS, 20, odd, HEADS[head], **digest)
    other = again(f"{A}/more", 1, odd, HEADS[head], WARC_Payload_Digest="sha1:B")
    assert decided(tmp_path, first, page, second, other, late("x")) == (1, 0, 1, 2)
    build_policies([tmp_path / "a.warc.gz"], tmp_path / "t.parquet")
    _, row = policy_rows(tmp_path / "t.parquet", A)
    assert row.policy is None


def test_a_page_that_was_not_modified_has_its_last_content(tmp_path: Path) -> None:
    """That of the same URL before it, if nothing is referred to; not a later one, nor a failure."""
    records = [
        response(ROBOTS, RULES),
        response(f"{A}/lamps", "<title>Lamps</title>lamp"),
        response(f"{A}/lamps", "gone", 404, hours=1),
        again(f"{A}/lamps", 2, UNCHANGED, HEADS["the stored head"]),
        again(f"{A}/new", 2, UNCHANGED, b""),
        response(f"{A}/new", "<p>lamp", hours=3),
    ]
    assert decided(tmp_path, *records) == (4, 0, 0, 1)


def test_a_revisit_of_the_same_content_is_not_cut(tmp_path: Path) -> None:
    """Its `WARC-Truncated: length` says that the content is in the other record."""
    digest: dict[str, Any] = {"WARC_Payload_Digest": "sha1:A"}
    plain = {"Content-Type": "text/plain"}
    first = record("response", ROBOTS, http(RULES.encode(), fields=plain), **digest)
    second = again(ROBOTS, 20, SAME, http(fields=plain), WARC_Truncated="length", **digest)
    assert decided(tmp_path, first, second, late("lamps"), late("till")) == (1, 1, 0, 0)
    build_policies([tmp_path / "a.warc.gz"], tmp_path / "t.parquet")
    _, row = policy_rows(tmp_path / "t.parquet", A)
    assert row.policy is not None
    assert row.policy.access == "rules"
    assert not row.policy.findings
