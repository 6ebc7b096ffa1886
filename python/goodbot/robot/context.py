"""The context of a robot: its clock, fetcher, store and listeners."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from goodbot._core import Dialect
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Clock, Fetcher, Limits, Response
from goodbot.net.fetcher import HeaderFields
from goodbot.robot.events import Event, Remark, tell
from goodbot.robot.group_lookup import GroupLookup
from goodbot.robot.hold_cache import HoldCache
from goodbot.robot.identity import Identity
from goodbot.robot.leases import Leases
from goodbot.robot.origin_state import OriginCache, OriginState
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.robot.timeline import Now, Timeline
from goodbot.signatures.signing import SignatureDemand
from goodbot.store import Store

__all__ = ["LONGEST_SLEEP", "RobotContext", "Store"]

LOG = logging.getLogger("goodbot.robot")

MOST_REMARKS = 100
LONGEST_REMARK = 1_000
"""The most remarks of one site that are passed on, and the most characters of each."""

CUT = "cut"
"""The kind of the remark that further ones are not passed on."""

LONGEST_SLEEP = 86_400.0
"""The most seconds of one sleep; then the robot checks again whether it must still wait."""


@dataclass(frozen=True, slots=True)
class RobotContext:
    """Everything that the parts of a robot share."""

    identity: Identity
    clock: Clock
    timeline: Timeline
    fetcher: Fetcher
    store: Store
    leases: Leases
    origins: OriginCache
    groups: GroupLookup
    holds: HoldCache
    """The operator's decisions."""
    limits: Limits
    """The limits of a request for a page."""
    robots_txt_limits: Limits
    dialect: str | Dialect
    on_event: Callable[[Event], object] | None
    on_comment: Callable[[Remark], object] | None
    signing: SigningIdentity | None = None
    """The identity by which requests are signed; `None` if they are not."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return self.read().wall

    def read(self) -> Now:
        """Return the time of day and the steady time."""
        return self.timeline.read()

    async def find_group(self, state: OriginState) -> None:
        """Find the server group of an origin, so that a lease may be requested.

        Finding an address may take a while, so read the time afterwards.
        """
        state.group = await self.groups.of(state.origin)

    async def sleep_until(self, then: datetime) -> None:
        """Sleep until an instant of steady time, but for 1 day at most."""
        # One microsecond more, because the float may be slightly below the exact value.
        seconds = (then - self.read().steady) / timedelta(seconds=1) + 1e-6
        await self.clock.sleep(min(max(seconds, 0.0), LONGEST_SLEEP))

    def fetch(
        self,
        url: str,
        headers: HeaderFields,
        limits: Limits,
        demand: SignatureDemand | None = None,
    ) -> Awaitable[Response]:
        """Fetch a URL; the fields that identify the robot come first, and those that prove it last.

        Each request is signed by itself, for its own URL, so that nothing that was signed for one
        site is sent to another.
        """
        lines = (*self.identity.headers, *headers)
        if self.signing is not None:
            lines += self.signing.sign(url, self.now(), lines=lines, demand=demand)
        return self.fetcher.fetch(url, headers=lines, limits=limits)

    def demanded_signature(self, url: str, response: Response) -> SignatureDemand | None:
        """Return the signature that an answer asks for; `None` if the robot gives none."""
        if self.signing is None:
            return None
        return self.signing.demanded(
            response.status, response.headers, url, lines=self.identity.headers
        )

    def tell(self, event: Event) -> None:
        """Report an event to `on_event`."""
        if self.on_event is not None:
            tell(self.on_event, event)

    def remark(self, state: OriginState, kind: str, text: str, key: object) -> None:
        """Report a site's remark to the operator, each only once, and that there are too many."""
        if key in state.told or CUT in state.told:
            return
        if len(state.told) >= MOST_REMARKS:
            kind, key = CUT, CUT
            text = (
                f"more messages than the first {MOST_REMARKS} are not passed on; "
                f"'goodbot rules {state.origin}' lists its comments"
            )
        text = shortened(text, LONGEST_REMARK)
        state.told.add(key)
        remark = Remark(state.origin, kind, text)
        LOG.info("%s", remark)
        tell(self.on_comment, remark)
