"""How a crawl or a fleet is doing, as lines, once or again and again.

Scope: what both have in common.
"""

import io
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TextIO, TypeVar

import click

from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.time_format import future_time, span
from goodbot.crawl.folder.states import label_of
from goodbot.crawl.status.time_left import TimeLeft
from goodbot.http.amounts import counted

__all__ = ["a_minute", "live", "print_left", "print_urls", "show"]

State = TypeVar("State")
Command = TypeVar("Command", bound=Callable[..., object])

EVERY = 5.0
FINE = 10.0
"""Smaller numbers are shown with two digits."""
SHARE = 20
"""The pause after reading a status is at least so many times as long as that took."""


def live(command: Command) -> Command:
    """Add `--live`, which shows a status again and again."""
    return click.option(
        "--live",
        "every",
        is_flag=False,
        flag_value=EVERY,
        type=click.FloatRange(min=0.1),
        metavar="[SECONDS]",
        help=f"Show it again every SECONDS, {EVERY:g} by default, until Ctrl-C or until it ends.",
    )(command)


def show(
    first: State,
    read: Callable[[], State | None],
    write: Callable[[State, Printer], None],
    every: float | None,
    *,
    is_redrawn: bool,
    stream: TextIO,
) -> None:
    """Print a status, and with `--live` each later one: on a terminal in the place of the last.

    Args:
        first: The status now.
        read: Returns it anew; `None` once there is nothing more to come.
        write: Prints it.
        every: Seconds between two; `None` to print it once.
        is_redrawn: Whether a terminal is cleared in between.
        stream: Where to print.

    """
    is_redrawn = is_redrawn and stream.isatty() and every is not None
    state: State | None = first
    began = time.perf_counter()
    while state is not None:
        text = io.StringIO()
        printer = Printer(text)
        # Written at once, so that a terminal never shows a half.
        printer.colour, printer.width = Printer(stream).colour, None
        write(state, printer)
        if is_redrawn:
            click.clear()
        stream.write(text.getvalue())
        stream.flush()
        if every is None:
            return
        time.sleep(max(every, SHARE * (time.perf_counter() - began)))
        began = time.perf_counter()
        state = read()
        if state is not None and not is_redrawn and not text.getvalue().startswith("{"):
            stream.write("\n")


def print_urls(urls: Mapping[str, int], sites: Mapping[str, int], printer: Printer) -> None:
    """Print the URLs and the sites by state."""
    of_urls = ", ".join(f"{count:,} {label_of(state)}" for state, count in urls.items())
    printer.line(f"URLs: {of_urls or 'none'}")
    printer.line(f"Sites: {', '.join(f'{count:,} {state}' for state, count in sites.items())}")


def print_left(left: TimeLeft, now: datetime, failing: Mapping[str, int], printer: Printer) -> None:
    """Print how long a crawl will still take, its slowest sites, and those with most failures."""
    others = f", without {counted(left.unknown, 'site')} of unknown pace" if left.unknown else ""
    ends = left.ends(now)
    if not left.seconds:
        told = "nothing is queued" if left.seconds == 0 and not left.unknown else "not known yet"
    else:
        about = "" if left.seconds < 1 else "about "
        until = "" if ends is None else f": {future_time(ends, now).rpartition(', in ')[0]}"
        told = f"{about}{span(left.seconds)}{others}{until}"
    printer.line(f"Time left: {told}")
    if left.slowest:
        printer.line("Slowest sites:")
    for site in left.slowest:
        wait = f", the first in {span(site.wait)}" if site.wait else ""
        gap = f", one every {pause(site.gap)} ({site.source})" if site.gap else ""
        total = f": {span(site.seconds)}" if site.seconds else ""
        printer.line(f"  {site.origin}: {counted(site.queued, 'URL')}{wait}{gap}{total}")
    if failing:
        printer.line("Most failed URLs:")
    for origin, count in failing.items():
        printer.line(f"  {origin}: {count:,}")


def pause(seconds: float) -> str:
    """Return a pause in words, a short one exactly.

    >>> pause(1.0), pause(0.75), pause(90.0)
    ('second', '0.75 seconds', '90 seconds')
    """
    if seconds == 1:
        return "second"
    return f"{seconds:.2g} seconds" if seconds < FINE else span(seconds)


def a_minute(rate: float) -> str:
    """Return a rate a second as one a minute: with two digits, or whole.

    >>> a_minute(0.011), a_minute(94.0)
    ('0.66', '5,640')
    """
    minute = rate * 60
    return f"{minute:.2g}" if minute < FINE else f"{minute:,.0f}"
