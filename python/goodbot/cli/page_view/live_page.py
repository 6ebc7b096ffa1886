"""`goodbot page URL`: fetch, decide, print.

Scope: from the arguments to the exit status, one step after the other.
"""

import json
import os
import sys
from datetime import datetime, timezone

import goodbot
from goodbot.cli.page_view.indexability_view import print_report, report_object, why_not_fetched
from goodbot.cli.page_view.page_args import PageArgs
from goodbot.cli.page_view.page_fetching import FetchedPage, fetch_page
from goodbot.cli.page_view.views import VIEWS, PageQuestion
from goodbot.cli.shared import warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.live_sites import address_in
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.robots.robot_choice import chosen_robots
from goodbot.indexability import IndexabilityReport, indexability_report

__all__ = ["answer_live"]

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
        GoodbotError: See `fetch_page`.

    """
    url = address_in(os.fsencode(args.file or ""), "page")
    refuse_shared_store(args, site_options)
    robots = chosen_robots(args.robots, ()) if args.robots else ()
    fetched = fetch_page(url, visitor(site_options), site_options, anyway=args.anyway)
    report = report_on(fetched, args, robots)
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


def report_on(fetched: FetchedPage, args: PageArgs, robots: tuple[str, ...]) -> IndexabilityReport:
    """Return who may index a page; without robots, those that matter are chosen."""
    response = fetched.response
    page_options = args.page_options
    if fetched.names_page is not None:
        page_options.setdefault("names_page", fetched.names_page)
    return indexability_report(
        fetched.url,
        fetched.policy,
        None if response is None else response.body,
        headers=() if response is None else response.headers,
        status=200 if response is None else response.status,
        robots=robots or None,
        before=fetched.before,
        now=datetime.now(timezone.utc),
        page_dialect=args.dialect,
        page_options=page_options,
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
