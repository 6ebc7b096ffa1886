"""The little of ASGI that the service needs: reading a body within bounds, and sending an answer.

Source: ASGI specification, HTTP & WebSocket protocol, version 2.4.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from goodbot.http.asgi_types import ASGIMessage, ASGIReceive, ASGISend
from goodbot.service.problems import BUSY, INVALID, TOO_LARGE, ServiceProblem

if sys.version_info >= (3, 11):
    from asyncio import timeout as deadline
else:  # as in goodbot.net: aiohttp requires it
    from async_timeout import timeout as deadline

__all__ = [
    "JSON_TYPE",
    "LARGEST_BODY",
    "ClientLeftError",
    "ContentRoom",
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
NEXT_LOOK = 0.1
"""The seconds until the next check for a client that left, if the server does not wait for that."""
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

    __slots__ = ("_receive", "_room", "size")

    def __init__(self, receive: ASGIReceive, room: "ContentRoom") -> None:
        """Start with nothing."""
        self._receive = receive
        self._room = room
        self.size = 0

    async def __call__(self) -> ASGIMessage:
        """Return what comes next.

        Raises:
            ServiceProblem: The contents of all requests are too large together.

        """
        message = await self._receive()
        size = len(message.get("body", b""))
        if size:
            self.size += size
            self._room.enter(size)
        return message


class ContentRoom:
    """The contents of all requests that are read or answered, within a bound.

    Args:
        most: How many bytes they may have together.
        fields: The fields of the response if they have more.

    """

    def __init__(self, most: int, fields: SentFields) -> None:
        """Start empty."""
        self._left = most
        self._fields = fields

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


async def read_body(receive: ASGIReceive) -> bytes:
    """Return the content of a request.

    Raises:
        ClientLeftError: The client left before it was complete.
        ServiceProblem: It is too large, or does not arrive in time.

    """
    try:
        async with deadline(LONGEST_RECEPTION):
            return await receive_all(receive)
    except asyncio.TimeoutError:
        detail = f"The content did not arrive within {LONGEST_RECEPTION:g} seconds."
        raise ServiceProblem(INVALID, detail) from None


async def receive_all(receive: ASGIReceive) -> bytes:
    """Return the content of a request; see `read_body`."""
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
        if not message.get("more_body", False):
            return b"".join(parts)


async def finish_or_leave(
    work: Coroutine[Any, Any, Worked],
    receive: ASGIReceive,
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
    is_over = False

    def leave(_: "asyncio.Future[None]") -> None:
        if not is_over:
            task.cancel()

    leaving = asyncio.ensure_future(wait_until_left(receive))
    leaving.add_done_callback(leave)
    try:
        result = await work
    except asyncio.CancelledError:
        if not leaving.done():
            raise
        if sys.version_info >= (3, 11):
            task.uncancel()
        raise ClientLeftError from None
    finally:
        is_over = True
        has_left = leaving.done()
        leaving.cancel()
    if has_left:
        if undo is not None:
            await undo(result)
        raise ClientLeftError
    return result


async def wait_until_left(receive: ASGIReceive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":  # noqa: ASYNC110  see `NEXT_LOOK`
        await asyncio.sleep(NEXT_LOOK)


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
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})
