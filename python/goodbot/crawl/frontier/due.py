"""When a URL is due again: as its page asks, as HTTP says, or by goodbot's own defaults.

Scope: computing a time from a response. There is no clock: `now` is an argument. A URL that is due
is visited only if the policy of its site allows it, and at the pace of its site.

For a successful response, the first of these that is present decides:

1. REVISIT-AFTER, limited to between 1 day and 1 year;
2. Expires, if the response is no longer fresh within a day: a page that is short-lived is due as
   soon as it says, at once if that time has passed;
3. freshness, stated or estimated from Last-Modified, limited to between 1 and 30 days;
4. 7 days.

If the page must not be shown any more before that (`unavailable_after`), it is due at that time, so
that it leaves the index in time. After failures, the wait grows as the table `BACK_OFF` says.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.http.fields import Fields, field_lines, first, name_of
from goodbot.http.freshness import Freshness, freshness
from goodbot.http.instants import checked_time, later
from goodbot.http.status import answer_status
from goodbot.lazy_dataclass import dataclass
from goodbot.page import Page
from goodbot.policy.lifetimes import retry_after

__all__ = ["REASONS", "Due", "due_again", "is_short_lived"]

DAY = 86_400

MIN_WAIT = DAY
"""The minimum number of seconds between two visits of a page because of Cache-Control: `no-cache`
and `max-age=0` tell a cache to revalidate before each use, not a robot to visit every minute. RFC
9309 section 2.4 uses the same period for robots.txt. Expires, which Koster names for pages that are
short-lived (reply of 4 June 1996), has no minimum."""

USUAL = 7 * DAY
"""The seconds to wait if nothing is stated (HTTP book, chapter 9: 7 days in the draft of 1996)."""

MAX_WAIT = 30 * DAY
"""The maximum wait in seconds because of freshness: a page that has meanwhile become noindex or
disallowed stays in the index until its next visit."""

MAX_ASKED_WAIT = 365 * DAY
"""The maximum wait in seconds because of REVISIT-AFTER, which the page itself asks for."""

CACHING = frozenset({"cache-control", "expires", "last-modified", "vary"})
"""The fields without which a response says nothing about its freshness."""

REASONS = {
    "revisit-after": "The page says when to visit it again.",
    "unavailable-after": "The page must not be shown from then on.",
    "fresh-until": "The response is fresh until then, according to its header.",
    "short-lived": "The page expires within a day, or at once, by its Expires.",
    "fresh-by-guess": "The wait is a tenth of the time since the page last changed.",
    "nothing-said": "Neither page nor header says when, so goodbot's default applies.",
    "not-sooner": "Cache-Control wants it sooner; a page without Expires is visited once a day.",
    "not-later": "The response is fresh for longer, but pages are revisited within 30 days.",
    "retry-after": "The server says when to try again.",
    "moved": "The URL redirects, without saying for how long.",
    "not-found": "The page was not found; the wait grows with each attempt.",
    "gone": "The page is gone, probably for good.",
    "refused": "The server refuses the page to this robot.",
    "server-error": "The server failed; the wait grows with each failure.",
    "challenge": "A firewall answered with a challenge; the wait grows with each attempt.",
    "not-yet": "There was no usable response yet; the wait grows with each attempt.",
}
"""Why a URL is due at its time: every slug."""


class Due(NamedTuple):
    """When a URL is due again, and why at that time."""

    at: datetime
    """The time, in UTC."""
    reason: str
    """A slug of `REASONS`."""

    def as_dict(self) -> dict[str, str]:
        """Return plain values, for JSON."""
        return {"at": self.at.isoformat(), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long to wait before a URL is tried again that failed or was not found."""

    reason: str
    """A slug of `REASONS`."""
    first: int
    """The wait after the first failure, in seconds; it doubles with each one in a row."""
    max_wait: int
    """The maximum wait in seconds."""

    def wait(self, failures: int) -> int:
        """Return the seconds to wait, given the number of failures before this one."""
        # Doubling a second 30 times exceeds every maximum.
        return min(self.first << min(failures, 30), self.max_wait)

    def due(self, now: datetime, failures: int) -> Due:
        """Return when the URL is due after this wait."""
        return Due(later(now, self.wait(failures)), self.reason)


BACK_OFF = {
    row.reason: row
    for row in (
        # Likely to be permanent (RFC 9110 section 15.5.11).
        BackOff("gone", 30 * DAY, 90 * DAY),
        # May be temporary or permanent (section 15.5.5).
        BackOff("not-found", DAY, 30 * DAY),
        # An error of the client, which the next request would repeat (section 15.5).
        BackOff("refused", 7 * DAY, 90 * DAY),
        # A redirect that leads nowhere.
        BackOff("moved", DAY, 30 * DAY),
        # The server failed (section 15.6), or the request came at a bad time.
        BackOff("server-error", 600, 7 * DAY),
        BackOff("challenge", 600, 7 * DAY),
        BackOff("not-yet", 600, 7 * DAY),
    )
}
"""The waits by reason; `goodbot.http.status` has the reason for each status."""


def due_again(
    status: int,
    headers: object = (),
    *,
    now: datetime,
    requested: datetime | None = None,
    page: Page | None = None,
    failures: int = 0,
) -> Due:
    """Return when a URL is due again.

    Args:
        status: The status of the response.
        headers: The header fields of the response: a mapping, or pairs; of `str` or `bytes`.
        now: When the response was received; an aware time.
        requested: When the request was sent; `now` by default.
        page: The parsed page, if there is one. Whether it may be indexed makes no difference: a
            page that is noindex today is revisited as well.
        failures: How many times in a row the URL failed or was not found before this response.

    Returns:
        The time and the reason.

    Raises:
        WrongTypeError: `headers` has the wrong type, or a time is not a `datetime`.
        WrongValueError: A time is naive.

    >>> from datetime import timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> due_again(200, {"Cache-Control": "max-age=259200"}, now=now).as_dict()
    {'at': '2025-01-04T00:00:00+00:00', 'reason': 'fresh-until'}
    >>> page = Page("https://a.example/", b"<meta name=revisit-after content='10 days'>")
    >>> due_again(200, now=now, page=page).as_dict()
    {'at': '2025-01-11T00:00:00+00:00', 'reason': 'revisit-after'}

    Source: HTTP book, table 9-5 (REVISIT-AFTER); Google, robots meta tag (unavailable_after); RFC
    9111 section 4.2 (freshness); RFC 9110 section 10.2.3 (Retry-After); goodbot: choice (the rest).

    """
    now = checked_time(now, "now")
    fields = field_lines(headers)
    row = answer_status(status, fields)
    if row.is_success:
        return not_shown(page, now, of_answer(fields, now, requested, page))
    return of_failure(BACK_OFF[row.due], fields, now, requested, max(failures, 0))


def of_failure(
    row: BackOff, fields: Fields, now: datetime, requested: datetime | None, failures: int
) -> Due:
    """Return when a URL is due again whose response was not successful."""
    if row.reason == "moved":
        stated = freshness(fields, now=now, requested=requested, heuristic=False)
        # Stated freshness holds for redirects as for pages (RFC 9110 section 15.4). On a redirect,
        # Retry-After means the wait before following it (section 10.2.3).
        holds = stated.remaining > 0
        return of_answer(fields, now, requested, None) if holds else row.due(now, failures)
    asked, _ = retry_after(fields, now)
    # If the server repeats the same Retry-After, the wait still grows.
    least = row.wait(failures) if failures else 1
    if asked is None or (failures and asked < least):
        return row.due(now, failures)
    return Due(later(now, max(min(asked, MAX_WAIT), least)), "retry-after")


def of_answer(fields: Fields, now: datetime, requested: datetime | None, page: Page | None) -> Due:
    """Return when a URL is due again whose response was successful."""
    if page is not None and page.revisit_after is not None:
        asked = page.revisit_after.total_seconds()
        return Due(later(now, min(max(asked, MIN_WAIT), MAX_ASKED_WAIT)), "revisit-after")
    is_silent = requested is None and CACHING.isdisjoint(map(name_of, fields))
    fresh = None if is_silent else freshness(fields, now=now, requested=requested)
    if fresh is None or (fresh.lifetime is None and not fresh.must_validate):
        return Due(later(now, USUAL), "nothing-said")
    left = left_by_expires(fields, fresh)
    if left is not None and left < MIN_WAIT:
        return Due(later(now, left), "short-lived")
    if fresh.remaining < MIN_WAIT:
        return Due(later(now, MIN_WAIT), "not-sooner")
    if fresh.remaining > MAX_WAIT:
        return Due(later(now, MAX_WAIT), "not-later")
    reason = "fresh-by-guess" if fresh.source == "heuristic" else "fresh-until"
    return Due(later(now, fresh.remaining), reason)


def left_by_expires(fields: Fields, fresh: Freshness) -> float | None:
    """Return for how many seconds a response with Expires is fresh; `None` without that field.

    A `max-age` counts in its place (RFC 9111 section 5.3). `no-cache` does not: it says how a copy
    may be used, not how long the page stays as it is.
    """
    if first(fields, "expires") is None:
        return None
    return max(0.0, (fresh.lifetime or 0) - fresh.age)


def is_short_lived(headers: object, now: datetime) -> bool:
    """Return whether a response has expired when it comes, by its Expires.

    >>> from datetime import timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> is_short_lived({"Expires": "Thu, 19 Nov 1981 08:52:00 GMT"}, now)
    True
    >>> is_short_lived({"Cache-Control": "max-age=0"}, now)
    False

    Source: Koster, reply of 4 June 1996, Marking content as static or dynamic.
    """
    fields = field_lines(headers)
    return left_by_expires(fields, freshness(fields, now=now)) == 0


def not_shown(page: Page | None, now: datetime, due: Due) -> Due:
    """Return the time from which the page must not be shown, if that is before it is due."""
    until = None if page is None else page.limits.unavailable_after
    if until is not None and timedelta(0) < until - now < due.at - now:
        return Due(until, "unavailable-after")
    return due
