"""One inquiry after robots.txt, whoever sends the requests: the robot and the adapters share it.

What may live here: the way from an address to a policy, hop by hop; what each request asks; how
much of an answer is read; and what counts as never asked. Nothing here sends, and there is no
clock: `inquire` yields each question and takes the reply to it, with the time at which it came.
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
"""The bytes of a robots.txt that are read, decoded: at least 500 KiB (RFC 9309 section 2.5). It is
above the limit of every dialect (`size_limit`), so that each sees what is too large for it."""

FIELDS = (("Accept", "text/plain, */*;q=0.1"), ("Accept-Encoding", "identity"))
"""What a request for robots.txt sends where its sender decodes nothing: a compressed file could be
a bomb."""

NOT_ASKED = frozenset({"malformed-url", "private-address", "unsupported-scheme"})
"""Failures that are found before anybody is asked: no request was made, and no answer is kept."""

NEVER_ASKED = frozenset(f"failure-{kind}" for kind in NOT_ASKED)
"""The same as outcomes of a policy."""

DEFAULT = "rfc9309"

OTHER_FAILURE = "protocol-error"
"""What a failure counts as that no policy knows, such as a redirect to what is no address."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request to send: a GET that follows no redirect."""

    url: str
    """The address."""
    conditions: tuple[tuple[str, str], ...] = ()
    """The fields that ask whether the stored copy is still current; to be sent if there are any."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to one request, of whatever status."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Its content, decoded; of one over `LIMIT` the beginning is enough."""
    truncated: bool = False
    """Whether `body` is only the beginning; what is over `LIMIT` is in any case."""
    requested: datetime | None = None
    """When the request was sent; `None` if that is not known."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer came: `kind` is one of `goodbot.policy.FAILURES`, or counts as `protocol-error`."""

    kind: str


Reply: TypeAlias = Answered | NoAnswer


def inquire(
    url: str,
    *,
    previous: Policy | None = None,
    **choices: Any,  # noqa: ANN401  those of Policy.from_response
) -> Generator[Question, tuple[Reply, datetime], Policy]:
    """Ask for the robots.txt of a URL: yield each question, take the reply and when it came.

    Args:
        url: An absolute URL of the origin.
        previous: The policy that there was. Its copy is asked about where it came from, and serves
            while the site is out of reach.
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
    """Return what asks whether the copy is still current, where the copy came from.

    Source: RFC 9111 section 4.3.1.
    """
    if previous is None or hops[-1] != previous.copy_url:
        return ()
    return tuple(previous.conditional_headers().items())
