"""Running a crawl from the command line, with a view that shows it, until it ends.

This module is imported only when a crawl runs, because `goodbot.crawl` and aiohttp are slow to
load.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from typing import Any

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.crawl.folder.shares import SHARES
from goodbot.crawl.processes.process_crawl import ProcessCrawl, refuse_other_number
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.events import Ended, Summary
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings, settings_for
from goodbot.crawl.verbs.crawl_view.alert import AlertCommand, command_of
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.figures import Figures
from goodbot.crawl.verbs.crawl_view.given import (
    Former,
    former_in,
    given_by,
    identity_for,
    refuse_file,
    refuse_lacking,
)
from goodbot.crawl.verbs.crawl_view.signals import heeding, leave_terminal
from goodbot.crawl.verbs.crawl_view.summary import is_refused_here, missed_in, what_was_missed
from goodbot.crawl.verbs.crawl_view.view import Lines, Objects, Silence, View
from goodbot.crawl.verbs.own_site.own_site_run import run_own_site
from goodbot.errors import MisuseError, StoreFullError, StoreUnavailableError
from goodbot.net import SystemClock
from goodbot.robot.identity import Identity

__all__ = ["run"]

APART = {"robot", "info_url", "contact", "start", "resume"}
"""The settings that are not passed on as they are."""

GENTLE = "Finishing running requests"
AGAIN = "; press Ctrl-C again to stop at once"
AT_ONCE = "Stopping at once; nothing that was stored is lost"


def run(args: CrawlArgs, adapt: Callable[[View], None] | None = None) -> ExitStatus:
    """Crawl as the arguments say.

    Args:
        args: The arguments of the command.
        adapt: Changes the view, for a verb that crawls and advises other commands; `None`: no one.

    Raises:
        MisuseError: The arguments cannot be used.
        StoreError: The folder cannot be used, is full, or another crawl is running in it.
        MissingExtraError: A package that a crawl needs is not installed.
        OSError: The output cannot be written.

    """
    refuse_file(args)
    if args.own_site and (args.store or (args.processes or 1) > 1):
        message = (
            "--own-site is for a crawl in one process with a store of its own; omit --store and "
            "--processes"
        )
        raise MisuseError(message)
    former = former_in(args)
    given = given_by(args, former)
    refuse_lacking(args, former)
    settings = settings_for(former.settings, given, args.folder)
    identity = identity_for(args, settings)
    make = crawl_in(args, former)
    if args.own_site:
        run_it = partial(run_once, args, settings, identity, given, adapt=adapt)
        return run_own_site(run_it, args.folder, identity, settings, yes=args.yes)
    return run_once(args, settings, identity, given, make, adapt=adapt)[0]


def run_once(
    args: CrawlArgs,
    settings: CrawlSettings,
    identity: Identity,
    given: GivenSettings,
    make: Callable[..., Crawl],
    *,
    goes_on: bool = False,
    adapt: Callable[[View], None] | None = None,
) -> tuple[ExitStatus, Summary | None]:
    """Make a crawl, run it and show it.

    Args:
        args: The arguments of the command.
        settings: The settings of the crawl.
        identity: Who crawls.
        given: The settings that the arguments name.
        make: Makes the crawl, by the arguments of `Crawl`.
        goes_on: Whether it continues what the same command began.
        adapt: See `run`.

    Returns:
        The exit status, and the summary; `None` if the run failed.

    """
    if goes_on:
        given = replace(given, start=(), resume=True)
    view = view_for(args, identity.product)
    view.bounds = settings.bounds
    if adapt is not None:
        adapt(view)
    alarm = alarm_for(args, identity.name, view)
    summaries: list[Summary] = []
    view.listeners.append(
        lambda event: summaries.append(event.summary) if isinstance(event, Ended) else None
    )
    crawl = make(
        args.folder,
        identity.name,
        info_url=identity.info_url,
        contact=identity.contact,
        start=[url for _, url in given.start],
        resume=given.resume,
        **others_in(given),
        workers=args.workers,
        patience=args.patience,
        on_event=view.hear,
        on_comment=view.remark,
        allow_private=args.allow_private,
        allow_networks=args.allow_network,
        timeout=options.SECONDS if args.timeout is None else args.timeout,
        identity=args.identity,
        store=args.store,
    )
    again, early, remove = (one and not goes_on for one in (args.due, args.again, args.remove))
    running = crawl.run(again=again, early=early, remove=remove)
    status = asyncio.run(watched(crawl, running, view, alarm, strict=args.strict))
    return status, summaries[-1] if summaries else None


def others_in(given: GivenSettings) -> dict[str, Any]:
    """Return the settings that `Crawl` accepts under the same names."""
    return {one.name: getattr(given, one.name) for one in fields(given) if one.name not in APART}


def crawl_in(args: CrawlArgs, former: Former) -> Callable[..., Crawl]:
    """Return what makes the crawl: in this process, or in several.

    Raises:
        MisuseError: The crawl in the folder has another number of processes.

    """
    stored, count = former.rows.get(SHARES, ""), args.processes
    if stored or (count or 1) > 1:
        is_new = former.settings is None
        refuse_other_number(count, stored, args.folder, is_new=is_new)
        return partial(ProcessCrawl, processes=count)
    return Crawl


def alarm_for(args: CrawlArgs, robot: str, view: View) -> AlertCommand | None:
    """Return what runs the program of `--alert`; `None` without this option.

    Raises:
        MisuseError: The program does not exist.

    """
    if args.alert is None:
        return None
    about = {"folder": args.folder, "robot": robot}
    alarm = AlertCommand(command_of(args.alert), about, view.note)
    view.listeners.append(alarm.hear)
    return alarm


async def watched(
    crawl: Crawl,
    running: Coroutine[Any, Any, Summary],
    view: View,
    alarm: AlertCommand | None = None,
    *,
    strict: bool = False,
) -> ExitStatus:
    """Run a crawl, show it, and end it when the user interrupts it."""
    view.follow(crawl)
    interruptions: list[int] = []

    def interrupt(again: str = AGAIN) -> None:
        interruptions.append(1)
        view.note(f"{GENTLE}{again}" if len(interruptions) == 1 else AT_ONCE)
        crawl.stop()

    def terminate() -> None:
        interrupt(again="")

    def hang_up() -> None:
        leave_terminal()
        terminate()

    with heeding(interrupt, terminate, hang_up):
        try:
            async with view, alarm or nullcontext():
                summary = await running
        except (StoreFullError, StoreUnavailableError) as error:
            if not view.figures.events:
                raise
            message = f"{error}\n{how_to_go_on(view)}"
            raise type(error)(message) from error
    view.finish(summary)
    if interruptions:
        return ExitStatus.INTERRUPTED
    if is_refused_here(summary):
        return ExitStatus.MISUSE
    missed = missed_in(view.folder, summary) if strict else {}
    if not missed:
        return ExitStatus.ALLOWED
    view.note(what_was_missed(missed))
    return ExitStatus.INCOMPLETE


def how_to_go_on(view: View) -> str:
    """Return that nothing was lost, and the command that resumes the crawl."""
    return f"Nothing was lost. To resume:\n  {view.resume(view.folder)}"


def view_for(args: CrawlArgs, product: str) -> View:
    """Return the view that shows the crawl."""
    figures = Figures(product)
    if args.as_json:
        return Objects(sys.stdout, args.folder, figures, every=not args.quiet)
    if args.quiet:
        return Silence(sys.stdout, args.folder, figures)
    if not is_screen():
        return Lines(sys.stdout, args.folder, figures)
    from goodbot.crawl.verbs.crawl_view.table import LiveTable  # noqa: PLC0415  rich is slow to load

    return LiveTable(sys.stdout, args.folder, figures, SystemClock().now)


def is_screen() -> bool:
    """Return whether standard output is a terminal on which a table can be redrawn."""
    return sys.stdout.isatty() and os.environ.get("TERM") not in {None, "", "dumb"}
