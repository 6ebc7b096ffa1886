"""The fetcher that stands on aiohttp: one guarded exchange.

Scope: putting the guards together, and reading the answer within its limits. Every
guard is its own module; which exception means which failure stands in `exceptions`.
"""

import asyncio
import ssl
import sys
from collections.abc import Iterable
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from goodbot.errors import MisuseError, WrongTypeError, WrongValueError
from goodbot.net.missing import needs

with needs("robot"):
    import aiohttp
    from yarl import URL

if sys.version_info >= (3, 11):
    from asyncio import timeout as deadline
else:  # aiohttp brings it where the standard library has none
    from async_timeout import timeout as deadline

from goodbot.net.addresses import AddressGuard
from goodbot.net.clock import Clock, SystemClock
from goodbot.net.connection_slots import ConnectionSlots
from goodbot.net.connector import EXCHANGE, Exchange, GuardedConnector
from goodbot.net.decoding import ACCEPT_ENCODING, DecodingError, NoCoding, decoder_of
from goodbot.net.exceptions import EXCEPTIONS, failed
from goodbot.net.failures import failure, fetchable
from goodbot.net.fetcher import DEFAULT_LIMITS, HeaderFields, Limits, Response

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

__all__ = ["AiohttpFetcher"]

SWITCHING_PROTOCOLS = 101
NO_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""Our deadline is for the whole, and the only one."""

MOST_FIELDS = 256
LONGEST_LINE = 32 * 1024
"""Of a header; twice and four times what aiohttp takes, for sites with long policies."""

LARGEST_HEADER = 128 * 1024
"""Bytes of all fields of a header together: the product of both would be 8 MiB, which take seconds
to understand. Browsers take some 256 KiB."""

STEP = 256 * 1024
"""Bytes of content that are decoded before others have their turn of the event loop: about a
millisecond. A small page is decoded in one step, without a turn."""

SET_HERE = {"accept-encoding"}
"""What a caller's fields do not say: only what can be decoded within a bound is asked for."""


class AiohttpFetcher:
    """Fetches one URL within bounds, and nothing else.

    - **A deadline** for the whole exchange, so that a slow drip ends as well.
    - **Bounded content**, before and after it is decoded: a bomb is never unpacked.
    - **No redirect is followed**: each is the answer, and the caller asks about the next hop.
    - **Public addresses only**, in whatever form they are written, by the resolver's answer and by
      the socket that is connected.
    - **TLS is verified**. No cookies, no proxies or passwords from the environment, no name and
      password from a URL.
    - **A bounded pool**, and nothing left open by a task that is cancelled.

    Use it within `async with`, or `close` it.

    Args:
        allow_private: Whether loopback and private networks may be visited; see `AddressGuard`.
        allow_networks: Networks that may be visited although they are not public, such as
            `127.0.0.0/8`; none by default.
        ssl_context: What to verify TLS by, such as
            `ssl.create_default_context(cafile="company.pem")`; by default the system's authorities.
        connections: How many connections there may be at once; and as many may idle.
        connections_per_origin: How many of them to one scheme, host and port.
        clock: Tells when a fetch began and ended; the deadline is always real.
        resolver: An `aiohttp.abc.AbstractResolver` for names, in place of the system's.

    Raises:
        MissingExtraError: aiohttp is not installed (when the class is imported).
        WrongTypeError: `ssl_context` is of another type.
        WrongValueError: A network is none, a number is not above 0, or `ssl_context` would not
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

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        *,
        allow_private: bool = False,
        allow_networks: Iterable[str] = (),
        ssl_context: ssl.SSLContext | None = None,
        connections: int = 100,
        connections_per_origin: int = 8,
        clock: Clock | None = None,
        resolver: "AbstractResolver | None" = None,
    ) -> None:
        """Take the options; nothing is opened before the first fetch."""
        for name, number in (
            ("connections", connections),
            ("connections_per_origin", connections_per_origin),
        ):
            if number < 1:
                message = f"{name} must be 1 or more; it is {number}"
                raise WrongValueError(message)
        self._guard = AddressGuard(allow_networks, allow_private=allow_private)
        self._tls = verifying(ssl_context)
        self._counts = (connections, connections_per_origin)
        self._clock = clock or SystemClock()
        self._resolver = resolver
        self._turns = ConnectionSlots(*self._counts)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

    async def __aenter__(self) -> "AiohttpFetcher":  # noqa: PYI034  Self is of Python 3.11
        """Return itself."""
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
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Fetch one URL by GET; see `Fetcher.fetch`.

        Raises:
            FetchError: No answer came; `kind` is one of `goodbot.net.FAILURES`.
            MisuseError: `headers` has no User-Agent (a robot says who it is: RFC 9309 section
                2.2.1), or a field that cannot be sent; or the fetcher is closed, or belongs to
                another event loop.

        """
        origin, target = fetchable(url)
        fields = request_fields(tuple(headers))
        async with self._turns.turn(origin):
            session = self._opened()
            exchange = Exchange()
            token = EXCHANGE.set(exchange)
            started, since = self._clock.now(), self._clock.monotonic()
            try:
                async with deadline(limits.seconds):
                    answer = await session.get(
                        URL(target, encoded=True), headers=fields, allow_redirects=False
                    )
                    refuse_large_header(answer, url)
                    content = await read(answer, url, limits)
            except EXCEPTIONS as error:
                raise failed(error, url, exchange, limits) from error
            finally:
                EXCHANGE.reset(token)
                self._rest(session, exchange)
            return Response(
                url=url,
                status=answer.status,
                headers=tuple(
                    (name.decode("latin-1"), value.decode("latin-1"))
                    for name, value in answer.raw_headers
                ),
                body=content.body,
                started=started,
                ended=self._clock.now(),
                elapsed=self._clock.monotonic() - since,
                address=exchange.address,
                http_version=version_of(answer),
                truncated=content.truncated,
                wire_bytes=content.wire_bytes,
                wire=content.wire,
                unread=content.unread,
            )

    def _opened(self) -> aiohttp.ClientSession:
        """Return the session; it begins with the first fetch, in the loop that runs."""
        if self._is_closed:
            message = "the fetcher is closed; make another, and fetch within its `async with`"
            raise MisuseError(message)
        loop = asyncio.get_running_loop()
        if self._session is None:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=GuardedConnector(self._guard, self._resolver, self._tls, *self._counts),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=NO_TIMEOUT,
                trust_env=False,  # neither proxies nor .netrc
                auto_decompress=False,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_LINE,
                max_headers=MOST_FIELDS,
            )
        if loop is not self._loop:
            message = "the fetcher belongs to another event loop; make one in each"
            raise MisuseError(message)
        return self._session

    @staticmethod
    def _rest(session: aiohttp.ClientSession, exchange: Exchange) -> None:
        """Let the connection idle, if it is still one."""
        connector = session.connector
        if isinstance(connector, GuardedConnector):
            connector.rest(exchange.transport)


class Content(NamedTuple):
    """What was read of an answer; see `Response`."""

    body: bytes
    wire_bytes: int
    truncated: bool
    wire: bytes | None
    unread: bool = False


def refuse_large_header(answer: aiohttp.ClientResponse, url: str) -> None:
    """Refuse a header that is too large to be understood without holding others up.

    Raises:
        FetchError: It is; nothing of the answer counts.

    """
    size = sum(len(name) + len(value) for name, value in answer.raw_headers)
    if size > LARGEST_HEADER:
        answer.close()
        raise failure(url, "too-large", f"a header of more than {LARGEST_HEADER} bytes")


async def read(answer: aiohttp.ClientResponse, url: str, limits: Limits) -> Content:
    """Read the content within the limits; nothing of it, if its type is of no use."""
    try:
        if not limits.is_of_use(answer.status, answer.headers.get("Content-Type", "")):
            return Content(b"", 0, truncated=False, wire=None, unread=True)
        if answer.status == SWITCHING_PROTOCOLS:
            raise failure(url, "protocol-error", "101 Switching Protocols, for which nobody asked")
        content = await read_within(answer, limits)
        if content.truncated and limits.when_larger == "fail":
            raise failure(url, "too-large", f"more than {limits.bytes} bytes")
        return content
    finally:
        # Read to the end, the connection is back in the pool already; else nobody wants the rest.
        if not answer.closed:
            answer.close()


async def read_within(answer: aiohttp.ClientResponse, limits: Limits) -> Content:
    """Read piece by piece, until the end or a limit."""
    decoder = decoder_of(answer.headers.getall("Content-Encoding", []))
    body = bytearray()
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
        # One byte more than the limit tells that there are more.
        most = limits.bytes + 1
        body += decoder.feed(data, most - len(body) if is_same else min(most - len(body), STEP))
        while decoder.has_more and len(body) < most:
            await asyncio.sleep(0)
            body += decoder.feed(b"", min(most - len(body), STEP))
        if len(body) > limits.bytes:
            is_cut = True
            del body[limits.bytes :]
    if wire_bytes and not is_cut and not decoder.is_complete():
        message = "it ends before the end of the compressed stream"
        raise DecodingError(message)
    whole = bytes(body)
    as_it_came = whole if wire is None else b"".join(wire)
    return Content(whole, wire_bytes, is_cut, as_it_came if limits.keep_wire else None)


@lru_cache(maxsize=256)
def request_fields(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the fields to send, checked; they are mostly the same. A User-Agent is required."""
    fields = [(name, value) for name, value in headers if name.lower() not in SET_HERE]
    if not any(name.lower() == "user-agent" and value.strip() for name, value in fields):
        message = (
            "a robot says who it is: give headers with ('User-Agent', 'ExampleBot/1.0 "
            "(+https://example.com/bot)') and ('From', 'you@example.com')"
        )
        raise WrongValueError(message)
    for name, value in fields:
        if not (name.isascii() and name.isprintable()) or set(value) & {"\r", "\n", "\0"}:
            message = f"the field {name!r} cannot be sent; leave out its control characters"
            raise WrongValueError(message)
    return (*fields, ("Accept-Encoding", ACCEPT_ENCODING))


def verifying(context: ssl.SSLContext | None) -> ssl.SSLContext | None:
    """Take a context of TLS that verifies."""
    if context is None:
        return None
    if not isinstance(context, ssl.SSLContext):
        message = f"ssl_context must be an ssl.SSLContext, not {type(context).__name__}"
        raise WrongTypeError(message)
    if context.verify_mode != ssl.CERT_REQUIRED or not context.check_hostname:
        message = (
            "ssl_context does not verify; for a private authority give "
            "ssl.create_default_context(cafile=...)"
        )
        raise WrongValueError(message)
    return context


def version_of(answer: aiohttp.ClientResponse) -> str | None:
    """Return the version of HTTP, as it is written."""
    version = answer.version
    return None if version is None else f"{version.major}.{version.minor}"
