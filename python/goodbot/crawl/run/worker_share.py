"""Which origins may take up workers: those that answer promptly before all others.

Scope: decisions only; the caller passes the time in. A host that sends a byte a second takes up a
worker for as long as a request may take. If all workers were at such hosts, nothing else would be
visited, whether they are start URLs or links to other sites.
"""

from collections import OrderedDict, deque

from goodbot.crawl.folder.records import QueuedUrl

__all__ = ["PROMPT_SECONDS", "WorkerShare"]

PROMPT_SECONDS = 5.0
"""How long a visit may take for its origin to be one that answers promptly."""

MOST_PROMPT = 10_000
"""How many origins that answered promptly are remembered."""

MOST_HELD = 100_000
"""How many URLs of other origins are held back at once; no more are taken until one is let
in."""


class WorkerShare:
    """Keeps a quarter of the workers free for origins that answered promptly the last time.

    Args:
        workers: How many visits there are at most at the same time.

    >>> share = WorkerShare(workers=2)
    >>> share.begin("https://a.example", now=0.0)
    >>> share.is_full_for("https://b.example"), share.is_full_for("https://a.example")
    (True, True)
    >>> share.end("https://a.example", now=0.1, answered=True)
    >>> share.begin("https://b.example", now=0.2)
    >>> share.is_full_for("https://c.example"), share.is_full_for("https://a.example")
    (True, False)

    """

    def __init__(self, workers: int) -> None:
        """Start without visits."""
        self._most = workers if workers == 1 else workers - max(1, workers // 4)
        self._prompt: OrderedDict[str, None] = OrderedDict()
        self._others: set[str] = set()
        self._since: dict[str, float] = {}
        self._held: deque[QueuedUrl] = deque()

    def begin(self, origin: str, *, now: float) -> None:
        """Count a visit. There is never more than one to an origin."""
        self._since[origin] = now
        if origin not in self._prompt:
            self._others.add(origin)

    def end(self, origin: str, *, now: float, answered: bool) -> None:
        """End a visit, and remember whether the origin answered promptly.

        Args:
            origin: The origin.
            now: The time by a steady clock, in seconds.
            answered: Whether it answered at all; a URL that was not requested says nothing.

        """
        seconds = now - self._since.pop(origin, now)
        self._others.discard(origin)
        if seconds > PROMPT_SECONDS:
            self._prompt.pop(origin, None)
        elif answered:
            self._prompt[origin] = None
            self._prompt.move_to_end(origin)
            if len(self._prompt) > MOST_PROMPT:
                self._prompt.popitem(last=False)

    def is_full_for(self, origin: str) -> bool:
        """Return whether a visit to an origin must wait for a visit to another one to end."""
        return origin not in self._prompt and len(self._others) >= self._most

    def hold(self, url: QueuedUrl) -> None:
        """Hold a URL back, whose origin stays busy in the queue."""
        self._held.append(url)

    @property
    def holds_many(self) -> bool:
        """Whether as many URLs are held back as may be."""
        return len(self._held) >= MOST_HELD

    def let_in(self) -> list[QueuedUrl]:
        """Return the URLs that were held back and may be taken now, the first one first."""
        if not self._held:
            return []
        count = min(self._most - len(self._others), len(self._held))
        return [self._held.popleft() for _ in range(count)]
