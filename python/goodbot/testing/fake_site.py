"""A site in memory: a `Fetcher` without sockets."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Union
from urllib.parse import urldefrag, urlsplit

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.net import DEFAULT_LIMITS, FAILURES, HeaderFields, Limits, Response, failure
from goodbot.testing.clock import FakeClock

__all__ = ["Answer", "FakeSite", "FakeVisit", "Route"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A site's answer: a status, header fields and content, or a failure; perhaps after a delay.

    >>> Answer(status=429, headers=(("Retry-After", "5"),)).body
    b''
    """

    status: int = 200
    """The status."""
    headers: HeaderFields = ()
    """The header fields."""
    body: bytes = b""
    """The content."""
    wire: bytes | None = None
    """The content as sent, if that is encoded."""
    failure: str | None = None
    """The failure instead of an answer, one of `goodbot.net.FAILURES`."""
    seconds: float = 0.0
    """How long the answer takes, by the site's clock."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class FakeVisit:
    """One request to the site, and its time."""

    url: str
    """The URL that was requested."""
    at: datetime
    """The time of the request, by the site's clock."""
    monotonic: float
    """The same in seconds since the clock's start."""
    headers: tuple[tuple[str, str], ...]
    """The header fields of the request."""

    __repr__ = short_repr

    @property
    def path(self) -> str:
        """The path and query of the URL."""
        return path_of(self.url)


CannedAnswer = Union[str, bytes, int, Answer]  # noqa: UP007  it is an expression
Route = Union[CannedAnswer, Callable[[FakeVisit], Union[CannedAnswer, Awaitable[CannedAnswer]]]]  # noqa: UP007


class FakeSite:
    """One site or many, in memory; a `Fetcher` that logs its visits.

    Args:
        routes: The answers by absolute URL or, for every origin, by path and query. An answer is
            content (`str` or `bytes`, status 200), a status (`int`), an `Answer`, or a callable
            that receives the `FakeVisit` and returns one of these, or an awaitable of one. A URL
            without a route is not found (404).
        clock: The clock of the log and of the delays.
        addresses: The IP addresses of hosts, for robots that visit server groups.

    >>> import asyncio
    >>> site = FakeSite({
    ...     "https://example.com/robots.txt": "User-agent: *",
    ...     "/busy": Answer(status=429, headers=[("Retry-After", "5")]),
    ...     "/lost": Answer(failure="timeout"),
    ...     "/count": lambda visit: str(len(site.visits)),
    ... })
    >>> def status(url: str) -> int:
    ...     return asyncio.run(site.fetch(url)).status
    >>> [status(f"https://example.com/{name}") for name in ("robots.txt", "busy", "none")]
    [200, 429, 404]
    >>> asyncio.run(site.fetch("https://example.com/count")).body
    b'4'
    >>> asyncio.run(site.fetch("https://example.com/lost"))
    Traceback (most recent call last):
    ...
    goodbot.errors.FetchError: https://example.com/lost: the request timed out; try again \
later, or allow more time (limits with more seconds=)

    """

    def __init__(
        self,
        routes: Mapping[str, Route],
        *,
        clock: FakeClock | None = None,
        addresses: Mapping[str, str] | None = None,
    ) -> None:
        """Store the routes, which may be changed at any time."""
        self.addresses: dict[str, str] = dict(addresses or {})
        self.routes: dict[str, Route] = dict(routes)
        self.clock = clock or FakeClock()
        self.visits: list[FakeVisit] = []

    async def find_address(self, host: str) -> str | None:
        """Return the address of a host; see `goodbot.net.fetcher.AddressLookup`."""
        return self.addresses.get(host)

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Return the route's answer, within the limits; see `Fetcher.fetch`.

        Raises:
            FetchError: The route is a failure, takes longer than `limits.seconds`, or exceeds the
                limit of bytes while `limits.when_larger` is `fail`.
            WrongTypeError: A route returns something that is not an answer.

        """
        visit = FakeVisit(url, self.clock.now(), self.clock.monotonic(), tuple(headers))
        self.visits.append(visit)
        answer = await answered(self._route(url), visit)
        if answer.seconds > limits.seconds:
            await self.clock.sleep(limits.seconds)
            raise failure(url, "timeout")
        if answer.seconds:
            await self.clock.sleep(answer.seconds)
        if answer.failure is not None:
            raise failure(url, answer.failure)
        named = (value for name, value in answer.headers if name.lower() == "content-type")
        is_of_use = limits.is_of_use(answer.status, next(iter(named), ""))
        if not is_of_use:
            answer = replace(answer, body=b"", wire=None)
        most = min(limits.bytes, limits.wire_bytes)
        wire = wire_of(answer)
        if len(answer.body) > most and limits.when_larger == "fail":
            raise failure(url, "too-large")
        return Response(
            url=url,
            status=answer.status,
            headers=tuple(answer.headers),
            body=answer.body[:most],
            started=visit.at,
            ended=self.clock.now(),
            elapsed=self.clock.monotonic() - visit.monotonic,
            first_byte=answer.seconds,
            http_version="1.1",
            truncated=len(answer.body) > most,
            wire_bytes=min(len(answer.body if wire is None else wire), most),
            wire=wire[: limits.wire_bytes] if wire is not None and limits.keep_wire else None,
            unread=not is_of_use,
        )

    def _route(self, url: str) -> Route:
        """Return the route of a URL."""
        bare = urldefrag(url).url
        return self.routes.get(bare, self.routes.get(path_of(bare), 404))

    def visits_to(self, path: str) -> list[FakeVisit]:
        """Return the visits to a path with its query, or to an absolute URL."""
        return [visit for visit in self.visits if path in (visit.path, visit.url)]


def wire_of(answer: Answer) -> bytes | None:
    """Return the content as sent, or `None` if it is encoded and `wire` is not set."""
    is_encoded = any(name.lower() == "content-encoding" for name, _ in answer.headers)
    return answer.body if answer.wire is None and not is_encoded else answer.wire


def path_of(url: str) -> str:
    """Return the path and query of a URL."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


async def answered(route: Route, visit: FakeVisit) -> Answer:
    """Return the answer of a route."""
    said: object = route(visit) if callable(route) else route
    if inspect.isawaitable(said):
        said = await said
    if isinstance(said, Answer):
        if said.failure is not None and said.failure not in FAILURES:
            message = f"there is no failure {said.failure!r}; use one of {', '.join(FAILURES)}"
            raise WrongTypeError(message)
        return said
    if isinstance(said, str):
        return Answer(body=said.encode())
    if isinstance(said, bytes):
        return Answer(body=said)
    if isinstance(said, int):
        return Answer(status=said)
    message = f"a route must return str, bytes, int or Answer, not {type(said).__name__}"
    raise WrongTypeError(message)
