"""The delays of Scrapy's slots: what each site asks for, but never less than the crawler's own.

Scope: numbers of seconds. This module does not import Scrapy; it uses the crawler passed to it.
"""

from typing import Any

__all__ = ["Slots"]


class Slots:
    """The delay that the origins of each slot ask for, and the delay that the crawler had set.

    A slot is a host with all its origins; the slowest of them sets the delay.

    Args:
        crawler: A Scrapy crawler.

    """

    def __init__(self, crawler: Any) -> None:  # noqa: ANN401  Scrapy may be absent
        """Start without delays."""
        self._crawler = crawler
        self._own: dict[str, float] = {}
        self._asked: dict[str, dict[str, float]] = {}

    def ask(self, request: Any, origin: str, seconds: float) -> bool:  # noqa: ANN401
        """Set the delay of a request's slot.

        Args:
            request: The request.
            origin: The origin that asks for a delay.
            seconds: The delay between two visits; 0 for none.

        Returns:
            Whether any origin of the slot asks for a delay.

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
            slot.concurrency = 1  # two requests at once would have no delay between them
            # Jitter shortens delays as well as lengthening them.
            slot.jitter = 0.0
        # Scrapy drops idle slots; the next slot of this name starts with these settings.
        settings = downloader.per_slot_settings
        downloader.per_slot_settings = {**settings, key: {**settings.get(key, {}), **paced}}
        return slowest > 0

    def _own_delay(self, downloader: Any, key: str, slot: Any) -> float:  # noqa: ANN401
        """Return the delay that the crawler itself has set."""
        if slot is not None:
            return float(slot.delay)
        settings = downloader.per_slot_settings.get(key, {})
        return float(settings.get("delay", self._crawler.settings.getfloat("DOWNLOAD_DELAY")))
