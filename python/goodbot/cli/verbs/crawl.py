"""`goodbot crawl`: crawl sites, index and archive what they allow, and keep the evidence."""

import math
from typing import Any

import click
from click.core import ParameterSource

import goodbot
from goodbot.cli.crawl_view.args import BACK_OFF, BACK_OFF_AFTER, MAX_BACK_OFF, PAUSE, Words
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.verbs.page import PageDialectOption

__all__ = ["crawl"]

FOLDER = "crawl"
"""The default folder of a crawl."""

WORKERS = 16
PATIENCE = 600.0

OF_THE_CRAWL = ("dialect", "page_dialect")
"""Options that a resumed crawl reads from its folder, unless the user gives them."""


@click.command(no_args_is_help=True)
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "-r",
    "--robot",
    metavar="NAME/VERSION",
    help="The name and version of your robot, such as ExampleBot/1.0. Sites address rules to the "
    "part before the slash.",
)
@options.identity_options
@click.option(
    "-o",
    "--out",
    "folder",
    metavar="DIR",
    default=FOLDER,
    show_default=True,
    help="The folder of the crawl, which is created if needed.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue the crawl in DIR, with the same robot and the same bounds.",
)
@click.option(
    "--due", is_flag=True, help="Visit the pages in DIR that are due again, and those still queued."
)
@click.option(
    "--remove",
    is_flag=True,
    help="Remove pages that are now outside the bounds, for example by --exclude, from the index "
    "and the archive at once. Without it, they are visited when due, but their links are not.",
)
@click.option(
    "--max-pages",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop after N pages in all. Several sites share them.",
)
@click.option(
    "--max-pages-per-site",
    type=click.IntRange(min=1),
    metavar="N",
    help="Visit at most N pages of each site; --resume visits N more of each.",
)
@click.option(
    "--max-depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="Follow at most N links from the first page; 20 by default.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Stop after N seconds.",
)
@click.option(
    "--max-megabytes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Stop after N million bytes were received.",
)
@click.option(
    "--max-disk",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Stop when DIR is N million bytes large; 10,737 (10 GiB) by default.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Visit only matching URLs, and the first page. A pattern is a path as in robots.txt, such "
    "as '/lamps/*.html$', or a whole URL. Repeatable.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Skip matching URLs, even if --include matches too. Repeatable.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Also follow links to this site. By default, only links to the sites of the given URLs "
    "are followed. Repeatable.",
)
@click.option("--any-origin", is_flag=True, help="Follow links to every site.")
@click.option(
    "--no-sitemaps",
    is_flag=True,
    help="Do not read the sitemaps that robots.txt names, and ignore its PleaseVisit lines.",
)
@click.option(
    "--traps",
    metavar="NAMES",
    help="The traps whose links are skipped, separated by commas: repeated-path (the default), "
    "repeated-tree, duplicate-content, soft-404, session-id, idle-parameter, mirror-host, "
    "calendar; or all, or none. 'goodbot skipped' lists all traps that were found.",
)
@click.option(
    "--all-types",
    is_flag=True,
    help="Read and archive responses of every type, such as images, not only documents.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 10_000),
    metavar="N",
    default=WORKERS,
    show_default=True,
    help="The most visits at the same time. There is never more than one at a site.",
)
@click.option(
    "--pause",
    type=float,
    metavar="SECONDS",
    help="The pause between visits to a site that does not ask for one; "
    f"{PAUSE:g} by default. After a slow response, it is twice the time that this took.",
)
@click.option(
    "--back-off",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="The pause after a site is overloaded (status 429 or 503 without Retry-After) or fails at "
    f"several URLs in a row. It doubles each time; {BACK_OFF:g} by default.",
)
@click.option(
    "--max-back-off",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help=f"The longest such pause; {MAX_BACK_OFF:,g} by default.",
)
@click.option(
    "--back-off-after",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of different URLs of a site that must fail in a row before the crawl backs "
    f"off; {BACK_OFF_AFTER} by default.",
)
@click.option(
    "--hours",
    metavar="HH:MM-HH:MM",
    help="Make requests only at these hours of the day, in UT, such as 22:00-06:00; separate "
    "several by commas. 00:00-24:00 removes the hours of an earlier run.",
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(min=0, min_open=True),
    metavar="BYTES/S",
    help="The most bytes per second from one site, on average: a large response is followed by a "
    "longer pause.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=PATIENCE,
    show_default=True,
    help="Stop when no URL may be visited within so many seconds; inf to wait as long as needed.",
)
@options.dialect(several=False)
@click.option(
    "--page-dialect",
    cls=PageDialectOption,
    metavar="NAME",
    default="google",
    show_default=True,
    help="The dialect in which pages are read: {}.",
)
@options.page_options
@options.network_options
@click.option(
    "--alert",
    metavar="COMMAND",
    help="Run this program when a site fails, disallows everything, changes its robots.txt or "
    "sends you a comment. It runs without a shell, at most once a minute, and gets JSON on its "
    "standard input. It is not stored in DIR.",
)
@options.as_json("one object per line for each event, the summary last")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only the summary, and the comments of sites on standard error.",
)
def crawl(**words: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Crawl sites, and index and archive what they allow.

    \b
    Examples:
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 \\
        --info-url https://example.com/bot --contact bot@example.com --out crawl
      goodbot crawl https://example.com/ -r ExampleBot/1.0 --max-pages 100 --exclude /cart
      goodbot crawl --resume --out crawl
      goodbot crawl --due --out crawl --json | jq 'select(.event == "settled")'

    The crawl starts at each URL and follows links within its site, at the pace that the site asks
    for. DIR gets an index of the pages that may be indexed, an archive of those that may be kept,
    and the evidence: which line of which robots.txt, header or page allowed or disallowed what.

    A terminal shows a table of the sites; elsewhere, a line is printed for each URL. Ctrl-C lets
    running requests finish, and a second Ctrl-C cancels them. Nothing is lost: --resume continues.

    Exit status: 0 the crawl ended, 2 it failed or refused every address because none is public,
    130 it was ended by Ctrl-C, SIGTERM or SIGHUP.
    """  # noqa: D301  click looks for the character that \b is
    context = click.get_current_context()
    for name in OF_THE_CRAWL:
        if context.get_parameter_source(name) is ParameterSource.DEFAULT:
            words[name] = None
    found = Words(**words)
    refuse_contradictions(found)
    from goodbot.cli.crawl_view.run import run  # noqa: PLC0415  slow to load; only this verb needs it

    return run(found)


def refuse_contradictions(words: Words) -> None:
    """Raise a `MisuseError` if the arguments contradict one another."""
    message = None
    if not words.folder or "" in words.urls:
        message = "an argument is empty; write a URL or a folder, and check its variable"
    elif not words.urls and not words.goes_on:
        message = (
            "write the URL to start at, such as https://example.com/. To continue a crawl, add "
            "--resume; to visit pages that are due again, add --due"
        )
    elif words.any_origin and words.origins:
        message = "--any-origin follows links to all sites, and --origin to one; use one of them"
    elif (
        words.back_off is not None
        and words.max_back_off is not None
        and (words.back_off > words.max_back_off)
    ):
        message = "--max-back-off is shorter than --back-off; make it longer, or omit it"
    elif words.hours is not None and not words.hours.strip():
        message = (
            "--hours is empty; write hours such as 22:00-06:00, or 00:00-24:00 to allow every hour"
        )
    else:
        message = not_finite(words)
    if message is not None:
        raise goodbot.MisuseError(message)
    options.refuse_pause(words.pause)


def not_finite(words: Words) -> str | None:
    """Report the first number that must be finite and is not; click accepts `inf` and `nan`."""
    given = {
        "--max-seconds": words.max_seconds,
        "--max-megabytes": words.max_megabytes,
        "--max-disk": words.max_disk,
        "--back-off": words.back_off,
        "--max-back-off": words.max_back_off,
        "--bandwidth": words.bandwidth,
        "--timeout": words.timeout,
    }
    if math.isnan(words.patience):
        given["--patience"] = words.patience
    for option, number in given.items():
        if number is not None and not math.isfinite(number):
            return f"{option} {number:g} is not possible; write a finite number, or omit it"
    return None
