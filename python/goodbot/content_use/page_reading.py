"""What a page says about its uses: directives, Content-Usage, signals, reservations, licences.

Scope: from what the room of pages has read to statements, each with its place. Nothing is compared
here.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot._core import Finding, content_signal
from goodbot.content_use.finding_codes import finding
from goodbot.content_use.licenses import of_license
from goodbot.content_use.page_statements import PageStatements
from goodbot.content_use.rsl_terms import Association
from goodbot.content_use.site_statements import of_labels, of_reservation, of_signals
from goodbot.content_use.statement import Use, UseStatement, UseStatus
from goodbot.content_use.use_level import level_of_values
from goodbot.content_use.use_words import OPERATORS, words_of
from goodbot.http.quoting import shortened
from goodbot.page import DIRECTIVES, Page, Statement, UsageLine
from goodbot.page.combine import forbidden_by, is_zero
from goodbot.page.usage import is_rsl
from goodbot.page.verdict import Source

if TYPE_CHECKING:
    from goodbot.content_use.rsl_reader import RslLicense

__all__ = ["statements_of_page"]

IMAGES_ONLY = ("noimageai", "noimageindex", "max-image-preview", "max-video-preview")
"""Directives about images or videos only, which decide no use of the page."""


def statements_of_page(page: Page, now: datetime | None) -> PageStatements:
    """Return what a page says about its uses."""
    failed = page.index.reason == "no-document"
    says_nothing = not (page.statements or page.usage.lines or page.usage.licenses)
    says_nothing = says_nothing and not is_license(page)
    found = malformed(page)
    if says_nothing and page.index.reason != "index-instead":
        return PageStatements(
            findings=tuple(found),
            conflicts=page.dialect.conflicts,
            is_document=not failed,
            payment=page.payment,
        )
    said, linked = list(of_page(page, now)), []
    if is_license(page):
        body = Association(page.url, "the response", of_page=True, is_inline=True)
        said += of_license(body, license_in(page.content), page.url, now, found)
    for one in page.usage.lines:
        if one.name == "rsl-license":
            place = Association(one.value, place_of(one), of_page=True, of_part=one.of_part)
            linked.append(place)
        elif one.name == "rsl-inline":
            place = Association(
                page.url, place_of(one), of_page=True, of_part=one.of_part, is_inline=True
            )
            said += of_license(place, license_in(one.value), page.url, now, found)
    return PageStatements(
        tuple(said),
        tuple(linked),
        tuple(reported_of_page(page)),
        tuple(found),
        page.dialect.conflicts,
        not failed,
        level_of_values((one, "header Content-Signal") for one in signals_of(page)),
        page.payment,
    )


def license_in(content: bytes | str) -> "RslLicense":
    """Return what a licence says."""
    # It loads an XML parser, which few sites need.
    from goodbot.content_use.rsl_reader import read_license  # noqa: PLC0415

    return read_license(content)


def is_license(page: Page) -> bool:
    """Return whether a response refuses the page, and is its licence (RSL 1.0, section 6.3.3)."""
    return page.payment is not None and is_rsl(page.content_type)


def malformed(page: Page) -> list[Finding]:
    """Return findings on statements that say nothing, because they have no legal form."""
    illegal = [one for one in page.findings if one.code == "illegal-robots-pi"]
    return illegal + [
        finding("malformed-reservation", f"{one.place} is {one.value[:20]!r}, not 0 or 1", one.line)
        for one in page.usage.lines
        if one.name == "tdm-reservation" and one.value not in {"0", "1"}
    ]


def of_page(page: Page, now: datetime | None) -> Iterator[UseStatement]:
    """Yield what header and document say: directives, Content-Usage, signals, reservations."""
    yield from of_directives(page, now)
    yield from of_another_page(page)
    usage = page.usage
    yield from of_labels(usage.content_usage, "header Content-Usage")
    for value in signals_of(page):
        yield from of_signals(content_signal([value]), "header Content-Signal")
    # The document prevails over its header, so its policy comes first if both reserve.
    for number, lines in ((2, document_lines(usage.lines)), (1, header_lines(usage.lines))):
        policies = (one.value for one in lines if one.name == "tdm-policy")
        policy = next((one for one in policies if one), None)
        for one in lines:
            if one.name == "tdm-reservation" and one.value in {"0", "1"}:
                yield of_reservation(int(one.value), place_of(one), one.value, policy, number)


def signals_of(page: Page) -> list[str]:
    """Return the values of Content-Signal in the header."""
    return [one.value for one in page.usage.lines if one.name == "content-signal"]


def header_lines(lines: tuple[UsageLine, ...]) -> list[UsageLine]:
    """Return the statements of the header."""
    return [one for one in lines if not one.line]


def document_lines(lines: tuple[UsageLine, ...]) -> list[UsageLine]:
    """Return the statements of the document."""
    return [one for one in lines if one.line]


def place_of(one: UsageLine) -> str:
    """Return the place of a statement of header or document, in words."""
    return f"{one.place}, line {one.line}" if one.line else one.place


def of_directives(page: Page, now: datetime | None) -> Iterator[UseStatement]:
    """Yield what the directives for robots say about each use, as the page dialect reads them.

    What the dialect lets prevail ranks above what says otherwise.
    """
    verdicts = page.verdicts
    acts = [(one, *acts_of(one, page)) for one in page.statements]
    for row in words_of("robots-meta"):
        prevails = verdicts[row.word].allowed
        for one, forbids, allows in acts:
            for says, among in (("reserved", forbids), ("allowed", allows)):
                if row.word in among:
                    rank = int((says == "allowed") == prevails)
                    yield of_directive(row.use, says, one, rank)
    named = {one.directive for one in page.statements}
    for directive, about, _source in OPERATORS.get(page.dialect.name, ()):
        for one in page.statements:
            is_meant = one.directive == directive or (directive == "nosnippet" and is_zero(one))
            # Bing reads NOARCHIVE beside NOCACHE as NOCACHE.
            if is_meant and not (directive == "noarchive" and "nocache" in named):
                yield from (of_directive(use, "reserved", one, 1) for use in about)
    if now is not None and page.index_at(now).reason == "too-late":
        said = page.index_at(now).said
        for use in ("search", "preview") if said else ():
            yield UseStatement(use, "reserved", "robots-meta", str(said), "has passed", rank=(2,))


def of_another_page(page: Page) -> Iterator[UseStatement]:
    """Yield that the page is dropped if it names another one (META URL, INDEXINSTEAD)."""
    if page.index.reason != "index-instead":
        return
    verdicts = page.verdicts
    for row in words_of("robots-meta"):
        verdict = verdicts[row.word]
        if verdict.reason == "index-instead" and verdict.said is not None:
            yield of_source(row.use, "reserved", verdict.said, 1)


def acts_of(statement: Statement, page: Page) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the acts that a directive forbids and allows."""
    if statement.directive == "max-snippet" and statement.value is not None:
        return (("snippet",), ()) if is_zero(statement) else ((), ("snippet",))
    return forbidden_by(statement, page.dialect), DIRECTIVES[statement.directive].allows


def of_directive(use: Use, says: str, one: Statement, rank: int) -> UseStatement:
    """Return the statement of one directive."""
    return of_source(use, "reserved" if says == "reserved" else "allowed", one.source, rank)


def of_source(use: Use, says: UseStatus, source: Source, rank: int) -> UseStatement:
    """Return the statement of an element or a header field."""
    kind = f"{source.kind.upper()} " if source.kind in {"meta", "link"} else ""
    name = f"{kind}{source.name}"
    place = f"{name}, line {source.line}" if source.line else f"header {name}"
    return UseStatement(use, says, "robots-meta", place, source.text, rank=(rank,))


def reported_of_page(page: Page) -> Iterator[str]:
    """Yield what a page says about images only, and licences that are none of RSL."""
    for one in page.statements:
        if one.directive in IMAGES_ONLY:
            yield f"{one.source} (about images or videos only)"
        for directive, remark in page.dialect.remarks:
            if directive == one.directive:
                yield f"{one.source} ({remark})"
    of_rsl = {one.value for one in page.usage.lines if one.name == "rsl-license"}
    for url in page.usage.licenses:
        if url not in of_rsl:
            yield f"link to a licence that is not RSL: {shortened(url)}"
