"""A small server that shows the files of a policy, for `goodbot gate serve`.

Scope: the standard library's server, one thread a request. It is made for looking at, not for use.
"""

import socket
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from goodbot.http.request_target import request_target
from goodbot.site.gate.gate_cache import GateCache
from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.served_answers import served

__all__ = ["gate_server"]

PATIENCE = 10.0
"""The seconds after which a connection that says nothing is closed."""


class GateServer(ThreadingHTTPServer):
    """A server of the files of one policy."""

    daemon_threads = True

    def __init__(self, cache: GateCache, address: tuple[str, int]) -> None:
        """Listen."""
        self.cache = cache
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    timeout = PATIENCE
    server: GateServer

    def answer(self) -> None:
        """Send a file; 404 with the list of files for every other path."""
        now = datetime.now(timezone.utc)
        target = request_target(self.path)
        said = self.server.cache.at(target.host or self.headers.get("Host"), now)
        found = served(said, self.command, target.path, self.headers.get, now=now)
        if found is None:
            body = "".join(f"{one}\n" for one in said.files).encode()
            fields: tuple[tuple[str, str], ...] = (("Content-Type", "text/plain; charset=utf-8"),)
            self.send(404, (*fields, ("Content-Length", str(len(body)))), body)
        else:
            self.send(found.status, found.headers, found.body)

    do_GET = do_HEAD = answer  # noqa: N815  the names of the standard library

    def send(self, status: int, fields: tuple[tuple[str, str], ...], body: bytes) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_words: Any) -> None:  # noqa: ANN401  as the standard library has it
        """Write nothing: the terminal belongs to who looks."""


def gate_server(policy: GatePolicy, address: str, port: int) -> GateServer:
    """Return a server that listens; its method `serve_forever` answers.

    Args:
        policy: The policy.
        address: The address to listen on.
        port: The port; 0 for a free one.

    Raises:
        OSError: The address cannot be used.

    """
    return GateServer(GateCache(policy), (address, port))
