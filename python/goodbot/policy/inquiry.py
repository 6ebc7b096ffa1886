"""One inquiry for robots.txt, whatever sends the requests: the robot and the adapters share it.

Scope: the way from an address to a policy, hop by hop; the fields of each request; how much of a
response is read; and which failures count as no request. Nothing here sends, and there is no clock:
`inquire` yields each question and receives its reply, with the time at which it came.
"""

from collections.abc import Generator
from datetime import datetime
from typing import Any

from goodbot._core import robots_txt_url
from goodbot.grounds import NEVER_ASKED
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.outcomes import FAILURES
from goodbot.policy.policy import Policy
from goodbot.policy.redirects import leads_to
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = [
    "FIELDS",
    "LIMIT",
    "NOT_ASKED",
    "Question",
    "inquire",
]

LIMIT = 1024 * 1024
"""How many bytes of a robots.txt are read, decoded: at least 500 KiB (RFC 9309 section 2.5). It is
above the limit of every dialect (`size_limit`), so that each can tell that a file is too large."""

FIELDS = (("Accept", "text/plain, */*;q=0.1"), ("Accept-Encoding", "identity"))
"""What a request for robots.txt sends if its sender decodes nothing: a compressed file could be a
decompression bomb."""

NOT_ASKED = frozenset(outcome.removeprefix("failure-") for outcome in NEVER_ASKED)
"""Failures that are found before a request is sent: nothing is stored."""

DEFAULT = "rfc9309"

OTHER_FAILURE = "protocol-error"
"""How a failure counts that policies do not know, such as a redirect to an invalid address."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request to send: a GET that follows no redirect."""

    url: str
    """The address."""
    conditions: tuple[tuple[str, str], ...] = ()
    """The fields that make the request conditional on the stored copy; send them if any."""


def inquire(
    url: str,
    *,
    previous: Policy | None = None,
    **choices: Any,  # noqa: ANN401  those of Policy.from_response
) -> Generator[Question, tuple[RobotsTxtAnswer, datetime], Policy]:
    """Request the robots.txt of a URL: yield each question, receive the reply and its time.

    A reply needs no address, time or hops: they are those of its question.

    Args:
        url: An absolute URL of the origin.
        previous: The previous policy. Its copy is revalidated where it came from, and used while
            the site is unreachable.
        choices: `dialect` and `policy_dialect`, as `Policy.from_response` takes them.

    Returns:
        The policy.

    Raises:
        MisuseError: The URL is not absolute, or there is no such dialect.

    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> inquiry = inquire("http://a.example/b")
    >>> next(inquiry).url
    'http://a.example/robots.txt'
    >>> moved = RobotsTxtAnswer(status=301, headers=(("Location", "/r.txt"),))
    >>> inquiry.send((moved, now)).url
    'http://a.example/r.txt'
    >>> try:
    ...     inquiry.send((RobotsTxtAnswer(failure="timeout"), now))
    ... except StopIteration as end:
    ...     print(end.value.access)
    disallow-all

    Source: RFC 9309 sections 2.3.1 and 2.5.

    """
    address = robots_txt_url(url)
    table = choices.get("policy_dialect") or choices.get("dialect") or DEFAULT
    limit = policy_dialect(table).redirect_limit
    hops = [address]
    while True:
        reply, now = yield Question(hops[-1], conditions(hops, previous))
        following = None
        if reply.status is not None:
            following, _ = leads_to(hops[-1], reply.status, reply.headers, hops, limit=limit)
        if following is None:
            answer = whole_answer(address, reply._replace(answered=now), hops)
            return Policy.from_answer(answer, previous=previous, **choices)
        hops.append(following[1])


def whole_answer(address: str, reply: RobotsTxtAnswer, hops: list[str]) -> RobotsTxtAnswer:
    """Return the last reply as the answer to the whole inquiry, within the limit of what is read.

    Args:
        address: The address of the robots.txt.
        reply: The last reply, with its time.
        hops: The addresses that were asked, in order.

    """
    failure = None
    if reply.status is None:
        failure = reply.failure if reply.failure in FAILURES else OTHER_FAILURE
    return reply._replace(
        url=address,
        failure=failure,
        body=reply.body[:LIMIT],
        truncated=reply.truncated or len(reply.body) > LIMIT,
        hops=tuple(hops[1:]),
    )


def conditions(hops: list[str], previous: Policy | None) -> tuple[tuple[str, str], ...]:
    """Return the fields that make a request conditional, if it goes to where the copy came from.

    Source: RFC 9111 section 4.3.1.
    """
    if previous is None or hops[-1] != previous.copy_url:
        return ()
    return tuple(previous.conditional_headers().items())
