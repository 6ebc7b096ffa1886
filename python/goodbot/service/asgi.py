"""The little of ASGI that the service needs: reading a body within bounds, and sending an answer.

Source: ASGI specification, HTTP & WebSocket protocol, version 2.4.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from goodbot.http.asgi_types import ASGIMessage, ASGIReceive, ASGIScope, ASGISend
from goodbot.service.problems import BUSY, INVALID, TOO_LARGE, ServiceProblem

__all__ = [
    "JSON_TYPE",
    "LARGEST_BODY",
    "ClientLeftError",
    "ContentRoom",
    "CountedReceive",
    "finish_or_leave",
    "read_body",
    "send_answer",
    "send_parts",
]

SentFields: TypeAlias = Sequence[tuple[bytes, bytes]]
Worked = TypeVar("Worked")

LARGEST_BODY = 2 * 1024 * 1024
"""The most bytes of the content of a request."""
LONGEST_RECEPTION = 10.0
"""The most seconds until the content of a request must have arrived."""
CANCEL_AGAIN = 1.0
"""The seconds after which work for a client that left is cancelled once more."""
NEXT_LOOK = 0.1
"""The seconds until the next check for a client that left, if the server does not wait for that."""
CODINGS = {b"content-encoding", b"transfer-encoding"}
JSON_TYPE = b"application/json"
FIXED: SentFields = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Fields of every response: no browser keeps an answer, or hands it to another site's page."""


class ClientLeftError(Exception):
    """The client closed the connection before its answer was ready."""


class CountedReceive:
    """What one client sends, counted.

    Args:
        receive: What it sends.
        room: What counts the contents of all requests.

    """

    __slots__ = ("room", "size", "uncounted")

    def __init__(self, receive: ASGIReceive, room: "ContentRoom") -> None:
        """Start with nothing."""
        self.uncounted = receive
        self.room = room
        self.size = 0

    async def __call__(self) -> ASGIMessage:
        """Return what comes next.

        Raises:
            ServiceProblem: The contents of all requests are too large together.

        """
        message = await self.uncounted()
        size = len(message.get("body", b""))
        if size:
            self.size += size
            self.room.enter(size)
        return message


class ContentRoom:
    """The contents of all requests that are read or answered, within bounds of size and time.

    One timer serves all of them: one for each request is a tenth of the time of a short one.

    Args:
        most: How many bytes they may have together.
        fields: The fields of the response if they have more.

    """

    def __init__(self, most: int, fields: SentFields) -> None:
        """Start empty."""
        self._left = most
        self._fields = fields
        self._ends: dict[asyncio.Task[Any], float] = {}
        """The tasks that read a content, by when it must have arrived: the first in order."""
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def count(self, receive: ASGIReceive) -> CountedReceive:
        """Return what counts the content of one request."""
        return CountedReceive(receive, self)

    def enter(self, size: int) -> None:
        """Count some bytes.

        Raises:
            ServiceProblem: There is no room for them.

        """
        self._left -= size
        if self._left < 0:
            raise ServiceProblem(BUSY, fields=self._fields)

    def leave(self, counted: CountedReceive) -> None:
        """End the count of one request, which is over."""
        self._left += counted.size

    def begin(self, task: "asyncio.Task[Any]") -> None:
        """Cancel a task that reads a content, unless it ends in time."""
        loop = task.get_loop()
        self._ends[task] = loop.time() + LONGEST_RECEPTION
        if self._timer is None:
            self._timer = loop.call_later(LONGEST_RECEPTION, self._cancel_late, loop)

    def is_late(self, task: "asyncio.Task[Any]") -> bool:
        """Return whether a task was cancelled because its content had not arrived in time."""
        return task in self._late

    def end(self, task: "asyncio.Task[Any]") -> None:
        """Note that a task has read a content, or ended without."""
        self._ends.pop(task, None)
        self._late.discard(task)

    def _cancel_late(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel the tasks whose time is over, and wait for the end of the next."""
        self._timer = None
        for task, ends in list(self._ends.items()):
            if ends > loop.time():
                self._timer = loop.call_at(ends, self._cancel_late, loop)
                return
            del self._ends[task]
            self._late.add(task)
            task.cancel()


async def read_body(scope: ASGIScope, receive: CountedReceive) -> bytes:
    """Return the content of a request.

    Raises:
        ClientLeftError: The client left before it was complete.
        ServiceProblem: It is too large, or does not arrive in time.

    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  it is a coroutine of a server
    room = receive.room
    room.begin(task)
    try:
        return await receive_all(receive, length_of(scope))
    except asyncio.CancelledError:
        if not room.is_late(task) or not is_cancelled_once(task):
            raise
        detail = f"The content did not arrive within {LONGEST_RECEPTION:g} seconds."
        raise ServiceProblem(INVALID, detail) from None
    finally:
        room.end(task)


def is_cancelled_once(task: "asyncio.Task[Any]") -> bool:
    """Return whether a task was cancelled by one only, whose reason is known, and end that."""
    return sys.version_info < (3, 11) or task.uncancel() == 0


def length_of(scope: ASGIScope) -> int:
    """Return how many bytes the content of a request has; -1 if only its end says so.

    An application in between may have decoded the content: then the length is not what comes.

    Source: RFC 9112 section 6.3 (a coding of the transfer overrides the length).
    """
    length = -1
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            length = int(value[:20])
        elif name in CODINGS:
            return -1
    return length


async def receive_all(receive: ASGIReceive, length: int = -1) -> bytes:
    """Return the content of a request of a known length, or until its end; see `read_body`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeftError
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST_BODY:
            raise ServiceProblem(TOO_LARGE, f"The content has more than {LARGEST_BODY:,} bytes.")
        parts.append(part)
        # Servers may report the end by a message of its own, which need not be waited for.
        if size == length or not message.get("more_body", False):
            return b"".join(parts)


async def finish_or_leave(
    work: Coroutine[Any, Any, Worked],
    receive: CountedReceive,
    undo: Callable[[Worked], Awaitable[object]] | None = None,
) -> Worked:
    """Return the result of some work, unless the client leaves before; then the work is cancelled.

    Args:
        work: What takes a while.
        receive: What the client sends; its content was read already.
        undo: Called with the result if the client left just as the work was done.

    Raises:
        ClientLeftError: The client left.

    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  it is a coroutine of a server
    watch = LeaveWatch(receive, task)
    try:
        result = await work
    except asyncio.CancelledError:
        if not watch.end() or not watch.has_left:
            raise
        raise ClientLeftError from None
    finally:
        watch.end()
    if watch.has_left:
        if undo is not None:
            await undo(result)
        raise ClientLeftError
    return result


class LeaveWatch:
    """Cancels the task of a request when its client leaves.

    Where the server hands out futures, as granian does, no task is made to wait for one.

    Args:
        receive: What the client sends; its content was read already.
        task: The task.

    """

    __slots__ = ("_cancels", "_is_first", "_is_over", "_next", "_receive", "_task", "has_left")

    def __init__(self, receive: CountedReceive, task: "asyncio.Task[Any]") -> None:
        """Start to watch."""
        self._receive = receive.uncounted
        self._task = task
        self._is_first = True
        self._is_over = False
        self._cancels = 0
        self.has_left = False
        self._watch()

    def end(self) -> bool:
        """Stop watching; return whether nobody else has cancelled the task."""
        self._is_over = True
        self._next.cancel()
        others = 0
        if sys.version_info >= (3, 11):
            others = self._task.cancelling()
            for _ in range(self._cancels):
                others = self._task.uncancel()
        self._cancels = 0
        return others == 0

    def _watch(self) -> None:
        """Wait for what comes next."""
        waiting = asyncio.ensure_future(self._receive())
        self._next: asyncio.Future[ASGIMessage] | asyncio.TimerHandle = waiting
        waiting.add_done_callback(self._hear)

    def _cancel(self) -> None:
        """Cancel the task, and again until it ends.

        Before Python 3.12, `asyncio.wait_for` may keep a cancellation to itself.
        """
        self._cancels += 1
        self._task.cancel()
        self._next = self._task.get_loop().call_later(CANCEL_AGAIN, self._cancel)

    def _hear(self, waiting: "asyncio.Future[ASGIMessage]") -> None:
        """Cancel the task if the client left; else go on watching."""
        failed = waiting.cancelled() or waiting.exception() is not None
        if self._is_over:
            return
        if failed or waiting.result()["type"] == "http.disconnect":
            self.has_left = True
            self._cancel()
        elif self._is_first:
            self._is_first = False  # the end of the content, for which nobody waited
            self._watch()
        else:
            self._next = self._task.get_loop().call_later(NEXT_LOOK, self._watch)


async def send_answer(
    send: ASGISend, status: int, kind: bytes, body: bytes, fields: SentFields = ()
) -> None:
    """Send a whole response."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", kind),
                (b"content-length", b"%d" % len(body)),
                *FIXED,
                *fields,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


async def send_parts(send: ASGISend, kind: bytes, parts: Iterable[bytes]) -> None:
    """Send a response with status 200 part by part, so that other tasks run between them."""
    headers = [(b"content-type", kind), *FIXED]
    following = iter(parts)
    first = next(following, b"")  # if it fails, there is an answer that says so
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for part in chain([first], following):
        await send({"type": "http.response.body", "body": part, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})
