"""One inquiry for robots.txt, whatever sends the requests: the robot and the adapters share it.

Scope: the way from an address to a policy, hop by hop; the fields of each request; how much of a
response is read; and which failures count as no request. Nothing here sends, and there is no clock:
`inquire` yields each question and receives its reply, with the time at which it came.
"""

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from goodbot._core import robots_txt_url
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.outcomes import FAILURES
from goodbot.policy.policy import Policy
from goodbot.policy.redirects import leads_to

__all__ = [
    "FIELDS",
    "LIMIT",
    "NEVER_ASKED",
    "NOT_ASKED",
    "Answered",
    "NoAnswer",
    "Question",
    "Reply",
    "inquire",
]

LIMIT = 1024 * 1024
"""How many bytes of a robots.txt are read, decoded: at least 500 KiB (RFC 9309 section 2.5). It is
above the limit of every dialect (`size_limit`), so that each can tell that a file is too large."""

FIELDS = (("Accept", "text/plain, */*;q=0.1"), ("Accept-Encoding", "identity"))
"""What a request for robots.txt sends if its sender decodes nothing: a compressed file could be a
decompression bomb."""

NOT_ASKED = frozenset({"malformed-url", "private-address", "unsupported-scheme"})
"""Failures that are found before a request is sent: nothing is stored."""

NEVER_ASKED = frozenset(f"failure-{kind}" for kind in NOT_ASKED)
"""The same as outcomes of a policy."""

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


@dataclass(frozen=True, slots=True)
class Answered:
    """A response to one request, with any status."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Its content, decoded; if it is longer than `LIMIT`, the beginning is enough."""
    truncated: bool = False
    """Whether `body` is only the beginning; always assumed beyond `LIMIT`."""
    requested: datetime | None = None
    """When the request was sent; `None` if unknown."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No response: `kind` is one of `goodbot.policy.FAILURES`, or counts as `protocol-error`."""

    kind: str


Reply: TypeAlias = Answered | NoAnswer


def inquire(
    url: str,
    *,
    previous: Policy | None = None,
    **choices: Any,  # noqa: ANN401  those of Policy.from_response
) -> Generator[Question, tuple[Reply, datetime], Policy]:
    """Request the robots.txt of a URL: yield each question, receive the reply and its time.

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
    >>> inquiry.send((Answered(301, (("Location", "/r.txt"),), b""), now)).url
    'http://a.example/r.txt'
    >>> try:
    ...     inquiry.send((NoAnswer("timeout"), now))
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
        if isinstance(reply, Answered):
            following, _ = leads_to(hops[-1], reply.status, reply.headers, hops, limit=limit)
        if following is None:
            return policy_of(address, reply, now=now, previous=previous, hops=hops, **choices)
        hops.append(following[1])


def policy_of(address: str, reply: Reply, **given: Any) -> Policy:  # noqa: ANN401  as above
    """Make the policy of the last reply."""
    if isinstance(reply, NoAnswer):
        kind = reply.kind if reply.kind in FAILURES else OTHER_FAILURE
        return Policy.from_failure(address, kind, **given)
    return Policy.from_response(
        address,
        reply.status,
        reply.headers,
        reply.body[:LIMIT],
        truncated=reply.truncated or len(reply.body) > LIMIT,
        requested=reply.requested,
        **given,
    )


def conditions(hops: list[str], previous: Policy | None) -> tuple[tuple[str, str], ...]:
    """Return the fields that make a request conditional, if it goes to where the copy came from.

    Source: RFC 9111 section 4.3.1.
    """
    if previous is None or hops[-1] != previous.copy_url:
        return ()
    return tuple(previous.conditional_headers().items())
