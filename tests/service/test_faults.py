"""A real service under faults: clients that leave, slow sites, and a process that is killed."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

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
