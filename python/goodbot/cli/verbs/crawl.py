"""`goodbot crawl`: visit, index and archive what may be, and be able to prove that one obeyed."""

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
"""The folder of a crawl, where none is named."""

WORKERS = 16
PATIENCE = 600.0

OF_THE_CRAWL = ("dialect", "page_dialect")
"""What a crawl that goes on has already: a default does not count against that."""


@click.command(no_args_is_help=True)
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "-r",
    "--robot",
    metavar="NAME/VERSION",
    help="Your robot: ExampleBot/1.0. Sites have rules for the part before the slash.",
)
@options.identity_options
@click.option(
    "-o",
    "--out",
    "folder",
    metavar="DIR",
    default=FOLDER,
    show_default=True,
    help="Where everything is kept; made if there is none.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with what waits in DIR, as the robot and within the bounds of before.",
)
@click.option("--due", is_flag=True, help="Visit again what is due in DIR, and what waits.")
@click.option(
    "--remove",
    is_flag=True,
    help="Take what DIR has of pages that the bounds now leave out, such as by --exclude, out of "
    "index and archive at once. Without it they are visited when due, without their links.",
)
@click.option(
    "--max-pages",
    type=click.IntRange(min=1),
    metavar="N",
    help="End after N pages; several sites share them, and what one leaves is for the others.",
)
@click.option(
    "--max-pages-per-site",
    type=click.IntRange(min=1),
    metavar="N",
    help="Visit at most N pages of one site; --resume goes on with N more of each.",
)
@click.option(
    "--max-depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="Go no further than N links from the first page; 20 by default.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="End after N seconds.",
)
@click.option(
    "--max-megabytes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="End after N million octets.",
)
@click.option(
    "--max-disk",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="End when DIR has N million bytes; 10,737 (10 GiB) by default.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Visit only what matches, beside the first page: a path as in robots.txt, such as "
    "'/lamps/*.html$', or a whole URL. As often as there are some.",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches; it wins."
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Follow links to this site, too. Without it, only to those of the URLs given.",
)
@click.option("--any-origin", is_flag=True, help="Follow links to every site.")
@click.option(
    "--no-sitemaps",
    is_flag=True,
    help="Do not visit the sitemaps that robots.txt names, nor what it asks to visit.",
)
@click.option(
    "--traps",
    metavar="NAMES",
    help="The traps whose links are not queued, divided by commas: repeated-path, which is the "
    "default, repeated-tree, duplicate-content, soft-404, session-id, idle-parameter, mirror-host, "
    "calendar; or all, or none. Every trap is recognised; `goodbot skipped` lists what was met.",
)
@click.option(
    "--all-types",
    is_flag=True,
    help="Read and keep answers of every type, such as images, and not of documents alone.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 10_000),
    metavar="N",
    default=WORKERS,
    show_default=True,
    help="Visits at once; to one site there is never more than one.",
)
@click.option(
    "--pause",
    type=float,
    metavar="SECONDS",
    help="Between visits to a site that states no pace, or twice the time of its last page if that "
    f"is longer; {PAUSE:g} by default.",
)
@click.option(
    "--back-off",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Stay away so long from a site that is overloaded (429 or 503 without Retry-After) or "
    "fails at several URLs in a row, and twice as long each time that this goes on; "
    f"{BACK_OFF:g} by default.",
)
@click.option(
    "--max-back-off",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help=f"The longest back-off; {MAX_BACK_OFF:g} by default.",
)
@click.option(
    "--back-off-after",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many different URLs of a site must fail in a row before the crawl backs off; "
    f"{BACK_OFF_AFTER} by default.",
)
@click.option(
    "--hours",
    metavar="HH:MM-HH:MM",
    help="Make requests only at these hours of the day, in UT: 22:00-06:00, or several parted by "
    "commas. 00:00-24:00 lifts those of before.",
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(min=0, min_open=True),
    metavar="BYTES/S",
    help="Take no more than so many bytes a second of one site, on average: a large answer is "
    "followed by a longer pause.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=PATIENCE,
    show_default=True,
    help="End when everything left has its turn later than that; inf for as long as it takes.",
)
@options.dialect(several=False)
@click.option(
    "--page-dialect",
    cls=PageDialectOption,
    metavar="NAME",
    default="google",
    show_default=True,
    help="How pages are read: {}.",
)
@options.page_options
@options.network_options
@click.option(
    "--alert",
    metavar="COMMAND",
    help="Run a program when a site fails, forbids everything, changes its robots.txt or has a "
    "comment for you: without a shell, at most once a minute, with JSON on its standard input. It "
    "is never taken from DIR: name it each time.",
)
@options.as_json("a line with one object for each event, the summary last")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print the summary alone; what sites want you to know goes to standard error.",
)
def crawl(**words: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Visit the URLs and what they link to, as far as each site allows, and at its pace.

    What may be indexed is indexed in DIR, what may be kept is archived there, and of everything
    there is evidence: which line of which robots.txt, header or page allowed or forbade it.

    \b
    Examples:
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 \\
        --info-url https://example.com/bot --contact bot@example.com --out crawl
      goodbot crawl https://example.com/ -r ExampleBot/1.0 --max-pages 100 --exclude /cart
      goodbot crawl --resume --out crawl
      goodbot crawl --due --out crawl --json | jq 'select(.event == "settled")'

    On a terminal a table shows what is done at each site and what is waited for; elsewhere there is
    a line for each URL. Ctrl-C lets what is under way come to its end, a second one breaks it off;
    nothing is lost, and --resume goes on.

    Exit status: 0 it came to its end, 2 it could not or every address was refused as not public,
    130 Ctrl-C, SIGTERM or SIGHUP ended it.
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
    """Raise a `MisuseError` where the words cannot be meant."""
    message = None
    if not words.folder or "" in words.urls:
        message = "an empty word is no URL and no folder; quote the variable that it came from"
    elif not words.urls and not words.goes_on:
        message = (
            "give a URL to begin with, such as https://example.com/; or --resume to go on with the "
            "crawl in a folder, --due to visit again what is due there"
        )
    elif words.any_origin and words.origins:
        message = "--any-origin goes everywhere, and --origin to some sites; give one of them"
    elif (
        words.back_off is not None
        and words.max_back_off is not None
        and (words.back_off > words.max_back_off)
    ):
        message = "--max-back-off is shorter than --back-off; make it as long, or leave it out"
    elif words.hours is not None and not words.hours.strip():
        message = (
            "--hours is empty; write hours such as 22:00-06:00, or leave it out: 00:00-24:00 lifts "
            "those of before"
        )
    else:
        message = not_finite(words)
    if message is not None:
        raise goodbot.MisuseError(message)
    options.refuse_pause(words.pause)


def not_finite(words: Words) -> str | None:
    """Report the first number that must be finite and is not; click takes `inf` and `nan`."""
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
            return f"{option} {number:g} is not possible; write a finite number, or leave it out"
    return None
