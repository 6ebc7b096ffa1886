"""`goodbot page URL`: the page is fetched as a robot fetches it, hop by hop.

Scope: what is requested, and where that ends. `goodbot.indexability` decides what follows.

With --anyway, robots.txt is overruled for the URL that was typed, and for nothing else. That is
done here and nowhere in the library, which has no call for it.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from goodbot._core import Verdict
from goodbot.cli.shared.live_sites import LiveSites
from goodbot.cli.shared.options import SiteOptions
from goodbot.errors import Deferred, Disallowed
from goodbot.http.address import address_of
from goodbot.net import AiohttpFetcher, Limits, Response
from goodbot.pace import Manners
from goodbot.page.media_types import DOCUMENTS, is_wanted
from goodbot.policy import Policy
from goodbot.policy.redirects import leads_to
from goodbot.robot import Identity
from goodbot.robot.visiting import MOST_REDIRECTS

__all__ = ["FetchedPage", "PageHop", "fetch_page"]

MANNERS = Manners(default=1.0)
"""The pace if the site states none: a person waits for one page, and no more are fetched."""

REFUSED = "disallowed"
ANSWERED = "answered"
OTHER_ORIGIN = "redirect-to-other-origin"
ONLY_TYPED = "redirect-after-anyway"


@dataclass(frozen=True, slots=True)
class PageHop:
    """One request, and what robots.txt said to goodbot about it."""

    url: str
    policy: Policy
    verdict: Verdict
    status: int
    target: str | None
    """The URL to which it redirects."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "status": self.status,
            "target": self.target,
            "allowed": self.verdict.allowed,
            "source": self.verdict.source,
        }


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What was fetched, and where it ended."""

    asker: Identity
    url: str
    """The URL of the last request, or the one that goodbot was not allowed to request."""
    policy: Policy
    """The policy of its site."""
    verdict: Verdict
    """What robots.txt says to goodbot about it."""
    hops: tuple[PageHop, ...]
    response: Response | None
    """The last response; `None` if goodbot was not allowed to request `url`."""
    names_page: bytes | None
    """The page of robots' names to which the page points."""
    ending: str
    """`answered`, `disallowed`, or why a redirect was not followed."""

    @property
    def before(self) -> list[tuple[str, Policy]]:
        """The URLs that redirected to it, each with the policy of its site."""
        return [(hop.url, hop.policy) for hop in self.hops if hop.url != self.url]

    @property
    def went_anyway(self) -> bool:
        """Whether a URL was fetched that robots.txt does not allow."""
        return any(not hop.verdict.allowed for hop in self.hops)


def fetch_page(
    url: str, identity: Identity, site_options: SiteOptions, *, anyway: bool
) -> FetchedPage:
    """Fetch a page, each redirect by the rules of its site.

    Args:
        url: The URL, as `address_in` returns it.
        identity: Who visits.
        site_options: How sites are visited.
        anyway: Whether to fetch this URL even if robots.txt does not allow it.

    Raises:
        Deferred: A site must not be visited for longer than this command waits.
        FetchError: There was no response.
        Disallowed: The operator blocked the site, in the store.
        GoodbotError: See `LiveSites`.

    """
    settings = {"manners": MANNERS, "types": DOCUMENTS}
    with LiveSites("*", site_options, "rfc9309", identity=identity, **settings) as sites:
        return PageRequest(sites, site_options, anyway=anyway).run(url)


class PageRequest:
    """The requests for one page."""

    def __init__(self, sites: LiveSites, site_options: SiteOptions, *, anyway: bool) -> None:
        """Start with no request."""
        self.sites = sites
        self.site_options = site_options
        self.anyway = anyway
        self.hops: list[PageHop] = []
        self.names_page: bytes | None = None

    def run(self, url: str) -> FetchedPage:
        """Fetch a URL, and then what it redirects to."""
        while True:
            policy = self.sites.policy(url)
            verdict = policy.may_fetch(url, self.sites.identity.product)
            overruled = self.anyway and not self.hops and not verdict and verdict.is_answer
            if not (verdict.allowed or overruled):
                return self.ended(url, policy, verdict, None, REFUSED)
            response = self.overrule(url) if overruled else self.visit(url)
            if response is None:
                return self.ended(url, policy, verdict, None, REFUSED)
            target, ending = self.next_of(url, response, overruled=overruled)
            self.hops.append(PageHop(url, policy, verdict, response.status, target))
            if ending or target is None:
                return self.ended(url, policy, verdict, response, ending)
            url = target

    def next_of(self, url: str, response: Response, *, overruled: bool) -> tuple[str | None, str]:
        """Return where a response redirects to, and why that is the end; empty if it is not."""
        chain = [*(hop.url for hop in self.hops), url]
        status, fields = response.status, response.headers
        address, ending = leads_to(url, status, fields, chain, limit=MOST_REDIRECTS)
        if address is None:
            return None, ending
        if overruled:
            return address[1], ONLY_TYPED
        leaves = self.anyway and address[0] != address_of(url)[0]
        return address[1], OTHER_ORIGIN if leaves else ""

    def visit(self, url: str) -> Response | None:
        """Visit a URL as a robot does; `None` if that is not allowed any more."""
        with self.sites.progress.asking(url):
            try:
                visit = self.sites.asker.visit(
                    url, longest_wait=self.site_options.seconds, redirects=0
                )
            except Disallowed as error:
                if error.verdict.reason.startswith("operator-"):
                    raise
                return None  # robots.txt changed while its turn was awaited
        self.names_page = visit.names_page
        return visit.response

    def overrule(self, url: str) -> Response:
        """Fetch the typed URL once, at the pace of its site, although robots.txt says no."""
        turn = self.sites.asker.when(url)
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

    def ended(
        self,
        url: str,
        policy: Policy,
        verdict: Verdict,
        response: Response | None,
        ending: str,
    ) -> FetchedPage:
        """Return what was fetched."""
        return FetchedPage(
            self.sites.identity,
            url,
            policy,
            verdict,
            tuple(self.hops),
            response,
            self.names_page,
            ending,
        )
