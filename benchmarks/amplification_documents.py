"""What small documents of others can cost their readers: memory, and work that is counted.

python benchmarks/amplification_documents.py            print the results
python benchmarks/amplification_documents.py NUMBER     read one document; print what it took

Each is read at full size in a process of its own, of which the memory is measured, and at a quarter
and at half of that, of which the work is counted: lines of Python, and steps of the core.
"""

import gc
import gzip
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

import process_memory
from drawing import Target, at_most, table
from goodbot import RobotsTxt, _core
from goodbot.cli.program import run
from goodbot.errors import WrongValueError
from goodbot.files.toml_input import parse_toml
from goodbot.site.audit.identity.signed_request import signature_input
from goodbot.site.reasoning import compare_files
from goodbot.tables.building.warc_runs import read_warc
from goodbot.warc.wacz_digests import NotAWaczError, files_listed_in

PROGRAM = str(Path(__file__).resolve())
MIB = 1 << 20
MOST_MEMORY = 96
"""MiB that a document may cost: most of what one may have and be read."""
MOST_GROWTH = 2.4
"""How many times as much work twice the document may be."""
REDIRECTS = 5
FEWEST = 5_000
"""Fewer lines and steps than these do not depend on the size."""


@dataclass(frozen=True)
class Document:
    """A kind of document."""

    name: str
    made: Callable[[int], bytes]
    """Makes one of a size."""
    size: int
    read: Callable[[bytes, Path], object]
    """Reads it; the folder is for what is written."""


@dataclass(frozen=True)
class Row:
    """What one took."""

    name: str
    wire: int
    """Its bytes, as they are sent."""
    memory: int
    """By how many bytes memory grew."""
    work: int
    """Lines and steps for half of it."""
    growth: float
    """How many times those for a quarter of it."""


def dotted(size: int) -> bytes:
    """Return TOML with one key of many names."""
    return b"a." * (size // 2) + b"a = 1\n"


def tables(size: int) -> bytes:
    """Return TOML with as many names in its keys as they may have."""
    key = ".".join(["a"] * 31)
    return "".join(f"{key}.b{n} = 1\n" for n in range(size // 70)).encode()


def read_toml(content: bytes, _folder: Path) -> None:
    """Read a file of expectations, of a policy, or of a crawl."""
    with suppress(WrongValueError):
        parse_toml(content, "goodbot.toml")


def wacz(content: bytes) -> bytes:
    """Return a WACZ whose `datapackage.json` has some content."""
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
            package.writestr("datapackage.json", content)
        return file.getvalue()


def read_wacz(content: bytes, _folder: Path) -> None:
    """Read what a WACZ lists."""
    with (
        zipfile.ZipFile(io.BytesIO(content)) as package,
        suppress(NotAWaczError, ValueError, RecursionError),
    ):
        files_listed_in(package)


def warc(size: int) -> bytes:
    """Return records whose heads unpack to a size."""
    head = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\n"
    one = head + b"X: " + b"x" * (size // 4) + b"\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    return gzip.compress(one, 9, mtime=0) * 4


def read_records(content: bytes, folder: Path) -> None:
    """Read the answers of a WARC file."""
    path = folder / "a.warc.gz"
    path.write_bytes(content)
    read_warc(str(path), str(folder), "a", REDIRECTS, lambda _: None)


def robots(size: int) -> bytes:
    """Return a robots.txt of one group with as many agents as rules."""
    many = size // 36
    agents = "".join(f"User-agent: bot-{n}\n" for n in range(many))
    return (agents + "".join(f"Disallow: /{n}\n" for n in range(many))).encode()


def compare(content: bytes, _folder: Path) -> None:
    """Compare it with one of which every rule differs."""
    after = content.replace(b"Disallow: /", b"Disallow: /a")
    compare_files(RobotsTxt(content), RobotsTxt(after))


def log(size: int) -> bytes:
    """Return a log in which each request has another name."""
    made = (
        f'192.0.2.1 - - [10/Mar/2026:09:00:00 +0000] "GET /{n} HTTP/1.1" 200 9 "-" "b{n}ot/1.0"\n'
        for n in range(size // 88)
    )
    return "".join(made).encode()


def audit(content: bytes, folder: Path) -> None:
    """Audit it, also the robots that are not known."""
    path, robots_txt = folder / "access.log", folder / "robots.txt"
    path.write_bytes(content)
    robots_txt.write_bytes(b"User-agent: *\nDisallow: /1\n")
    words = [
        "audit",
        str(path),
        "--policy",
        f"{robots_txt}@2026-01-01",
        "--site",
        "https://a.example",
    ]
    with (folder / "printed").open("w") as printed, redirect_stdout(printed):
        run([*words, "--unknown", "--json"])


def signature(size: int) -> bytes:
    """Return a field Signature-Input that no signature ends."""
    return b"sig1=(" + b'"@authority" ' * (size // 13) + b";" * 9


DOCUMENTS = (
    Document("TOML: one key of 12,000 names", dotted, 24_000, read_toml),
    Document("TOML: 14,000 keys of 32 names", tables, 1_000_000, read_toml),
    Document(
        "datapackage.json: brackets", lambda size: wacz(b"[" * size), 16 * MIB, read_wacz
    ),
    Document(
        "datapackage.json: numbers",
        lambda size: wacz(b'{"resources":[' + b"0," * (size // 2) + b"0]}"), 16 * MIB, read_wacz,
    ),
    Document("WARC: heads of 64 MiB", warc, 256 * MIB, read_records),
    Document("diff: 14,000 agents, as many rules", robots, 500_000, compare),
    Document("audit --unknown: 17,000 names", log, 1_500_000, audit),
    Document(
        "Signature-Input: 64 KB", signature, 64_000,
        lambda content, _: signature_input(content.decode()),
    ),
)  # fmt: skip


def work_of(document: Document, size: int, folder: Path) -> int:
    """Return how many lines of Python and steps of the core it takes to read a document."""
    content, lines = document.made(size), 0

    def trace(_frame: object, event: str, _argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return trace

    steps: Callable[[], int] = _core._steps  # type: ignore[attr-defined]  # noqa: SLF001  of development builds
    before = steps()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        document.read(content, folder)
    finally:
        sys.settrace(None)
    return int(steps() - before) + lines


def take(number: int) -> list[int]:
    """Read one document in this process; return its bytes, and what it took."""
    document = DOCUMENTS[number]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        document.read(document.made(document.size // 64), folder)  # loads what it needs
        quarter, half = (work_of(document, document.size // part, folder) for part in (4, 2))
        content = document.made(document.size)
        gc.collect()
        kept = process_memory.status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        document.read(content, folder)
        memory = max(0, process_memory.status("VmHWM") - kept)
    return [len(content), memory, half, quarter]


def measure() -> list[Row]:
    """Read each document in a new process."""
    rows = []
    for number, document in enumerate(DOCUMENTS):
        command = [sys.executable, PROGRAM, str(number)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603  ours
        wire, memory, half, quarter = json.loads(done.stdout)
        rows.append(Row(document.name, wire, memory, half, half / max(quarter, 1)))
    return rows


def section(rows: Sequence[Row]) -> str:
    """Return the results as Markdown."""
    head = ("document", "bytes", "memory", "work for half of it", "times that for a quarter")
    cells = [
        (
            row.name,
            f"{row.wire / 1e3:,.1f} KB",
            f"{row.memory / MIB:,.1f} MiB",
            f"{row.work:,}" if row.work > FEWEST else f"under {FEWEST:,}",
            f"{row.growth:.2f}" if row.work > FEWEST else "",
        )
        for row in rows
    ]
    return f"{MEANING}\n{table(head, cells)}"


MEANING = """\
What documents of others cost their readers, each in a process of its own. `bytes` is what is
sent, compressed if it may be; `memory` by how much the process grew at its peak; `work` is counted,
lines of Python and steps of the core, and the same on every machine: the half of a
document is twice a quarter, and 4 times its work would be a square.
"""


def targets(rows: Sequence[Row]) -> list[Target]:
    """Return what must hold of every document."""
    memory = max((row.memory / MIB for row in rows), default=0.0)
    growth = max((row.growth for row in rows if row.work > FEWEST), default=0.0)
    return [
        at_most("memory of reading any document", memory, MOST_MEMORY, " MiB"),
        at_most("work for twice a document", growth, MOST_GROWTH, " times"),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(take(int(sys.argv[1]))))
    else:
        print(section(measure()))
