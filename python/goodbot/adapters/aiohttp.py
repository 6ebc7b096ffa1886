r"""A middleware for aiohttp's client that checks robots.txt before each request.

    import aiohttp
    from goodbot.adapters.aiohttp import RobotsMiddleware
    session = aiohttp.ClientSession(middlewares=[RobotsMiddleware()])

Each request, and each hop of a redirect, is checked under its own User-Agent. robots.txt is fetched
once for each origin and again when `goodbot.policy` no longer considers it fresh. A request that
is not allowed raises `RefusedByRobotsError`, which is an `aiohttp.ClientError` and carries the
verdict. A robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

The session itself fetches robots.txt, with its own connector, proxies and certificates. Use one
middleware for one session. It does not pause between requests.
"""

import asyncio
import os
from collections.abc import Iterable
from typing import Any

from goodbot._core import Verdict
from goodbot.adapters.policy_cache import (
    PolicyCache,
    TimeFunction,
    drive_async,
    has_robots_txt,
    question_headers,
    utc_now,
)
from goodbot.adapters.reply_reading import SECONDS, FailureKinds, ReplyReader, failure_of
from goodbot.adapters.sender import Sender
from goodbot.errors import GoodbotError
from goodbot.missing import needs
from goodbot.policy import Policy, PolicyDialect
from goodbot.policy.inquiry import Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures.signing import SignatureDemand

with needs("aiohttp"):
    import aiohttp

__all__ = ["RefusedByRobotsError", "RobotsMiddleware"]

PIECE = 64 * 1024

KINDS: FailureKinds = (
    (asyncio.TimeoutError, "timeout"),
    (TimeoutError, "timeout"),
    (aiohttp.ClientConnectorDNSError, "dns"),
    (aiohttp.ClientSSLError, "tls"),
    (aiohttp.ClientConnectorError, "refused"),
    (aiohttp.ClientPayloadError, "reset"),
    (aiohttp.ClientConnectionError, "reset"),
    (aiohttp.ClientError, "protocol-error"),
    (UnicodeError, "dns"),
    (OSError, "reset"),
)
"""Which exception of aiohttp means which failure."""


class RefusedByRobotsError(GoodbotError, aiohttp.ClientError):
    """A request that is forbidden, by robots.txt or because robots.txt could not be fetched.

    Args:
        verdict: The reason; the message is its URL and its sentence.

    """

    def __init__(self, verdict: Verdict) -> None:
        """Store the verdict."""
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        """Return the URL and the sentence of the verdict."""
        return f"{self.verdict.url}: {self.verdict}"


class RobotsMiddleware:
    """A client middleware that checks robots.txt before a request is sent.

    Args:
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

    >>> import asyncio, aiohttp
    >>> from goodbot.testing import LoopbackSite
    >>> async def main():
    ...     async with LoopbackSite() as site:
    ...         middlewares = [RobotsMiddleware(robot="ExampleBot")]
    ...         async with aiohttp.ClientSession(middlewares=middlewares) as session:
    ...             try:
    ...                 await session.get(f"{site.origin}/private/a")
    ...             except aiohttp.ClientError as error:
    ...                 return error.verdict.reason
    >>> asyncio.run(main())
    'rule-disallows'

    Source: RFC 9309; docs.aiohttp.org, client middlewares.
    """

    def __init__(
        self,
        *,
        robot: str | None = None,
        contact: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
    ) -> None:
        """Start with an empty cache."""
        choices: dict[str, Any] = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._cache = PolicyCache(asyncio.Lock, clock, **choices)
        self._sender = Sender(robot, contact, identity, clock)
        self._seconds = seconds

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send the request if it is allowed.

        Raises:
            RefusedByRobotsError: The request is not allowed.
            RobotNameError: The request has no User-Agent, and `robot` was not passed.

        """
        url = str(request.url)
        if has_robots_txt(url):
            robot = self._sender.identify(request.headers)
            verdict = (await self.policy(request)).may_fetch(url, robot)
            if not verdict.allowed:
                raise RefusedByRobotsError(verdict)
        # aiohttp makes a request of its own for each redirect.
        sent = tuple(request.headers.items())
        request.headers.update(self._sender.proof(url, request.method, sent))
        response = await handler(request)
        demand = self._demanded(response, url, request.method, sent)
        if demand is None:
            return response
        response.release()
        request.headers.update(self._sender.proof(url, request.method, sent, demand))
        return await handler(request)

    def _demanded(
        self,
        response: aiohttp.ClientResponse,
        url: str,
        method: str,
        fields: Iterable[tuple[str, str]],
    ) -> SignatureDemand | None:
        """Return the signature that a response asks for; `None` if there is none to give."""
        return self._sender.demanded(response.status, response.headers.items(), url, method, fields)

    async def policy(self, request: aiohttp.ClientRequest) -> Policy:
        """Return the policy of the request's origin; one task fetches it, the others wait.

        If the task that fetches is cancelled, the next one that waits fetches.
        """
        url = str(request.url)
        self._sender.identify(request.headers)
        async with self._cache.lock(url):
            return self._cache.fresh(url) or await drive_async(
                self._cache.ask(url), lambda question: self._fetch(question, request)
            )

    async def _fetch(self, question: Question, cause: aiohttp.ClientRequest) -> RobotsTxtAnswer:
        fields = question_headers(question, cause.headers)
        options: dict[str, Any] = {
            "allow_redirects": False,
            "raise_for_status": False,
            "auto_decompress": False,  # it does not notice content that is cut
            "middlewares": (),
            "timeout": aiohttp.ClientTimeout(total=self._seconds),
        }
        url, get = question.url, cause.session.get
        try:
            proof = dict(self._sender.proof(url, "GET", fields.items()))
            response = await get(url, headers={**fields, **proof}, **options)
            demand = self._demanded(response, url, "GET", fields.items())
            if demand is not None:
                response.release()
                proof = dict(self._sender.proof(url, "GET", fields.items(), demand))
                response = await get(url, headers={**fields, **proof}, **options)
            async with response:
                raw = response.raw_headers
                pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)
                reader = ReplyReader(response.status, pairs)
                async for piece in response.content.iter_chunked(PIECE):
                    if reader.is_enough(piece):
                        break
                return reader.reply()
        except Exception as error:
            failure = failure_of(error, KINDS)
            if failure is None:
                raise
            return failure
