"""One request by the library that Python brings: no redirects, no more than needed, on time."""

import http.client
import socket
import ssl
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from typing import Any

from goodbot._core import __version__
from goodbot.adapters.policy_cache import question_headers
from goodbot.policy.inquiry import LIMIT, Answered, NoAnswer, Question, Reply

__all__ = ["send_request"]

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


class Deadline:
    """Breaks the connections of a request when its time is over.

    A timeout of sockets counts each wait alone, and a header that comes octet by octet never meets
    one.
    """

    def __init__(self, seconds: float) -> None:
        """Take how long."""
        self.has_passed = False
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> "Deadline":  # noqa: PYI034  Self is of Python 3.11
        """Begin."""
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._timer.cancel()

    def watch(self, one: socket.socket) -> None:
        """Break this connection, too."""
        self._sockets.append(one)
        if self.has_passed:
            self._pass()

    def _pass(self) -> None:
        self.has_passed = True
        for one in self._sockets:
            with suppress(OSError):
                # The plain socket's own: that of TLS would wait for the lock of who reads.
                socket.socket.shutdown(one, socket.SHUT_RDWR)


class WatchedHTTPHandler(urllib.request.HTTPHandler):
    """Opens http with connections that are watched."""

    def __init__(self, deadline: Deadline) -> None:
        """Take the deadline."""
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open one."""
        kind: Any = watched(http.client.HTTPConnection, self._deadline)
        return self.do_open(kind, request)


class WatchedHTTPSHandler(urllib.request.HTTPSHandler):
    """Opens https with connections that are watched."""

    def __init__(self, deadline: Deadline) -> None:
        """Take the deadline."""
        super().__init__()
        self._deadline = deadline

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open one."""
        kind: Any = watched(http.client.HTTPSConnection, self._deadline)
        return self.do_open(kind, request, context=ssl.create_default_context())


def watched(kind: Any, deadline: Deadline) -> Any:  # noqa: ANN401  a class of connections
    """Give a class of connections that a deadline breaks."""

    class Watched(kind):  # type: ignore[misc]
        """Tells its socket when it has one."""

        def connect(self) -> None:
            """Connect."""
            super().connect()
            deadline.watch(self.sock)

    return Watched


def send_request(question: Question, seconds: float) -> Reply:
    """Send one GET, and give what came of it.

    Args:
        question: What to ask; the address is of http or https.
        seconds: How long it may take, to the end of the content; each attempt to connect too.

    >>> send_request(Question("http://127.0.0.1:1/robots.txt"), 5.0)
    NoAnswer(kind='refused')

    Source: RFC 9309 section 2.3.1.

    """
    fields = question_headers(question, f"goodbot/{__version__}")
    with Deadline(seconds) as deadline:
        opener = urllib.request.build_opener(
            Stay, WatchedHTTPHandler(deadline), WatchedHTTPSHandler(deadline)
        )
        try:
            request = urllib.request.Request(question.url, headers=fields)  # noqa: S310  checked by inquire
            reply = answer_to(opener, request, seconds)
        except urllib.error.URLError as error:
            reason = error.reason
            reply = NoAnswer(kind_of(reason if isinstance(reason, BaseException) else error))
        except (OSError, http.client.HTTPException, ValueError) as error:
            reply = NoAnswer(kind_of(error))
    return NoAnswer("timeout") if deadline.has_passed else reply


def answer_to(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, seconds: float
) -> Reply:
    """Give the answer, of whatever status."""
    answer: Any
    try:
        answer = opener.open(request, timeout=seconds)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return Answered(answer.status, tuple(answer.headers.items()), body(answer))


def body(answer: Any) -> bytes:  # noqa: ANN401  an answer or an HTTPError
    """Read the content up to its end or the limit.

    Raises:
        IncompleteRead: It ended before its end.

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
    """Name the failure that an exception means."""
    return next((kind for one, kind in KINDS if isinstance(error, one)), "protocol-error")
