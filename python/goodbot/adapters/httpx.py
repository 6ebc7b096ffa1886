r"""Transports for HTTPX that ask robots.txt first.

    import httpx
    from goodbot.adapters.httpx import RobotsTransport
    client = httpx.Client(transport=RobotsTransport(), headers={"User-Agent": "ExampleBot/1.0"})

Each request is asked about under its own User-Agent, each hop of a redirect too, and robots.txt
once for each origin, as long as `goodbot.policy` has the answer fresh. What may not be fetched
raises `RefusedByRobotsError`, which is an `httpx.RequestError`, and carries the verdict. A
robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

The transports wrap another, which sends everything, robots.txt too: timeouts, proxies and
certificates are its own. They keep no pace.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, cast

from goodbot.adapters.policy_cache import (
    PolicyCache,
    TimeFunction,
    drive,
    drive_async,
    has_robots_txt,
    question_headers,
    utc_now,
    verdict_on,
)
from goodbot.errors import GoodbotError
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.missing import needs
from goodbot.policy import Policy, PolicyDialect, PolicyVerdict
from goodbot.policy.inquiry import LIMIT, Answered, NoAnswer, Question, Reply

with needs("httpx"):
    import anyio
    import httpx

__all__ = ["AsyncRobotsTransport", "RefusedByRobotsError", "RobotsTransport"]

SECONDS = 30.0
"""Until a robots.txt must have come; the transport's timeouts hold as well."""

KINDS: tuple[tuple[type[Exception], str], ...] = (
    (httpx.TimeoutException, "timeout"),
    (TimeoutError, "timeout"),
    (httpx.ConnectError, "refused"),
    (httpx.NetworkError, "reset"),
    (httpx.RemoteProtocolError, "protocol-error"),
    (httpx.DecodingError, "bad-encoding"),
    (DecodingError, "bad-encoding"),
    (httpx.RequestError, "protocol-error"),
    (httpx.InvalidURL, "protocol-error"),
)
"""Which exception means which failure; the first row that fits holds."""


class RefusedByRobotsError(GoodbotError, httpx.RequestError):
    """A request that robots.txt, or the want of an answer to it, forbids.

    Args:
        verdict: Why; `str(verdict)` is the message.
        request: What was not sent.

    """

    def __init__(self, verdict: PolicyVerdict, request: httpx.Request | None = None) -> None:
        """Take the message from the verdict."""
        httpx.RequestError.__init__(self, str(verdict), request=request)
        self.verdict = verdict

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the verdict; a request may hold a stream."""
        return RefusedByRobotsError, (self.verdict,)


class RobotsChecker:
    """What both transports share: whom to ask about, and what is remembered."""

    def __init__(
        self,
        lock: Callable[[], Any],
        robot: str | None,
        clock: TimeFunction,
        seconds: float,
        **choices: Any,  # noqa: ANN401  those of PolicyCache
    ) -> None:
        """Begin with nothing known."""
        self.cache: PolicyCache[Any] = PolicyCache(lock, clock, **choices)
        self.robot = robot
        self.seconds = seconds

    def refuse_or_pass(self, policy: Policy, request: httpx.Request) -> None:
        """Raise what the policy forbids.

        Raises:
            RefusedByRobotsError: The request may not be sent.

        """
        robot = self.robot or request.headers.get("User-Agent")
        verdict = verdict_on(policy, str(request.url), robot)
        if not verdict.allowed:
            raise RefusedByRobotsError(verdict, request)

    def request(self, question: Question, cause: httpx.Request) -> httpx.Request:
        """Make the request for robots.txt that another request causes."""
        fields = question_headers(question, cause.headers.get("User-Agent") or self.robot)
        extensions = {"timeout": cause.extensions.get("timeout", {})}
        return httpx.Request("GET", question.url, headers=fields, extensions=extensions)


def kind_of(error: BaseException) -> str | None:
    """Name the failure that an exception means; `None` if it is none of the way's or the site's."""
    return next((kind for one, kind in KINDS if isinstance(error, one)), None)


class BodyReader:
    """The content of an answer, decoded within a bound (RFC 9110 section 8.4.1)."""

    def __init__(self, response: httpx.Response) -> None:
        """Begin; raises DecodingError for a coding that is not known."""
        self._decoder = decoder_of(response.headers.get_list("content-encoding"))
        self._response = response
        self._octets = bytearray()

    def is_enough(self, piece: bytes) -> bool:
        """Take a piece; whether no more is to be read."""
        self._octets += self._decoder.feed(piece, LIMIT + 1 - len(self._octets))
        return len(self._octets) > LIMIT

    def reply(self) -> Reply:
        """Give the answer."""
        if self._octets and len(self._octets) <= LIMIT and not self._decoder.is_complete():
            return NoAnswer("bad-encoding")
        raw = self._response.headers.raw
        pairs = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)
        return Answered(self._response.status_code, pairs, bytes(self._octets))


class RobotsTransport(httpx.BaseTransport):
    r"""A transport that asks robots.txt before it sends.

    Args:
        transport: What sends; an `httpx.HTTPTransport` by default.
        robot: The robot that is asked about; by default each request's User-Agent.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, where that is not what `dialect` says.
        seconds: Until when a robots.txt must have come.
        clock: Tells the time, as an aware `datetime`.

    Raises:
        UnknownDialectError: There is no dialect of this name.

    >>> import httpx
    >>> def site(request):
    ...     return httpx.Response(200, text="User-agent: *\nDisallow: /private")
    >>> transport = RobotsTransport(httpx.MockTransport(site), robot="ExampleBot")
    >>> with httpx.Client(transport=transport) as client:
    ...     client.get("https://example.com/").status_code
    ...     try:
    ...         client.get("https://example.com/private/a")
    ...     except httpx.RequestError as error:
    ...         error.verdict.reason
    200
    'rule-disallows'

    Source: RFC 9309.
    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        transport: httpx.BaseTransport | None = None,
        *,
        robot: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
    ) -> None:
        """Wrap a transport."""
        choices = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._checker = RobotsChecker(threading.Lock, robot, clock, seconds, **choices)
        self._transport = httpx.HTTPTransport() if transport is None else transport

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may be sent.

        Raises:
            RefusedByRobotsError: It may not.
            RobotNameError: The request has no User-Agent, and no `robot` is given.

        """
        if has_robots_txt(str(request.url)):
            self._checker.refuse_or_pass(self.policy(request), request)
        return self._transport.handle_request(request)

    def policy(self, request: httpx.Request) -> Policy:
        """Give the policy of a request's origin; one asks for it, the others wait."""
        cache, url = self._checker.cache, str(request.url)
        with cache.lock(url):
            return cache.fresh(url) or drive(
                cache.ask(url),
                lambda question: self._fetch(self._checker.request(question, request)),
            )

    def _fetch(self, request: httpx.Request) -> Reply:
        deadline = time.monotonic() + self._checker.seconds
        try:
            response = self._transport.handle_request(request)
            try:
                content = BodyReader(response)
                for piece in cast("httpx.SyncByteStream", response.stream):
                    if content.is_enough(piece):
                        break
                    if time.monotonic() > deadline:
                        return NoAnswer("timeout")
                return content.reply()
            finally:
                response.close()
        except Exception as error:
            kind = kind_of(error)
            if kind is None:
                raise
            return NoAnswer(kind)

    def close(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()

    def __enter__(self) -> "RobotsTransport":  # noqa: PYI034  Self is of Python 3.11
        """Enter the wrapped transport."""
        self._transport.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        """Leave the wrapped transport."""
        self._transport.__exit__(exc_type, exc_value, traceback)


class AsyncRobotsTransport(httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, on asyncio and trio; one client of one loop.

    Args:
        transport: What sends; an `httpx.AsyncHTTPTransport` by default.
        robot: The robot that is asked about; by default each request's User-Agent.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, where that is not what `dialect` says.
        seconds: Until when a robots.txt must have come.
        clock: Tells the time, as an aware `datetime`.

    Raises:
        UnknownDialectError: There is no dialect of this name.

    >>> import asyncio, httpx
    >>> def site(request):
    ...     return httpx.Response(503)
    >>> async def main():
    ...     transport = AsyncRobotsTransport(httpx.MockTransport(site), robot="ExampleBot")
    ...     async with httpx.AsyncClient(transport=transport) as client:
    ...         try:
    ...             await client.get("https://example.com/")
    ...         except httpx.RequestError as error:
    ...             return error.verdict.reason
    >>> asyncio.run(main())
    'service-unavailable'

    Source: RFC 9309.
    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        robot: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
    ) -> None:
        """Wrap a transport."""
        choices = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._checker = RobotsChecker(anyio.Lock, robot, clock, seconds, **choices)
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may be sent.

        Raises:
            RefusedByRobotsError: It may not.
            RobotNameError: The request has no User-Agent, and no `robot` is given.

        """
        if has_robots_txt(str(request.url)):
            self._checker.refuse_or_pass(await self.policy(request), request)
        return await self._transport.handle_async_request(request)

    async def policy(self, request: httpx.Request) -> Policy:
        """Give the policy of a request's origin; one asks for it, the others wait.

        Who asks may be cancelled: then the next of those that wait asks.
        """
        cache, url = self._checker.cache, str(request.url)
        async with cache.lock(url):
            return cache.fresh(url) or await drive_async(
                cache.ask(url),
                lambda question: self._fetch(self._checker.request(question, request)),
            )

    async def _fetch(self, request: httpx.Request) -> Reply:
        try:
            with anyio.fail_after(self._checker.seconds):
                response = await self._transport.handle_async_request(request)
                try:
                    content = BodyReader(response)
                    async for piece in cast("httpx.AsyncByteStream", response.stream):
                        if content.is_enough(piece):
                            break
                    return content.reply()
                finally:
                    await response.aclose()
        except Exception as error:
            kind = kind_of(error)
            if kind is None:
                raise
            return NoAnswer(kind)

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._transport.aclose()

    async def __aenter__(self) -> "AsyncRobotsTransport":  # noqa: PYI034  Self is of Python 3.11
        """Enter the wrapped transport."""
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        """Leave the wrapped transport."""
        await self._transport.__aexit__(exc_type, exc_value, traceback)
