"""The header field Refresh: a link to another page, to which browsers go by themselves."""

from goodbot._core import Link, refresh_target
from goodbot.http.fields import values_of
from goodbot.page.finding_codes import Findings
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import Decided
from goodbot.page.readers.marked import report_unresolved
from goodbot.page.resolving import LONGEST_URL, Resolver

MOST_REFRESHES = 10
"""The most lines of the field that are read."""
MOST_BYTES = 64 * 1024
"""The most bytes that the URLs of all lines may have together."""


def read_refreshes(given: Given, decided: Decided, findings: Findings) -> list[Link]:
    """Return the links of the field's lines, with the verdict on following of the whole document.

    They are resolved against the URL of the document, because the header comes before any BASE.

    Source: HTML 7.4.2.2 and 4.2.5.3 (shared declarative refresh steps).
    """
    links = list[Link]()
    if "refresh" not in given.names:
        return links
    values = values_of(given.fields, "refresh")
    resolver = Resolver(MOST_BYTES)
    follow, anchor = decided.whole["follow"], decided.whole["anchor"]
    for value in values[:MOST_REFRESHES]:
        target = refresh_target(value)
        if target is not None:
            url, why = resolver.resolve(given.url, target)
            if why:
                report_unresolved([(target, why, 0)], findings)
            resolved = url is not None
            shown = target[: LONGEST_URL // 4] if url is None else url
            links.append(Link(shown, "", "", "", follow, anchor, resolved, 0, "header-refresh"))
    return links
