"""How answers of robots.txt that someone else captured are read together.

Scope: the limits that an import of WARC files and a build of a table of policies share, so that
both find the same policies.
"""

from datetime import timedelta

__all__ = ["MOST_TIED", "REDIRECTED_WITHIN"]

MOST_TIED = 8
"""How many answers for one URL at the same time are distinguished; if there are more, nothing is
allowed then."""
REDIRECTED_WITHIN = timedelta(hours=1)
"""The target of a redirect counts if it was captured within this time after it."""
