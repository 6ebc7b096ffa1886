"""A URL as it is asked about and as it is sent: one and the same.

What may live here: from whatever a caller or a redirect gives to the address in its normal form.
`https://a.example/x/../private` is fetched as `/private`; who asked about the former and sent the
latter would walk past the rule. So a URL is resolved once, before anybody is asked.
"""

import re
from collections.abc import Iterable

from goodbot._core import join_url, origin
from goodbot.errors import NoOriginError, WrongTypeError
from goodbot.policy.redirects import next_hop

__all__ = ["Address", "address_of", "leads_to", "meant_by"]

Address = tuple[str, str]
"""An origin, and the URL as it is sent: of http or https, without fragment, name and password."""

SCHEMES = ("https://", "http://")
BEHIND_SCHEME = len("https://")
LONGEST_QUOTE = 200
HALF_WRITTEN = re.compile(r"(https?):[/\\]*([^/\\\s?#][^\s]*)", re.IGNORECASE)
"""A URL with another number of slashes than two, or with slashes the other way round."""


def address_of(url: str) -> Address:
    r"""Return the origin of a URL, and the URL as it is sent.

    Dot segments are resolved, also escaped ones, backslashes are slashes, host and scheme in lower
    case, and what may not stand in a URL is escaped.

    Args:
        url: An absolute URL of http or https.

    Raises:
        NoOriginError: It is not.
        WrongTypeError: It is no `str`.

    >>> address_of("HTTPS://name:word@Example.com:443/a/%2e%2e\\private?q#top")
    ('https://example.com', 'https://example.com/private?q')

    Source: the URL standard of WHATWG, which browsers and sites have in common; RFC 3986 section
    6.2.2.

    """
    try:
        # Browsers read http:a.example/x too; but it is relative where there is a base (WHATWG URL,
        # scheme state), so two readers may go to two places. The core refuses it, and so do we.
        origin(url)
        parsed = join_url(url, url)
    except (NoOriginError, UnicodeEncodeError):  # half a pair of surrogates is no character
        parsed = None
    except TypeError:
        given = type(url).__name__
        message = f"url must be a str such as 'https://example.com/page', not {given}"
        raise WrongTypeError(message) from None
    if parsed is None or not parsed.startswith(SCHEMES):
        message = (
            f"{url[:LONGEST_QUOTE]!r} is no absolute URL of http or https; write {likely(url)}"
        )
        raise NoOriginError(message)
    end = parsed.find("#")
    if end >= 0:
        parsed = parsed[:end]
    slash = parsed.index("/", BEHIND_SCHEME)
    if "@" in parsed[:slash]:
        parsed = without_userinfo(parsed, slash)
        slash = parsed.index("/", BEHIND_SCHEME)
    return parsed[:slash], parsed


def likely(url: str) -> str:
    r"""Return the URL that somebody may have meant, as browsers read it, or an example.

    >>> likely("http:example.com/x"), likely("HTTPS:\\\\example.com\\x"), likely("ftp:x")
    ('http://example.com/x', 'https://example.com/x', 'one such as https://example.com/page')
    """
    return meant_by(url) or "one such as https://example.com/page"


def meant_by(url: str) -> str | None:
    """Return the URL that one without its two slashes means, as browsers read it.

    >>> meant_by("http:example.com/x"), meant_by("/x"), meant_by("https:lamps")
    ('http://example.com/x', None, 'https://lamps')
    """
    found = HALF_WRITTEN.fullmatch(url.strip()[:LONGEST_QUOTE])
    if found is None:
        return None
    rest = found[2].replace("\\", "/")
    return f"{found[1].lower()}://{rest}"


def without_userinfo(url: str, slash: int) -> str:
    """Return a URL without name and password: a link shall not make a robot log in."""
    start = url.index("//") + 2
    return url[:start] + url[url.rindex("@", start, slash) + 1 :]


def leads_to(
    url: str, status: int, headers: object, hops: Iterable[str], *, limit: int
) -> tuple[Address | None, str]:
    """Return where an answer leads: to an address, or to an end and why there.

    Args:
        url: The address that answered.
        status: The status of the answer.
        headers: Its fields.
        hops: The addresses fetched so far.
        limit: How many redirects in a row are followed.

    >>> leads_to("https://a.example/", 302, {"Location": "/a/../b#c"}, [], limit=5)
    (('https://a.example', 'https://a.example/b'), '')
    >>> leads_to("https://a.example/", 302, {"Location": "mailto:a@b.example"}, [], limit=5)
    (None, 'redirect-to-other-scheme')

    Source: RFC 9309 section 2.3.1.2; RFC 9110 section 15.4.

    """
    hops = list(hops)
    hop = next_hop(url, status, headers, hops, limit=limit)
    if hop.url is None:
        return None, str(hop.outcome)
    try:
        address = address_of(hop.url)
    except NoOriginError:
        return None, "redirect-malformed"
    # `/a/../b` and `/b` are one address, which only the normal form shows.
    return (None, "redirect-loop") if address[1] in hops else (address, "")
