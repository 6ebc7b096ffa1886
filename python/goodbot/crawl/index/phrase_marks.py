"""Marks of phrases: what an index stores of a text that must not be archived.

Of such a text the index has its words, sorted, and a mark for each two to five words that follow
one another. A phrase is found by its mark, and no text can be read back: a mark is a hash.
"""

from collections.abc import Iterable, Iterator, Sequence

__all__ = ["MARK_LETTER", "marks_in", "marks_of_phrase"]

MARK_LETTER = "\uedae"
"""The letter with which a mark begins. It is from the private use area and removed from every
document and every query, so that no one can write it or search for it."""
LONGEST = 5
"""The most words of a mark. A longer phrase is found where all its runs of so many words are."""
MARK_BYTES = 8


def mark_of(words: Sequence[str]) -> str:
    """Return the mark of a few words, which are one word of the index."""
    from hashlib import blake2b  # noqa: PLC0415  loads OpenSSL, which most readers do not need

    return MARK_LETTER + blake2b(" ".join(words).encode(), digest_size=MARK_BYTES).hexdigest()


def marks_of_phrase(words: Sequence[str]) -> list[str]:
    """Return the marks that a text must have to contain a phrase of at least two words.

    Args:
        words: Its words, folded.

    >>> [len(marks_of_phrase("one two three four five six seven".split()[:n])) for n in (2, 5, 7)]
    [1, 1, 3]
    """
    size = min(len(words), LONGEST)
    starts = range(len(words) - size + 1)
    return [mark_of(words[start : start + size]) for start in starts]


def marks_in(lines: Iterable[Sequence[str]]) -> list[str]:
    """Return the marks of all phrases of some lines, sorted.

    Args:
        lines: The folded words of each line; no phrase crosses the end of one.

    """
    return sorted(set(found_in(lines)))


def found_in(lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the mark of each phrase that is not longer than `LONGEST`."""
    for words in lines:
        for start in range(len(words)):
            for end in range(start + 2, min(start + LONGEST, len(words)) + 1):
                yield mark_of(words[start:end])
