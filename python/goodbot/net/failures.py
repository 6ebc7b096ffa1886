"""What can fail in a fetch: one table.

Scope: the names of failures, what each means, and what can be done about it. The code that uses a
library maps its exceptions to these names.
"""

from goodbot.errors import FetchError, WrongTypeError, with_words
from goodbot.http.address import Address, resolve
from goodbot.net.addresses import BLOCKED_PORTS, blocked_port

__all__ = ["FAILURES", "failure", "fetchable"]

ROWS: dict[str, tuple[str, str]] = {
    "dns": (
        "the host name could not be resolved",
        "check its spelling, or try again later",
    ),
    "refused": (
        "the connection was refused",
        "check host and port, or try again later",
    ),
    "reset": (
        "the connection was closed before the response was complete",
        "try again later",
    ),
    "tls": (
        "no TLS connection could be made",
        "check the site's certificate; for a private authority, {ssl_context}",
    ),
    "timeout": (
        "the request timed out",
        "try again later, or allow more time ({timeout})",
    ),
    "too-large": (
        "the response exceeds the limits",
        "to read more, {limits}",
    ),
    "bad-encoding": (
        "the content could not be decoded",
        "the site must correct its Content-Encoding",
    ),
    "protocol-error": (
        "the response is not valid HTTP",
        "check that a web server listens at this port",
    ),
    "private-address": (
        "the address is not public, so no request was made",
        "to visit it, pass {allow_private}, or name its network by {allow_network}",
    ),
    "blocked-port": (
        "browsers open no page at this port, so no request was made",
        "use a URL with the port of a web server",
    ),
    "unsupported-scheme": (
        "only http and https URLs can be fetched",
        "leave this URL out, or fetch it with another tool",
    ),
    "malformed-url": (
        "this is not an absolute URL with a host",
        "pass one such as https://example.com/page",
    ),
    "cancelled": (
        "the robot was stopped before the response came",
        "visit it again",
    ),
}
"""Every failure: what it means, and what to do, where `{name}` stands for one of `SETTINGS`."""

SETTINGS = {
    "ssl_context": "pass ssl_context=",
    "timeout": "limits with more seconds=",
    "limits": "pass limits with more bytes= and wire_bytes=, or with when_larger='cut'",
    "allow_private": "allow_private=True",
    "allow_network": "allow_networks=",
}
"""The settings that these sentences name, and what they say of them in Python."""

FAILURES: dict[str, tuple[str, str]] = {
    kind: (meaning, with_words(cure, SETTINGS)) for kind, (meaning, cure) in ROWS.items()
}
"""Every failure: what it means, and what to do.

The first ten are those of `goodbot.Policy.from_failure`. `cancelled` is only in events and in
evidence, because it is not the site's; the three before it are found before anything is sent.
"""

LONGEST_QUOTE = 200


def failure(url: str, kind: str, detail: str = "") -> FetchError:
    """Make the exception for a failure.

    Args:
        url: The requested URL; foreign text.
        kind: One of `FAILURES`.
        detail: What was seen; foreign text.

    >>> print(failure("https://a.example/", "timeout", "within 5 s"))  # doctest: +ELLIPSIS
    https://a.example/: the request timed out (within 5 s); try again later, or allow ...

    """
    meaning, cure = ROWS[kind]
    seen = f" ({quoted(detail)})" if detail else ""
    named = {name: words for name, words in SETTINGS.items() if f"{{{name}}}" in cure}
    return FetchError(kind, url, f"{quoted(url)}: {meaning}{seen}", cure, named)


def fetchable(url: str) -> Address:
    r"""Return the origin of a URL and the URL as it is sent, if all programs read it alike.

    Raises:
        FetchError: `unsupported-scheme`, `malformed-url` or `blocked-port`.
        WrongTypeError: It is not a `str`.

    >>> fetchable("http://0x7f.1:80/a/../Caf\u00e9?q#top")
    ('http://127.0.0.1', 'http://127.0.0.1/Caf%C3%A9?q')

    Source: RFC 3986 sections 2 and 3.2; Fetch Standard, port blocking.

    """
    if not isinstance(url, str):
        message = f"url must be a str such as 'https://example.com/', not {type(url).__name__}"
        raise WrongTypeError(message)
    address, fault = resolve(None, url, as_written=True)
    if address is None:
        kind = "unsupported-scheme" if fault == "other-scheme" else "malformed-url"
        raise failure(url, kind)
    port = blocked_port(address[0])
    if port is not None:
        raise failure(url, "blocked-port", f"{port}, {BLOCKED_PORTS[port]}")
    return address


def quoted(text: str) -> str:
    """Return foreign text for use in a message: one short line."""
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return short if short.isprintable() else ascii(short)[1:-1]
