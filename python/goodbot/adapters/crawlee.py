r"""An HTTP client for Crawlee that fetches by a `Robot`.

    from crawlee.crawlers import ParselCrawler
    from goodbot.adapters.crawlee import RobotHttpClient
    async with goodbot.Robot("ExampleBot/1.0", info_url=..., contact=...) as robot:
        crawler = ParselCrawler(http_client=RobotHttpClient(robot))

Every request of the crawler is a visit of the robot: it fetches robots.txt first, keeps the pauses
that the site asks for, identifies itself, checks each hop of a redirect, and visits no private
addresses. A URL that robots.txt disallows is skipped, as by Crawlee's `respect_robots_txt_file`: it
is no failure, and its verdict is in `RobotHttpClient.skipped`. If nothing is allowed because
robots.txt could not be fetched, the request fails with `goodbot.Disallowed`, which carries the
verdict, and is not tried again. Give visits time: pass `request_handler_timeout` as long as the
pauses.

For `PlaywrightCrawler`, pass `goodbot.adapters.playwright.RobotsRoutes` to the page's `route` in a
pre-navigation hook. The robot sends its own header fields, no others, and keeps no cookies.
"""

import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from goodbot.errors import Disallowed, MisuseError
from goodbot.missing import needs

with needs("crawlee"):
    from crawlee import HttpHeaders, RequestState
    from crawlee.errors import ContextPipelineInterruptedError
    from crawlee.http_clients import HttpClient, HttpCrawlingResult, HttpResponse

if TYPE_CHECKING:
    from datetime import timedelta

    from crawlee import Request
    from crawlee.statistics import Statistics

    from goodbot._core import Verdict
    from goodbot.robot import Robot
    from goodbot.robot.visit import Visit

__all__ = ["RobotHttpClient", "SkippedByRobotsError"]

logger = logging.getLogger(__name__)

PIECE = 64 * 1024
MOST_SKIPPED = 10_000
"""The most verdicts that are kept; the oldest go first."""


class SkippedByRobotsError(Disallowed, ContextPipelineInterruptedError):
    """A request that robots.txt disallows: Crawlee ends it without a failure."""


class RobotHttpClient(HttpClient):
    """A client of Crawlee whose requests are visits of a robot.

    Args:
        robot: The robot; it must be open (`async with`) while the crawler runs.
        on_skipped_request: Is called with the URL of each request that is skipped and
            `"robots_txt"`, as what is passed to `on_skipped_request` of a crawler.

    Source: Crawlee for Python, HttpClient.

    """

    def __init__(
        self,
        robot: "Robot",
        *,
        on_skipped_request: Callable[[str, Any], Awaitable[None]] | None = None,
    ) -> None:
        """Store the robot, which keeps no cookies."""
        super().__init__(persist_cookies_per_session=False)
        self._robot = robot
        self._on_skipped_request = on_skipped_request
        self.skipped: deque[Verdict] = deque(maxlen=MOST_SKIPPED)
        """Why requests were skipped, the oldest first."""

    async def crawl(
        self,
        request: "Request",
        *,
        session: Any = None,  # noqa: ANN401, ARG002  a robot has no sessions
        proxy_info: Any = None,  # noqa: ANN401
        statistics: "Statistics | None" = None,
        timeout: "timedelta | None" = None,  # noqa: ARG002  the robot's own applies
    ) -> HttpCrawlingResult:
        """Visit the URL of a request.

        Raises:
            SkippedByRobotsError: robots.txt disallows the URL, or one to which it redirects.
            Disallowed: robots.txt could not be fetched; the request is not tried again.
            FetchError: There was no response.
            MisuseError: It is not a GET, or it has a proxy.

        """
        refuse_others(request.method, proxy_info)
        try:
            visit = await self._robot.visit(request.url)
        except Disallowed as error:
            request.no_retry = True
            if not error.verdict.is_answer:
                raise
            request.state = RequestState.SKIPPED
            await self._note_skipped(request.url, error.verdict)
            raise SkippedByRobotsError(error.verdict, error.hops) from error
        request.loaded_url = visit.url
        if statistics is not None:
            statistics.register_status_code(visit.response.status)
        return HttpCrawlingResult(VisitResponse(visit))

    async def _note_skipped(self, url: str, verdict: "Verdict") -> None:
        """Keep and log why a request is skipped, and call who wants to know."""
        self.skipped.append(verdict)
        logger.info("%s is skipped: %s", url, verdict)
        if self._on_skipped_request is not None:
            await self._on_skipped_request(url, "robots_txt")

    async def send_request(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Any = None,  # noqa: ANN401, ARG002  the robot sends its own
        payload: Any = None,  # noqa: ANN401, ARG002  GET has none
        session: Any = None,  # noqa: ANN401, ARG002
        proxy_info: Any = None,  # noqa: ANN401
        timeout: "timedelta | None" = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Visit a URL; see `crawl`."""
        refuse_others(method, proxy_info)
        return VisitResponse(await self._robot.visit(url))

    @asynccontextmanager
    async def stream(
        self,
        url: str,
        **options: Any,  # noqa: ANN401  those of `send_request`
    ) -> AsyncIterator[HttpResponse]:
        """Visit a URL; the robot has read the response within its own limits."""
        yield await self.send_request(url, **options)

    async def cleanup(self) -> None:
        """Do nothing: the caller closes the robot."""


class VisitResponse:
    """The response of a visit, as Crawlee reads it."""

    def __init__(self, visit: "Visit") -> None:
        """Store the response."""
        self._response = visit.response

    @property
    def http_version(self) -> str:
        """The version of HTTP."""
        return f"HTTP/{self._response.http_version or '1.1'}"

    @property
    def status_code(self) -> int:
        """The status."""
        return self._response.status

    @property
    def headers(self) -> HttpHeaders:
        """The fields; of repeated ones, Crawlee keeps the values in one, separated by commas."""
        joined: dict[str, str] = {}
        for name, value in self._response.headers:
            key = name.lower()
            joined[key] = f"{joined[key]}, {value}" if key in joined else value
        joined.pop("content-encoding", None)  # the content is decoded
        return HttpHeaders(joined)

    async def read(self) -> bytes:
        """Return the content."""
        return self._response.body

    async def read_stream(self) -> AsyncIterator[bytes]:
        """Yield the content in pieces."""
        for start in range(0, len(self._response.body), PIECE):
            yield self._response.body[start : start + PIECE]


def refuse_others(method: str, proxy: object) -> None:
    """Refuse what a robot does not do.

    Raises:
        MisuseError: It is not a GET, or it has a proxy.

    """
    if method != "GET":
        message = f"a robot sends GET only, not {method}; use another client for forms"
        raise MisuseError(message)
    if proxy is not None:
        message = "a robot uses no proxies, so that sites see who visits; omit proxy_configuration"
        raise MisuseError(message)
