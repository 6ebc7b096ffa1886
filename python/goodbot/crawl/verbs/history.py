"""The history of one URL, as text."""

from typing import TYPE_CHECKING

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.error_messages import NOT_PUBLIC, REFUSED_HERE
from goodbot.cli.shared.findings import STYLES as SEVERITIES
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time, in_seconds

if TYPE_CHECKING:
    from goodbot.crawl.evidence.evidence_format import ActVerdict
    from goodbot.crawl.evidence.history import Ask, Request, UrlHistory
    from goodbot.crawl.evidence.page_findings import PageFindings
    from goodbot.crawl.evidence.site_links import FoundLink

__all__ = ["place", "print_history", "print_requests"]

FOUND = {
    "start": "The crawl started here",
    "link": "Found as a link",
    "redirect": "Found as the target of a redirect",
    "canonical": "Found as the canonical URL of a page",
    "index-instead": "Found on a page that asks to index this one instead",
    "sitemap": "Found in a sitemap",
    "sitemap-file": "Found as a sitemap",
    "please-visit": "Found in robots.txt (PleaseVisit)",
    "capture": "Found in an imported WARC file, or recorded by another crawler",
}
NOT_ASKED = "Not requested: goodbot refused the address."
STYLES = {True: "allowed", False: "disallowed", None: "warning"}
ANSWERS = {True: "allowed", False: "disallowed", None: "not checked"}
USE_STYLES = {"allowed": "allowed", "unknown": "warning"}
NOBODY = "no statement"
INDENT = "  "
PAGES_SHOWN = 3
"""How many of the pages with a link to the URL are printed."""


def print_history(history: "UrlHistory", printer: Printer) -> None:
    """Print everything, in the order in which it happened."""
    printer.line(Styled(cut_line(history.url), "heading"))
    links = "" if not history.depth else f", {counted(history.depth, 'link')} from the start"
    printer.prose(f"{FOUND.get(history.how, history.how)}{links}.")
    print_links_to(history, printer)
    printer.prose(now(history))
    left = list(history.requests)
    for ask in history.asks:
        printer.line()
        made = [one for one in left if one.ended <= ask.at]
        left = [one for one in left if one.ended > ask.at]
        print_ask(ask, made, printer)
    if left:
        printer.line()
    print_requests(left, printer)
    printer.line()
    print_what_is_kept(history, printer)
    if history.made_with:
        printer.prose(f"Made with {history.made_with}.")
    if history.signed_by:
        printer.prose(f"Requests were signed by {history.signed_by}.")


def print_links_to(history: "UrlHistory", printer: Printer) -> None:
    """Print the pages with links to the URL, and the URLs that redirect to it."""
    for url in history.redirects_here:
        printer.line("Redirected from ", cut_line(url))
    if not history.linked_by:
        return
    sitemaps = counted(history.listing_sitemaps, "sitemap")
    listed = f", and listed in {sitemaps}" if history.listing_sitemaps else ""
    told = f"Linked from {counted(history.linking_pages, 'page')}{listed}:"
    printer.line(told if history.linking_pages else f"Listed in {sitemaps}, and linked nowhere:")
    pages = list(dict.fromkeys(link.page for link in history.linked_by))[:PAGES_SHOWN]
    for link in history.linked_by:
        if link.page in pages:
            printer.line(INDENT, *place(link))
    left = history.linking_pages + history.listing_sitemaps - len(pages)
    if left:
        command = suggest("--to", history.url, verb="links", keep=("folder",))
        printer.line(INDENT, f"and in {counted(left, 'more place')}: ", command)


def place(link: "FoundLink") -> tuple[str | Styled, ...]:
    """Return on which page a link is, on which line, and its text."""
    line = "" if link.line is None else f", line {link.line}"
    if link.kind == "sitemap":
        line = ", a sitemap"
    text = f": {cut_line(link.text)}" if link.text else ""
    return (cut_line(link.page), Styled(line, "faint"), text)


def now(history: "UrlHistory") -> str:
    """Return the present state of the URL."""
    from goodbot.crawl.folder.states import phrase_of  # noqa: PLC0415  slow to load, and seldom needed

    told = f"It {phrase_of(history.state)}"
    reason = "" if history.reason == "fetched" else history.reason
    why = ", ".join(filter(None, [reason, cut_line(history.source)]))
    told += f" ({why})" if why else ""
    told = f"{told}: {history.target}" if history.target else f"{told}."
    return f"{told} It is queued for another visit." if history.queued_again else told


def print_ask(ask: "Ask", made: "list[Request]", printer: Printer) -> None:
    """Print what happened one of the times that the URL was taken from the queue."""
    from goodbot.crawl.evidence.evidence_format import EVIDENCE_KINDS  # noqa: PLC0415  as above

    told = NOT_ASKED if ask.nobody_was_asked else EVIDENCE_KINDS[ask.event].sentence
    printer.line(Styled(format_time(ask.at), "heading"), "  ", told)
    if ask.verdicts[0].reason in REFUSED_HERE:
        printer.prose(NOT_PUBLIC, INDENT)
    print_requests(made, printer)
    if ask.sentence:
        printer.prose(reason_of(ask), INDENT)
    if ask.event == "removed":
        return
    fetch, *others = ask.verdicts
    if fetch.sentence and fetch.sentence != ask.sentence:
        accent = Styled("Allowed:" if fetch.allowed else "Disallowed:", STYLES[fetch.allowed])
        printer.prose(fetch.sentence, INDENT, accent)
    if ask.permission:
        printer.prose(f"Requested all the same: {ask.permission}.", INDENT)
    print_robots_txt(ask, printer)
    print_page_findings(ask.findings, printer)
    if not others:
        return
    printer.line(INDENT, f"What {ask.robot} may do with the page ({others[0].dialect}):")
    width = max(len(one.act) for one in others)
    for one in others:
        print_act(one, width, printer)
    for name, value in ask.limits:
        printer.line(INDENT * 2, f"{name.replace('_', ' ')}: {value}")
    print_uses(ask, printer)


def reason_of(ask: "Ask") -> str:
    """Return what failed, or why and until when the visit was deferred."""
    # What version 0.1.0 recorded says when to try again.
    if ask.until is None or ask.until.isoformat() in ask.sentence:
        return ask.sentence
    because = f"{ask.sentence[:1].upper()}{ask.sentence[1:].rstrip('.')}"
    return f"{because}. Until {in_seconds(ask.until)}."


def print_uses(ask: "Ask", printer: Printer) -> None:
    """Print the answer on each use of the page, if anything is said about one."""
    if ask.uses is None:
        return
    level, payment = ask.uses.level, ask.uses.payment
    if payment is not None:
        printer.line(INDENT, cut_line(f"Asked for before it is served, and not paid: {payment}"))
    if level is None and not any(one.said for one in ask.uses.verdicts.values()):
        return
    printer.line(INDENT, "What the page may be used for:")
    for use, verdict in ask.uses.verdicts.items():
        said = NOBODY if verdict.said is None else cut_line(str(verdict.said))
        style = USE_STYLES.get(verdict.status, "disallowed")
        answer = Styled(f"{verdict.status:<11}", style)
        printer.line(INDENT * 2, f"{use:<7}  ", answer, f"  {said}")
    if level is not None:
        printer.line(INDENT * 2, f"{'level':<7}  {level.level:<11}  {level}")


def print_page_findings(findings: "PageFindings", printer: Printer) -> None:
    """Print the findings on the page."""
    if not findings:
        return
    printer.line(INDENT, "Findings on the page:")
    for one in findings.listed:
        accent = Styled(f"{one.severity}:", SEVERITIES[one.severity])
        printer.prose(f"{one.severity}: {cut_line(str(one))}", INDENT * 2, accent)
    if findings.more:
        printer.line(INDENT * 2, f"and {counted(sum(findings.more.values()), 'more finding')}")


def print_robots_txt(ask: "Ask", printer: Printer) -> None:
    """Print which robots.txt was in force, and the line that decided."""
    known = ask.robots_txt
    if known is None:
        nothing = "No robots.txt was known yet."
        if ask.not_kept:
            nothing = "robots.txt was obeyed but not stored, because its header says no-store."
        printer.line(INDENT, nothing)
        return
    answer = f"status {known.status}" if known.status else known.outcome.replace("-", " ")
    printer.prose(
        f"robots.txt in force: {known.url} ({answer}: {known.access}), first seen "
        f"{format_time(known.first)}, last seen {format_time(known.last)}.",
        INDENT,
    )
    if known.sha256:
        size = "" if known.bytes is None else f"{counted(known.bytes, 'byte')}, "
        printer.line(INDENT, f"Stored: {size}SHA-256 {known.sha256}")
    width = len(str(ask.quoted[-1].number)) if ask.quoted else 0
    for line in ask.quoted:
        number = f"{line.number:>{width}} | {cut_line(line.text)}"
        style = STYLES[ask.verdicts[0].allowed] if line.decides else "faint"
        printer.line(INDENT * 2, "> " if line.decides else "  ", Styled(number, style))
    if ask.confirmed is not None:
        result = "same result" if ask.confirmed else "different result"
        style = "allowed" if ask.confirmed else "disallowed"
        printer.line(INDENT, "Re-evaluated today: ", Styled(result, style), ".")


def print_act(verdict: "ActVerdict", width: int, printer: Printer) -> None:
    """Print the verdict on one act of the page."""
    answer = ANSWERS[verdict.allowed]
    why = f"{cut_line(verdict.source)} ({verdict.reason})" if verdict.source else NOBODY
    from goodbot.crawl.evidence.evidence_format import OF_LINKS  # noqa: PLC0415  as above

    parts = verdict.parts
    name = verdict.act.replace("_", " ")
    printer.line(
        INDENT * 2,
        f"{name:<{width}}  ",
        Styled(f"{answer:<11}", STYLES[verdict.allowed]),
        f"  {why}",
    )
    if parts is not None:
        kind = "links" if verdict.act in OF_LINKS else "runs of text"
        marks = ", ".join(map(cut_line, parts.sources))
        printer.line(INDENT * 3, f"except {parts.count} of {parts.of} {kind}: {marks}")


def print_requests(requests: "list[Request]", printer: Printer) -> None:
    """Print requests for the URL."""
    for one in requests:
        answer = f"status {one.status}" if one.status else f"failed: {one.failure}"
        took = (one.ended - one.started).total_seconds()
        printer.line(
            INDENT,
            f"Requested {format_time(one.started)}: {answer}, {counted(one.bytes, 'byte')}, "
            f"{took:.3f} seconds.",
        )
        if one.is_of_fleet:
            printer.prose(sender_of(one), INDENT * 2)


def sender_of(request: "Request") -> str:
    """Return who of a fleet sent a request, and when by the clock of that machine."""
    place = "" if request.machine is None else f" on {request.machine}, process {request.process}"
    lease = "" if request.lease is None else f", lease {request.lease}"
    clock = f"its clock showed {format_time(request.machine_started)}"
    return f"Sent by {cut_line(request.worker)}{cut_line(place)}{lease}; {clock}."


def print_what_is_kept(history: "UrlHistory", printer: Printer) -> None:
    """Print what the index and the archive contain, and when the URL is due again."""
    found = history.indexed
    if found is None:
        printer.line("Not in the index.")
    else:
        until = f", may be shown until {format_time(found.until)}" if found.until else ""
        by = (
            f", with links from {counted(found.described_by, 'page')}" if found.described_by else ""
        )
        title = f"“{cut_line(found.title)}”, " if found.title else ""
        length = f"{counted(found.characters, 'character')} of text"
        printer.prose(f"In the index: {title}{length}{by}{until}.")
    if not history.kept:
        printer.line("Not in the archive.")
    for one in history.kept:
        where = one.where
        printer.line(
            f"In the archive: {where.kind}, {format_time(one.at)}, {where.file} at byte "
            f"{where.offset:,}, {counted(where.length, 'byte')}."
        )
    if history.same_content:
        printer.prose(f"Same content as {cut_line(history.same_content)}.")
    if history.due is None:
        printer.line("Not due for another visit.")
    else:
        visit = "a visit" if history.visited is None else "the next visit"
        run = "--resume" if history.state == "queued" or history.queued_again else "--due"
        when = format_time(history.due)
        printer.line(f"Due for {visit} from {when} on, in a run of goodbot crawl {run}.")
