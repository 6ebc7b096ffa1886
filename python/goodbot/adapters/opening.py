"""One request by `urllib`: without redirects, limited in size, and within a deadline."""

import http.client
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from goodbot._core import __version__
from goodbot.adapters.policy_cache import question_headers
from goodbot.policy.inquiry import LIMIT, Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["PROGRAM", "send_request"]

PIECE = 16 * 1024
PROGRAM = {"User-Agent": f"goodbot/{__version__}"}
"""Who sends a request if nobody else is named."""

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
"""Which exception means which failure; the first row that matches applies."""


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because the caller goes hop by hop."""

    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401  as it is called
        """Return no request, so that the redirect becomes the answer."""


class Deadline:
    """Closes the connections of a request when its time is over.

    A socket's timeout counts each wait by itself, so a header that arrives byte by byte would never
    reach it.
    """

    def __init__(self, seconds: float) -> None:
        """Prepare the timer."""
        self.has_passed = False
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> "Deadline":  # noqa: PYI034  Self is of Python 3.11
        """Start the timer."""
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def watch(self, one: socket.socket) -> None:
        """Close this connection, too, when time is over."""
        self._sockets.append(one)
        if self.has_passed:
            self._pass()

    def _pass(self) -> None:
        self.has_passed = True
        for one in self._sockets:
            with suppress(OSError):
                # Not the TLS socket's own method, which would wait for the reader's lock.
                socket.socket.shutdown(one, socket.SHUT_RDWR)


class WatchedHTTPHandler(urllib.request.HTTPHandler):
    """Opens http with connections that the deadline can close."""

    def __init__(self, deadline: Deadline) -> None:
        """Store the deadline."""
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a connection and send the request."""
        kind: Any = watched(http.client.HTTPConnection, self._deadline)
        return self.do_open(kind, request)


class WatchedHTTPSHandler(urllib.request.HTTPSHandler):
    """Opens https with connections that the deadline can close."""

    def __init__(self, deadline: Deadline) -> None:
        """Store the deadline."""
        super().__init__()
        self._deadline = deadline

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a connection and send the request."""
        kind: Any = watched(http.client.HTTPSConnection, self._deadline)
        return self.do_open(kind, request, context=ssl.create_default_context())


def watched(kind: Any, deadline: Deadline) -> Any:  # noqa: ANN401  a class of connections
    """Return a subclass whose connections the deadline can close."""

    class Watched(kind):  # type: ignore[misc]
        """Reports its socket to the deadline."""

        def connect(self) -> None:
            """Connect, and report the socket."""
            super().connect()
            deadline.watch(self.sock)

    return Watched


def send_request(
    question: Question, seconds: float, who: Mapping[str, str] = MappingProxyType(PROGRAM)
) -> RobotsTxtAnswer:
    """Send one GET and return the reply, or the kind of failure.

    Args:
        question: The request to send; its URL is http or https.
        seconds: How long it may take to the end of the content; also how long each attempt to
            connect may take.
        who: The fields User-Agent and From; by default goodbot itself, without From.

    >>> send_request(Question("http://127.0.0.1:1/robots.txt"), 5.0).failure
    'refused'

    Source: RFC 9309 section 2.3.1.

    """
    fields = question_headers(question, who)
    with Deadline(seconds) as deadline:
        opener = urllib.request.build_opener(
            Stay, WatchedHTTPHandler(deadline), WatchedHTTPSHandler(deadline)
        )
        try:
            request = urllib.request.Request(question.url, headers=fields)  # noqa: S310  checked by inquire
            reply = answer_to(opener, request, seconds)
        except urllib.error.URLError as error:
            reason = error.reason
            reply = RobotsTxtAnswer(
                failure=kind_of(reason if isinstance(reason, BaseException) else error)
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            reply = RobotsTxtAnswer(failure=kind_of(error))
    return RobotsTxtAnswer(failure="timeout") if deadline.has_passed else reply


def answer_to(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, seconds: float
) -> RobotsTxtAnswer:
    """Return the answer, whatever its status."""
    answer: Any
    try:
        answer = opener.open(request, timeout=seconds)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        fields = tuple(answer.headers.items())
        return RobotsTxtAnswer(status=answer.status, headers=fields, body=body(answer))


def body(answer: Any) -> bytes:  # noqa: ANN401  an answer or an HTTPError
    """Read the content up to its end or the limit.

    Raises:
        IncompleteRead: The connection closed before the end of the content.

    """
    found = b""
    while len(found) <= LIMIT:
        piece = answer.read1(PIECE)
        if not piece:
            if getattr(answer, "length", None):
                raise http.client.IncompleteRead(found, answer.length)
            break
        found += piece
    return found


def kind_of(error: BaseException) -> str:
    """Return the kind of failure for an exception."""
    return next((kind for one, kind in KINDS if isinstance(error, one)), "protocol-error")
