"""Crawls of one's own site in memory, as `goodbot crawl --own-site` runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.crawl import Bounds
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.verbs.own_site.key_file import owner_key
from goodbot.crawl.verbs.own_site.own_site_run import run_own_site
from goodbot.crawl.verbs.own_site.ownership import line_of, token_of
from goodbot.robot.identity import identity_of
from tests.support.crawls.memory_crawls import ME, QUICK, SITE, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from goodbot.crawl import Crawl, Summary
    from goodbot.testing import FakeSite

__all__ = ["ROBOT", "crawl_own", "token_at", "token_line"]

ROBOT = identity_of("ExampleBot/1.0", ME["info_url"], ME["contact"])


def token_at(origin: str = SITE) -> str:
    """Return the token that permits the robot at an origin, by the key of the test."""
    return token_of(owner_key(), ROBOT, origin)


def token_line(origin: str = SITE) -> str:
    """Return the line of robots.txt with that token."""
    return line_of(token_at(origin)) + "\n"


def crawl_own(
    folder: Path,
    site: FakeSite,
    *,
    yes: bool = True,
    between: Callable[[int], object] = lambda _: None,
    origins: tuple[str, ...] = (SITE,),
    bounds: dict[str, Any] | None = None,
    **options: Any,  # noqa: ANN401  of many types
) -> ExitStatus:
    """Run the command on a site in memory; `between` is called before each of its runs."""
    within = Bounds(origins=frozenset(origins), **(bounds or {}))
    turns: list[int] = []

    def once(
        make: Callable[..., Crawl], *, goes_on: bool = False
    ) -> tuple[ExitStatus, Summary | None]:
        between(len(turns))
        turns.append(1)
        crawl = make(
            str(folder),
            ROBOT.name,
            **ME,
            start=() if goes_on else [f"{one}/" for one in origins],
            resume=goes_on,
            bounds=within,
            fetcher=site,
            clock=site.clock,
            **{"manners": QUICK, **options},
        )
        return ExitStatus.ALLOWED, run(crawl.run())

    settings = CrawlSettings(bounds=within)
    return run_own_site(once, str(folder), ROBOT, settings, yes=yes, clock=site.clock)
