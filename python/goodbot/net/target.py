r"""From a URL to what is sent: one reading of it, the core's, for the judge and for the socket.

Two readings of one URL are how robots are led astray: `http://a.example\@b.example/` has another
host for each of two readers. What two could read differently is not fetched at all.
"""

import re
from functools import lru_cache

from goodbot._core import origin
from goodbot.errors import NoOriginError, WrongTypeError
from goodbot.net.failures import failure

__all__ = ["request_url"]

HTTP_URL = re.compile(
    r"(https?://[^/?#\x00-\x20\x7f\\]+)([^?#\x00-\x20\x7f\\]*)(\?[^#\x00-\x20\x7f\\]*)?"
    r"(?:#[^\x00-\x20\x7f\\]*)?\Z",
    re.IGNORECASE,
)
"""Start, path, query. There is nowhere a space, a control character or a backslash."""

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
NOT_ASCII = re.compile(r"[^\x21-\x7e]+")


def request_url(url: str) -> tuple[str, str]:
    """Give the origin of a URL and the URL as it is sent.

    The host comes from the core: lower case, IDN in ASCII, IPv4 in four decimal numbers whatever
    form it had. Name and password are left out: a link shall not make a robot log in. Path and
    query stay as they are, but for characters beyond ASCII, which are escaped as UTF-8.

    Raises:
        FetchError: `unsupported-scheme` or `malformed-url`.
        WrongTypeError: It is no `str`.

    >>> request_url("http://0x7f.1:80/Caf\u00e9?q#top")
    ('http://127.0.0.1', 'http://127.0.0.1/Caf%C3%A9?q')

    Source: RFC 3986 sections 2.1 and 3.2; the URL standard of WHATWG for hosts.

    """
    if not isinstance(url, str):
        message = f"url must be a str such as 'https://example.com/', not {type(url).__name__}"
        raise WrongTypeError(message)
    found = HTTP_URL.match(url)
    if found is None:
        is_other = SCHEME.match(url) and not url.lower().startswith(("http:", "https:"))
        raise failure(url, "unsupported-scheme" if is_other else "malformed-url")
    start, path, query = found.groups()
    try:
        base = origin_of(start)
    except NoOriginError as error:
        raise failure(url, "malformed-url") from error
    rest = (path or "/") + (query or "")
    return base, base + (rest if rest.isascii() else NOT_ASCII.sub(escaped, rest))


@lru_cache(maxsize=4096)
def origin_of(start: str) -> str:
    """Give the origin of a URL that is nothing else; a robot asks for the same ones again."""
    return origin(start)


def escaped(found: re.Match[str]) -> str:
    """Escape characters as the octets of UTF-8; what has none, as U+FFFD."""
    octets = found[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
    return "".join(f"%{octet:02X}" for octet in octets)
