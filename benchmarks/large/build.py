"""Measure `goodbot tables build` from WARC files against what reading them costs anyway.

Scope: a generated set in the layout of Common Crawl's robotstxt files, decompression alone, the
records by fastwarc, and the whole build; with the memory that it takes for one part of the set and
for the whole of it. Beside it stands `goodbot archive import` of the same files, and of pages whose
robots.txt is not in the files, so that no text is indexed.

    python benchmarks/large/build.py [RECORDS]
"""

import gzip
import random
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

RECORDS = 60_000
FILES = 6
PIECE = 64 * 1024
GZIP = 31


def robots_txt(random_: random.Random) -> bytes:
    """Return a file as sites have them: most are short."""
    count = random_.choice([0, 1, 3, 10, 30, 80])
    lines = (f"Disallow: /{random_.getrandbits(24):x}/\n" for _ in range(count))
    return ("User-agent: *\n" + "".join(lines)).encode()


def record(number: int, random_: random.Random, path: str) -> bytes:
    """Return a record: 70 % have a file, 20 % are 404s, 10 % redirect to www."""
    kind, site = random_.random(), f"site{number}.example"
    status, field, body = 200, "", robots_txt(random_)
    if kind > 0.9:  # noqa: PLR2004
        status, field, body = 301, f"Location: https://site{number - 1}.example/robots.txt\r\n", b""
    elif kind > 0.7:  # noqa: PLR2004
        status, body = 404, b"<html>not found</html>" * 20
    minute, second = divmod(number % 3_600, 60)
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\nServer: nginx\r\n{field}"
        f"Date: Mon, 02 Jun 2025 10:{minute:02}:{second:02} GMT\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    warc = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2025-06-02T10:{minute:02}:{second:02}Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{random_.getrandbits(128):032x}>\r\n"
        f"WARC-Target-URI: https://{site}{path}\r\nWARC-IP-Address: 192.0.2.1\r\n"
        f"Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(head) + len(body)}\r\n\r\n"
    ).encode()
    return gzip.compress(warc + head + body + b"\r\n\r\n", 6, mtime=0)


def generate(folder: Path, records: int, path_of_url: str = "/robots.txt") -> list[Path]:
    """Write the set; its records are of this path of each site."""
    random_ = random.Random(1)  # noqa: S311  no secret
    paths = [folder / "robotstxt" / f"part-{number}.warc.gz" for number in range(FILES)]
    paths[0].parent.mkdir(parents=True)
    for place, path in enumerate(paths):
        with path.open("wb") as file:
            for number in range(place * records // FILES, (place + 1) * records // FILES):
                file.write(record(number, random_, path_of_url))
    return paths


def decompress(paths: list[Path]) -> None:
    """Decompress member by member, as a reader must."""
    for path in paths:
        data = path.read_bytes()
        at = 0
        while at < len(data):
            member = zlib.decompressobj(GZIP)
            while not member.eof and at < len(data):
                piece = data[at : at + PIECE]
                member.decompress(piece)
                at += len(piece) - len(member.unused_data)


def by_fastwarc(paths: list[Path]) -> None:
    """Read the records and their HTTP headers by fastwarc."""
    from fastwarc.warc import ArchiveIterator  # noqa: PLC0415  a peer

    for path in paths:
        with path.open("rb") as file:
            for one in ArchiveIterator(file, parse_http=True):
                one.reader.read()


def build(paths: list[Path]) -> None:
    """Build the table in this process."""
    from goodbot.tables.building import build_policies  # noqa: PLC0415  what is measured

    build_policies(paths, paths[0].parent.parent / "policies.parquet", workers=1)


def import_all(paths: list[Path]) -> None:
    """Import the files into a new folder."""
    from goodbot.crawl import import_warcs  # noqa: PLC0415  what is measured

    with tempfile.TemporaryDirectory() as folder:
        import_warcs(folder, paths, "ExampleBot", now=datetime.now(timezone.utc))


def cost(work: Callable[[list[Path]], None], paths: list[Path]) -> float:
    """Return the CPU seconds of the best of two runs."""
    found = []
    for _ in range(2):
        start = time.process_time()
        work(paths)
        found.append(time.process_time() - start)
    return min(found)


def peak(paths: list[Path]) -> int:
    """Return the peak memory in MiB of a build in a process of its own."""
    code = (
        "import re, sys; from pathlib import Path; from goodbot.tables.building import "
        "build_policies as build\n"
        "build(sys.argv[2:], sys.argv[1], workers=1)\n"
        "told = Path('/proc/self/status').read_text()\n"
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', told)[1]) // 1024)"
    )
    out = paths[0].parent.parent / "memory.parquet"
    done = subprocess.run(  # noqa: S603  our own program
        [sys.executable, "-c", code, out, *paths], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def main(records: int) -> None:
    """Print the rates, and the memory of a sixth and of the whole."""
    with tempfile.TemporaryDirectory() as name:
        paths = generate(Path(name), records)
        size = sum(path.stat().st_size for path in paths) / 1e6
        print(f"{records:,} records, {size:.0f} MB")
        # First: a process begins with the peak of the one that started it.
        part, whole = peak(paths[:1]), peak(paths)
        print(f"memory: {part} MiB for a sixth, {whole} MiB for the whole")
        rates(
            records,
            paths,
            {"records by fastwarc": by_fastwarc, "tables build": build, "import": import_all},
        )
        pages = generate(Path(name) / "pages", records, "/about")
        print(f"{records:,} pages whose robots.txt is not in the files")
        rates(records, pages, {"import": import_all})


def rates(records: int, paths: list[Path], works: dict[str, Callable[[list[Path]], None]]) -> None:
    """Print the rate of each work, and the share of decompression alone in its time."""
    base = cost(decompress, paths)
    for title, work in {"decompression by zlib": decompress, **works}.items():
        spent = cost(work, paths)
        print(f"{title:24} {records / spent:10,.0f} records/s  {base / spent:6.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS)
