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
does not pause between requests.

Playwright calls no handler either for shared workers, audio worklets, downloads, beacons at unload
and others (`goodbot.adapters.unrouted`). With the first request of a context, the handler begins to
check these at the browser, and takes from the pages what no one can check: speculation rules,
WebSockets, WebTransport, WebRTC and reports. That needs Chromium. `RobotsRoutes.launch_options` cut
it off from the network altogether: then nothing leaves that the handler has not sent.
"""

import asyncio
import html
import json
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from goodbot.adapters.sender import SIGNATURE_FIELDS
from goodbot.adapters.unrouted import (
    NEEDS_NO_SITE,
    check_unrouted,
    fields_to_pass,
    remove_unseen,
)
from goodbot.errors import Deferred, NoOriginError
from goodbot.http.address import address_of
from goodbot.http.status import status_of
from goodbot.missing import needs
from goodbot.policy.redirects import leads_to

with needs("playwright"):
    from playwright.async_api import Error, Frame, Request, Route

if TYPE_CHECKING:
    from playwright.async_api import APIResponse, Browser, BrowserContext, Page

    from goodbot._core import Verdict
    from goodbot.robot import Robot
    from goodbot.signatures.signing import SignatureDemand

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
LOAD_AGAIN = (
    '<script>location.reload()</script><noscript><meta http-equiv="refresh" content="0"></noscript>'
)
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"
"""Chromium finds no host, whatever part of it asks; Playwright itself fetches for the handler."""


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
        self._guards: WeakKeyDictionary[Browser | BrowserContext | Page, asyncio.Task[None]] = (
            WeakKeyDictionary()
        )
        """What checks browsers, and takes from pages what no one can check."""
        self._held: WeakKeyDictionary[Frame, tuple[str, APIResponse]] = WeakKeyDictionary()
        """The first responses of pages, until these are guarded."""
        self.refused: deque[Verdict | Deferred] = deque(maxlen=MOST_REFUSED)
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

    @property
    def launch_options(self) -> Mapping[str, Any]:
        """Options of `BrowserType.launch` for Chromium: a name, and no network.

        The handler's requests are sent by Playwright. All that does not pass through the handler
        fails: downloads, worklets and beacons at unload too, also if robots.txt allows them.
        """
        agent = self._who["user-agent"]
        return MappingProxyType({"args": [NO_NETWORK, f"--user-agent={agent}"]})

    async def guard(self, context: "BrowserContext") -> None:
        """Check or take from pages what `route` does not see; once for a context and its browser.

        The first request that is routed does this, and its page then loads twice (not from the
        site), so that the response that `goto` returns has the status but not the content. Call it
        before you open the pages of a context, if you need that or use `Page.set_content`.

        Args:
            context: The context. Others of the same browser are affected in so far as the requests
                of their shared workers and the like are checked, too.

        """
        await self._check_browser(context)
        await self._guard(context)

    async def _check_browser(self, context: "BrowserContext") -> None:
        """Check at the browser of a context."""
        browser = context.browser
        if browser is None:  # Playwright knows none
            return
        if browser not in self._guards:
            checking = check_unrouted(browser, self._may_fetch, self._who)
            self._guards[browser] = asyncio.ensure_future(checking)
        await self._guards[browser]

    def _guard(self, opened: "BrowserContext | Page") -> "asyncio.Task[None]":
        """Begin to guard a context or a page; once."""
        if opened not in self._guards:
            self._guards[opened] = asyncio.ensure_future(remove_unseen(opened))
        return self._guards[opened]

    async def _begin_to_guard(self, page: "Page") -> None:
        """Guard the page of a request, without waiting for what needs its response."""
        await self._check_browser(page.context)
        if not self._guard(page.context).done():
            self._guard(page)
            await asyncio.sleep(0)  # both are under way before the page gets a response

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
            page = page_of(route.request)
            if page is not None:
                await self._begin_to_guard(page)
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
        request = route.request
        is_page = request.is_navigation_request()
        held = self._held.pop(request.frame, None) if is_page else None
        if held is not None and held[0] == url:
            await self._guard(request.frame.page)
            await fulfill(route, held[1])
            return
        fields = {**request.headers, **self._who}
        response = await self._fetch(route, url, request.method, fields)
        if not status_of(response.status).is_redirect:
            if is_page and request.method == "GET" and self._hold(request, response):
                await route.fulfill(
                    status=response.status, content_type="text/html", body=LOAD_AGAIN
                )
            else:
                await fulfill(route, response)
        elif is_page:
            await self._lead_on(route, url, response)
        else:
            await self._follow(route, url, response)

    async def _fetch(
        self, route: Route, url: str, method: str, fields: dict[str, str]
    ) -> "APIResponse":
        """Make one request, signed if the robot has an identity.

        If its answer asks for another signature, it is made once more with that.
        """
        # A script of the page may have written such fields.
        lines = [line for line in fields.items() if line[0] not in SIGNATURE_FIELDS]

        async def fetch(demand: "SignatureDemand | None") -> "APIResponse":
            proof = self._robot.sign(url, method=method, lines=lines, demand=demand)
            headers = {**fields, **{name.lower(): value for name, value in proof}}
            return await route.fetch(url=url, headers=headers, max_redirects=0)

        response = await fetch(None)
        demand = self._robot.demanded_signature(
            response.status, fields_of(response), url, method=method, lines=lines
        )
        if demand is None:
            return response
        await response.dispose()
        return await fetch(demand)

    def _hold(self, request: Request, response: "APIResponse") -> bool:
        """Return whether a response must wait until its page has loaded something else.

        A page takes no scripts of ours while it waits for its first response.
        """
        frame = request.frame
        guard = self._guards.get(frame.page)
        if frame.parent_frame is not None or guard is None or guard.done():
            return False
        self._held[frame] = (request.url, response)
        return True

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
            response = await self._fetch(route, target, "GET", fields | self._who)
            chain.append(target)
        await fulfill(route, response)

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


def page_of(request: Request) -> "Page | None":
    """Return the page of a request; `None` for a new window, whose opener has been routed."""
    try:
        return request.frame.page
    except Error:
        return None


async def fulfill(route: Route, response: "APIResponse") -> None:
    """Pass a response on, without the fields that cause requests that nothing sees."""
    await route.fulfill(response=response, headers=fields_to_pass(response))


async def abort(route: Route, why: str) -> None:
    """Abort a request, unless the browser has gone away."""
    try:
        await route.abort(why)
    except Error:
        return


def fields_of(response: "APIResponse") -> tuple[tuple[str, str], ...]:
    """Return the header fields of a response."""
    return tuple((field["name"], field["value"]) for field in response.headers_array)
