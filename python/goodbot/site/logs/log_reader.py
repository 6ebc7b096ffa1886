"""Logs as tables of requests, and as sums.

Scope: it acts: files are opened, ordered by the time of their first request and read block by
block; lines are read in the core.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from types import MappingProxyType

from goodbot._core import ArrowTable, LogScan, origin
from goodbot.bots.robot_table import table
from goodbot.bots.user_agents import finder
from goodbot.display import shown_value
from goodbot.errors import MisuseError, NoOriginError, WrongTypeError, WrongValueError
from goodbot.site.logs.file_reading import FileReading
from goodbot.site.logs.following import Followed
from goodbot.site.logs.log_counts import LogCounts, LogSummary
from goodbot.site.logs.log_files import (
    GivenStream,
    LogSource,
    blocks_of,
    files_in,
    name_streams,
    opened,
    split_sources,
)
from goodbot.site.logs.log_format import FormatArguments, format_arguments
from goodbot.site.logs.summing import FileNotes, counts_of, summary_of, sums_of_agents

__all__ = ["LogReader", "open_logs"]

BLOCK_BYTES = 4 * 1024 * 1024
"""How much of a log each thread reads at once; with less, threads wait for each other too often."""
BATCH_ROWS = 65_536
"""The requests of a batch, about."""
BATCH_BYTES = 16 * 1024 * 1024
"""The bytes of the texts of a batch, about."""
FIRST_BYTES = 64 * 1024
"""How much of a file is read to learn when it begins."""
MOST_THREADS = 8
LAST_PORT = 65_535
POLL_SECONDS = 0.5
"""How long to wait before a log that is followed is read again."""


def open_logs(
    sources: Iterable[LogSource],
    format: str | None = None,  # noqa: A002  the field's own word
    *,
    sites: Sequence[str] = (),
    unknown: bool = False,
    robots_txt: bool = False,
    proxies: int = 0,
    server_ports: Sequence[int] = (),
) -> "LogReader":
    """Open access logs of one or more sites.

    Args:
        sources: Paths of files, folders, patterns such as `access.log*`, or `-` for standard input.
            Files may be compressed with gzip, bzip2, xz or zstd (extra `encodings`), and written in
            UTF-16. Several files are read in the order of their first requests, so that rotated
            logs need no order. Binary streams that you have opened are read as well, in their
            order and behind the files; you close them.
        format: The name of a format (`LOG_FORMATS`), a `log_format` of nginx, a `LogFormat` of
            Apache, or a mapping for lines of JSON such as `{"ts": "time", "uri": "target"}`. By
            default, the format of each file is detected.
        sites: The URLs of the sites, such as `https://example.com`. A log that names no hosts is
            about the first of them.
        unknown: Whether requests of robots that are not known are given out, too.
        robots_txt: Whether requests for /robots.txt are given out under any User-Agent, also a
            browser's, for which `robot` is null: an operator may fetch it under another name.
        proxies: How many proxies in front of the server add an address to X-Forwarded-For. Clients
            can write anything into the field, but not behind what the proxies add.
        server_ports: The ports at which the server listens behind a proxy, beside 80. A line of
            another port than that of a site is about another site, unless it is one of these.

    Raises:
        MisuseError: A source names no file.
        WrongTypeError: An argument has another type.
        WrongValueError: The format is none, or a site is not the URL of one.

    >>> import tempfile, pathlib
    >>> log = pathlib.Path(tempfile.mkdtemp(), "access.log")
    >>> _ = log.write_text(
    ...     '192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 23 "-" "GPTBot/1.3"'
    ... )
    >>> summary = open_logs([log]).summarize()
    >>> [(sums.robot, sums.requests, sums.bytes) for sums in summary.robots]
    [('GPTBot', 1, 23)]
    """
    check_proxies(proxies, server_ports)
    chosen = None if format is None else format_arguments(format)
    parts = [site_parts(site) for site in sites]
    ports = [str(one) for one in server_ports]
    paths, streams = split_sources(sources)
    files = files_in(paths) if paths or not streams else []
    named = name_streams(streams, files)
    given = (unknown, robots_txt, proxies, ports)
    return LogReader([*files, *named], chosen, parts, given, named)


def check_proxies(proxies: int, server_ports: Sequence[int]) -> None:
    """Check what is said of the proxies in front of the server.

    Raises:
        WrongTypeError: `proxies` is no number.
        WrongValueError: It is negative, or a port is none.

    """
    if not isinstance(proxies, int) or isinstance(proxies, bool):
        message = f"proxies must be an int, not {type(proxies).__name__}"
        raise WrongTypeError(message)
    if proxies < 0:
        message = f"proxies must not be {proxies}; omit it if there are none"
        raise WrongValueError(message)
    if not all(isinstance(one, int) and 0 < one <= LAST_PORT for one in server_ports):
        message = "server_ports must be ports, such as [8080]"
        raise WrongValueError(message)


def site_parts(site: str) -> tuple[str, str]:
    """Return scheme and authority of a site.

    Raises:
        WrongValueError: It is not the URL of one.

    """
    try:
        found = origin(site)
    except NoOriginError as error:
        message = (
            f"{shown_value(site)} is not the URL of a site; pass one such as https://example.com"
        )
        raise WrongValueError(message) from error
    scheme, _, authority = found.partition("://")
    return scheme, authority


class LogReader:
    """Logs that were opened; read them once, with `requests` or `summarize`."""

    def __init__(
        self,
        files: Sequence[str],
        chosen: FormatArguments | None,
        sites: Sequence[tuple[str, str]],
        options: tuple[bool, bool, int, list[str]],
        streams: Mapping[str, GivenStream] = MappingProxyType({}),
    ) -> None:
        """Use `open_logs`."""
        self.streams = streams
        self.files = tuple(files)
        """The files, in the order in which they are read, once they are."""
        self.chosen = chosen
        self.sites = list(sites)
        self.unknown, self.robots_txt, self.proxies, self.ports = options
        self.threads = min(processors(), MOST_THREADS)
        self.notes = FileNotes({}, {}, [], {}, {}, is_alone=len(self.files) == 1)
        names, places = finder()
        self.names = names
        self.robots = [table().rows[place]["name"] for place in places]
        self.scan: LogScan | None = None

    def requests(
        self, *, follow: bool = False, stop: Callable[[], bool] | None = None
    ) -> Iterator[ArrowTable]:
        """Yield the requests of robots in batches, in the order of the lines of each file.

        A batch has the Arrow PyCapsule interface: `pyarrow.table(batch)` and
        `polars.DataFrame(batch)` read it. Its columns are `line`, `source` (the file), `time` (UTC,
        microseconds), `address`, `host` and `scheme` (null if unknown), `method`, `target` (with
        its query), `status`, `bytes`, `user_agent` and `robot` (null if it is not known); and, null
        in most logs, `retry_after` and `challenge` of the answer, and `signature`,
        `signature_input` and `signature_agent` of the request.

        Args:
            follow: Whether to wait for more lines at the end of the last file, also when it is
                rotated.
            stop: Asked whether to end while waiting; by default, following never ends.

        Raises:
            MisuseError: The logs were read before, one of them cannot be read, or a stream is to
                be read as it grows.
            MissingExtraError: A log is compressed with zstd, and the extra `encodings` is missing.

        """
        scan = self.begun(rows=True)
        last = self.files[-1] if follow else None
        if last in self.streams:
            message = f"{last} is a stream, which is not read as it grows; pass the path of a log"
            raise MisuseError(message)
        for path in self.files:
            waits = (stop or never) if path == last else None
            for rows, size, is_end in self.read_file(scan, path, waits):
                if rows and (is_end or waits or rows >= BATCH_ROWS or size >= BATCH_BYTES):
                    yield scan.take(path)

    def summarize(self) -> LogSummary:
        """Read all lines, and return the sums of their requests. No request is stored.

        Raises:
            MisuseError: The logs were read before, or one of them cannot be read.
            MissingExtraError: A log is compressed with zstd, and the extra `encodings` is missing.

        """
        scan = self.begun(rows=False)
        for path in self.files:
            for _ in self.read_file(scan, path, None):
                pass
        return self.summary()

    def counts(self) -> LogCounts:
        """Return what was read and counted so far."""
        if self.scan is None:
            return LogCounts()
        sums = sums_of_agents(self.scan, self.robots)
        return counts_of(self.scan, self.notes, sums, self.robots)

    def summary(self) -> LogSummary:
        """Return the sums of what was read so far.

        Raises:
            MisuseError: Nothing was read.

        """
        if self.scan is None:
            message = "nothing was read yet; use summarize(), or read requests() before summary()"
            raise MisuseError(message)
        sums = sums_of_agents(self.scan, self.robots)
        return summary_of(counts_of(self.scan, self.notes, sums, self.robots), sums)

    def begun(self, *, rows: bool) -> LogScan:
        """Return what reads the lines, once."""
        if self.scan is not None:
            message = "these logs were read already; open them again"
            raise MisuseError(message)
        self.scan = self.new_scan(rows=rows)
        self.files = tuple(self.in_order())
        return self.scan

    def new_scan(self, *, rows: bool) -> LogScan:
        """Return what reads lines."""
        return LogScan(
            self.names,
            self.robots,
            self.sites,
            rows=rows,
            unknown=self.unknown,
            robots_txt=self.robots_txt,
            proxies=self.proxies,
            threads=self.threads,
            ports=self.ports,
        )

    def in_order(self) -> list[str]:
        """Return the files in the order of their first requests; what has no request comes last."""
        if len(self.files) == 1:
            return list(self.files)
        times = {path: self.first_time(path) for path in self.files}
        late = datetime.max.replace(tzinfo=timezone.utc)
        return sorted(self.files, key=lambda path: times[path] or late)

    def first_time(self, path: str) -> datetime | None:
        """Return the time of the first request of a file; `None` if it cannot be read twice."""
        if path in self.streams or not Path(path).is_file():
            return None
        scan = self.new_scan(rows=False)
        reading = FileReading(scan, path, self.chosen, FileNotes({}, {}, [], {}, {}))
        with opened(path) as file:
            for block in blocks_of(path, file, FIRST_BYTES, ignore):
                reading.feed(block)
                reading.end()
                break
        return min(
            (one.first for one in sums_of_agents(scan, self.robots) if one.first is not None),
            default=None,
        )

    def read_file(
        self, scan: LogScan, path: str, waits: Callable[[], bool] | None
    ) -> Iterator[tuple[int, int, bool]]:
        """Read the lines of a file.

        Yield how many requests wait to be taken, about how many bytes they have, and whether the
        file ends there.
        """
        size = BLOCK_BYTES * self.threads
        self.notes.begun.append((len(scan.counts()[2]), path))
        reading = FileReading(scan, path, self.chosen, self.notes)
        damaged = partial(self.notes.damaged.__setitem__, path)
        given = self.streams.get(path)
        file = opened(path, waits=waits is None) if given is None else given
        with closing(Followed(path, file)) as followed:
            blocks = blocks_of(path, followed.file, size, damaged)
            for block in blocks:
                yield (*reading.feed(block, blocks.read_ahead), False)
            while waits is not None and not waits():
                growth = followed.read(size)
                if growth.block:
                    yield (*reading.feed(growth.block), False)
                elif growth.is_new_file:
                    yield (*reading.end(), True)
                    reading = FileReading(scan, path, self.chosen, self.notes)
                else:
                    time.sleep(POLL_SECONDS)
            yield (*reading.end(), True)


def ignore(_: str) -> None:
    """Ignore that a file is damaged: that is noted when it is read."""


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def never() -> bool:
    """Return False: following does not end."""
    return False
