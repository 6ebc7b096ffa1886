"""`goodbot page --anyway`: robots.txt is overruled for the URL that was typed, and no other.

Scope: that one request. The library has no call for it.
"""

import asyncio

from goodbot._core import Verdict
from goodbot.cli.shared.live_sites import LiveSites
from goodbot.cli.shared.options import SiteOptions
from goodbot.errors import Deferred
from goodbot.http.address import address_of
from goodbot.live.page_fetching import PageRequest
from goodbot.net import AiohttpFetcher, Limits, Response
from goodbot.page.media_types import is_wanted

__all__ = ["ONLY_TYPED", "OTHER_ORIGIN", "OverrulingRequest"]

OTHER_ORIGIN = "redirect-to-other-origin"
ONLY_TYPED = "redirect-after-anyway"


class OverrulingRequest(PageRequest):
    """The requests for one page, of which the first may be one that robots.txt does not allow."""

    def __init__(self, sites: LiveSites, site_options: SiteOptions) -> None:
        """Start with no request."""
        super().__init__(sites, site_options.seconds)
        self.sites = sites
        self.site_options = site_options

    def overrules(self, verdict: Verdict) -> bool:
        """Return whether a verdict is overruled."""
        return not self.hops and not verdict and verdict.is_answer

    def fetch(self, url: str, verdict: Verdict) -> Response | None:
        """Return the response for a URL; that was typed is fetched in any case."""
        return self.overrule(url) if self.overrules(verdict) else super().fetch(url, verdict)

    def next_of(self, url: str, response: Response, verdict: Verdict) -> tuple[str | None, str]:
        """Return where a response redirects to, and why that is the end; empty if it is not."""
        target, ending = super().next_of(url, response, verdict)
        if target is None:
            return None, ending
        if self.overrules(verdict):
            return target, ONLY_TYPED
        return target, OTHER_ORIGIN if address_of(target)[0] != address_of(url)[0] else ""

    def overrule(self, url: str) -> Response:
        """Fetch the typed URL once, at the pace of its site, although robots.txt says no."""
        turn = self.sites.when(url)
        if turn.not_before is None or turn.wait > self.site_options.seconds:
            raise Deferred(url, turn.not_before, turn.reason, turn.because)
        with self.sites.progress.asking(url):
            return asyncio.run(self.request(url, turn.wait))

    async def request(self, url: str, wait: float) -> Response:
        """Make one request after a wait."""
        limits = Limits(seconds=self.site_options.seconds, reads=is_wanted)
        fetcher = AiohttpFetcher(
            allow_private=self.site_options.allow_private,
            allow_networks=self.site_options.allow_network,
        )
        try:
            await self.sites.clock.sleep(max(wait, 0.0))
            return await fetcher.fetch(url, headers=self.sites.identity.headers, limits=limits)
        finally:
            await fetcher.close()
