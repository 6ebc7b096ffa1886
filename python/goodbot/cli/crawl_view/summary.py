"""What a crawl came to, in sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goodbot.cli.advice.suggestion import resume_command, suggest
from goodbot.cli.shared.error_messages import NOT_PUBLIC, REFUSED_HERE
from goodbot.cli.shared.findings import STYLES, count_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.time_format import format_time, span
from goodbot.crawl.frontier.reading import is_trouble
from goodbot.crawl.run.answers import OTHERS
from goodbot.http.amounts import counted, format_bytes

if TYPE_CHECKING:
    from goodbot.crawl.run.events import Summary

__all__ = ["is_refused_here", "print_summary", "why_it_ended"]

ENDS = {
    "nothing-left": "Nothing is left to visit now.",
    "waiting": "What is left has its turn later than the crawl was to wait.",
    "page-limit": "It has as many pages as were asked for.",
    "site-page-limit": "Each site with URLs left has as many pages as were asked for of one.",
    "disk-limit": "The folder is as large as it may be; go on with a larger --max-disk.",
    "byte-limit": "It has as many bytes as were asked for.",
    "time-limit": "It has taken as long as it was given.",
    "stopped": "It was stopped; everything is whole.",
}
"""Why a crawl ended, in words."""

CURES = {
    "private-address": NOT_PUBLIC,
    "failure-private-address": NOT_PUBLIC,
    "timeout": "Some answers took too long; give them more time with --timeout.",
    "failure-timeout": "Some answers took too long; give them more time with --timeout.",
}
"""What can be done about a reason; short, as it is told beneath a table, too."""

SITES_TOLD = 5
"""Of so many sites it is said what they answered."""

REASONS_TOLD = 6


def why_it_ended(ended: str) -> str:
    """Say why a crawl ended.

    Args:
        ended: The slug of a `Summary`.

    """
    return ENDS.get(ended, f"It ended: {ended}.")


def print_summary(  # noqa: PLR0913  each is documented below
    summary: "Summary",
    folder: str,
    sites: int,
    printer: Printer,
    *,
    allowed: Sequence[str] = (),
    held: Sequence[str] = (),
) -> None:
    """Print what a crawl came to, and what can be done next.

    Args:
        summary: What it came to.
        folder: The folder of the crawl, as the user has it.
        sites: At how many sites a page was visited.
        printer: Where to.
        allowed: The words that allowed what is not public, which are needed each time.
        held: What the operator holds back, a sentence each.

    """
    ended = why_it_ended(summary.ended)
    printer.prose(ended, accent=Styled(ended, "heading"))
    for line in (
        *held,
        *of_this_run(summary, sites),
        *of_sites(summary),
        *of_all_urls(summary),
    ):
        printer.prose(line)
    for cure in {CURES[reason]: None for reason in summary.reasons if reason in CURES}:
        printer.warning(cure)
    print_next(summary, folder, printer, lacking_words(summary, allowed))


def is_refused_here(summary: "Summary") -> bool:
    """Return whether nothing was visited because no address of the crawl is public."""
    return not summary.pages and bool(summary.reasons) and set(summary.reasons) <= REFUSED_HERE


def lacking_words(summary: "Summary", allowed: Sequence[str]) -> list[str]:
    """Return the words without which the crawl cannot go on; none if it lacks nothing."""
    if not is_refused_here(summary):
        return []
    return ["--allow-network", "CIDR"] if "--allow-private" in allowed else ["--allow-private"]


def of_this_run(summary: "Summary", sites: int) -> Iterator[str]:
    """Tell what was done in this run."""
    pages = counted(summary.pages, "page")
    where = f" at {counted(sites, 'site')}" if summary.pages else ""
    requests = counted(summary.requests, "request")
    speed = summary.pages / summary.seconds if summary.seconds >= 1 else 0.0
    pace = f", {speed:,.1f} pages a second" if speed >= 1 else ""
    amount = format_bytes(summary.bytes)
    yield f"This run: {pages}{where} by {requests}, {amount} in {span(summary.seconds)}{pace}."
    if summary.reasons:
        told = sorted(summary.reasons.items(), key=lambda pair: -pair[1])
        words = [f"{number:,} {reason}" for reason, number in told[:REASONS_TOLD]]
        rest = sum(number for _, number in told[REASONS_TOLD:])
        yield "Reasons: " + ", ".join([*words, *([f"{rest:,} others"] if rest else [])]) + "."


def of_sites(summary: "Summary") -> Iterator[str]:
    """Report what the sites answered, where some answer was no success."""
    bad = {
        origin: counts for origin, counts in summary.answers.items() if any(map(is_trouble, counts))
    }
    for origin, counts in list(bad.items())[:SITES_TOLD]:
        told = ", ".join(f"{answer}: {count:,}" for answer, count in counts.items())
        name = "Other sites" if origin == OTHERS else origin
        yield f"{name} answered {cut_line(told)}."
    if len(bad) > SITES_TOLD:
        yield f"And so on at {counted(len(bad) - SITES_TOLD, 'more site')}; see goodbot skipped."


def of_all_urls(summary: "Summary") -> Iterator[str]:
    """Tell what has become of every URL."""
    from goodbot.crawl.folder.states import STATES, label_of  # noqa: PLC0415  slow to load, and seldom needed

    names = [*STATES, *(name for name in summary.urls if name not in STATES)]
    words = [f"{summary.urls[name]:,} {label_of(name)}" for name in names if summary.urls.get(name)]
    total = sum(summary.urls.values())
    if words:
        which = f"All {counted(total, 'URL')}" if total > 1 else "The only URL"
        yield f"{which} of the crawl: {', '.join(words)}."
    if summary.findings:
        told = [
            count_findings(summary.findings[severity], severity)
            for severity in STYLES
            if summary.findings.get(severity)
        ]
        yield f"Findings on the pages of this run: {', '.join(told)}."
    if summary.traps:
        traps = ", ".join(f"{number:,} {trap}" for trap, number in summary.traps.items())
        yield f"Links of the crawl into possible traps: {traps}."
    if summary.not_kept:
        links = counted(summary.not_kept, "more link")
        yield f"{links} led to URLs that were not kept: there were too many of them."


def print_next(summary: "Summary", folder: str, printer: Printer, lacking: Sequence[str]) -> None:
    """Print the commands that come next.

    Args:
        summary: The result of the crawl.
        folder: The folder of the crawl, as the user wrote it.
        printer: Where to print.
        lacking: The options without which the crawl cannot continue.

    """
    waiting = summary.urls.get("queued", 0) + summary.urls.get("leased", 0)
    if waiting:
        printer.prose(f"{waiting_for(summary, waiting)} To go on:")
        printer.line("  ", resume_command(folder, *lacking))
    printer.line("To see the results:")
    printer.line("  ", suggest(folder, "some words", verb="search"))
    printer.line("  ", suggest(folder, verb="report"))
    printer.line("  ", suggest(folder, verb="skipped"))
    if summary.findings or summary.traps:
        printer.line("  ", suggest(folder, verb="findings"))


def waiting_for(summary: "Summary", waiting: int) -> str:
    """Say what waits, and for how long."""
    waits = f"{counted(waiting, 'URL')} {'waits' if waiting == 1 else 'wait'}"
    earliest = summary.earliest
    seconds = 0.0 if earliest is None else (earliest - summary.finished).total_seconds()
    if earliest is None or seconds <= 0:
        return f"{waits}."
    return f"{waits}, the next for {format_time(earliest)}, in {span(seconds)}."
