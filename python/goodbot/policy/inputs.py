"""The arguments of a policy, checked."""

from typing import Any

from goodbot._core import RobotsTxt, origin, robots_txt_url
from goodbot.errors import WrongValueError
from goodbot.http.fields import field_lines
from goodbot.http.instants import checked_time
from goodbot.policy.classify import AnswerInDialect
from goodbot.policy.cutting import whole_lines
from goodbot.policy.outcome_tables import policy_dialect as named_policy_dialect
from goodbot.policy.redirects import chain_of, checked_url
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["checked_answer", "checked_body"]

ANYBODY = "ExampleBot"
"""Any name will do: no rules are involved."""


def checked_answer(
    answer: RobotsTxtAnswer,
    dialect: Any,  # noqa: ANN401  as `RobotsTxt` has it
    policy_dialect: object,
    site_reachable: object,
) -> AnswerInDialect:
    """Check an answer as a caller passed it, and the dialects in which it is read."""
    address = robots_address(answer.url)
    time = checked_time(answer.answered, "now")
    named = RobotsTxt(b"", dialect=dialect).dialect
    content, is_lost = whole_lines(answer.body, named, truncated=bool(answer.truncated))
    requested = answer.requested
    # Only what the decision depends on: `_replace` would take as long as all the rest.
    checked = RobotsTxtAnswer(
        address,
        time,
        answer.status,
        answer.failure,
        field_lines(answer.headers),
        content,
        hops=checked_hops(answer.hops, str(checked_url(answer.url)), address),
        requested=None if requested is None else checked_time(requested, "requested"),
    )
    return AnswerInDialect(
        checked,
        is_lost=is_lost,
        dialect=named,
        policy=named_policy_dialect(named if policy_dialect is None else policy_dialect),
        site_reachable=None if site_reachable is None else bool(site_reachable),
    )


def robots_address(url: object) -> str:
    """Return the address of a robots.txt in its normal form.

    The response for any other page cannot make a policy: its 404 would allow everything.
    """
    text = checked_url(url)
    address = robots_txt_url(text)
    if RobotsTxt(b"").verdict(text, ANYBODY).reason != "robots-txt-itself":
        message = (
            f"{text[:200]!r} is not the address of a robots.txt; fetch {address} and pass that "
            "address, as it was before any redirect"
        )
        raise WrongValueError(message)
    return address


def checked_hops(hops: object, given: str, address: str) -> tuple[str, ...]:
    """Return the addresses that redirects led to, in order; each must have an origin."""
    chain = chain_of(hops)
    rest = chain[1:] if chain[:1] in {(given,), (address,)} else chain
    for hop in rest:
        origin(hop)
    return rest


def checked_body(body: object) -> bytes:
    """Return the bytes of a body, checked."""
    if body is None or isinstance(body, bytes):
        return body or b""
    # The core checks it, and its message says how to fix it.
    return RobotsTxt(body).content  # type: ignore[arg-type]
