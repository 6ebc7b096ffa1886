"""Record what another crawler does in the folder of a crawl: responses, refusals and policies.

Scope: the way of one response from the caller to the folder. Nothing is requested, and the caller
says what was allowed. Every verb that reads a crawl reads the folder.

>>> import tempfile
>>> from datetime import datetime, timezone
>>> import goodbot
>>> from goodbot.net import Response
>>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
>>> url = "https://example.com/robots.txt"
>>> policy = goodbot.Policy.from_response(url, 200, (), b"User-agent: *", now=now)
>>> page = Response("https://example.com/", 200, (("Content-Type", "text/html"),), b"Hi", now, now)
>>> folder = tempfile.mkdtemp()
>>> with ResponseRecorder(folder, "ExampleBot/1.0", now=now) as recorder:
...     recorder.policy(policy, now)
...     recorder.response(page, policy.verdict(page.url, "ExampleBot"), now)
>>> with goodbot.crawl.open_readonly(folder) as database:
...     [hit.url for hit in goodbot.crawl.search(database, "hi", now=now).hits]
['https://example.com/']
"""

import os
from collections.abc import Collection, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from goodbot._core import Dialect, Verdict
from goodbot.closing import Closing
from goodbot.crawl.evidence import rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.leasing import CaptureLeases
from goodbot.crawl.frontier.protocol import Outcome, QueueEntry
from goodbot.crawl.imports.warc_import import IMPORTED, SUCCESS, create, origins_before
from goodbot.crawl.run.page_batch import FetchResult, read_answers
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.run.visit_outcome import VisitOutcome
from goodbot.http.address import address_of, spelling_of
from goodbot.net.fetcher import Response
from goodbot.pace import Manners
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.page.media_types import DOCUMENTS, is_wanted, type_names
from goodbot.policy import Policy
from goodbot.robot.events import Fetched, Purpose
from goodbot.robot.visit import Hop, Visit

__all__ = ["ResponseRecorder"]

UNSTATED = Manners(factor=0.0, default=0.0)
"""The pace where a site states none: that of the other crawler, which is not known."""


class ResponseRecorder(Closing):
    """Records responses in the folder of a crawl; use it in a `with` block, in one thread.

    Args:
        folder: The folder; it is created if it does not exist. It must be empty, or have been
            written in this way before.
        robot: The name of the robot, such as `ExampleBot/1.0`.
        now: The current time; an aware `datetime`.
        dialect: The dialect in which robots.txt was read.
        page_dialect: The dialect in which pages are read.
        page_options: Further options for reading pages.
        types: The types of responses to read and keep, as `goodbot.crawl.Crawl` takes them.

    Raises:
        MisuseError: The folder has a crawl, or the record of another robot.
        WrongValueError: One of `types` is not a type.
        StoreError: The folder cannot be written, or it is in use.

    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        robot: str,
        *,
        now: datetime,
        dialect: str | Dialect = "rfc9309",
        page_dialect: str | PageDialect = "google",
        page_options: PageOptions | Mapping[str, Any] | None = None,
        types: Collection[str] = DOCUMENTS,
    ) -> None:
        """Open the folder."""
        self._product = robot.partition("/")[0]
        options = PageOptions.of(page_options)
        settings = CrawlSettings(
            robot=robot,
            manners=UNSTATED,
            dialect=dialect,
            page_dialect=page_dialect,
            page_options=options,
        )
        self._settings = replace(settings, types=type_names(types))
        create(Path(folder))
        with ExitStack() as opened:
            opened.enter_context(FolderLock(Path(folder)))
            self._database = opened.enter_context(Database(Path(folder), create=True))
            self._origins = set(origins_before(self._database, robot))
            self._write_settings(now)
            recorder = Recorder(self._database, Bounds(any_origin=True), now)
            self._recorder = opened.enter_context(closing(recorder))
            self._leases = CaptureLeases(self._database)
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Complete the index and the archive, and release the folder."""
        self._opened.close()

    def policy(self, policy: Policy, now: datetime) -> None:
        """Record a policy that was learned, so that the evidence can quote it.

        Raises:
            StoreError: The folder cannot be written.

        """
        with self._database.changing():
            if policy.storable:
                self._database.store.put(policy.origin, policy.as_record(), now)
            if policy.origin not in self._origins:
                self._origins.add(policy.origin)
                self._write_settings(now)
        self._database.commit()

    def request(self, response: Response, requested: datetime, purpose: Purpose = "page") -> None:
        """Record a request alone, and of robots.txt also the response.

        Use it for robots.txt, and where requests are known before it is known what becomes of their
        responses.

        Args:
            response: The response; its URL is the one that was requested.
            requested: When it was requested; an aware `datetime`.
            purpose: `page` or `robots-txt`.

        Raises:
            StoreError: The folder cannot be written.

        """
        self._recorder.requested(fetched(response, requested, purpose))
        self._recorder.apply([])
        self._database.commit()

    def response(self, response: Response, verdict: Verdict, requested: datetime | None) -> None:
        """Record a response: the verdicts on the page and, as far as they allow it, its words.

        Args:
            response: The response; its URL is the one that was requested.
            verdict: The verdict that allowed the request.
            requested: When it was requested; an aware `datetime`. `None` if there was no request,
                or if `request` has recorded it.

        Raises:
            StoreError: The folder cannot be written.

        """
        at = response.ended
        if requested is not None:
            self._recorder.requested(fetched(response, requested, "page"))
        declared, settings = response.field("Content-Type") or "", self._settings
        if response.status in SUCCESS and not is_wanted(declared, settings.types):
            response = replace(response, body=b"", wire=None, unread=True)
        with self._database.changing():
            taken = self._taken(response.url, at)
            if taken is None:
                return
            hops = (Hop(taken.url, verdict, replace(response, url=taken.url)),)
            visit = Visit(
                hops,
                "answered",
                self._product,
                settings.page_dialect,
                None,
                settings.page_options,
            )
            refuses = partial(not_queued, taken.url)
            self._recorder.apply(read_answers([FetchResult(taken, visit, at)], refuses))
        self._database.commit()

    def refused(self, url: str, verdict: Verdict, now: datetime) -> None:
        """Record that a URL was not requested, because it is not allowed.

        Raises:
            StoreError: The folder cannot be written.

        """
        with self._database.changing():
            taken = self._taken(url, now)
            if taken is not None:
                settled = Outcome("disallowed", verdict.reason, verdict.source)
                row = rows.refused(now, verdict)
                outcome = VisitOutcome(taken, now, settled, row, copy="forget", indexing="remove")
                self._recorder.apply([outcome])
        self._database.commit()

    def _taken(self, url: str, at: datetime) -> QueuedUrl | None:
        """Lease a URL; return `None` if it cannot be stored."""
        origin, address = address_of(url)
        entry = QueueEntry(address, origin, 0, spelling=spelling_of(url))
        return self._leases.take(self._recorder.frontier, [entry], at)[0]

    def _write_settings(self, now: datetime) -> None:
        """Store the settings, with the sites that were visited."""
        bounds = Bounds(origins=frozenset(self._origins))
        texts = replace(self._settings, bounds=bounds).as_texts(self._settings.robot, self._product)
        with self._database.changing():
            self._database.write_settings({**texts, IMPORTED: "yes"})
            self._database.write_settings({"started": now.isoformat()}, replace=False)
        self._database.commit()


def fetched(response: Response, requested: datetime, purpose: Purpose) -> Fetched:
    """Return the event about a request."""
    at = response.ended
    return Fetched(
        response.url,
        at,
        response.status,
        response.wire_bytes,
        (at - requested).total_seconds(),
        purpose,
        requested,
        response,
    )


def not_queued(page: str, url: str, origin: str, depth: int) -> str | None:  # noqa: ARG001  as `Bounds`
    """Return why a link of a page is not queued: the other crawler decides what is requested."""
    return None if url == page else "not-captured"
