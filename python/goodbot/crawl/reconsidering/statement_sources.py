"""Where the statements of sites come from: timelines of robots.txt, and live sites asked once.

Scope: from an origin and a time to what is known of it. `goodbot.reconsidering` decides.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Protocol

from goodbot.history import PolicyTimeline
from goodbot.history.values_by_time import TimelineCache
from goodbot.reconsidering import SiteStatements
from goodbot.reconsidering.site_statements import NOT_ASKED

__all__ = ["AskedSites", "FirstKnown", "NothingKnown", "StatementSource", "Timelines"]

MOST_ORIGINS = 10_000
"""How many origins are held in memory."""
STALE = "stale-copy"
"""The reason of a policy that was stored before, of a site that gives no answer."""
AT_ONCE = 16
"""How many sites are asked at the same time, each at its own pace."""


class StatementSource(Protocol):
    """What knows what sites said at a time."""

    def at(self, origin: str, time: datetime | None) -> SiteStatements:
        """Return what a site said; `None` is a time that is not known."""


class NothingKnown:
    """A source that knows nothing."""

    def at(self, origin: str, time: datetime | None) -> SiteStatements:  # noqa: ARG002  see the protocol
        """Return that nothing is known."""
        return SiteStatements(now=time)


class Timelines:
    """What timelines of robots.txt say: of a store, of WARC files, of a table of policies.

    Args:
        read: Returns the timeline of an origin.

    """

    def __init__(self, read: Callable[[str], PolicyTimeline]) -> None:
        """Start with none read."""
        self._known = TimelineCache(read, MOST_ORIGINS)

    def at(self, origin: str, time: datetime | None) -> SiteStatements:
        """Return what a site said at a time."""
        if time is None:
            return SiteStatements()
        then = self._known.of(origin).at(time)
        return SiteStatements(then.policies, time, then.is_current)


class FirstKnown:
    """The first of several sources that knows anything.

    Args:
        sources: The sources.

    """

    def __init__(self, sources: Iterable[StatementSource]) -> None:
        """Store them."""
        self._sources = tuple(sources)

    def at(self, origin: str, time: datetime | None) -> SiteStatements:
        """Return what a site said at a time."""
        found = SiteStatements(now=time)
        for source in self._sources:
            found = source.at(origin, time)
            if found.policies:
                break
        return found


class AskedSites:
    """What live sites say today: each is asked once, several at the same time.

    Args:
        origins: The sites.
        ask: Asks one site; called in several threads.

    """

    def __init__(self, origins: Iterable[str], ask: Callable[[str], SiteStatements]) -> None:
        """Request what each says."""
        names = list(dict.fromkeys(origins))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self._known = dict(zip(names, pool.map(ask, names), strict=True))

    def unreached(self) -> Iterator[str]:
        """Yield why a site gave no answer, for each that gave none."""
        for found in self._known.values():
            if not found.policies:
                yield NOT_ASKED.reason
            for policy in found.policies:
                if not policy.is_answer or policy.reason == STALE:
                    yield policy.reason

    def at(self, origin: str, time: datetime | None) -> SiteStatements:
        """Return what a site says today, whatever the time."""
        return self._known.get(origin, SiteStatements(now=time))
