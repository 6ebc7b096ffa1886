"""Signed requests at the gate: verified by keys that are fetched beside them."""

from __future__ import annotations

import base64
import json
import threading
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from goodbot import bots
from goodbot._core import structured_dictionary
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import KeySet, SignedRequest, signature_input
from goodbot.signatures.key_cache import read_answer
from goodbot.site.gate import GatePolicy, GateRule
from goodbot.site.gate.gate_policy import Enforcement
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.request_signatures import RequestSignatures
from goodbot.site.gate.robot_addresses import RobotAddresses
from goodbot.testing import FakeClock, FakeSite
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.bots import KnownRobot
    from goodbot.site.gate.served_answers import ServedAnswer

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
JWK = {
    "kty": "OKP",
    "crv": "Ed25519",
    "x": base64.urlsafe_b64encode(PRIVATE.public_key().public_bytes_raw()).decode().rstrip("="),
}
BODY = json.dumps({"keys": [JWK]}).encode()
KEYID = KeySet.of(BODY).keys[0].thumbprint
NOW = datetime(2026, 11, 1, tzinfo=timezone.utc)
AGENT = "https://agent.example/keys.json"


def fields(
    path: str,
    key: Ed25519PrivateKey = PRIVATE,
    agent: str = AGENT,
    host: str = "example.com",
) -> dict[str, str]:
    """Return the fields of a signed request for a path."""
    seconds = int(NOW.timestamp())
    text = (
        f'("@authority" "@method" "@path" "signature-agent";key="a");created={seconds}'
        f';expires={seconds + 60};keyid="{KEYID}";tag="web-bot-auth"'
    )
    found = {"signature-agent": f'a="{agent}"', "user-agent": "GPTBot/1.0"}
    request = SignedRequest(found, "GET", host, path, "https", is_whole=True)
    signature = signature_input(f"a={text}")
    assert signature is not None
    made = base64.b64encode(key.sign(signature.base(request)[0])).decode()
    return {**found, "signature-input": f"a={text}", "signature": f"a=:{made}:"}


@pytest.fixture
def gate() -> RequestGate:
    """Return a gate that has fetched the keys of one robot."""
    site = FakeSite({"/keys.json": BODY}, clock=FakeClock())
    signatures = RequestSignatures({"GPTBot": AGENT}, make_fetcher=lambda: site)
    policy = GatePolicy(
        site="https://example.com",
        rules=(GateRule(robots=("GPTBot",), paths=("/private",), fetch=False),),
        enforce=Enforcement(access=True, spoofed="refuse"),
    )
    addresses = RobotAddresses({"GPTBot": ["52.230.152.0/24"]}, complete=["GPTBot"])
    found = RequestGate(policy, addresses=addresses, signatures=signatures, clock=lambda: NOW)
    signatures.start()
    wait_until(lambda: signatures.cache.find(AGENT, KEYID) is not None, "the keys")
    signatures.close()
    return found


def status(gate: RequestGate, path: str, told: dict[str, str], method: str = "GET") -> int | None:
    """Return the status of the answer of the gate; `None` if the site answers."""
    answer = gate.decide(method, "EXAMPLE.com:443", path, told.get, "8.8.8.8").answer
    return None if answer is None else answer.status


def test_a_signed_request_is_verified_whatever_its_address_is(gate: RequestGate) -> None:
    """It may fetch what robots.txt allows, and nothing else."""
    assert status(gate, "/a", fields("/a")) is None
    assert status(gate, "/private", fields("/private")) == 403


def test_a_signature_is_verified_only_where_the_address_does_not_decide(
    gate: RequestGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verifying takes seven times as long as all the rest."""
    asked: list[str] = []
    assert gate.signatures is not None
    verify = gate.signatures.is_signed_by

    def counting(robot: KnownRobot, *rest: Any) -> bool:  # noqa: ANN401  as it is
        asked.append(robot.name)
        return verify(robot, *rest)

    monkeypatch.setattr(gate.signatures, "is_signed_by", counting)
    for address, times in (("52.230.152.7", 0), ("8.8.8.8", 1), ("10.0.0.5", 2)):
        told = fields("/private")
        found = gate.decide("GET", "example.com", "/private", told.get, address).answer
        assert found is not None
        assert found.status == 403
        assert len(asked) == times


def test_what_was_signed_for_another_site_shows_nothing(gate: RequestGate) -> None:
    """Neither with its Host, nor with an absolute target, which prevails over Host."""
    told = fields("/a", host="evil.example")
    for host, target in (
        ("evil.example", "/a"),
        ("evil.example", "https://example.com/a"),
        ("example.com", "https://evil.example/a"),
    ):
        answer = gate.decide("GET", host, target, told.get, "8.8.8.8").answer
        assert answer is not None
        assert answer.status == 403
    absolute = gate.decide("GET", "x.example", "https://example.com/a", fields("/a").get, "8.8.8.8")
    assert absolute.answer is None


@pytest.mark.parametrize("kind", ["unsigned", "forged", "other path", "other method", "other URL"])
def test_what_is_not_verified_is_judged_by_its_address(gate: RequestGate, kind: str) -> None:
    """A signature that fails neither verifies a request nor makes it worse."""
    told = {
        "unsigned": {"user-agent": "GPTBot/1.0"},
        "forged": fields("/a", Ed25519PrivateKey.from_private_bytes(b"\2" * 32)),
        "other path": fields("/b"),
        "other method": fields("/a"),
        "other URL": fields("/a", agent="https://other.example/keys.json"),
    }[kind]
    assert status(gate, "/a", told, "POST" if kind == "other method" else "GET") == 403


def test_the_urls_of_requests_are_never_fetched() -> None:
    """Only those of robots that are known from the start."""
    site = FakeSite({"/keys.json": BODY}, clock=FakeClock())
    signatures = RequestSignatures({"GPTBot": AGENT}, make_fetcher=lambda: site)
    told = fields("/a", agent="https://evil.example/keys.json")
    robot = bots.get("GPTBot")
    assert not signatures.is_signed_by(robot, "GET", "example.com", "/a", told.get, NOW)
    signatures.close()
    assert {one.url for one in site.visits} <= {AGENT}


def test_requests_start_no_thread_after_an_error_nor_at_the_end() -> None:
    """They come from strangers, who could otherwise make the gate start one for each."""
    made: list[threading.Thread] = []

    def make_fetcher() -> FakeSite:
        made.append(threading.current_thread())
        raise OSError

    signatures = RequestSignatures({"GPTBot": AGENT}, make_fetcher=make_fetcher)
    robot, told = bots.get("GPTBot"), fields("/a")

    def ask() -> bool:
        return signatures.is_signed_by(robot, "GET", "example.com", "/a", told.get, NOW)

    assert not ask()
    wait_until(lambda: bool(made), "the error")
    assert not any(ask() for _ in range(10))
    assert made[0].is_alive()
    signatures.close()
    assert not any(ask() for _ in range(10))
    assert len(made) == 1


def test_a_policy_wants_signatures() -> None:
    """By one key of `[enforce]`."""
    policy = GatePolicy(
        site="https://example.com", enforce=Enforcement(access=True, signatures=True)
    )
    gate = RequestGate(policy, addresses=RobotAddresses({}))
    assert gate.signatures is not None
    assert "Google-Agent" in gate.signatures.urls


def test_a_gate_serves_the_keys_of_a_robot(tmp_path: Path) -> None:
    """At their URL alone, with a proof for the host; a verifier finds the key that signs."""
    url = "https://example.com/keys.json"
    mine = SigningIdentity.new(url, NOW)
    mine.write(tmp_path / "me")
    policy = GatePolicy(site="https://example.com")
    gate = RequestGate(
        policy, addresses=RobotAddresses({}), identity=tmp_path / "me", clock=lambda: NOW
    )

    def answer(method: str, host: str, path: str) -> ServedAnswer | None:
        return gate.decide(method, host, path, lambda _: None, "8.8.8.8").answer

    found = answer("GET", "EXAMPLE.com:443", "/keys.json")
    assert found is not None
    assert found.body == mine.published()
    read = read_answer(url, found.status, found.headers, found.body, now=NOW)
    assert read.keys is not None
    assert read.keys.find(mine.signer.key.thumbprint) is not None
    assert 'tag="http-message-signatures-directory"' in dict(found.headers)["Signature-Input"]
    assert answer("GET", "other.example", "/keys.json") is None
    assert answer("GET", "example.com", "/keys.json?v=1") is None
    assert answer("POST", "example.com", "/keys.json") is None


def test_what_a_robot_repeats_is_read_once(
    gate: RequestGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each further request, only the two fields that differ are read."""
    read: list[str] = []

    def counting(text: str) -> object:
        read.append(text)
        return structured_dictionary(text)

    assert status(gate, "/a", fields("/a")) is None
    for module in ("messages", "signature_fields"):
        monkeypatch.setattr(f"goodbot.signatures.{module}.structured_dictionary", counting)
    told = fields("/b")
    read.clear()
    assert status(gate, "/b", told) is None
    assert read == [told["signature-input"], told["signature"]]
