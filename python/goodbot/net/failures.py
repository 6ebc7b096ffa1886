"""What can fail when something is fetched: one table.

Scope: the names of failures, what each means, and what can be done about it. Which
exception of a library means which is told by anyone who uses that library.
"""

from goodbot.errors import FetchError, WrongTypeError
from goodbot.http.address import Address, resolve

__all__ = ["FAILURES", "failure", "fetchable"]

FAILURES: dict[str, tuple[str, str]] = {
    "dns": (
        "the name of the host could not be resolved",
        "check its spelling, or ask again later",
    ),
    "refused": (
        "nobody takes connections there",
        "check host and port, or ask again later",
    ),
    "reset": (
        "the connection broke off before the answer was whole",
        "ask again later",
    ),
    "tls": (
        "no secure connection came about",
        "have the site's certificate mended; for a private authority give ssl_context=",
    ),
    "timeout": (
        "no whole answer came in time",
        "ask again later, or give limits with more seconds=",
    ),
    "too-large": (
        "the answer is larger than the limits take",
        "give limits with more bytes= and wire_bytes=, or with when_larger='cut'",
    ),
    "bad-encoding": (
        "the content could not be decoded",
        "have the site's Content-Encoding mended",
    ),
    "protocol-error": (
        "the answer is not HTTP",
        "check that a web server answers at this port",
    ),
    "private-address": (
        "the address is not public, and was not asked",
        "if you may visit it, pass allow_private=True, or name its network in allow_networks=",
    ),
    "unsupported-scheme": (
        "only http and https are fetched",
        "leave this URL out, or fetch it by other means",
    ),
    "malformed-url": (
        "this is no absolute URL with a host",
        "give one such as https://example.com/page",
    ),
}
"""Every failure: what it means, and the cure.

The first nine are those of `goodbot.Policy.from_failure`; the last two are told before anybody is
asked.
"""

LONGEST_QUOTE = 200


def failure(url: str, kind: str, detail: str = "") -> FetchError:
    """Make the exception for a failure.

    Args:
        url: The URL that was asked for; foreign text.
        kind: One of `FAILURES`.
        detail: What was seen; foreign text.

    >>> print(failure("https://a.example/", "timeout", "within 5 s"))  # doctest: +ELLIPSIS
    https://a.example/: no whole answer came in time (within 5 s); ask again later, or give ...

    """
    meaning, cure = FAILURES[kind]
    seen = f" ({quoted(detail)})" if detail else ""
    return FetchError(kind, url, f"{quoted(url)}: {meaning}{seen}; {cure}")


def fetchable(url: str) -> Address:
    r"""Return the origin of a URL and the URL as it is sent, if every reader reads the same in it.

    Raises:
        FetchError: `unsupported-scheme` or `malformed-url`.
        WrongTypeError: It is not a `str`.

    >>> fetchable("http://0x7f.1:80/a/../Caf\u00e9?q#top")
    ('http://127.0.0.1', 'http://127.0.0.1/Caf%C3%A9?q')

    Source: RFC 3986 sections 2 and 3.2.

    """
    if not isinstance(url, str):
        message = f"url must be a str such as 'https://example.com/', not {type(url).__name__}"
        raise WrongTypeError(message)
    address, fault = resolve(None, url, as_written=True)
    if address is None:
        kind = "unsupported-scheme" if fault == "other-scheme" else "malformed-url"
        raise failure(url, kind)
    return address


def quoted(text: str) -> str:
    """Return foreign text as it may stand in a message: one line, and not long."""
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return short if short.isprintable() else ascii(short)[1:-1]
