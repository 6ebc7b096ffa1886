"""The delays of Scrapy's slots: what a site asks, never below what the crawler has set itself.

What may live here: numbers of seconds. It imports nothing of Scrapy, and takes a crawler as it is.
"""

from typing import Any

__all__ = ["Slots"]


class Slots:
    """What the origins of each slot ask, and what the crawler had set.

    A slot is a host, with all its origins: the slowest of them sets its delay.

    Args:
        crawler: A Scrapy crawler.

    """

    def __init__(self, crawler: Any) -> None:  # noqa: ANN401  Scrapy may be absent
        """Begin with nothing asked."""
        self._crawler = crawler
        self._own: dict[str, float] = {}
        self._asked: dict[str, dict[str, float]] = {}

    def ask(self, request: Any, origin: str, seconds: float) -> bool:  # noqa: ANN401
        """Set the delay of a request's slot.

        Args:
            request: The request.
            origin: The origin that asks.
            seconds: What it asks: so many between two visits, 0 for nothing.

        Returns:
            Whether any origin of the slot asks for a pace.

        """
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        asked = self._asked.setdefault(key, {})
        if not seconds and not asked:
            return False
        asked[origin] = seconds
        slot = downloader.slots.get(key)
        own = self._own.setdefault(key, self._own_delay(downloader, key, slot))
        slowest = max(asked.values())
        delay = max(own, slowest)
        paced: dict[str, Any] = {"delay": delay, "concurrency": 1, "jitter": 0.0}
        if slot is not None:
            slot.delay = delay
            slot.concurrency = 1  # two at once would be none between them
            # Jitter goes both ways, and half a Crawl-delay is not one.
            slot.jitter = 0.0
        # Scrapy forgets idle slots; the next one of this name begins with this.
        settings = downloader.per_slot_settings
        downloader.per_slot_settings = {**settings, key: {**settings.get(key, {}), **paced}}
        return slowest > 0

    def _own_delay(self, downloader: Any, key: str, slot: Any) -> float:  # noqa: ANN401
        """Give the delay that the crawler itself has set."""
        if slot is not None:
            return float(slot.delay)
        settings = downloader.per_slot_settings.get(key, {})
        return float(settings.get("delay", self._crawler.settings.getfloat("DOWNLOAD_DELAY")))
