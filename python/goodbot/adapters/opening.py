"""One request by the library that Python brings: no redirects, no more than needed, on time."""

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any

from goodbot._core import __version__
from goodbot.adapters.asking import FIELDS, LARGEST, Failed, Reply, answered

__all__ = ["opened"]

PIECE = 16 * 1024

KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "dns"),
    (UnicodeError, "dns"),
    (ssl.SSLError, "tls"),
    (TimeoutError, "timeout"),
    (ConnectionRefusedError, "refused"),
    (http.client.RemoteDisconnected, "reset"),
    (ConnectionError, "reset"),
    (http.client.HTTPException, "protocol-error"),
    (OSError, "refused"),
)
"""Which exception means which failure; the first row that fits holds."""


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the caller goes hop by hop."""

    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401  as it is called
        """Say that there is nowhere to go."""


def opened(url: str, seconds: float) -> Reply:
    """Send one GET, and give what came of it.

    Args:
        url: The address, of http or https.
        seconds: How long it may take, to the end of the content.

    >>> opened("http://127.0.0.1:1/robots.txt", 5.0)
    Failed(kind='refused')

    Source: RFC 9309 section 2.3.1.

    """
    fields = {**FIELDS, "User-Agent": f"goodbot/{__version__}"}
    deadline = time.monotonic() + seconds
    opener = urllib.request.build_opener(Stay)
    try:
        request = urllib.request.Request(url, headers=fields)  # noqa: S310  checked by next_hop
        try:
            answer = opener.open(request, timeout=seconds)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answered(answer.status, tuple(answer.headers.items()), body(answer, deadline))
    except urllib.error.URLError as error:
        reason = error.reason
        return Failed(kind_of(reason if isinstance(reason, BaseException) else error))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Failed(kind_of(error))


def body(answer: Any, deadline: float) -> bytes:  # noqa: ANN401  an answer or an HTTPError
    """Read the content up to its end, the limit, or the deadline.

    Raises:
        TimeoutError: The deadline passed.
        IncompleteRead: It ended before its end.

    """
    found = b""
    while len(found) <= LARGEST:
        if time.monotonic() > deadline:
            raise TimeoutError
        piece = answer.read1(PIECE)
        if not piece:
            if getattr(answer, "length", None):
                raise http.client.IncompleteRead(found, answer.length)
            break
        found += piece
    return found


def kind_of(error: BaseException) -> str:
    """Name the failure that an exception means."""
    return next((kind for one, kind in KINDS if isinstance(error, one)), "protocol-error")
