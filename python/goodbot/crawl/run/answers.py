"""The responses of each site in one run, counted for a limited number of sites.

Scope: counting.
"""

from collections import Counter

__all__ = ["OTHERS", "AnswerCounts"]

MOST_ORIGINS = 1_000
"""The most sites that are counted separately."""
MOST_TOLD = 20
"""The most sites that are reported separately."""
OTHERS = "*"
"""The name under which all other sites are combined."""


class AnswerCounts:
    """Counts the responses of each site.

    >>> counts = AnswerCounts()
    >>> for answer in ("200", "404", "404"):
    ...     counts.add("https://a.example", answer)
    >>> counts.told()
    {'https://a.example': {'404': 2, '200': 1}}
    """

    def __init__(self) -> None:
        """Start with no counts."""
        self._sites: dict[str, Counter[str]] = {}

    def add(self, origin: str, answer: str, count: int = 1) -> None:
        """Count responses by their status, or failures by their reason."""
        counts = self._sites.get(origin)
        if counts is None:
            name = origin if len(self._sites) < MOST_ORIGINS else OTHERS
            counts = self._sites.setdefault(name, Counter())
        counts[answer] += count

    def told(self) -> dict[str, dict[str, int]]:
        """Return the counts of the sites with the most responses, with all others combined."""
        others = self._sites.get(OTHERS, Counter[str]())
        ranked = sorted(
            ((origin, counts) for origin, counts in self._sites.items() if origin != OTHERS),
            key=lambda pair: (-pair[1].total(), pair[0]),
        )
        for _, counts in ranked[MOST_TOLD:]:
            others = others + counts
        told = {origin: dict(counts.most_common()) for origin, counts in ranked[:MOST_TOLD]}
        return told | ({OTHERS: dict(others.most_common())} if others else {})
