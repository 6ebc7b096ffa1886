r"""A route handler for Playwright that checks robots.txt before each request of a browser.

    from goodbot.adapters.playwright import RobotsRoutes
    async with goodbot.Robot("ExampleBot/1.0", info_url=..., contact=...) as robot:
        routes = RobotsRoutes(robot)
        context = await browser.new_context(**routes.context_options)
        await context.route("**/*", routes)

The page, every image, script and frame that it loads, and each hop of a redirect are checked. What
is not allowed is aborted (`net::ERR_BLOCKED_BY_CLIENT`), and is in `RobotsRoutes.refused` with its
verdict. The robot fetches robots.txt itself, with its own name, store and limits on addresses. A
robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

Playwright calls no handler for the hops of a redirect (documentation of `Page.route`). So this one
follows a redirect itself, checks each hop, and sends the browser to its end: a URL at the end of a
redirect is requested twice. It does not pause between requests. WebSockets are not routed.
"""

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from goodbot.errors import Deferred, NoOriginError
from goodbot.http.address import address_of
from goodbot.net.missing import needs
from goodbot.policy.redirects import leads_to

with needs("playwright"):
    from playwright.async_api import Error, Request, Route

if TYPE_CHECKING:
    from playwright.async_api import APIResponse

    from goodbot.policy import PolicyVerdict
    from goodbot.robot import Robot

__all__ = ["RobotsRoutes"]

MOST_HOPS = 10
"""The most redirects of a request."""
MOST_REFUSED = 10_000
"""The most verdicts that are kept; the oldest go first."""
BLOCKED = "blockedbyclient"
FAILED = "failed"
NEEDS_NO_SITE = ("data:", "blob:", "about:", "chrome-extension:")


class RobotsRoutes:
    """A handler for `Page.route` and `BrowserContext.route` of Playwright's async interface.

    Args:
        robot: The robot; it must be open (`async with`) while the browser works.

    Source: RFC 9309; Playwright's documentation, Network.

    """

    def __init__(self, robot: "Robot") -> None:
        """Store the robot."""
        self._robot = robot
        self.refused: deque[PolicyVerdict | Deferred] = deque(maxlen=MOST_REFUSED)
        """Why requests were aborted, the oldest first: a verdict, or `Deferred` if the robot must
        wait until robots.txt may be fetched."""

    @property
    def context_options(self) -> Mapping[str, Any]:
        """Options of `Browser.new_context`: the robot's name, and no service workers.

        Requests of service workers would not be routed.
        """
        fields = dict(self._robot.identity.headers)
        agent = fields.pop("User-Agent")
        options = {"user_agent": agent, "extra_http_headers": fields, "service_workers": "block"}
        return MappingProxyType(options)

    async def __call__(self, route: Route, request: Request | None = None) -> None:
        """Pass a request on, or abort it.

        Args:
            route: The route of the request.
            request: The request, which Playwright passes as well; it is that of the route.

        """
        url = (request or route.request).url
        if url.startswith(NEEDS_NO_SITE):
            await route.continue_()
            return
        try:
            if await self._may_fetch(url):
                await self._pass(route, url)
            else:
                await route.abort(BLOCKED)
        except Error:  # the browser went away, or there was no response
            await abort(route, FAILED)
        except BaseException:
            await abort(route, FAILED)  # otherwise the page would wait for ever
            raise

    async def _may_fetch(self, url: str) -> bool:
        """Return whether a URL is allowed; note the reason if it is not."""
        try:
            verdict = await self._robot.may_fetch(url)
        except Deferred as deferred:
            self.refused.append(deferred)
            return False
        except NoOriginError:  # such as ftp:, of which robots.txt says nothing
            return False
        if not verdict:
            self.refused.append(verdict)
        return bool(verdict)

    async def _pass(self, route: Route, url: str) -> None:
        """Fetch a URL, and pass the response on; check each hop of a redirect."""
        response = await route.fetch(max_redirects=0)
        chain = [address_of(url)[1]]
        while True:
            target, outcome = leads_to(
                chain[-1], response.status, fields_of(response), chain, limit=MOST_HOPS
            )
            if outcome == "answered":
                break
            if target is None or not await self._may_fetch(target[1]):
                await route.abort(FAILED if target is None else BLOCKED)
                return
            chain.append(target[1])
            response = await route.fetch(url=target[1], method="GET", max_redirects=0)
        if len(chain) == 1:
            await route.fulfill(response=response)
        else:
            await route.fulfill(status=302, headers={"Location": chain[-1]})


async def abort(route: Route, why: str) -> None:
    """Abort a request, unless the browser has gone away."""
    try:
        await route.abort(why)
    except Error:
        return


def fields_of(response: "APIResponse") -> tuple[tuple[str, str], ...]:
    """Return the header fields of a response."""
    return tuple((field["name"], field["value"]) for field in response.headers_array)
