"""In which dialect a known robot reads pages.

Scope: the name of the dialect; `goodbot.page` reads.
"""

from goodbot.bots.user_agents import known
from goodbot.page.dialects import PAGE_DIALECTS

__all__ = ["page_dialect_for"]


def page_dialect_for(robot: str) -> str:
    """Return the dialect in which a robot reads pages; `google` if that is not known.

    >>> page_dialect_for("bingbot"), page_dialect_for("GPTBot")
    ('bing', 'google')
    """
    found = known(robot)
    return found.dialect if found and found.dialect in PAGE_DIALECTS else "google"
