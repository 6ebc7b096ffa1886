"""A plain, slow search that walks lists of words and uses no tables.

It parses queries and splits words independently of `goodbot.crawl.index.query`. It handles only
texts of plain letters, in which `…` and line ends are gaps.
"""

import re
from dataclasses import dataclass, field

FIELDS = ("title", "text", "anchors")


@dataclass
class Entry:
    """The text of one page: for each field, lists of consecutive words."""

    title: list[list[str]] = field(default_factory=list)
    text: list[list[str]] = field(default_factory=list)
    anchors: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """One thing that a page should contain, or should not."""

    words: tuple[str, ...]
    field: str = ""
    is_prefix: bool = False
    is_excluded: bool = False

    def __str__(self) -> str:
        """Return it as users write it."""
        text = " ".join(self.words)
        text = f'"{text}"' if len(self.words) > 1 else text + "*" * self.is_prefix
        return "-" * self.is_excluded + f"{self.field}:" * bool(self.field) + text


def rows(text: str) -> list[list[str]]:
    """Split a text into lists of consecutive words, at its gaps."""
    return [re.findall("[a-zé0-9]+", part.lower()) for part in re.split("[…\n]", text)]


def plain(word: str) -> str:
    """Remove what a comparison ignores."""
    return word.lower().replace("é", "e")


def has(entry: Entry, wanted: Wanted) -> bool:
    """Return whether a page contains something, whether or not it should."""
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
