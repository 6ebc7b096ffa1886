"""`goodbot crawl --own-site`: a polite crawl, a question, and then the pages that it found closed.

Scope: the order of these steps, and what is printed between them, all on standard error.
"""

import sys
from collections.abc import Callable
from functools import partial

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.run.events import Summary
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.verbs.own_site.key_file import owner_key
from goodbot.crawl.verbs.own_site.listing import Listing, disallowed_pages
from goodbot.crawl.verbs.own_site.own_site_crawl import OwnSiteCrawl, Sofar
from goodbot.crawl.verbs.own_site.ownership import dns_name, line_of, record_of
from goodbot.crawl.verbs.own_site.site_owner import SiteOwner
from goodbot.errors import MisuseError
from goodbot.http.amounts import counted
from goodbot.net import Clock
from goodbot.robot.identity import Identity

__all__ = ["RunOnce", "run_own_site"]

RunOnce = Callable[..., tuple[ExitStatus, Summary | None]]
"""Makes a crawl by its argument and runs it; `goes_on` is whether one in the folder continues."""

MOST_ROUNDS = 100
"""How often what was found on pages that robots.txt disallows is fetched in its turn."""
ALL_DONE = {"nothing-left", "waiting", "site-limit"}
"""The ends of runs after which there is room for more pages."""
QUESTION = "Fetch them? [y/N] "
YES = {"y", "yes"}


def run_own_site(
    run_once: RunOnce,
    folder: str,
    identity: Identity,
    settings: CrawlSettings,
    *,
    yes: bool,
    clock: Clock | None = None,
) -> ExitStatus:
    """Crawl politely, then list what robots.txt disallows, ask once, and fetch that.

    Args:
        run_once: Makes a crawl and runs it.
        folder: The folder of the crawl.
        identity: Who crawls.
        settings: The settings of the crawl.
        yes: Whether the question is answered already.
        clock: The clock.

    Raises:
        MisuseError: The crawl is bound to no site.
        StoreUnavailableError: The key of the owner cannot be read or written.

    """
    bounds, sofar = settings.bounds, Sofar()
    if bounds.any_origin:
        message = "--own-site is for crawls of your own sites; name them in place of --any-origin"
        raise MisuseError(message)
    view = OwnSiteView(identity)
    owner = view.owner = SiteOwner(
        owner_key(),
        identity,
        bounds.origins or (),
        on_unproven=view.show_unproven,
        clock=clock,
    )
    listed, before = Listing(), set[str]()
    agreed, result = set[tuple[str, str]](), ExitStatus.ALLOWED
    for turn in range(MOST_ROUNDS):
        make = partial(OwnSiteCrawl, owner, listed.urls, sofar)
        status, summary = run_once(make, goes_on=turn > 0)
        if status not in {ExitStatus.ALLOWED, ExitStatus.INCOMPLETE} or summary is None:
            return status
        result = max(result, status)
        sofar.add(summary)
        before.update(listed.urls)
        with open_readonly(folder) as database:
            found = disallowed_pages(database, bounds, identity.product, owner.proven, before)
        if found.unproven:
            view.show_not_fetched(found)
            result = ExitStatus.MISUSE
        left = None if bounds.pages is None else max(bounds.pages - sofar.pages, 0)
        listed = (found if yes or not turn else found.within(agreed)).first(left)
        has_room = summary.ended in ALL_DONE and left != 0
        if not listed.urls or not has_room:
            if found.urls or not found.unproven:
                view.show_end(len(found.urls), is_first=not turn, has_room=has_room)
            return result
        view.show_listed(listed)
        if not turn:
            agreed = found.texts()
            if not yes and not is_agreed():
                view.say("Nothing that robots.txt disallows was fetched.")
                return result
    return result


def is_agreed() -> bool:
    """Return whether the user agrees, asked on standard error; no answer is no."""
    sys.stderr.write(QUESTION)
    sys.stderr.flush()
    answer = "" if sys.stdin is None else sys.stdin.readline()
    if not answer:
        sys.stderr.write("\nThere is no answer; to answer in advance, add --yes.\n")
    return answer.strip().casefold() in YES


class OwnSiteView:
    """What is printed of a crawl of one's own site, beside what is printed of any crawl.

    Args:
        identity: Who crawls.

    """

    owner: SiteOwner

    def __init__(self, identity: Identity) -> None:
        """Start without having said anything."""
        self._robot = identity.product
        self._said: set[str] = set()

    def say(self, text: str) -> None:
        """Print a sentence."""
        if sys.stderr is not None:
            Printer(sys.stderr).prose(text)
            sys.stderr.flush()

    def show_unproven(self, origin: str) -> None:
        """Print once how to show that a site is one's own."""
        if origin in self._said or sys.stderr is None:
            return
        self._said.add(origin)
        token, name = self.owner.token(origin), dns_name(origin)
        printer = Printer(sys.stderr)
        printer.prose(
            f"Nothing shows yet that {origin} is your site, so pages that its robots.txt disallows "
            f"are not fetched. To show it, add this line to {origin}/robots.txt:"
        )
        printer.line("  ", line_of(token))
        if name is not None:
            printer.prose(f"or a TXT record in DNS, which needs the extra dns, at {name}:")
            printer.line("  ", record_of(token))
        printer.prose(f"It is valid for {self._robot} at {origin} alone.")
        sys.stderr.flush()

    def show_not_fetched(self, found: Listing) -> None:
        """Print at which sites pages were not fetched, because they are not one's own."""
        for origin, count in sorted(found.unproven.items()):
            pages = counted(count, "page")
            self.say(
                f"{pages} of {origin} that its robots.txt disallows to {self._robot} "
                f"{'was' if count == 1 else 'were'} not fetched: nothing shows that it is your "
                "site. Add the line or the record above, and crawl it with --resume, or watch it "
                "again."
            )

    def show_listed(self, listed: Listing) -> None:
        """Print each page that would be fetched, by the line that disallows it."""
        if sys.stderr is None:
            return
        printer = Printer(sys.stderr)
        for (origin, number, text), urls in listed.pages.items():
            _, proof = self.owner.proven[origin]
            head = f"robots.txt of {origin}, line {number}, {text}: "
            printer.line(Styled(f"{head}{counted(len(urls), 'page')}", "heading"))
            printer.line(f"  (your site, as shown by {proof.by})")
            for url in urls:
                printer.line("  ", url)
        pages = counted(len(listed.urls), "page")
        printer.prose(
            f"robots.txt disallows {pages} to {self._robot}. With your permission, "
            f"{'it is' if len(listed.urls) == 1 else 'they are'} requested with GET at the pace of "
            "the site, and neither indexed nor archived; pages that are found there, and that the "
            "same lines disallow, are listed here before they are requested. To keep pages out, "
            "add --exclude."
        )
        sys.stderr.flush()

    def show_end(self, count: int, *, is_first: bool, has_room: bool) -> None:
        """Print what was not requested after all.

        Args:
            count: How many pages.
            is_first: Whether nothing was requested against robots.txt.
            has_room: Whether the limits of the crawl leave room for more pages.

        """
        if not count:
            if is_first:
                self.say(f"No page that was found is disallowed to {self._robot} by robots.txt.")
            return
        pages = f"{counted(count, 'page')} that robots.txt disallows"
        why = "other lines disallow them than those listed" if has_room else "the crawl has a limit"
        self.say(
            f"{pages} {'was' if count == 1 else 'were'} not requested, because {why}. To go on, "
            "crawl it with --resume, or watch it again."
        )
