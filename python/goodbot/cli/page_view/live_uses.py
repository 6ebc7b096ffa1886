"""`goodbot page uses URL`: who visits, and for how long it waits.

Scope: from options to a robot. `goodbot.live` fetches, and `goodbot.uses` decides.
"""

from datetime import datetime, timezone

from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.live_sites import LiveSites
from goodbot.cli.shared.options import SiteOptions
from goodbot.live import LiveUses, page_uses
from goodbot.pace import Manners

__all__ = ["ask_site"]

MANNERS = Manners(default=1.0)
"""The pace if the site states none: a person waits for a page and at most some ten small files."""


def ask_site(
    url: str, robot: str, page_dialect: str | None, site_options: SiteOptions
) -> tuple[LiveUses, str]:
    """Fetch a page and what belongs to it; return the answers, and the name that the site saw.

    Raises:
        MisuseError: The identity of the robot is missing or cannot be used.
        GoodbotError: See `goodbot.live.page_uses`.

    """
    identity = visitor(site_options)
    with LiveSites("*", site_options, "rfc9309", identity=identity, manners=MANNERS) as sites:
        found = page_uses(
            url,
            sites,
            robot,
            now=datetime.now(timezone.utc),
            longest_wait=site_options.seconds,
            page_dialect=page_dialect,
        )
    return found, identity.user_agent
