"""The message of a run of `goodbot watch`: as text and as Markdown.

Scope: words. What changed is found in `goodbot.crawl.watching`.
"""

from collections.abc import Iterator

from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.crawl.watching.watch_run import WATCH_KINDS, WatchChange, WatchRun
from goodbot.http.instants import in_seconds

__all__ = ["markdown_lines", "print_run", "text_lines"]

SHOWN = 20
"""How many changes of a kind are shown; JSON has up to 200."""
SPECIAL = frozenset("\\`*_{}[]<>#|!~")
"""The characters of Markdown that are escaped."""


def change_words(one: WatchChange) -> str:
    """Return a change in one line."""
    what = " > ".join(filter(None, (one.before, one.after)))
    words = f"{one.subject}: {what}" if what else one.subject
    return f"{words} ({one.source})" if one.source else words


def details(one: WatchChange) -> Iterator[str]:
    """Yield what stands below a change: lines of robots.txt, and what they change for whom."""
    yield from (f"- {line}" for line in one.removed)
    yield from (f"+ {line}" for line in one.added)
    yield from one.robots


def by_kind(run: WatchRun) -> Iterator[tuple[str, list[WatchChange], int]]:
    """Yield each kind of change: its heading, its changes and their number."""
    for kind, heading in WATCH_KINDS.items():
        found = [one for one in run.changes if one.kind == kind]
        if found:
            yield heading, found[:SHOWN], run.counts.get(kind, len(found))


def text_lines(run: WatchRun) -> Iterator[tuple[str, bool]]:
    """Yield the lines of the message, and whether each is a heading."""
    yield run.sentence, True
    for heading, changes, count in by_kind(run):
        yield "", False
        yield f"{heading}: {count:,}", True
        for one in changes:
            yield f"  {cut_line(change_words(one))}", False
            for line in details(one):
                yield f"    {cut_line(line)}", False
        if count > len(changes):
            yield f"  and {count - len(changes):,} more; --json lists up to 200", False


def print_run(run: WatchRun, printer: Printer) -> None:
    """Print the message."""
    for line, is_heading in text_lines(run):
        printer.line(Styled(line, "heading") if is_heading else line)


def markdown_lines(run: WatchRun) -> Iterator[str]:
    """Yield the message as Markdown."""
    yield f"# {escaped(run.sentence)}"
    yield ""
    yield in_seconds(run.at)
    for heading, changes, count in by_kind(run):
        yield ""
        yield f"## {heading}: {count:,}"
        yield ""
        for one in changes:
            yield f"- {escaped(cut_line(change_words(one)))}"
            yield from fenced([cut_line(line) for line in details(one)])
        if count > len(changes):
            yield f"- and {count - len(changes):,} more"


def fenced(lines: list[str]) -> Iterator[str]:
    """Yield lines as a block of code within a list, which no line of a stranger can end."""
    if lines:
        fence = "`" * (1 + max(2, *map(longest_ticks, lines), 0))
        yield ""
        yield f"  {fence}diff"
        yield from (f"  {line}" for line in lines)
        yield f"  {fence}"
        yield ""


def longest_ticks(line: str) -> int:
    """Return how many backticks follow one another in a line, at most.

    >>> longest_ticks("a``b`"), longest_ticks("a")
    (2, 0)
    """
    longest = count = 0
    for character in line:
        count = count + 1 if character == "`" else 0
        longest = max(longest, count)
    return longest


def escaped(text: str) -> str:
    r"""Return a text of a site so that Markdown shows it as it is.

    >>> escaped("*a* <b>")
    '\\*a\\* \\<b\\>'
    """
    return "".join(f"\\{one}" if one in SPECIAL else one for one in text)
