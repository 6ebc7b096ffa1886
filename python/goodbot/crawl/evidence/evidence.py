"""The evidence of a crawl, written as it happens: verdicts, responses and requests.

Scope: writing one row for each visit, refusal, failure and deferral, and one for each request.
`history`, `export` and `report` read them.
"""

from collections.abc import Callable
from datetime import datetime

from goodbot._core import origin as origin_of
from goodbot.crawl.evidence.history import UrlHistory, history_of
from goodbot.crawl.evidence.page_findings import MOST_OF_CRAWL, pack_findings
from goodbot.crawl.evidence.remarks import keep_remark
from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.crawl.evidence.senders import SenderNumbers, SentBy
from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.http.cache_control import cache_control
from goodbot.http.freshness import may_store
from goodbot.http.instants import instant
from goodbot.http.retry_after import retry_instant
from goodbot.robot.events import Failed, Fetched, Remark

__all__ = ["Evidence"]

KEEP = (
    "INSERT INTO evidence(url, visit, at, status, verdicts, findings) VALUES(?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(url, visit) DO NOTHING"
)
LISTED = "findings_listed"
"""The setting that counts the findings on pages that are listed in the crawl."""
MICROSECONDS = 1_000_000
KEEP_REQUEST = (
    "INSERT INTO requests(origin, url, purpose, started, ended, status, failure, bytes, "
    "not_before, no_store, steady, timeline, first_byte, sender, lease) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Evidence:
    r"""The evidence of a crawl in its folder; see `goodbot.crawl.evidence.protocol`.

    Each method adds a row. Call them within `database.changing()`, together with all other changes
    of the visit, so that either everything is stored or nothing.

    Args:
        database: The file of the crawl.
        sent_by: Returns who sent a request; `None` if that is this machine, as it is for a crawl
            that has the folder alone.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> from goodbot import Policy
    >>> from goodbot.crawl.evidence.rows import refused
    >>> from goodbot.crawl.folder.records import Discovery
    >>> from goodbot.crawl.frontier.protocol import QueueEntry
    >>> from goodbot.crawl.frontier.sqlite import SQLiteFrontier
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> body = b"User-agent: *\nDisallow: /private"
    >>> origin, url = "https://a.example", "https://a.example/private"
    >>> policy = Policy.from_response(f"{origin}/robots.txt", 200, {}, body, now=now)
    >>> start = (Discovery(url, "start"), QueueEntry(url, origin, depth=0))
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     evidence = Evidence(database)
    ...     with database.changing():
    ...         database.store.put(origin, policy.as_record(), now)
    ...         (url_id,) = SQLiteFrontier(database, now).add([start], now)
    ...         evidence.keep(url_id, refused(now, policy.verdict(url, "ExampleBot")), visit=1)
    ...     asked = evidence.history(url).asks[0]
    ...     asked.event, [(line.number, line.text) for line in asked.quoted if line.decides]
    ('refused', [(2, 'Disallow: /private')])
    """

    def __init__(
        self, database: Database, sent_by: Callable[[Fetched | Failed], SentBy] | None = None
    ) -> None:
        """Use the database of a crawl."""
        self._database, self._sent_by = database, sent_by
        self._senders = SenderNumbers(database)
        self._results = AddedRows(database, KEEP)
        self._requests = AddedRows(database, KEEP_REQUEST)

    def keep(self, url_id: int, row: EvidenceRow, visit: int | None = None) -> None:
        """Record the result of one visit, unless it is recorded already.

        Args:
            url_id: The number of the URL in the crawl.
            row: The result, as packed by `goodbot.crawl.evidence.rows`.
            visit: The number of the visit to the URL (`QueuedUrl.visit`); a result without a
                number is recorded each time.

        """
        at = instant(row.at, "at")
        if not row.findings:
            self._results.add((url_id, visit, at, row.status, row.verdicts, None))
            return
        with self._database.changing() as connection:
            listed = self._listed()
            found = row.findings.cut(MOST_OF_CRAWL - listed)
            values = (url_id, visit, at, row.status, row.verdicts, pack_findings(found))
            self._results.write()
            is_new = connection.execute(KEEP, values).rowcount > 0
            if is_new and found.listed:
                self._database.write_settings({LISTED: str(listed + len(found.listed))})

    def _listed(self) -> int:
        """Return how many findings on pages the crawl lists."""
        written = self._database.setting(LISTED, "0")
        return int(written) if written.isdecimal() else 0

    def requested(self, event: Fetched | Failed) -> None:
        """Record a request for any purpose: when it began and how it ended.

        Args:
            event: The robot's event about the request.

        """
        ended = instant(event.at, "at")
        status, failure, received, not_before, no_store = None, None, 0, None, False
        first_byte = None
        if isinstance(event, Fetched):
            status, received, first_byte = event.status, event.bytes, event.response.first_byte
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
            received,
            not_before,
            no_store,
            None if event.steady is None else instant(event.steady, "steady"),
            self._database.store.timeline,
            None if first_byte is None else round(first_byte * MICROSECONDS),
        )
        if self._sent_by is None:
            self._requests.add((*row, None, None))
            return
        sent = self._sent_by(event)
        with self._database.changing():
            self._requests.add((*row, self._senders.number_of(sent.sender), sent.lease))

    def remarked(self, remark: Remark, at: datetime) -> bool:
        """Record a message from a site to the operator; return whether it is new.

        Args:
            remark: The message.
            at: When it was read: an aware `datetime`.

        """
        return keep_remark(self._database, remark, at)

    def history(self, url: str) -> UrlHistory | None:
        """Return the history of a URL; `None` if the crawl does not know it.

        Args:
            url: The absolute URL.

        Raises:
            NoOriginError: It is not an absolute http or https URL.

        """
        return history_of(self._database, url)
