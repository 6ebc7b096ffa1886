"""What sites answered in one run, counted site by site within a bound.

What may live here: counting.
"""

from collections import Counter

__all__ = ["OTHERS", "AnswerCounts"]

MOST_ORIGINS = 1_000
"""Of so many sites it is counted by itself what they answered."""
MOST_TOLD = 20
"""Of so many it is told."""
OTHERS = "*"
"""Stands for all other sites."""


class AnswerCounts:
    """Counts what each site answered.

    >>> counts = AnswerCounts()
    >>> for answer in ("200", "404", "404"):
    ...     counts.add("https://a.example", answer)
    >>> counts.told()
    {'https://a.example': {'404': 2, '200': 1}}
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._sites: dict[str, Counter[str]] = {}

    def add(self, origin: str, answer: str) -> None:
        """Count an answer: its status, or the reason why none came."""
        if origin not in self._sites and len(self._sites) >= MOST_ORIGINS:
            origin = OTHERS
        self._sites.setdefault(origin, Counter())[answer] += 1

    def told(self) -> dict[str, dict[str, int]]:
        """Return the counts of the sites with the most answers; the others stand together."""
        others = self._sites.get(OTHERS, Counter[str]())
        ranked = sorted(
            ((origin, counts) for origin, counts in self._sites.items() if origin != OTHERS),
            key=lambda pair: (-pair[1].total(), pair[0]),
        )
        for _, counts in ranked[MOST_TOLD:]:
            others = others + counts
        told = {origin: dict(counts.most_common()) for origin, counts in ranked[:MOST_TOLD]}
        return told | ({OTHERS: dict(others.most_common())} if others else {})
