"""What is counted in one run of a crawl."""

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Count"]


@dataclass(slots=True)
class Count:
    """What was counted in one run."""

    pages: int = 0
    requests: int = 0
    octets: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
