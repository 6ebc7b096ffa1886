"""The numbers of URLs that links led to lately, against dictionaries that do the same plainly."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from goodbot.crawl.folder.shares import first_number
from goodbot.crawl.frontier import known_urls
from goodbot.crawl.frontier.known_urls import KnownUrls

if TYPE_CHECKING:
    import pytest

URLS = [f"https://a.example/{number}" for number in range(40)]
MOST = 5


class PlainUrls:
    """The same: two dictionaries, of which the older one is dropped when the newer one is full."""

    def __init__(self) -> None:
        """Know no URL yet."""
        self.new: dict[str, int] = {}
        self.old: dict[str, int] = {}

    def meet(self, url: str, number: int) -> None:
        """Know a URL, which is met now."""
        if url not in self.new and len(self.new) == MOST:
            self.new, self.old = {}, self.new
        self.old.pop(url, None)
        self.new[url] = number

    def get(self, url: str) -> int | None:
        """Return the number of a URL, which is met now."""
        if url in self.old:
            self.meet(url, self.old[url])
        return self.new.get(url)


def test_what_is_known_is_that_of_dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is stored, asked for and dropped; numbers may be of other processes or fleets."""
    monkeypatch.setattr(known_urls, "MOST_KNOWN", MOST)
    draw = random.Random(1)  # noqa: S311  the same each time
    known, plain = KnownUrls(), PlainUrls()
    answers = set()
    for _ in range(5_000):
        url = draw.choice(URLS[: draw.randrange(1, len(URLS))])
        if draw.random() < 0.4:
            number = draw.choice([-3, 1, draw.randrange(1 << 62), first_number(3)])
            known[url] = number
            plain.meet(url, number)
        elif draw.random() < 0.01:
            known.clear()
            plain = PlainUrls()
        found = known.get(url)
        assert found == plain.get(url)
        answers.add(found is None)
    assert answers == {True, False}


def test_those_met_last_are_known() -> None:
    """However many others were met before."""
    known = KnownUrls()
    count = 3 * known_urls.MOST_KNOWN
    for number in range(count):
        known[f"https://a.example/{number}"] = number
    last = range(count - known_urls.MOST_KNOWN, count)
    assert all(known.get(f"https://a.example/{number}") == number for number in last)
    assert known.get("https://a.example/0") is None
