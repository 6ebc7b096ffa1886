"""The live table of a crawl on a terminal: a row for each site, as many as fit.

Scope: which sites are shown, and how. The table is drawn a few times a second from the numbers of
`figures`, however many events there are; drawing takes at most a twentieth of the time.
"""

import asyncio
import contextlib
import heapq
import math
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goodbot.cli.shared.printing import cut_line, escaped
from goodbot.cli.shared.time_format import span
from goodbot.crawl.folder.states import label_of
from goodbot.crawl.verbs.crawl_view.figures import Figures, Site
from goodbot.crawl.verbs.crawl_view.time_left import seconds_left
from goodbot.crawl.verbs.crawl_view.view import View
from goodbot.http.amounts import counted, format_bytes

if TYPE_CHECKING:
    from goodbot.crawl.run.events import SiteAlert, Summary
    from goodbot.robot import Remark

__all__ = ["LiveTable", "Shown"]

BEAT = 0.25
"""The least seconds between two drawings."""

SHARE = 20
"""The pause after a drawing is so many times as long as the drawing took."""

AROUND = 7
"""Lines that are not rows: the header, the totals, and an empty one."""

FEWEST = 3
QUIET = 12
"""For how many drawings a site must be quiet before another one gets its row."""

SHARE_OF_NAMES = 0.3
"""The largest part of the width that the names of sites can take."""

NARROW = 100
"""On a terminal with fewer columns, some words are omitted."""

TINY = 60
"""On a terminal with fewer columns, some columns are omitted."""

MOST_TOLD = 100
"""The most lines above the table that are printed again when the terminal is resized."""

FAR, DAY = 3600.0, 86_400.0
"""From so many seconds on, a time is shown instead of a duration; and then a date."""

ERROR = 4
"""The lowest first digit of a status that is an error (RFC 9110 section 15)."""


class Shown:
    """Chooses which sites have a row, and keeps each in its place.

    Sites with recent events are the most interesting ones. But rows that change with every drawing
    cannot be read, so a site keeps its row until it has been quiet for a while.
    """

    def __init__(self) -> None:
        """Start without rows."""
        self.rows: list[Site] = []
        self._last: dict[str, tuple[int, int]] = {}
        self._drawings = 0

    def choose(self, sites: dict[str, Site], room: int) -> list[Site]:
        """Return the sites for so many rows.

        Args:
            sites: All sites.
            room: The number of rows.

        """
        self._drawings += 1
        if len(sites) <= room:
            self.rows = list(sites.values())
            return self.rows
        self.rows = (
            heapq.nlargest(room, self.rows, key=touched) if room < len(self.rows) else self.rows
        )
        chosen = {site.origin for site in self.rows}
        latest = heapq.nlargest(2 * room, sites.values(), key=touched)
        others = iter([site for site in latest if site.origin not in chosen])
        rows = [next(others, site) if self._is_quiet(site) else site for site in self.rows]
        self.rows = [*rows, *islice(others, room - len(rows))]
        return self.rows

    def _is_quiet(self, site: Site) -> bool:
        """Return whether a site had no events for a while."""
        event, since = self._last.get(site.origin, (-1, 0))
        if event != site.touched:
            self._last[site.origin] = (site.touched, self._drawings)
            return False
        return self._drawings - since >= QUIET


def touched(site: Site) -> int:
    """Return the number of a site's last event."""
    return site.touched


class LiveTable(View):
    """Redraws a table until the crawl is over; the last one stays on the screen.

    Args:
        stream: The terminal.
        folder: The folder of the crawl, as the user wrote it.
        figures: The numbers.
        now: Returns the time, an aware `datetime`.

    """

    def __init__(
        self, stream: TextIO, folder: str, figures: Figures, now: Callable[[], datetime]
    ) -> None:
        """Inspect the terminal."""
        super().__init__(stream, folder, figures)
        colour = self.printer.colour
        self.console = Console(
            file=stream,
            force_terminal=True,
            no_color=not colour,
            color_system="auto" if colour else None,
            highlight=False,
        )
        self._now = now
        self._since = now()
        self._shown = Shown()
        self._note = "Press Ctrl-C to stop after the running requests."
        self._told: deque[Text] = deque(maxlen=MOST_TOLD)
        self._size = self.console.size
        self._live = self._new_live()
        self._task: asyncio.Task[None] | None = None

    def _new_live(self) -> Live:
        """Return what redraws the table in its place."""
        return Live(
            console=self.console,
            auto_refresh=False,
            get_renderable=self.draw,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    async def __aenter__(self) -> "LiveTable":  # noqa: PYI034  Self is of Python 3.11
        """Start to draw."""
        self._live.start()
        self._task = asyncio.ensure_future(self._keep_drawing())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Draw the last table."""
        self._note = ""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        with contextlib.suppress(OSError):
            self._refresh()
            self._live.stop()

    async def _keep_drawing(self) -> None:
        """Draw until the crawl is over."""
        while self.failure is None:
            began = time.perf_counter()
            try:
                self._refresh()
            except OSError as error:
                self.fail(error)
            took = time.perf_counter() - began
            await asyncio.sleep(max(BEAT, SHARE * took))

    def _refresh(self) -> None:
        """Draw the table; on a terminal that was resized, begin at the top.

        Many terminals wrap the old lines again, so the table no longer has the height that it had.
        """
        if self.console.size != self._size:
            self._size = self.console.size
            self._live.stop()
            self.console.clear()
            for line in self._told:
                self.console.print(line)
            self._live = self._new_live()
            self._live.start()
        self._live.refresh()

    def _print_above(self, line: Text) -> None:
        """Print a line above the table."""
        self._told.append(line)
        self.console.print(line)

    def note(self, text: str) -> None:
        """Show a text below the table."""
        self._note = text

    def show_alert(self, alert: "SiteAlert") -> None:
        """Print above the table."""
        told = f"{alert.origin}  {alert.kind}: {cut_line(alert.text)}"
        self._print_above(Text(escaped(told), style="yellow"))

    def show_remark(self, remark: "Remark") -> None:
        """Print above the table."""
        self._print_above(Text(escaped(cut_line(str(remark))), style="dim"))

    def show_summary(self, summary: "Summary") -> None:
        """Print an empty line and the summary."""
        self.printer.line()
        super().show_summary(summary)

    # Drawing.

    def draw(self) -> Group:
        """Draw the table and the totals."""
        now = self._now()
        width, height = self.console.size
        is_narrow, is_tiny = width < NARROW, width < TINY
        sites = self._shown.choose(self.figures.sites, max(height - AROUND, FEWEST))
        longest = max((len(name_of(site, is_narrow)) for site in sites), default=0)
        names = max(min(longest, int(width * SHARE_OF_NAMES)), len("site"))
        table = head(names, is_narrow=is_narrow, is_tiny=is_tiny)
        for site in sites:
            row = self._row(site, now, is_narrow)
            name = Text(escaped(fitted(name_of(site, is_narrow), names)))
            table.add_row(name, *(row[:2] + row[5:] if is_tiny else row))
        return Group(table, Text(), *self._totals(now, len(sites), is_narrow))

    def _row(self, site: Site, now: datetime, is_narrow: bool) -> list[Text]:  # noqa: FBT001
        """Return the row of a site, without its name."""
        waiting = self._waiting(site.origin)
        return [
            number(site.pages),
            number(waiting),
            number(site.refused, "red"),
            number(site.errors, "yellow"),
            Text(site.status, style=style_of(site.status)),
            Text(escaped(doing(site, waiting, now, is_narrow)), style="dim" if not waiting else ""),
        ]

    def _waiting(self, origin: str = "") -> int:
        """Return the number of queued URLs of an origin, or of all."""
        return 0 if self.crawl is None else self.crawl.waiting(origin)

    def _totals(self, now: datetime, shown: int, is_narrow: bool) -> list[Text]:  # noqa: FBT001
        """Return the lines below the table."""
        figures = self.figures
        seconds = (now - self._since).total_seconds()
        speed = f" · {figures.pages / seconds:,.1f} pages/s" if seconds >= 1 else ""
        sites = len(figures.sites)
        part = f" ({shown} shown)" if shown < sites else ""
        waiting = self._waiting()
        requests = "" if is_narrow else f" · {counted(figures.requests, 'request')}"
        first = (
            f"{counted(figures.pages, 'page')} at {counted(sites, 'site')}{part}{requests} · "
            f"{format_bytes(figures.bytes)} · {span(seconds)}{speed}"
        )
        states = figures.states
        told = [f"{waiting:,} queued"] + [
            f"{states[state]:,} {label_of(state)}"
            for state in ("done", "redirected", "disallowed", "failed")
            if states[state]
        ]
        left = seconds_left(
            figures.sites.values(), self._waiting, self.bounds, since=self._since, now=now
        )
        told += [] if left is None else [f"about {span(left)} left"]
        lines = [Text(first, style="bold"), Text(" · ".join(told))]
        lines.append(Text(escaped(figures.url), style="dim"))
        if self._note:
            lines.append(Text(self._note, style="dim"))
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
        return lines


def name_of(site: Site, is_narrow: bool) -> str:  # noqa: FBT001
    """Return the name of a site: its host, with the scheme if it is not https."""
    name = site.origin.removeprefix("https://")
    return name.removeprefix("http://") if is_narrow else name


def fitted(name: str, room: int) -> str:
    """Shorten the name of a site so that its port is still there.

    >>> fitted("shop.example:8080", 12), fitted("shop.example", 9)
    ('shop.e…:8080', 'shop.exa…')
    """
    if len(name) <= room:
        return name
    _, colon, port = name.rpartition(":")
    behind = f"{colon}{port}" if port.isdigit() else ""
    return f"{name[: max(room - len(behind) - 1, 1)]}…{behind}"


def head(names: int, *, is_narrow: bool, is_tiny: bool) -> Table:
    """Return a table without rows."""
    table = Table(box=None, padding=(0, 1), pad_edge=False, expand=True, header_style="dim")
    table.add_column("site", no_wrap=True, overflow="ellipsis", width=names)
    for name in ("pages", "queue") if is_tiny else ("pages", "queue", "denied", "errors"):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    if not is_tiny:
        most = 5 if is_narrow else 16
        table.add_column("last", no_wrap=True, overflow="ellipsis", max_width=most)
    table.add_column("now", no_wrap=True, overflow="ellipsis", ratio=1)
    return table


def number(count: int, style: str = "") -> Text:
    """Return a number as text; 0 is shown as a dot."""
    return Text(f"{count:,}" if count else "·", style=style if count else "dim")


def style_of(status: str) -> str:
    """Return the style of a status."""
    if not status[:1].isdigit():
        return "yellow"
    return "yellow" if int(status[0]) >= ERROR else "green"


def doing(site: Site, waiting: int, now: datetime, is_narrow: bool) -> str:  # noqa: FBT001
    """Return what happens at a site, or why the crawl waits for it."""
    seconds = 0.0 if site.until is None else (site.until - now).total_seconds()
    if site.closed and site.until is not None and seconds > 0:
        return f"{when(site.until, seconds)}: robots.txt, {site.closed}"
    if site.closed:
        return f"disallowed: {site.closed}"
    if not waiting:
        return "nothing queued"
    if site.until is None or seconds <= 0:
        return "visiting"
    told = site.waits_for.replace("robots.txt ", "") if is_narrow else site.waits_for
    return f"{when(site.until, seconds)}: {told}"


def when(until: datetime, seconds: float) -> str:
    """Return when a site may be visited, in few characters."""
    if seconds < FAR:
        return f"{math.ceil(seconds)} s"
    return f"until {until:%H:%M} UTC" if seconds < DAY else f"until {until:%Y-%m-%d}"
