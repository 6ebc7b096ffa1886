"""The spellings of a URL in which rules are compared: a plain twin of the core's."""

from goodbot._core import read_address
from goodbot.http.address import spelling_of

__all__ = ["spellings_of"]


def spellings_of(url: str) -> tuple[str, ...]:
    """Return a URL, or a path, as it is sent, and with its escapes as they are written if other.

    What is no URL of http or https stays as it is.

    Source: RFC 3986 sections 6.2.2.1 and 6.2.2.2.
    """
    site = "http:" if url.startswith("//") else "http://a" if url.startswith("/") else ""
    sent, _ = read_address(site + url)
    if sent is None:
        return (url,)
    written = spelling_of(site + url)
    spellings = (sent[1], written) if written else (sent[1],)
    return tuple(one.removeprefix(site) for one in spellings)
