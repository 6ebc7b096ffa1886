"""A crawl of one's own site, which fetches listed pages although robots.txt disallows them.

Scope: what differs from any other crawl. It is no part of the library: an owner who writes a
program can allow its robot in robots.txt.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.page_record import OWN_SITE
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.crawl_run import CrawlRun, Opened
from goodbot.crawl.run.events import Summary
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.verbs.own_site.site_owner import SiteOwner
from goodbot.crawl.watching.last_run import LATEST_RUN
from goodbot.pace import Pace
from goodbot.policy import Policy
from goodbot.robot import Robot
from goodbot.robot.context import RobotContext
from goodbot.robot.origin_state import BY_A_LINE, AppliedPolicy, OriginState
from goodbot.robot.policy_lookup import PolicyLookup, file_size
from goodbot.robot.visit_log import VisitLog
from goodbot.store import Lease

__all__ = ["OwnSiteCrawl", "Sofar"]

WITH_DELAYS = "rfc9309"
"""A dialect that reads Crawl-delay, which Google's does not."""


@dataclass(slots=True)
class Sofar:
    """What the runs of one command did so far, because its limits are for all of them."""

    pages: int = 0
    bytes: int = 0
    seconds: float = 0.0
    began: datetime | None = None
    """When the first of them began; `None` before it."""

    def add(self, summary: Summary) -> None:
        """Count a run, whose pages and bytes include those of the runs before."""
        self.pages, self.bytes = summary.pages, summary.bytes
        self.seconds += (summary.finished - summary.started).total_seconds()


class OwnSiteCrawl(Crawl):
    """A crawl that fetches what its owner was asked about, and no other page against robots.txt.

    Args:
        owner: The owner of the sites.
        listed: The URLs that the owner was asked about; none in the first run of a command.
        sofar: What the runs before did.
        folder: See `Crawl`.
        arguments: The further arguments of `Crawl`.

    """

    def __init__(
        self,
        owner: SiteOwner,
        listed: Collection[str],
        sofar: Sofar,
        folder: str,
        *arguments: Any,  # noqa: ANN401  as `Crawl` has them
        **named: Any,  # noqa: ANN401  as `Crawl` has them
    ) -> None:
        """Check the arguments; nothing is opened before `run`."""
        super().__init__(folder, *arguments, **named)
        self._owner, self._listed, self._sofar = owner, frozenset(listed), sofar
        self._robot_maker = partial(OwnSiteRobot, owner, self._listed)

    def _begin(
        self, database: Database, recorder: Recorder, settings: CrawlSettings, started: datetime
    ) -> None:
        """Queue what robots.txt disallowed: in the first run, to ask a robots.txt that is new.

        What an earlier run stored may be old, or the answer to a conditional request.
        """
        super()._begin(database, recorder, settings, started)
        # What changed since the latest run is asked of the command, and not of a part of it.
        self._sofar.began = self._sofar.began or started
        database.write_settings({LATEST_RUN: self._sofar.began.isoformat()})
        proofs = [f"{proof.origin}: {proof.by}" for _, proof in self._owner.proven.values()]
        if self._listed:
            database.write_settings({OWN_SITE: "; ".join(sorted(proofs))})
        else:
            database.store.make_all_stale(started)
        recorder.frontier.retry([BY_A_LINE], started)
        database.commit()

    def _progress(self, opened: Opened) -> Progress:
        """Return counts that go on where those of the run before ended."""
        progress = super()._progress(opened)
        progress.pages, progress.bytes = self._sofar.pages, self._sofar.bytes
        return progress

    def _opened(self, run: CrawlRun, opened: Opened) -> None:
        """End the run when the runs of the command have taken the seconds of their limit."""
        super()._opened(run, opened)
        seconds = run.settings.bounds.seconds
        if seconds is not None and self._sofar.seconds:
            left = max(seconds - self._sofar.seconds, 0.0)
            asyncio.get_running_loop().call_later(left, run.stop, "time-limit")


class OwnSiteRobot(Robot):
    """A robot that its owner permits to fetch listed URLs of the owner's sites."""

    def __init__(
        self,
        owner: SiteOwner,
        listed: frozenset[str],
        *arguments: Any,  # noqa: ANN401  as `Robot` has them
        **named: Any,  # noqa: ANN401  as `Robot` has them
    ) -> None:
        self._owner, self._listed = owner, listed
        super().__init__(*arguments, **named)

    def _lookup(self, patience: float) -> PolicyLookup:
        """Return what finds the policies of sites, and asks each time whose the site is."""
        return OwnSiteLookup(self._context, patience, self._owner, self._listed)


class OwnSiteLookup(PolicyLookup):
    """A lookup of policies, each of which is a permission if it proves whose the site is."""

    def __init__(
        self, context: RobotContext, patience: float, owner: SiteOwner, listed: frozenset[str]
    ) -> None:
        """Store the parts."""
        super().__init__(context, patience)
        self._owner, self._listed = owner, listed

    async def recall(self, state: OriginState) -> None:
        """Apply the stored policy of an origin if it is fresh; else the site is asked again.

        A visit may use one that is not, shortly after it was fetched, and would then be judged by a
        robots.txt from before its owner added the token.
        """
        kept = await self._kept(state)
        if kept is not None and self._context.now() < kept.fresh_until:
            await super().recall(state)

    async def apply(self, state: OriginState, policy: Policy) -> None:
        """Apply a policy to an origin, with the permission that it proves."""
        applied = await self._at(file_size(policy), partial(self._applied, state, policy))
        state.know(policy, applied, await self._owner.permit(policy, self._listed))

    def _applied(self, state: OriginState, policy: Policy) -> AppliedPolicy:
        """Return a policy, applied to the robot; a Crawl-delay counts in every dialect."""
        applied, robot = state.applied(policy), self._context.identity.product
        known = policy.rules_for(robot)
        if known is None or known.crawl_delay is not None:
            return applied
        whole = policy.in_dialect(WITH_DELAYS)
        pace = Pace(whole.rules_for(robot), manners=state.manners, robots_txt=whole.robots_txt)
        return applied._replace(pace=pace)

    async def _inquired(
        self, state: OriginState, previous: Policy | None, lease: Lease, log: VisitLog | None
    ) -> Policy:
        """Request the whole robots.txt each time: one that a 304 confirms proves nothing."""
        del previous
        return await super()._inquired(state, None, lease, log)
