"""The views of `goodbot page`: each prints one aspect, and returns whether it is allowed."""

import json
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import numbered, print_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.http.amounts import counted
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from goodbot.page import Copy, Link, Page, PageVerdict, Run

__all__ = ["NEITHER_READ", "NO_DOCUMENT", "VIEWS", "PageQuestion", "is_read"]

NEITHER_READ = "not HTML, XML or text: only its header is evaluated"

LISTED_AT_MOST = 10
"""The most lines that are named for a mark, and the most marks and licences that are listed."""

NO_ROBOT = "*"

NOTHING_SAID = "no directive"

NO_DOCUMENT = "no-document"


@dataclass(frozen=True)
class PageQuestion:
    """A page, and what is to be shown of it."""

    page: "Page"
    content: bytes
    """The bytes of the file."""
    now: datetime
    has_header: bool
    """Whether its header, or a part of it, is known."""
    query: str
    width: int
    listed: int | None
    """How many findings to list; `None` for all."""

    def verdicts(self) -> "dict[str, PageVerdict]":
        """Return the verdict on each act, at this time."""
        return self.page.verdicts | {"index": self.page.index_at(self.now)}

    def index_of(self, run: "Run") -> "PageVerdict":
        """Return whether a passage may be indexed at this time: not if the page has expired."""
        of_page = self.page.index_at(self.now)
        return of_page if run.index and not of_page else run.index

    def is_usable(self, run: "Run") -> bool:
        """Return whether a passage may be indexed, kept and quoted at this time."""
        return bool(self.index_of(run) and run.archive and run.snippet)

    def denied(self, *acts: str) -> "PageVerdict | None":
        """Return the first verdict on these acts that disallows; `None` if all allow."""
        verdicts = self.verdicts()
        return next((verdicts[act] for act in acts if not verdicts[act]), None)


PrintView = Callable[[PageQuestion, Printer], ExitStatus]


def is_read(page: "Page") -> bool:
    """Return whether the content of a page is read: other types have no encoding."""
    return page.encoding is not None or page.content_type.startswith("text/")


def exit_status_of(allowed: object) -> ExitStatus:
    """Return the exit status for allowed or not."""
    return ExitStatus.ALLOWED if allowed else ExitStatus.DISALLOWED


def why(verdict: "PageVerdict") -> str:
    """Return what decided, and where it is written."""
    if verdict.reason == NO_DOCUMENT:
        return f"{verdict.source}, so this is not the page"
    if verdict.reason == "too-late":
        return f"{verdict.source} (expired)"
    return verdict.source or NOTHING_SAID


def explain(reason: "PageVerdict | str") -> None:
    """Print on standard error why there is nothing on standard output."""
    if sys.stderr is None:
        return
    Printer(sys.stderr).prose(str(reason), accent=Styled("Disallowed", "disallowed"))


def print_text(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print the text that may be indexed."""
    denied = question.denied("index")
    if denied is not None:
        explain(denied)
        return ExitStatus.DISALLOWED
    text = question.page.text()
    if not text:
        return nothing(question, "marks in the page disallow indexing for all of its text")
    for line in text.split("\n"):
        printer.line(line)
    return ExitStatus.ALLOWED


def print_marks(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print the page as HTML with its marked parts visible and named."""
    from goodbot.site.writing import marked_view  # noqa: PLC0415  slow to load, and seldom needed

    for line in marked_view(question.page).split("\n")[:-1]:
        printer.line(line)
    runs, links = question.page.runs, question.page.links
    may_be_used = all(map(question.is_usable, runs)) and all(link.follow for link in links)
    return exit_status_of(may_be_used and not question.page.archive_copy().cuts)


def nothing(question: PageQuestion, marks: str) -> ExitStatus:
    """Report why no text is left, although the page as a whole is allowed."""
    if any(run.text.strip() for run in question.page.runs):
        explain(marks)
        return ExitStatus.DISALLOWED
    warnings.warn("the page contains no text")
    return ExitStatus.ALLOWED


def print_snippet(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print a quotation."""
    page = question.page
    denied = question.denied("snippet", "index", "archive")
    if denied is not None:
        explain(denied)
        return ExitStatus.DISALLOWED
    quotation = page.snippet_for(question.query, question.width)
    if quotation:
        printer.line(quotation)
        return ExitStatus.ALLOWED
    if not any(run.text.strip() and question.is_usable(run) for run in page.runs):
        return nothing(question, "marks in the page disallow quoting for all of its text")
    limit = page.limits.max_snippet
    if limit is None or not 0 <= limit < question.width:
        warnings.warn(
            f"no word fits into {counted(question.width, 'character')}; use a larger --width"
        )
        return ExitStatus.ALLOWED
    explain(f"at most {counted(limit, 'character')} may be quoted, and no word is that short")
    return ExitStatus.DISALLOWED


def print_links(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print a line for each link."""
    page = question.page
    if not page.links:
        warnings.warn("the page contains no links")
        return exit_status_of(page.follow)
    for link in page.links:
        answer = "yes" if link.follow else "no "
        style = "allowed" if link.follow else "disallowed"
        # In quotation marks, so that text of the page cannot be mistaken for a reason.
        text = json.dumps(cut_line(link.text), ensure_ascii=False)
        behind = "".join(f"  {remark}" for remark in remarks(link))
        url = link.url if link.resolved else json.dumps(link.url, ensure_ascii=False)
        if printer.width is not None:
            url = cut_line(url)
        printer.line(Styled(answer, style), f"  {url}  {text}", Styled(behind, "faint"))
    return exit_status_of(all(link.follow for link in page.links))


def remarks(link: "Link") -> list[str]:
    """Return remarks on a link: why it must not be followed, and the limits on its text."""
    told = [] if link.follow else [cut_line(why(link.follow))]
    if not link.anchor:
        told.append(f"its text must not describe the target: {cut_line(why(link.anchor))}")
    if link.kind != "link":
        told.append("refresh by header" if link.kind == "header-refresh" else "refresh by META")
    if link.vote:
        told.append(f"vote {link.vote}")
    if not link.resolved:
        told.append("not resolved")
    return told


def print_copy(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print the copy that may be kept, and on standard error what is cut from it."""
    copy = question.page.archive_copy()
    if not copy:
        explain(copy.verdict)
        return ExitStatus.DISALLOWED
    if printer.stream.isatty():
        if copy.html is None:
            message = (
                f"{question.page.content_type} is not printed on a terminal; write it to a file"
            )
            raise goodbot.MisuseError(message)
        for line in copy.html.removesuffix("\n").split("\n"):
            printer.line(line.removesuffix("\r").expandtabs())
    else:
        write(encoded_copy(question, copy))
    print_cuts(copy)
    return ExitStatus.ALLOWED


def write(content: bytes) -> None:
    """Write all bytes to standard output, which may accept a part at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    # Flushed before anything is reported, because a failure to write is an error.
    sys.stdout.flush()


def encoded_copy(question: PageQuestion, copy: "Copy") -> bytes:
    """Return the bytes of a copy: those of the page if nothing is cut, or else UTF-8.

    A byte order mark takes precedence over what an HTML page declares (HTML 13.2.3.2).
    """
    is_cut = copy.cuts or any(one.code == "too-large" for one in question.page.findings)
    if not is_cut or copy.html is None:
        return question.content
    is_declared = (question.page.encoding or "utf-8").lower() == "utf-8"
    return copy.html.encode("utf-8" if is_declared else "utf-8-sig", "replace")


def print_cuts(copy: "Copy") -> None:
    """List on standard error what is cut from a copy."""
    if sys.stderr is None:
        return
    printer = Printer(sys.stderr)
    for cut in copy.cuts:
        size = f"{counted(cut.bytes, 'byte')} of text" if cut.bytes else "no text"
        printer.prose(f"cut at line {cut.line}: {size}: {why(cut.verdict)}")


def print_json(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print everything as one object."""
    verdicts = question.verdicts()
    printer.line(json.dumps(as_object(question)))
    return exit_status_of(all(verdicts.values()))


def as_object(question: PageQuestion) -> dict[str, Any]:
    """Return everything as plain values."""
    page, found = question.page, question.page.as_dict()
    payment = None if page.payment is None else page.payment.as_dict()
    return found | {
        "status": page.status,
        "verdicts": {act: verdict.as_dict() for act, verdict in question.verdicts().items()},
        "embed": page.embed.as_dict(),
        "payment": payment,
        "statements": [
            {
                "directive": said.directive,
                "value": said.value.isoformat() if isinstance(said.value, datetime) else said.value,
                "said": said.source.as_dict(),
            }
            for said in page.statements
        ],
        "names_url": page.names_url,
        "runs": [run.as_dict() | {"index": bool(question.index_of(run))} for run in page.runs],
        "text": page.text() if question.verdicts()["index"] else "",
        "cuts": [
            {"line": cut.line, "bytes": cut.bytes, "source": cut.verdict.source}
            for cut in page.archive_copy().cuts
        ],
    }


def print_verdicts(question: PageQuestion, printer: Printer) -> ExitStatus:
    """Print what may be done with the page, and everything known of it."""
    PageListing(question, printer).print()
    return exit_status_of(all(question.verdicts().values()))


class PageListing:
    """What may be done with one page."""

    def __init__(self, question: PageQuestion, printer: Printer) -> None:
        """Store the page."""
        self.question = question
        self.page = question.page
        self.printer = printer

    def print(self) -> None:
        """Print it."""
        self.print_head()
        self.print_verdicts()
        self.section("Limits", self.limits())
        self.section("Description", self.of_itself())
        self.section("Use of the content", self.use())
        links = [(link.line, link.follow) for link in self.page.links]
        self.section("Links", self.share(links, "link", "followed"))
        anchors = [(link.line, link.anchor) for link in self.page.links]
        if not all(anchor for _line, anchor in anchors):
            self.section("Link texts", self.share(anchors, "text", "used for the target"))
        self.section("Text", self.text())
        self.print_findings()

    def print_head(self) -> None:
        """Print the page, the robot and the dialect."""
        page = self.page
        robot = "a robot" if page.robot == NO_ROBOT else page.robot
        self.printer.line(Styled(f"What {robot} may do with {page.url}", "heading"))
        kind = (
            page.content_type if page.encoding is None else f"{page.content_type}, {page.encoding}"
        )
        self.printer.prose(kind if is_read(page) else f"{kind}, {NEITHER_READ}", "  ")
        self.printer.prose(f"read as {page.dialect.name}: {page.dialect.title}", "  ")
        if not self.question.has_header:
            self.printer.prose("without its HTTP header; add it with --header", "  ")

    def print_verdicts(self) -> None:
        """Print a line for each act."""
        self.printer.line()
        for act, verdict in self.question.verdicts().items():
            answer, style = ("yes", "allowed") if verdict else ("no", "disallowed")
            text = f"{answer:<3}  {act:<12}  {cut_line(why(verdict))}"
            self.printer.prose(text, "  ", Styled(answer, style))

    def section(self, title: str, lines: Iterable[str]) -> None:
        """Print a heading and its lines, or nothing if there are none."""
        for number, line in enumerate(lines):
            if number == 0:
                self.printer.line()
                self.printer.line(Styled(title, "heading"))
            self.printer.prose(line, "  ")

    def limits(self) -> Iterable[str]:
        """Yield how much may be shown, and until when."""
        limits = self.page.limits
        if limits.max_snippet is not None:
            length = amount(limits.max_snippet, "character")
            yield f"{length} may be quoted: {self.said('max-snippet', 'nosnippet')}"
        if limits.max_image_preview is not None:
            size = limits.max_image_preview
            yield f"largest image preview: {size}: {self.said('max-image-preview')}"
        if limits.max_video_preview is not None:
            length = "a still image" if limits.max_video_preview == 0 else ""
            length = length or amount(limits.max_video_preview, "second")
            yield f"{length} of a video may be shown: {self.said('max-video-preview')}"
        if limits.unavailable_after is not None:
            until = f"{limits.unavailable_after:%Y-%m-%d %H:%M:%S} UTC"
            past = " (past)" if self.question.now >= limits.unavailable_after else ""
            yield f"must not be shown after {until}{past}: {self.said('unavailable_after')}"
        if limits.index_if_embedded:
            said = self.said("indexifembedded")
            yield f"may be indexed as part of a page that embeds it: {said}"

    def said(self, *directives: str) -> str:
        """Return where these directives are written."""
        found = [one.source for one in self.page.statements if one.directive in directives]
        return cut_line("; ".join(dict.fromkeys(map(str, found))))

    def of_itself(self) -> Iterable[str]:
        """Return what the page says about itself."""
        page = self.page
        days = None if page.revisit_after is None else counted(page.revisit_after.days, "day")
        told = (
            ("title", page.title),
            ("title (must not be shown)", hidden_title(page)),
            ("canonical", page.canonical),
            ("to index instead", page.index_instead),
            ("revisit after", days),
            ("spider by", page.spider_by),
            ("names of robots", page.names_url),
            ("names of robots (to read first)", page.names_needed),
        )
        return [cut_line(f"{name}: {value}") for name, value in told if value]

    def use(self) -> Iterable[str]:
        """Yield the statements on the use of the content."""
        usage, payment = self.page.usage, self.page.payment
        stated = [(label, one) for label, one in usage.content_usage.items() if one != "unknown"]
        if stated:
            yield "Content-Usage: " + ", ".join(f"{label} {answer}" for label, answer in stated)
        if usage.tdm_reservation is not None:
            reserved = "reserved" if usage.tdm_reservation else "not reserved"
            yield f"text and data mining rights are {reserved}: tdm-reservation"
        if usage.tdm_policy is not None:
            yield cut_line(f"text and data mining policy: {usage.tdm_policy}")
        yield from some_of([cut_line(f"licence: {licence}") for licence in usage.licenses])
        if payment is not None:
            yield cut_line(f"asked for before it is served: {payment}")

    def share(self, parts: "list[tuple[int, PageVerdict]]", noun: str, done: str) -> Iterable[str]:
        """Yield how many parts may be used, and why others must not be."""
        if not parts:
            return
        allowed = sum(verdict.allowed for _line, verdict in parts)
        total = counted(len(parts), noun)
        if len(parts) == 1:
            some = "which may" if allowed else "which must not"
        else:
            some = "all of which" if allowed == len(parts) else f"of which {allowed or 'none'}"
            some += " may"
        yield f"{total}, {some} be {done}"
        reasons: dict[str, list[int]] = {}
        for line, verdict in parts:
            if not verdict:
                mark = verdict.said if verdict.reason == "mark-forbids" else None
                reason = cut_line(why(verdict)) if mark is None else mark.name
                reasons.setdefault(reason, []).append(line if mark else 0)
        told = [f"  {len(lines)} not: {reason}{at(lines)}" for reason, lines in reasons.items()]
        yield from some_of(told, "  ")

    def text(self) -> Iterable[str]:
        """Yield how many runs of text may be used, and why others must not be."""
        runs = [run for run in self.page.runs if run.text.strip()]
        if runs and all(map(self.question.is_usable, runs)):
            some = "which" if len(runs) == 1 else "all of which"
            yield f"{counted(len(runs), 'passage')}, {some} may be indexed, kept and quoted"
            return
        verdicts = (
            ("indexed", [self.question.index_of(run) for run in runs]),
            ("kept", [run.archive for run in runs]),
            ("quoted", [run.snippet for run in runs]),
        )
        for done, on_each in verdicts:
            parts = [(run.line, verdict) for run, verdict in zip(runs, on_each, strict=True)]
            yield from self.share(parts, "passage", done)

    def print_findings(self) -> None:
        """Print how many findings there are, and list them."""
        print_findings(self.page.findings, self.question.listed, self.printer)


def hidden_title(page: "Page") -> str:
    """Return the title and the mark that disallows showing it; empty if it may be shown."""
    title = page.title_run
    if title is None or page.title:
        return ""
    said = next(one for one in (title.index, title.archive, title.snippet) if not one)
    return f"{title.text} ({said.source})"


def amount(number: int, noun: str) -> str:
    """Return the most that may be shown, as directives count it."""
    if number < 0:
        return f"any number of {noun}s"
    return f"at most {counted(number, noun)}"


def some_of(told: list[str], indent: str = "") -> Iterable[str]:
    """Yield only as many lines as a person reads, and how many more there are."""
    yield from told[:LISTED_AT_MOST]
    if len(told) > LISTED_AT_MOST:
        yield f"{indent}and {len(told) - LISTED_AT_MOST:,} more; --view json lists them all"


def at(lines: Iterable[int]) -> str:
    """Return the line numbers in brackets."""
    found = sorted({line for line in lines if line})
    if not found:
        return ""
    more = f" and {len(found) - LISTED_AT_MOST} more" if len(found) > LISTED_AT_MOST else ""
    return f" ({numbered('line', found[:LISTED_AT_MOST])}{more})"


VIEWS: dict[str, PrintView] = {
    "verdicts": print_verdicts,
    "text": print_text,
    "links": print_links,
    "copy": print_copy,
    "snippet": print_snippet,
    "marks": print_marks,
    "json": print_json,
}
"""The views by name."""
