r"""Transports for HTTPX that check robots.txt before each request.

    import httpx
    from goodbot.adapters.httpx import RobotsTransport
    client = httpx.Client(transport=RobotsTransport(), headers={"User-Agent": "ExampleBot/1.0"})

Each request, and each hop of a redirect, is checked under its own User-Agent. robots.txt is fetched
once for each origin and again when `goodbot.policy` no longer considers it fresh. A request that
is not allowed raises `RefusedByRobotsError`, which is an `httpx.RequestError` and carries the
verdict. A robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

Each transport wraps another one, which sends everything, including the requests for robots.txt,
with its own timeouts, proxies and certificates. They do not pause between requests.
"""

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, cast

from goodbot._core import Verdict
from goodbot.adapters.policy_cache import (
    PolicyCache,
    TimeFunction,
    drive,
    drive_async,
    has_robots_txt,
    question_headers,
    utc_now,
)
from goodbot.adapters.reply_reading import (
    SECONDS,
    FailureKinds,
    ReplyReader,
    failure_of,
    read_reply,
)
from goodbot.adapters.sender import Sender
from goodbot.errors import GoodbotError
from goodbot.missing import needs
from goodbot.policy import Policy, PolicyDialect
from goodbot.policy.inquiry import Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures.signing import SignatureDemand

with needs("httpx"):
    import anyio
    import httpx

__all__ = ["AsyncRobotsTransport", "RefusedByRobotsError", "RobotsTransport"]

KINDS: FailureKinds = (
    (httpx.TimeoutException, "timeout"),
    (TimeoutError, "timeout"),
    (httpx.ConnectError, "refused"),
    (httpx.NetworkError, "reset"),
    (httpx.RemoteProtocolError, "protocol-error"),
    (httpx.DecodingError, "bad-encoding"),
    (httpx.RequestError, "protocol-error"),
    (httpx.InvalidURL, "protocol-error"),
)
"""Which exception of HTTPX means which failure."""


class RefusedByRobotsError(GoodbotError, httpx.RequestError):
    """A request that is forbidden, by robots.txt or because robots.txt could not be fetched.

    Args:
        verdict: The reason; the message is its URL and its sentence.
        request: The request that was not sent.

    """

    def __init__(self, verdict: Verdict, request: httpx.Request | None = None) -> None:
        """Use the URL and the sentence of the verdict as the message."""
        httpx.RequestError.__init__(self, f"{verdict.url}: {verdict}", request=request)
        self.verdict = verdict

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the verdict only, because a request may hold a stream."""
        return RefusedByRobotsError, (self.verdict,)


class RobotsChecker:
    """What both transports share: who sends requests, and the cache of policies."""

    def __init__(
        self,
        lock: Callable[[], Any],
        sender: Sender,
        clock: TimeFunction,
        seconds: float,
        **choices: Any,  # noqa: ANN401  those of PolicyCache
    ) -> None:
        """Start with an empty cache."""
        self.cache: PolicyCache[Any] = PolicyCache(lock, clock, **choices)
        self.sender = sender
        self.seconds = seconds

    def refuse_or_pass(self, policy: Policy, request: httpx.Request, robot: str) -> None:
        """Raise an exception if the policy forbids the request to a robot.

        Raises:
            RefusedByRobotsError: The request is not allowed.

        """
        verdict = policy.may_fetch(str(request.url), robot)
        if not verdict.allowed:
            raise RefusedByRobotsError(verdict, request)

    def request(self, question: Question, cause: httpx.Request) -> httpx.Request:
        """Build the request for robots.txt that has to come before another request."""
        fields = question_headers(question, cause.headers)
        extensions = {"timeout": cause.extensions.get("timeout", {})}
        return httpx.Request("GET", question.url, headers=fields, extensions=extensions)

    def signed(
        self, request: httpx.Request, demand: SignatureDemand | None = None
    ) -> httpx.Request:
        """Return a request as it is sent: signed, if there is an identity.

        It is a copy, so that no redirect takes the signature to another site.
        """
        fields = pairs_of(request.headers)
        proof = self.sender.proof(str(request.url), request.method, fields, demand)
        if not proof:
            return request
        headers = httpx.Headers(request.headers)
        headers.update(proof)
        return httpx.Request(
            request.method,
            request.url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )

    def demanded(self, request: httpx.Request, response: httpx.Response) -> SignatureDemand | None:
        """Return the signature that a response asks for; `None` if there is none to give."""
        return self.sender.demanded(
            response.status_code,
            pairs_of(response.headers),
            str(request.url),
            request.method,
            pairs_of(request.headers),
        )


def pairs_of(headers: httpx.Headers) -> list[tuple[str, str]]:
    """Return header fields as pairs of text."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw]


def reader_of(response: httpx.Response) -> ReplyReader:
    """Return the reader of a response whose content is still as sent."""
    return ReplyReader(response.status_code, pairs_of(response.headers))


class RobotsTransport(httpx.BaseTransport):
    r"""A transport that checks robots.txt before it sends a request.

    Args:
        transport: The transport that sends; an `httpx.HTTPTransport` by default.
        robot: The robot's name, for the check and as User-Agent; by default each request's
            User-Agent. One that contains the name is sent as it is.
        contact: The email address of its operator, sent as From unless a request has that field.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, if not what `dialect` says.
        seconds: How long fetching a robots.txt may take.
        clock: Returns the time as an aware `datetime`.
        identity: The identity by which requests are signed, or its folder
            ('goodbot robot identity new').

    Raises:
        UnknownDialectError: There is no dialect of this name.
        WrongValueError: `contact` is not an email address.

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

    def __init__(
        self,
        transport: httpx.BaseTransport | None = None,
        *,
        robot: str | None = None,
        contact: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
    ) -> None:
        """Wrap a transport."""
        choices = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._checker = RobotsChecker(
            threading.Lock, Sender(robot, contact, identity, clock), clock, seconds, **choices
        )
        self._transport = httpx.HTTPTransport() if transport is None else transport

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request if it is allowed.

        Raises:
            RefusedByRobotsError: The request is not allowed.
            RobotNameError: The request has no User-Agent, and `robot` was not passed.

        """
        if has_robots_txt(str(request.url)):
            robot = self._checker.sender.identify(request.headers)
            self._checker.refuse_or_pass(self.policy(request), request, robot)
        return self._send(request)

    def _send(self, request: httpx.Request) -> httpx.Response:
        """Send a request; if its answer asks for another signature, once more with that."""
        response = self._transport.handle_request(self._checker.signed(request))
        demand = self._checker.demanded(request, response)
        if demand is None:
            return response
        response.close()
        return self._transport.handle_request(self._checker.signed(request, demand))

    def policy(self, request: httpx.Request) -> Policy:
        """Return the policy of the request's origin; one thread fetches it, the others wait."""
        cache, url = self._checker.cache, str(request.url)
        self._checker.sender.identify(request.headers)
        with cache.lock(url):
            return cache.fresh(url) or drive(
                cache.ask(url),
                lambda question: self._fetch(self._checker.request(question, request)),
            )

    def _fetch(self, request: httpx.Request) -> RobotsTxtAnswer:
        deadline = time.monotonic() + self._checker.seconds
        try:
            response = self._send(request)
            try:
                pieces = cast("httpx.SyncByteStream", response.stream)
                return read_reply(reader_of(response), pieces, deadline)
            finally:
                response.close()
        except Exception as error:
            failure = failure_of(error, KINDS)
            if failure is None:
                raise
            return failure

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
    """The same for `httpx.AsyncClient`, on asyncio and trio; for one client in one event loop.

    Args:
        transport: The transport that sends; an `httpx.AsyncHTTPTransport` by default.
        robot: The robot's name, for the check and as User-Agent; by default each request's
            User-Agent. One that contains the name is sent as it is.
        contact: The email address of its operator, sent as From unless a request has that field.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, if not what `dialect` says.
        seconds: How long fetching a robots.txt may take.
        clock: Returns the time as an aware `datetime`.
        identity: The identity by which requests are signed, or its folder
            ('goodbot robot identity new').

    Raises:
        UnknownDialectError: There is no dialect of this name.
        WrongValueError: `contact` is not an email address.

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

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        robot: str | None = None,
        contact: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
    ) -> None:
        """Wrap a transport."""
        choices = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._checker = RobotsChecker(
            anyio.Lock, Sender(robot, contact, identity, clock), clock, seconds, **choices
        )
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request if it is allowed.

        Raises:
            RefusedByRobotsError: The request is not allowed.
            RobotNameError: The request has no User-Agent, and `robot` was not passed.

        """
        if has_robots_txt(str(request.url)):
            robot = self._checker.sender.identify(request.headers)
            self._checker.refuse_or_pass(await self.policy(request), request, robot)
        return await self._send(request)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """Send a request; if its answer asks for another signature, once more with that."""
        response = await self._transport.handle_async_request(self._checker.signed(request))
        demand = self._checker.demanded(request, response)
        if demand is None:
            return response
        await response.aclose()
        return await self._transport.handle_async_request(self._checker.signed(request, demand))

    async def policy(self, request: httpx.Request) -> Policy:
        """Return the policy of the request's origin; one task fetches it, the others wait.

        If the task that fetches is cancelled, the next one that waits fetches.
        """
        cache, url = self._checker.cache, str(request.url)
        self._checker.sender.identify(request.headers)
        async with cache.lock(url):
            return cache.fresh(url) or await drive_async(
                cache.ask(url),
                lambda question: self._fetch(self._checker.request(question, request)),
            )

    async def _fetch(self, request: httpx.Request) -> RobotsTxtAnswer:
        try:
            with anyio.fail_after(self._checker.seconds):
                response = await self._send(request)
                try:
                    content = reader_of(response)
                    async for piece in cast("httpx.AsyncByteStream", response.stream):
                        if content.is_enough(piece):
                            break
                    return content.reply()
                finally:
                    await response.aclose()
        except Exception as error:
            failure = failure_of(error, KINDS)
            if failure is None:
                raise
            return failure

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
