"""The cases of conformance/signatures: RFC 9421, and the drafts of Web Bot Auth."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from goodbot.signatures import (
    PROFILES,
    WELL_KNOWN,
    KeySet,
    KeySets,
    PublicKey,
    SignedRequest,
    SignedResponse,
    judge_signatures,
    messages,
    signature_inputs,
)
from goodbot.signatures.algorithms import is_signed_by
from goodbot.signatures.messages import join_lines, name_values, plain_value
from goodbot.signatures.profiles import claimed_agent
from goodbot.signatures.signature_fields import SignatureInput
from goodbot.signatures.verifying import SIGNATURE_REASONS
from tests.support import conformance_cases as data

RFC, COMPONENTS, DRAFT = (
    data.read_table(f"signatures/{name}.toml") for name in ("rfc9421", "components", "web_bot_auth")
)
KEYS = {
    one["name"]: KeySet.of(json.dumps({"keys": [json.loads(one["jwk"])]}).encode()).keys[0]
    for one in RFC["key"]
}
NOW = datetime.fromtimestamp(1735689660, tz=timezone.utc)


def name_of(case: data.Case) -> str:
    """Return the name of a case."""
    return str(case["id"])


def message_of(case: data.Case) -> SignedRequest | SignedResponse:
    """Return the message of a case."""
    fields = join_lines(case["lines"])
    if "status" in case:
        return SignedResponse(case["status"], fields, SignedRequest())
    return SignedRequest.received(case["method"], case["host"], case["target"], case["lines"])


@pytest.mark.parametrize("case", RFC["case"], ids=name_of)
def test_the_rfc_holds(case: data.Case) -> None:
    """The signature base is that of the document, and its key made its signature."""
    found = (signature_inputs(case["input"]) or [])[0]
    assert f"{found.label}={found.written}" == case["input"]
    message = message_of(case)
    base, faults = found.base_and_faults(message)
    assert faults == {}
    assert (base.decode() == case["base"]) == case["holds"]
    key = KEYS.get(case["key"])
    if key is None:
        assert case["algorithm"] == "hmac-sha256"  # a secret: no public key has it
        return
    content = base64.b64decode(case["signature"])
    algorithm = key.algorithm or case["algorithm"]
    assert algorithm == case["algorithm"]
    assert is_signed_by(key, algorithm, base, content) == case["holds"]
    assert not is_signed_by(key, algorithm, base + b" ", content)


@pytest.mark.parametrize("case", COMPONENTS["case"], ids=name_of)
def test_components_are_those_of_the_rfc(case: data.Case) -> None:
    """Each has its value, or none and why."""
    request = SignedRequest.received(
        case["method"],
        case["authority_sent"],
        case["target"],
        case["lines"],
        case["scheme"],
        case.get("trailers"),
    )
    found = request.component(case["component"])
    shown = f"!{found.fault}" if found.text is None else found.text
    assert shown == case["value"]


def test_lines_that_were_joined_on_the_way_are_not_guessed() -> None:
    """Without the lines, `bs` is known for a field that can only be one line."""
    joined = SignedRequest({"a": "x", "b": "x, y"}, is_whole=True)
    assert joined.component('"a";bs').text == ":eA==:"
    assert joined.component('"b";bs').fault == "unsupported"
    assert joined.with_fields([("B", "x"), ("B", "y")]).component('"b";bs').text == ":eA==:, :eQ==:"


def test_a_response_has_components_of_its_request() -> None:
    """`req`, with the other parameters; a request itself has none (RFC 9421 section 2.4)."""
    lines = [("Signature-Agent", 'a="x" ,b')]
    request = SignedRequest.received("GET", "A.example:443", "/b?%3Breq=1", lines)
    response = SignedResponse(200, {"x": "1"}, request, lines={"x": ("1",)}, trailers={"y": "2"})
    found = {
        one: response.component(one)
        for one in (
            '"@authority";req', '"@query-param";req;name="%3Breq"',
            '"@query-param";name="%3Breq";req', '"signature-agent";sf;req',
            '"signature-agent";req;key="a"', '"x";bs', '"y";tr',
        )
    }  # fmt: skip
    assert [one.text for one in found.values()] == [
        "a.example", "1", "1", 'a="x", b', '"x"', ":MQ==:", "2",
    ]  # fmt: skip
    assert response.component('"@status";req').fault == "malformed"
    assert response.component('"@method"').fault == "malformed"


@pytest.mark.parametrize("case", DRAFT["vector"], ids=name_of)
def test_the_vectors_of_the_draft_hold(case: data.Case) -> None:
    """By the keys of RFC 9421 at the well-known path of the origin, and not beyond their time."""
    key = KEYS["test-key-rsa-pss" if case["key"] == "rsa" else "test-key-ed25519"]
    url = "https://signature-agent.test" + WELL_KNOWN
    lines = [
        ("Signature-Agent", case["agent"]),
        ("Signature-Input", case["input"]),
        ("Signature", case["signature"]),
    ]
    request = SignedRequest.to_url("https://example.com/a", lines=lines)
    found = judge_signatures(request, NOW, KeySets([KeySet((key,), url)]).find)
    assert [(one.outcome, one.url, one.profile) for one in found] == [
        ("verified", url, case["profile"])
    ]
    late = judge_signatures(request, NOW.replace(year=2126), KeySets([KeySet((key,), url)]).find)
    assert [one.reason for one in late] == ["signature-of-another-time"]


PRIVATE = {
    name: Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    for number, name in enumerate(("agent", "other", "unknown"), 1)
}


def public_key(name: str) -> PublicKey:
    """Return a public key of the cases."""
    return PublicKey("OKP", "Ed25519", (PRIVATE[name].public_key().public_bytes_raw(),), "ed25519")


SETS = KeySets([
    KeySet((public_key("agent"),), "https://agent.test/keys.json"),
    KeySet((public_key("agent"),), "https://agent.test" + WELL_KNOWN),
    KeySet((public_key("other"),), "https://other.test/keys.json"),
])  # fmt: skip
PLAIN = {
    '"@authority"': "example.com",
    '"@target-uri"': "https://example.com/a?q=1",
    '"@method"': "GET",
    '"@path"': "/a",
    '"@query"': "?q=1",
    '"@query-param";name="q"': "1",
    '"user-agent"': "ExampleBot/1.0",
}


def plain_base(written: str, agent: str, before: dict[str, tuple[str, str]]) -> str:
    """Return a signature base, made by hand of the values above: the slow twin."""
    lines = []
    for one in written[1 : written.index(")")].split(" "):
        value = PLAIN.get(one, "")
        if one == '"signature-agent"':
            value = agent
        for field in ("signature-agent", "signature-input", "signature"):
            if one.startswith(f'"{field}";key='):
                label = one.rpartition("=")[2].strip('"')
                parts = dict(part.strip().split("=", 1) for part in agent.split(",") if "=" in part)
                value = (
                    parts.get(label, "")
                    if field == "signature-agent"
                    else before[label][0 if field == "signature-input" else 1]
                )
        lines.append(f"{one}: {value}")
    return "\n".join([*lines, f'"@signature-params": {written}'])


def signed_request(case: data.Case, *, is_whole: bool = True) -> SignedRequest:
    """Return the request of a case."""
    made: dict[str, tuple[str, str]] = {}
    for one in case["signatures"]:
        written = one["written"].replace("KEY", public_key(one["key"]).thumbprint)
        base = plain_base(written, case["agent"], made)
        key = PRIVATE["unknown" if one.get("forged") else one["key"]]
        content = base64.b64encode(key.sign(base.encode())).decode()
        made[one["label"]] = (written, f":{content}:")
    lines = [("User-Agent", "ExampleBot/1.0")]
    lines += [("Signature-Agent", case["agent"])] if case["agent"] else []
    # A line for each signature: fields may come in several lines, and in any order.
    lines += [("Signature-Input", f"{label}={one[0]}") for label, one in made.items()]
    lines += [("Signature", f"{label}={one[1]}") for label, one in reversed(made.items())]
    request = SignedRequest.to_url("https://example.com/a?q=1", lines=lines)
    parts = (request.fields, request.method, request.authority, request.target, request.scheme)
    return SignedRequest(*parts, is_whole=is_whole)


@pytest.mark.parametrize("case", DRAFT["case"], ids=name_of)
def test_signatures_are_judged_as_the_draft_says(case: data.Case) -> None:
    """Each by itself: the outcome, the reason, the URL and the profile."""
    found = judge_signatures(signed_request(case), NOW, SETS.find)
    shown = [f"{one.outcome} {one.reason} {one.url or '-'} {one.profile or '-'}" for one in found]
    assert shown == case["expected"]


def test_every_reason_and_profile_has_a_case() -> None:
    """But for what only a log lacks, and a key that has its own time."""
    reasons = {one.split()[1] for case in DRAFT["case"] for one in case["expected"]}
    assert reasons | {"log-lacks-signed-fields", "key-of-another-time"} == SIGNATURE_REASONS.keys()
    profiles = {one.split()[3] for case in DRAFT["case"] for one in case["expected"]} - {"-"}
    assert profiles == PROFILES.keys()


def test_what_a_log_lacks_shows_nothing() -> None:
    """A log may lack a field, the host or the scheme; what it has and is wrong is invalid."""
    cases = {one["id"].removeprefix("web-bot-auth-"): one for one in DRAFT["case"]}
    request = signed_request(cases["component-missing"], is_whole=False)
    found = judge_signatures(request, NOW, SETS.find)
    assert [one.reason for one in found] == ["log-lacks-signed-fields"]
    fields = dict(signed_request(cases["key-set"]).fields)
    for authority, scheme in ((None, "https"), ("example.com:443", None), ("example.com:80", None)):
        partial = SignedRequest(fields, "GET", authority, "/a?q=1", scheme)
        assert [one.reason for one in judge_signatures(partial, NOW, SETS.find)] == [
            "log-lacks-signed-fields"
        ]
    del fields["signature-agent"]
    partial = SignedRequest(fields, "GET", "example.com", "/a?q=1", "https")
    assert judge_signatures(partial, NOW, SETS.find)[0].detail == '"signature-agent";key="a"'
    only = SignedRequest({"signature": "a=:YQ==:"})
    assert judge_signatures(only, NOW, SETS.find)[0].reason == "log-lacks-signed-fields"
    whole = SignedRequest({"signature": "a=:YQ==:"}, is_whole=True)
    assert judge_signatures(whole, NOW, SETS.find)[0].reason == "signature-malformed"


def test_a_key_may_have_its_own_time() -> None:
    """`nbf` and `exp`, as in the draft's example of a directory."""
    case = next(one for one in DRAFT["case"] if one["id"] == "web-bot-auth-key-set")
    seconds = int(NOW.timestamp())
    for times, reason in (
        ((seconds - 9, seconds + 9), "signature-valid"),
        ((seconds + 9, None), "key-of-another-time"),
        ((None, seconds), "key-of-another-time"),
    ):
        key = PublicKey("OKP", "Ed25519", public_key("agent").material, "ed25519", None, *times)
        sets = KeySets([KeySet((key,), "https://agent.test/keys.json")])
        found = judge_signatures(signed_request(case), NOW, sets.find)
        assert [one.reason for one in found] == [reason]


def test_foreign_fields_are_read_within_bounds() -> None:
    """Long fields, many signatures and many parameters end in a verdict."""
    for text in ("(" * 50_000, 'a=("' * 20_000, "a=" + ";x" * 50_000, "a=(" + '"x" ' * 1_500 + ")"):
        request = SignedRequest({"signature-input": text, "signature": text}, is_whole=True)
        found = judge_signatures(request, NOW, SETS.find)
        assert {one.outcome for one in found} <= {"invalid", "unverifiable"}
    many = ", ".join(f'a{number}=("@authority");tag="web-bot-auth"' for number in range(100))
    request = SignedRequest({"signature-input": many, "signature": "a=:YQ==:"}, is_whole=True)
    assert len(judge_signatures(request, NOW, SETS.find)) == 16
    query = "/?" + "&".join(f"a{number}" for number in range(5_000))
    assert SignedRequest(target=query).component('"@query-param";name="a1"').fault == "unsupported"


@pytest.mark.stress
@pytest.mark.parametrize("text", ['"\\' * 100_000, '"' + 'a\\"' * 100_000, '"a' * 100_001])
def test_a_string_without_end_costs_what_it_weighs(text: str) -> None:
    """If each quotation mark began a new search for the end, none would be read within a day."""
    assert name_values(text) == f"a0={text}"


def test_little_on_the_wire_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """The query is read once, however many of its parameters are covered; so are folded lines."""
    parsed: list[str] = []

    def counting(text: str, **options: Any) -> list[tuple[str, str]]:  # noqa: ANN401  as it is
        parsed.append(text)
        return parse_qsl(text, **options)

    monkeypatch.setattr(messages, "parse_qsl", counting)
    request = SignedRequest(target="/?" + "&".join(f"{number}=%41" for number in range(900)))
    for number in range(900):
        assert request.component(f'"@query-param";name="{number}"').text == "A"
    assert len(parsed) == 1
    assert plain_value("a" + "\n" + " " * 100_000 + "b") == "a b"


def test_foreign_bytes_never_raise() -> None:
    """A lone surrogate stands for a byte that is no UTF-8, or came from JSON."""
    for odd in ("\udcff", "\ud800"):
        fields = {
            "signature-input": f"a=({odd}",
            "signature": odd,
            "signature-agent": odd,
            "x": odd,
        }
        request = SignedRequest(fields, "GET", odd, f"/{odd}?{odd}=1", "https", is_whole=True)
        assert all(not one for one in judge_signatures(request, NOW, SETS.find))
        for component in ('"x"', '"x";key="a"', '"@query-param";name="a"', '"@path"'):
            signature = SignatureInput("a", (component,), {}, "()", {})
            assert isinstance(signature.base(request)[0], bytes)


def test_signatures_for_other_purposes_do_not_hide_ours() -> None:
    """Sixteen are judged; ours is among them, wherever it stands."""
    others = ", ".join(f'o{number}=("@authority");tag="other"' for number in range(20))
    text = f'{others}, ours=("@authority");tag="web-bot-auth"'
    request = SignedRequest({"signature-input": text, "signature": "ours=:YQ==:"}, is_whole=True)
    found = judge_signatures(request, NOW, SETS.find)
    assert len(found) == 16
    assert found[-1].label == "ours"


def test_what_is_behind_the_content_covers_no_header() -> None:
    """A trailer named Signature-Agent attributes nothing."""
    text = 'a=("@authority" "signature-agent";tr);tag="web-bot-auth"'
    request = SignedRequest({"signature-agent": "https://agent.test/keys.json"}, trailers={})
    signature = (signature_inputs(text) or [])[0]
    assert claimed_agent(request, signature).urls == ()
