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

Playwright calls no handler for the hops of a redirect (documentation of `Page.route`). So the
redirect of a page becomes a page of one line that leads on, and its target is a request of its own;
that of an image or a script is followed by the handler, which checks each hop and sends it no
credentials. If a later hop is not allowed, the page stays empty and `goto` need not raise: look at
`RobotsRoutes.refused`. Redirects of other methods than GET are followed for pages only. The handler
does not pause between requests. WebSockets are not routed.
"""

import html
import json
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from goodbot.errors import Deferred, NoOriginError
from goodbot.http.address import address_of
from goodbot.http.status import status_of
from goodbot.net.missing import needs
from goodbot.policy.redirects import leads_to

with needs("playwright"):
    from playwright.async_api import Error, Frame, Request, Route

if TYPE_CHECKING:
    from playwright.async_api import APIResponse

    from goodbot.policy import PolicyVerdict
    from goodbot.robot import Robot

__all__ = ["RobotsRoutes"]

MOST_HOPS = 10
"""The most redirects of a request."""
MOST_REFUSED = 10_000
"""The most verdicts that are kept; the oldest go first."""
KEEPS_METHOD = (307, 308)
"""Redirects that must not change the method (RFC 9110 sections 15.4.8 and 15.4.9)."""
PASSED_ON = {"accept", "accept-language", "referer"}
"""The fields that are sent to the target of a redirect beside those of the robot: no credentials,
as it may be of another site."""
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
        self._who = {name.lower(): value for name, value in robot.identity.headers}
        """User-Agent and From, as Playwright names fields: every request has them, also in a
        context that was made without `context_options`."""
        self._chains: WeakKeyDictionary[Frame, list[str]] = WeakKeyDictionary()
        """The redirects that led a frame to where it is."""
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

    async def __call__(self, route: Route, request: Request | None = None) -> None:  # noqa: ARG002  Playwright passes it
        """Pass a request on, or abort it.

        Args:
            route: The route of the request.
            request: The request of the route, which Playwright passes as well.

        """
        url = route.request.url
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
        """Fetch a URL, and pass the response on or follow its redirect."""
        fields = {**route.request.headers, **self._who}
        response = await route.fetch(headers=fields, max_redirects=0)
        if not status_of(response.status).is_redirect:
            await route.fulfill(response=response)
        elif route.request.is_navigation_request():
            await self._lead_on(route, url, response)
        else:
            await self._follow(route, url, response)

    async def _lead_on(self, route: Route, url: str, response: "APIResponse") -> None:
        """Send the browser to the target of a page's redirect, as a request of its own."""
        frame = route.request.frame
        before = self._chains.pop(frame, [])
        # The target of the last redirect comes next; any other page begins a chain.
        here = address_of(url)[1]
        chain = before if before[-1:] == [here] else [here]
        target = self._target(here, response, chain)
        if target is None or (response.status in KEEPS_METHOD and route.request.method != "GET"):
            await route.abort(FAILED)
            return
        self._chains[frame] = [*chain, target]
        await route.fulfill(status=200, content_type="text/html", body=leading_to(target))

    async def _follow(self, route: Route, url: str, response: "APIResponse") -> None:
        """Follow the redirect of what a page loads; check each hop."""
        request, here = route.request, address_of(url)[1]
        chain = [here]
        while status_of(response.status).is_redirect:
            target = self._target(chain[-1], response, chain)
            if target is None or request.method != "GET":
                await route.abort(FAILED)
                return
            if not await self._may_fetch(target):
                await route.abort(BLOCKED)
                return
            fields = {name: value for name, value in request.headers.items() if name in PASSED_ON}
            fields |= self._who
            response = await route.fetch(url=target, headers=fields, max_redirects=0)
            chain.append(target)
        await route.fulfill(response=response)

    @staticmethod
    def _target(here: str, response: "APIResponse", chain: list[str]) -> str | None:
        """Return the URL that a redirect leads to; `None` if there is none."""
        fields = fields_of(response)
        target, _ = leads_to(here, response.status, fields, chain, limit=MOST_HOPS)
        return None if target is None else target[1]


def leading_to(url: str) -> str:
    """Return a page that leads to a URL."""
    in_script = json.dumps(url).replace("<", "\\u003c")
    refresh = f'<meta http-equiv="refresh" content="0;url={html.escape(url)}">'
    return f"<script>location.replace({in_script})</script><noscript>{refresh}</noscript>"


async def abort(route: Route, why: str) -> None:
    """Abort a request, unless the browser has gone away."""
    try:
        await route.abort(why)
    except Error:
        return


def fields_of(response: "APIResponse") -> tuple[tuple[str, str], ...]:
    """Return the header fields of a response."""
    return tuple((field["name"], field["value"]) for field in response.headers_array)
