"""Signatures of requests, where a log has them: they accuse only with all that is signed."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from goodbot.errors import MisuseError
from goodbot.site.audit.identity.operator_keys import OperatorKeys
from goodbot.site.audit.log_signatures import states_host
from goodbot.site.logs import LogCounts
from tests.support.program import bare_environment, run

if TYPE_CHECKING:
    from pathlib import Path

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
WELL_KNOWN = "https://agent.bot.goog/.well-known/http-message-signatures-directory"
OTHER = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
AT = dt.datetime(2026, 3, 10, 9, tzinfo=dt.timezone.utc)
AGENT = '"https://agent.bot.goog"'
ROBOT = "Google-Agent"
CREATED = str(int(AT.timestamp()) + 50)
"""When the signatures expire."""
NGINX = (
    '$remote_addr $host [$time_local] "$request" $status "$http_user_agent" "$http_signature" '
    '"$http_signature_input" "$http_signature_agent"'
)


def jwk(key: Ed25519PrivateKey) -> dict[str, str]:
    """Return the public key as an operator publishes it."""
    public = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")
    return {"kty": "OKP", "crv": "Ed25519", "x": public}


def thumbprint(key: Ed25519PrivateKey) -> str:
    """Return the identifier of a key, computed from the members in their order (RFC 7638)."""
    text = json.dumps(dict(sorted(jwk(key).items())), separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def fields(
    key: Ed25519PrivateKey, covered: str = '"@authority" "signature-agent"'
) -> dict[str, str]:
    """Return the fields of a request for a path of example.com, signed with a key as with `KEY`."""
    created = int(AT.timestamp()) - 10
    times = f"created={created};expires={created + 60}"
    told = f'({covered});{times};keyid="{thumbprint(KEY)}";tag="web-bot-auth"'
    values = {'"@authority"': "example.com", '"signature-agent"': AGENT, '"@path"': "/private"}
    lines = [f"{name}: {values[name]}" for name in covered.split()]
    base = "\n".join([*lines, f'"@signature-params": {told}'])
    made = base64.b64encode(key.sign(base.encode())).decode()
    return {
        "Signature": f"sig1=:{made}:",
        "Signature-Input": f"sig1={told}",
        "Signature-Agent": AGENT,
    }


def caddy(signed: dict[str, str], path: str = "/private") -> str:
    """Return a line of Caddy."""
    headers = {"User-Agent": [f"{ROBOT}/1.0"], **{name: [value] for name, value in signed.items()}}
    request = {"remote_ip": "198.51.100.7", "method": "GET", "host": "example.com", "uri": path,
               "headers": headers}  # fmt: skip
    return json.dumps({"ts": AT.timestamp(), "logger": "http.log.access", "msg": "handled request",
                       "request": request, "size": 2, "status": 200}) + "\n"  # fmt: skip


def audit(folder: Path, log: str, *words: str) -> tuple[list[Any], str, str]:
    """Return the judged requests of a log, the output in one line, and the messages."""
    (folder / "access.log").write_text(log, encoding="utf-8")
    (folder / "v").mkdir(exist_ok=True)
    (folder / "v/2026-01-01.txt").write_text(
        "User-agent: *\nDisallow: /private\n", encoding="utf-8"
    )
    (folder / "keys.json").write_text(
        json.dumps({"keys": [{"kty": "RSA"}, jwk(KEY)]}), encoding="utf-8"
    )
    env = bare_environment(XDG_CACHE_HOME=str(folder / "cache"))
    given = ("--policy", "v", "--site", "https://example.com", "--requests", "rows.jsonl")
    done = run("audit", "access.log", *given, *words, env=env, cwd=folder)
    text = (folder / "rows.jsonl").read_text() if done.returncode == 0 else ""
    rows = [json.loads(one) for one in text.splitlines()]
    return rows, " ".join(done.stdout.decode().split()), done.stderr.decode()


KEYS = ("--keys", f"{ROBOT}=keys.json")


@pytest.mark.parametrize(
    ("signed", "identity", "reason"),
    [
        (fields(KEY), "verified", "signature-valid"),
        (fields(OTHER), "spoofed", "signature-invalid"),
        (fields(OTHER, '"@authority" "@path"'), "unverifiable", "log-lacks-signed-fields"),
        (fields(KEY, '"@authority"'), "unverifiable", "agent-not-covered"),
        (fields(KEY) | {"Signature-Input": "sig1=?"}, "invalid", "signature-malformed"),
        (
            {one: text.replace(CREATED, "1") for one, text in fields(KEY).items()},
            "invalid",
            "signature-of-another-time",
        ),
    ],
)
def test_the_signature_of_a_line_is_verified(
    tmp_path: Path, signed: dict[str, str], identity: str, reason: str
) -> None:
    """With the operator's keys; a line without a signature is judged by its address alone."""
    rows, printed, told = audit(tmp_path, caddy(signed) + caddy({}), *KEYS)
    assert [one["identity"] for one in rows] == [identity, "unverifiable"], told
    assert f"({reason})" in printed
    assert "1 request is signed" in printed


def test_without_keys_nothing_is_verified(tmp_path: Path) -> None:
    """A note says that requests are signed, and what to pass."""
    rows, printed, _ = audit(tmp_path, caddy(fields(KEY)))
    assert [one["identity"] for one in rows] == ["unverifiable"]
    assert "--keys names the keys of an operator" in printed


@pytest.mark.parametrize(("key", "identity"), [(KEY, "verified"), (OTHER, "spoofed")])
def test_a_format_of_ones_own_may_have_the_fields(
    tmp_path: Path, key: Ed25519PrivateKey, identity: str
) -> None:
    """As nginx writes them, with its escapes; without the host in the log, nobody is accused."""
    quoted = [value.replace('"', "\\x22") for value in fields(key).values()]
    rest = f'[10/Mar/2026:09:00:00 +0000] "GET /private HTTP/1.1" 200 "{ROBOT}/1.0" ' + " ".join(
        f'"{one}"' for one in quoted
    )
    log = f"198.51.100.7 example.com {rest}\n"
    rows, _, told = audit(tmp_path, log, *KEYS, "--log-format", NGINX)
    assert [one["identity"] for one in rows] == [identity], told
    hostless = ("--log-format", NGINX.replace(" $host", ""))
    rows, printed, _ = audit(tmp_path, f"198.51.100.7 {rest}\n", *KEYS, *hostless)
    assert [one["identity"] for one in rows] == [identity.replace("spoofed", "unverifiable")]
    assert ("log-lacks-signed-fields" in printed) == (identity == "spoofed")


def test_a_signature_of_several_addresses_verifies_nobody(tmp_path: Path) -> None:
    """Who copies a signed request is not its operator; from one address, it may be sent again."""
    lines = [caddy(fields(KEY)).replace("198.51.100.7", f"198.51.100.{last}") for last in range(9)]
    rows, printed, told = audit(tmp_path, "".join(lines), *KEYS)
    assert [one["identity"] for one in rows] == ["unverifiable"] * 9, told
    assert "the same signature came from several addresses" in printed
    assert "(signature-replayed)" in printed
    rows, printed, _ = audit(tmp_path, lines[0] * 3, *KEYS)
    assert [one["identity"] for one in rows] == ["verified"] * 3
    assert "signature-replayed" not in printed


@pytest.mark.parametrize("words", [(), KEYS])
@pytest.mark.parametrize(
    "names", [["Signature"], ["Signature-Input"], ["Signature", "Signature-Input"]]
)
def test_a_log_need_not_have_every_field_of_a_signature(
    tmp_path: Path, names: list[str], words: tuple[str, ...]
) -> None:
    """Mastodon signs as before RFC 9421, with Signature alone; that shows nothing."""
    signed = {name: value for name, value in fields(KEY).items() if name in names}
    rows, printed, told = audit(tmp_path, caddy(signed) + caddy({}), *words)
    assert [one["identity"] for one in rows] == ["unverifiable"] * 2, told
    assert "1 request is signed" in printed
    assert "the log lacks what the signature covers (log-lacks-signed-fields)" in printed


def test_an_own_list_of_most_of_the_internet_is_refused(tmp_path: Path) -> None:
    """It would verify anyone, in whatever pieces it is written."""
    pieces = [f"{first}.{second}.0.0/9" for first in range(20, 90) for second in (0, 128)]
    (tmp_path / "own.txt").write_text("\n".join(pieces), encoding="utf-8")
    rows, _, told = audit(tmp_path, caddy({}), "--addresses", "GPTBot=own.txt")
    assert rows == []
    assert "more than a sixteenth of IPv4" in told


def test_a_directory_without_a_usable_key_is_refused(tmp_path: Path) -> None:
    """So is a robot whose operator publishes none."""
    for content in (b"", b"[]", b'{"keys": 5}', b'{"keys": [{"kty": "OKP", "crv": "Ed25519"}]}',
                    b'{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "YQ"}]}',
                    b'{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "\\u00e9"}]}'):  # fmt: skip
        with pytest.raises(MisuseError, match="directory of keys"):
            OperatorKeys.of(content)
    for given, fault in (
        ("GPTBot", "write ROBOT=FILE"),
        ("http://example.com/keys.json", "keys are published at a URL of https"),
        ("GPTBot=http://example.com/keys.json", "keys are published at a URL of https"),
    ):
        assert fault in audit(tmp_path, caddy({}), "--keys", given)[2]
    named = OperatorKeys.of(json.dumps([jwk(KEY) | {"kid": "k1"}]).encode())
    assert named.check("k1", b"a", KEY.sign(b"a")) is True
    assert named.check("k1", b"a", b"") is False
    assert named.check("k2", b"a", b"") is None


@pytest.mark.parametrize(
    ("words", "identity", "reason"),
    [
        (("--keys", f"{ROBOT}=keys.json"), "verified", "signature-valid"),
        (("--keys", f"{WELL_KNOWN}=keys.json"), "verified", "signature-valid"),
        (("--keys", f"{ROBOT}={WELL_KNOWN}=keys.json"), "verified", "signature-valid"),
        # The pair of URL and key counts, not the key alone.
        (
            ("--keys", "https://other.example/keys=keys.json"),
            "unverifiable",
            "key-unknown",
        ),
        (
            ("--keys", f"{ROBOT}=https://other.example/keys=keys.json"),
            "unverifiable",
            "key-unknown",
        ),
        # Nothing says that the robot is this operator's.
        (("--keys", "GPTBot=keys.json"), "unverifiable", "signed-by-another"),
    ],
)
def test_keys_are_those_of_a_url(
    tmp_path: Path, words: tuple[str, ...], identity: str, reason: str
) -> None:
    """An operator is named by its robot, by its URL or by both; a file is a copy of the URL."""
    rows, printed, told = audit(tmp_path, caddy(fields(KEY)), *words)
    assert [one["identity"] for one in rows] == [identity], told
    assert f"({reason})" in printed


def test_any_robot_may_have_keys(tmp_path: Path) -> None:
    """Also one that is in no table, and one whose operator is not known to sign."""
    for name in ("ExampleBot", "GPTBot"):
        line = caddy(fields(KEY)).replace(f"{ROBOT}/1.0", f"{name}/1.0")
        rows, _, told = audit(tmp_path, line, "--keys", f"{name}=keys.json", "--unknown")
        assert [one["identity"] for one in rows] == ["verified"], told


def test_which_formats_state_the_host() -> None:
    """Those that say where it stands; of a W3C log that is not known before it is read."""
    formats = {"a": "caddy", "b": "cloudflare", "c": NGINX, "d": "%{Host}i %h"}
    assert states_host(LogCounts(formats=dict(formats)))
    # `%v` and `server_name` are names of the server's own, whichever name was asked for.
    for other in ("combined", "w3c", None, "combined-with-host", "nginx-json", "json"):
        assert not states_host(LogCounts(formats={**formats, "d": other}))
    assert not states_host(LogCounts())
