"""`goodbot page URL`: fetch, decide, print.

Scope: from the arguments to the exit status, one step after the other.
"""

import json
import os
import sys
from datetime import datetime, timezone

import goodbot
from goodbot.cli.page_view.indexability_view import print_report, report_object, why_not_fetched
from goodbot.cli.page_view.overruling import OverrulingRequest
from goodbot.cli.page_view.page_args import PageArgs
from goodbot.cli.page_view.views import VIEWS, PageQuestion
from goodbot.cli.shared import warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.live_sites import LiveSites, address_in
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.robots.robot_choice import chosen_robots
from goodbot.indexability import IndexabilityReport
from goodbot.live.page_fetching import FetchedPage
from goodbot.live.page_reporting import LivePage, page_report, report_on
from goodbot.pace import Manners
from goodbot.page.media_types import DOCUMENTS

__all__ = ["answer_live"]

MANNERS = Manners(default=1.0)
"""The pace if the site states none: a person waits for one page, and no more are fetched."""

STATUSES = {True: ExitStatus.ALLOWED, False: ExitStatus.DISALLOWED, None: ExitStatus.MISUSE}


def answer_live(args: PageArgs, site_options: SiteOptions, *, width: int) -> ExitStatus:
    """Fetch a page, and print who may index it.

    Args:
        args: The arguments; `file` is the URL.
        site_options: How sites are visited.
        width: The most characters of a snippet, if nothing else is said.

    Raises:
        MisuseError: The identity of the robot is missing, the arguments contradict one another, or
            with `--view`, the page was not fetched.
        GoodbotError: See `goodbot.live.page_report`.

    """
    url = address_in(os.fsencode(args.file or ""), "page")
    refuse_shared_store(args, site_options)
    robots = chosen_robots(args.robots, ()) if args.robots else ()
    found = ask_site(url, args, site_options, robots)
    fetched, report = found.fetched, found.report
    warn_of_cut(fetched, strict=args.strict)
    printer = Printer(sys.stdout)
    if args.view is not None and not args.as_json:
        return VIEWS[args.view](question_on(fetched, report, args, width), printer)
    if args.as_json:
        printer.line(json.dumps(report_object(fetched, report)))
    else:
        print_report(fetched, report, printer, None if args.every_finding else LISTED)
    return STATUSES[report.indexable]


def refuse_shared_store(args: PageArgs, site_options: SiteOptions) -> None:
    """Refuse --anyway with a store: other programs that share it could not keep their pace.

    Raises:
        MisuseError: Both were given.

    """
    if args.anyway and site_options.store is not None:
        message = (
            "--anyway makes a request that no other program with this --store would know of; "
            "omit --store"
        )
        raise goodbot.MisuseError(message)


def ask_site(
    url: str, args: PageArgs, site_options: SiteOptions, robots: tuple[str, ...]
) -> LivePage:
    """Fetch a page, with --anyway even if robots.txt does not allow it, and decide."""
    identity = visitor(site_options)
    settings = {"manners": MANNERS, "types": DOCUMENTS}
    with LiveSites("*", site_options, "rfc9309", identity=identity, **settings) as sites:
        if not args.anyway:
            return page_report(
                url,
                sites,
                robots or None,
                now=datetime.now(timezone.utc),
                longest_wait=site_options.seconds,
                page_dialect=args.dialect,
                page_options=args.page_options,
            )
        fetched = OverrulingRequest(sites, site_options).run(url)
        return report_on(
            fetched,
            robots or None,
            now=datetime.now(timezone.utc),
            page_dialect=args.dialect,
            page_options=args.page_options,
        )


def warn_of_cut(fetched: FetchedPage, *, strict: bool) -> None:
    """Warn if only the beginning of the page was read.

    Raises:
        MisuseError: It is so and `strict`.

    """
    response = fetched.response
    if response is not None and response.truncated:
        message = f"only the first {len(response.body):,} bytes of {fetched.url} were read"
        warnings.warn_or_refuse(message, strict=strict)


def question_on(
    fetched: FetchedPage, report: IndexabilityReport, args: PageArgs, width: int
) -> PageQuestion:
    """Return what a view of a fetched page shows.

    Raises:
        MisuseError: The page was not fetched.

    """
    if report.page is None or fetched.response is None:
        message = f"there is no page to show. {why_not_fetched(fetched)}"
        raise goodbot.MisuseError(message)
    return PageQuestion(
        page=report.page,
        content=fetched.response.body,
        now=datetime.now(timezone.utc),
        has_header=True,
        query=args.query or "",
        width=args.width or width,
        listed=None if args.every_finding else LISTED,
    )
