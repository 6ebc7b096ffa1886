"""Redirects: the caller fetches hop by hop, and asks here where to next."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urldefrag, urljoin

from goodbot._core import origin
from goodbot.errors import NoOriginError, WrongTypeError, WrongValueError
from goodbot.http.fields import field_lines, first
from goodbot.http.status import answer_status

__all__ = ["FEWEST_REDIRECTS", "NextHop", "chain_of", "checked_url", "next_hop"]

FEWEST_REDIRECTS = 5
"""`Crawlers SHOULD follow at least five consecutive redirects` (RFC 9309 section 2.3.1.2)."""

LONGEST_LOCATION = 8192
"""What RFC 9110 section 4.1 recommends to support, 8,000 octets, and a little more."""

UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
KEPT = "!#$%&'()*+,-./:;=?@[]_~"


@dataclass(frozen=True, slots=True)
class NextHop:
    """Where to fetch next, or why nowhere.

    It is truthy when there is an address to fetch.

    >>> bool(NextHop("https://example.com/r.txt", None)), bool(NextHop(None, "redirect-loop"))
    (True, False)
    """

    url: str | None
    """The address to fetch next; `None` if the way ends here."""
    outcome: str | None
    """Why the way ends: `answered` (no redirect, or a challenge: make a policy of the answer), or
    the name of an outcome, with which the answer may be made a policy just so; `None` if it goes
    on."""

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
    """Tell where to fetch next.

    Args:
        url: The address that was just fetched.
        status: The status of the answer.
        headers: The fields of the answer: a mapping, or pairs; of `str` or `bytes`.
        hops: The addresses fetched so far, in order, from robots.txt's own; with or without `url`.
        limit: How many redirects in a row are followed; RFC 9309 has at least five.

    Returns:
        A `NextHop`: an address without fragment, or the name of an outcome.

    Raises:
        WrongTypeError: An argument is of a type that is not taken.
        WrongValueError: `limit` is negative.

    >>> next_hop("https://a.example/robots.txt", 301, {"Location": "//b.example/robots.txt"})
    NextHop(url='https://b.example/robots.txt', outcome=None)
    >>> next_hop("https://a.example/robots.txt", 302, {"Location": "robots.txt"}).outcome
    'redirect-loop'
    >>> next_hop("https://a.example/robots.txt", 404, {}).outcome
    'answered'

    Source: RFC 9309 section 2.3.1.2; RFC 9110 sections 10.2.2 and 15.4.

    """
    checked_limit(limit)
    fields = field_lines(headers)
    if not answer_status(checked_status(status), fields).is_redirect:
        return NextHop(None, "answered")
    chain = chain_of(hops, last=checked_url(url))
    locations = first(fields, "location")
    if not locations:
        return NextHop(None, "redirect-without-location")
    target, outcome = target_of(url, locations)
    if outcome or target is None:
        return NextHop(None, outcome)
    if target in {urldefrag(hop).url for hop in chain}:
        return NextHop(None, "redirect-loop")
    if len(chain) > limit:
        return NextHop(None, "redirects-too-many")
    return NextHop(target, None)


def checked_limit(limit: object) -> None:
    """Refuse what is no number of redirects."""
    if not isinstance(limit, int):
        message = f"limit must be an int such as 5, not {type(limit).__name__}"
        raise WrongTypeError(message)
    if limit < 0:
        message = f"limit must be 0 or more, and RFC 9309 has at least 5; it is {limit}"
        raise WrongValueError(message)


def checked_url(url: object) -> str:
    """Take an address, as `str` or `bytes`."""
    if isinstance(url, bytes):
        return url.decode("utf-8", "replace")
    if isinstance(url, str):
        return url
    message = (
        f"url must be a str such as 'https://example.com/robots.txt', not {type(url).__name__}"
    )
    raise WrongTypeError(message)


def checked_status(status: object) -> int:
    """Refuse what is no number."""
    if not isinstance(status, int):
        message = f"status must be an int such as 200, not {type(status).__name__}"
        raise WrongTypeError(message)
    return status


def chain_of(hops: object, *, start: str | None = None, last: str | None = None) -> tuple[str, ...]:
    """Give the addresses fetched, with the first and the last of them where they are left out."""
    if isinstance(hops, (str, bytes)) or not isinstance(hops, Iterable):
        message = f"hops must be a sequence of addresses, not {type(hops).__name__}"
        raise WrongTypeError(message)
    chain = tuple(checked_url(hop) for hop in hops)
    if start is not None and chain[:1] != (start,):
        chain = (start, *chain)
    if last is not None and chain[-1:] != (last,):
        chain = (*chain, last)
    return chain


def resolved(url: str, location: str) -> str:
    """Resolve a reference, strictly: what has a scheme, or an authority, is not relative.

    Source: RFC 3986 section 5.2.2; `urljoin` takes `http://` and `//` for the page itself.
    """
    if SCHEME.match(location):
        return location
    if location.startswith("//"):
        return f"{url.partition(':')[0]}:{location}"
    return urljoin(url, location)


def octets_of(location: str) -> bytes:
    """Give the octets of a Location as they came.

    Octets beyond ASCII are meant as UTF-8 by some and as ISO 8859-1 by others; escaped as they
    came they are right for both (RFC 3986 section 2.1). A client that decoded them meant UTF-8.
    """
    try:
        return location.encode("latin-1")
    except UnicodeEncodeError:
        return location.encode("utf-8", "replace")


def target_of(url: str, location: str) -> tuple[str | None, str | None]:
    """Resolve a Location: the address, or the outcome if it leads to none."""
    malformed = (None, "redirect-malformed")
    if len(location) > LONGEST_LOCATION or UNSAFE.search(location):
        return malformed
    try:
        target = urldefrag(resolved(url, quote(octets_of(location), KEPT))).url
    except ValueError:
        return malformed
    scheme, colon, _ = target.partition(":")
    if colon and scheme.lower() not in {"http", "https"}:
        return None, "redirect-to-other-scheme"
    try:
        origin(target)
    except NoOriginError:
        return malformed
    return target, None
