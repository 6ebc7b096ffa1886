r"""An HTTP client for Crawlee that fetches by a `Robot`.

    from crawlee.crawlers import ParselCrawler
    from goodbot.adapters.crawlee import RobotHttpClient
    async with goodbot.Robot("ExampleBot/1.0", info_url=..., contact=...) as robot:
        crawler = ParselCrawler(http_client=RobotHttpClient(robot))

Every request of the crawler is a visit of the robot: it fetches robots.txt first, keeps the pauses
that the site asks for, identifies itself, checks each hop of a redirect, and visits no private
addresses. A URL that is not allowed fails with `goodbot.Disallowed`, which carries the verdict,
and is not tried again. Give visits time: pass `request_handler_timeout` as long as the pauses.

For `PlaywrightCrawler`, pass `goodbot.adapters.playwright.RobotsRoutes` to the page's `route` in a
pre-navigation hook. The robot sends its own header fields, no others, and keeps no cookies.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from goodbot.errors import Disallowed, MisuseError
from goodbot.net.missing import needs

with needs("crawlee"):
    from crawlee import HttpHeaders
    from crawlee.http_clients import HttpClient, HttpCrawlingResult, HttpResponse

if TYPE_CHECKING:
    from datetime import timedelta

    from crawlee import Request
    from crawlee.statistics import Statistics

    from goodbot.robot import Robot
    from goodbot.robot.visit import Visit

__all__ = ["RobotHttpClient"]

PIECE = 64 * 1024


class RobotHttpClient(HttpClient):
    """A client of Crawlee whose requests are visits of a robot.

    Args:
        robot: The robot; it must be open (`async with`) while the crawler runs.

    Source: Crawlee for Python, HttpClient.

    """

    def __init__(self, robot: "Robot") -> None:
        """Store the robot, which keeps no cookies."""
        super().__init__(persist_cookies_per_session=False)
        self._robot = robot

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
            Disallowed: The URL is not allowed; the request is not tried again.
            FetchError: There was no response.
            MisuseError: It is not a GET, or it has a proxy.

        """
        refuse_others(request.method, proxy_info)
        try:
            visit = await self._robot.visit(request.url)
        except Disallowed:
            request.no_retry = True
            raise
        request.loaded_url = visit.url
        if statistics is not None:
            statistics.register_status_code(visit.response.status)
        return HttpCrawlingResult(VisitResponse(visit))

    async def send_request(  # noqa: PLR0913  as Crawlee has it
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
