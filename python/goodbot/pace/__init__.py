r"""Pace: when the next visit may be, and why not earlier.

>>> from datetime import datetime, timedelta, timezone
>>> import goodbot
>>> from goodbot.pace import History, Manners, Pace, PastVisit
>>> robots = goodbot.RobotsTxt(b"User-agent: *\nCrawl-delay: 30")
>>> pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
>>> start = datetime(2025, 1, 1, 8, 0, tzinfo=timezone.utc)
>>> visit = PastVisit(start, start + timedelta(seconds=2), status=200)
>>> history = History().after(visit, Manners())
>>> turn = pace.turn(history, now=visit.ended)
>>> print(turn)
Not before 2025-01-01 08:00:32 UTC: robots.txt line 2 asks for 30 seconds between visits.
>>> bool(turn), turn.reason
(False, 'crawl-delay')

It decides and does not act: no clock, no socket, no disk; the time and randomness are passed.
"""

from goodbot.http.retry_after import read_retry_after
from goodbot.lazy_names import lazy_names
from goodbot.pace.reasons import REASONS, Turn, reasons

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.pace.constraints import finding_codes
    from goodbot.pace.history import History, PastVisit
    from goodbot.pace.manners import Manners
    from goodbot.pace.pace import Pace

__all__ = [
    "REASONS",
    "History",
    "Manners",
    "Pace",
    "PastVisit",
    "Turn",
    "finding_codes",
    "read_retry_after",
    "reasons",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "constraints": ("finding_codes",),
        "history": ("History", "PastVisit"),
        "manners": ("Manners",),
        "pace": ("Pace",),
    },
)
