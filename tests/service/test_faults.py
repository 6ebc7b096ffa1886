"""A real service under faults: clients that leave, slow sites, and a process that is killed."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from goodbot.cli.verbs.serve import LARGEST_HEADER
from goodbot.testing.steps import always
from tests.cli.test_serve import send
from tests.support.houses import need
from tests.support.live_sites import assert_whole, open_site
from tests.support.program import GOODBOT, environment
from tests.support.service_process import running_service
from tests.support.waiting import HANGS, wait_until

RULES = always(200, b"User-agent: *\nCrawl-delay: 1\n", "Content-Type: text/plain")
MANY = 200


def leave_at_once(base: str, content: object) -> None:
    """Send a request for a turn, and close the connection without waiting for the answer."""
    body = json.dumps(content).encode()
    host, _, port = base.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), HANGS) as connection:
        head = (
            f"POST /v1/turns HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        )
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def turns_out(base: str) -> int:
    """Return how many turns are out, by the metrics, and check that nobody waits any more."""
    import urllib.request  # noqa: PLC0415  as `send`, but for text

    with urllib.request.urlopen(f"{base}/metrics", timeout=HANGS) as answer:  # noqa: S310  of http
        text = answer.read().decode()
    found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    working = int(found["goodbot_requests_working"])
    return int(found["goodbot_turns_out"]) if working == 1 else working


@pytest.mark.stress
def test_clients_that_leave_keep_no_turn(tmp_path: Path) -> None:
    """The queue is empty once they are gone, and the next worker has its turn."""
    with (
        open_site(RULES) as site,
        running_service("--allow-private", "--store", tmp_path / "robots.db") as base,
    ):
        question = {"url": f"{site.origin}/a", "wait": 60}
        begun = send(f"{base}/v1/turns", question)[1]
        assert begun["turn"] == "granted"
        for _ in range(MANY):
            leave_at_once(base, question)
        wait_until(lambda: turns_out(base) == 1, "the end of all requests whose clients left")
        send(f"{base}/v1/turns/{begun['id']}", {"status": 200})
        after = send(f"{base}/v1/turns", question)[1]
        assert after["turn"] == "granted"
        send(f"{base}/v1/turns/{after['id']}", {"status": 200})
    assert_whole(tmp_path / "robots.db")


HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
SLOW = 300


def connected(base: str, data: bytes) -> socket.socket:
    """Connect and send some bytes; the service may end the connection meanwhile."""
    host, _, port = base.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), HANGS)
    with suppress(ConnectionError):
        connection.sendall(data)
    return connection


def first_line(base: str, data: bytes) -> bytes:
    """Send some bytes, and return the status line of what comes."""
    with connected(base, data) as connection, suppress(ConnectionError):
        return connection.recv(200).partition(b"\r\n")[0]
    return b""


@pytest.mark.stress
def test_floods_of_headers_are_bounded() -> None:
    """Huge ones and many fields are refused, slow ones are cut off, and others are served."""
    with running_service() as base:
        for size, expected in ((40_000, b"200"), (60_000, b"431"), (3_000_000, b"431")):
            line = first_line(base, HEAD + b"X: " + b"a" * size + b"\r\n\r\n")
            assert expected in line or (size > LARGEST_HEADER and not line)
        many = b"".join(b"X%d: a\r\n" % number for number in range(5_000))
        assert b"431" in first_line(base, HEAD + many + b"\r\n")
        slow = [connected(base, HEAD + b"X: " + b"a" * 30_000) for _ in range(SLOW)]
        try:
            assert send(f"{base}/health")[0] == 200
            assert [one.recv(1) for one in slow] == [b""] * SLOW
        finally:
            for one in slow:
                one.close()
        assert send(f"{base}/health")[0] == 200


def test_a_service_that_is_killed_leaves_its_turn_to_expire(tmp_path: Path) -> None:
    """The next one grants nothing early: the lost turn counts until its lease is over."""
    need("granian", "aiohttp")
    store = tmp_path / "robots.db"
    with open_site(RULES) as site:
        words = [*GOODBOT, "serve", "--port", "0", "--allow-private", "--store", str(store)]
        process = subprocess.Popen(  # noqa: S603  our own program
            words, stdout=subprocess.PIPE, env=environment(), text=True, start_new_session=True
        )
        assert process.stdout is not None
        base = process.stdout.readline().split()[-1]
        begun: Any = send(f"{base}/v1/turns", {"url": f"{site.origin}/a", "wait": 60})[1]
        assert begun["turn"] == "granted"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(HANGS)
        process.stdout.close()
        with running_service("--allow-private", "--store", store) as other:
            later = send(f"{other}/v1/turns", {"url": f"{site.origin}/a"})[1]
            assert (later["turn"], later["reason"]) == ("later", "leased")
            unknown = send(f"{other}/v1/turns/{begun['id']}", {"status": 200})
            assert unknown[0] == 404
        with closing(sqlite3.connect(store)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
