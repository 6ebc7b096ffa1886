r"""A middleware for the client of aiohttp that asks robots.txt first.

    import aiohttp
    from goodbot.adapters.aiohttp import RobotsMiddleware
    session = aiohttp.ClientSession(middlewares=[RobotsMiddleware()])

Each request is asked about under its own User-Agent, each hop of a redirect too, and robots.txt
once for each origin, as long as `goodbot.policy` has the answer fresh. What may not be fetched
raises `RefusedByRobotsError`, which is an `aiohttp.ClientError`, and carries the verdict. A
robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

robots.txt is fetched by the session itself: its connector, proxies and certificates. Give one
middleware to one session. It keeps no pace.
"""

import asyncio
from typing import Any

from goodbot.adapters.policy_cache import (
    PolicyCache,
    TimeFunction,
    drive_async,
    has_robots_txt,
    question_headers,
    utc_now,
    verdict_on,
)
from goodbot.errors import GoodbotError
from goodbot.net.missing import needs
from goodbot.policy import Policy, PolicyDialect, PolicyVerdict
from goodbot.policy.inquiry import LIMIT, Answered, NoAnswer, Question, Reply

with needs("aiohttp"):
    import aiohttp

__all__ = ["RefusedByRobotsError", "RobotsMiddleware"]

SECONDS = 30.0
"""Until a robots.txt must have come."""

KINDS: tuple[tuple[type[BaseException], str], ...] = (
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
"""Which exception means which failure; the first row that fits holds."""


class RefusedByRobotsError(GoodbotError, aiohttp.ClientError):
    """A request that robots.txt, or the want of an answer to it, forbids.

    Args:
        verdict: Why; `str(verdict)` is the message.

    """

    def __init__(self, verdict: PolicyVerdict) -> None:
        """Keep the verdict."""
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        """Give the sentence of the verdict."""
        return str(self.verdict)


class RobotsMiddleware:
    """A client middleware that asks robots.txt before a request is sent.

    Args:
        robot: The robot that is asked about; by default each request's User-Agent.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, where that is not what `dialect` says.
        seconds: Until when a robots.txt must have come.
        clock: Tells the time, as an aware `datetime`.

    Raises:
        UnknownDialectError: There is no dialect of this name.

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
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
    ) -> None:
        """Begin with nothing known."""
        choices: dict[str, Any] = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._cache = PolicyCache(asyncio.Lock, clock, **choices)
        self._robot = robot
        self._seconds = seconds

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send a request that may be sent.

        Raises:
            RefusedByRobotsError: It may not.
            RobotNameError: The request has no User-Agent, and no `robot` is given.

        """
        url = str(request.url)
        if has_robots_txt(url):
            policy = await self.policy(request)
            verdict = verdict_on(policy, url, self._robot or request.headers.get("User-Agent"))
            if not verdict.allowed:
                raise RefusedByRobotsError(verdict)
        return await handler(request)

    async def policy(self, request: aiohttp.ClientRequest) -> Policy:
        """Give the policy of a request's origin; one asks for it, the others wait.

        Who asks may be cancelled: then the next of those that wait asks.
        """
        url = str(request.url)
        async with self._cache.lock(url):
            return self._cache.fresh(url) or await drive_async(
                self._cache.ask(url), lambda question: self._fetch(question, request)
            )

    async def _fetch(self, question: Question, cause: aiohttp.ClientRequest) -> Reply:
        agent = cause.headers.get("User-Agent") or self._robot
        try:
            async with cause.session.get(
                question.url,
                headers=question_headers(question, agent),
                allow_redirects=False,
                raise_for_status=False,
                middlewares=(),
                timeout=aiohttp.ClientTimeout(total=self._seconds),
            ) as response:
                body = bytearray()
                async for piece in response.content.iter_chunked(64 * 1024):
                    body += piece
                    if len(body) > LIMIT:
                        break
                return Answered(response.status, pairs_of(response), bytes(body))
        except tuple(kind for kind, _ in KINDS) as error:
            return NoAnswer(next(kind for one, kind in KINDS if isinstance(error, one)))


def pairs_of(response: aiohttp.ClientResponse) -> tuple[tuple[str, str], ...]:
    """Give the fields of an answer; what the session has decoded is no longer encoded."""
    pairs = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in response.raw_headers]
    return tuple((name, value) for name, value in pairs if name.lower() != "content-encoding")
