"""The pages of `rel="RobotExclusion.Names"`: which ones to fetch, and a memory of their content.

Scope: this memory, and the rules for fetching such a page. `visiting` makes the request, by the
policy and at the pace of its site, like any other.

- Only a page of the same origin is fetched, because no other site may decide about this one; and
  only if something depends on it (`Page.names_needed`).
- Each is fetched once a day, and at most four per origin, however many pages name them.
- A response does not count if it is not a page, redirects, has more than 64 KiB, or names no robot
  (a soft 404 or a login page). Then every class `robotN-no…` forbids (see `goodbot.page`), because
  it may be for this robot.

Source: Robot Exclusion Profile, Issues, Specificity ("a separate file"); goodbot: choice (bounds).
"""

import asyncio
from collections import OrderedDict
from datetime import datetime, timedelta

from goodbot._core import may_name_robots
from goodbot.http.address import Address, address_of
from goodbot.page.readers.marked import names_on
from goodbot.robot.visit import Visit

__all__ = ["NamesPages", "may_name", "may_name_later", "names_address"]

MARK = b"robotexclusion.names"
"""The text in every page that names one, in upper or lower case."""
PIECE = 256 * 1024
"""How much of a page is searched for it at once."""
OVERLAP = 4 * len(MARK)
"""How far a piece reaches into the next one: the text may be in UTF-32."""

MAX_NAMES_PAGE = 64 * 1024
"""The most bytes of a page of names. It is parsed with every page that names it, and a name takes
only one line."""

MOST_NAMES_PAGES = 4
"""The most pages of names that are fetched from one origin within `LIFETIME`."""

LIFETIME = timedelta(days=1)
"""The time for which a page of names is used, as for a robots.txt (RFC 9309 section 2.4)."""

RETRY_AFTER = timedelta(hours=1)
"""The time until a page is fetched again that could not be fetched."""

MOST_KNOWN = 256
"""The most pages of names that are kept: 16 MiB at most."""

MOST_ORIGINS = 10_000
"""The most origins whose fetched pages of names are counted."""


def names_address(visit: Visit) -> Address | None:
    """Return the address of the page of names to fetch for a page; `None` if none is needed.

    Args:
        visit: The visit to the page, of which `may_name` or `may_name_later` is true.

    """
    url = visit.page.names_needed if visit else None
    return None if url is None else address_of(url)


def may_name(visit: Visit) -> bool:
    """Return whether a page may point to a page of names, by its header and its first piece."""
    response = visit.response
    links = response.field_values("Link")
    if links and any(MARK in value.lower().encode() for value in links):
        return True
    return may_name_robots(response.body[: PIECE + OVERLAP])


async def may_name_later(visit: Visit) -> bool:
    """Return the same by the further pieces of the page.

    Other tasks run before each, because many large pages may come at the same time.
    """
    body = visit.response.body
    for start in range(PIECE, len(body), PIECE):
        await asyncio.sleep(0)
        if may_name_robots(body[start : start + PIECE + OVERLAP]):
            return True
    return False


class NamesPages:
    """A memory of pages of names, by their URLs."""

    def __init__(self) -> None:
        """Start without any page."""
        self._known: OrderedDict[str, tuple[bytes | None, datetime]] = OrderedDict()
        self._asked: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def known(self, url: str, now: datetime) -> tuple[bool, bytes | None]:
        """Return whether a page is known, and its content; `None` if it could not be fetched."""
        content, until = self._known.get(url, (None, now))
        return until > now, content

    def may_ask(self, origin: str, now: datetime) -> bool:
        """Count a request for a page of an origin; return whether it may be made."""
        count, until = self._asked.get(origin, (0, now))
        if until <= now:
            count, until = 0, now + LIFETIME
        if count >= MOST_NAMES_PAGES:
            return False
        self._asked[origin] = (count + 1, until)
        self._asked.move_to_end(origin)
        if len(self._asked) > MOST_ORIGINS:
            self._asked.popitem(last=False)
        return True

    def learn(self, url: str, visit: Visit | None, now: datetime) -> bytes | None:
        """Store the result of a request; return the content.

        Args:
            url: The URL of the page.
            visit: The visit; `None` if the page could not be fetched.
            now: The time.

        """
        response = None if not visit else visit.response
        is_whole = response is not None and not response.truncated
        content = response.body if response is not None and is_whole else None
        if content is not None and len(content) > MAX_NAMES_PAGE:
            content = None
        if content is not None and not names_on(content).name_somebody:
            content = None
        self._known[url] = (content, now + (RETRY_AFTER if content is None else LIFETIME))
        self._known.move_to_end(url)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return content
