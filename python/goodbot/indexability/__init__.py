r"""Is a page indexable, by which robots, and who says so?

>>> from datetime import datetime, timezone
>>> import goodbot
>>> from goodbot.indexability import indexability_report
>>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
>>> file = b"User-agent: Googlebot\nDisallow: /drafts"
>>> at = "https://example.com/robots.txt"
>>> policy = goodbot.Policy.from_response(at, 200, {}, file, now=now)
>>> body = b"<meta name=robots content=noindex>"
>>> report = indexability_report("https://example.com/drafts/a", policy, body, now=now)
>>> for answer in report.answers:
...     print(answer.robot, answer.indexable, answer.source)
* False META robots, line 1: noindex
Googlebot False robots.txt line 2
>>> [finding.code for finding in report.findings]
['hidden-noindex']

It decides and does not act: no clock, no socket, no disk. `goodbot page URL` fetches, and prints
this.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.indexability.answer import ASPECTS, Aspect, RobotIndexability
    from goodbot.indexability.indexable_page import (
        IndexabilityReport,
        finding_codes,
        indexability_report,
    )

__all__ = [
    "ASPECTS",
    "Aspect",
    "IndexabilityReport",
    "RobotIndexability",
    "finding_codes",
    "indexability_report",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "answer": ("ASPECTS", "Aspect", "RobotIndexability"),
        "indexable_page": ("IndexabilityReport", "finding_codes", "indexability_report"),
    },
)
