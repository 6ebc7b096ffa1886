"""The summary of a crawl, in sentences."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from goodbot.cli.shared.error_messages import NOT_PUBLIC, REFUSED_HERE
from goodbot.cli.shared.findings import STYLES, count_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.time_format import span
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import answers_by_origin, is_trouble
from goodbot.crawl.run.answers import OTHERS
from goodbot.crawl.verbs.crawl_view.next_commands import NextPrinter, as_due, print_next
from goodbot.http.amounts import counted, format_bytes
from goodbot.http.payment import PRICED

if TYPE_CHECKING:
    from goodbot.crawl.evidence.trap_findings import TrapCount
    from goodbot.crawl.run.events import Summary

__all__ = ["is_refused_here", "print_summary", "why_it_ended"]

ENDS = {
    "nothing-left": "Finished: no URLs are left to visit now.",
    "waiting": "Stopped: the remaining URLs are not due within --patience.",
    "page-limit": "Stopped: --max-pages was reached.",
    "site-page-limit": "Stopped: every site with URLs left reached --max-pages-per-site.",
    "disk-limit": "Stopped: the folder reached --max-disk. To continue, give a larger one.",
    "byte-limit": "Stopped: --max-megabytes was reached.",
    "time-limit": "Stopped: --max-seconds was reached.",
    "stopped": "Stopped. Nothing was lost.",
    "drained": "Stopped: the fleet is drained.",
}
"""Why a crawl ended, in words."""

TOO_SLOW = "Some responses took too long. Allow more time with --timeout."

CURES = {
    "private-address": NOT_PUBLIC,
    "failure-private-address": NOT_PUBLIC,
    "timeout": TOO_SLOW,
    "failure-timeout": TOO_SLOW,
}
"""How to fix a problem, by its reason; short, because a table shows it too."""

SITES_TOLD = 5
"""How many sites are listed with their responses."""

REASONS_TOLD = 6


def why_it_ended(ended: str) -> str:
    """Return why a crawl ended.

    Args:
        ended: The slug of a `Summary`.

    """
    return ENDS.get(ended, f"Stopped: {ended}.")


def print_summary(
    summary: "Summary",
    folder: str,
    sites: int,
    printer: Printer,
    *,
    allowed: Sequence[str] = (),
    held: Sequence[str] = (),
    traps: Sequence["TrapCount"] = (),
    then: NextPrinter = print_next,
) -> None:
    """Print the summary of a crawl, and the commands that come next.

    Args:
        summary: The summary.
        folder: The folder of the crawl, as the user wrote it.
        sites: The number of sites of which a page was fetched.
        printer: Where to print.
        allowed: The options that allowed addresses that are not public.
        held: What the operator holds back, one sentence each.
        traps: The traps that were found, each with its first example.
        then: Prints the commands that come next.

    """
    lacking = lacking_words(summary, allowed)
    ended = first_sentence(summary, lacking)
    printer.prose(ended, accent=Styled(ended, "heading"))
    for line in (
        *held,
        *of_this_run(summary, sites),
        *of_prices(summary),
        *of_sites(summary),
        *of_all_urls(summary),
        *of_traps(summary, traps),
    ):
        printer.prose(line)
    cures = {CURES[reason]: None for reason in summary.reasons if reason in CURES}
    for cure in cures if not lacking else ():  # the first sentence has it
        printer.warning(cure)
    then(summary, folder, printer, lacking)


def first_sentence(summary: "Summary", lacking: Sequence[str]) -> str:
    """Return why a crawl ended, by its cause and with the time at which it can go on."""
    if lacking:
        option = " ".join(lacking)
        return f"Nothing was visited: the address is not public. Add {option} to visit it."
    ended, earliest = why_it_ended(summary.ended), summary.earliest
    if summary.ended != "waiting" or earliest is None or earliest <= summary.finished:
        return ended
    why = "" if summary.pages else f" ({', '.join(sorted(summary.reasons))})"
    why = why if summary.reasons else ""
    due = as_due(earliest, summary.finished)
    return f"{ended.removesuffix('.')}{why}; the next one is due {due}."


def is_refused_here(summary: "Summary") -> bool:
    """Return whether nothing was visited because no address is public."""
    return not summary.pages and bool(summary.reasons) and set(summary.reasons) <= REFUSED_HERE


def missed_in(folder: str, summary: "Summary") -> dict[str, int]:
    """Return how many URLs of the whole crawl could not be fetched, by their last answer.

    Args:
        folder: The folder of the crawl.
        summary: The summary of its last run.

    """
    found: Counter[str] = Counter()
    with open_readonly(folder) as database:
        for origin in answers_by_origin(database):
            found.update({one: count for one, count in origin.counts.items() if is_trouble(one)})
    left = summary.urls.get("queued", 0) - found.total() if summary.ended == "waiting" else 0
    if left > 0:
        found["not due within --patience"] = left
    return dict(found.most_common())


def what_was_missed(missed: Mapping[str, int]) -> str:
    """Return what could not be fetched, as a sentence.

    >>> what_was_missed({"404": 2, "timeout": 1})
    '--strict: 3 URLs could not be fetched (404: 2, timeout: 1).'
    """
    counts = ", ".join(f"{answer}: {count:,}" for answer, count in missed.items())
    return f"--strict: {counted(sum(missed.values()), 'URL')} could not be fetched ({counts})."


def lacking_words(summary: "Summary", allowed: Sequence[str]) -> list[str]:
    """Return the options without which the crawl cannot continue; none if it needs none."""
    if not is_refused_here(summary):
        return []
    return ["--allow-network", "CIDR"] if "--allow-private" in allowed else ["--allow-private"]


def of_this_run(summary: "Summary", sites: int) -> Iterator[str]:
    """Yield the numbers of this run."""
    pages = counted(summary.pages, "page")
    where = f" from {counted(sites, 'site')}" if summary.pages else ""
    requests = counted(summary.requests, "request")
    speed = summary.pages / summary.seconds if summary.seconds >= 1 else 0.0
    pace = f", {speed:,.1f} pages per second" if speed >= 1 else ""
    amount = format_bytes(summary.bytes)
    yield f"This run: {pages}{where} in {span(summary.seconds)} ({requests}, {amount}){pace}."
    if summary.reasons:
        told = sorted(summary.reasons.items(), key=lambda pair: -pair[1])
        words = [f"{number:,} {reason}" for reason, number in told[:REASONS_TOLD]]
        rest = sum(number for _, number in told[REASONS_TOLD:])
        others = [f"{rest:,} with other reasons"] if rest else []
        yield "Visits of this run by result: " + ", ".join([*words, *others]) + "."


def of_prices(summary: "Summary") -> Iterator[str]:
    """Yield how many URLs were not served without a payment or a licence."""
    priced = summary.reasons.get(PRICED, 0)
    if priced:
        urls = f"{counted(priced, 'URL')} {'was' if priced == 1 else 'were'}"
        listed = f"goodbot report skipped --reason {PRICED} lists them"
        yield f"{urls} priced and not fetched, because goodbot pays nothing; {listed}."


def of_sites(summary: "Summary") -> Iterator[str]:
    """Yield the responses of sites with a response that was not a success."""
    bad = {
        origin: counts for origin, counts in summary.answers.items() if any(map(is_trouble, counts))
    }
    for origin, counts in list(bad.items())[:SITES_TOLD]:
        told = ", ".join(f"{answer}: {count:,}" for answer, count in counts.items())
        name = "other sites" if origin == OTHERS else origin
        yield f"Responses of {name}: {cut_line(told)}."
    if len(bad) > SITES_TOLD:
        more = counted(len(bad) - SITES_TOLD, "more site")
        yield f"There were errors at {more} too; goodbot report skipped lists them."


def of_all_urls(summary: "Summary") -> Iterator[str]:
    """Yield the state of every URL, and the findings."""
    from goodbot.crawl.folder.states import STATES, label_of  # noqa: PLC0415  slow to load, and seldom needed

    names = [*STATES, *(name for name in summary.urls if name not in STATES)]
    words = [f"{summary.urls[name]:,} {label_of(name)}" for name in names if summary.urls.get(name)]
    total = sum(summary.urls.values())
    if words:
        yield f"The whole crawl: {counted(total, 'URL')} ({', '.join(words)})."
    if summary.findings:
        told = [
            count_findings(summary.findings[severity], severity)
            for severity in STYLES
            if summary.findings.get(severity)
        ]
        of_site = "goodbot report findings lists those on the whole site, too"
        yield f"Findings within the pages of this run: {', '.join(told)}; {of_site}."
    if summary.not_kept:
        links = counted(summary.not_kept, "more link")
        yield f"{links} not kept, because there were too many."


def of_traps(summary: "Summary", traps: Sequence["TrapCount"]) -> Iterator[str]:
    """Yield the traps that were found: the page at fault, or else how many links lead into one."""
    from goodbot.crawl.frontier.traps import BY_PAGE  # noqa: PLC0415  as above

    of_pages = [one for one in traps if one.code in BY_PAGE and one.code in summary.traps]
    for one in of_pages:
        links = f"such pages have {counted(summary.traps[one.code], 'link')}"
        yield f"Possible trap ({one.code}): {cut_line(one.why)}; {links}."
    named = {one.code for one in of_pages}
    others = {trap: number for trap, number in summary.traps.items() if trap not in named}
    if others:
        told = ", ".join(f"{number:,} {trap}" for trap, number in others.items())
        yield f"Links into possible traps: {told}."
