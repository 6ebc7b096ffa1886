"""The pages of `rel="RobotExclusion.Names"`: which are asked for, and what is known of them.

What may live here: a memory of such pages, and the rules by which one may be asked for. The request
is made in `visiting`, by the policy and at the pace of its site like any other.

- Only a page of the same origin is asked for: another site has no say on this one. And only where
  something depends on it (`Page.names_needed`).
- Each is asked for once a day, and of an origin no more than four, however many pages name them.
- What is no page, redirects, has more than 64 KiB, or names nobody (a soft 404, a login) is not
  known. Every class `robotN-no…` then forbids (see `goodbot.page`), since it may be for this robot.

Source: Robot Exclusion Profile, Issues, Specificity ("a separate file"); goodbot: choice (bounds).
"""

from collections import OrderedDict
from datetime import datetime, timedelta

from goodbot.http.address import Address, address_of
from goodbot.page.readers.marked import names_on
from goodbot.robot.visit import Visit

__all__ = ["NamesPages", "may_name", "names_address"]

MARK = b"robotexclusion.names"
"""What stands in every page that names one, in any case of letters."""

MAX_NAMES_PAGE = 64 * 1024
"""Bytes of a page of names: it is read with every page that names it, and a name takes a line."""

MOST_NAMES_PAGES = 4
"""Pages of names that are asked for at one origin, within `LIFETIME`."""

LIFETIME = timedelta(days=1)
"""For how long a page of names is used, as a robots.txt is (RFC 9309 section 2.4)."""

RETRY_AFTER = timedelta(hours=1)
"""Until one is asked for again that could not be had."""

MOST_KNOWN = 256
"""Pages of names that are remembered: 16 MiB at most."""

MOST_ORIGINS = 10_000
"""Origins of which it is remembered how many were asked for."""


def names_address(visit: Visit) -> Address | None:
    """Return the address of the page of names that a page points to; `None` if none is asked for.

    Args:
        visit: The visit of the page.

    """
    if not visit or not may_name(visit):
        return None
    url = visit.page.names_needed
    return None if url is None else address_of(url)


def may_name(visit: Visit) -> bool:
    """Whether a page may point to a page of names, by one look at its bytes."""
    header = " ".join(visit.response.field_values("Link")).encode("latin-1", "replace")
    # In UTF-16 there is a NUL beside each letter.
    return any(MARK in text.replace(b"\0", b"").lower() for text in (visit.response.body, header))


class NamesPages:
    """What is known of pages of names, by their addresses."""

    def __init__(self) -> None:
        """Know none."""
        self._known: OrderedDict[str, tuple[bytes | None, datetime]] = OrderedDict()
        self._asked: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def known(self, url: str, now: datetime) -> tuple[bool, bytes | None]:
        """Return whether a page is known by now, and its content; `None` if it could not be had."""
        content, until = self._known.get(url, (None, now))
        return until > now, content

    def may_ask(self, origin: str, now: datetime) -> bool:
        """Take note that a page of an origin is to be asked for; return whether it may be."""
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
        """Remember what was answered; return the content.

        Args:
            url: The address of the page.
            visit: What was answered; `None` if the page could not be had.
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
