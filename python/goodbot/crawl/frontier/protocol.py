"""The queue of a crawl, as a protocol: which URL is next, and what became of each.

Scope: the protocol, the values passed through it, and what queues share. The queue in
`goodbot.crawl.frontier.sqlite` is stored in the folder of a crawl, the one in
`goodbot.crawl.frontier.memory` is kept in memory. You can write another one, such as one shared by
many machines, and pass it to `goodbot.crawl.Crawl`; it needs no base class, and
`goodbot.testing.FrontierSuite` tests it. Numbers of URLs are above 0.

**A visit** is one lease of one URL. `take` leases a URL and counts its leases: `QueuedUrl.id` and
`QueuedUrl.visit` together identify the visit, and no other lease ever has the same two. A lease
ends when it is settled or given back. The queue also ends leases whose holder is gone: the queue in
a folder ends all leases when it is opened, and a shared queue ends each lease after a timeout.

**The results of a visit** are written in seven parts, in this order. Each part is atomic:

| part | if it is written twice | after a crash that follows it |
|---|---|---|
| 1. `Frontier.add`, the links | known URLs stay as they are | they are visited in any case |
| 2. `LinkWriter.record`, `remove` | nothing changes | the next visit replaces them |
| 3. `Archive.keep`, `forget` | the visit is known | the next visit replaces or confirms the copy |
| 4. `InventoryWriter.record`, `withdraw` | nothing changes | the next visit writes it again |
| 5. `Evidence.keep` | the visit is known | it has one more visit, which did take place |
| 6. `Index.put`, `describe`, `remove` | nothing changes | the next visit writes it again |
| 7. `Frontier.settle` | the lease has ended: `False` | the visit is complete |

The URL stays leased until part 7. So after a crash the URL is visited again, under a new number,
and a URL is never settled without its evidence. To write the parts again, for example after an
error, call `holds` first: a settled visit is complete, and if its lease was taken away, another
holder has the URL. In the folder of a crawl all parts are one transaction in one file
(`Database.changing`). If the queue is stored elsewhere, the folder is committed before part 7, and
the queue must make a lease durable before `take` returns, so that the number of a visit is never
used twice.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.folder.states import State
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "MOST_CRASHES",
    "Candidate",
    "Frontier",
    "Outcome",
    "QueueEntry",
    "ScopeFilter",
    "end_of_chain",
]

ScopeFilter: TypeAlias = Callable[[str, str, int], str | None]
"""Takes a URL, its origin and its depth; returns the slug of the reason why the URL is outside the
bounds of the crawl, or `None`."""

MOST_CRASHES = 10
"""How many times the process may end during a visit to a URL before the URL is given up, because it
may be the cause. Until then it is queued after all others each time, so that it delays none."""


class QueueEntry(NamedTuple):
    """The place of a URL in the crawl."""

    url: str
    """The URL in its normal form."""
    origin: str
    """The origin of the URL."""
    depth: int
    """The number of links between a start URL and this one."""
    hops: int = 0
    """The number of consecutive redirects that led to it."""
    skip_reason: str = ""
    """The slug of the reason why it is not to be visited; empty if it is to be."""
    source: str = ""
    """The statement that decided."""
    spelling: str = ""
    """The URL as found, if its escapes differ."""


Candidate: TypeAlias = tuple[Discovery, QueueEntry]
"""How a URL was found, and its place in the crawl."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a URL."""

    state: State
    """The new state of the URL."""
    reason: str
    """The reason, as a slug."""
    source: str = ""
    """The statement that decided."""
    status: int | None = None
    """The status of the response, if there was one."""
    due: datetime | None = None
    """When to visit it again; `None`: never."""
    target: int | None = None
    """The number of the URL that it leads to."""
    failed: bool = False
    """Whether this counts as a failed attempt."""

    def __post_init__(self) -> None:
        """Shorten a long source, because thousands of URLs may have the same one."""
        object.__setattr__(self, "source", shortened(self.source))


@runtime_checkable
class Frontier(Protocol):
    """The queue of a crawl; see the module for visits, order and recovery.

    Every method is atomic. URLs of one origin are taken in the order in which they are due, and in
    the order in which they were found if they are due at the same time. Only one URL of an origin
    is leased at a time, and none before the time passed to `free`. All times are aware.

    A queue for which each call costs may have two further methods, which a crawl calls in place of
    `settle`: `settle_soon`, with a list of its arguments, ends their leases, and `settle_now` lets
    the queue record those that are older than some seconds. The second argument of `settle_soon`
    makes the folder durable, and is to be called before they are recorded; if it returns false,
    they must not be recorded yet.

    A queue whose numbers are hashes of URLs may have `number_of`, which returns that of a URL; a
    folder has smaller numbers of its own then.
    """

    def add(self, found: Iterable[Candidate], now: datetime) -> list[int]:
        """Queue the URLs found on one page, due at once.

        A known URL stays as it is, unless it was skipped and may be visited now. So adding the same
        URLs again changes nothing, except that URLs that are not kept are counted again.

        Returns:
            The number of each URL; 0 for a URL that is not kept because the page or the crawl has
            too many (`goodbot.crawl.frontier.quota`).

        """

    def again(self, now: datetime, *, early: bool = False) -> int:
        """Queue every URL that is due to be visited again; return how many.

        With `early`, all that would be due later count as due now.
        """

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Make URLs due at once that are queued, failed or disallowed for one of some reasons."""

    def revisit(self, reason: str, is_wanted: Callable[[str], bool], now: datetime) -> int:
        """Queue URLs that are done, due at once.

        Args:
            reason: The reason for which they are done.
            is_wanted: Returns whether to queue a URL, by its `source`.
            now: The current time.

        Returns:
            The number of URLs queued.

        """

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue every URL, due at once, that was skipped as out of bounds and is now within them.

        A URL of which only the beginning is kept (`goodbot.crawl.frontier.quota`) stays skipped
        until it is found again.

        Args:
            refuses: The present bounds.
            now: The current time.
            lifted: Other reasons for which URLs were skipped and which no longer apply.

        Returns:
            The number of URLs queued.

        """

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the number and the reason of every URL that is out of bounds but not skipped yet.

        Args:
            refuses: The present bounds.

        """

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, which are then no longer visited.

        Args:
            found: Their numbers, each with its reason, as returned by `outside`.
            now: The current time.

        """

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return the number and the URL of each URL of an origin that is not skipped."""

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Record the outcome of URLs without a visit, because the operator decided it.

        If one of them is being visited, the visit loses its lease, and its result changes nothing.

        Args:
            url_ids: The numbers of the URLs.
            outcome: The outcome of each; its state must not be `queued`.
            now: The current time.

        """

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL that is due; `None` if there is none now.

        Its origin is busy until `free` is called.
        """

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under the lease with which it was taken."""

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Record the outcome of a URL, and end its lease: the last part of a visit.

        With the state `queued`, the URL is queued for another visit, due at `outcome.due`.

        Returns:
            Whether the lease was held. If not, nothing changes: the visit was settled or given
            back, or its lease was taken away.

        """

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Return a URL to its place in the queue, as if it had not been taken.

        Args:
            taken: The URL.
            reason: The slug of the reason why it is still queued; empty: keep the previous one.
            source: The statement that decided.

        Returns:
            Whether the lease was held; if not, nothing changes.

        """

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Allow visits to the origin of a URL again, from a given time; `None`: at once."""

    @property
    def earliest(self) -> datetime | None:
        """When the next URL may be taken; `None` if all origins with queued URLs are busy."""

    def waiting(self, origin: str = "") -> int:
        """Count the queued URLs of an origin, or all of them if it is empty, without reading them.

        Args:
            origin: The origin; empty for all origins.

        """

    def how_many(self) -> dict[str, int]:
        """Count the URLs by state, in the order of `goodbot.crawl.folder.states.STATES`."""

    @property
    def not_kept(self) -> int:
        """The number of URLs that were found but not kept, counted each time they were found."""

    def end_of(self, url_id: int, start: int) -> int:
        """Return the last URL that a URL leads to, following the targets of settled URLs.

        Args:
            url_id: The number of the URL.
            start: The number of the URL that led to it; the chain is not followed beyond it.

        """

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, directly or through others."""

    def close(self) -> None:
        """Leave the queue in a state that another process can open."""


def end_of_chain(url_id: int, start: int, target_of: Callable[[int], int | None]) -> int:
    """Return the last URL that a URL leads to; see `Frontier.end_of`.

    Args:
        url_id: The number of the URL.
        start: The number of the URL that led to it; the chain is not followed beyond it.
        target_of: Returns the number of the URL that a URL leads to, or `None`.

    >>> end_of_chain(1, 9, {1: 2, 2: 3}.get), end_of_chain(1, 9, {1: 2, 2: 1}.get)
    (3, 2)
    """
    seen = {url_id}
    while url_id != start:
        target = target_of(url_id)
        if target is None or target in seen:
            break
        seen.add(target)
        url_id = target
    return url_id
