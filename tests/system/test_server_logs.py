"""Logs that servers wrote: what was sent to them is what is read of them."""

import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import pytest

from goodbot.site.logs import open_logs
from tests.support.waiting import HANGS, wait_until
from tests.system.log_servers import (
    APACHE_FORMATS,
    NGINX_FORMATS,
    PYTHON_SERVERS,
    logging_server,
)

AGENTS = (
    b"GPTBot/1.3",
    b'GPTBot/1.3 (a "quoted" \\ word)',
    "GPTBot/1.3 (caf\u00e9, \U0001f577)".encode(),
    b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    b"GPTBot/1.3 [x] %20 +",
    b'GPTBot/1.3 " 200 5 "-',
    b'GPTBot/1.3 \\" y',
    b"GPTBot/1.3 {a|b} #22 \\",
)
TARGETS = (
    b"/",
    b"/robots.txt",
    b"/a?b=c&d",
    b"/caf%C3%A9/%2e?x=%22",
    "/caf\u00e9?\u00e9".encode(),
    b"/a??b",
    b"/a?",
    b"/a'b;c,d+e~f%20g",
)
MAPPING = (
    '{"t": "time", "a": "address", "h": "host", "s": "scheme", "m": "method", "u": "target", '
    '"st": "status", "b": "bytes", "ua": "user-agent"}'
)
FORMATS: dict[str, dict[str, str | None]] = {
    "nginx": {"combined": None}
    | {name: text.format(name=name) for name, text in NGINX_FORMATS.items()}
    | {"json": MAPPING, "own-names": None},
    "apache": {"combined": None, "vhost_combined": None, **APACHE_FORMATS},
    "caddy": {"caddy": None, "console": None},
    "haproxy": {"haproxy": None},
    **{name: {name: None} for name in PYTHON_SERVERS},
}
ASCII_ONLY = {"haproxy", *PYTHON_SERVERS}
"""Servers that refuse a target with other bytes, and do not log it as a request."""
LATIN_1 = {"hypercorn", "gunicorn"}
"""Servers that decode header fields as ISO 8859-1, and write them as UTF-8."""
DECODED = {("apache", "parts"), ("apache", "target")}
"""Formats in which the server writes a decoded path (Apache, `mod_log_config`, `%U`)."""


def send(port: int, target: bytes, agent: bytes) -> int:
    """Send a request as it is; return the status of the answer."""
    lines = (
        b"GET " + target + b" HTTP/1.1",
        b"Host: site.example:%d" % port,
        b"User-Agent: " + agent,
        b"Connection: close",
    )
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection:
        connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
        answer = b""
        while block := connection.recv(65536):
            answer += block
    return int(answer.split(b" ", 2)[1])


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that a server may write to as whatever user it runs."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def rows_of(log: Path, written: str | None, port: int) -> list[dict[str, Any]]:
    """Return the requests of robots in a log; every line can be read."""
    site = f"http://site.example:{port}"
    reader = open_logs([log], written, sites=[site])
    rows: list[dict[str, Any]] = []
    for batch in reader.requests():
        columns = batch.to_pydict()
        values = zip(*columns.values(), strict=True)
        rows += [dict(zip(columns, row, strict=True)) for row in values]
    assert not any(reader.counts().refused.values()), reader.counts().shown
    return rows


@pytest.mark.parametrize("server", FORMATS)
def test_what_is_sent_to_a_server_is_read_of_its_logs(server: str, folder: Path) -> None:
    """Target, User-Agent, status and time of each request, in each format."""
    targets = [one for one in TARGETS if one.isascii() or server not in ASCII_ONLY]
    sent = [(target, agent) for target in targets for agent in AGENTS]
    with logging_server(server, folder) as port:
        statuses = [send(port, target, agent) for target, agent in sent]
        # HAProxy logs a request after it has closed the connection, and not once it is to stop.
        logs = [folder / f"{name}.log" for name in FORMATS[server]]
        wait_until(lambda: all(log.read_bytes().count(b"\n") >= len(sent) for log in logs))
    assert statuses.count(200) > len(sent) // 2
    for name, written in FORMATS[server].items():
        rows = rows_of(folder / f"{name}.log", written, port)
        assert [row["status"] for row in rows] == statuses, name
        for row, (target, agent) in zip(rows, sent, strict=True):
            shown = agent.decode("latin-1" if server in LATIN_1 else "utf-8")
            assert (row["user_agent"], row["robot"] is None) == (shown, False), name
            assert (row["address"], row["method"]) == ("127.0.0.1", "GET"), name
            assert row["scheme"] == "http", name
            if (server, name) in DECODED:
                wanted, found = (one.partition("?")[2] for one in (target.decode(), row["target"]))
                assert found == wanted, name
            elif server == "hypercorn":
                # It writes what an application gets as its path.
                assert row["target"] == unquote(target.decode().partition("?")[0]), name
            elif server == "aiohttp":
                # It omits the mark of an empty query.
                assert row["target"] == target.decode().removesuffix("?"), name
            else:
                assert row["target"] == target.decode(), name
            assert abs((row["time"] - rows[0]["time"]).total_seconds()) < 60, name
