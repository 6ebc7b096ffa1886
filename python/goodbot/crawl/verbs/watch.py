"""`goodbot watch`: crawl a site again, and report what changed that matters."""

import contextlib
import io
import json
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.config_file import CONFIG, config_option
from goodbot.crawl.verbs.crawl_view.option_kinds import SectionedCommand
from goodbot.crawl.verbs.crawl_view.option_rows import OPTIONS, SECTIONS
from goodbot.errors import MisuseError

if TYPE_CHECKING:
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

    Exit status: 0 nothing that matters has changed, 1 something has, 2 the crawl failed, 130 it was
    ended by Ctrl-C, SIGTERM or SIGHUP.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot._core import origin  # noqa: PLC0415  slow to load

    if as_json and as_markdown:
        message = "--json and --markdown are two forms; use one of them"
        raise MisuseError(message)
    watched = origin(site)
    status = crawl_quietly(crawl_args(site, folder, crawl))
    if status not in GOES_ON:
        return status
    found = look_back_in(folder, watched, logs, robots, datetime.now(timezone.utc))
    if feed is not None:
        write_feed(feed, folder, watched)
    show(found, as_json=as_json, as_markdown=as_markdown)
    return ExitStatus.DISALLOWED if found else ExitStatus.ALLOWED


def crawl_quietly(args: CrawlArgs) -> ExitStatus:
    """Crawl, and print the summary only if there will be no message, on standard error."""
    from goodbot.crawl.verbs.crawl_view.run import run  # noqa: PLC0415  slow to load

    summary = io.StringIO()
    with contextlib.redirect_stdout(summary):
        status = run(args)
    if status not in GOES_ON and sys.stderr is not None:
        sys.stderr.write(summary.getvalue())
    return status


def crawl_args(site: str, folder: str, crawl: dict[str, Any]) -> CrawlArgs:
    """Return the arguments of the crawl: a new one, or one that visits everything again."""
    from goodbot.crawl.folder.own_files import DATABASE  # noqa: PLC0415  slow to load

    context = click.get_current_context()
    is_first = not (Path(folder) / DATABASE).exists()
    values = crawl | OWN | {"folder": folder, "again": not is_first}
    values["urls"] = (site,) if is_first else ()
    sources = {name: context.get_parameter_source(name) for name in values}
    sources |= dict.fromkeys(OWN, ParameterSource.DEFAULT)
    return CrawlArgs.of(values, sources, context.meta.get(CONFIG))


def look_back_in(
    folder: str, site: str, logs: tuple[str, ...], robots: tuple[str, ...], now: datetime
) -> "WatchRun":
    """Find what changed since the run before, and add this run to the history."""
    from goodbot.cli.shared.robots.robot_choice import named_robots  # noqa: PLC0415  slow to load
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  as above
    from goodbot.crawl.watching.barred_robots import barred_pages, snapshot  # noqa: PLC0415  as above
    from goodbot.crawl.watching.last_run import latest_run  # noqa: PLC0415  as above
    from goodbot.crawl.watching.looking_back import look_back  # noqa: PLC0415  as above
    from goodbot.crawl.watching.watch_history import (  # noqa: PLC0415  as above
        append_run,
        read_barred,
        read_runs,
        write_barred,
    )

    runs, log = read_runs(folder), None
    if logs:
        from goodbot.crawl.watching.log_changes import read_logs  # noqa: PLC0415  an extra

        every = (run.log for run in reversed(runs))
        log = read_logs(logs, folder, site, next((one for one in every if one is not None), None))
    with open_readonly(folder, reads=("evidence", "inventory", "links")) as database:
        since = runs[-1].at if runs else before_run(latest_run(database.settings()))
        chosen = named_robots(robots or (WATCHED,))
        barred, before = barred_pages(database, chosen, now), read_barred(folder)
        found = look_back(
            database,
            site,
            now=now,
            since=since,
            robots=chosen,
            log=log,
            barred=(barred, before),
        )
    append_run(folder, found)
    write_barred(folder, snapshot(barred, chosen))
    return found


def before_run(started: datetime | None) -> datetime | None:
    """Return the last moment before a run of a crawl that was not watched yet."""
    return None if started is None else started - timedelta(microseconds=1)


def write_feed(path: str, folder: str, site: str) -> None:
    """Write the Atom feed of the runs of a folder."""
    from goodbot.crawl.verbs.watch_view.atom_feed import atom_feed  # noqa: PLC0415  slow to load
    from goodbot.crawl.watching.watch_history import read_runs  # noqa: PLC0415  as above
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  as above

    with atomic_file(path) as file:
        file.write(atom_feed(site, read_runs(folder)))


def show(found: "WatchRun", *, as_json: bool, as_markdown: bool) -> None:
    """Print the message."""
    from goodbot.crawl.verbs.watch_view.messages import markdown_lines, print_run  # noqa: PLC0415

    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(found.as_dict()))
    elif as_markdown:
        for line in markdown_lines(found):
            printer.line(line)
    else:
        print_run(found, printer)
