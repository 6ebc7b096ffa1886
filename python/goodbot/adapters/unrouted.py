"""What a page requests without Playwright's `route`: checked, or taken from the page.

Chromium tells `route` nothing of the requests of shared workers and of blobs that they run, audio
worklets, downloads, `fetchLater`, and beacons and `keepalive` while a page unloads. A session with
the browser itself sees these (Chrome DevTools Protocol, Fetch). Nothing sees what speculation rules
prefetch and prerender, reports to the site, WebSockets, WebTransport and WebRTC. A script that runs
before the page's own takes them from the page, and the fields of responses that ask for them are
removed.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from goodbot.missing import needs

with needs("playwright"):
    from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import (
        APIResponse,
        Browser,
        BrowserContext,
        CDPSession,
        Page,
    )

__all__ = ["NEEDS_NO_SITE", "check_unrouted", "fields_to_pass", "remove_unseen"]

MayFetch: TypeAlias = Callable[[str], Awaitable[bool]]

NEEDS_NO_SITE = ("data:", "blob:", "about:", "chrome-extension:")
UNSEEN_FIELDS = {"speculation-rules", "reporting-endpoints", "report-to", "nel"}
"""Fields of a response that make the browser send requests that nothing sees (Speculation Rules;
Reporting API; Network Error Logging)."""
TAKEN = r"""(() => {
  for (const name of ["WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection"])
    delete globalThis[name];
  globalThis.WebSocket = class WebSocket extends EventTarget {
    constructor(url) {
      super();
      Object.assign(this, {url: String(url), readyState: 3, bufferedAmount: 0, protocol: ""});
      setTimeout(() => ["error", "close"].forEach((name) => {
        const event = new Event(name);
        this["on" + name]?.(event);
        this.dispatchEvent(event);
      }));
    }
    close() {}
    send() {}
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
  };
  const type = /^\s*speculationrules\s*$/i;
  const clear = (node) => {
    if (node.localName === "script" && type.test(node.getAttribute("type"))) {
      node.type = "text/plain";
      node.remove();
    }
    if (node.shadowRoot) watch(node.shadowRoot);
    for (const child of node.children || []) clear(child);
  };
  const watched = new WeakSet();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    clear(root);
    new MutationObserver((changes) => {
      for (const change of changes) {
        if (change.type === "attributes") clear(change.target);
        change.addedNodes.forEach(clear);
      }
    }).observe(root, {attributeFilter: ["type"], childList: true, subtree: true});
  };
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(...given) {
    const root = attach.apply(this, given);
    watch(root);
    return root;
  };
})();
"""
"""Runs in each document before its own scripts. An observer is called before the parser comes to
the end of a script, and before the rules of a script that was inserted have an effect."""


async def check_unrouted(browser: "Browser", may_fetch: MayFetch, who: Mapping[str, str]) -> None:
    """Check the requests of a browser that `route` does not see; send the rest with who asks.

    Args:
        browser: The browser. What contexts of it without a `route` request is checked, too.
        may_fetch: Returns whether a URL is allowed.
        who: The fields that say who asks, their names in lower case.

    Source: Chrome DevTools Protocol, Fetch. Firefox and WebKit have no such session.
    """
    try:
        session = await browser.new_browser_cdp_session()
    except Error:  # not Chromium
        return

    async def decide(event: dict[str, Any]) -> None:
        answer = await answer_to(event, may_fetch, who)
        await send(session, *answer)

    session.on("Fetch.requestPaused", decide)
    await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})


async def answer_to(
    event: dict[str, Any], may_fetch: MayFetch, who: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    """Return the command that answers a request that is held, and its arguments."""
    request, held = event["request"], {"requestId": event["requestId"]}
    if request["url"].startswith(NEEDS_NO_SITE):
        return "Fetch.continueRequest", held
    try:
        is_allowed = await may_fetch(request["url"])
    except Exception:  # noqa: BLE001  the robot is closed, or failed: no permission
        is_allowed = False
    if not is_allowed:
        return "Fetch.failRequest", {**held, "errorReason": "BlockedByClient"}
    kept = {name: value for name, value in request["headers"].items() if name.lower() not in who}
    fields = [{"name": name, "value": value} for name, value in {**kept, **who}.items()]
    return "Fetch.continueRequest", {**held, "headers": fields}


async def send(session: "CDPSession", command: str, arguments: dict[str, Any]) -> None:
    """Send a command, unless the browser has gone away."""
    try:
        await session.send(command, arguments)
    except Error:
        return


async def remove_unseen(opened: "BrowserContext | Page") -> None:
    """Remove from a page, or from all pages of a context, what nothing sees."""
    with suppress(Error):  # it went away
        await opened.add_init_script(TAKEN)


def fields_to_pass(response: "APIResponse") -> dict[str, str]:
    """Return the fields of a response without those that cause requests that nothing sees."""
    return {name: value for name, value in response.headers.items() if name not in UNSEEN_FIELDS}
