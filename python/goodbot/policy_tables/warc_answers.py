"""Answers for robots.txt in WARC files.

Scope: from the records of one file to answers, by the same readers as `goodbot import`. Read are
the responses for a robots.txt and for what one redirects to, which follows it in the file; of the
robotstxt set of Common Crawl, everything is.

The date of a record is when the answer was captured. Some writers took it from the server's Date
instead (Common Crawl in 2019), which can be any time. So if the two are equal, and the name of the
file states the span of its captures, a date outside of this span is not believed: the answer then
came at an unknown time within it.

Source: WARC 1.1 sections 5.4 and 6.7.
"""

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import BinaryIO

from goodbot.crawl.imports.captured_response import Capture, capture_of, captured_response
from goodbot.crawl.imports.foreign_records import ForeignRecord, foreign_records, record_at
from goodbot.crawl.imports.warc_sources import open_warcs
from goodbot.http.dates import http_date
from goodbot.http.fields import first
from goodbot.http.instants import instant
from goodbot.http.status import NOT_MODIFIED
from goodbot.net.fetcher import Response
from goodbot.policy.inquiry import LIMIT
from goodbot.policy_tables.captured_answer import CapturedAnswer, key_of, packed_headers
from goodbot.policy_tables.redirected import redirect_of
from goodbot.policy_tables.sorted_runs import Run, RunWriter

__all__ = ["WarcAnswers", "read_warc"]

SPAN = re.compile(r"-(\d{14})-(\d{14})-")
"""The first and last capture in the name of a file, as Common Crawl writes it."""
SLACK = timedelta(hours=1)
"""Clocks of the machines of a crawl may differ by this much."""

ROBOTS_SET = "robotstxt"
"""The folder of the files of Common Crawl that have only robots.txt and what they redirect to."""

MOST_WANTED = 1_000_000
"""How many targets of redirects, and how many originals of revisits, are remembered in a file."""

RECORDS_A_BEAT = 2_000


@dataclass(slots=True)
class WarcAnswers:
    """What was read of one file."""

    answers: list[Run]
    redirects: list[Run]
    records: int = 0
    """Records in all."""
    found: int = 0
    """Answers among them."""
    undated: int = 0
    """Answers whose time is only known to be within the span of the file."""
    unread: int = 0
    """Bytes that were not read, because the file is damaged."""
    omitted: int = 0
    """Answers that were dropped, because there were too many of one URL."""


def read_warc(
    path: str, folder: str, name: str, limit: int, beat: Callable[[int], None]
) -> WarcAnswers:
    """Read a WARC or WACZ file; write its answers as sorted runs.

    Args:
        path: The file.
        folder: Where to write.
        name: The beginning of the names of what is written.
        limit: How many redirects in a row are followed.
        beat: Called with the number of records now and then; may raise to stop.

    Raises:
        MisuseError: It is a ZIP file, but not a WACZ.
        OSError: It cannot be read.

    """
    answers = RunWriter(Path(folder), f"{name}-answers")
    redirects = RunWriter(Path(folder), f"{name}-redirects")
    done = WarcAnswers(answers.runs, redirects.runs)
    with ExitStack() as stack:
        found, unread = open_warcs(Path(path), stack)
        done.unread += sum(one.bytes for one in unread)
        for source in found:
            reader = FileReader(source.file, source.name, limit)
            for record in foreign_records(source.file):
                done.records += 1
                if not done.records % RECORDS_A_BEAT:
                    beat(RECORDS_A_BEAT)
                if record.is_damaged:
                    done.unread += record.unread
                    continue
                for answer, redirect in reader.read(record):
                    done.found += 1
                    done.undated += answer.asked is not None
                    answers.add(answer)
                    if redirect is not None:
                        redirects.add(redirect)
    answers.finish()
    redirects.finish()
    done.omitted = answers.omitted + redirects.omitted
    return done


class FileReader:
    """Reads the records of one WARC file.

    Args:
        file: The file.
        name: Its name.
        limit: How many redirects in a row are followed.

    """

    def __init__(self, file: BinaryIO, name: str, limit: int) -> None:
        """Start at the beginning."""
        self._file, self._limit = file, limit
        self._source = Path(name).name
        self._span = span_of(self._source)
        self._takes_all = ROBOTS_SET in Path(name).parts[:-1]
        self._wanted: set[int] = set()
        """Hashes of the targets of redirects."""
        self._originals: dict[str, int] = {}

    def read(self, record: ForeignRecord) -> list[tuple[CapturedAnswer, CapturedAnswer | None]]:
        """Return the answer in a record, and where it redirects to; none or one of them."""
        capture = capture_of(record)
        if capture is None or capture.kind not in {"response", "revisit"}:
            return []
        key = key_of(capture.url)
        is_robots_txt = key != capture.url
        if not (is_robots_txt or self._takes_all or hash(key) in self._wanted):
            return []
        response = self._response_of(record, capture)
        if response is None:
            return []
        answer = self._answer_of(key, capture, response)
        # As if a redirect had led here: where it leads follows from its own URL.
        way = answer if is_robots_txt else answer._replace(hops=key, wanted_by=capture.origin)
        redirect = redirect_of(way, self._limit)
        if redirect is not None and len(self._wanted) < MOST_WANTED:
            self._wanted.add(hash(redirect.key))
        return [(answer, redirect if is_robots_txt else None)]

    def _response_of(self, record: ForeignRecord, capture: Capture) -> Response | None:
        """Return the response in a record; for a revisit, with the content of its original."""
        digest = record.fields.get("warc-payload-digest", "")
        if capture.kind == "response":
            if record.offset >= 0 and digest and len(self._originals) < MOST_WANTED:
                self._originals[digest] = record.offset
            return captured_response(record, capture, only_whole=True)
        head = captured_response(record, capture)
        if head is not None and head.status == NOT_MODIFIED:
            return head
        place = self._originals.get(digest)
        found = None if place is None else record_at(self._file, place)
        original = None if found is None else capture_of(found)
        if found is None or original is None:
            return None
        content = captured_response(found, original, only_whole=True)
        if content is None or head is not None:
            return captured_response(record, capture, content, only_whole=True) if content else None
        return replace(content, url=capture.url, started=capture.at, ended=capture.at)

    def _answer_of(self, key: str, capture: Capture, response: Response) -> CapturedAnswer:
        """Return a response as an answer."""
        at, asked = capture.at, None
        if self._span is not None and is_of_server(response, at, self._span):
            asked, at = self._span
        time = instant(at, "at")
        return CapturedAnswer(
            key, time, time, response.status, None, packed_headers(response.headers),
            response.body[:LIMIT], response.truncated or len(response.body) > LIMIT,
            None if asked is None else instant(asked, "asked"), source=self._source,
        )  # fmt: skip


def span_of(name: str) -> tuple[datetime, datetime] | None:
    """Return the span of the captures of a file, if its name states it.

    >>> span_of("CC-MAIN-20190115225438-20190116011438-00000.warc.gz")[1].isoformat()
    '2019-01-16T01:14:38+00:00'
    """
    found = SPAN.search(name)
    if found is None:
        return None
    try:
        first_time, last_time = (
            datetime.strptime(one, "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
            for one in found.groups()
        )
    except ValueError:
        return None
    return (first_time, last_time) if first_time <= last_time else None


def is_of_server(response: Response, at: datetime, span: tuple[datetime, datetime]) -> bool:
    """Return whether the date of a record is the server's, and cannot be when it was captured."""
    if span[0] - SLACK <= at <= span[1] + SLACK:
        return False
    fields = tuple((name.lower(), value) for name, value in response.headers)
    stated = first(fields, "date")
    return stated is not None and http_date(stated, now=at) == at.replace(microsecond=0)
