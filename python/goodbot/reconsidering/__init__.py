r"""What is held already, and what today's statements say about it.

>>> from datetime import datetime, timezone
>>> from goodbot.policy import Policy
>>> from goodbot.reconsidering import SiteJudge, SiteStatements, what_to_do
>>> now = datetime(2026, 7, 1, tzinfo=timezone.utc)
>>> file = b"User-agent: *\nDisallow: /lamps"
>>> policy = Policy.from_response("https://a.example/robots.txt", 200, {}, file, now=now)
>>> site = SiteJudge(SiteStatements((policy,), now=now), "ExampleBot", ("fetch",))
>>> answer = site.answers("https://a.example/lamps/1")["fetch"]
>>> answer.status, answer.line, what_to_do("fetch", answer.status)
('disallowed', 2, 'remove')

Scope: this package decides; it uses no clock, socket or disk. What is held is read by others, and
what sites say now is fetched by others.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.reconsidering.decision import (
        ACTIONS,
        HELD_STATUSES,
        HELD_USES,
        HeldAction,
        HeldAnswer,
        HeldUse,
        UnknownChoice,
        what_to_do,
    )
    from goodbot.reconsidering.reconsidered import COLUMNS, Reconsidered
    from goodbot.reconsidering.site_statements import SiteJudge, SiteStatements
    from goodbot.reconsidering.takedown import TakedownList, read_takedown

__all__ = [
    "ACTIONS",
    "COLUMNS",
    "HELD_STATUSES",
    "HELD_USES",
    "HeldAction",
    "HeldAnswer",
    "HeldUse",
    "Reconsidered",
    "SiteJudge",
    "SiteStatements",
    "TakedownList",
    "UnknownChoice",
    "read_takedown",
    "what_to_do",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "decision": (
            "ACTIONS",
            "HELD_STATUSES",
            "HELD_USES",
            "HeldAction",
            "HeldAnswer",
            "HeldUse",
            "UnknownChoice",
            "what_to_do",
        ),
        "reconsidered": ("COLUMNS", "Reconsidered"),
        "site_statements": ("SiteJudge", "SiteStatements"),
        "takedown": ("TakedownList", "read_takedown"),
    },
)
