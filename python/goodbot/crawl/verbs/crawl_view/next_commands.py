"""The commands that come next after a crawl, or after a worker of a fleet."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.time_format import future_time
from goodbot.crawl.frontier.reading import is_trouble
from goodbot.crawl.verbs.crawl_view.option_rows import continue_command, resume_command
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.run.events import Summary

__all__ = ["NextPrinter", "as_due", "print_next", "print_next_of_fleet", "print_next_of_published"]

NextPrinter: TypeAlias = "Callable[[Summary, str, Printer, Sequence[str]], None]"
"""A function with the arguments of `print_next`."""


def print_next(summary: "Summary", folder: str, printer: Printer, lacking: Sequence[str]) -> None:
    """Print the commands that come next.

    Args:
        summary: The result of the crawl.
        folder: The folder of the crawl, as the user wrote it.
        printer: Where to print.
        lacking: The options without which the crawl cannot continue.

    """
    waiting = waiting_in(summary)
    if waiting:
        printer.prose(f"{waiting_for(summary, waiting)} To continue:")
        printer.line("  ", resume_command(folder, *lacking))
    elif summary.next_revisit is not None:
        printer.prose(until_revisit(summary, summary.next_revisit))
        visits_now = summary.next_revisit > summary.finished and not summary.requests
        printer.line("  ", continue_command("--again" if visits_now else "--due", folder))
    print_results(summary, folder, printer)


def print_next_of_fleet(
    database: str, summary: "Summary", folder: str, printer: Printer, lacking: Sequence[str]
) -> None:
    """Print the commands that come next after a worker whose results stay in its folder.

    Args:
        database: The URL of the database of the fleet, as the user wrote it.
        summary: The result of the worker, with the URLs of the whole fleet.
        folder: The folder of the worker, as the user wrote it.
        printer: Where to print.
        lacking: The options without which the worker cannot continue.

    """
    print_work(database, summary, printer, lacking)
    if summary.requests:
        print_results(summary, folder, printer)


def print_next_of_published(
    database: str, summary: "Summary", _: str, printer: Printer, lacking: Sequence[str]
) -> None:
    """Print the commands that come next after a worker whose results are in object storage."""
    print_work(database, summary, printer, lacking)
    printer.line("To see the results of all workers:")
    printer.line("  ", suggest(database, "gathered", verb="fleet gather"))


def print_work(database: str, summary: "Summary", printer: Printer, lacking: Sequence[str]) -> None:
    """Print how a fleet goes on."""
    from goodbot.crawl.fleet.fleet_worker import DRAINED  # noqa: PLC0415  an extra

    if summary.ended == DRAINED:
        printer.line("To let workers begin again:")
        printer.line("  ", suggest("--undo", database, verb="fleet drain"))
    waiting = waiting_in(summary)
    if waiting:
        printer.prose(f"{waiting_for(summary, waiting)} To continue:")
        printer.line("  ", suggest(*lacking))
    elif not summary.urls:
        printer.line("The fleet has no URLs yet. To add some:")
        printer.line("  ", suggest(database, "https://example.com/", verb="fleet add"))
    printer.line("To see the state of the fleet:")
    printer.line("  ", suggest(database, verb="fleet status"))


def waiting_in(summary: "Summary") -> int:
    """Return how many URLs are still to be visited."""
    return summary.urls.get("queued", 0) + summary.urls.get("leased", 0)


def print_results(summary: "Summary", folder: str, printer: Printer) -> None:
    """Print the commands that show what is in a folder."""
    if not summary.urls.get("done", 0):  # there are no results yet
        printer.line("To see why:")
        printer.line("  ", suggest(folder, verb="report skipped"))
        return
    printer.line("To see the results:")
    printer.line("  ", suggest(folder, "some words", verb="search"))
    printer.line("  ", suggest(folder, verb="report"))
    printer.line("  ", suggest(folder, verb="report skipped"))
    if any(is_trouble(answer) for counts in summary.answers.values() for answer in counts):
        printer.line("  ", suggest(folder, "--broken", verb="links"))
    if summary.findings or summary.traps:
        printer.line("  ", suggest(folder, verb="report findings"))


def as_due(then: datetime, now: datetime) -> str:
    """Return when something is due."""
    day, comma, time = future_time(then, now).rpartition("tomorrow, ")
    return f"{day}{comma}at {time}"


def until_revisit(summary: "Summary", due: datetime) -> str:
    """Return when the next page is due to be visited again, and what the command below does."""
    seconds = (due - summary.finished).total_seconds()
    if seconds <= 0:
        return "Pages are due to be visited again. To visit them:"
    when = f"The next page is due to be visited again {as_due(due, summary.finished)}."
    return (
        f"{when} To visit what is due then:"
        if summary.requests
        else (f"Nothing was visited: no page is due. {when} To visit all pages again now:")
    )


def waiting_for(summary: "Summary", waiting: int) -> str:
    """Return how many URLs are queued, and when the next one is due."""
    queued = f"{counted(waiting, 'URL')} {'is' if waiting == 1 else 'are'} queued"
    earliest = summary.earliest
    seconds = 0.0 if earliest is None else (earliest - summary.finished).total_seconds()
    if earliest is None or seconds <= 0:
        return f"{queued}."
    return f"{queued}; the next one is due {as_due(earliest, summary.finished)}."
