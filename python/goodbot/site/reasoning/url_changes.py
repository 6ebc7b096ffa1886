r"""How many URLs a change of robots.txt affects.

Scope: counts and examples over any number of URLs, in constant memory. Where they come from is the
caller's part.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from goodbot.bots.asking import allow_many
from goodbot.display import short_repr
from goodbot.site.reasoning.file_comparison import FileComparison, RobotComparison

__all__ = ["EXAMPLES", "UrlChanges", "UrlCounts", "count_url_changes"]

EXAMPLES = 5
"""How many URLs are kept as examples of each kind."""

BATCH = 10_000
"""How many URLs are judged at once."""


@dataclass(slots=True, repr=False)
class UrlCounts:
    """The URLs that a change affects for some robots."""

    robots: RobotComparison
    """The robots."""
    newly_disallowed: int = 0
    """How many URLs were allowed and no longer are."""
    newly_allowed: int = 0
    """How many URLs were disallowed and no longer are."""
    disallowed_examples: list[str] = field(default_factory=list)
    """The first of those that are newly disallowed."""
    allowed_examples: list[str] = field(default_factory=list)
    """The first of those that are newly allowed."""

    __repr__ = short_repr

    def add(self, urls: list[bytes]) -> None:
        """Count some URLs."""
        before, after = (allow_many(rules, urls) for rules in self.robots.rules)
        for url, was, now in zip(urls, before, after, strict=True):
            if was and not now:
                self.newly_disallowed += 1
                keep(self.disallowed_examples, url)
            elif now and not was:
                self.newly_allowed += 1
                keep(self.allowed_examples, url)


@dataclass(slots=True, repr=False)
class UrlChanges:
    """The URLs that a change of robots.txt affects."""

    urls: int
    """How many URLs were judged, each as often as it was passed."""
    counts: list[UrlCounts]
    """The counts for each group of robots for which access changes, or may change."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether any URL is affected."""
        return any(one.newly_disallowed or one.newly_allowed for one in self.counts)


def count_url_changes(comparison: FileComparison, urls: Iterable[str | bytes]) -> UrlChanges:
    r"""Count the URLs that a change of robots.txt affects, for each group of robots.

    Args:
        comparison: The result of `compare_files`.
        urls: URLs, or paths that begin with `/`. They are read once, in batches.

    Returns:
        The counts, with examples. Robots for which nothing changes are not counted.

    >>> import goodbot
    >>> from goodbot.site.reasoning import compare_files
    >>> before = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a")
    >>> after = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a\nDisallow: /b")
    >>> found = count_url_changes(compare_files(before, after), ["/a/1", "/b/1", "/c"])
    >>> found.urls, found.counts[0].newly_disallowed, found.counts[0].disallowed_examples
    (3, 1, ['/b/1'])

    """
    touched = [one for one in comparison.robots if one.differences or not one.access.is_complete]
    found = UrlChanges(0, [UrlCounts(one) for one in touched])
    for batch in batches(urls):
        found.urls += len(batch)
        for counts in found.counts:
            counts.add(batch)
    return found


def batches(urls: Iterable[str | bytes]) -> Iterator[list[bytes]]:
    """Yield the URLs as bytes, many at a time."""
    every = iter(urls)
    while batch := list(islice(every, BATCH)):
        yield [
            one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one for one in batch
        ]


def keep(examples: list[str], url: bytes) -> None:
    """Keep an example, if it is another one and there are not enough."""
    if len(examples) < EXAMPLES:
        text = url.decode("utf-8", "backslashreplace")
        if text not in examples:
            examples.append(text)
