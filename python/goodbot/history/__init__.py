r"""robots.txt over time: one timeline, and what it is read from.

>>> from datetime import datetime, timezone
>>> from goodbot.history import PolicyTimeline
>>> may = datetime(2026, 5, 1, tzinfo=timezone.utc)
>>> timeline = PolicyTimeline.declared(
...     "https://example.com", [(may, b"User-agent: *\nDisallow: /private")]
... )
>>> len(timeline.policies)
1

The timeline decides, and has no clock; `read_timeline` reads one from a store.
"""

from goodbot.history.policy_timeline import LearnedPolicy, PoliciesThen, PolicyTimeline
from goodbot.history.store_timelines import read_timeline

__all__ = ["LearnedPolicy", "PoliciesThen", "PolicyTimeline", "read_timeline"]
