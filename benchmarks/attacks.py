"""Sites that send little and cost much: each attack, and the server on loopback that runs it.

A site answers from a table; all responses are compressed beforehand, and their bytes counted.
"""

import asyncio
import gzip
import importlib
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

KIB, MIB = 1024, 1024 * 1024
HTML, XHTML = "text/html; charset=utf-8", "application/xhtml+xml"
TEXT, XML = "text/plain; charset=utf-8", "application/xml"
NO_RULES = b"User-agent: *\nDisallow: /none\n"
DELAYED = 16
"""The number of origins that send the largest document to as many workers at once."""


@dataclass(frozen=True)
class Answer:
    """The response for a path."""

    kind: str
    body: bytes
    coding: str = "gzip"

    @property
    def message(self) -> bytes:
        """The whole response, in one piece."""
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: {self.kind}\r\nContent-Encoding: {self.coding}\r\n"
            f"Content-Length: {len(self.body)}\r\n\r\n"
        ).encode() + self.body


Pages = Mapping[str, Answer]
Build = Callable[[float, list[str]], Pages]
"""Makes the pages of a site from the scale (1 for the attack itself) and all its origins."""


@dataclass(frozen=True)
class Attack:
    """One attack."""

    name: str
    meaning: str
    build: Build
    origins: int = 1
    spider: str = "links"
    """The spider of Scrapy for it: `links`, `sitemap`, or empty if Scrapy has none."""
    pages: int = 20
    """The maximum number of pages fetched from each origin, so that the rest stays queued."""
    is_crawl: bool = True


def packed(kind: str, content: bytes) -> Answer:
    """Return a response with some content, compressed as well as possible."""
    return Answer(kind, gzip.compress(content, 9, mtime=0))


def site(home: Answer, robots_txt: bytes = NO_RULES, **more: Answer) -> Pages:
    """Return the pages of a site."""
    named = {f"/{name}": answer for name, answer in more.items()}
    return {"/robots.txt": packed(TEXT, robots_txt), "/": home, **named}


def links(count: int, head: str = "", path: str = "", distinct: int = 10**9) -> bytes:
    """Return a page of links, with a number of distinct ones."""
    anchors = "".join(f"<a href={path}{number % distinct}>a</a>" for number in range(count))
    return f"<!DOCTYPE html><html><head>{head}<title>t</title></head><body>{anchors}".encode()


def based(length: int, count: int, host: str = "", distinct: int = 10**9) -> Build:
    """Make a page whose links all have a long base, on this site unless a host is named."""

    def build(scale: float, origins: list[str]) -> Pages:
        base = (host or origins[0]) + "/" + "a" * length + "/"
        head = f'<base href="{base}">'
        return site(packed(HTML, links(int(count * scale), head, distinct=distinct)))

    return build


def ruled(scale: float, _: list[str]) -> Pages:
    """Make a rule of 480 KB that disallows 2,000 links, each of which would quote it."""
    rule = b"User-agent: *\nDisallow: /x" + b"*" * int(480_000 * scale) + b"\n"
    return site(packed(HTML, links(max(int(2_000 * scale), 2), path="/x")), rule)


def indexed(scale: float, origins: list[str]) -> Pages:
    """Make an index of 50,000 sitemaps."""
    places = "".join(
        f"<sitemap><loc>{origins[0]}/s/{number}.xml</loc></sitemap>"
        for number in range(int(50_000 * scale))
    )
    text = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}'
    index = packed(XML, f"{text}</sitemapindex>".encode())
    rules = NO_RULES + f"Sitemap: {origins[0]}/index.xml\n".encode()
    return {**site(packed(HTML, links(1)), rules), "/index.xml": index}


def listed(scale: float, origins: list[str]) -> Pages:
    """Make a sitemap of nearly 50 MiB."""
    size = int(49 * MIB * scale)
    entry = f"<url><loc>{origins[0]}/p?{'a' * 900}{{}}</loc></url>"
    places = "".join(entry.format(number) for number in range(size // 950))
    text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    rules = NO_RULES + f"Sitemap: {origins[0]}/map.xml\n".encode()
    return {**site(packed(HTML, links(1)), rules), "/map.xml": packed(XML, text.encode())}


def crowded(scale: float, origins: list[str]) -> Pages:
    """Make a robots.txt of 1 MiB for each of many origins."""
    rules = b"".join(b"Disallow: /private/%06d/\n" % n for n in range(int(MIB * scale) // 25))
    anchors = "".join(f'<a href="{origin}/">a</a>' for origin in origins)
    page = f"<!DOCTYPE html><title>t</title>{anchors}".encode()
    return site(packed(HTML, page), b"User-agent: *\n" + rules)


def xhtml(scale: float, _: list[str]) -> Pages:
    """Make an XHTML page of nearly 16 MiB that consists of small elements."""
    element = b'<p class="a"><b>a</b></p>'
    body = element * int(15.9 * MIB * scale / len(element))
    start = b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>'
    return site(packed(XHTML, start + body + b"</body></html>"))


def bombing(coding: str) -> Build:
    """Make a page that decompresses to 1 GiB."""

    def build(scale: float, _: list[str]) -> Pages:
        return site(Answer(HTML, bomb(coding, int(1024 * MIB * scale)), coding))

    return build


def bomb(coding: str, size: int) -> bytes:
    """Return zeros, compressed piece by piece."""
    coder: Any
    if coding == "gzip":
        coder = zlib.compressobj(9, wbits=31)
        compress, finish = coder.compress, coder.flush
    elif coding == "br":
        coder = importlib.import_module("brotli").Compressor(quality=5)
        compress, finish = coder.process, coder.finish
    else:
        coder = zstd_module().ZstdCompressor()
        compress, finish = coder.compress, coder.flush
    piece = bytes(MIB)
    pieces = [compress(piece) for _ in range(max(size // MIB, 1))]
    return b"".join([*pieces, finish()])


def zstd_module() -> Any:  # noqa: ANN401  of Python 3.14, or its backport
    """Return the module for Zstandard that goodbot uses."""
    return importlib.import_module("goodbot.net.decoding").ZSTD


def considered(scale: float, _: list[str]) -> Pages:
    """Make a robots.txt of 500 KiB; nothing is fetched, and one URL is checked."""
    line = b"Disallow:/*a\n"
    rules = line * (int(500 * KIB * scale) // len(line))
    return {"/robots.txt": Answer(TEXT, b"User-agent: *\n" + rules, "identity")}


ATTACKS = (
    Attack("plain page", "a small page, for scale", lambda *_: site(packed(HTML, links(1)))),
    Attack("base", "90,000 links on a base of 100 KB", based(100_000, 90_000, distinct=10)),
    Attack("long rule", "one rule of 480 KB, and 2,000 links that it forbids", ruled),
    Attack(
        "links elsewhere",
        "60,000 links on a base of 5 KB at another site, which are not queued",
        based(5_000, 60_000, "http://other.example"),
    ),
    Attack("sitemap index", "an index of 50,000 sitemaps", indexed, spider="sitemap"),
    Attack("many origins", "1,499 origins, each with a robots.txt of 1 MiB", crowded, 1_499),
    Attack("XHTML", "a page of XHTML of 16 MiB", xhtml),
    Attack("sitemap", "a sitemap of 50 MiB", listed, spider="sitemap"),
    Attack("gzip bomb", "a page that unpacks to 1 GiB", bombing("gzip")),
    Attack("br bomb", "the same in br", bombing("br")),
    Attack("zstd bomb", "the same in zstd", bombing("zstd")),
    Attack(
        "considered",
        "`Verdict.considered` for one URL and a robots.txt of 500 KiB; nothing is fetched",
        considered,
        spider="",
        is_crawl=False,
    ),
    Attack("workers", f"the page of XHTML from {DELAYED} origins at once", xhtml, DELAYED),
)


@dataclass
class Served:
    """A site that is being served, and what it has sent."""

    origins: list[str]
    sent: int = 0
    requests: int = 0
    pages: dict[str, bytes] = field(default_factory=dict)


NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def served(attack: Attack, scale: float) -> Iterator[Served]:
    """Serve the site of an attack in a thread, with one port for each origin, on 127.0.0.1 only."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    state = Served([])

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                message = state.pages.get(line.split()[1].decode("latin-1"), NOT_FOUND)
                state.sent += len(message)
                state.requests += 1
                writer.write(message)
                await writer.drain()
        except (OSError, ValueError, IndexError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def opened() -> list[asyncio.Server]:
        count = max(round(attack.origins * scale), min(attack.origins, 2))
        return [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(count)]

    servers = asyncio.run_coroutine_threadsafe(opened(), loop).result()
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    state.origins += [f"http://127.0.0.1:{port}" for port in ports]
    built = attack.build(scale, state.origins)
    state.pages.update({path: page.message for path, page in built.items()})
    try:
        yield state
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for server in servers:
            server.close()
        loop.close()
