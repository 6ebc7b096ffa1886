"""A robot that signs: every request, for its own URL, and whatever sends it."""

from __future__ import annotations

import asyncio
import json
import pickle
import stat
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.errors import Disallowed, MisuseError, WrongTypeError, WrongValueError
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import (
    WELL_KNOWN,
    KeySet,
    KeySets,
    SignedRequest,
    SignedResponse,
    judge_signatures,
    signature_inputs,
)
from goodbot.signatures.archive_key import ArchiveKey
from goodbot.signatures.messages import join_lines
from goodbot.signatures.signature_fields import read_signature
from goodbot.signatures.signing import (
    SignatureDemand,
    Signer,
    SigningKey,
    read_demand,
    sign_directory,
)
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

URL = "https://bot.example/keys.json"
NOW = datetime(2026, 11, 1, tzinfo=timezone.utc)
ME: dict[str, Any] = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}


@pytest.fixture
def mine() -> SigningIdentity:
    """Return an identity."""
    return SigningIdentity.new(URL, NOW)


def verdicts(
    mine: SigningIdentity,
    url: str,
    lines: Iterable[tuple[str, str]],
    at: datetime,
) -> list[tuple[str, str | None]]:
    """Return what the key set that the identity publishes says of a request."""
    keys = KeySets([KeySet.of(mine.published(), mine.url)])
    found = judge_signatures(SignedRequest.to_url(url, lines=lines), at, keys.find)
    return [(one.reason, one.url) for one in found]


VALID = [("signature-valid", URL)]


def visit(
    mine: SigningIdentity | None, routes: dict[str, Any], path: str
) -> tuple[list[tuple[str, tuple[tuple[str, str], ...]]], FakeClock, int]:
    """Return the requests of a visit, the clock and the last status."""
    clock = FakeClock()
    site = FakeSite(routes, clock=clock)

    async def main() -> int:
        async with goodbot.Robot(
            "ExampleBot/1.0", **ME, fetcher=site, clock=clock, identity=mine
        ) as robot:
            return (await robot.visit("https://a.example" + path)).response.status

    status = asyncio.run(main())
    return [(one.url, tuple(one.headers)) for one in site.visits], clock, status


def test_every_request_of_a_robot_is_signed(mine: SigningIdentity) -> None:
    """Robots.txt, the page and each redirect, each for its own URL and with its own nonce."""
    away = Answer(status=302, headers=(("Location", "https://b.example/b"),))
    made, clock, _ = visit(mine, {"/robots.txt": "", "/a": away, "/b": "Hi"}, "/a")
    assert len(made) == 4
    nonces = set()
    for url, lines in made:
        assert verdicts(mine, url, lines, clock.now()) == VALID
        other = url.replace("a.example", "c.example").replace("b.example", "c.example")
        assert verdicts(mine, other, lines, clock.now())[0][0] == "signature-invalid"
        nonces.add(dict(lines)["Signature-Input"].partition("nonce=")[2])
    assert len(nonces) == len(made)


def test_a_robot_without_an_identity_signs_nothing() -> None:
    """As before."""
    made, _, _ = visit(None, {"/robots.txt": "", "/a": "Hi"}, "/a")
    assert not [name for _, lines in made for name, _ in lines if name.startswith("Signature")]


@pytest.mark.parametrize("status", [401, 403, 429, 404])
def test_a_site_that_asks_gets_one_answer(mine: SigningIdentity, status: int) -> None:
    """With 401 and 403, once; it asks for a component and a nonce, and gets both."""
    asks = (("Accept-Signature", 'x=("@query" "user-agent");nonce="abc";tag="web-bot-auth"'),)
    made, clock, last = visit(
        mine, {"/robots.txt": "", "/a": Answer(status=status, headers=asks)}, "/a"
    )
    assert last == status
    assert len(made) == (3 if status in {401, 403} else 2)
    url, lines = made[-1]
    assert verdicts(mine, url, lines, clock.now()) == VALID
    if status in {401, 403}:
        told = dict(lines)["Signature-Input"]
        assert told.startswith('x=("@authority" "@query" "user-agent" "signature-agent";key="x");')
        assert ';nonce="abc";' in told


def test_a_robots_txt_behind_a_signature_is_read(mine: SigningIdentity) -> None:
    """Its 403 does not count as a site without rules, if the file comes with the next answer."""
    asks = (("Accept-Signature", 'x=("@query");nonce="abc";tag="web-bot-auth"'),)
    refused = Answer(status=403, headers=asks)

    def robots_txt(request: FakeVisit) -> Answer | str:
        is_asked = 'nonce="abc"' in dict(request.headers)["Signature-Input"]
        return "User-agent: *\nDisallow: /a" if is_asked else refused

    with pytest.raises(Disallowed):
        visit(mine, {"/robots.txt": robots_txt, "/a": "Hi"}, "/a")
    made, clock, status = visit(mine, {"/robots.txt": robots_txt, "/b": "Hi"}, "/b")
    assert status == 200
    assert [url.rpartition("/")[2] for url, _ in made] == ["robots.txt", "robots.txt", "b"]
    assert all(verdicts(mine, url, lines, clock.now()) == VALID for url, lines in made)
    made, _, status = visit(mine, {"/robots.txt": refused, "/b": "Hi"}, "/b")
    assert (status, len(made)) == (200, 3), "it is asked once more, and then it is a 403"


@pytest.mark.parametrize(
    "asks",
    [
        'x=("cookie");tag="web-bot-auth"',
        'x=("@authority" "authorization")',
        'x=("@authority" "x-any")',
        'x=("@authority" "signature";key="y")',
        'x=("@authority";req)',
        'x=("user-agent";bs)',
        'x=("@authority");tag="other"',
        'x=("@authority");alg="hmac-sha256"',
        'x=("@authority");keyid="another"',
        'x=("@authority");nonce="a\\"b"',
        'x=("@authority");nonce=:YQ==:',
        'x=("@authority" "@authority")',
        'x=("@query-param";name="q")',
        "x=?1",
        "x=(",
        "",
        'x=("@authority");nonce="\udcff"',
        "x" * 129 + '=("@authority")',
    ],
)
def test_a_robot_is_no_oracle(mine: SigningIdentity, asks: str) -> None:
    """What is not of its own list, or not in the request, is not signed."""
    answer = Answer(status=403, headers=(("Accept-Signature", asks),))
    made, _, _ = visit(mine, {"/robots.txt": "", "/a": answer}, "/a")
    assert len(made) == 2


def test_what_is_signed_is_what_is_sent(mine: SigningIdentity) -> None:
    """A user is no part of the host, and an empty path is sent as a slash."""
    demand = SignatureDemand("a", ('"@request-target"',), None)
    for url, host, target in (
        ("https://me:secret@a.example/p", "a.example", "/p"),
        ("https://a.example?q=1", "a.example", "/?q=1"),
        ("https://a.example", "a.example", "/"),
    ):
        lines = mine.sign(url, NOW, demand=demand)
        request = SignedRequest.received("GET", host, target, lines)
        keys = KeySets([KeySet.of(mine.published(), mine.url)])
        found = judge_signatures(request, NOW, keys.find)
        assert [one.reason for one in found] == ["signature-valid"]


def test_an_identity_may_have_a_url_without_a_path() -> None:
    """It is served for the host alone; as an origin it has no directory."""
    for url in ("https://bot.example", "https://bot.example?k=1"):
        header, body = SigningIdentity.new(url, NOW).served(NOW)
        request = SignedRequest(authority="bot.example", scheme="https")
        response = SignedResponse(200, join_lines(header), request)
        found = (signature_inputs(dict(header)["Signature-Input"]) or [])[0]
        content = read_signature(dict(header)["Signature"], found.label) or b""
        keys = KeySet.of(body)
        assert keys.check(found.parameters["keyid"], found.base(response)[0], content)
        with pytest.raises(WrongValueError, match="names an origin"):
            SigningIdentity.new(url, NOW, profile="origin")


def test_profiles_have_their_forms() -> None:
    """The newest form names the key set; the earlier ones an origin, with its well-known path."""
    known = "https://bot.example" + WELL_KNOWN
    for profile, agent in (
        ("key-set", f'sig1="{known}"'),
        ("origin", 'sig1="https://bot.example"'),
        ("string", '"https://bot.example"'),
    ):
        mine = SigningIdentity.new(known, NOW, profile)
        lines = mine.sign("https://a.example/", NOW)
        assert dict(lines)["Signature-Agent"] == agent
        assert verdicts(mine, "https://a.example/", lines, NOW) == [("signature-valid", known)]
    with pytest.raises(WrongValueError, match="well-known"):
        SigningIdentity.new(URL, NOW, "origin")
    for url in ("http://bot.example/keys.json", "bot.example", 'https://bot.example/"'):
        with pytest.raises(WrongValueError, match="https"):
            SigningIdentity.new(url, NOW)


def test_a_signature_holds_for_minutes(mine: SigningIdentity) -> None:
    """And never for more than a day."""
    lines = mine.sign("https://a.example/", NOW)
    for minutes, reason in ((0, "signature-valid"), (7, "signature-of-another-time")):
        at = NOW + timedelta(minutes=minutes)
        assert verdicts(mine, "https://a.example/", lines, at)[0][0] == reason
    with pytest.raises(WrongValueError, match="life"):
        Signer(mine.signer.key, URL, life=86_401)


def test_a_rotation_has_no_gap(mine: SigningIdentity) -> None:
    """A verifier that fetched the set within a day before or after it can verify what is signed."""
    before = mine.published()
    with pytest.raises(MisuseError, match="a day after it was published"):
        mine.rotate(NOW + timedelta(hours=23))
    signed_before = mine.sign("https://a.example/", NOW + timedelta(hours=24))
    after = mine.rotate(NOW + timedelta(hours=24))
    assert after.signer.key.thumbprint != mine.signer.key.thumbprint
    signed_after = after.sign("https://a.example/", NOW + timedelta(hours=24))
    for content in (before, after.published()):
        keys = KeySets([KeySet.of(content, URL)])
        for lines in (signed_before, signed_after):
            request = SignedRequest.to_url("https://a.example/", lines=lines)
            found = judge_signatures(request, NOW + timedelta(hours=24), keys.find)
            assert [one.outcome for one in found] == ["verified"]
    later = after.rotate(NOW + timedelta(hours=48))
    assert mine.signer.key.thumbprint not in later.published().decode()
    stolen = after.rotate(NOW + timedelta(hours=25), at_once=True)
    assert after.signer.key.thumbprint not in stolen.published().decode()


def test_the_folder_keeps_secrets(mine: SigningIdentity, tmp_path: Path) -> None:
    """Files that only their owner may read; others are refused. The published set has none."""
    place = tmp_path / "me"
    mine.write(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    for path in place.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = SigningIdentity.read(place)
    assert again.published() == mine.published()
    assert again.signer.key.thumbprint == mine.signer.key.thumbprint
    assert {name for one in json.loads(mine.published())["keys"] for name in one} == {
        "crv", "kty", "x", "y", "kid", "use", "alg",
    }  # fmt: skip
    stolen = again.rotate(NOW, at_once=True)
    stolen.write(place)
    assert len(list(place.glob("*.pem"))) == 3
    assert SigningIdentity.read(place).thumbprints == stolen.thumbprints
    pem = next(place.glob("*.pem"))
    pem.chmod(0o644)
    with pytest.raises(MisuseError, match="chmod 600"):
        SigningIdentity.read(place)
    with pytest.raises(MisuseError, match="identity new"):
        SigningIdentity.read(tmp_path / "nothing")


def test_the_key_for_archives_stays(mine: SigningIdentity, tmp_path: Path) -> None:
    """A rotation keeps it, so that what it signed can be verified; one at once replaces it."""
    key = mine.key_for_archives()
    after = mine.rotate(NOW + timedelta(days=1))
    assert after.key_for_archives().thumbprint == key.thumbprint
    assert mine.rotate(NOW, at_once=True).key_for_archives().thumbprint != key.thumbprint
    earlier = SigningIdentity(mine.url, mine.keys)
    with pytest.raises(MisuseError, match="identity rotate"):
        earlier.key_for_archives()
    earlier.write(tmp_path / "me")
    assert SigningIdentity.read(tmp_path / "me").archive_key is None
    assert earlier.rotate(NOW + timedelta(days=1)).archive_key is not None
    with pytest.raises(WrongTypeError, match="pickled"):
        pickle.dumps(key)
    assert "PRIVATE" not in repr(key)
    with pytest.raises(WrongValueError, match="P-384"):
        ArchiveKey.from_pem(mine.signer.key.to_pem())


def test_a_private_key_shows_itself_nowhere(mine: SigningIdentity) -> None:
    """Not in a repr, nor in a pickle, nor in a message."""
    secret = mine.signer.key.to_pem().decode().splitlines()[1]
    shown = repr(mine) + repr(mine.signer) + repr(mine.keys) + str(mine.signer.key)
    assert secret not in shown
    assert "PRIVATE" not in shown
    with pytest.raises(WrongTypeError, match="pickled"):
        pickle.dumps(mine.signer.key)
    with pytest.raises(WrongValueError, match="private key") as raised:
        SigningKey.from_pem(b"-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----\n")
    assert "U0VDUkVU" not in str(raised.value)


def test_the_directory_is_signed_as_the_draft_has_it() -> None:
    """The vector of draft-ietf-webbotauth-httpsig-protocol-01 appendix E.2.3, byte by byte."""
    import base64  # noqa: PLC0415  used here alone

    seed = base64.urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
    body = (
        b'{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"'
        b',"x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}'
    )
    at = datetime.fromtimestamp(1735689600, tz=timezone.utc)
    found = dict(
        sign_directory(
            [SigningKey.from_seed(seed)],
            "signature-agent.test",
            body,
            at,
            life=4889289600 - 1735689600,
        )
    )
    assert found["Content-Digest"] == "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"
    assert found["Signature"].partition("=")[2] == (
        ":l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:"
    )


def test_what_a_site_asks_for_is_read_within_bounds() -> None:
    """Long fields and many members."""
    for text in ("x=(" * 50_000, ", ".join(f'x{n}=("cookie")' for n in range(1_000))):
        assert read_demand(403, [("Accept-Signature", text)], "k") is None
