"""The queue of a crawl as everybody else sees it: which URL is next, and what became of each.

What may live here: the protocol, and the values that go through it. `goodbot.crawl.frontier.sqlite`
keeps a queue in the folder of a crawl, `goodbot.crawl.frontier.memory` in memory. Another one, such
as one that many machines share, derives from nothing; `goodbot.testing.FrontierSuite` tests it.

**A visit** is one lease of one URL. `take` leases a URL and counts its leases: `QueuedUrl.id` with
`QueuedUrl.visit` names the visit, and no other lease ever has both. A lease ends when it is settled
or given back, or by the queue itself when its holder is gone: the queue in a folder ends all leases
when it is opened, one that is shared ends each after a time of its own.

**What came of a visit** is written down in parts, in this order, each whole or not at all:

| part | written twice | after a crash behind it |
|---|---|---|
| 1. `Frontier.add`, the links | known URLs stay as they are | they are visited in any case |
| 2. `Archive.keep`, `forget` | the visit is known | the next visit replaces or confirms the copy |
| 3. `Evidence.keep` | the visit is known | it shows one visit more, which was made |
| 4. `Index.put`, `describe`, `remove` | the same is replaced by the same | the next visit does so |
| 5. `Frontier.settle` | the lease is over: `False` | the visit is complete |

Until part 5 the URL stays leased, so that a crash leads to another visit, with a number of its own,
and never to a URL that is settled without its evidence. Whoever writes the parts again, as after an
error, first asks `holds`: a visit that is settled is complete, and one whose lease was taken away
belongs to somebody else. In the folder of a crawl all parts are one transaction of one file
(`Database.changing`); where they are kept apart a queue must make a lease last before `take`
returns, so that the number of a visit is never used twice.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias, runtime_checkable

from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.folder.states import State
from goodbot.http.quoting import shortened

__all__ = ["MOST_CRASHES", "Candidate", "Frontier", "Outcome", "QueueEntry", "ScopeFilter"]

ScopeFilter: TypeAlias = Callable[[str, str, int], str | None]
"""Returns the slug why a URL (URL, origin, depth) is outside the bounds of a crawl, or `None`."""

MOST_CRASHES = 10
"""After so many visits in the midst of which the process ended, a URL is not tried again: it may be
why. Until then it goes behind all others each time, and keeps none of them from its turn."""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """Where a URL that was found stands in the crawl."""

    url: str
    """The URL in its normal form."""
    origin: str
    depth: int
    hops: int = 0
    """How many redirects led to it in a row."""
    skip_reason: str = ""
    """Why it is not to be visited, a slug; empty if it is."""
    source: str = ""
    """Who says so."""
    spelling: str = ""
    """The URL as it was found, where its escapes are other ones."""


Candidate: TypeAlias = tuple[Discovery, QueueEntry]
"""How a URL was found, and where it stands in the queue."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has become of a URL."""

    state: State
    reason: str
    """Why, a slug."""
    source: str = ""
    """Who says so."""
    status: int | None = None
    due: datetime | None = None
    """When to visit it again; `None`: never."""
    target: int | None = None
    """The number of the URL to which it leads."""
    failed: bool = False
    """Whether this counts as an attempt in vain."""

    def __post_init__(self) -> None:
        """Keep the beginning of a long source: thousands of URLs may have the same."""
        object.__setattr__(self, "source", shortened(self.source))


@runtime_checkable
class Frontier(Protocol):
    """The queue of a crawl; see the module for visits, order and recovery.

    Every method is whole or not at all. URLs of one origin come in the order in which they are due,
    those found first first; of an origin no two URLs are leased at once, and none before the time
    that `free` was told. Times are aware.
    """

    def add(self, found: Iterable[Candidate], now: datetime) -> list[int]:
        """Queue what was found on one page, due at once.

        A URL that is known stays as it is, unless it was skipped and may be visited now. So adding
        the same again changes nothing, save that URLs that are not kept are counted again.

        Returns:
            The number of each URL; 0 for one that is not kept, as the page or the crawl has too
            many (`goodbot.crawl.frontier.quota`).

        """

    def again(self, now: datetime) -> int:
        """Queue every URL whose time to be visited again has come; return how many these are."""

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Queue at once what waits, was given up or is disallowed for one of some reasons."""

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue at once every URL that was skipped as out of bounds, and is within them now.

        A URL of which only the beginning is kept (`goodbot.crawl.frontier.quota`) stays skipped
        until it is found again.

        Args:
            refuses: The bounds, as they are now.
            now: The time.
            lifted: Other reasons for which URLs were skipped, and for which none is any more.

        Returns:
            How many these are.

        """

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the number of every URL that is out of bounds and not skipped yet, and why.

        Args:
            refuses: The bounds, as they are now.

        """

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, which are not visited any more.

        Args:
            found: Their numbers, each with the reason: what `outside` returns.
            now: The time.

        """

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return the number and the URL of everything at an origin that is not skipped."""

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Write down what becomes of URLs without a visit, as the operator decides.

        A visit of one of them that is under way loses its lease: what it comes to changes nothing.

        Args:
            url_ids: Their numbers.
            outcome: What becomes of each; no state in which it waits.
            now: The time.

        """

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL whose time has come; `None` if there is none now.

        Its origin is busy until `free`.
        """

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under the lease with which it was taken."""

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Write down what has become of a URL, and end its lease: the last part of a visit.

        With the state `queued` it waits for its next visit, due at `outcome.due`.

        Returns:
            Whether the lease was held. If it was not, nothing changes: the visit is settled, was
            given back, or the lease was taken away.

        """

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Put a URL back into its place in the queue, as if it had not been taken.

        Args:
            taken: The URL.
            reason: Why it waits, a slug; empty: as before.
            source: Who says so.

        Returns:
            Whether the lease was held; nothing changes if it was not.

        """

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Let the origin of a URL be visited again, from a time on; `None`: at any time."""

    @property
    def earliest(self) -> datetime | None:
        """When the next URL may be taken; `None` if no origin that is not busy has one waiting."""

    def waiting(self, origin: str = "") -> int:
        """Count the URLs that wait, of one origin or, if empty, of all, without reading them."""

    def how_many(self) -> dict[str, int]:
        """Count the URLs by state, in the order of `goodbot.crawl.folder.states.STATES`."""

    @property
    def not_kept(self) -> int:
        """How many URLs were found and not kept, each as often as it was found."""

    def end_of(self, url_id: int, start: int) -> int:
        """Follow where a URL leads, by the targets of what was settled, to the end.

        Args:
            url_id: The number of the URL.
            start: The number of the URL from which one came; nobody goes beyond it.

        """

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, also by others between."""

    def close(self) -> None:
        """Leave the queue as another process may take it up."""
