"""Redirects: the caller fetches hop by hop; this module says where to go next."""

from collections.abc import Iterable

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.address import Address, resolve
from goodbot.http.fields import Fields, field_lines, first, wire_bytes
from goodbot.http.status import answer_status, status_of
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "FEWEST_REDIRECTS",
    "NextHop",
    "chain_of",
    "checked_url",
    "leads_to",
    "next_hop",
    "target_of",
]

FEWEST_REDIRECTS = 5
"""`Crawlers SHOULD follow at least five consecutive redirects` (RFC 9309 section 2.3.1.2)."""


@dataclass(frozen=True, slots=True, repr=False)
class NextHop:
    """The address to fetch next, or why there is none.

    It is truthy when there is an address to fetch.

    >>> bool(NextHop("https://example.com/r.txt", None)), bool(NextHop(None, "redirect-loop"))
    (True, False)
    """

    url: str | None
    """The address to fetch next, in its normal form; `None` if there is none."""
    outcome: str | None
    """Why there is none: `answered` (no redirect, or a challenge: make a policy from the response),
    or the name of an outcome, which the policy of this response will have; `None` if there is an
    address."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Whether there is an address to fetch."""
        return self.url is not None


def next_hop(
    url: str,
    status: int,
    headers: object,
    hops: Iterable[str] = (),
    *,
    limit: int = FEWEST_REDIRECTS,
) -> NextHop:
    """Return the address to fetch next.

    Args:
        url: The address that was just fetched.
        status: The status of the answer.
        headers: The fields of the answer: a mapping, or pairs; of `str` or `bytes`.
        hops: The addresses fetched so far, in order, from robots.txt's own; with or without `url`.
        limit: How many redirects in a row are followed; at least five in RFC 9309.

    Returns:
        A `NextHop`: an address in its normal form, as it is sent, or the name of an outcome.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: `limit` is negative.

    >>> next_hop("https://a.example/robots.txt", 301, {"Location": "//b.example/robots.txt"})
    NextHop(url='https://b.example/robots.txt', outcome=None)
    >>> next_hop("https://a.example/robots.txt", 302, {"Location": "robots.txt"}).outcome
    'redirect-loop'
    >>> next_hop("https://a.example/robots.txt", 404, {}).outcome
    'answered'

    Source: RFC 9309 section 2.3.1.2; RFC 9110 sections 10.2.2 and 15.4.

    """
    address, outcome = leads_to(url, status, headers, hops, limit=limit)
    return NextHop(None, outcome) if address is None else NextHop(address[1], None)


def leads_to(
    url: str, status: int, headers: object, hops: Iterable[str], *, limit: int
) -> tuple[Address | None, str]:
    """Return the address that a response leads to, or why there is none.

    Args:
        url: The address that responded.
        status: The status of the answer.
        headers: Its fields.
        hops: The addresses fetched so far.
        limit: How many redirects in a row are followed.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: `limit` is negative.

    >>> leads_to("https://a.example/", 302, {"Location": "/a/../b#c"}, [], limit=5)
    (('https://a.example', 'https://a.example/b'), '')
    >>> leads_to("https://a.example/", 302, {"Location": "mailto:a@b.example"}, [], limit=5)
    (None, 'redirect-to-other-scheme')

    Source: RFC 9309 section 2.3.1.2; RFC 9110 sections 10.2.2 and 15.4.

    """
    checked_limit(limit)
    return target_of(url, status, field_lines(headers), hops, limit=limit)


def target_of(
    url: str, status: int, fields: Fields, hops: Iterable[str], *, limit: int
) -> tuple[Address | None, str]:
    """Return what `leads_to` does, for fields as `field_lines` returns them."""
    is_redirect = status_of(checked_status(status)).is_redirect
    if not (is_redirect and answer_status(status, fields).is_redirect):
        return None, "answered"
    here = checked_url(url)
    chain = chain_of(hops, last=here)
    location = first(fields, "location")
    if not location:
        return None, "redirect-without-location"
    address, fault = resolve(here, wire_bytes(location))
    if address is None:
        ending = "to-other-scheme" if fault == "other-scheme" else "malformed"
        return None, f"redirect-{ending}"
    # `/a/../b` and `/b` are one address; only their normal forms are equal.
    if address[1] in {normal(hop) for hop in chain}:
        return None, "redirect-loop"
    return (None, "redirects-too-many") if len(chain) > limit else (address, "")


def normal(hop: str) -> str:
    """Return an address in its normal form; anything else unchanged."""
    address, _ = resolve(None, hop)
    return hop if address is None else address[1]


def checked_limit(limit: object) -> None:
    """Raise if a value is not a number of redirects."""
    if not isinstance(limit, int):
        message = f"limit must be an int such as 5, not {type(limit).__name__}"
        raise WrongTypeError(message)
    if limit < 0:
        message = f"limit must be 0 or more (at least 5 in RFC 9309), not {limit}"
        raise WrongValueError(message)


def checked_url(url: object) -> str:
    """Return an address, from `str` or `bytes`."""
    if isinstance(url, bytes):
        return url.decode("utf-8", "replace")
    if isinstance(url, str):
        return url
    message = (
        f"url must be a str such as 'https://example.com/robots.txt', not {type(url).__name__}"
    )
    raise WrongTypeError(message)


def checked_status(status: object) -> int:
    """Raise if a value is not a number."""
    if not isinstance(status, int):
        message = f"status must be an int such as 200, not {type(status).__name__}"
        raise WrongTypeError(message)
    return status


def chain_of(hops: object, *, start: str | None = None, last: str | None = None) -> tuple[str, ...]:
    """Return the addresses fetched, with the first and the last of them where they are omitted."""
    if isinstance(hops, (str, bytes)) or not isinstance(hops, Iterable):
        message = f"hops must be a sequence of addresses, not {type(hops).__name__}"
        raise WrongTypeError(message)
    chain = tuple(checked_url(hop) for hop in hops)
    if start is not None and chain[:1] != (start,):
        chain = (start, *chain)
    if last is not None and chain[-1:] != (last,):
        chain = (*chain, last)
    return chain
