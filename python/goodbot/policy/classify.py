"""From a response to the name of its outcome, by its status, header and content.

Scope: distinguishing outcomes. What they lead to is in the tables.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot._core import Dialect, Finding, RobotsTxt, origin
from goodbot.http.challenges import challenge_of
from goodbot.http.fields import Fields, first
from goodbot.http.status import answer_status
from goodbot.http.validators import validators_of
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.dialects import PolicyDialect
from goodbot.policy.finding_codes import finding
from goodbot.policy.outcomes import class_outcome, failure_outcome, status_outcome
from goodbot.policy.redirects import next_hop
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = [
    "AnswerInDialect",
    "ContentTraits",
    "StoredCopy",
    "answer_findings",
    "content_traits",
    "outcome_of",
]

OK = 200
WITHOUT_CONTENT = {200, 204, 205}
PARTIAL_CONTENT = 206
PARTS = {"206", "226"}
"""Rows of `goodbot.http.status` for successes with a part of the file, or a difference."""

NOT_READABLE = {"looks-compressed", "looks-like-utf-16"}
"""Findings on a file whose rules, if any, cannot be read."""

NO_ROBOTS_TXT = {"looks-like-html", "looks-like-address", "no-known-field"}
"""Findings on a file that is evidently not a robots.txt."""

PRINTABLE = frozenset(b"\t\r\n") | frozenset(range(0x20, 0x7F))
DISALLOW = re.compile(rb"^[^\S\n]*Disallow\s*:", re.IGNORECASE | re.MULTILINE)
"""What LWP::RobotUA searches for before it parses, without backtracking."""


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """A robots.txt that was fetched successfully and is stored."""

    content: bytes
    """Its bytes."""
    robots_txt: RobotsTxt
    """The file as it was read."""
    fetched_at: datetime
    """When its bytes came."""
    fields: Fields
    """The fields that caching needs, from the response that brought or last confirmed it."""
    url: str
    """The address that its bytes came from; empty if unknown."""

    def __eq__(self, other: object) -> bool:
        """Compare what is stored; the rules follow from it and from the dialect."""
        if not isinstance(other, StoredCopy):
            return NotImplemented
        mine, others = (
            (one.content, one.fetched_at, one.fields, one.url, one.robots_txt.dialect)
            for one in (self, other)
        )
        return mine == others

    __hash__ = None  # type: ignore[assignment]


class AnswerInDialect(NamedTuple):
    """An answer, checked, and the dialects in which it is read.

    It has a `RobotsTxtAnswer`, which is the same in every dialect, and lives as long as the
    decision.
    """

    answer: RobotsTxtAnswer
    """The answer; of its content, the complete lines."""
    is_lost: bool
    """Whether the fetcher cut the content and no complete line of it is left."""
    dialect: Dialect
    policy: PolicyDialect
    site_reachable: bool | None

    @property
    def chain(self) -> tuple[str, ...]:
        """The addresses that were asked, from that of robots.txt on."""
        return (self.answer.url, *self.answer.hops)

    @property
    def requested(self) -> datetime:
        """When the request was sent."""
        return self.answer.requested or self.answer.answered


def outcome_of(result: AnswerInDialect, asked: StoredCopy | None) -> tuple[str, RobotsTxt | None]:
    """Return the name of the outcome of a response, and the file if one was found.

    Args:
        result: The result of the request.
        asked: The copy that the request's condition was about; `None` without a condition.

    """
    if result.answer.failure is not None:
        return failure_outcome(result.answer.failure), None
    status = result.answer.status or 0
    outcome = heeded_outcome(result, status)
    if outcome == "redirect-not-followed":
        limit = result.policy.redirect_limit
        hop = next_hop(result.chain[-1], status, result.answer.headers, result.chain, limit=limit)
        # 305 and 306 are not followed either (RFC 9110 sections 15.4.6 and 15.4.7).
        return (outcome if hop.outcome in {None, "answered"} else str(hop.outcome)), None
    if outcome == "not-modified":
        return ("not-modified" if confirms(result, asked) else "not-modified-without-copy"), None
    if outcome != "found":
        return outcome, None
    robots_txt = RobotsTxt(result.answer.body, dialect=result.dialect)
    traits = content_traits(result.answer.body, robots_txt, is_lost=result.is_lost)
    return found(result, traits), robots_txt


def heeded_outcome(result: AnswerInDialect, status: int) -> str:
    """Return the name of the outcome by header and status, as far as the dialect obeys them."""
    named = [status_outcome(status)]
    if challenge_of(status, result.answer.headers, result.answer.body) is not None:
        named.insert(0, "challenge")
    heeded = (one for one in named if result.policy.outcomes[one].treatment != "as-the-class")
    return next(heeded, class_outcome(status))


def confirms(result: AnswerInDialect, copy: StoredCopy | None) -> bool:
    """Return whether a 304 is about the copy: not if it names another entity tag.

    Source: RFC 9110 section 15.4.5 (a condition was sent); RFC 9111 section 4.3.4; weak
    comparison as in RFC 9110 section 8.8.3.2.
    """
    if copy is None:
        return False
    return validators_of(copy.fields).agree_with(validators_of(result.answer.headers))


class ContentTraits(NamedTuple):
    """All that the outcome of a success depends on in its content."""

    is_cut_short: bool
    """Whether no complete line is left within the limit of the dialect."""
    is_blank: bool
    oddity: str | None
    """The outcome of content that is not a robots.txt, or cannot be read."""
    has_disallow: bool


def content_traits(body: bytes, robots_txt: RobotsTxt, *, is_lost: bool) -> ContentTraits:
    """Return what the outcome of a success depends on in its content.

    Args:
        body: The content that counts.
        robots_txt: The file as it was read.
        is_lost: Whether the fetcher cut it and no complete line is left.

    """
    is_cut_short = is_lost or robots_txt.is_cut_short
    is_blank = not body.strip(b"\xef\xbb\xbf \t\r\n")
    oddity = None if is_cut_short or is_blank else oddities(body, robots_txt)
    return ContentTraits(is_cut_short, is_blank, oddity, DISALLOW.search(body) is not None)


def found(result: AnswerInDialect, traits: ContentTraits) -> str:
    """Return the outcome of a success: the first that applies, in order of gravity."""
    if traits.is_cut_short:
        return "cut-short"
    if (
        answer_status(
            result.answer.status or 0, result.answer.headers, len(result.answer.body)
        ).code
        in PARTS
    ):
        return "incomplete"
    if traits.is_blank:
        return "empty" if result.answer.status in WITHOUT_CONTENT else "found-otherwise"
    return traits.oddity or of_text(result, traits)


def of_text(result: AnswerInDialect, traits: ContentTraits) -> str:
    """Return the outcome of a success with a robots.txt."""
    if result.answer.status != OK:
        return "found-otherwise"
    if not is_text(first(result.answer.headers, "content-type")):
        return "not-text"
    return "found" if traits.has_disallow else "no-disallow"


def oddities(body: bytes, robots_txt: RobotsTxt) -> str | None:
    """Return the outcome of a body that is not a robots.txt, or cannot be read; else `None`.

    This uses the core's findings. They need a second reading of the file, so they are used only in
    case of doubt.
    """
    has_fields = bool(robots_txt.fields_used)
    # Some lines of UTF-16 can be read, but by no means all of them.
    if has_fields and body[0] in PRINTABLE and b"\0" not in body:
        return None
    codes = {one.code for one in robots_txt.findings}
    if codes & NOT_READABLE:
        return "unreadable"
    # One readable line is used, whatever is around it (RFC 9309 section 2.3.1.5).
    return "not-robots-txt" if codes & NO_ROBOTS_TXT and not has_fields else None


def is_text(content_type: str | None) -> bool:
    """Return whether a type is a text type; an unstated type counts as text.

    Source: RFC 9309 section 2.3, text/plain; HTTP::Headers, content_is_text.
    """
    return essence(content_type).startswith("text/")


def is_plain_text(content_type: str | None) -> bool:
    """Return whether a type is the one of robots.txt (RFC 9309 section 2.3)."""
    return essence(content_type) == "text/plain"


def essence(content_type: str | None) -> str:
    """Return a type without its parameters; one that is not stated is text/plain."""
    return (content_type or "text/plain").partition(";")[0].strip().lower()


FINDING_OF = {
    "not-robots-txt": "not-robots-txt",
    "unreadable": "unreadable-body",
    "incomplete": "part-of-the-file",
    "cut-short": "nothing-whole",
    "not-modified-without-copy": "validator-mismatch",
    "not-yet": "no-answer-yet",
    "challenge": "no-answer-yet",
    "redirect-without-location": "bad-redirect",
    "redirect-malformed": "bad-redirect",
    "redirect-to-other-scheme": "bad-redirect",
    "redirect-loop": "bad-redirect",
    "redirects-too-many": "bad-redirect",
    "informational": "unexpected-status",
    "odd-status": "unexpected-status",
}


def answer_findings(result: AnswerInDialect, outcome: str) -> Iterator[Finding]:
    """Yield what is odd about a response as a whole."""
    if outcome in FINDING_OF:
        detail = (
            first(result.answer.headers, "location") if outcome.startswith("redirect") else None
        )
        yield finding(FINDING_OF[outcome], detail or f"status {result.answer.status}")
    if result.answer.status == PARTIAL_CONTENT and outcome != "incomplete":
        yield finding("part-of-the-file")
    kind = first(result.answer.headers, "content-type")
    if outcome in {"found", "no-disallow", "not-text", "not-robots-txt"} and not is_text(kind):
        yield finding("not-text-type", kind or "")
    if outcome in {"found", "no-disallow"} and is_text(kind) and not is_plain_text(kind):
        yield finding("not-plain-text", kind or "")
    if origin(result.chain[-1]) != origin(result.answer.url):
        yield finding("other-authority", origin(result.chain[-1]))
