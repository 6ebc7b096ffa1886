"""Signed WACZ files: by a key of one's own, and by the certificate of a domain.

Source: WACZ Signing and Verification 0.1.0; RFC 3161 (time stamps).
"""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, load_der_public_key

from goodbot.crawl.wacz.signing import DomainSigner
from goodbot.errors import FetchError, WrongValueError
from goodbot.net.posting import post_timestamp_query
from goodbot.signatures.timestamps import request_timestamp
from tests.support import program
from tests.support.timestamp_authority import Authority, certificate, key_pem, open_authority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.shop_site.crawled import ShopCrawl

DOMAIN = "archive.example"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """Return an authority for time stamps."""
    with open_authority(tmp_path_factory.mktemp("authority") / "files") as found:
        yield found


def signed_data(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the signature in a file, and its list of members."""
    with zipfile.ZipFile(path) as file:
        digest = json.loads(file.read("datapackage-digest.json"))
        members = file.read("datapackage.json")
    assert digest["hash"] == f"sha256:{hashlib.sha256(members).hexdigest()}"
    signed: dict[str, Any] = digest["signedData"]
    assert signed["hash"] == digest["hash"]
    assert signed["created"] == json.loads(members)["created"]
    return signed, members


def new_identity(folder: Path) -> None:
    """Make an identity as a user does."""
    words = ("robot", "identity", "new", folder, "--url", "https://bot.example/keys.json")
    assert program.run(*words).returncode == 0


def test_a_file_is_signed_by_the_key_that_is_published(
    shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """Its public key is in the key set, and made the signature of the digest, and of no other."""
    new_identity(tmp_path / "me")
    words = ("archive", "export", shop_crawl.folder, "--wacz", tmp_path / "a.wacz")
    done = program.run(*words, "--sign", tmp_path / "me", "--json")
    assert done.returncode == 0, done.stderr
    signed, _ = signed_data(tmp_path / "a.wacz")
    assert list(signed) == ["hash", "created", "software", "version", "signature", "publicKey"]
    key = load_der_public_key(base64.b64decode(signed["publicKey"]))
    assert isinstance(key, ec.EllipticCurvePublicKey)
    made = base64.b64decode(signed["signature"])
    r, s = (int.from_bytes(one, "big") for one in (made[:48], made[48:]))
    key.verify(encode_dss_signature(r, s), signed["hash"].encode(), ec.ECDSA(hashes.SHA256()))
    with pytest.raises(InvalidSignature):
        key.verify(encode_dss_signature(r, s), b"sha256:00", ec.ECDSA(hashes.SHA256()))
    published = json.loads(
        program.run("robot", "identity", "publish", tmp_path / "me").stdout
    )  # fmt: skip
    numbers = key.public_numbers()
    coordinates = [
        base64.urlsafe_b64encode(one.to_bytes(48, "big")).decode() for one in (numbers.x, numbers.y)
    ]
    (own,) = [one for one in published["keys"] if one["kty"] == "EC"]
    assert [own["x"], own["y"]] == coordinates
    told = json.loads(done.stdout)["signed_by"]
    assert told == f"{own['kid']} (https://bot.example/keys.json)"


def test_a_stream_is_signed_too(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """Without the option it is not."""
    new_identity(tmp_path / "me")
    for words in (("--sign", tmp_path / "me"), ()):
        done = program.run("archive", "export", shop_crawl.folder, "--wacz", "-", *words)
        (tmp_path / "a.wacz").write_bytes(done.stdout)
        with zipfile.ZipFile(tmp_path / "a.wacz") as file:
            digest = json.loads(file.read("datapackage-digest.json"))
        assert ("signedData" in digest) == bool(words)


@pytest.fixture
def domain(authority: Authority, tmp_path: Path) -> tuple[Path, Path]:
    """Return the files of a certificate with its chain, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([x509.DNSName(DOMAIN)])
    mine = certificate(DOMAIN, key, authority.root, authority.root_key, (names, False))
    chain = b"".join(one.public_bytes(Encoding.PEM) for one in (mine, authority.root))
    paths = tmp_path / "chain.pem", tmp_path / "key.pem"
    for path, content in zip(paths, (chain, key_pem(key)), strict=True):
        path.write_bytes(content)
        path.chmod(0o600)
    return paths


def test_a_file_is_signed_by_the_certificate_of_a_domain(
    shop_crawl: ShopCrawl, tmp_path: Path, authority: Authority, domain: tuple[Path, Path]
) -> None:
    """With a time stamp, which openssl verifies, and which was made within ten minutes."""
    words = ("archive", "export", shop_crawl.folder, "--wacz", tmp_path / "a.wacz")
    chain, key = domain
    given = ("--certificate", chain, "--certificate-key", key, "--timestamp", authority.url)
    done = program.run(*words, *given)
    assert done.returncode == 0, done.stderr
    assert f"signed by {DOMAIN}".encode() in done.stdout
    signed, _ = signed_data(tmp_path / "a.wacz")
    assert list(signed) == [
        "hash", "created", "software", "version", "signature", "domain", "domainCert",
        "timeSignature", "timestampCert",
    ]  # fmt: skip
    assert signed["domain"] == DOMAIN
    first = x509.load_pem_x509_certificates(signed["domainCert"].encode())[0]
    public = first.public_key()
    assert isinstance(public, ec.EllipticCurvePublicKey)
    made = base64.b64decode(signed["signature"])
    public.verify(made, signed["hash"].encode(), ec.ECDSA(hashes.SHA256()))
    stamp = base64.b64decode(signed["timeSignature"])
    assert authority.verify(stamp, signed["signature"].encode())
    assert not authority.verify(stamp, signed["signature"].encode() + b" ")
    stamped = x509.load_pem_x509_certificates(signed["timestampCert"].encode())
    names = [one.subject.rfc4514_string() for one in stamped]
    assert names == ["CN=Test Authority", "CN=Test Root"]


def test_faults_of_an_authority_leave_no_file(
    shop_crawl: ShopCrawl, tmp_path: Path, authority: Authority, domain: tuple[Path, Path]
) -> None:
    """A status, a redirect, something else, a stamp of other bytes, and nobody there."""
    chain, key = domain
    words = ("archive", "export", shop_crawl.folder, "--wacz", tmp_path / "a.wacz")
    given = (*words, "--certificate", chain, "--certificate-key", key, "--timestamp")
    other = request_timestamp(b"other", partial(post_timestamp_query, authority.url)).response
    try:
        for status, content, told in (
            (503, b"", b"status is 503"),
            (302, b"", b"status is 302"),
            (200, b"Hi", b"no time stamp"),
            (200, other, b"another request"),
        ):
            authority.status, authority.answers_with = status, content
            done = program.run(*given, authority.url)
            assert done.returncode == 2
            assert told in b" ".join(done.stderr.split()), done.stderr
    finally:
        authority.status, authority.answers_with = 200, None
    done = program.run(*given, "http://127.0.0.1:9/")
    assert (done.returncode, b"no answer came" in done.stderr) == (2, True)
    assert program.run(*given, "ftp://a.example/").returncode == 2
    assert not (tmp_path / "a.wacz").exists()


def test_options_that_do_not_fit_are_refused(tmp_path: Path, shop_crawl: ShopCrawl) -> None:
    """Each message says what to do."""
    new_identity(tmp_path / "me")
    (tmp_path / "me" / "archive-key.pem").unlink()
    words = ("archive", "export", shop_crawl.folder, "--wacz", tmp_path / "a.wacz")
    for more, told in (
        (("--sign", tmp_path / "me"), b"identity rotate"),
        (("--sign", tmp_path / "no"), b"identity new"),
        (("--sign", tmp_path / "me", "--timestamp", "http://a.example"), b"choose one"),
        (("--certificate", "a.pem"), b"name all three"),
        (("--certificate", "a.pem", "--certificate-key", "b", "--timestamp", "http://a.example"),
         b"cannot be read"),
    ):  # fmt: skip
        done = program.run(*words, *more)
        assert done.returncode == 2
        assert told in done.stderr, done.stderr
    assert not (tmp_path / "a.wacz").exists()


def test_a_certificate_must_fit_its_key_and_hold(
    authority: Authority, domain: tuple[Path, Path]
) -> None:
    """So that nobody finds out when it is verified."""
    chain, key = (path.read_bytes() for path in domain)
    ask, now = partial(post_timestamp_query, authority.url), datetime.now(timezone.utc)
    assert DomainSigner(chain, key, ask, now).domain == DOMAIN
    assert b"PRIVATE" not in repr(DomainSigner(chain, key, ask, now)).encode()
    other = key_pem(ec.generate_private_key(ec.SECP256R1()))
    for given, told in (
        ((chain, other, now), "not that of the first certificate"),
        ((chain, b"no key", now), "not a private key"),
        ((chain, (authority.folder / "authority-key.pem").read_bytes(), now), "ECDSA"),
        ((b"none", key, now), "no certificates"),
        ((chain, key, now + timedelta(days=60)), "renew"),
    ):
        with pytest.raises(WrongValueError, match=told):
            DomainSigner(given[0], given[1], ask, given[2])
    with pytest.raises(FetchError, match="no answer"):
        DomainSigner(chain, key, partial(post_timestamp_query, "http://127.0.0.1:9/"), now).sign(
            "sha256:00", "2026-11-01T00:00:00Z"
        )
