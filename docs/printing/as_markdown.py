"""Tables and code in Markdown."""

from collections.abc import Iterator, Sequence


def cell(text: str) -> str:
    """Return a text with what a cell of a table must escape."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def code(text: str) -> str:
    """Return a slug as code."""
    return f"`{text}`" if text else "none"
