"""The database of one part, whose budget is shared with the other processes where it must be.

Scope: where the account of an origin or of a server group is. It is in one place at any time, so
that the pace of a site holds whichever process visits it:

| the account of | is in |
|---|---|
| a server group | the database of the face, which all processes share |
| a site of this process | this part, where a lease costs no transaction of its own |
| a site of this process that another one has asked for | the database of the face, for ever |

Another process asks for it only if a robots.txt redirects to that site. It waits until the site's
own process has moved the account there.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.folder_store import FolderStore
from goodbot.crawl.folder.shares import Shares, part_folder
from goodbot.pace import History
from goodbot.store import Later, Lease
from goodbot.store.account import Account
from goodbot.store.backend import OF_A_GROUP, key_of

__all__ = ["PartDatabase", "PartStore"]

ASK_AGAIN = timedelta(seconds=0.2)
"""How soon to look again whether an account has been moved."""
WANT_AGAIN = timedelta(seconds=5)
"""How soon to request again that an account be moved. The first request may be lost."""


class PartDatabase(Database):
    """The database of one part, with a store that knows where each account is.

    Args:
        folder: The folder of the crawl.
        part: The number of the process.
        shares: How the sites are shared out.
        want: Called with each origin whose account another process must move.

    """

    store: "PartStore"

    def __init__(
        self, folder: Path, part: int, shares: Shares, want: Callable[[str], object]
    ) -> None:
        """Open the part, and the database that all processes share."""
        super().__init__(part_folder(folder, part), create=True)
        try:
            self._common = Database(folder)
            self.store = PartStore(self, self._common.store, part, shares, want)
        except BaseException:
            super().close()
            raise

    def close(self) -> None:
        """Close both databases."""
        super().close()
        self._common.close()


class PartStore(FolderStore):
    """The store of one part, whose accounts are in one of two databases.

    Args:
        database: The database of the part.
        common: The store that all processes share.
        part: The number of the process.
        shares: How the sites are shared out.
        want: Called with each origin whose account another process must move.

    """

    def __init__(
        self,
        database: Database,
        common: FolderStore,
        part: int,
        shares: Shares,
        want: Callable[[str], object],
    ) -> None:
        """Read which accounts were moved."""
        super().__init__(database)
        self._number, self._shares, self._want = part, shares, want
        self._common = common
        self._moved = set(common.accounts())
        self._holders: dict[str, FolderStore] = {}
        """A cache: by origin or server group, the store with the account."""
        self._wanted: dict[str, datetime] = {}
        """When to request again that the account of an origin be moved."""

    def _holder(self, origin: str) -> FolderStore | None:
        """Return the store with an account; `None` if another process has not moved it yet."""
        holder = self._holders.get(origin)
        if holder is None:
            key = key_of(origin)
            if key.startswith(OF_A_GROUP) or key in self._moved:
                holder = self._common
            elif self._shares.owner(key) == self._number:
                holder = self
            else:
                return None
            self._holders[origin] = holder
        return holder

    def move(self, origin: str) -> None:
        """Move the account of a site of this process to the database that all share."""
        if origin not in self._moved:
            self._common.adopt(origin, self)
            self._moved.add(origin)
            self._holders.clear()

    def has_moved(self, origin: str) -> None:
        """Use the account of a site of another process, which has moved it."""
        self._moved.add(origin)
        self._holders.clear()
        self._wanted.pop(origin, None)

    # The budget.

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; both databases count from the same point."""
        zero = self._common.keep_time(boot, wall, counted)
        super().keep_time(boot, zero + counted, counted)
        return super().keep_time(boot, wall, counted)

    def acquire(
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Acquire the right to make one visit, from the database with the account."""
        where = self._holder(origin)
        if where is None:
            key = key_of(origin)
            if now >= self._wanted.get(key, now):
                self._wanted[key] = now + WANT_AGAIN
                self._want(key)
            return Later(now + ASK_AGAIN, "leased", "another process")
        acquire = super().acquire if where is self else where.acquire
        return acquire(
            origin, now, lease_seconds, holder, pause=pause, for_robots_txt=for_robots_txt
        )

    def release(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool:
        """Release a lease where its account is."""
        where = self._holder(lease.origin)
        release = super().release if where in {None, self} else where.release
        return release(lease, ended=ended, not_before=not_before, reason=reason, history=history)

    def waits(self, now: datetime) -> Iterator[tuple[str, Account]]:
        """Yield what must not be visited yet, from both databases."""
        yield from super().waits(now)
        yield from self._common.waits(now)

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time."""
        where = self._holder(origin)
        block = self._common.block if where is self._common else super().block
        block(origin, until, reason)

    def visits(self, origin: str) -> History:
        """Return the history of visits; none while another process has the account."""
        where = self._holder(origin)
        return self._common.visits(origin) if where is self._common else super().visits(origin)
