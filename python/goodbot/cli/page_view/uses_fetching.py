"""`goodbot page uses URL`: page, tdmrep.json and licences, fetched as a robot fetches.

Scope: what is requested, within bounds; `goodbot.uses` decides.
"""

from datetime import datetime, timezone
from types import TracebackType

import goodbot
from goodbot.blocking import Robot
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.options import SECONDS, SiteOptions
from goodbot.content_use import Uses, read_license, read_tdmrep, uses
from goodbot.content_use.rsl_reader import RslLicense
from goodbot.content_use.tdmrep import TdmRep
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.http.status import answer_status
from goodbot.net import Response
from goodbot.pace import Manners
from goodbot.policy import Policy
from goodbot.store import MemoryStore, Store, open_store
from goodbot.store.opening import close_store

__all__ = ["SiteUses"]

MANNERS = Manners(default=1.0)
"""The pace if the site states none: a person waits for a page and at most some ten small files."""
MOST_LICENSES = 5
"""The most licences that are fetched for one page."""
PRESENT = ("ai.txt", "llms.txt")
"""Files whose presence is reported."""


class SiteUses:
    """Fetches what says something about the uses of a page; for `with`.

    Args:
        robot: The robot to ask for.
        page_dialect: The dialect in which the page is read.
        site_options: How sites are visited.

    Raises:
        MisuseError: The identity of the robot is missing or cannot be used.
        MissingExtraError: aiohttp is not installed.

    """

    def __init__(self, robot: str, page_dialect: str, site_options: SiteOptions) -> None:
        """Check the arguments before any request is made."""
        self.robot, self.page_dialect = robot, page_dialect
        self.seconds = SECONDS if site_options.timeout is None else site_options.timeout
        self.identity = visitor(site_options)
        self.robots_txt: goodbot.RobotsTxt | None = None
        """The robots.txt of the page's site, once it was fetched."""
        given = site_options.store
        self.store: Store = MemoryStore() if given is None else open_store(given)
        self.asker = Robot(
            self.identity.name,
            info_url=self.identity.info_url,
            contact=self.identity.contact,
            store=self.store,
            manners=MANNERS,
            allow_private=site_options.allow_private,
            allow_networks=site_options.allow_network,
            timeout=self.seconds,
        )

    def __enter__(self) -> "SiteUses":  # noqa: PYI034  Self is of Python 3.11
        """Open the robot."""
        self.asker.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the robot and the store."""
        self.asker.__exit__(kind, error, trace)
        close_store(self.store)

    def answer(self, url: str) -> Uses:
        """Fetch a page and what belongs to it, and return the answers.

        Raises:
            FetchError: There was no response for the page.
            Deferred: The site must not be visited for longer than the command waits.

        """
        page, policy = self.page(url)
        self.robots_txt = policy.robots_txt
        url = url if page is None else page.url
        site = goodbot.origin(url)
        tdmrep = self.tdmrep(site)
        present = [name for name in PRESENT if self.found(f"{site}/{name}") is not None]
        now = datetime.now(timezone.utc)
        # The first answer names the licences; those of other sites are not requested.
        first = uses(url, page, robots_txt=policy, robot=self.robot)
        named = [one for one in first.not_consulted if one.startswith(f"{site}/")]
        licenses = {one: self.license(one) for one in named[:MOST_LICENSES]}
        return uses(
            url,
            page,
            robots_txt=policy,
            tdmrep=tdmrep,
            licenses={one: read for one, read in licenses.items() if read is not None},
            present=present,
            robot=self.robot,
            now=now,
        )

    def page(self, url: str) -> tuple[goodbot.Page | None, Policy]:
        """Return the page and the policy of its site; no page if the robot may not fetch it."""
        try:
            visit = self.asker.visit(url, longest_wait=self.seconds)
        except Disallowed:
            return None, self.asker.policy(url)
        response = visit.response
        page = goodbot.Page(
            visit.url,
            response.body,
            headers=response.headers,
            status=response.status,
            robot=self.robot,
            dialect=self.page_dialect,
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
        fetched = datetime.now(timezone.utc)
        return None if response is None else read_license(response.body, fetched=fetched)

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


def is_file(response: Response) -> bool:
    """Return whether a response is a file, and no page that says that there is none."""
    is_html = (response.field("Content-Type") or "").lower().startswith("text/html")
    row = answer_status(response.status, response.headers, len(response.body))
    return row.is_success and not is_html
