"""`goodbot fleet`: one crawl on many machines."""

import asyncio
import json
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.time_option import TIME, in_utc
from goodbot.cli.shared.verb_groups import VerbGroup
from goodbot.crawl.verbs.crawl_view.option_kinds import LIFTED, SectionedCommand
from goodbot.crawl.verbs.crawl_view.option_rows import (
    OPTION_BY_NAME,
    OPTIONS,
    SECTIONS,
    settings_in,
)
from goodbot.crawl.verbs.status_output import a_minute, live, print_left, print_urls, show
from goodbot.errors import MisuseError, StoreError
from goodbot.http.address import address_of
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from datetime import datetime

    from goodbot.crawl.fleet.fleet import FleetStatus
    from goodbot.crawl.fleet.fleet_worker import FleetWorker
    from goodbot.crawl.run.events import Summary
    from goodbot.crawl.verbs.crawl_view.view import View

__all__ = ["fleet"]

DATABASE = click.argument("database", metavar="DATABASE")
STORED = [row for row in OPTIONS if row.setting]
"""The options that all workers of a fleet share."""
KINDS = ("archive", "evidence", "links", "inventory", "requests", "folder")
"""The kinds of files of a segment; `goodbot.crawl.fleet.segments` describes them."""
OF_A_WORKER = (
    "folder",
    "workers",
    "patience",
    "allow_private",
    "allow_network",
    "timeout",
    "identity",
    "as_json",
    "quiet",
)
"""The options that each worker has for itself."""


@click.group(cls=VerbGroup, lazy={}, no_args_is_help=True)
def fleet() -> None:
    """Crawl on many machines, which share their sites and their pace by PostgreSQL.

    \b
    Examples:
      goodbot fleet init postgresql://db.example/robots --robot ExampleBot/1.0 \\
        --info-url https://example.com/bot --contact bot@example.com
      goodbot fleet add postgresql://db.example/robots https://a.example/ https://b.example/
      goodbot fleet work postgresql://db.example/robots --out crawl
      goodbot fleet status postgresql://db.example/robots

    DATABASE is the URL of a database of PostgreSQL; with ?schema=NAME it is that of one of several
    fleets in it. Blocks of 'goodbot robot block' in it hold for all workers.
    """  # noqa: D301  click looks for the character that \b is


@fleet.command(
    "init",
    cls=SectionedCommand,
    no_args_is_help=True,
    sections={
        title: [name for name in names if OPTION_BY_NAME[name].setting]
        for title, names in SECTIONS.items()
        if any(OPTION_BY_NAME[name].setting for name in names)
    },
    others="Other",
    params=[
        click.Argument(["database"], metavar="DATABASE"),
        *(row.option for row in STORED),
        click.Option(
            ["--objects"],
            default="",
            metavar="URL",
            help="Put pages, archive, evidence and links into this object storage (s3://, gs://, "
            "az:// or file://) instead of the folders of the workers. Requires "
            "pip install 'goodbot[objects]'.",
        ),
        click.Option(
            ["--partitions"],
            type=click.IntRange(1, 512),
            default=16,
            show_default=True,
            metavar="N",
            help="Divide the URLs of the queue among N tables; this cannot be changed later. More "
            "than 16 keep the work for found links the same in queues of more than a million URLs, "
            "and cost PostgreSQL time and locks for each page.",
        ),
    ],
)
def make(database: str, objects: str, partitions: int, **values: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Make a fleet with the settings of its crawl.

    \b
    Example:
      goodbot fleet init postgresql://db.example/robots --robot ExampleBot/1.0 \\
        --info-url https://example.com/bot --contact bot@example.com --max-depth 5

    The options are those of 'goodbot crawl' which describe the robot, its pace, and what belongs to
    the crawl. Limits such as --max-pages hold for each worker.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load
    from goodbot.crawl.run.settings import GivenSettings  # noqa: PLC0415  as above

    context = click.get_current_context()
    given = {
        name: value
        for name, value in values.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    settings = GivenSettings(**settings_in(given))
    with Fleet(database) as made:
        made.make(settings, objects=objects, partitions=partitions)
        Printer(sys.stdout).prose(f"Made a fleet in {made.name}. Add URLs: goodbot fleet add.")
    return ExitStatus.ALLOWED


@fleet.command(no_args_is_help=True)
@DATABASE
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "--urls",
    "file",
    metavar="FILE",
    help="Add the URLs in this file, one a line, with # before a comment; - is standard input.",
)
def add(database: str, urls: tuple[str, ...], file: str | None) -> ExitStatus:
    """Add URLs at which the crawl of a fleet starts, and their sites.

    \b
    Example:
      goodbot fleet add postgresql://db.example/robots --urls sites.txt

    They are visited after half a minute, when all running workers know that these sites belong to
    the crawl.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load
    from goodbot.crawl.verbs.crawl_view.conversions import start_in, urls_in  # noqa: PLC0415  as above

    words = [*urls, *(urls_in(file) if file else [])]
    if not words:
        message = "write the URLs to add, such as https://example.com/, or name a file with --urls"
        raise MisuseError(message)
    pairs = [start_in(word) for word in words]
    with Fleet(database) as found:
        count = found.add(pairs)
    Printer(sys.stdout).prose(f"{counted(count, 'URL')} added, of {len(pairs)}.")
    return ExitStatus.ALLOWED


@fleet.command(
    cls=SectionedCommand,
    no_args_is_help=True,
    sections={},
    others="Options",
    params=[
        click.Argument(["database"], metavar="DATABASE"),
        *(OPTION_BY_NAME[name].option for name in OF_A_WORKER),
        click.Option(
            ["--name"],
            default="",
            metavar="TEXT",
            help="The name of this worker in 'goodbot fleet status'; by default that of the "
            "machine, and the number of the process.",
        ),
        click.Option(
            ["--processes"],
            type=click.IntRange(1),
            default=1,
            show_default=True,
            metavar="N",
            help="Run N workers, to use several processors; their folders are DIR/1, DIR/2, and so "
            "on.",
        ),
        click.Option(
            ["--lease"],
            type=click.FloatRange(min=1),
            default=120.0,
            show_default=True,
            metavar="SECONDS",
            help="After how many seconds other workers visit the sites of this one if it is gone.",
        ),
        click.Option(
            ["--publish-after"],
            type=click.FloatRange(min=0),
            default=60.0,
            show_default=True,
            metavar="SECONDS",
            help="How long results wait to be put into the object storage of the fleet together, "
            "if it has one. A page is visited again if the worker is gone before that.",
        ),
    ],
)
def work(**values: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Run a worker of a fleet, until no worker has anything left to do.

    \b
    Example:
      goodbot fleet work postgresql://db.example/robots --out crawl

    Run it on each machine, with --processes to use several processors; each worker has a folder DIR
    of its own with the pages, archive and evidence of the sites that it visits. Ctrl-C and SIGTERM
    end it in order, and its sites pass to the others; a second Ctrl-C cancels running requests. The
    same folder can be used again.

    Exit status: 0 nothing is left or the fleet is drained, 2 it failed, 130 it was ended by Ctrl-C,
    SIGTERM or SIGHUP.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load
    from goodbot.crawl.fleet.fleet_worker import FleetWorker  # noqa: PLC0415  as above
    from goodbot.crawl.verbs.crawl_view.figures import Figures  # noqa: PLC0415  as above
    from goodbot.crawl.verbs.crawl_view.next_commands import (  # noqa: PLC0415  as above
        print_next_of_fleet,
        print_next_of_published,
    )
    from goodbot.crawl.verbs.crawl_view.view import (  # noqa: PLC0415  as above
        Lines,
        Objects,
        Silence,
    )

    with Fleet(values["database"]) as found:
        orders = found.orders()
        if values["processes"] > 1:
            return work_in_processes(values)
        product, is_published = orders.settings.identity.product, bool(orders.objects)
    figures, folder = Figures(product), values["folder"]
    limits = None
    if is_published:
        from goodbot.crawl.fleet.segment_publisher import SegmentLimits  # noqa: PLC0415  an extra

        limits = SegmentLimits(seconds=values["publish_after"])
    view: View
    if values["as_json"]:
        view = Objects(sys.stdout, folder, figures, every=not values["quiet"])
    else:
        view = (Silence if values["quiet"] else Lines)(sys.stdout, folder, figures)
    print_next = print_next_of_published if is_published else print_next_of_fleet
    view.then = partial(print_next, values["database"])
    patience = values["patience"]
    worker = FleetWorker(
        values["database"],
        Path(folder),
        name=values["name"],
        workers=values["workers"],
        patience=None if patience is LIFTED else patience,
        lease_seconds=values["lease"],
        margin=values["lease"] / 4,
        allow_private=values["allow_private"],
        allow_networks=values["allow_network"],
        timeout=options.SECONDS if values["timeout"] is None else values["timeout"],
        identity=values["identity"],
        limits=limits,
        on_event=view.hear,
        on_comment=view.remark,
    )
    summary, is_interrupted = asyncio.run(watched(worker, view))
    view.finish(summary)
    return ExitStatus.INTERRUPTED if is_interrupted else ExitStatus.ALLOWED


def work_in_processes(values: dict[str, Any]) -> ExitStatus:
    """Run several workers, each in a process of its own."""
    import socket  # noqa: PLC0415  seldom needed

    from goodbot.crawl.fleet.worker_processes import WorkerProcesses  # noqa: PLC0415  as above
    from goodbot.crawl.verbs.crawl_view.signals import heeding  # noqa: PLC0415  as above

    words = ["fleet", "work", values["database"], *words_given({"processes", "folder", "name"})]
    name, interruptions = values["name"] or socket.gethostname(), []
    processes = WorkerProcesses(
        [
            [*words, "--out", str(Path(values["folder"]) / f"{one}"), "--name", f"{name} {one}"]
            for one in range(1, values["processes"] + 1)
        ]
    )

    def interrupt() -> None:
        interruptions.append(1)
        processes.stop()

    async def run() -> list[int]:
        with heeding(interrupt, interrupt, interrupt):
            return await processes.run()

    ended = asyncio.run(run())
    if interruptions:
        return ExitStatus.INTERRUPTED
    failed = [number for number, status in enumerate(ended, 1) if status]
    if failed:
        those = ", ".join(map(str, failed))
        message = f"of the workers, {those} failed; their sites pass to others, run them again"
        raise StoreError(message)
    return ExitStatus.ALLOWED


def words_given(without: Collection[str]) -> list[str]:
    """Return the options of the command line as words, without some of them."""
    context, words = click.get_current_context(), []
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if not isinstance(option, click.Option) or source is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if name in without or value is False:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words.append(option.opts[0])
            if not option.is_flag:
                words.append("none" if one is LIFTED else str(one))
    return words


async def watched(worker: "FleetWorker", view: "View") -> "tuple[Summary, bool]":
    """Run a worker, and end it in order when the user interrupts it."""
    from goodbot.crawl.verbs.crawl_view.signals import heeding, leave_terminal  # noqa: PLC0415  slow to load

    interruptions: list[int] = []

    def interrupt() -> None:
        interruptions.append(1)
        view.note("Finishing running requests" if len(interruptions) == 1 else "Stopping at once")
        worker.stop()

    def hang_up() -> None:
        leave_terminal()
        interrupt()

    with heeding(interrupt, interrupt, hang_up):
        async with view:
            return await worker.run(), bool(interruptions)


@fleet.command(no_args_is_help=True)
@DATABASE
@live
@options.as_json("one object")
def status(database: str, *, every: float | None, as_json: bool) -> ExitStatus:
    """Show the state of a fleet: its URLs, sites and workers, and how long it will still take.

    \b
    Examples:
      goodbot fleet status postgresql://db.example/robots
      goodbot fleet status postgresql://db.example/robots --live

    A site is leased by a worker, due for one, waiting until a later time, or idle: then nothing of
    it is in the queue. A worker that has gone without notice is listed until its leases have ended
    and another one inherits its sites. The time left is that of the slowest site at its pace of the
    last hour, and at least that of all queued URLs at the rate of the last ten minutes; URLs that
    are still to be found are not counted.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load

    def write(state: "FleetStatus", printer: Printer) -> None:
        if as_json:
            printer.line(json.dumps(state.as_dict()))
        else:
            print_status(state, printer)

    with Fleet(database) as found:
        show(found.status(), found.status, write, every, is_redrawn=not as_json, stream=sys.stdout)
    return ExitStatus.ALLOWED


def print_status(state: "FleetStatus", printer: Printer) -> None:
    """Print the state of a fleet as lines."""
    draining = ", draining" if state.is_draining else ""
    printer.line(f"{state.robot}, {format_time(state.at)}{draining}")
    print_urls(state.urls, state.sites, printer)
    lately = "" if state.rate is None else f", {a_minute(state.rate)} URLs a minute lately"
    printer.line(f"Pages: {state.pages:,}{lately}")
    if state.objects:
        settled = counted(state.segments["settled"], "segment")
        size = counted(state.segments["bytes"], "byte")
        visits = counted(state.segments["visits"], "visit")
        printer.line(f"Published: {settled} with {visits}, {size}, in {state.objects}")
    printer.line(f"Workers: {len(state.workers)}")
    for worker in state.workers:
        gone = "" if worker.is_alive else " (gone)"
        sign = "" if worker.last_sign is None else f", last sign {format_time(worker.last_sign)}"
        printer.line(f"  {worker.name}: {counted(worker.sites, 'site')}{sign}{gone}")
    print_left(state.left, state.at, state.failing, printer)


@fleet.command(no_args_is_help=True)
@DATABASE
@click.option("--undo", is_flag=True, help="Let workers begin again.")
def drain(database: str, *, undo: bool) -> ExitStatus:
    """End all workers of a fleet in order, for example to upgrade them.

    \b
    Example:
      goodbot fleet drain postgresql://db.example/robots

    They finish running requests and leave their sites to the queue within half a minute. Workers
    that are started meanwhile end at once, until --undo.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load

    with Fleet(database) as found:
        found.drain(begin=not undo)
    done = "Workers may begin again." if undo else "The workers end within half a minute."
    Printer(sys.stdout).prose(done)
    return ExitStatus.ALLOWED


SITES = click.option(
    "--site",
    "sites",
    metavar="URL",
    multiple=True,
    help="Only visits to this site; may be repeated.",
)
SINCE = click.option(
    "--since", type=TIME, metavar="TIME", help="Only visits at this time or later (UTC)."
)
BEFORE = click.option(
    "--before", type=TIME, metavar="TIME", help="Only visits before this time (UTC)."
)


@fleet.command(no_args_is_help=True)
@DATABASE
@click.argument("folder", metavar="DIR")
@SITES
@SINCE
@BEFORE
@options.as_json("one object with the numbers")
def gather(
    database: str,
    folder: str,
    sites: tuple[str, ...],
    since: "datetime | None",
    before: "datetime | None",
    *,
    as_json: bool,
) -> ExitStatus:
    """Make a crawl folder of what a fleet has put into object storage.

    \b
    Examples:
      goodbot fleet gather postgresql://db.example/robots shop --site https://shop.example
      goodbot fleet gather postgresql://db.example/robots today --since 2026-11-29

    'goodbot report', 'links', 'evidence', 'search' and all others read the folder DIR as that of a
    crawl on one machine. It has what was published until now, the states of its URLs in the queue,
    and an index, which is made here. Workers may run meanwhile. Blocked pages are not in it.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load
    from goodbot.crawl.fleet.gathering import gather as gathered  # noqa: PLC0415  as above

    with Fleet(database) as found:
        done = gathered(
            found, folder, origins=origins_of(sites), since=in_utc(since), before=in_utc(before)
        )
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps({"folder": folder, **done.as_dict()}))
    else:
        printer.line(
            f"{folder}: {counted(done.visits, 'visit')} and {counted(done.urls, 'URL')}, "
            f"{counted(done.records, 'record')} in the archive, from "
            f"{counted(done.segments, 'segment')}"
        )
    return ExitStatus.ALLOWED


def origins_of(sites: tuple[str, ...]) -> set[str] | None:
    """Return the origins of sites; `None` for all.

    Raises:
        NoOriginError: One is not an absolute http or https URL.

    """
    return {address_of(one)[0] for one in sites} or None


@fleet.command(no_args_is_help=True)
@DATABASE
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Only files of this kind; may be repeated.",
)
@SITES
@SINCE
@BEFORE
@options.as_json("an object for each segment")
def segments(
    database: str,
    kinds: tuple[str, ...],
    sites: tuple[str, ...],
    since: "datetime | None",
    before: "datetime | None",
    *,
    as_json: bool,
) -> ExitStatus:
    """List the files that a fleet has published, for DuckDB, Spark and other readers.

    \b
    Example:
      goodbot fleet segments postgresql://db.example/robots --kind evidence

    Each line is the URL of a file. Read only these: what else is in the object storage was not
    settled, and may be incomplete.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load

    printer = Printer(sys.stdout)
    with Fleet(database) as found:
        base = found.publishing_orders().objects
        for one in found.manifest.find(origins_of(sites), in_utc(since), in_utc(before)):
            plain = one.as_dict(base)
            files = [file for file in plain["files"] if not kinds or file["kind"] in kinds]
            if as_json:
                printer.line(json.dumps({**plain, "files": files}))
            else:
                for file in files:
                    printer.line(file["url"])
    return ExitStatus.ALLOWED


@fleet.command(no_args_is_help=True)
@DATABASE
@click.option("--dry-run", is_flag=True, help="Count, and remove nothing.")
@options.as_json("one object with the numbers")
def sweep(database: str, *, dry_run: bool, as_json: bool) -> ExitStatus:
    """Remove what workers put into object storage and never settled.

    \b
    Example:
      goodbot fleet sweep postgresql://db.example/robots

    A worker that is killed leaves objects that no reader counts. What is being written, and what
    goodbot did not write, stays. Run it now and then, also while workers run.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  slow to load
    from goodbot.crawl.fleet.sweeping import sweep as swept  # noqa: PLC0415  as above

    with Fleet(database) as found:
        done = swept(found, only_look=dry_run)
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return ExitStatus.ALLOWED
    what = f"{counted(done.objects + done.left_behind, 'object')} that were never settled"
    printer.line(f"There are {what}." if dry_run else f"Removed {what}.")
    return ExitStatus.ALLOWED
