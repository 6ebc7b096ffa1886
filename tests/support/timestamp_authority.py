"""A time-stamping authority on loopback: `openssl ts` behind a server, and its certificates."""

from __future__ import annotations

import shutil
import subprocess
import threading
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/authority.pem
certs = {folder}/root.pem
signer_key = {folder}/authority-key.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""


def key_pem(key: Key) -> bytes:
    """Return a private key as PEM."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def certificate(
    name: str,
    key: Key,
    issuer: x509.Certificate | None = None,
    issuer_key: Key | None = None,
    *extensions: tuple[x509.ExtensionType, bool],
    days: tuple[int, int] = (-1, 30),
) -> x509.Certificate:
    """Return a certificate; of its own key if it has no issuer."""
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(key if issuer_key is None else issuer_key, hashes.SHA256())


class Authority(ThreadingHTTPServer):
    """Stamps what it is sent."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        """Make certificates, and open a port."""
        super().__init__(("127.0.0.1", 0), Answering)
        self.folder = folder
        self.status = 200
        self.answers_with: bytes | None = None
        """What it answers instead of a time stamp."""
        self.root_key = rsa.generate_private_key(65537, 2048)
        key = rsa.generate_private_key(65537, 2048)
        self.root = certificate("Test Root", self.root_key)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        mine = certificate("Test Authority", key, self.root, self.root_key, (usage, True))
        folder.mkdir()
        (folder / "root.pem").write_bytes(self.root.public_bytes(Encoding.PEM))
        (folder / "authority.pem").write_bytes(mine.public_bytes(Encoding.PEM))
        (folder / "authority-key.pem").write_bytes(key_pem(key))
        (folder / "serial").write_text("01")
        (folder / "tsa.cnf").write_text(CONFIGURATION.format(folder=folder))
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def stamp(self, query: bytes) -> bytes:
        """Return the time stamp for a query."""
        (self.folder / "query").write_bytes(query)
        openssl(
            "ts", "-reply", "-queryfile", self.folder / "query", "-config", self.folder / "tsa.cnf",
            "-out", self.folder / "reply",
        )  # fmt: skip
        return (self.folder / "reply").read_bytes()

    def verify(self, response: bytes, content: bytes) -> bool:
        """Return whether `openssl ts -verify` accepts a time stamp of some bytes."""
        (self.folder / "response").write_bytes(response)
        (self.folder / "content").write_bytes(content)
        done = subprocess.run(  # noqa: S603  our own words
            [
                found_openssl(), "ts", "-verify", "-in", self.folder / "response", "-data",
                self.folder / "content", "-CAfile", self.folder / "root.pem",
            ],
            capture_output=True,
            check=False,
        )  # fmt: skip
        return done.returncode == 0


class Answering(BaseHTTPRequestHandler):
    """Handles one request."""

    server: Authority

    def do_POST(self) -> None:
        """Send a time stamp."""
        authority = self.server
        query = self.rfile.read(int(self.headers["Content-Length"]))
        is_query = self.headers["Content-Type"] == "application/timestamp-query"
        answer = authority.answers_with
        content = authority.stamp(query) if answer is None and is_query else answer or b""
        self.send_response(authority.status)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.send_header("Content-Length", str(len(content)))
        if authority.status in {301, 302}:
            self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def found_openssl() -> str:
    """Return where openssl is; skip the test if there is none."""
    found = shutil.which("openssl")
    if found is None:
        pytest.skip("openssl is missing: install it, to test time stamps")
    return found


def openssl(*words: str | Path) -> None:
    """Run openssl."""
    subprocess.run([found_openssl(), *words], capture_output=True, check=True)  # noqa: S603  ours


@contextmanager
def open_authority(folder: Path) -> Iterator[Authority]:
    """Open an authority that has its files in a folder."""
    found_openssl()
    authority = Authority(folder)
    thread = threading.Thread(target=authority.serve_forever)
    thread.start()
    try:
        yield authority
    finally:
        authority.shutdown()
        thread.join()
        authority.server_close()
