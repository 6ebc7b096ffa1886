"""A small site on loopback for crawls by the program, with a page that can be held back."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support import program
from tests.support.program import GOODBOT, environment
from tests.support.waiting import HANGS

ROBOTS_TXT = b"User-agent: *\nDisallow: /till\nCrawl-delay: 0\nComment: Please write to us.\n"
PAGES = {
    "/robots.txt": ROBOTS_TXT,
    "/": b"<title>Shop</title><a href=/lamps>Lamps</a> <a href=/chairs>Chairs</a> "
    b"<a href=/till>Till</a> <a href=/gone>Gone</a>",
    "/lamps": b"<title>Lamps</title><p>A brass lamp.",
    "/chairs": b"<title>Chairs</title><p>A chair of oak.",
}
ROBOT = ("--robot", "ExampleBot/1.0", "--allow-private", "--pause", "0")


class Shop(ThreadingHTTPServer):
    """A site that logs the requested paths, and who requested them."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        """Open a port."""
        super().__init__(("127.0.0.1", 0), Answering)
        self.pages = pages
        self.asked: list[str] = []
        self.agents: set[str] = set()
        self.statuses: dict[str, int] = {}
        """The statuses of some paths; the others answer 200, or 404 if there is no page."""
        self.tags: dict[str, str] = {}
        """The entity tags of some paths: a request with a matching condition is answered 304."""
        self.held = ""
        """The path that is answered only after `gate` is set."""
        self.gate = threading.Event()
        self.at_gate = threading.Event()
        self.origin = f"http://127.0.0.1:{self.server_port}"

    def hold(self, path: str) -> None:
        """Answer a path only after `gate` is set."""
        self.held = path


class Answering(BaseHTTPRequestHandler):
    """Handles one request."""

    protocol_version = "HTTP/1.1"
    server: Shop

    def do_GET(self) -> None:
        """Send the answer."""
        site = self.server
        site.asked.append(self.path)
        site.agents.add(self.headers["User-Agent"])
        if self.path == site.held:
            site.at_gate.set()
            site.gate.wait(HANGS)
        content, tag = site.pages.get(self.path), site.tags.get(self.path)
        if tag is not None and self.headers["If-None-Match"] == tag:
            self.send_response(304)
            self.end_headers()
            return
        self.send_response(site.statuses.get(self.path, 404 if content is None else 200))
        if tag is not None:
            self.send_header("ETag", tag)
        self.send_header("Content-Type", "text/plain" if "robots" in self.path else "text/html")
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def handle(self) -> None:
        """Ignore clients that disconnect early."""
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True


@contextmanager
def open_shop(pages: Mapping[str, bytes] = PAGES) -> Iterator[Shop]:
    """Run a site in threads."""
    site = Shop(pages)
    thread = threading.Thread(target=site.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.gate.set()
        site.shutdown()
        thread.join()
        site.server_close()


def crawl(*words: str, **variables: str) -> tuple[int, str, str]:
    """Run `goodbot crawl`; return its exit status, output and error output."""
    done = program.run("crawl", *words, env=environment(**variables))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def begun(*words: str) -> "subprocess.Popen[bytes]":
    """Start `goodbot crawl`."""
    return subprocess.Popen(  # noqa: S603  our own program
        [*GOODBOT, "crawl", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


ON_A_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, sys.argv[1:])"
)
"""Makes standard input the controlling terminal, so that Ctrl-C works, and runs another program."""


class Screen:
    """A terminal in which the program runs."""

    def __init__(self, *words: str, columns: int = 100, lines: int = 30) -> None:
        """Start `goodbot crawl` in it."""
        import fcntl  # noqa: PLC0415  not available on Windows
        import pty  # noqa: PLC0415  as above
        import struct  # noqa: PLC0415
        import termios  # noqa: PLC0415  as above

        self.control, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-c", ON_A_TERMINAL, *GOODBOT, "crawl", *words],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment(TERM="xterm"),
        )
        os.close(terminal)
        self.text = ""

    def type(self, keys: bytes) -> None:
        """Type keys."""
        os.write(self.control, keys)

    def until(self, words: str) -> None:
        """Read until these words appear."""
        while words not in self.text:
            try:
                read = os.read(self.control, 65536)
            except OSError:  # Linux reports this when the program has ended
                read = b""
            assert read, f"{words!r} is not in {self.text!r}"
            self.text += read.decode("utf-8", "replace")

    def end(self) -> int:
        """Read to the end; return the exit status."""
        while True:
            try:
                read = os.read(self.control, 65536)
            except OSError:
                break
            if not read:
                break
            self.text += read.decode("utf-8", "replace")
        os.close(self.control)
        return self.process.wait(HANGS)
