"""URLs, read in one way: as the core reads them, for rules and for requests.

Scope: from text to an address in its normal form. `https://a.example/x/../b` is sent as `/b`; a
robot that checked the first and sent the second would miss a rule for `/b`.
"""

from typing import Literal, TypeAlias

from goodbot._core import LONGEST_URL, meant_by, read_address
from goodbot._core import resolve as core_resolve
from goodbot.errors import NoOriginError
from goodbot.http.fields import scalar

__all__ = [
    "LONGEST_URL",
    "Address",
    "UrlFault",
    "address_of",
    "likely",
    "meant_by",
    "resolve",
    "spelling_of",
    "url_text",
]

Address: TypeAlias = tuple[str, str]
"""An origin, and the URL as it is sent: of http or https, without fragment, name and password."""

UrlFault: TypeAlias = Literal["", "not-absolute", "other-scheme", "malformed", "too-long"]
"""Why a reference leads to no address; empty if it leads to one."""

LONGEST_QUOTE = 200


def address_of(url: str) -> Address:
    r"""Return the origin of a URL, and the URL as it is sent.

    It is read as browsers read it: dot segments are resolved, including escaped ones, backslashes
    become slashes, scheme and host are lower-cased, a host beyond ASCII gets its ASCII form, and
    characters that are not allowed in a URL are escaped. Unreserved characters are not escaped, and
    other escapes have capital letters, so that `/%7efred` and `/~fred` are one address; `%2F` is
    not a slash. `http:a.example` is refused, because browsers read it in two ways.

    Args:
        url: An absolute URL of http or https, of any length.

    Raises:
        NoOriginError: It is something else.
        WrongTypeError: It is not a `str`.

    >>> address_of("HTTPS://name:word@Example.com:443/a/%2e%2e\\private?q#top")
    ('https://example.com', 'https://example.com/private?q')

    Source: the WHATWG URL standard, which browsers and sites share; RFC 3986 section 6.2.2.

    """
    address, _ = read_address(url)
    if address is None:
        raise NoOriginError(why_not_address(url))
    return address


def why_not_address(url: str) -> str:
    """Return what is wrong with a text that is no address, and what to write instead."""
    quoted = repr(url[:LONGEST_QUOTE])
    if scalar(url) != url:
        return (
            f"{quoted} has a lone surrogate, which cannot be sent; write a URL such as "
            "https://example.com/page, with escapes such as %C3%A9 for other bytes"
        )
    return f"{quoted} is not an absolute http or https URL; write {likely(url)}"


def resolve(
    base: str | None, reference: str | bytes, *, as_written: bool = False
) -> tuple[Address | None, UrlFault]:
    r"""Return the address of a reference, or `None` and why it has none.

    The reference is read strictly, as it came in a protocol element such as Location. A space, a
    control character or a backslash makes it malformed, because programs differ on them. A
    reference with a scheme or an authority is not relative, so `http:x` is not a path relative to
    the base.

    Args:
        base: The address that it is relative to; `None` if it must be absolute.
        reference: A `str`, or `bytes` as they came: bytes beyond ASCII are escaped one by one.
            With a base, it and its result have at most `LONGEST_URL` bytes.
        as_written: Whether escapes stay as they are written; see `spelling_of`.

    >>> resolve("https://a.example/b/c", "../d?e#f")
    (('https://a.example', 'https://a.example/d?e'), '')
    >>> resolve("https://a.example/", b"/caf\xe9"), resolve("https://a.example/", "http:x")
    ((('https://a.example', 'https://a.example/caf%E9'), ''), (None, 'not-absolute'))

    Source: RFC 3986 sections 2.1 and 5.2.2; RFC 9110 sections 4.1 and 10.2.2; for the normal form
    the URL standard of WHATWG.

    """
    return core_resolve(base, reference, as_written=as_written)


def spelling_of(url: str) -> str:
    """Return a URL as it is written, if it is sent in another spelling.

    Rules are compared with both spellings, because dialects differ on escapes and the owner of a
    site may have written either.

    Args:
        url: An absolute URL of http or https.

    Returns:
        The URL as `address_of` reads it, with its escapes as they are written; empty if that is the
        same, or `url` is not such a URL.

    >>> spelling_of("https://a.example/x/../%7efred#top"), spelling_of("https://a.example/~fred")
    ('https://a.example/%7efred', '')

    Source: RFC 3986 sections 6.2.2.1 and 6.2.2.2.

    """
    if "%" not in url:
        return ""
    written, _ = read_address(url, as_written=True)
    return "" if written is None or written == read_address(url)[0] else written[1]


def url_text(url: bytes) -> str:
    """Return a URL as text; bytes that are not UTF-8 are escaped, as they would be sent."""
    try:
        return url.decode()
    except UnicodeDecodeError:
        return "".join(f"%{byte:02X}" if byte > 127 else chr(byte) for byte in url)  # noqa: PLR2004  ASCII


def likely(url: str) -> str:
    r"""Return the URL that was probably meant, as browsers read it, or an example.

    >>> likely("http:example.com/x"), likely("HTTPS:\\\\example.com\\x"), likely("ftp:x")
    ('http://example.com/x', 'https://example.com/x', 'one such as https://example.com/page')
    """
    return (meant_by(url) or "one such as https://example.com/page")[:LONGEST_QUOTE]
