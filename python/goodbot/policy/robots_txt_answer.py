"""An answer to a request for robots.txt: the one form in which all of goodbot has it.

Scope: the value, and the order of several answers of one time. Robots, adapters, stores, crawls,
archives, tables and logs make it; what it means is in `decide` and the tables.
"""

from datetime import datetime, timezone
from typing import Any, NamedTuple

from goodbot.display import short_repr
from goodbot.http.challenges import CHALLENGE_FIELDS
from goodbot.http.status import NOT_MODIFIED

__all__ = [
    "KEPT_FIELDS",
    "MATTERING",
    "NOT_CAPTURED",
    "UNTIMED",
    "RobotsTxtAnswer",
    "answer_order",
]

UNTIMED = datetime.min.replace(tzinfo=timezone.utc)
"""Stands for the time of an answer whose receiver states it (`goodbot.policy.inquiry.inquire`)."""

KEPT_FIELDS = frozenset(
    {"age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary"}
)
"""The fields that caching needs; no others are stored with a copy."""

MATTERING = KEPT_FIELDS | CHALLENGE_FIELDS | {"content-range", "location", "retry-after"}
"""The header fields that have an influence on a policy."""

NOT_CAPTURED = "not-captured"
"""The failure of an answer that is not in the sources, although it came, such as the target of a
redirect: what was known before has ended, and nothing else is known."""

FILE = "/robots.txt"
SUCCESSES, REDIRECTS = range(200, 300), range(300, 400)
MISSING = frozenset({404, 410})
TOO_MANY_REQUESTS, FIRST_SERVER_ERROR = 429, 500


class RobotsTxtAnswer(NamedTuple):
    """An answer to a request for robots.txt, or the failure to get one.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> answer = RobotsTxtAnswer("https://example.com/robots.txt", noon, 404)
    >>> answer.origin, answer.learned == noon
    ('https://example.com', True)
    """

    url: str = ""
    """The address of the robots.txt, as it was asked for before any redirect."""
    answered: datetime = UNTIMED
    """When the answer came, or the failure: the latest possible time, in UTC."""
    status: int | None = None
    """Its status; `None` if no answer came, or none whose status is known."""
    failure: str | None = None
    """Why no answer came: one of `goodbot.policy.FAILURES`, or `NOT_CAPTURED`."""
    headers: tuple[tuple[str, str], ...] = ()
    """Its header fields, of which those in `MATTERING` count."""
    body: bytes = b""
    """Its content, decoded."""
    truncated: bool = False
    """Whether `body` is only the beginning of the content."""
    hops: tuple[str, ...] = ()
    """The addresses that redirects led to, in order; the last of them answered."""
    requested: datetime | None = None
    """When the request was sent, or the earliest time at which the answer may have come; `None` if
    unknown."""
    began: datetime | None = None
    """When the first answer came, if redirects led from it to this one; `None` without any."""
    confirmed: bytes | None = None
    """The copy that a 304 confirmed; `None` if unknown."""
    kept: bytes | None = None
    """The copy that was in force during a failure; `None` if unknown."""
    failing_since: datetime | None = None
    """Since when each request was known to have failed; `None` if unknown."""
    source: str | None = None
    """Where it was found: the name of a file or folder."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)

    @property
    def learned(self) -> datetime:
        """From when on its policy holds."""
        return self.began or self.answered

    @property
    def origin(self) -> str:
        """The origin whose robots.txt it is."""
        return self.url.removesuffix(FILE)

    @property
    def is_known(self) -> bool:
        """Whether an answer or a failure is known, and not only that there was one."""
        return self.failure != NOT_CAPTURED

    @property
    def is_statement(self) -> bool:
        """Whether it says what robots.txt was: a file, the copy that it confirms, or that none is.

        A failure of one request says nothing about what others received.
        """
        if self.status == NOT_MODIFIED:
            return self.confirmed is not None
        return self.status is not None and (self.status in SUCCESSES or self.status in MISSING)

    @property
    def stated(self) -> bytes | None:
        """What robots.txt was, if it `is_statement`; `None` if there was none."""
        if self.status in MISSING:
            return None
        return self.confirmed if self.status == NOT_MODIFIED else self.body


def answer_order(answer: RobotsTxtAnswer) -> tuple[Any, ...]:
    """Return the place of an answer among those of the same time: what allows least comes first.

    Many sources have times to the second, so several answers may have come at one time. All of
    their policies must allow a URL; the first is the one that is quoted if all do, and that the
    next answer follows. Failures come first, then files, redirects and other answers, and at last
    what is not known.

    >>> found = [RobotsTxtAnswer(status=one) for one in (404, 301, 200, 429, None)]
    >>> [one.status for one in sorted(found, key=answer_order)]
    [None, 429, 200, 301, 404]

    Source: RFC 9309 sections 2.3.1.2 to 2.3.1.4; WARC 1.0 section 5.4 (times to the second).

    """
    status = answer.status
    if not answer.is_known:
        place = 4
    elif status is None or status >= FIRST_SERVER_ERROR or status == TOO_MANY_REQUESTS:
        place = 0
    elif answer.hops or status in REDIRECTS:
        place = 2
    else:
        place = 1 if status < REDIRECTS.start else 3
    fields = "\n".join(f"{name}:{value}" for name, value in answer.headers)
    # What else two answers differ in decides nothing, but one of them must be the first.
    rest = (status or 0, answer.failure or "", answer.truncated)
    return place, -len(answer.body), answer.body, fields, *rest
