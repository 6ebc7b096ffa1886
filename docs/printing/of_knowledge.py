"""The page on what goodbot knows: every document that it implements, from the table of knowledge."""

from collections.abc import Iterator

from goodbot.knowledge import KNOWLEDGE_KINDS, KNOWN_AS_OF, KnownDocument, known_documents
from printing.as_markdown import code, table

__all__ = ["knowledge_page"]

HEADINGS = {
    "specification": "Specifications",
    "draft": "Drafts",
    "operator": "Documents of operators",
    "program": "Programs",
    "addresses": "Lists of addresses",
}
"""The heading of each kind."""


def knowledge_page() -> Iterator[str]:
    """Yield every document with its dates, what of it is implemented, and where goodbot departs."""
    rows = known_documents()
    yield "# What goodbot knows"
    yield ""
    yield (
        "For anyone who must know how new an answer is: every specification, draft, document of an operator and list of addresses that goodbot "
        f"implements, as of {KNOWN_AS_OF}."
    )
    yield ""
    yield (
        "*Dated* is the day, month or year of the version; *read* is the day on which its text was read. `goodbot dialects --knowledge` prints the same, and "
        "`goodbot.knowledge.known_documents()` returns it. Evidence of a crawl and audits name the date of this table."
    )
    yield ""
    yield (
        "What a file has that none of these documents defines (a field of robots.txt, a key of Content-Signal, a label of Content-Usage, a directive of a page, a "
        f"word of a licence) is a finding: *not known to goodbot as of {KNOWN_AS_OF}*. It is never an error that stops anything, and never permission. A newer document "
        "may define it: [CONTRIBUTING](../../CONTRIBUTING.md#to-take-in-a-new-draft) says how it is taken in."
    )
    yield ""
    for kind, heading in HEADINGS.items():
        yield f"## {heading}"
        yield ""
        yield next(meaning for name, meaning in KNOWLEDGE_KINDS.items() if name == kind)
        yield ""
        yield from rows_of([row for row in rows if row.kind == kind])


def rows_of(rows: list[KnownDocument]) -> Iterator[str]:
    """Yield the table of some documents."""
    yield from table(
        ["document", "dated", "read", "what is implemented", "departures and gaps", "vectors"],
        [
            [
                f"[{row.title}]({row.url})" + (f", {row.version}" if row.version else ""),
                row.date or "—",
                row.read + (f", as {row.copy}" if row.copy and " " in row.copy else ""),
                row.implements,
                departures_of(row),
                ", ".join(code(one.removeprefix("conformance/")) for one in row.vectors),
            ]
            for row in rows
        ],
    )


def departures_of(row: KnownDocument) -> str:
    """Return where goodbot departs from a document, with a link to the reason."""
    if not row.section:
        return row.departs or "—"
    link = f"[departures](../explanation/departures.md#{row.section})"
    return f"{row.departs} See {link}." if row.departs else f"See {link}."
