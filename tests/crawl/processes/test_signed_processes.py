"""A crawl in several processes signs as one, and its folder and its words have no private key."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.support import program
from tests.support.loopback_shop import ROBOT
from tests.support.program import environment
from tests.support.signed_requests import URL, leaks, new_identity, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Seen = list[tuple[str, list[tuple[str, str]]]]


class Site(BaseHTTPRequestHandler):
    """Answers every path, and notes what came; /away leads to the page that its query names."""

    seen: Seen
    body: bytes

    def do_GET(self) -> None:
        """Answer."""
        self.seen.append((f"http://{self.headers['Host']}{self.path}", list(self.headers.items())))
        path, _, query = self.path.partition("?")
        body = {"/robots.txt": b"User-agent: *\nCrawl-delay: 0\n"}.get(path, self.body)
        self.send_response(302 if path == "/away" else 200)
        if path == "/away":
            self.send_header("Location", query)
        self.send_header("Content-Type", "text/plain" if "robots" in path else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Write nothing."""


@contextmanager
def open_sites(seen: Seen, count: int) -> Iterator[list[str]]:
    """Open some sites that link to each other, and return their origins."""
    with ExitStack() as closing:
        handler = type("Seen", (Site,), {"seen": seen})
        servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(count)]
        origins = [f"http://127.0.0.1:{one.server_port}" for one in servers]
        links = "".join(
            f"<a href='{one}/away?{one}/b'>a</a><a href='{one}/c'>c</a>" for one in origins
        )
        Site.body = links.encode()
        for server in servers:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            closing.callback(server.server_close)
            closing.callback(thread.join)
            closing.callback(server.shutdown)
        yield origins


def test_every_process_signs(tmp_path: Path) -> None:
    """Robots.txt, pages and redirects of every site; evidence and the record name the key."""
    mine, seen = new_identity(tmp_path / "me"), Seen()
    with open_sites(seen, 4) as origins:
        done = program.run(
            "crawl", *(f"{one}/" for one in origins), *ROBOT, "--processes", "2", "--identity",
            tmp_path / "me", "--out", tmp_path / "crawl", env=environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    paths = {urlsplit(url).path for url, _ in seen}
    assert {"/robots.txt", "/", "/away", "/b", "/c"} <= paths
    assert outcomes(mine, seen) == {("signature-valid", URL)}
    texts = [one.read_bytes() for one in (tmp_path / "crawl").rglob("*") if one.is_file()]
    assert (tmp_path / "crawl" / "part-1").is_dir()
    assert not leaks(mine, [*texts, done.stdout, done.stderr])
    key = f"{mine.signer.key.thumbprint} ({URL})"
    told: bytes = program.run("evidence", tmp_path / "crawl", f"{origins[0]}/c", "--json").stdout
    assert key in told.decode()
    words = ("--record", tmp_path / "a.json", "--rows", tmp_path / "a.jsonl", "--sign")
    recorded = program.run("evidence", tmp_path / "crawl", *words, tmp_path / "me")
    assert recorded.returncode == 0, recorded.stderr
    record, rows = ((tmp_path / one).read_bytes() for one in ("a.json", "a.jsonl"))
    assert key.encode() in record
    assert f'"requests": {len(seen)},'.encode() in record
    assert rows.count(b'"kind":"request"') == len(seen)
    assert not leaks(mine, [record, rows])
