"""The arguments of a policy, checked."""

from typing import Any

from goodbot._core import RobotsTxt, origin, robots_txt_url
from goodbot.errors import WrongValueError
from goodbot.http.fields import field_lines
from goodbot.http.instants import checked_time
from goodbot.policy.classify import RobotsTxtResult
from goodbot.policy.cutting import whole_lines
from goodbot.policy.outcome_tables import policy_dialect as named_policy_dialect
from goodbot.policy.redirects import chain_of, checked_url

__all__ = ["checked_body", "checked_result"]

ANYBODY = "ExampleBot"
"""Any name will do: no rules are involved."""


def checked_result(  # noqa: PLR0913  what both ways in share
    asked: tuple[object, object, object, object],
    read_as: tuple[Any, object, object],
    *,
    status: int | None = None,
    failure: str | None = None,
    headers: object = None,
    body: bytes = b"",
    truncated: bool = False,
) -> RobotsTxtResult:
    """Check the arguments of the caller."""
    url, now, requested, hops = asked
    dialect, policy_dialect, site_reachable = read_as
    address = robots_address(url)
    time = checked_time(now, "now")
    named = RobotsTxt(b"", dialect=dialect).dialect
    content, is_lost = whole_lines(body, named, truncated=bool(truncated))
    return RobotsTxtResult(
        url=address,
        status=status,
        failure=failure,
        fields=field_lines(headers),
        body=content,
        is_lost=is_lost,
        chain=checked_chain(hops, str(checked_url(url)), address),
        now=time,
        requested=time if requested is None else checked_time(requested, "requested"),
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


def checked_chain(hops: object, given: str, address: str) -> tuple[str, ...]:
    """Return the addresses fetched, from robots.txt's own; each must have an origin."""
    chain = chain_of(hops)
    rest = chain[1:] if chain[:1] in {(given,), (address,)} else chain
    for hop in rest:
        origin(hop)
    return (address, *rest)


def checked_body(body: object) -> bytes:
    """Return the bytes of a body, checked."""
    if body is None or isinstance(body, bytes):
        return body or b""
    # The core checks it, and its message says how to fix it.
    return RobotsTxt(body).content  # type: ignore[arg-type]
