"""Tables and code in Markdown."""

from collections.abc import Iterator, Sequence


def cell(text: str) -> str:
    """Give a text as it may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def code(text: str) -> str:
    """Give a slug in the letters of code."""
    return f"`{text}`" if text else "none"
