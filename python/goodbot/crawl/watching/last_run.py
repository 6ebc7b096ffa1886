"""When the latest run of a crawl began.

Scope: reading a setting.
"""

from collections.abc import Mapping
from datetime import datetime

__all__ = ["LATEST_RUN", "latest_run"]

LATEST_RUN, FIRST_RUN = "latest_run", "started"
"""The settings with the starts of runs."""


def latest_run(settings: Mapping[str, str]) -> datetime | None:
    """Return when the latest run started; `None` if it is the only one, or not known."""
    latest, first = settings.get(LATEST_RUN), settings.get(FIRST_RUN)
    if latest is None or latest == first:
        return None
    try:
        started = datetime.fromisoformat(latest)
    except ValueError:
        return None
    return None if started.tzinfo is None else started
