"""Answers for robots.txt in WARC files.

Scope: from the records of one file to answers, by the same readers as `goodbot archive import`.
Read are the responses for a robots.txt and for what one redirects to, which follows it in the file;
of the robotstxt set of Common Crawl, everything is.

The date of a record is when the answer was captured. Some writers took it from the server's Date
instead (Common Crawl in 2019), which can be any time. So if the two are equal, and the name of the
file states the span of its captures, a date outside of this span is not believed: the answer then
came at an unknown time within it.

Source: WARC 1.1 sections 5.4 and 6.7.
"""

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import BinaryIO, Protocol

from goodbot.http.address import address_of
from goodbot.http.dates import http_date
from goodbot.http.fields import first, scalar
from goodbot.http.instants import instant
from goodbot.net.fetcher import Response
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.tables.building.packed_answer import (
    PackedAnswer,
    is_origin,
    key_of,
    not_captured,
    pack_answer,
)
from goodbot.tables.building.redirected import ask_target
from goodbot.warc.captured_response import (
    Capture,
    capture_of,
    captured_response,
    undated_capture,
    without_body,
)
from goodbot.warc.foreign_records import ForeignRecord, record_at
from goodbot.warc.revisits import has_other_content, not_modified

SPAN = re.compile(r"-(\d{14})-(\d{14})-")
"""The first and last capture in the name of a file, as Common Crawl writes it."""
SLACK = timedelta(hours=1)
"""Clocks of the machines of a crawl may differ by this much."""

NO_HTTP = "protocol-error"
"""The failure of a response that is not one of HTTP."""

ROBOTS_SET = "robotstxt"
"""The folder of the files of Common Crawl that have only robots.txt and what they redirect to."""


class SeenRecords(Protocol):
    """What is remembered of a file, within bounds: `CaptureReader`, or a slow twin of it."""

    def want(self, key: str) -> None:
        """Remember the target of a redirect."""
        ...

    def is_wanted(self, key: str) -> bool:
        """Return whether a redirect led to a URL."""
        ...

    def add_original(self, digest: str, place: int) -> None:
        """Remember where the record is that has a content; nothing without a digest."""
        ...

    def original(self, digest: str) -> int | None:
        """Return where the record is that has the content of a digest."""
        ...


class FileReader:
    """Reads the records of one WARC file, whatever they are.

    Args:
        file: The file.
        name: Its name.
        limit: How many redirects in a row are followed.
        seen: What is remembered of the records before.

    """

    def __init__(self, file: BinaryIO, name: str, limit: int, seen: SeenRecords) -> None:
        self.file, self._limit, self._seen = file, limit, seen
        self.source = scalar(Path(name).name)
        self.takes_all = ROBOTS_SET in Path(name).parts[:-1]
        """Whether every URL counts."""
        self._span = parse_span(self.source)
        self.unreadable = 0
        """How many responses could not be read."""

    @property
    def believed(self) -> tuple[int, int] | None:
        """The dates that are believed, whatever the server's is; `None` if any is."""
        if self._span is None:
            return None
        first_time, last_time = self._span
        return instant(first_time - SLACK, "first"), instant(last_time + SLACK, "last")

    def read(self, record: ForeignRecord) -> list[tuple[PackedAnswer, PackedAnswer | None]]:
        """Return the answer in a record, and where it redirects to; none or one of them."""
        capture = capture_of(record)
        if capture is None:
            undated = undated_capture(record)
            self.unreadable += undated is not None and is_origin(key_of(undated.url))
            return []
        if capture.kind not in {"response", "revisit"}:
            return []
        key = key_of(capture.url)
        is_robots_txt = key != capture.url
        if not (is_robots_txt or self.takes_all or self._seen.is_wanted(key)):
            return []
        response = self._response_of(record, capture)
        if response is None:
            self.unreadable += 1
            response = without_body(record, capture)
            if capture.kind == "revisit" and self._place_of_original(record) is None:
                return [(not_captured(self._answer_of(key, capture, response)), None)]
        answer = self._answer_of(key, capture, response)
        # From the earliest moment on, an answer may hold that is known at the latest one.
        vague = [(not_captured(earliest(answer)), None)] if capture.is_vague else []
        redirect = self.redirect_in(answer)
        return [*vague, (answer._replace(leads=redirect is not None), redirect)]

    def redirect_in(self, answer: PackedAnswer) -> PackedAnswer | None:
        """Return where a robots.txt redirects to, if it does; remember where any answer does."""
        is_robots_txt = is_origin(answer.key)
        if not is_robots_txt:
            if self.takes_all:
                return None
            # As if a redirect had led here: where it leads follows from its own URL.
            origin = address_of(answer.key)[0]
            answer = answer._replace(hops=answer.key, wanted_by=origin)
        redirect = ask_target(answer, self._limit)
        if redirect is not None and not self.takes_all:
            self._seen.want(redirect.key)
        return redirect if is_robots_txt else None

    def _response_of(self, record: ForeignRecord, capture: Capture) -> Response | None:
        """Return the response in a record; for a revisit, with the content of its original."""
        if capture.kind == "response":
            digest = record.fields.get("warc-payload-digest", "")
            if record.offset >= 0:
                self._seen.add_original(scalar(digest), record.offset)
            return captured_response(record, capture, only_whole=True)
        unchanged = not_modified(record, capture)
        if unchanged is not None:
            return unchanged
        place = self._place_of_original(record)
        found = None if place is None else record_at(self.file, place)
        original = None if found is None else capture_of(found)
        if found is None or original is None:
            return None
        content = captured_response(found, original, only_whole=True)
        if content is None or captured_response(record, capture) is not None:
            return captured_response(record, capture, content, only_whole=True) if content else None
        return replace(content, url=capture.url, started=capture.at, ended=capture.at)

    def _place_of_original(self, record: ForeignRecord) -> int | None:
        """Return where the original of a revisit is in the file; `None` if it is not."""
        if not has_other_content(record):
            return None
        return self._seen.original(scalar(record.fields.get("warc-payload-digest", "")))

    def _answer_of(self, key: str, capture: Capture, response: Response) -> PackedAnswer:
        """Return a response as an answer."""
        at, asked = capture.at, capture.since if capture.is_vague else None
        if self._span is not None and is_of_server(response, at, self._span):
            asked, at = self._span
        status = response.status or None
        answer = RobotsTxtAnswer(
            capture.url,
            at,
            status,
            None if status else NO_HTTP,
            response.headers,
            response.body[:LIMIT],
            response.truncated or len(response.body) > LIMIT,
            requested=asked,
            source=self.source,
        )
        return pack_answer(answer, key)


def earliest(answer: PackedAnswer) -> PackedAnswer:
    """Return an answer at the earliest moment at which it may have come."""
    at = answer.at if answer.asked is None else answer.asked
    return answer._replace(at=at, answered=at)


def parse_span(name: str) -> tuple[datetime, datetime] | None:
    """Return the span of the captures of a file, if its name states it.

    >>> parse_span("CC-MAIN-20190115225438-20190116011438-00000.warc.gz")[1].isoformat()
    '2019-01-16T01:14:38+00:00'
    """
    found = SPAN.search(name)
    if found is None:
        return None
    try:
        first_time, last_time = (
            datetime.strptime(number, "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
            for number in found.groups()
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
