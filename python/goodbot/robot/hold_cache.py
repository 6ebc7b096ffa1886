"""The decisions of a robot's operator, read from its store at most once per second.

Scope: when they are read again; `goodbot.policy.holds` decides what follows from them.
"""

import math

from goodbot._core import Dialect
from goodbot.errors import Deferred, Disallowed, MisuseError
from goodbot.http.address import address_of
from goodbot.policy.holds import BLOCKED, Hold, HoldKind, HoldList
from goodbot.robot.store_executor import StoreExecutor
from goodbot.robot.timeline import Timeline
from goodbot.store import HoldKeeper

__all__ = ["HoldCache"]

RELOAD = 1.0
"""The seconds after which they are read again, because another process may have changed them."""


class HoldCache:
    """A cache of the operator's decisions.

    Args:
        store: The robot's store; if it is not a `HoldKeeper` there are no decisions.
        timeline: The source of the time.
        robot: The robot that verdicts name.
        dialect: The dialect that verdicts name.

    """

    def __init__(
        self, store: object, timeline: Timeline, robot: str, dialect: str | Dialect
    ) -> None:
        """Start without any decision; nothing is read yet."""
        self._keeper = store if isinstance(store, HoldKeeper) else None
        self._executor = StoreExecutor(store)
        self._timeline = timeline
        self._robot = robot
        self._dialect = dialect if isinstance(dialect, str) else dialect.name
        self._holds = HoldList()
        self._until = math.inf if self._keeper is None else -math.inf
        """Until when they are used, in seconds of the steady clock."""

    def expire(self) -> None:
        """Make the next call read the decisions again."""
        if self._keeper is not None:
            self._until = -math.inf

    def recent(self, now: float) -> HoldList | None:
        """Return the decisions; `None` if they must be read anew.

        Args:
            now: The seconds of the steady clock.

        """
        return self._holds if now < self._until else None

    @property
    def is_empty(self) -> bool:
        """Whether there is no decision about any URL, and nothing has to be read to know that."""
        return self._holds.is_empty and self._timeline.seconds() < self._until

    async def current(self) -> HoldList:
        """Return the decisions, for many URLs at once.

        Raises:
            StoreError: The store cannot be read.

        """
        now = self._timeline.seconds()
        holds = self.recent(now)
        if holds is None:
            assert self._keeper is not None  # noqa: S101  `recent` needs none otherwise
            holds = self._holds = HoldList(await self._executor.call(self._keeper.holds))
            self._until = now + RELOAD
        return holds

    async def read(self) -> list[Hold]:
        """Return every decision as the store has it now."""
        return list(await self._executor.call(self._kept_by().holds))

    async def find(self, origin: str, url: str) -> Hold | None:
        """Return the decision about a URL; `None` if there is none."""
        return (await self.current()).find(origin, url)

    async def heed(self, origin: str, url: str) -> None:
        """Raise if the operator has blocked or paused a URL or its site.

        Raises:
            Disallowed: The URL or its site is blocked.
            Deferred: Its site is paused.

        """
        hold = await self.find(origin, url)
        if hold is None:
            return
        if hold.reason == BLOCKED:
            raise Disallowed(hold.verdict(url, self._robot, self._dialect))
        raise Deferred(url, None, hold.reason, str(hold))

    async def keep(self, place: str, kind: HoldKind, why: str, by: str) -> Hold:
        """Store a decision; it applies at once."""
        keeper = self._kept_by()
        hold = Hold.of(place, kind, why=why, by=by, at=self._timeline.read().wall)
        await self._executor.call(lambda: keeper.keep_hold(hold))
        self.expire()
        return hold

    async def lift(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision; return whether there was one."""
        keeper = self._kept_by()
        address_of(place)
        is_lifted = await self._executor.call(lambda: keeper.lift_hold(place, kind))
        self.expire()
        return is_lifted

    def _kept_by(self) -> HoldKeeper:
        if self._keeper is None:
            message = (
                "the robot's store cannot keep decisions of its operator; add the methods of "
                "goodbot.store.HoldKeeper to it, or use MemoryStore or SQLiteStore"
            )
            raise MisuseError(message)
        return self._keeper
