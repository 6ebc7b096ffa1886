"""The output of `goodbot page URL`: who may index the page, and who says so.

Scope: text and JSON. `goodbot.live` fetches, and `goodbot.indexability` decides.
"""

from collections.abc import Iterator
from typing import Any

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.page_view.overruling import ONLY_TYPED, OTHER_ORIGIN
from goodbot.cli.shared.findings import print_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line, print_table
from goodbot.cli.shared.site_comments import comment_rows, comments_for
from goodbot.cli.shared.site_report import LabelledRow, print_rows
from goodbot.indexability import IndexabilityReport, RobotIndexability
from goodbot.indexability.answer import NOT_SEEN
from goodbot.live.page_fetching import REFUSED, FetchedPage

__all__ = ["print_report", "report_object", "why_not_fetched"]

LABELS = {
    "robots-txt": "robots.txt",
    "status": "HTTP status",
    "header": "X-Robots-Tag",
    "meta": "META",
    "canonical": "canonical",
    "sections": "sections",
    "index": "indexable",
    "follow": "follow links",
    "archive": "keep a copy",
    "snippet": "quote",
    "image_index": "index images",
    "translate": "translate",
    "train_images": "train AI on images",
    "use-train": "use: train AI",
    "use-ground": "use: AI input",
    "use-search": "use: search",
    "use-archive": "use: archive",
    "use-preview": "use: preview",
}
"""The head of the row of each aspect."""

ANSWERS = {True: ("yes", "allowed"), False: ("no", "disallowed"), None: ("not known", "warning")}
WORDS = {True: "yes", False: "no", None: "-"}
COLUMNS = 4
"""How many robots one table has; more of them make another table."""

ENDINGS = {
    OTHER_ORIGIN: "not followed: with --anyway, only this site is visited",
    ONLY_TYPED: "not followed: --anyway is for the URL that you type; to see this one, type it",
    "redirect-loop": "not followed: the redirects form a loop",
    "redirects-too-many": "not followed: there are too many redirects in a row",
    "redirect-without-location": "it names no URL",
    "redirect-malformed": "its URL is not valid",
    "redirect-to-other-scheme": "its URL is neither of http nor of https",
}
"""Why a redirect is the end, by the ending."""


def report_object(fetched: FetchedPage, report: IndexabilityReport) -> dict[str, Any]:
    """Return everything as plain values."""
    return {
        **report.as_dict(),
        "requested": fetched.hops[0].url if fetched.hops else fetched.url,
        "asks_as": fetched.asker.user_agent,
        "fetched": fetched.response is not None,
        "anyway": fetched.went_anyway,
        "ending": fetched.ending,
        "hops": [hop.as_dict() for hop in fetched.hops],
        "policy": fetched.policy.as_dict(),
        "comments": comments_in(fetched, report),
    }


def print_report(
    fetched: FetchedPage, report: IndexabilityReport, printer: Printer, listed: int | None
) -> None:
    """Print the answers, the requests, the table, and at most so many findings."""
    printer.line(Styled(f"Is {report.url} indexable?", "heading"))
    for answer in report.answers:
        print_answer(answer, printer)
    printer.line()
    print_rows([*request_rows(fetched), *comment_rows(comments_in(fetched, report))], printer)
    sources: dict[str, int] = {}
    for first in range(0, len(report.answers), COLUMNS):
        printer.line()
        some = report.answers[first : first + COLUMNS]
        print_table(["", *map(shown, some)], table_rows(some, sources), printer)
    for source, number in sources.items():
        printer.prose(f"[{number}] {cut_line(source)}", "  ", hanging=6)
    print_findings(list(report.findings), listed, printer)


def comments_in(fetched: FetchedPage, report: IndexabilityReport) -> list[str]:
    """Return the comments of robots.txt for the robot that visits, and for those asked about."""
    robots = [fetched.asker.product, *(one.robot for one in report.answers)]
    return comments_for(fetched.policy.robots_txt, robots)


def shown(answer: RobotIndexability) -> str:
    """Return the name of a robot for people."""
    return "any robot" if answer.robot == "*" else answer.robot


def print_answer(answer: RobotIndexability, printer: Printer) -> None:
    """Print whether one robot may index the page, and who says so."""
    word, style = ANSWERS[answer.indexable]
    why = f": {cut_line(answer.source)}" if answer.source else ""
    printer.prose(f"{word}, by {shown(answer)}{why}", "  ", Styled(word, style))


def request_rows(fetched: FetchedPage) -> Iterator[LabelledRow]:
    """Yield each request, and why the last one is the last."""
    for hop in fetched.hops:
        yield "requested", hop.url
        said = "allows it" if hop.verdict.allowed else "disallows it"
        yield "robots.txt", f"{said}: {hop.verdict.source}" if hop.verdict.rule else said
        if not hop.verdict.allowed:
            yield "--anyway", "fetched although robots.txt says no; for a site of your own only"
        yield "response", f"status {hop.status}"
        if hop.target is not None:
            yield "redirect", hop.target
    if fetched.ending in ENDINGS:
        yield "", ENDINGS[fetched.ending]
    if fetched.ending == REFUSED:
        yield "not fetched", why_not_fetched(fetched)
    if fetched.hops:
        yield "User-Agent", fetched.asker.user_agent


def why_not_fetched(fetched: FetchedPage) -> str:
    """Return why a URL was not fetched, and what the owner of its site may do."""
    verdict = fetched.verdict
    said = f"{fetched.url}: {verdict}"
    if not verdict.is_answer or fetched.hops:
        return said
    return f"{said} If the site is your own: {suggest('--anyway')}"


def table_rows(some: tuple[RobotIndexability, ...], sources: dict[str, int]) -> Iterator[list[str]]:
    """Yield a row for each aspect that anyone mentions, and number the sources."""
    for row in zip(*(one.aspects for one in some), strict=True):
        if all(aspect.said == NOT_SEEN for aspect in row):
            continue
        cells = []
        for aspect in row:
            word = aspect.said or WORDS[aspect.allowed]
            if aspect.source and aspect.allowed is not True:
                word += f" [{sources.setdefault(aspect.source, len(sources) + 1)}]"
            cells.append(word)
        yield [LABELS[row[0].name], *cells]
