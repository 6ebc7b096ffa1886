"""Key sets, what is kept of them, and until when."""

from __future__ import annotations

import base64
import json
import math
from datetime import datetime, timedelta, timezone

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from goodbot.errors import WrongValueError
from goodbot.signatures import KeySet, KeySets, SignedRequest, judge_signatures
from goodbot.signatures.key_cache import KeyCache, read_answer
from goodbot.signatures.key_set import LARGEST_KEY_SET, MOST_KEYS, TEST_KEYS

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
OTHER = Ed25519PrivateKey.from_private_bytes(b"\2" * 32)
URL = "https://agent.example/keys.json"
NOW = datetime(2026, 11, 1, tzinfo=timezone.utc)


def text(content: bytes) -> str:
    """Return bytes in base64url."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


JWK = {"kty": "OKP", "crv": "Ed25519", "x": text(PRIVATE.public_key().public_bytes_raw())}
BODY = json.dumps({"keys": [JWK]}).encode()
KEYID = KeySet.of(BODY).keys[0].thumbprint


def keys_of(*listed: object) -> int:
    """Return how many of some entries can be used, beside one that can."""
    return len(KeySet.of(json.dumps({"keys": [*listed, JWK]}).encode()).keys) - 1


@pytest.mark.parametrize(
    "entry",
    [
        5,
        None,
        {},
        {"kty": "oct", "k": "c2VjcmV0"},
        {**JWK, "x": "YQ"},
        {**JWK, "x": 5},
        {**JWK, "crv": "X25519"},
        {**JWK, "use": "enc"},
        {**JWK, "key_ops": ["sign"]},
        {**JWK, "key_ops": "verify"},
        {**JWK, "alg": "RS256"},
        {**JWK, "alg": "none"},
        {**JWK, "alg": ["EdDSA"]},
        {"kty": "RSA", "n": text(b"\1" * 128), "e": "AQAB"},
        {"kty": "RSA", "n": text(b"\1" * 2048), "e": "AQAB"},
        {"kty": "EC", "crv": "P-256", "x": text(bytes(32))},
        {"kty": ["OKP"], "crv": {"a": 1}, "x": "YQ"},
        {**JWK, "x": JWK["x"] + "="},
        {**JWK, "x": "!" + JWK["x"]},
        *({**JWK, name: value} for name in ("nbf", "exp") for value in ("1", True, [1], math.nan)),
    ],
)
def test_entries_that_are_no_keys_for_this_are_left_out(entry: object) -> None:
    """Secrets, keys for encryption, short ones, and those that contradict themselves."""
    assert keys_of(entry) == 0


@pytest.mark.parametrize("alg", ["EdDSA", "Ed25519", "ed25519", None])
def test_the_names_of_algorithms_that_are_in_use(alg: str | None) -> None:
    """Those of RFC 8037 and RFC 9864, and those of signatures."""
    assert keys_of({**JWK, **({} if alg is None else {"alg": alg})}) == 1


def test_a_key_of_another_curve_is_read() -> None:
    """P-384, as RFC 9421 has it."""
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature  # noqa: PLC0415

    from goodbot.signatures.algorithms import is_signed_by  # noqa: PLC0415  used here alone

    private = ec.generate_private_key(ec.SECP384R1())
    numbers = private.public_key().public_numbers()
    x, y = (text(one.to_bytes(48, "big")) for one in (numbers.x, numbers.y))
    entry = {"kty": "EC", "crv": "P-384", "x": x, "y": y}
    key = KeySet.of(json.dumps([entry]).encode()).keys[0]
    r, s = decode_dss_signature(private.sign(b"text", ec.ECDSA(hashes.SHA384())))
    signature = r.to_bytes(48, "big") + s.to_bytes(48, "big")
    assert key.algorithm == "ecdsa-p384-sha384"
    assert is_signed_by(key, key.algorithm, b"text", signature)
    assert not is_signed_by(key, key.algorithm, b"text", signature[:-1])


def test_a_set_is_read_within_bounds() -> None:
    """Its bytes and the number of its keys."""
    many = json.dumps({"keys": [JWK] * 1000}).encode()
    assert len(KeySet.of(many).keys) == MOST_KEYS
    for content in (BODY + b" " * LARGEST_KEY_SET, b"[" * 100_000, b"{}", b"\xff", b'{"keys": {}}'):
        with pytest.raises(WrongValueError, match="directory of keys"):
            KeySet.of(content)
    with pytest.raises(WrongValueError, match="https"):
        KeySet.of(BODY, "http://agent.example/keys.json")


def test_a_thumbprint_prevails_over_a_name() -> None:
    """A set cannot give one key the identifier of another."""
    other = {**JWK, "x": text(bytes(31) + b"\1"), "kid": KEYID}
    for listed in ([JWK, other], [other, JWK]):
        found = KeySet.of(json.dumps(listed).encode()).find(KEYID)
        assert found is not None
        assert found.material == (PRIVATE.public_key().public_bytes_raw(),)


def test_a_key_is_found_by_the_pair() -> None:
    """Of URL and identifier; a set whose URL is not known is the user's word for any."""
    named, unnamed = KeySet.of(BODY, URL), KeySet.of(BODY)
    sets = KeySets([named])
    assert sets.find(URL, KEYID) == (named.keys[0], URL)
    assert sets.find("https://other.example/keys.json", KEYID) is None
    assert sets.find(None, KEYID) == (named.keys[0], None)
    assert KeySets([unnamed]).find(URL, KEYID) == (unnamed.keys[0], None)


@pytest.mark.parametrize("status", [201, 204, 206, 301, 302, 304, 307, 308, 404, 429, 500, 503])
def test_only_200_counts(status: int) -> None:
    """Draft -01 section 5.5: any other status is a failure, whatever it has."""
    found = read_answer(URL, status, [("Location", URL)], BODY, now=NOW)
    assert found.keys is None
    assert str(status) in found.why


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ([], 3600),
        ([("Cache-Control", "max-age=600")], 600),
        ([("Cache-Control", "max-age=600"), ("Age", "500")], 100),
        ([("Cache-Control", "max-age=0")], 60),
        ([("Cache-Control", "no-store")], 3600),
        ([("Cache-Control", "max-age=31536000")], 86400),
        (
            [
                ("Expires", "Sun, 01 Nov 2026 00:10:00 GMT"),
                ("Date", "Sun, 01 Nov 2026 00:00:00 GMT"),
            ],
            600,
        ),
    ],
)
def test_the_life_of_a_set_is_bounded(fields: list[tuple[str, str]], seconds: int) -> None:
    """As HTTP says, at least a minute and at most a day."""
    assert read_answer(URL, 200, fields, BODY, now=NOW).until == NOW + timedelta(seconds=seconds)


def test_a_failed_fetch_evicts_nothing() -> None:
    """And is tried again within five minutes, unless the server asks for more."""
    cache = KeyCache([URL])
    cache.learn(URL, read_answer(URL, 200, [("Cache-Control", "max-age=60")], BODY, now=NOW), NOW)
    assert cache.find(URL, KEYID) is not None
    assert cache.find(None, KEYID) is None
    then = NOW
    for _ in range(20):
        due = next(at for at in range(0, 3600, 5) if cache.due(then + timedelta(seconds=at)))
        assert due <= 300
        then += timedelta(seconds=due)
        cache.learn(URL, read_answer(URL, 500, [], BODY, now=then), then)
        assert cache.find(URL, KEYID) is not None
    cache.learn(URL, read_answer(URL, 503, [("Retry-After", "900")], b"", now=then), then)
    assert cache.due(then + timedelta(seconds=899)) == []
    assert cache.due(then + timedelta(seconds=901)) == [URL]


def test_a_newer_set_replaces_the_older_one() -> None:
    """Also where it omits a key: that is how a key is taken back."""
    cache = KeyCache([URL])
    cache.learn(URL, read_answer(URL, 200, [], BODY, now=NOW), NOW)
    other = json.dumps([{**JWK, "x": text(bytes(31) + b"\1")}]).encode()
    cache.learn(URL, read_answer(URL, 200, [], other, now=NOW), NOW)
    assert cache.find(URL, KEYID) is None
    cache.learn("https://never.example/wanted", read_answer(URL, 200, [], BODY, now=NOW), NOW)
    assert cache.find("https://never.example/wanted", KEYID) is None


def test_the_keys_of_the_rfc_can_be_refused() -> None:
    """Everyone has their private parts (draft -01 section 6.9)."""
    body = b'[{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]'
    cache = KeyCache([URL], refused=TEST_KEYS)
    cache.learn(URL, read_answer(URL, 200, [], body, now=NOW), NOW)
    assert cache.find(URL, "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U") is None


def test_a_set_without_keys_replaces_the_one_before() -> None:
    """So an operator withdraws its keys; what is no key set changes nothing."""
    for body, is_left in ((b'{"keys": []}', False), (b"[]", False), (b"{}", True), (b"no", True)):
        cache = KeyCache([URL])
        for content in (BODY, body):
            cache.learn(URL, read_answer(URL, 200, [], content, now=NOW), NOW)
        assert (cache.find(URL, KEYID) is not None) == is_left, body


def test_a_name_in_the_form_of_a_thumbprint_is_none() -> None:
    """Otherwise an operator could name its key like that of another one."""
    evil = {**JWK, "x": text(OTHER.public_key().public_bytes_raw()), "kid": KEYID}
    mine = KeySet.of(json.dumps({"keys": [evil]}).encode(), "https://evil.example/keys")
    theirs = KeySet.of(BODY, URL)
    assert mine.find(KEYID) is None
    found = KeySets([mine, theirs]).find(None, KEYID)
    assert found is not None
    assert found[0] == theirs.keys[0]
    assert KeySets([mine]).find(None, KEYID) is None


def test_a_name_of_several_keys_names_none() -> None:
    """In one set, or in those of several operators."""
    other = {**JWK, "x": text(OTHER.public_key().public_bytes_raw()), "kid": "1"}
    named = {**JWK, "kid": "1"}
    both = KeySet.of(json.dumps({"keys": [named, other]}).encode(), URL)
    assert both.find("1") is None
    one, two = (KeySet.of(json.dumps([key]).encode()) for key in (named, other))
    assert one.find("1") is not None
    assert KeySets([one, two]).find(None, "1") is None
    assert KeySets([one, one]).find(None, "1") is not None


def test_numbers_that_are_no_key_are_as_good_as_none() -> None:
    """A point that is not on its curve: who signed is not known, and nobody is accused."""
    point = {"kty": "EC", "crv": "P-256", "x": text(bytes(32)), "y": text(bytes(32))}
    sets = KeySets([KeySet.of(json.dumps([point]).encode())])
    key = next(iter(sets.sets[None][0].keys))
    written = f'("@authority");created=1;expires=90;keyid="{key.thumbprint}";tag="web-bot-auth"'
    fields = {"signature-input": f"a={written}", "signature": f"a=:{'A' * 86}==:"}
    request = SignedRequest(fields, "GET", "a.example", "/", "https")
    (found,) = judge_signatures(request, datetime.fromtimestamp(5, tz=timezone.utc), sets.find)
    assert found.reason == "key-unknown"
