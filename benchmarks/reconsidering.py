"""What is held, reconsidered: a table of URLs, and WARC files that are written anew.

Archives are measured by turns with what any rewriting does at least: decompressing each record, and
compressing it again. Both use all CPUs, and none does anything else with the records. Of the table
some answers are compared with those of the policies asked alone.
"""

import gzip
import random
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import clock
import process_memory
import verdict_columns
from corpus import ROBOT, Sample
from drawing import Target, at_least, at_most, table
from goodbot.content_use import read_tdmrep
from goodbot.history import PolicyTimeline
from goodbot.policy import Policy
from goodbot.reconsidering import HeldUse, SiteJudge, SiteStatements

URLS = 1_000_000
FILES, RECORDS, PAGES = 4, 600, 50
CHECKED = 2_000
"""The rows that are asked about alone, too, and compared."""
LEAST_MILLIONS = 3.0
LEAST_RATIO = 0.5
MOST_GROWTH = 1.2
"""How much more memory four times as many records may take."""
LATER = timedelta(hours=20)
CLOSED = b"User-agent: *\nDisallow: /private\n"
NOW = datetime(2026, 7, 1, tzinfo=timezone.utc)
TABLE_USES: tuple[tuple[HeldUse, ...], ...] = (("fetch",), ("train",), ("fetch", "train"))
ARCHIVE_USES: tuple[tuple[HeldUse, ...], ...] = (("fetch",), ("fetch", "archive", "train"))


@dataclass(frozen=True)
class TableSpeed:
    """A table of URLs, reconsidered for some uses."""

    uses: str
    seconds: float
    """CPU seconds of a URL, from the file to the answers."""
    equal: bool
    """Whether the rows that were compared have the answers of their policies asked alone."""


@dataclass(frozen=True)
class ArchiveSpeed:
    """WARC files written anew."""

    uses: str
    seconds: float
    """Seconds by the wall clock."""
    seconds_alone: float
    """The same of decompressing and compressing alone."""
    megabytes: float
    """The size of the files."""
    memory: tuple[int, int]
    """The most bytes of memory with these files, and with four times as many."""

    @property
    def ratio(self) -> float:
        """How fast it is beside decompressing and compressing alone."""
        return self.seconds_alone / self.seconds


@dataclass(frozen=True)
class HeldResults:
    """Both."""

    tables: Sequence[TableSpeed]
    archives: Sequence[ArchiveSpeed]


def measure(
    samples: Sequence[Sample], repeats: int, cpus: Sequence[int], urls: int = URLS
) -> HeldResults:
    """Time both; pyarrow and warcio are needed."""
    with tempfile.TemporaryDirectory() as folder:
        clock.pin(1, cpus)
        tables = list(measure_tables(samples, repeats, urls, Path(folder)))
        clock.pin(len(cpus), cpus)
        records = RECORDS if urls == URLS else 20
        archives = list(measure_archives(min(repeats, 3), records, len(cpus), Path(folder)))
    return HeldResults(tables, archives)


def measure_tables(
    samples: Sequence[Sample], repeats: int, urls: int, folder: Path
) -> Iterator[TableSpeed]:
    """Time the URLs of a Parquet file, sorted by origin."""
    import pyarrow as pa  # noqa: PLC0415  measured only where it is installed
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402

    from goodbot.tables.columns import PolicyTable  # noqa: PLC0415
    from goodbot.tables.reconsidering import reconsider_columns, reconsider_tables  # noqa: PLC0415

    known = verdict_columns.histories(samples, min(verdict_columns.ORIGINS, urls))
    learned = {site: policies_of(site, files) for site, files in known.items()}
    policies = PolicyTable(table_of(learned))
    rows = verdict_columns.rows_of(known, urls)
    columns = zip(*rows, strict=True)
    some = rows[:: max(urls // CHECKED, 1)]
    now = verdict_columns.START + LATER
    path = folder / "urls.parquet"
    names = ("url", "fetch_time")
    parquet.write_table(pa.table([pa.array(one) for one in columns], names), path)
    for uses in TABLE_USES:
        work = partial(
            reconsider_tables, path, policies, ROBOT, now=now, uses=uses, threads=1
        )  # fmt: skip
        work()
        seconds = clock.median([clock.cpu_time(work) for _ in range(repeats)])
        found = reconsider_columns(
            [url for url, _ in some], policies, ROBOT, [at for _, at in some], now, uses=uses
        )
        alone = answers_alone(some, learned, now, uses)
        got = {
            use: list(
                zip(*(found[use].column(one).to_pylist() for one in ("then", "now")), strict=True)
            )
            for use in uses
        }
        yield TableSpeed(" and ".join(uses), seconds / urls, got == alone)


def answers_alone(
    rows: Sequence[verdict_columns.Row],
    learned: Mapping[str, Sequence[Policy]],
    now: datetime,
    uses: Sequence[HeldUse],
) -> dict[HeldUse, list[tuple[str, str]]]:
    """Return what each row had then and has now, by asking the policies of its site alone."""
    timelines = {site: PolicyTimeline.of(policies) for site, policies in learned.items()}
    found: dict[HeldUse, list[tuple[str, str]]] = {use: [] for use in uses}
    for url, then in rows:
        site = url[: url.index("/", len("https://"))]
        answers = []
        for at in (then, now):
            held = timelines[site].at(at)
            said = SiteStatements(held.policies, at, held.is_current)
            answers.append(SiteJudge(said, ROBOT, uses).answers(url))
        for use in uses:
            found[use].append((answers[0][use].status, answers[1][use].status))
    return found


def policies_of(site: str, files: Sequence[tuple[datetime, bytes]]) -> list[Policy]:
    """Return the policies of a site."""
    return [
        Policy.from_response(f"{site}/robots.txt", 200, {}, content, now=start)
        for start, content in files
    ]


def body_of(policy: Policy) -> bytes | None:
    """Return the file of a policy, if it has rules."""
    file = policy.robots_txt if policy.access == "rules" else None
    return None if file is None else file.content


def table_of(learned: Mapping[str, Sequence[Policy]]) -> Any:  # noqa: ANN401  a table of pyarrow
    """Return the policies of all sites as a table."""
    import pyarrow as pa  # noqa: PLC0415  measured only where it is installed

    rows = [(site, one) for site, policies in learned.items() for one in policies]
    bodies = [body_of(one) for _, one in rows]
    return pa.table(
        {
            "origin": [site for site, _ in rows],
            "valid_from": [one.fetched_at for _, one in rows],
            "valid_until": [one.fresh_until for _, one in rows],
            "access": [one.access for _, one in rows],
            "reason": [one.reason for _, one in rows],
            "stale": [False] * len(rows),
            "body": pa.array(bodies, pa.binary()),
        }
    )


# Archives.


def write_archives(folder: Path, files: int, records: int) -> Path:
    """Write WARC files of pages, a seventh of which must go."""
    chosen = random.Random(1)  # noqa: S311  no secret
    pages = [page(chosen) for _ in range(PAGES)]
    folder.mkdir()
    for number in range(files):
        with (folder / f"{number}.warc.gz").open("wb") as file:
            for place in range(records):
                path = "private" if place % 7 == 0 else "open"
                url = f"https://site-{place // 20}.example/{path}/{place}"
                file.write(gzip.compress(record(url, number, place, chosen.choice(pages)), 6))
    return folder


def page(chosen: random.Random) -> bytes:
    """Return a page of some 12 KB of words."""
    words = [f"w{chosen.randrange(4_000)}" for _ in range(2_000)]
    parts = (" ".join(words[at : at + 40]) for at in range(0, len(words), 40))
    return "".join(f"<p class=x>{part} <a href=/p>more</a></p>" for part in parts).encode()


def record(url: str, number: int, place: int, content: bytes) -> bytes:
    """Return the record of a page."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + content
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{number}-{place}>\r\n"
        f"WARC-Date: 2024-05-01T12:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def pack_again(path: Path) -> int:
    """Decompress each record of a file, and compress it again."""
    data, size = path.read_bytes(), 0
    while data:
        stream = zlib.decompressobj(31)
        content = stream.decompress(data)
        data = stream.unused_data
        packer = zlib.compressobj(6, wbits=31)
        size += len(packer.compress(content) + packer.flush())
    return size


def pack_all(folder: Path, workers: int) -> None:
    """Do that with all files of a folder, in as many processes as there are CPUs."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        list(pool.map(pack_again, sorted(folder.iterdir())))


def today(origin: str) -> SiteStatements:
    """Return what every site says today."""
    policy = Policy.from_response(f"{origin}/robots.txt", 200, {}, CLOSED, now=NOW)
    return SiteStatements((policy,), NOW, tdmrep=read_tdmrep(b"[]"))


def rewrite_all(folder: Path, uses: Sequence[HeldUse], workers: int) -> Any:  # noqa: ANN401  loaded late
    """Reconsider the files of a folder, and write them anew; return what was done."""
    from goodbot.crawl.reconsidering.archive_rewriting import rewrite_archives  # noqa: PLC0415
    from goodbot.crawl.reconsidering.file_scan import ScanOptions  # noqa: PLC0415
    from goodbot.crawl.reconsidering.holdings import ArchiveHoldings, find_sources  # noqa: PLC0415
    from goodbot.crawl.reconsidering.question import HeldQuestion  # noqa: PLC0415
    from goodbot.crawl.reconsidering.removal_log import RemovalLog  # noqa: PLC0415
    from goodbot.crawl.reconsidering.statement_sources import AskedSites  # noqa: PLC0415

    new = folder.with_name("new")
    shutil.rmtree(new, ignore_errors=True)
    options = ScanOptions(ROBOT, "google", reads_pages=tuple(uses) != ("fetch",))
    with ArchiveHoldings(find_sources([folder]), options, workers) as held:
        now = AskedSites(held.origins(), today)
        question = HeldQuestion(ROBOT, uses, held.then("rfc9309"), now, NOW)
        for _ in held.rows(question, uses):
            pass
        log = RemovalLog(new / "removed.jsonl", NOW, ROBOT)
        return rewrite_archives(held, new, log, NOW, threads=workers)


def measure_archives(
    repeats: int, records: int, workers: int, folder: Path
) -> Iterator[ArchiveSpeed]:
    """Time the files, by turns with packing alone; and measure memory as they grow."""
    old = write_archives(folder / "old", FILES, records)
    more = write_archives(folder / "more", FILES, records * 4)
    size = sum(path.stat().st_size for path in old.iterdir())
    for uses in ARCHIVE_USES:
        own: list[float] = []
        alone: list[float] = []
        for _ in range(repeats):  # by turns, so that a busy machine is busy for both
            own.append(seconds_of(partial(rewrite_all, old, uses, workers)))
            alone.append(seconds_of(partial(pack_all, old, workers)))
        memory = tuple(peak_of(partial(rewrite_all, one, uses, 1)) for one in (old, more))
        yield ArchiveSpeed(
            ", ".join(uses),
            clock.median(own),
            clock.median(alone),
            size / 1e6,
            memory,  # type: ignore[arg-type]
        )


def peak_of(work: Callable[[], object]) -> int:
    """Return the most bytes of memory that a process of its own takes for a piece of work."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(run_for_peak, work).result()


def run_for_peak(work: Callable[[], object]) -> int:
    """Do a piece of work; return the most bytes of memory that this process took."""
    work()
    return process_memory.status("VmHWM")


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that pass during a piece of work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# The report.


def targets(found: HeldResults | None) -> list[Target]:
    """Return the targets, with the measured values."""
    if found is None:
        return []
    of_tables = [
        at_least(
            f"URLs of Parquet reconsidered for {row.uses}, a core",
            1e-6 / row.seconds, LEAST_MILLIONS, " M URLs/s",
        )
        for row in found.tables
    ]  # fmt: skip
    of_archives = [
        at_least(
            f"WARC rewritten for {row.uses}, beside packing alone", row.ratio, LEAST_RATIO, " times"
        )
        for row in found.archives
    ]
    of_memory = [
        at_most(
            f"memory for rewriting four times as many records for {row.uses}",
            row.memory[1] / row.memory[0], MOST_GROWTH, " times",
        )
        for row in found.archives
    ]  # fmt: skip
    return [*of_tables, *of_archives, *of_memory]


def wrong(found: HeldResults | None) -> list[str]:
    """Return every unexpected answer, as a sentence."""
    rows = () if found is None else found.tables
    return [f"URLs reconsidered for {row.uses} differ" for row in rows if not row.equal]


def section(found: HeldResults | None) -> str:
    """Return the part of the report."""
    if found is None:
        return "It is not measured: pyarrow or warcio is not installed.\n"
    tables = table(
        ("table of URLs, for", "M URLs/s", "answers"),
        [
            (row.uses, f"{1e-6 / row.seconds:.2f}", "equal" if row.equal else "WRONG")
            for row in found.tables
        ],
    )
    archives = table(
        ("WARC files, for", "MB/s", "packing alone", "times", "memory", "four times as much"),
        [
            (
                row.uses, f"{row.megabytes / row.seconds:.1f} MB/s",
                f"{row.megabytes / row.seconds_alone:.1f} MB/s", f"{row.ratio:.2f}",
                f"{row.memory[0] / 2**20:.0f} MiB", f"{row.memory[1] / 2**20:.0f} MiB",
            )
            for row in found.archives
        ],
    )  # fmt: skip
    told = (
        f"{URLS:,} URLs of {verdict_columns.ORIGINS:,} origins in a Parquet file, sorted by\n"
        f"origin, by one core from the file to the answers; {CHECKED:,} of them are\n"
        "compared with those of the policies asked alone. The WARC files are\n"
        "read, judged and written without the pages of one path by all cores, by turns with\n"
        "decompressing and compressing each record alone (level 6). Memory is that of the\n"
        "process which judges."
    )
    return f"{tables}\n{archives}\n{told}\n"
