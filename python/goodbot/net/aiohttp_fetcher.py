"""The fetcher built on aiohttp: one guarded exchange.

Scope: combining the guards, and reading the response within its limits. Each guard has its own
module; `exceptions` says which exception means which failure.
"""

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from goodbot.errors import MisuseError, WrongTypeError, WrongValueError
from goodbot.http.head import FIELD_NAME
from goodbot.missing import needs

with needs("robot"):
    import aiohttp
    from multidict import CIMultiDict

if sys.version_info >= (3, 11):
    from asyncio import timeout as deadline
else:  # aiohttp requires it if the standard library lacks it
    from async_timeout import timeout as deadline

from goodbot.net.addresses import AddressGuard
from goodbot.net.clock import Clock, SystemClock
from goodbot.net.connection_slots import ConnectionSlots
from goodbot.net.connector import Exchange, GuardedConnector, GuardedResolver
from goodbot.net.decoding import ACCEPT_ENCODING, DecodingError, NoCoding, decoder_of, needs_content
from goodbot.net.exceptions import EXCEPTIONS, TooSlowError, failed
from goodbot.net.failures import failure, fetchable
from goodbot.net.fetcher import DEFAULT_LIMITS, HeaderFields, Limits, Response
from goodbot.net.sending import (
    SWITCHING_PROTOCOLS,
    PreparedRequest,
    StartedResponse,
    prepare,
    send,
)

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

__all__ = ["AiohttpFetcher"]

LARGEST_HEADER = 128 * 1024
"""The most bytes of all fields of a header together: the product of both limits would be 8 MiB,
which takes seconds to parse. Browsers accept about 256 KiB."""

STEP = 256 * 1024
"""How many bytes of content are decoded before other tasks of the event loop run: about a
millisecond. A small page is decoded in one step."""

NO_WATCH = nullcontext()
RATE_AFTER, RATE_EVERY = 10.0, 1.0
"""After how many seconds the rate of content is checked, and how often from then on."""

SET_HERE = {"accept-encoding"}
"""Fields that are sent unless the caller sets them: only encodings with a bounded decoder."""

CONTROLS = {*map(chr, range(32)), "\x7f"} - {"\t"}
"""The characters that no value of a field can have (RFC 9110 section 5.5)."""

OF_CONTENT = {"content-length", "transfer-encoding", "trailer"}
"""Fields that announce content: a server would take the next request for it."""

MOST_REQUESTS = 1_024
"""How many prepared requests are kept; a robot has a few for each origin."""


class AiohttpFetcher:
    """Fetches one URL within limits, and does nothing else.

    - **A deadline** for the whole exchange, and a least rate, so that a slow response ends as well.
    - **Limited content**, before and after decoding: a decompression bomb is never unpacked.
    - **No redirect is followed**: it is the response, and the caller decides about the next hop.
    - **Public addresses only**, in whatever form they are written, checked in the result of the
      resolver and at the connected socket.
    - **TLS is verified**. No cookies, no proxies or passwords from the environment, no user and
      password from a URL.
    - **A limited pool** of connections, and a cancelled task leaves nothing open.

    Use it within `async with`, or `close` it.

    Args:
        allow_private: Whether loopback and private networks may be visited; see `AddressGuard`.
        allow_networks: Networks that may be visited although they are not public, such as
            `127.0.0.0/8`; none by default.
        ssl_context: What to verify TLS by, such as
            `ssl.create_default_context(cafile="company.pem")`; by default the system's authorities.
        connections: How many connections may be open at once; as many may be idle.
        connections_per_origin: How many of them to one scheme, host and port.
        clock: The clock for the times of a fetch; the deadline always uses real time.
        resolver: An `aiohttp.abc.AbstractResolver` for names, instead of the system's.
        before_sending: Called with the origin once it is connected, directly before the request is
            sent. What it raises is raised by `fetch`, and nothing is sent.

    Raises:
        MissingExtraError: aiohttp is not installed (when the class is imported).
        WrongTypeError: `ssl_context` has the wrong type.
        WrongValueError: A network is invalid, a number is not above 0, or `ssl_context` does not
            verify.

    >>> import asyncio
    >>> from goodbot import FetchError
    >>> from goodbot.net import AiohttpFetcher
    >>> async def main() -> None:
    ...     async with AiohttpFetcher() as fetcher:
    ...         try:
    ...             await fetcher.fetch("http://127.1/", headers=[("User-Agent", "ExampleBot/1.0")])
    ...         except FetchError as error:
    ...             print(error.kind)
    >>> asyncio.run(main())
    private-address

    Source: RFC 9309 section 3 (guard memory, treat content as untrusted).

    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        allow_networks: Iterable[str] = (),
        ssl_context: ssl.SSLContext | None = None,
        connections: int = 100,
        connections_per_origin: int = 8,
        clock: Clock | None = None,
        resolver: "AbstractResolver | None" = None,
        before_sending: Callable[[str], object] | None = None,
    ) -> None:
        """Store the options; nothing is opened before the first fetch."""
        for name, number in (
            ("connections", connections),
            ("connections_per_origin", connections_per_origin),
        ):
            if number < 1:
                message = f"{name} must be 1 or more; it is {number}"
                raise WrongValueError(message)
        self._guard = AddressGuard(allow_networks, allow_private=allow_private)
        self._tls = verifying(ssl_context)
        self._connections = connections
        self._clock = clock or SystemClock()
        self._resolver = resolver
        self._before_sending = before_sending
        self._turns = ConnectionSlots(connections, connections_per_origin)
        self._requests: dict[tuple[str, tuple[tuple[str, str], ...]], PreparedRequest] = {}
        """Prepared requests, by origin and fields."""
        self._connector: GuardedConnector | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

    async def __aenter__(self) -> "AiohttpFetcher":  # noqa: PYI034  Self is of Python 3.11
        """Return the fetcher."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Close every connection; a fetch that is under way fails. Closing twice does nothing."""
        self._is_closed = True
        connector, self._connector = self._connector, None
        if connector is not None:
            await connector.break_off()

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Fetch one URL by GET; see `Fetcher.fetch`.

        Raises:
            FetchError: There is no usable response; `kind` is one of `goodbot.net.FAILURES`.
            MisuseError: `headers` has no User-Agent (a robot must identify itself: RFC 9309 section
                2.2.1), or a field that cannot be sent; or the fetcher is closed, or belongs to
                another event loop.

        """
        origin, target = fetchable(url)
        request = self._prepared(origin, tuple(headers))
        async with self._turns.turn(origin):
            connector = self._opened()
            exchange = Exchange(self._clock.monotonic, origin)
            started, since = self._clock.now(), self._clock.monotonic()
            try:
                async with deadline(limits.seconds):
                    answer = await send(connector, exchange, request, target)
                    headed = self._clock.monotonic()
                    refuse_large_header(answer, url)
                    content = await read(answer, url, limits)
            except EXCEPTIONS as error:
                raise failed(error, url, exchange, limits) from error
            finally:
                connector.rest(exchange)
            return Response(
                url=url,
                status=answer.status,
                headers=fields_of(answer),
                body=content.body,
                started=started,
                ended=self._clock.now(),
                elapsed=self._clock.monotonic() - since,
                first_byte=headed - exchange.connected,
                address=exchange.address,
                http_version=f"{answer.version.major}.{answer.version.minor}",
                truncated=content.truncated,
                wire_bytes=content.wire_bytes,
                wire=content.wire,
                unread=content.unread,
            )

    async def find_address(self, host: str) -> str | None:
        """Find an address of a host; see `AddressLookup.find_address`."""
        resolver = GuardedResolver(self._resolver or aiohttp.ThreadedResolver(), self._guard)
        try:
            async with deadline(DEFAULT_LIMITS.seconds):
                found = await resolver.resolve(host, 0, socket.AF_UNSPEC)
        except EXCEPTIONS:  # fetching it fails in the same way, and says why
            return None
        return min((one["host"] for one in found), default=None)

    def _prepared(self, origin: str, headers: tuple[tuple[str, str], ...]) -> PreparedRequest:
        """Return what is sent to an origin with these fields; they are mostly the same."""
        request = self._requests.get((origin, headers))
        if request is None:
            request = prepare(origin, request_fields(headers))
            if len(self._requests) >= MOST_REQUESTS:
                self._requests.clear()
            self._requests[origin, headers] = request
        return request

    def _opened(self) -> GuardedConnector:
        """Return the connector; the first fetch makes it, in the running loop."""
        if self._is_closed:
            message = "the fetcher is closed; make a new one, and fetch within its `async with`"
            raise MisuseError(message)
        loop = asyncio.get_running_loop()
        if self._connector is None:
            self._loop = loop
            self._connector = GuardedConnector(
                self._guard, self._resolver, self._tls, self._connections, self._before_sending
            )
        if loop is not self._loop:
            message = "the fetcher belongs to another event loop; make one in each"
            raise MisuseError(message)
        return self._connector


class Content(NamedTuple):
    """The part of a response that was read; see `Response`."""

    body: bytes
    wire_bytes: int
    truncated: bool
    wire: bytes | None
    unread: bool = False


def fields_of(answer: StartedResponse) -> tuple[tuple[str, str], ...]:
    """Return the fields of a header as they came; see `Response.headers`."""
    return tuple(
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.raw_headers]
    )


def refuse_large_header(answer: StartedResponse, url: str) -> None:
    """Raise if a header is too large to be parsed without delaying other tasks.

    Raises:
        FetchError: It is too large.

    """
    size = sum([len(name) + len(value) for name, value in answer.raw_headers])
    if size > LARGEST_HEADER:
        raise failure(url, "too-large", f"a header of more than {LARGEST_HEADER} bytes")


async def read(answer: StartedResponse, url: str, limits: Limits) -> Content:
    """Read the content within the limits; none of it if its type is not wanted.

    Raises:
        DecodingError: The content of a success is not what its Content-Encoding says.

    """
    if not limits.is_of_use(answer.status, answer.headers.get("Content-Type", "")):
        return Content(b"", 0, truncated=False, wire=None, unread=True)
    if answer.status == SWITCHING_PROTOCOLS:
        raise failure(url, "protocol-error", "101 Switching Protocols, which was not requested")
    # Content that came with the header, as that of most small pages, cannot be too slow.
    is_here = answer.content.is_eof()
    if is_here and may_be_kept_as_it_came(answer, limits):
        whole = answer.content.read_nowait()
        wire = whole if limits.keep_wire else None
        return Content(whole, len(whole), truncated=False, wire=wire)
    with NO_WATCH if is_here else RateWatch(answer.content, limits.min_rate):
        try:
            content = await read_within(answer, limits)
        except DecodingError:
            if needs_content(answer.status):
                raise
            return Content(b"", 0, truncated=False, wire=None)
    if content.truncated and limits.when_larger == "fail":
        raise failure(url, "too-large", f"more than {limits.bytes} bytes")
    return content


def may_be_kept_as_it_came(answer: StartedResponse, limits: Limits) -> bool:
    """Return whether there is nothing to decode or to cut in content that has come to its end."""
    most = min(limits.bytes, limits.wire_bytes)
    return "Content-Encoding" not in answer.headers and answer.content.total_bytes <= most


class RateWatch:
    """Ends the reading of content that comes too slowly.

    Args:
        content: The content.
        min_rate: The bytes a second; see `Limits.min_rate`.

    """

    __slots__ = ("_content", "_loop", "_min_rate", "_since", "_timer")

    def __init__(self, content: aiohttp.StreamReader, min_rate: int) -> None:
        """Start the time."""
        self._content, self._min_rate = content, min_rate
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()

    def __enter__(self) -> None:
        """Set the timer of the first check."""
        self._timer = self._loop.call_later(RATE_AFTER, self._check)

    def _check(self) -> None:
        """End the reading, or check again a second later."""
        seconds = self._loop.time() - self._since
        if self._content.total_bytes < self._min_rate * seconds:
            self._content.set_exception(TooSlowError())
        else:
            self._timer = self._loop.call_later(RATE_EVERY, self._check)

    def __exit__(self, *_error: object) -> None:
        """Stop checking."""
        self._timer.cancel()


async def read_within(answer: StartedResponse, limits: Limits) -> Content:
    """Read piece by piece, until the end or a limit."""
    decoder = decoder_of(answer.headers.getall("Content-Encoding", []))
    # Its value is the buffer itself: 16 large responses at once would each be copied at their end.
    body, size = BytesIO(), 0
    # What is not compressed is the same before and after: it is held once.
    is_same = isinstance(decoder, NoCoding)
    wire: list[bytes] | None = [] if limits.keep_wire and not is_same else None
    wire_bytes = 0
    is_cut = False
    content = answer.content
    while not is_cut and not content.at_eof() and (data := await content.readany()):
        room = limits.wire_bytes - wire_bytes
        is_cut = len(data) > room
        data = data[:room] if is_cut else data
        wire_bytes += len(data)
        if wire is not None:
            wire.append(data)
        # One byte beyond the limit shows that there is more.
        most = limits.bytes + 1
        size += body.write(decoder.feed(data, most - size if is_same else min(most - size, STEP)))
        while decoder.has_more and size < most:
            await asyncio.sleep(0)
            size += body.write(decoder.feed(b"", min(most - size, STEP)))
        if size > limits.bytes:
            is_cut = True
            body.truncate(limits.bytes)
    if wire_bytes and not is_cut and not decoder.is_complete():
        message = "it ends before the end of the compressed stream"
        raise DecodingError(message)
    whole = body.getvalue()
    as_it_came = whole if wire is None else b"".join(wire)
    return Content(whole, wire_bytes, is_cut, as_it_came if limits.keep_wire else None)


def request_fields(headers: tuple[tuple[str, str], ...]) -> "CIMultiDict[str]":
    """Return the fields to send, checked. A User-Agent is required."""
    fields = [(name, value) for name, value in headers if name.lower() not in SET_HERE]
    if not any(name.lower() == "user-agent" and value.strip() for name, value in fields):
        message = (
            "a robot must identify itself; pass headers with ('User-Agent', 'ExampleBot/1.0 "
            "(+https://example.com/bot)') and ('From', 'you@example.com')"
        )
        raise WrongValueError(message)
    for name, value in fields:
        if not isinstance(value, str):
            message = f"the value of the field {name!r} must be a str, not {type(value).__name__}"
            raise WrongTypeError(message)
        if not (name.isascii() and name.isprintable()) or not CONTROLS.isdisjoint(value):
            message = f"the field {name!r} cannot be sent; remove its control characters"
            raise WrongValueError(message)
        if FIELD_NAME.fullmatch(name.encode()) is None:
            message = f"{name!r} is not the name of a field; pass one such as 'Accept'"
            raise WrongValueError(message)
        if name.lower() in OF_CONTENT:
            message = f"the field {name!r} cannot be sent: a GET has no content; leave it out"
            raise WrongValueError(message)
    return CIMultiDict((*fields, ("Accept-Encoding", ACCEPT_ENCODING)))


def verifying(context: ssl.SSLContext | None) -> ssl.SSLContext | None:
    """Return a TLS context, checked to verify certificates."""
    if context is None:
        return None
    if not isinstance(context, ssl.SSLContext):
        message = f"ssl_context must be an ssl.SSLContext, not {type(context).__name__}"
        raise WrongTypeError(message)
    if context.verify_mode != ssl.CERT_REQUIRED or not context.check_hostname:
        message = (
            "ssl_context does not verify certificates; for a private authority pass "
            "ssl.create_default_context(cafile=...)"
        )
        raise WrongValueError(message)
    return context
