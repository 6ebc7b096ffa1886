"""Evidence: what was asked, what was answered, and what was done, as it happens.

What may live here: writing. One row for each visit, refusal, failure and deferral, and one for
each request. What is made of them is in `history`, `export` and `report`.
"""

import json
from datetime import datetime
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.crawl.evidence.evidence_format import LONGEST_SENTENCE, pack_fetch, pack_page
from goodbot.crawl.evidence.history import UrlHistory, history_of
from goodbot.crawl.folder.database import Database
from goodbot.http.cache_control import cache_control
from goodbot.http.freshness import may_store
from goodbot.http.instants import instant, written
from goodbot.http.quoting import shortened
from goodbot.http.retry_after import retry_instant
from goodbot.page import Page
from goodbot.policy import PolicyVerdict
from goodbot.robot.events import Failed, Fetched

__all__ = ["Evidence"]

KEEP = "INSERT INTO evidence(url, at, status, verdicts) VALUES(?, ?, ?, ?)"
KEEP_REQUEST = (
    "INSERT INTO requests(origin, url, purpose, started, ended, status, failure, octets, "
    "not_before, no_store, steady, timeline) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Evidence:
    r"""The evidence of a crawl.

    Each method adds a row; call them within `database.changing()`, beside whatever else the visit
    changes, so that both are kept or neither.

    Args:
        database: The file of the crawl.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> from goodbot import Policy
    >>> from goodbot.crawl.folder.records import Discovery
    >>> from goodbot.crawl.frontier.sqlite import Frontier, QueueEntry
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> body = b"User-agent: *\nDisallow: /private"
    >>> origin, url = "https://a.example", "https://a.example/private"
    >>> policy = Policy.from_response(f"{origin}/robots.txt", 200, {}, body, now=now)
    >>> start = (Discovery(url, "start"), QueueEntry(url, origin, depth=0))
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     evidence = Evidence(database)
    ...     with database.changing():
    ...         database.put(origin, policy.as_record(), now)
    ...         (url_id,) = Frontier(database, now).add([start], now)
    ...         evidence.refused(url_id, now, policy.verdict(url, "ExampleBot"))
    ...     asked = evidence.history(url).asks[0]
    ...     asked.event, [(line.number, line.text) for line in asked.quoted if line.decides]
    ('refused', [(2, 'Disallow: /private')])
    """

    def __init__(self, database: Database) -> None:
        """Take the file."""
        self._database = database

    def visited(
        self,
        url_id: int,
        at: datetime,
        verdict: PolicyVerdict,
        status: int | None,
        page: Page | None = None,
    ) -> None:
        """Record an answer, with the verdict on every act.

        Args:
            url_id: The number of the URL in the crawl.
            at: When the answer came.
            verdict: Who said that it may be fetched.
            status: The status of the answer.
            page: The page; `None` where there is none, such as after a redirect.

        """
        said: dict[str, Any] = {"event": "visited", "fetch": pack_fetch(verdict)}
        if page is not None:
            said["page"] = pack_page(page, at)
        self._keep(url_id, at, status, said)

    def refused(self, url_id: int, at: datetime, verdict: PolicyVerdict) -> None:
        """Record that the site forbids a URL."""
        self._keep(url_id, at, None, {"event": "refused", "fetch": pack_fetch(verdict)})

    def failed(
        self,
        url_id: int,
        at: datetime,
        kind: str,
        sentence: str,
        verdict: PolicyVerdict | None = None,
    ) -> None:
        """Record that no answer came.

        Args:
            url_id: The number of the URL in the crawl.
            at: When it failed.
            kind: What failed, one of `goodbot.net.FAILURES` or another slug.
            sentence: The same in words.
            verdict: Who said that it may be fetched, if somebody was asked.

        """
        sentence = shortened(sentence, LONGEST_SENTENCE)
        said: dict[str, Any] = {"event": "failed", "reason": kind, "sentence": sentence}
        if verdict is not None:
            said["fetch"] = pack_fetch(verdict)
        self._keep(url_id, at, None, said)

    def deferred(
        self, url_id: int, at: datetime, until: datetime | None, reason: str, sentence: str
    ) -> None:
        """Record that a visit was not made, as it was not yet its time.

        Args:
            url_id: The number of the URL in the crawl.
            at: When that was found.
            until: When to ask again; `None`: never.
            reason: Why, a slug of `goodbot.policy.reasons()` or `goodbot.pace.REASONS`.
            sentence: The same in words.

        """
        sentence = shortened(sentence, LONGEST_SENTENCE)
        said = {
            "event": "deferred",
            "reason": reason,
            "sentence": sentence,
            "until": written(until),
        }
        self._keep(url_id, at, None, said)

    def _keep(self, url_id: int, at: datetime, status: int | None, said: dict[str, Any]) -> None:
        text = ENCODER.encode(said)
        try:
            text.encode()
        except UnicodeEncodeError:  # half a pair of surrogates, out of a header
            text = json.dumps(said)
        with self._database.changing() as connection:
            connection.execute(KEEP, (url_id, instant(at, "at"), status, text))

    def requested(self, event: Fetched | Failed) -> None:
        """Record a request, for whatever purpose: when it began, how it ended.

        Args:
            event: What the robot told of it.

        """
        ended = instant(event.at, "at")
        status, failure, octets, not_before, no_store = None, None, 0, None, False
        if isinstance(event, Fetched):
            status, octets = event.status, event.octets
            not_before = retry_instant(event.response.field("Retry-After"), ended)
            if event.purpose == "robots-txt":
                control = cache_control(event.response.field_values("Cache-Control"))
                no_store = not may_store(control, shared=False)
        else:
            failure = event.kind
        row = (
            origin_of(event.url),
            event.url,
            event.purpose,
            instant(event.started, "started"),
            ended,
            status,
            failure,
            octets,
            not_before,
            no_store,
            None if event.steady is None else instant(event.steady, "steady"),
            self._database.timeline,
        )
        with self._database.changing() as connection:
            connection.execute(KEEP_REQUEST, row)

    def history(self, url: str) -> UrlHistory | None:
        """Return everything about a URL; `None` if the crawl does not know it.

        Args:
            url: The URL, absolute.

        Raises:
            NoOriginError: It is no absolute URL of http or https.

        """
        return history_of(self._database, url)
