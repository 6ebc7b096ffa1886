"""A page is fetched as a robot fetches it, hop by hop.

Scope: what is requested, and where that ends. `goodbot.indexability` decides what follows.
"""

from typing import Any

from goodbot._core import Verdict
from goodbot.errors import Disallowed
from goodbot.lazy_dataclass import dataclass
from goodbot.live.visitor import Visitor
from goodbot.net import Response
from goodbot.policy import Policy
from goodbot.policy.redirects import leads_to
from goodbot.robot import Identity
from goodbot.robot.visiting import MOST_REDIRECTS

__all__ = ["REFUSED", "FetchedPage", "PageHop", "PageRequest"]

REFUSED = "disallowed"


@dataclass(frozen=True, slots=True)
class PageHop:
    """One request, and what robots.txt said to the robot about it."""

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
    """The URL of the last request, or the one that the robot was not allowed to request."""
    policy: Policy
    """The policy of its site."""
    verdict: Verdict
    """What robots.txt says to the robot about it."""
    hops: tuple[PageHop, ...]
    response: Response | None
    """The last response; `None` if the robot was not allowed to request `url`."""
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


class PageRequest:
    """The requests for one page.

    Args:
        robot: Who visits.
        longest_wait: The most seconds to wait for the turn at a site; `None` for no bound.

    """

    def __init__(self, robot: Visitor, longest_wait: float | None = None) -> None:
        """Start with no request."""
        self.robot = robot
        self.longest_wait = longest_wait
        self.hops: list[PageHop] = []
        self.names_page: bytes | None = None

    def run(self, url: str) -> FetchedPage:
        """Fetch a URL, and then what it redirects to, each by the rules of its site.

        Raises:
            Deferred: A site must not be visited for longer than `longest_wait`.
            FetchError: There was no response.
            Disallowed: The operator blocked the site, in the store.

        """
        while True:
            policy = self.robot.policy(url)
            verdict = policy.may_fetch(url, self.robot.identity.product)
            response = self.fetch(url, verdict)
            if response is None:
                return self.ended(url, policy, verdict, None, REFUSED)
            target, ending = self.next_of(url, response, verdict)
            self.hops.append(PageHop(url, policy, verdict, response.status, target))
            if ending or target is None:
                return self.ended(url, policy, verdict, response, ending)
            url = target

    def fetch(self, url: str, verdict: Verdict) -> Response | None:
        """Return the response for a URL; `None` if the robot may not fetch it."""
        return self.visit(url) if verdict.allowed else None

    def next_of(
        self,
        url: str,
        response: Response,
        verdict: Verdict,  # noqa: ARG002  for those who overrule it
    ) -> tuple[str | None, str]:
        """Return where a response redirects to, and why that is the end; empty if it is not."""
        chain = [*(hop.url for hop in self.hops), url]
        status, fields = response.status, response.headers
        address, ending = leads_to(url, status, fields, chain, limit=MOST_REDIRECTS)
        return (None, ending) if address is None else (address[1], "")

    def visit(self, url: str) -> Response | None:
        """Visit a URL as a robot does; `None` if that is not allowed any more."""
        try:
            visit = self.robot.visit(url, longest_wait=self.longest_wait, redirects=0)
        except Disallowed as error:
            if error.verdict.reason.startswith("operator-"):
                raise
            return None  # robots.txt changed while its turn was awaited
        self.names_page = visit.names_page
        return visit.response

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
            self.robot.identity,
            url,
            policy,
            verdict,
            tuple(self.hops),
            response,
            self.names_page,
            ending,
        )
