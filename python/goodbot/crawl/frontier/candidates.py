"""Many candidates at once, without an object for each: most are known to the queue.

Scope: those of a sitemap; those of a page, which the core has; and what is asked about any.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from goodbot._core import LinkCandidates
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.protocol import Candidate, QueueEntry

__all__ = ["Candidates", "origins_of", "url_lines"]


class Candidates(Collection[Candidate]):
    """Many candidates, stored as plain values and created on demand.

    The garbage collector skips rows of strings and numbers. For 150,000 objects, which one sitemap
    can produce, a collection takes 0.1 s or more, during which no thread runs.

    >>> entry = QueueEntry("https://a.example/", "https://a.example", 1)
    >>> pair = Discovery("https://a.example/", "sitemap"), entry
    >>> list(Candidates([pair])) == [pair]
    True
    """

    __slots__ = ("_rows",)

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        """Store the values of candidates."""
        self._rows: list[tuple[Any, ...]] = [(*found, *entry) for found, entry in candidates]

    def __iter__(self) -> Iterator[Candidate]:
        """Yield each candidate."""
        parts = len(Discovery._fields)
        return ((Discovery(*row[:parts]), QueueEntry(*row[parts:])) for row in self._rows)

    def __len__(self) -> int:
        """Return how many candidates there are."""
        return len(self._rows)

    def __contains__(self, one: object) -> bool:
        """Whether a candidate is among them."""
        return any(one == other for other in self)


def origins_of(candidates: Collection[Candidate]) -> set[str]:
    """Return the origins of some candidates."""
    if isinstance(candidates, LinkCandidates):
        return candidates.origins()
    return {entry.origin for _, entry in candidates}


def url_lines(candidates: Collection[Candidate]) -> str:
    """Return the URLs of some candidates, a line each: in its normal form none has a line break."""
    if isinstance(candidates, LinkCandidates):
        return candidates.lines()
    return "\n".join([entry.url for _, entry in candidates])
