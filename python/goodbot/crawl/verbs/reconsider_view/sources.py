"""Where `goodbot reconsider` learns what sites say now: themselves, or a table of policies.

Scope: from options to a source of statements.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from goodbot.cli.shared.identity import identity_for_robots_txt, visitor
from goodbot.cli.shared.options import SiteOptions
from goodbot.crawl.reconsidering.statement_sources import (
    AskedSites,
    FirstKnown,
    NothingKnown,
    StatementSource,
    Timelines,
)
from goodbot.reconsidering import HeldUse

__all__ = ["source_of_now", "source_of_table"]


def source_of_table(path: str) -> StatementSource:
    """Return what a table of policies says.

    Raises:
        MisuseError: It is no table of policies.
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    from goodbot.tables.building import open_table, policy_timeline  # noqa: PLC0415  an extra

    open_table(path)  # fails before anything is read
    return Timelines(partial(policy_timeline, path))


def source_of_now(
    uses: Sequence[HeldUse],
    origins: Sequence[str],
    robot: str,
    dialect: str,
    *,
    policies: str | None,
    own: StatementSource,
    at: datetime | None,
    now: datetime,
    site_options: SiteOptions,
) -> StatementSource:
    """Return what sites say now, or said at a time.

    Args:
        uses: The uses that are asked about.
        origins: The sites.
        robot: The robot that is asked about.
        dialect: The dialect in which robots.txt is read.
        policies: A table of policies; `None` to ask the sites.
        own: What is held of robots.txt itself.
        at: The time of `--at`.
        now: The current time.
        site_options: How sites are visited.

    Raises:
        MisuseError: The identity of the robot is missing or cannot be used.

    """
    asked = [one for one in uses if one != "takedown"]
    if not asked:
        return NothingKnown()
    if policies is not None:
        return source_of_table(policies)
    if at is not None:
        return FirstKnown([own])
    from goodbot.cli.shared.live_sites import LiveSites  # noqa: PLC0415  slow to load
    from goodbot.live import site_statements  # noqa: PLC0415  as above

    only_fetching = asked == ["fetch"]
    identity = identity_for_robots_txt(site_options) if only_fetching else visitor(site_options)
    if not origins:
        return NothingKnown()
    with LiveSites(robot, site_options, dialect, identity=identity) as sites:
        ask = partial(
            site_statements,
            robot=sites.asker,
            name=robot,
            now=now,
            only_fetching=only_fetching,
            longest_wait=site_options.seconds,
        )
        return AskedSites(origins, ask)
