"""`goodbot watch`: crawl a site again, and report what changed that matters."""

import contextlib
import io
import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.folder.own_files import DATABASE
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.config_file import CONFIG, config_option
from goodbot.crawl.verbs.crawl_view.option_kinds import SectionedCommand
from goodbot.crawl.verbs.crawl_view.option_rows import OPTIONS, SECTIONS
from goodbot.errors import MisuseError
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goodbot.crawl.run.events import Summary
    from goodbot.crawl.verbs.crawl_view.view import View
    from goodbot.crawl.watching.watch_run import WatchRun

__all__ = ["watch"]

OWN: dict[str, Any] = {
    "resume": False, "due": False, "again": False, "as_json": False, "quiet": True,
    "urls_file": None,
}  # fmt: skip
"""The options of `goodbot crawl` that watching decides itself."""
NOT_OFFERED = {*OWN, "folder"}
WATCHED = "ai,search"
"""The robots that are watched unless --for names others."""
GOES_ON = {ExitStatus.ALLOWED, ExitStatus.INCOMPLETE}
"""The exit statuses of a crawl that has looked at the site."""


@click.command(
    cls=SectionedCommand,
    sections={"Watch": ["logs", "robots", "as_json", "as_markdown", "feed"]}
    | {
        title: [name for name in names if name not in NOT_OFFERED]
        for title, names in SECTIONS.items()
    },
    others="Other",
    no_args_is_help=True,
    params=[
        click.Argument(["site"], metavar="SITE"),
        click.Argument(["folder"], metavar="DIR"),
        click.Option(
            ["--log", "logs"],
            metavar="LOG",
            multiple=True,
            help="A log of the server: also report robots that it did not have before, and "
            "violations of robots.txt. Requires pip install 'goodbot[audit]'. Repeatable.",
        ),
        click.Option(
            ["--for", "robots"],
            metavar="ROBOTS",
            multiple=True,
            help="The robots for which newly unindexable pages are reported, and URLs counted that "
            "robots.txt disallows: names and sets such as Googlebot,GPTBot or ai,search; by "
            f"default {WATCHED}. Repeatable.",
        ),
        click.Option(
            ["--markdown", "as_markdown"], is_flag=True, help="Print the message as Markdown."
        ),
        click.Option(
            ["--feed"],
            metavar="FILE",
            help="Also write the latest changes to FILE, as an Atom feed.",
        ),
        *(row.option for row in OPTIONS if row.name not in NOT_OFFERED),
        config_option(),
    ],
)
@options.as_json("one object")
def watch(
    site: str,
    folder: str,
    logs: tuple[str, ...],
    robots: tuple[str, ...],
    feed: str | None,
    *,
    as_json: bool,
    as_markdown: bool,
    **crawl: Any,  # noqa: ANN401  the options of `goodbot crawl`
) -> ExitStatus:
    """Crawl a site, and report what has changed since the last time that matters.

    \b
    Examples:
      goodbot watch https://example.com/ site --robot ExampleBot/1.0
      goodbot watch https://example.com/ site --log /var/log/nginx/access.log
      goodbot watch https://example.com/ site --markdown --feed /var/www/changes.atom

    The first run crawls the site into DIR; each later one visits all its URLs again, as politely.
    It reports what is newly broken, newly not indexable and by whom, newly disallowed, and every
    changed line of robots.txt with what it changes for which robot. Run it by cron or a timer of
    systemd. 'goodbot report DIR' shows the figures of all runs of a year.

    The options of 'goodbot crawl' can be given, too; DIR keeps those of the first run.

    What could not be printed or written to the feed is reported again by the next run.

    Exit status: 0 nothing that matters has changed, 1 something has, 2 no page could be visited, or
    the crawl failed, 3 with --strict some URLs could not be fetched, 130 it was ended by Ctrl-C,
    SIGTERM or SIGHUP.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot._core import origin  # noqa: PLC0415  slow to load
    from goodbot.cli.shared.robots.robot_choice import named_robots  # noqa: PLC0415  as above
    from goodbot.crawl.verbs.watch_view.watched_folder import (  # noqa: PLC0415  as above
        extent_in,
        look_back_in,
        refuse_other_site,
        remember,
        remember_crawl,
    )

    if as_json and as_markdown:
        message = "--json and --markdown are two forms; use one of them"
        raise MisuseError(message)
    if not folder:
        message = "an argument is empty; write a folder, and check its variable"
        raise MisuseError(message)
    watched, chosen = origin(site), named_robots(robots or (WATCHED,))
    is_first = not (Path(folder) / DATABASE).exists()
    if not is_first:
        refuse_other_site(folder, watched)
        remember_crawl(folder, watched, chosen)
    status, summary = crawl_quietly(crawl_args(site, folder, crawl, is_first=is_first))
    if status not in GOES_ON:
        tell(summary)
        return status
    extent = extent_in(folder)
    if not extent.visited:
        tell(summary)
        warnings.warn(f"no page of {watched} could be visited, so nothing was compared")
        return max(status, ExitStatus.MISUSE)
    found, barred = look_back_in(folder, watched, logs, chosen, datetime.now(timezone.utc))
    show(found, as_json=as_json, as_markdown=as_markdown)
    if extent.missed:
        total = counted(extent.visited + extent.missed, "URL")
        warnings.note(f"{extent.missed:,} of {total} could not be visited")
    if feed is not None:
        write_feed(feed, folder, watched, found)
    # Remembered as reported only now: what could not be written is reported again.
    remember(folder, found, barred)
    if status is ExitStatus.INCOMPLETE:
        return status
    return ExitStatus.DISALLOWED if found else ExitStatus.ALLOWED


def crawl_quietly(args: CrawlArgs) -> tuple[ExitStatus, str]:
    """Crawl, and return the summary, which is printed only if there is no message."""
    from goodbot.crawl.verbs.crawl_view.run import run  # noqa: PLC0415  slow to load

    summary = io.StringIO()
    with contextlib.redirect_stdout(summary):
        status = run(args, advise_watching)
    return status, summary.getvalue()


def advise_watching(view: "View") -> None:
    """Make the summary of a crawl advise to watch again, with the options of the user."""

    def print_next(_: "Summary", _folder: str, printer: Printer, lacking: "Sequence[str]") -> None:
        printer.line("To watch it again:")
        printer.line("  ", suggest(*lacking))

    view.then = print_next
    view.resume = lambda _: suggest()


def tell(summary: str) -> None:
    """Print the summary of a crawl on standard error."""
    if sys.stderr is not None:
        sys.stderr.write(summary)


def crawl_args(site: str, folder: str, crawl: dict[str, Any], *, is_first: bool) -> CrawlArgs:
    """Return the arguments of the crawl: a new one, or one that visits everything again."""
    context = click.get_current_context()
    values = crawl | OWN | {"folder": folder, "again": not is_first}
    values["urls"] = (site,) if is_first else ()
    sources = {name: context.get_parameter_source(name) for name in values}
    sources |= dict.fromkeys(OWN, ParameterSource.DEFAULT)
    return CrawlArgs.of(values, sources, context.meta.get(CONFIG))


def write_feed(path: str, folder: str, site: str, found: "WatchRun") -> None:
    """Write the Atom feed of the runs of a folder and of one that is not in its history yet."""
    from goodbot.crawl.verbs.watch_view.atom_feed import atom_feed  # noqa: PLC0415  slow to load
    from goodbot.crawl.watching.watch_history import read_runs  # noqa: PLC0415  as above
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  as above

    with atomic_file(path) as file:
        file.write(atom_feed(site, [*read_runs(folder), found]))


def show(found: "WatchRun", *, as_json: bool, as_markdown: bool) -> None:
    """Print the message, up to its last byte."""
    from goodbot.crawl.verbs.watch_view.messages import markdown_lines, print_run  # noqa: PLC0415

    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(found.as_dict()))
    elif as_markdown:
        for line in markdown_lines(found):
            printer.line(line)
    else:
        print_run(found, printer)
    sys.stdout.flush()
