"""The header field Refresh: a link to which a page sends its readers, by its header."""

from goodbot._core import Link, refresh_target
from goodbot.http.fields import values_of
from goodbot.page.finding_codes import Findings
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import Decided
from goodbot.page.readers.marked import report_unresolved
from goodbot.page.resolving import LONGEST_URL, Resolver

__all__ = ["refreshes_of"]

MOST_REFRESHES = 10
"""So many lines of the field are read."""
MOST_BYTES = 64 * 1024
"""The URLs of all of them take no more bytes than this together."""


def refreshes_of(given: Given, decided: Decided, findings: Findings) -> list[Link]:
    """Return where the lines of the field lead; the document as a whole says whether to follow.

    They are resolved against the URL of the document, since the header comes before any BASE.

    Source: HTML 7.4.2.2 and 4.2.5.3 (shared declarative refresh steps).
    """
    resolver, links = Resolver(MOST_BYTES), []
    follow, anchor = decided.whole["follow"], decided.whole["anchor"]
    for value in values_of(given.fields, "refresh")[:MOST_REFRESHES]:
        target = refresh_target(value)
        if target is not None:
            url, why = resolver.resolve(given.url, target)
            if why:
                report_unresolved([(target, why, 0)], findings)
            resolved = url is not None
            shown = target[: LONGEST_URL // 4] if url is None else url
            links.append(Link(shown, "", "", "", follow, anchor, resolved, 0, "header-refresh"))
    return links
