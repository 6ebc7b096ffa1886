"""What is counted in one run of a crawl, and what waits to be written down."""

from collections import Counter
from dataclasses import dataclass, field

from goodbot.crawl.readings import Answered

__all__ = ["Count"]


@dataclass(slots=True)
class Count:
    """What was counted in one run."""

    pages: int = 0
    requests: int = 0
    octets: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    answers: list[Answered] = field(default_factory=list)
    """Those that are to be written down."""
    weight: int = 0
    """Of those; see `weight_of`."""
