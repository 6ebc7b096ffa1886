"""What each HTTP status says about a page: one row for each status, and a default for each class.

Scope: the table, and the row for a response. What a status means for robots.txt is a choice of the
dialect, in `goodbot.policy.outcome_tables`.

A page that was fetched before is kept if a response says nothing about it: the server was busy, a
gateway failed, or the request went to the wrong machine. Only a response about the page itself may
remove the stored page.
"""

import re
from dataclasses import replace
from typing import Literal, TypeAlias

from goodbot.http.challenges import CHALLENGE_FIELDS, challenge_of
from goodbot.http.fields import Fields, name_of, values_of
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "CHALLENGE",
    "NOT_MODIFIED",
    "STATUSES",
    "Fault",
    "Status",
    "answer_status",
    "is_whole",
    "status_of",
]

NOT_MODIFIED = 304
"""The response to a conditional request: the stored copy is current (RFC 9110 section 15.4.5). Its
row is for requests without a condition; `goodbot.robot.revisit` handles the others."""

Fault: TypeAlias = Literal["nobody", "url", "site", "us"]
"""What is at fault: `url`, this URL alone; `site`, its server; `us`, the robot or its request."""


@dataclass(frozen=True, slots=True)
class Status:
    """What one status, or a class of them, means.

    >>> row = status_of(421)
    >>> row.name, row.speaks_of_page, row.is_gone, row.fault
    ('Misdirected Request', False, False, 'us')
    """

    code: str
    """The status, such as `404`; a class, such as `4xx`; or `challenge`."""
    name: str
    """Its name in the document that defines it."""
    fault: Fault
    """What is at fault if there is no page; `nobody` if nothing went wrong."""
    source: str
    """The document and section."""
    is_success: bool = False
    """Whether the content is the page."""
    is_redirect: bool = False
    """Whether it may redirect to another address, which is in Location."""
    speaks_of_page: bool = False
    """Whether it says something about the page, so that the stored page is updated. Otherwise the
    stored page stays as it is. A redirect is about the page only if it has a target."""
    is_gone: bool = False
    """Whether the page does not exist. It is requested again at growing intervals."""
    is_transient: bool = False
    """Whether the same request may soon get another response."""
    is_overload: bool = False
    """Whether the whole site asks for fewer requests for a while."""
    due: str = ""
    """Why the URL is due again (`goodbot.crawl.frontier.due`); empty if a page decides it."""


RFC = "RFC 9110 section 15."
REFUSED = "what is refused to a robot is not kept by it either"


def success(code: str, name: str, source: str) -> Status:
    """Make the row of a response whose content is the page."""
    return Status(code, name, "nobody", source, is_success=True, speaks_of_page=True)


def not_yet(code: str, name: str, source: str) -> Status:
    """Make the row of a response that is not final, or was not requested."""
    return Status(code, name, "us", source, is_transient=True, due="not-yet")


def moved(code: str, name: str, source: str) -> Status:
    """Make the row of a redirect."""
    return Status(code, name, "nobody", source, is_redirect=True, due="moved")


def refused(code: str, name: str, source: str, fault: Fault = "us") -> Status:
    """Make the row of a response that refuses the page to this robot."""
    return Status(code, name, fault, source, speaks_of_page=True, due="refused")


def gone(code: str, name: str, source: str, due: str) -> Status:
    """Make the row of a response that says that the page does not exist."""
    return Status(code, name, "url", source, speaks_of_page=True, is_gone=True, due=due)


def request(code: str, name: str, source: str) -> Status:
    """Make the row of a response to a faulty request, which would be the same again."""
    return Status(code, name, "us", source, due="refused")


def later(code: str, name: str, source: str, fault: Fault, *, overload: bool = False) -> Status:
    """Make the row of a response that may soon change."""
    return Status(
        code, name, fault, source, is_transient=True, is_overload=overload, due="server-error"
    )


CHALLENGE = replace(
    not_yet("challenge", "Challenge of a firewall", "the documents of each vendor (`CHALLENGES`)"),
    due="challenge",
)
"""The row of a challenge in place of the requested page, whatever its status."""

CLASSES: dict[int, Status] = {
    1: later("1xx", "Informational", f"{RFC}2: no final answer", "site"),
    2: success("2xx", "Successful", f"{RFC}3"),
    3: moved("3xx", "Redirection", f"{RFC}4"),
    4: refused("4xx", "Client Error", f"{RFC}5; goodbot: choice ({REFUSED})"),
    5: later("5xx", "Server Error", f"{RFC}6", "site"),
}
"""The row of each class, for statuses without a row (RFC 9110 section 15: as x00)."""

OTHER = later("others", "no status", "RFC 9110 section 15: as a 5xx", "site")
"""The row of numbers outside 100 to 599."""

ROWS: tuple[Status, ...] = (
    not_yet("202", "Accepted", f"{RFC}3.3: not acted upon yet; the content is a report on that"),
    not_yet("206", "Partial Content", f"{RFC}3.7: a part, and no range was asked for"),
    not_yet("226", "IM Used", "RFC 3229 section 10.4.1: a difference, and none was asked for"),
    not_yet("304", "Not Modified", f"{RFC}4.5: no condition was sent that it could answer"),
    request("305", "Use Proxy", f"{RFC}4.6: deprecated"),
    request("306", "(Unused)", f"{RFC}4.7"),
    refused("401", "Unauthorized", f"{RFC}5.2; goodbot: choice ({REFUSED})"),
    refused("402", "Payment Required", f"{RFC}5.3; Cloudflare, pay per crawl"),
    refused("403", "Forbidden", f"{RFC}5.4; goodbot: choice ({REFUSED})"),
    gone("404", "Not Found", f"{RFC}5.5", "not-found"),
    request("407", "Proxy Authentication Required", f"{RFC}5.8: the robot's own proxy"),
    later("408", "Request Timeout", f"{RFC}5.9", "us"),
    gone("410", "Gone", f"{RFC}5.11", "gone"),
    request("411", "Length Required", f"{RFC}5.12"),
    not_yet("412", "Precondition Failed", f"{RFC}5.13: the next request has no condition"),
    request("413", "Content Too Large", f"{RFC}5.14"),
    request("415", "Unsupported Media Type", f"{RFC}5.16"),
    request("416", "Range Not Satisfiable", f"{RFC}5.17: no range was asked for"),
    request("417", "Expectation Failed", f"{RFC}5.18"),
    later("421", "Misdirected Request", f"{RFC}5.20: another connection may be answered", "us"),
    later("423", "Locked", "RFC 4918 section 11.3", "url"),
    later("424", "Failed Dependency", "RFC 4918 section 11.4", "url"),
    later("425", "Too Early", "RFC 8470 section 5.2", "us"),
    request("426", "Upgrade Required", f"{RFC}5.22: another protocol may be answered"),
    request("428", "Precondition Required", "RFC 6585 section 3"),
    later("429", "Too Many Requests", "RFC 6585 section 4", "us", overload=True),
    request("431", "Request Header Fields Too Large", "RFC 6585 section 5"),
    refused("451", "Unavailable For Legal Reasons", "RFC 7725 section 3", "url"),
    later("503", "Service Unavailable", f"{RFC}6.4", "site", overload=True),
    later("511", "Network Authentication Required", "RFC 6585 section 6: the network", "us"),
    later("529", "Site is overloaded", "no document: as servers use it", "site", overload=True),
)

STATUSES: dict[str, Status] = {
    row.code: row for row in sorted((*ROWS, *CLASSES.values()), key=lambda row: row.code)
} | {row.code: row for row in (OTHER, CHALLENGE)}
"""Every row by its code, in order; the row for other numbers comes last."""

CODES: dict[int, Status] = {int(row.code): row for row in ROWS}

CONTENT_RANGE = r"bytes +0-(\d{1,18})/(\d{1,18})"


def status_of(status: int) -> Status:
    """Return the row of a status by its number alone.

    >>> [status_of(number).code for number in (200, 404, 418, 520, 999)]
    ['2xx', '404', '4xx', '5xx', 'others']

    Source: RFC 9110 section 15.

    """
    return CODES.get(status) or CLASSES.get(status // 100, OTHER)


def answer_status(status: int, fields: Fields, length: int | None = None) -> Status:
    """Return the row of a response to a request without condition and without range.

    Args:
        status: Its status.
        fields: Its header fields, names in lower case.
        length: The bytes of its content, as they came or decoded; `None` if unknown.

    Returns:
        The row of the status, with two exceptions: a challenge, whose status does not matter, and a
        206 that contains the whole page, which is a success.

    >>> answer_status(403, (("cf-mitigated", "challenge"),)).code
    'challenge'
    >>> answer_status(206, (("content-range", "bytes 0-9/10"),)).is_success
    True

    Source: RFC 9110 sections 14.4 and 15.3.7; `goodbot.http.challenges`.

    """
    may_challenge = not CHALLENGE_FIELDS.isdisjoint(map(name_of, fields))
    if may_challenge and challenge_of(status, fields) is not None:
        return CHALLENGE
    row = status_of(status)
    return CLASSES[2] if row.code == "206" and is_whole(fields, length) else row


def is_whole(fields: Fields, length: int | None = None) -> bool:
    """Return whether a partial response states that it is complete, and nothing contradicts that.

    Args:
        fields: Its header fields, names in lower case.
        length: The bytes of its content, if known.

    Source: RFC 9110 section 14.4: `bytes 0-(n-1)/n`, and what there is has the length n.

    """
    told = [
        re.fullmatch(CONTENT_RANGE, value, re.IGNORECASE | re.ASCII)
        for value in values_of(fields, "content-range")
    ]
    if len(told) != 1 or told[0] is None:
        return False
    last, total = (int(number) for number in told[0].groups())
    lengths = set(values_of(fields, "content-length"))
    # The range is one of bytes before Content-Encoding is undone.
    if length is not None and not values_of(fields, "content-encoding"):
        lengths.add(str(length))
    return last + 1 == total and lengths <= {str(total)}
