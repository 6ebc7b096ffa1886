"""A plain slow search: it walks lists of words, and knows no table.

It reads its own queries and cuts its own words, by other means than `goodbot.crawl.index.query`,
and serves texts of plain letters only: `…` and the ends of lines are gaps there.
"""

import re
from dataclasses import dataclass, field

FIELDS = ("title", "text", "anchors")


@dataclass
class Entry:
    """What is known of one page: for each field lists of words that stand in a row."""

    title: list[list[str]] = field(default_factory=list)
    text: list[list[str]] = field(default_factory=list)
    anchors: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """One thing that a page should have, or not."""

    words: tuple[str, ...]
    field: str = ""
    is_prefix: bool = False
    is_excluded: bool = False

    def __str__(self) -> str:
        """Write it as users do."""
        text = " ".join(self.words)
        text = f'"{text}"' if len(self.words) > 1 else text + "*" * self.is_prefix
        return "-" * self.is_excluded + f"{self.field}:" * bool(self.field) + text


def rows(text: str) -> list[list[str]]:
    """Cut a text into words in a row, at its gaps."""
    return [re.findall("[a-zé0-9]+", part.lower()) for part in re.split("[…\n]", text)]


def plain(word: str) -> str:
    """Leave out what does not count."""
    return word.lower().replace("é", "e")


def has(entry: Entry, wanted: Wanted) -> bool:
    """Whether a page has something, without regard to whether it should."""
    sought = [plain(word) for word in wanted.words]
    for name in [{"anchor": "anchors"}.get(wanted.field, wanted.field)] if wanted.field else FIELDS:
        for row in getattr(entry, name):
            words = [plain(word) for word in row]
            for start in range(len(words) - len(sought) + 1):
                here = words[start : start + len(sought)]
                if here == sought or (wanted.is_prefix and here[0].startswith(sought[0])):
                    return True
    return False


def search(entries: dict[int, Entry], query: list[Wanted]) -> set[int]:
    """Return the numbers of the pages that match a query."""
    if all(one.is_excluded for one in query):
        return set()
    return {
        number
        for number, entry in entries.items()
        if all(has(entry, one) != one.is_excluded for one in query)
    }
