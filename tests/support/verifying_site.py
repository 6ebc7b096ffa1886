"""A site on loopback that serves a page only to signed requests, and the keys of an identity."""

from __future__ import annotations

import ssl
import threading
from contextlib import contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import trustme

from goodbot.signatures import WELL_KNOWN, KeySet, KeySets, SignedRequest, judge_signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from goodbot.robot.signing_identity import SigningIdentity

Lines = list[tuple[str, str]]


class VerifyingSite(ThreadingHTTPServer):
    """Serves the keys to everyone, and other pages to requests in certain forms."""

    daemon_threads = True

    def __init__(self, authority: trustme.CA) -> None:
        """Open a port."""
        super().__init__(("127.0.0.1", 0), Answering)
        self.identity: SigningIdentity | None = None
        self.accepts: set[str] = set()
        """The profiles that it knows; all others are answered 403."""
        self.asks = ""
        """What it asks for by Accept-Signature, unless the request has the nonce `abc`."""
        self.status = 403
        """How it refuses."""
        self.verifies: Callable[[str, Lines], str | None] = self.verified_profile
        """Returns the profile of a request that is verified; `None` if it is not."""
        self.seen: list[tuple[str, Lines]] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.origin = f"https://127.0.0.1:{self.server_port}"

    def verified_profile(self, url: str, lines: Lines) -> str | None:
        """Return the profile of a request that goodbot verifies."""
        if self.identity is None:
            return None
        keys = KeySets([KeySet.of(self.identity.published(), self.identity.url)])
        request = SignedRequest.to_url(url, lines=lines)
        found = judge_signatures(request, datetime.now(timezone.utc), keys.find)
        return next((one.profile for one in found if one), None)


class Answering(BaseHTTPRequestHandler):
    """Handles one request."""

    server: VerifyingSite

    def do_GET(self) -> None:
        """Send the answer."""
        site = self.server
        if self.path in {"/keys.json", WELL_KNOWN} and site.identity is not None:
            header, body = site.identity.served(datetime.now(timezone.utc))
            self.answer(200, list(header), body)
            return
        url, lines = f"{site.origin}{self.path}", list(self.headers.items())
        site.seen.append((url, lines))
        if site.asks and 'nonce="abc"' not in self.headers.get("Signature-Input", ""):
            self.answer(401, [("Accept-Signature", site.asks)], b"")
        elif site.verifies(url, lines) in site.accepts:
            self.answer(200, [], b"Welcome")
        else:
            self.answer(site.status, [], b"")

    def answer(self, status: int, header: Lines, body: bytes) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in header:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def open_verifying_site(folder: Path) -> Iterator[tuple[VerifyingSite, Path]]:
    """Open a site, and return it with the file of the authority that its certificate is of."""
    authority = trustme.CA()
    path = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    site = VerifyingSite(authority)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        yield site, path
    finally:
        site.shutdown()
        thread.join()
        site.server_close()
