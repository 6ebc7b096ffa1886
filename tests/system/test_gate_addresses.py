"""The gate behind each server, by TCP and by a Unix socket: whom it recognizes, by which path."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import HANGS
from tests.system.nginx import free_port

POLICY = """
site = "http://site.example"
[[rule]]
paths = ["/members/"]
fetch = false
uses = {{ archive = false }}
[enforce]
access = true
proxies = [{proxies}]
"""
GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"
PROXIED = {"User-Agent": GPTBOT, "X-Forwarded-For": "8.8.8.8"}
"""What a proxy passes on of a request of a verified robot."""
ENDS = ["--workers-kill-timeout", "5"]
"""A worker of granian may hang when it is to end (its issue 875), and is waited for without end."""


def uvicorn(port: int, path: str) -> list[str]:
    """Return the command of uvicorn, which leaves the address of the connection as it is."""
    where = ["--uds", path] if path else ["--port", str(port)]
    return ["uvicorn", "site_asgi:app", "--no-proxy-headers", "--log-level", "error", *where]


def hypercorn(port: int, path: str) -> list[str]:
    """Return the command of hypercorn."""
    return ["hypercorn", "site_asgi:app", "--bind", f"unix:{path}" if path else f"127.0.0.1:{port}"]


def daphne(port: int, path: str) -> list[str]:
    """Return the command of daphne."""
    return ["daphne", "-v", "0", "site_asgi:app", *(["-u", path] if path else ["-p", str(port)])]


def granian_asgi(port: int, path: str) -> list[str]:
    """Return the command of granian for ASGI."""
    where = ["--uds", path] if path else ["--port", str(port)]
    return ["granian", "site_asgi:app", "--interface", "asgi", *ENDS, *where]


def granian_wsgi(port: int, path: str) -> list[str]:
    """Return the command of granian for WSGI."""
    where = ["--uds", path] if path else ["--port", str(port)]
    return ["granian", "site_wsgi:app", "--interface", "wsgi", *ENDS, *where]


def gunicorn(port: int, path: str) -> list[str]:
    """Return the command of gunicorn."""
    where = f"unix:{path}" if path else f"127.0.0.1:{port}"
    return ["gunicorn", "site_wsgi:app", "--bind", where, "--no-control-socket"]


def waitress(port: int, path: str) -> list[str]:
    """Return the command of waitress, which passes X-Forwarded-For on from whom it trusts."""
    where = [f"--unix-socket={path}"] if path else [f"--listen=127.0.0.1:{port}"]
    return ["waitress", *where, "--no-clear-untrusted-proxy-headers", "site_wsgi:app"]


def strict_waitress(port: int, path: str) -> list[str]:
    """Return the command of waitress as it is by default: it removes X-Forwarded-For."""
    return [word for word in waitress(port, path) if not word.startswith("--no-clear")]


Command = Callable[[int, str], list[str]]
SERVERS: tuple[Command, ...] = (
    uvicorn,
    hypercorn,
    daphne,
    granian_asgi,
    granian_wsgi,
    gunicorn,
    waitress,
)


class ToSocket(http.client.HTTPConnection):
    """A connection through a Unix socket."""

    def __init__(self, path: str) -> None:
        """Keep the path."""
        super().__init__("site.example", timeout=HANGS)
        self.path = path

    def connect(self) -> None:
        """Connect."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Site:
    """A running server."""

    def __init__(self, port: int, path: str, errors: Path) -> None:
        """Keep where it is."""
        self.port, self.path, self.errors = port, path, errors

    def ask(self, target: str, **fields: str) -> tuple[int, str]:
        """Return the status and X-Robots-Tag of an answer."""
        connection = (
            ToSocket(self.path)
            if self.path
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        )
        try:
            connection.request("GET", target, headers={"Host": "site.example", **fields})
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("X-Robots-Tag", "")
        finally:
            connection.close()


@contextmanager
def running(server: Command, proxies: str, *, by_socket: bool) -> Iterator[Site]:
    """Run a site until the test ends."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for face, app in (("asgi", "starlette"), ("wsgi", "flask")):
            code = f"from tests.site.gate.middleware import apps\napp = apps.{app}()\n"
            (folder / f"site_{face}.py").write_text(code)
        (folder / "gate.toml").write_text(POLICY.format(proxies=proxies))
        port, path = free_port(), str(folder / "site.sock") if by_socket else ""
        given = {"GATE_POLICY": str(folder / "gate.toml"), "GATE_LOG": str(folder / "access.log")}
        given["PYTHONPATH"] = os.pathsep.join([name, str(ROOT), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", *server(port, path)]
        errors = folder / "errors"
        with errors.open("wb") as stream:
            process = subprocess.Popen(  # noqa: S603  an installed server
                command, cwd=name, env=os.environ | given, stdout=stream, stderr=stream
            )
            site = Site(port, path, errors)
            try:
                wait_for(site, process)
                yield site
            finally:
                process.terminate()
                process.wait(HANGS)


def wait_for(site: Site, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers."""
    for _ in range(1_500):
        assert process.poll() is None, site.errors.read_text()
        try:
            site.ask("/robots.txt")
        except OSError:
            time.sleep(0.02)
        else:
            return
    message = "the server does not answer"
    raise AssertionError(message)


@pytest.mark.parametrize("by_socket", [False, True], ids=["tcp", "socket"])
@pytest.mark.parametrize("server", SERVERS)
def test_a_declared_proxy_names_the_robot(server: Command, *, by_socket: bool) -> None:
    """Enforcement works behind it, for every spelling of a page, and fields are those of it."""
    with running(server, '"127.0.0.1", "unix"', by_socket=by_socket) as site:
        assert site.ask("/a", **PROXIED)[0] == 200
        for target in ("/members/x", "//members/x", "/members%2fx", "/%6dembers/x"):
            assert site.ask(target, **PROXIED)[0] == 403, target
            assert "noarchive" in site.ask(target)[1], target
        assert "noarchive" not in site.ask("/a")[1]


@pytest.mark.parametrize("by_socket", [False, True], ids=["tcp", "socket"])
@pytest.mark.parametrize("server", [*SERVERS, strict_waitress])
def test_a_gate_that_recognizes_nobody_says_so(server: Command, *, by_socket: bool) -> None:
    """Once, on standard error, with what to do."""
    proxies = '"127.0.0.1", "unix"' if server is strict_waitress else ""
    with running(server, proxies, by_socket=by_socket) as site:
        for _ in range(3):
            assert site.ask("/members/x", **PROXIED)[0] == 200
        told = site.errors.read_text()
    assert told.count("the gate enforces nothing") == 1
    if server is strict_waitress:
        assert "waitress removes it unless trusted_proxy_headers names it" in told
    else:
        assert f'add "{"unix" if by_socket else "127.0.0.1"}" to proxies' in told
