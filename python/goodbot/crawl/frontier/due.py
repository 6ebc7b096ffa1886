"""When a URL is due again: what its page asks, what HTTP says, or goodbot's own manners.

What may live here: from an answer to a time. There is no clock: `now` is given. That a
URL is due is no leave to visit it; the policy and the pace of its origin are asked as ever.

Of a good answer the first of these counts that there is:

1. REVISIT-AFTER, from one day to a year;
2. freshness, stated or guessed from Last-Modified, from one day to thirty;
3. seven days;

but when the page is to be shown no longer (`unavailable_after`) before that, then, so that it
leaves the index in time. A failure is looked at again ever later, by the table `BACK_OFF`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from goodbot.http.fields import Fields, field_lines
from goodbot.http.freshness import freshness
from goodbot.http.instants import checked_time, later
from goodbot.http.status import answer_status
from goodbot.page import Page
from goodbot.policy.lifetimes import retry_after

__all__ = ["REASONS", "Due", "due_again"]

DAY = 86_400

MIN_WAIT = DAY
"""The least seconds between two visits of a page, whatever HTTP says: `no-cache` and `max-age=0`
tell a cache to ask before each use, not a robot to come each minute. RFC 9309 section 2.4 has the
same measure for robots.txt."""

USUAL = 7 * DAY
"""The seconds where nothing is said (HTTP book, chapter 9: seven days in the draft of 1996)."""

MAX_WAIT = 30 * DAY
"""The most seconds that freshness keeps a robot away: a page that has since become noindex or been
forbidden stays in the index until then."""

MAX_ASKED_WAIT = 365 * DAY
"""The most seconds that REVISIT-AFTER keeps a robot away: the page itself asks for that."""

REASONS = {
    "revisit-after": "The page says when to visit it again.",
    "unavailable-after": "From then on the page is not to be shown.",
    "fresh-until": "Until then the answer is fresh, as its header says.",
    "fresh-by-guess": "It has not changed for ten times as long.",
    "nothing-said": "Nobody says when: goodbot's own measure.",
    "not-sooner": "It is stale sooner, but more visits than one a day are no manners.",
    "not-later": "It is fresh for longer, but what has since been forbidden must leave the index.",
    "retry-after": "The server says when to ask again.",
    "moved": "A redirect that does not say how long it holds.",
    "not-found": "It was not there; ever later, as long as it is not.",
    "gone": "It is gone, and that is likely to be permanent.",
    "refused": "The server does not give it to this robot.",
    "server-error": "The server fails; ever later, as long as it does.",
    "not-yet": "There is no answer yet, or none that was asked for; ever later, as long as so.",
}
"""Why a URL is due when it is: every slug."""


@dataclass(frozen=True, slots=True)
class Due:
    """When a URL is due again, and why then."""

    at: datetime
    """The time, in UTC."""
    reason: str
    """A slug of `REASONS`."""

    def as_dict(self) -> dict[str, str]:
        """Give plain values, for JSON."""
        return {"at": self.at.isoformat(), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long to stay away from what is not there, or fails."""

    reason: str
    first: int
    """Seconds after the first time; each time in a row they double."""
    max_wait: int
    """The most seconds."""

    def wait(self, failures: int) -> int:
        """Give the seconds to wait after so many failures before this one."""
        # Thirty times the double of a second is more than any of these.
        return min(self.first << min(failures, 30), self.max_wait)

    def due(self, now: datetime, failures: int) -> Due:
        """Stay away for as long."""
        return Due(later(now, self.wait(failures)), self.reason)


BACK_OFF = {
    row.reason: row
    for row in (
        # Likely to be permanent (RFC 9110 section 15.5.11), and then it is time to forget the page.
        BackOff("gone", 30 * DAY, 90 * DAY),
        # Nobody knows whether for a while or for ever (section 15.5.5).
        BackOff("not-found", DAY, 30 * DAY),
        # What the client did wrong it does wrong again (section 15.5).
        BackOff("refused", 7 * DAY, 90 * DAY),
        # A redirect that does not lead on.
        BackOff("moved", DAY, 30 * DAY),
        # The server failed (section 15.6), or the request came at the wrong time.
        BackOff("server-error", 600, 7 * DAY),
        BackOff("not-yet", 600, 7 * DAY),
    )
}
"""Which row holds for a status says its row in `goodbot.http.status`."""


def due_again(  # noqa: PLR0913  each is documented below
    status: int,
    headers: object = (),
    *,
    now: datetime,
    requested: datetime | None = None,
    page: Page | None = None,
    failures: int = 0,
) -> Due:
    """Tell when a URL is due again.

    Args:
        status: The status of the answer.
        headers: Its fields: a mapping, or pairs; of `str` or `bytes`.
        now: When it came, aware.
        requested: When it was asked for; `now` by default.
        page: What was read, if anything was. Whether it may be indexed makes no difference: a page
            that is noindex today is looked at again as well.
        failures: How often in a row it was not there, or failed, before this time.

    Returns:
        A `Due`.

    Raises:
        WrongTypeError: `headers` are no fields, or a time is no `datetime`.
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
    """Return when what is no good answer is to be looked at again."""
    if row.reason == "moved":
        stated = freshness(fields, now=now, requested=requested, heuristic=False)
        # What is stated of a redirect holds as of a page (RFC 9110 section 15.4); Retry-After is
        # the wait before following it (section 10.2.3).
        holds = stated.remaining > 0
        return of_answer(fields, now, requested, None) if holds else row.due(now, failures)
    asked, _ = retry_after(fields, now)
    # Who is told the same again and again waits ever longer all the same.
    least = row.wait(failures) if failures else 1
    if asked is None or (failures and asked < least):
        return row.due(now, failures)
    return Due(later(now, max(min(asked, MAX_WAIT), least)), "retry-after")


def of_answer(fields: Fields, now: datetime, requested: datetime | None, page: Page | None) -> Due:
    """Tell when a good answer is to be looked at again."""
    if page is not None and page.revisit_after is not None:
        asked = page.revisit_after.total_seconds()
        return Due(later(now, min(max(asked, MIN_WAIT), MAX_ASKED_WAIT)), "revisit-after")
    told = freshness(fields, now=now, requested=requested)
    if told.lifetime is None and not told.must_validate:
        return Due(later(now, USUAL), "nothing-said")
    if told.remaining < MIN_WAIT:
        return Due(later(now, MIN_WAIT), "not-sooner")
    if told.remaining > MAX_WAIT:
        return Due(later(now, MAX_WAIT), "not-later")
    reason = "fresh-by-guess" if told.source == "heuristic" else "fresh-until"
    return Due(later(now, told.remaining), reason)


def not_shown(page: Page | None, now: datetime, due: Due) -> Due:
    """Visit a page when it is to be shown no longer, if that is before it is due."""
    until = None if page is None else page.limits.unavailable_after
    if until is not None and timedelta(0) < until - now < due.at - now:
        return Due(until, "unavailable-after")
    return due
