"""The URL that the author of a document wants indexed instead of it.

Source: Kollar, Leavitt and Mauldin 1996, META URL, and Koster's reply of 4 June 1996, INDEXINSTEAD.
"""

from collections.abc import Sequence
from typing import NamedTuple

from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.related import LinkElements
from goodbot.page.resolving import join
from goodbot.page.verdict import Act, PageVerdict, Source


class Instead(NamedTuple):
    """The URL to index instead, and where it is stated."""

    url: str
    """The URL, resolved."""
    source: Source
    """The META or LINK element."""

    def verdicts(self, given: Given) -> list[PageVerdict]:
        """Return that the document must not be indexed or kept; empty if nothing is excluded.

        "tell all spiders not to index this url, but to index the CONTENT url instead", which is to
        "drop the current document" (Koster): this holds whether or not the other URL may be
        visited. It does not hold if the URL is the document's own, which many documents state, nor
        if it has no host, nor for robots of engines that are not known to read these elements.
        """
        ignored = given.dialect.ignore_instead
        if "://" not in self.url or any(name.startswith(ignored) for name in given.robot.names):
            return []
        if normal(self.url) == normal(given.url):
            return []
        acts: tuple[Act, ...] = ("index", "archive")
        return [given.verdict(act, False, "index-instead", self.source) for act in acts]  # noqa: FBT003


def find_instead(
    base: str, metas: Sequence[tuple[str, str, bool, bool, int]], links: LinkElements
) -> Instead | None:
    """Return the URL to index instead; `None` if there is none.

    Args:
        base: The URL against which it is resolved.
        metas: META elements; the first URL that is not empty counts.
        links: LINK elements; the last INDEXINSTEAD counts, and it outweighs META.

    """
    found = None
    for name, content, _is_pragma, _in_head, line in metas:
        if content.strip() and name.lower() == "url":
            found = (content, Source("meta", "URL", line, content.strip()))
            break
    for _rel, _href, _type, name, content, _in_head, line in links:
        if content.strip() and name.lower() == "indexinstead":
            found = (content, Source("link", "INDEXINSTEAD", line, content.strip()))
    if found is None:
        return None
    return Instead(join(base, found[0].strip()), found[1])


def normal(url: str) -> str:
    """Return the normal form of a URL; the URL itself if it is not one of HTTP or HTTPS."""
    try:
        return address_of(url)[1]
    except NoOriginError:
        return url.partition("#")[0]
