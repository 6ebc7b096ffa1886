"""What goodbot knows, and since when: every document that it implements, in one dated table.

>>> from goodbot.knowledge import KNOWN_AS_OF, document, known_documents
>>> row = document("rfc9309")
>>> row.title, row.date
('RFC 9309, Robots Exclusion Protocol', '2022-09')
>>> max(row.read for row in known_documents()) == KNOWN_AS_OF
True

A new draft takes one row, the table of its reader, and cases: CONTRIBUTING.md says how. What a file
has that none of these documents defines is named in findings, as not known as of `KNOWN_AS_OF`; it
never permits anything.

Scope: data, and lookups.
"""

from goodbot._core import KNOWN_AS_OF, __version__
from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.knowledge.knowledge_table import document, known_documents
    from goodbot.knowledge.known_document import KNOWLEDGE_KINDS, KnownDocument

__all__ = [
    "KNOWLEDGE_KINDS",
    "KNOWN_AS_OF",
    "KnownDocument",
    "document",
    "known_documents",
    "stamp",
    "with_stamp",
]

MOST_STAMPS = 20
"""The most earlier stamps that are kept."""


def stamp() -> str:
    """Return goodbot's version and the date of its knowledge, for reports and evidence.

    >>> stamp().startswith("goodbot "), stamp().endswith(f"knowledge of {KNOWN_AS_OF}")
    (True, True)
    """
    return f"goodbot {__version__}, knowledge of {KNOWN_AS_OF}"


def with_stamp(earlier: str) -> str:
    """Return the stamps of what has worked on something, with the one of this goodbot.

    Args:
        earlier: The stamps before, as this function returned them; empty at first.

    >>> with_stamp("") == with_stamp(with_stamp("")) == stamp()
    True
    >>> with_stamp("goodbot 0.1, knowledge of 2026-11-21").count("; ")
    1
    """
    stamps = [one for one in earlier.split("; ") if one and one != stamp()]
    return "; ".join([*stamps[-MOST_STAMPS:], stamp()])


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "known_document": ("KNOWLEDGE_KINDS", "KnownDocument"),
        "knowledge_table": ("document", "known_documents"),
    },
)
