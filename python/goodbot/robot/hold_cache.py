"""The decisions of a robot's operator, as a robot knows them: read from its store, a second old.

What may live here: when they are read again. What follows from them is decided in
`goodbot.policy.holds`.
"""

from datetime import datetime, timedelta

from goodbot._core import Dialect
from goodbot.errors import Deferred, Disallowed, MisuseError
from goodbot.http.address import address_of
from goodbot.policy.holds import BLOCKED, Hold, HoldKind, HoldList
from goodbot.robot.store_executor import StoreExecutor
from goodbot.robot.timeline import Timeline
from goodbot.store import HoldKeeper

__all__ = ["HoldCache"]

RELOAD = timedelta(seconds=1)
"""After so long they are read again: somebody else may have decided something."""


class HoldCache:
    """Looks up what the operator has decided about a URL.

    Args:
        store: The robot's store; if it is no `HoldKeeper` there are no decisions.
        timeline: Where the time comes from.
        robot: Of whom verdicts speak.
        dialect: The dialect that they name.

    """

    def __init__(
        self, store: object, timeline: Timeline, robot: str, dialect: str | Dialect
    ) -> None:
        """Read nothing yet."""
        self._keeper = store if isinstance(store, HoldKeeper) else None
        self._executor = StoreExecutor(store)
        self._timeline = timeline
        self._robot = robot
        self._dialect = dialect if isinstance(dialect, str) else dialect.name
        self._holds = HoldList()
        self._read_at: datetime | None = None

    def expire(self) -> None:
        """Read the decisions again at the next question."""
        self._read_at = None

    async def find(self, origin: str, url: str) -> Hold | None:
        """Return the decision about a URL; `None` if there is none."""
        if self._keeper is None:
            return None
        now = self._timeline.read().steady
        if self._read_at is None or not timedelta(0) <= now - self._read_at < RELOAD:
            self._holds = HoldList(await self._executor.call(self._keeper.holds))
            self._read_at = now
        return self._holds.find(origin, url)

    async def heed(self, origin: str, url: str) -> None:
        """Let nobody ask about a URL that the operator keeps the robot away from.

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
        """Write a decision down; it holds at once."""
        keeper = self._kept_by()
        hold = Hold.of(place, kind, why=why, by=by, at=self._timeline.read().wall)
        await self._executor.call(lambda: keeper.keep_hold(hold))
        self.expire()
        return hold

    async def lift(self, place: str, kind: HoldKind) -> bool:
        """Take a decision back; return whether there was one."""
        keeper = self._kept_by()
        address_of(place)
        is_lifted = await self._executor.call(lambda: keeper.lift_hold(place, kind))
        self.expire()
        return is_lifted

    def _kept_by(self) -> HoldKeeper:
        if self._keeper is None:
            message = (
                "the robot's store keeps no decisions of its operator; give it the methods of "
                "goodbot.store.HoldKeeper, or use MemoryStore or SQLiteStore"
            )
            raise MisuseError(message)
        return self._keeper
