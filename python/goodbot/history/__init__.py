r"""robots.txt over time: one timeline, and what it is read from.

>>> from datetime import datetime, timezone
>>> from goodbot.history import PolicyTimeline
>>> may = datetime(2026, 5, 1, tzinfo=timezone.utc)
>>> timeline = PolicyTimeline.declared(
...     "https://example.com", [(may, b"User-agent: *\nDisallow: /private")]
... )
>>> len(timeline.learned)
1

The timeline decides, and has no clock; `read_timeline` reads one from a store.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.history.policy_timeline import LearnedPolicy, PoliciesThen, PolicyTimeline
    from goodbot.history.store_timelines import read_timeline

__all__ = ["LearnedPolicy", "PoliciesThen", "PolicyTimeline", "read_timeline"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "policy_timeline": ("LearnedPolicy", "PoliciesThen", "PolicyTimeline"),
        "store_timelines": ("read_timeline",),
    },
)
