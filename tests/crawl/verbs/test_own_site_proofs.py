"""What proves that a site is one's own: the cases of `conformance/own_site`, and tokens."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.verbs.own_site.key_file import owner_key
from goodbot.crawl.verbs.own_site.ownership import (
    KEY_BYTES,
    OwnershipProof,
    dns_name,
    is_loopback,
    prove_by_file,
    prove_by_txt,
    token_of,
)
from goodbot.errors import StoreUnavailableError
from goodbot.policy import Policy, RobotsTxtAnswer
from goodbot.robot.identity import identity_of
from tests.support.conformance_cases import Case, cases

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
ORIGIN = "https://shop.example"
ME = identity_of("ExampleBot/1.0", "https://example.com/bot", "bot@example.com")
OTHER = identity_of("OtherBot/1.0", "https://example.com/bot", "bot@example.com")
KEY, OTHER_KEY = b"k" * KEY_BYTES, b"o" * KEY_BYTES
TOKEN = token_of(KEY, ME, ORIGIN)
TEXTS = {
    "{token}": TOKEN,
    "{half}": TOKEN[:16],
    "{other_site}": token_of(KEY, ME, "https://www.shop.example"),
    "{other_robot}": token_of(KEY, OTHER, ORIGIN),
    "{other_owner}": token_of(OTHER_KEY, ME, ORIGIN),
}
CASES = cases("own_site")


def filled(text: str) -> str:
    """Return a text with the tokens."""
    for name, token in TEXTS.items():
        text = text.replace(name, token)
    return text


def policy_of(case: Case) -> Policy:
    """Return the policy that the answers of a case make."""
    url, before = f"{ORIGIN}/robots.txt", None
    if "before" in case:
        body = filled(case["before"]).encode()
        earlier = RobotsTxtAnswer(url, NOW - timedelta(days=2), 200, body=body)
        before = Policy.from_answer(earlier)
    answer = RobotsTxtAnswer(
        url,
        NOW,
        case.get("status", 200),
        body=filled(case["robots_txt"]).encode(),
        hops=tuple(case.get("hops", ())),
    )
    return Policy.from_answer(answer, previous=before)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_site_is_ones_own_only_if_it_says_so_now(case: dict[str, Any]) -> None:
    """The file proves it, or a record, or nothing does."""
    now = NOW + timedelta(seconds=case.get("seconds", 0))
    records = map(filled, case.get("txt", ()))
    proof = prove_by_file(policy_of(case), TOKEN, now) or prove_by_txt(ORIGIN, records, TOKEN, now)
    assert ("" if proof is None else proof.by) == case["proves"]


def test_a_token_is_of_one_robot_and_one_origin() -> None:
    """All differ, and none is in what the robot sends; another version has the same."""
    assert len({TOKEN, *TEXTS.values()}) == len(TEXTS)
    origins = (ORIGIN, "http://shop.example", f"{ORIGIN}:8443", "https://a.shop.example")
    assert len({token_of(KEY, ME, origin) for origin in origins}) == len(origins)
    newer = identity_of("ExampleBot/2.0", "https://example.com/bot", "bot@example.com")
    assert token_of(KEY, newer, ORIGIN) == TOKEN
    for name in ("info_url", "contact"):
        echoes = {"info_url": ME.info_url, "contact": ME.contact}
        echoes[name] = {"info_url": f"https://a/{TOKEN}", "contact": f"{TOKEN}@a.example"}[name]
        echoing = identity_of("ExampleBot/1.0", **echoes)
        assert token_of(KEY, echoing, ORIGIN) not in str(echoing.headers)


@pytest.mark.parametrize(
    ("origin", "is_own", "name"),
    [
        ("http://127.0.0.1:8080", True, None),
        ("http://127.9.9.9", True, None),
        ("http://[::1]:80", True, None),
        ("http://[::ffff:127.0.0.1]", True, None),
        ("http://10.0.0.1", False, None),
        ("http://127.0.0.1.example.com", False, "_goodbot.127.0.0.1.example.com"),
        ("http://localhost.example.com", False, "_goodbot.localhost.example.com"),
        ("https://shop.example", False, "_goodbot.shop.example"),
    ],
)
def test_only_an_address_is_loopback(origin: str, *, is_own: bool, name: str | None) -> None:
    """A name is not, whatever it begins with; an address has no record."""
    assert (is_loopback(origin), dns_name(origin)) == (is_own, name)


def test_the_key_stays_the_same_and_is_the_users_alone(tmp_path: Path) -> None:
    """It is made once; a damaged one is not replaced silently, as all tokens would change."""
    folder = tmp_path / "new" / "goodbot"
    key = owner_key(folder)
    assert len(key) == KEY_BYTES
    assert owner_key(folder) == key
    assert owner_key(tmp_path / "other") != key
    (path,) = folder.iterdir()
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("not a key")
    with pytest.raises(StoreUnavailableError, match="is damaged; remove it"):
        owner_key(folder)


def test_no_permission_is_later_than_what_it_permits() -> None:
    """Its second is the one in which the proof was seen, and not the next one."""
    seen = NOW + timedelta(microseconds=900_000)
    proof = OwnershipProof(ORIGIN, "a line", seen)
    assert proof.permission().endswith("proven by a line at 2026-01-01 00:00:00 UTC")
