"""The site on which crawls are timed: small pages with links to each other, always the same.

It is on one origin or on several, page by page in turns. Its server answers from a table, so that
it is faster than any client, and reports at the end what was requested.

python benchmarks/crawl_site.py PAGES PORTS [CPU]     serve until standard input ends
"""

import asyncio
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

PROGRAM = str(Path(__file__).resolve())
PAGES = 2_000
LINKS = 11
"""The number of links on a page besides the one to the next page, which reaches every page."""
WORDS = 130
VOCABULARY = [
    f"{first}{second}{number}"
    for number in range(30)
    for first, second in (
        ("la", "mp"),
        ("cha", "ir"),
        ("ta", "ble"),
        ("cl", "ock"),
        ("mir", "ror"),
        ("va", "se"),
        ("sto", "ve"),
        ("bas", "ket"),
        ("sad", "dle"),
        ("lan", "tern"),
        ("dr", "um"),
        ("co", "in"),
    )
]
WORD = VOCABULARY[100]
"""The word that is searched for afterwards."""
CLOSED = 10
"""The number of pages that robots.txt disallows, each with links from many others."""
RULES = b"User-agent: *\nDisallow: /private/\n"
HEAD = (
    b"HTTP/1.1 %b\r\nContent-Type: %b\r\nServer: example\r\n"
    b"Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: %d\r\n\r\n"
)


def words(number: int) -> list[str]:
    """Return the words of a page."""
    return random.Random(number).choices(VOCABULARY, k=WORDS)  # noqa: S311  the same each time


def url_of(number: int, origins: Sequence[str]) -> str:
    """Return the URL of a page."""
    return f"{origins[number % len(origins)]}/p/{number}"


def page(number: int, pages: int, origins: Sequence[str]) -> bytes:
    """Make a page; links to its own origin are relative."""
    own = origins[number % len(origins)]
    targets = [(number + 1) % pages, *((number * 7 + k * 131) % pages for k in range(LINKS))]
    links = "".join(
        f'<li><a href="{url_of(one, origins).removeprefix(own)}">Lot {one}</a>' for one in targets
    )
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Lot {number}</title>"
        f'<meta name=robots content="all"></head><body><h1>Lot {number}</h1>'
        f"<p>{' '.join(words(number))}.</p><ul>{links}</ul>"
        f'<p><a href="/private/{number % CLOSED}">Accounts</a></body></html>'
    ).encode()


def pages_with(word: str, pages: int) -> set[int]:
    """Return the numbers of the pages that contain a word."""
    return {number for number in range(pages) if word in words(number)}


# The server.


def answers(pages: int, origins: Sequence[str], place: int) -> dict[bytes, bytes]:
    """Return the responses of one origin, by path."""
    table = {b"/robots.txt": answer(b"200 OK", b"text/plain", RULES)}
    for number in range(place, pages, len(origins)):
        content = page(number, pages, origins)
        table[b"/p/%d" % number] = answer(b"200 OK", b"text/html; charset=utf-8", content)
    return table


def answer(status: bytes, content_type: bytes, content: bytes) -> bytes:
    """Make a whole response."""
    return HEAD % (status, content_type, len(content)) + content


ABSENT = answer(b"404 Not Found", b"text/plain", b"no such page")


class Answering(asyncio.Protocol):
    """Answers every request of one connection at once, and counts it."""

    def __init__(self, table: dict[bytes, bytes], asked: Counter[bytes]) -> None:
        """Store the responses."""
        self._table, self._asked = table, asked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = transport
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Answer every complete request."""
        self._rest += data
        while b"\r\n\r\n" in self._rest:
            head, _, self._rest = self._rest.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            self._asked[path] += 1
            self._transport.write(self._table.get(path, ABSENT))  # type: ignore[attr-defined]


async def serve(pages: int, ports: int) -> None:
    """Serve on a number of ports of 127.0.0.1, and print them; finally report the requests."""
    loop = asyncio.get_running_loop()
    asked: Counter[bytes] = Counter()
    tables: list[dict[bytes, bytes]] = [{} for _ in range(ports)]
    servers = [
        await loop.create_server(partial(Answering, table, asked), "127.0.0.1", 0)
        for table in tables
    ]
    origins = [f"http://127.0.0.1:{one.sockets[0].getsockname()[1]}" for one in servers]
    for place, table in enumerate(tables):
        table.update(answers(pages, origins, place))
    print(json.dumps(origins), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps({path.decode("latin-1"): count for path, count in asked.items()}))


@dataclass
class Served:
    """A site while it is served, and afterwards how often each path was requested."""

    origins: list[str]
    asked: dict[str, int] = field(default_factory=dict)

    @property
    def forbidden(self) -> int:
        """The number of requests that robots.txt disallows."""
        return sum(count for path, count in self.asked.items() if path.startswith("/private/"))

    def amiss(self, pages: int) -> list[str]:
        """Return the pages that were not requested exactly once, as sentences."""
        counts = {number: self.asked.get(f"/p/{number}", 0) for number in range(pages)}
        return [f"page {one} was fetched {n} times" for one, n in counts.items() if n != 1]


@contextmanager
def served(pages: int, ports: int, cpu: int | None) -> Iterator[Served]:
    """Serve the site in a process of its own."""
    command = [sys.executable, PROGRAM, str(pages), str(ports)]
    command += [] if cpu is None else [str(cpu)]
    with subprocess.Popen(  # noqa: S603  this very file
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        site = Served(json.loads(process.stdout.readline()))
        yield site
        process.stdin.close()
        site.asked = json.loads(process.stdout.readline())


def main(arguments: Sequence[str]) -> None:
    """Serve."""
    pages, ports, *cpu = map(int, arguments)
    if cpu:
        os.sched_setaffinity(0, cpu)
    asyncio.run(serve(pages, ports))


if __name__ == "__main__":
    main(sys.argv[1:])
