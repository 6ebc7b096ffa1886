"""npm's web-bot-auth and http-message-sig verify what goodbot signs, and sign what it verifies.

They depart from RFC 9421 in some places, which are shown here: goodbot keeps to the RFC.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.robot.signing_identity import IdentityKey, SigningIdentity
from goodbot.signatures import WELL_KNOWN, KeySet, KeySets, SignedRequest, judge_signatures
from goodbot.signatures.signing import SignatureDemand, SigningKey
from tests.support.paths import ROOT
from tests.support.program import bare_environment, run
from tests.support.verifying_site import open_verifying_site

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "build" / "web-bot-auth"
SEED = bytes(range(32))
KEY = SigningKey.from_seed(SEED)
SECRET = base64.urlsafe_b64encode(SEED).decode().rstrip("=")
JWK = {**KEY.public.members(), "d": SECRET}
KNOWN = "https://bot.example" + WELL_KNOWN
KEYS = KeySets([KeySet((KEY.public,), KNOWN)])

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(),
    reason="node or its packages are missing: run tests/system/install",
)


def now() -> datetime:
    """Return the time: the libraries read the machine's clock, and signatures hold for minutes."""
    return datetime.now(timezone.utc)


def ask(question: str, url: str, lines: list[tuple[str, str]], **more: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
    """Return what a library of npm answers."""
    asked = {"ask": question, "url": url, "headers": lines, "jwk": JWK, **more}
    done = subprocess.run(
        ["node", "run.mjs"],  # noqa: S607  found by the path
        input=json.dumps(asked).encode(),
        capture_output=True,
        cwd=FOLDER,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def signed_by_us(
    url: str, profile: str, demand: SignatureDemand | None = None
) -> list[tuple[str, str]]:
    """Return the fields by which goodbot signs."""
    mine = SigningIdentity(KNOWN, (IdentityKey(KEY, "current", now()),), profile)
    return list(mine.sign(url, now(), demand=demand))


def reasons(url: str, lines: list[tuple[str, str]]) -> list[str]:
    """Return what goodbot says of a request."""
    request = SignedRequest.to_url(url, lines=lines)
    return [one.reason for one in judge_signatures(request, now(), KEYS.find)]


URLS = ["https://a.example/", "https://a.example/b?c=1", "https://a.example:8443/%7Eb"]


@pytest.mark.parametrize("url", URLS)
def test_web_bot_auth_verifies_ours(url: str) -> None:
    """The string of the earlier drafts, which it knows."""
    lines = signed_by_us(url, "string")
    assert ask("web-bot-auth verifies", url, lines) == {"verified": True}
    assert "error" in ask("web-bot-auth verifies", url.replace("a.example", "b.example"), lines)


def test_web_bot_auth_does_not_know_members() -> None:
    """For `"signature-agent";key=` it takes the field (RFC 9421 section 2.1.2: one member)."""
    lines = signed_by_us(URLS[0], "origin")
    assert "invalid signature" in ask("web-bot-auth verifies", URLS[0], lines)["error"]
    assert reasons(URLS[0], lines) == ["signature-valid"]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("agent", ['"https://bot.example"', 'sig1="https://bot.example"'])
def test_goodbot_verifies_web_bot_auth(url: str, agent: str) -> None:
    """It covers the whole field, of either form."""
    lines = [("Signature-Agent", agent)]
    made = ask("web-bot-auth signs", url, lines, created=int(now().timestamp()))
    assert reasons(url, [*lines, *made.items()]) == ["signature-valid"]
    assert reasons(url.replace("a.example", "b.example"), [*lines, *made.items()]) == [
        "signature-invalid"
    ]


def test_web_bot_auth_has_no_question_mark_for_an_absent_query() -> None:
    """RFC 9421 section 2.2.7: without a query, @query is the question mark alone."""
    demand = SignatureDemand("sig1", ('"@query"',), None)
    for url, verifies in ((URLS[0], False), (URLS[1], True)):
        lines = signed_by_us(url, "string", demand)
        assert ("verified" in ask("web-bot-auth verifies", url, lines)) == verifies
        assert reasons(url, lines) == ["signature-valid"]


def test_web_bot_auth_leaves_443_out_over_http() -> None:
    """RFC 9421 section 2.2.3: only the port of the scheme is omitted."""
    lines, url = [("Signature-Agent", '"https://bot.example"')], "http://a.example:443/"
    made = ask("web-bot-auth signs", url, lines, created=int(now().timestamp()))
    assert reasons(url, [*lines, *made.items()]) == ["signature-invalid"]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("profile", ["key-set", "origin", "string"])
def test_http_message_sig_verifies_ours(url: str, profile: str) -> None:
    """Every form, and what a site asks for: also the empty query."""
    demand = SignatureDemand("x", ('"@query"', '"@target-uri"'), "a nonce")
    for wanted, label in ((None, "sig1"), (demand, "x")):
        lines = signed_by_us(url, profile, wanted)
        found = ask("http-message-sig verifies", url, lines, label=label)
        assert found == {"verified": True}, found


@pytest.mark.parametrize("url", URLS)
def test_goodbot_verifies_http_message_sig(url: str) -> None:
    """By the member of the label."""
    lines = [("Signature-Agent", 'x="https://bot.example"')]
    seconds = int(now().timestamp())
    made = ask(
        "http-message-sig signs",
        url,
        lines,
        label="x",
        components=[["@authority", {}], ["@method", {}], ["@path", {}], ["@query", {}],
                    ["signature-agent", {"key": "x"}]],
        parameters={"created": seconds, "expires": seconds + 60, "keyid": KEY.thumbprint,
                    "tag": "web-bot-auth"},
    )  # fmt: skip
    signed = [("Signature-Input", made["signatureInput"]), ("Signature", made["signature"])]
    assert reasons(url, [*lines, *signed]) == ["signature-valid"]


def test_the_hash_of_a_key_is_that_of_npm() -> None:
    """web-bot-auth computes the thumbprint that it signs with."""
    lines = [("Signature-Agent", '"https://bot.example"')]
    made = ask("web-bot-auth signs", URLS[0], lines, created=int(now().timestamp()))
    assert f'keyid="{KEY.thumbprint}"' in made["Signature-Input"]


@pytest.mark.parametrize(
    ("library", "forms"),
    [("web-bot-auth", ["string"]), ("http-message-sig", ["key-set", "origin", "string"])],
)
def test_a_site_that_verifies_by_npm_accepts_an_identity(
    tmp_path: Path, library: str, forms: list[str]
) -> None:
    """As a new user does it: an identity is published, and checked against the site.

    web-bot-auth 0.1.3 knows the oldest form only, and `identity check` shows that.
    """
    published: dict[str, Any] = {}

    def verifies(url: str, lines: list[tuple[str, str]]) -> str | None:
        sent = [(name, value) for name, value in lines if name.lower().startswith("signature")]
        if not sent:
            return None
        keyid = dict(sent)["Signature-Input"].partition('keyid="')[2].partition('"')[0]
        key = next(one for one in published["keys"] if one["kid"] == keyid)
        more = {"label": "sig1"} if library == "http-message-sig" else {}
        found = ask(f"{library} verifies", url, sent, jwk=key, **more)
        return "any" if "verified" in found else None

    with open_verifying_site(tmp_path) as (site, authority):
        env = bare_environment(SSL_CERT_FILE=str(authority), PYTHONUTF8="1")
        url = site.origin + WELL_KNOWN
        for words in (("new", "me", "--url", url), ("publish", "me", "--out", "k")):
            assert run("robot", "identity", *words, cwd=tmp_path).returncode == 0
        published |= json.loads((tmp_path / "k").read_bytes())
        site.identity = SigningIdentity.read(tmp_path / "me")
        site.accepts, site.verifies = {"any"}, verifies
        given = ("me", f"{site.origin}/page", "--allow-private")
        done = run("robot", "identity", "check", *given, env=env, cwd=tmp_path)
    told = done.stdout.decode()
    assert done.returncode == 0, told + done.stderr.decode()
    assert f"The site accepts {', '.join(forms)}." in told
