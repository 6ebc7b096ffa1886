"""What a page of a live site may be used for: page, tdmrep.json and licences are fetched.

Scope: what is requested, within bounds; `goodbot.uses` decides.
"""

from datetime import datetime

from goodbot._core import origin
from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use import Uses, read_license, read_tdmrep, uses
from goodbot.content_use.rsl_reader import RslLicense
from goodbot.content_use.tdmrep import TdmRep
from goodbot.display import short_repr
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.http.status import answer_status
from goodbot.lazy_dataclass import dataclass
from goodbot.live.visitor import Visitor
from goodbot.net import Response
from goodbot.page import Page
from goodbot.policy import Policy

__all__ = ["LiveUses", "page_uses"]

MOST_LICENSES = 5
"""The most licences that are fetched for one page."""
PRESENT = ("ai.txt", "llms.txt")
"""Files whose presence is reported."""


@dataclass(frozen=True, slots=True, repr=False)
class LiveUses:
    """What a page of a live site may be used for."""

    uses: Uses
    """The answers, with the statements that decide."""
    policy: Policy
    """The policy of the site of the page."""

    __repr__ = short_repr


def page_uses(
    url: str,
    robot: Visitor,
    name: str = "*",
    *,
    now: datetime,
    longest_wait: float | None = None,
    page_dialect: str | None = None,
) -> LiveUses:
    """Fetch a page and what belongs to it, and return what it may be used for.

    It fetches the page, the site's tdmrep.json, ai.txt and llms.txt, and the licences of the site
    that the page or robots.txt name. What robots.txt disallows is not fetched.

    Args:
        url: The URL.
        robot: Who fetches it: an open `goodbot.blocking.Robot`.
        name: The robot that is asked about.
        now: The time, an aware `datetime`.
        longest_wait: The most seconds to wait for each turn at the site; `None` for no bound.
        page_dialect: The dialect in which the page is read; by default that of `name` if it is
            known, else `google`.

    Raises:
        Deferred: The site must not be visited for longer than `longest_wait`.
        FetchError: There was no response for the page.
        NoOriginError: The URL has no origin.

    """
    return UsesRequest(robot, name, now, longest_wait, page_dialect).run(url)


@dataclass(frozen=True, slots=True)
class UsesRequest:
    """The requests for one page and what belongs to it."""

    asker: Visitor
    robot: str
    now: datetime
    seconds: float | None
    page_dialect: str | None

    def run(self, url: str) -> LiveUses:
        """Make them, and return the answers."""
        page, policy = self.page(url)
        url = url if page is None else page.url
        site = origin(url)
        tdmrep = self.tdmrep(site)
        present = [name for name in PRESENT if self.found(f"{site}/{name}") is not None]
        # The first answer names licences and policies; those of other sites are not requested.
        first = uses(url, page, robots_txt=policy, tdmrep=tdmrep, robot=self.robot)
        named = [one for one in first.not_consulted if one.startswith(f"{site}/")][:MOST_LICENSES]
        offers = {one for one in named if one in policies_named(first)}
        answers = {one: self.found(one) for one in offers}
        policies = {one: answer.body for one, answer in answers.items() if answer is not None}
        licenses = {one: self.license(one) for one in named if one not in offers}
        found = uses(
            url,
            page,
            robots_txt=policy,
            tdmrep=tdmrep,
            licenses={one: read for one, read in licenses.items() if read is not None},
            tdm_policies=policies,
            present=present,
            robot=self.robot,
            now=self.now,
        )
        return LiveUses(found, policy)

    def page(self, url: str) -> tuple[Page | None, Policy]:
        """Return the page and the policy of its site; no page if the robot may not fetch it."""
        try:
            visit = self.asker.visit(url, longest_wait=self.seconds)
        except Disallowed:
            return None, self.asker.policy(url)
        response = visit.response
        page = Page(
            visit.url,
            response.body,
            headers=response.headers,
            status=response.status,
            robot=self.robot,
            dialect=self.page_dialect or page_dialect_for(self.robot),
        )
        return page, self.asker.policy(visit.url)

    def tdmrep(self, site: str) -> TdmRep:
        """Return the site's tdmrep.json.

        "Failure to provide access … implies that the origin server does not implement this
        protocol" (TDMRep): then it has no rules. If it could not be requested, its rules are not
        known.
        """
        response = self.visited(f"{site}/.well-known/tdmrep.json")
        if response is None:
            return TdmRep(is_whole=False)
        return read_tdmrep(response.body if is_file(response) else b"")

    def license(self, url: str) -> RslLicense | None:
        """Return a licence; `None` if it could not be fetched."""
        response = self.found(url)
        return None if response is None else read_license(response.body, fetched=self.now)

    def found(self, url: str) -> Response | None:
        """Return the response for a file; `None` if there is no such file."""
        response = self.visited(url)
        return response if response is not None and is_file(response) else None

    def visited(self, url: str) -> Response | None:
        """Return the response for a URL; `None` if it could not be requested."""
        try:
            return self.asker.visit(url, longest_wait=self.seconds).response
        except (Disallowed, Deferred, FetchError):
            return None


def policies_named(answer: Uses) -> set[str]:
    """Return the URLs of the TDM policies that reservations name."""
    said = (one for verdict in answer.verdicts.values() for one in verdict.statements)
    return {one.terms.url for one in said if one.specification == "tdmrep" and one.terms}


def is_file(response: Response) -> bool:
    """Return whether a response is a file, and no page that says that there is none."""
    is_html = (response.field("Content-Type") or "").lower().startswith("text/html")
    row = answer_status(response.status, response.headers, len(response.body))
    return row.is_success and not is_html
