"""Signed WACZ files are verified by py-wacz with authsign, and by the engine of ReplayWeb.page.

They differ in what they know: py-wacz verifies certificates of domains only, and the engine takes
signatures as browsers make them. A changed byte is found by the one or the other, or by both.

Source: WACZ Signing and Verification 0.1.0.
"""

import base64
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from goodbot.signatures.archive_key import ArchiveKey
from tests.support import program
from tests.support.paths import ROOT
from tests.support.shop_site.crawled import ShopCrawl
from tests.support.timestamp_authority import Authority, certificate, key_pem, open_authority
from tests.support.waiting import HANGS, wait_until

REPLAY = ROOT / "build" / "replay" / "bin"
ENGINE = ROOT / "build" / "replay-engine"
SCRIPT = ROOT / "tests" / "system" / "replay_engine" / "verify.mjs"

VERIFIER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from authsign.verifier import Verifier
verify = Verifier(sys.argv[1])
class Answering(BaseHTTPRequestHandler):
    def do_POST(self):
        signed = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            is_verified = bool(verify(signed))
        except Exception:
            is_verified = False
        self.send_response(200 if is_verified else 400)
        self.end_headers()
server = HTTPServer(("127.0.0.1", 0), Answering)
open(sys.argv[2], "w").write(str(server.server_port))
server.serve_forever()
"""


def validate(path: Path, *words: str) -> tuple[bool, str]:
    """Return whether py-wacz accepts a file, and what it prints."""
    done = subprocess.run(  # noqa: S603  of our own environment
        [REPLAY / "wacz", "validate", "-f", path, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
    )
    told = done.stdout + done.stderr
    return "is valid" in told, told


def engine_finds(path: Path) -> dict[str, bool | str | None]:
    """Return what the engine of ReplayWeb.page verified, and whether it matched."""
    shutil.copy(SCRIPT, ENGINE)
    node = shutil.which("node")
    assert node is not None, "node is missing: run tests/system/install"
    done = subprocess.run(  # noqa: S603  our own script
        [node, ENGINE / SCRIPT.name, path],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["id"]: one["matched"] for one in rows}


def rewrite(path: Path, member: str, change: Callable[[bytes], bytes]) -> Path:
    """Return a copy of a file in which a member is another one; its form is right."""
    changed = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for one in old.infolist():
            content = old.read(one)
            assert member in old.namelist()
            new.writestr(one, change(content) if one.filename == member else content)
    return changed


def signed_values(**values: str) -> Callable[[bytes], bytes]:
    """Return a function that changes values of `signedData`."""

    def change(content: bytes) -> bytes:
        digest = json.loads(content)
        digest["signedData"] |= values
        return json.dumps(digest).encode()

    return change


def one_byte(content: bytes) -> bytes:
    """Return a content with another byte in its middle."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DIGEST = "datapackage-digest.json"


@pytest.fixture(scope="module")
def own(shop_crawl: ShopCrawl, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sign a crawl by a key of one's own, as a user does."""
    folder = tmp_path_factory.mktemp("own")
    for words in (
        ("robot", "identity", "new", "me", "--url", "https://bot.example/keys.json"),
        ("archive", "export", shop_crawl.folder, "--wacz", "a.wacz", "--sign", "me"),
    ):
        assert program.run(*words, cwd=folder).returncode == 0
    return folder / "a.wacz"


def test_both_accept_a_key_of_ones_own(own: Path) -> None:
    """Py-wacz verifies all digests, and says that it did not verify the signature."""
    is_valid, told = validate(own)
    assert is_valid, told
    assert "Has signature" in told
    assert engine_finds(own)["signature"] is True


def test_py_wacz_knows_certificates_only(own: Path) -> None:
    """With --verify-auth, it refuses the form that the document calls anonymous."""
    is_valid, told = validate(own, "--verify-auth")
    assert not is_valid
    assert "domainCert" in told


@pytest.mark.parametrize("member", ["datapackage.json", "indexes/index.cdx.gz", "warc"])
def test_a_changed_byte_is_found(own: Path, member: str) -> None:
    """In the list of members, the index, or a WARC file."""
    with zipfile.ZipFile(own) as file:
        names = file.namelist()
    chosen = (
        next(one for one in names if one.startswith("archive/")) if member == "warc" else member
    )
    assert not validate(rewrite(own, chosen, one_byte))[0]


def test_a_forged_signature_is_found(own: Path) -> None:
    """Of another key, of another file, or with another date."""
    key = ArchiveKey.new()
    with zipfile.ZipFile(own) as file:
        signed = json.loads(file.read(DIGEST))["signedData"]
    other = base64.b64encode(key.sign(b"sha256:00", "sha256")).decode()
    for values in ({"publicKey": key.spki}, {"signature": other}):
        assert engine_finds(rewrite(own, DIGEST, signed_values(**values)))["signature"] is False
    # With another key, the file can be signed anew: that key is not the one that is published.
    anew = base64.b64encode(key.sign(signed["hash"].encode(), "sha256")).decode()
    changed = rewrite(own, DIGEST, signed_values(publicKey=key.spki, signature=anew))
    assert engine_finds(changed)["signature"] is True
    with zipfile.ZipFile(changed) as file:
        found = json.loads(file.read(DIGEST))["signedData"]["publicKey"]
    assert found != signed["publicKey"]
    is_valid, told = validate(rewrite(own, DIGEST, signed_values(created="2020-01-01T00:00:00Z")))
    assert (is_valid, "created timestamp" in told) == (False, True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """Return an authority for time stamps."""
    with open_authority(tmp_path_factory.mktemp("authority") / "files") as found:
        yield found


@pytest.fixture(scope="module")
def of_domain(
    shop_crawl: ShopCrawl, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Sign a crawl by the certificate of a domain."""
    folder = tmp_path_factory.mktemp("domain")
    key = ec.generate_private_key(ec.SECP256R1())
    mine = certificate("archive.example", key, authority.root, authority.root_key)
    chain = b"".join(one.public_bytes(Encoding.PEM) for one in (mine, authority.root))
    for name, content in (("chain.pem", chain), ("key.pem", key_pem(key))):
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
    words = ("--certificate", "chain.pem", "--certificate-key", "key.pem")
    done = program.run(
        "archive", "export", shop_crawl.folder, "--wacz", "a.wacz", *words, "--timestamp",
        authority.url, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "a.wacz"


@contextmanager
def verifier(folder: Path, root: x509.Certificate) -> Iterator[str]:
    """Run authsign's verification with one trusted root, and return its URL."""
    print_of = root.fingerprint(hashes.SHA256()).hex()
    roots = {"domain_cert_roots": [print_of], "timestamp_cert_roots": [print_of]}
    (folder / "roots.yaml").write_text(json.dumps(roots))
    command = [str(REPLAY / "python"), "-c", VERIFIER, str(folder / "roots.yaml")]
    (folder / "port").unlink(missing_ok=True)
    with (
        (folder / "verifier.log").open("wb") as log,
        subprocess.Popen([*command, str(folder / "port")], stdout=log, stderr=log) as process,  # noqa: S603  ours
    ):
        try:
            port = folder / "port"
            wait_until(
                lambda: process.poll() is not None or (port.exists() and port.read_text() != ""),
                "the port of the verifier",
            )
            assert process.poll() is None, (folder / "verifier.log").read_text()
            yield f"http://127.0.0.1:{port.read_text()}/"
        finally:
            process.terminate()


def test_py_wacz_verifies_the_certificate_of_a_domain(
    of_domain: Path, authority: Authority, tmp_path: Path
) -> None:
    """With the time stamp; a changed signature, stamp, chain or domain is found."""
    with zipfile.ZipFile(of_domain) as file:
        signed = json.loads(file.read(DIGEST))["signedData"]
    stamp = base64.b64decode(signed["timeSignature"])
    first = signed["domainCert"].index("-----BEGIN", 10)
    stranger = certificate("archive.example", ec.generate_private_key(ec.SECP256R1()))
    forged = {
        "signature": base64.b64encode(one_byte(base64.b64decode(signed["signature"]))).decode(),
        "timeSignature": base64.b64encode(stamp[:-1] + bytes([stamp[-1] ^ 1])).decode(),
        "domain": "other.example",
        "domainCert": stranger.public_bytes(Encoding.PEM).decode() + signed["domainCert"][first:],
    }
    with verifier(tmp_path, authority.root) as url:
        is_valid, told = validate(of_domain, "--verify-auth", "--verifier-url", url)
        assert is_valid, told + (tmp_path / "verifier.log").read_text()
        assert "Successfully verified signature" in told
        for name, value in forged.items():
            changed = rewrite(of_domain, DIGEST, signed_values(**{name: value}))
            is_valid, told = validate(changed, "--verify-auth", "--verifier-url", url)
            assert (is_valid, "Signature not verified" in told) == (False, True), name


def test_the_engine_reads_signatures_of_browsers_only(of_domain: Path) -> None:
    """What authsign verifies is DER, which the engine does not take for certificates either."""
    assert engine_finds(of_domain)["signature"] is False
    assert engine_finds(of_domain)["domain"] == "archive.example"
