"""What robots.txt, a page, tdmrep.json and licences say about the uses of one URL.

Scope: from what each room has read to statements, each with its place. Nothing is compared here.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from goodbot._core import Finding, RobotsTxt, content_signal
from goodbot.content_use.finding_codes import finding
from goodbot.content_use.rsl_reader import RslLicense, read_license
from goodbot.content_use.rsl_terms import Association, statements_of_license
from goodbot.content_use.statement import USES, LicenseTerms, Use, UseStatement, UseStatus
from goodbot.content_use.tdmrep import TdmRep
from goodbot.content_use.use_words import OPERATORS, words_of
from goodbot.http.quoting import shortened
from goodbot.page import DIRECTIVES, Page, Statement, UsageLine
from goodbot.page.combine import forbidden_by, is_zero

__all__ = [
    "licenses_named",
    "of_licenses",
    "of_page",
    "of_robots_txt",
    "of_tdmrep",
    "reported_of_page",
]

ANSWERS: dict[str, UseStatus] = {
    "allow": "allowed", "disallow": "reserved", "yes": "allowed", "no": "reserved",
}  # fmt: skip
"""What the answers of Content-Usage and Content-Signal mean."""
IMAGES_ONLY = ("noimageai", "noimageindex", "max-image-preview", "max-video-preview")
"""Directives about images or videos only, which decide no use of the page."""


def of_robots_txt(
    robots_txt: RobotsTxt, robot: str, url: str, vocabulary: str, expires: datetime | None
) -> Iterator[UseStatement]:
    """Yield what robots.txt says to a robot: Content-Usage and Content-Signal of its groups.

    Allow and Disallow are about fetching, and say nothing about use.
    """
    usage = robots_txt.rules_for(robot).usage(url, vocabulary=vocabulary)
    numbers = ", ".join(map(str, usage.content_usage_lines))
    several = "lines" if len(usage.content_usage_lines) > 1 else "line"
    yield from of_labels(
        usage.content_usage or {}, f"robots.txt, {several} {numbers}", expires=expires
    )
    for _name, value, line in named_lines(robots_txt, robot, "content-signal"):
        yield from of_signals(content_signal([value]), f"robots.txt, line {line}", expires=expires)


def named_lines(robots_txt: RobotsTxt, robot: str, name: str) -> list[tuple[str, str, int]]:
    """Return the lines of a field that apply to a robot.

    Those of its groups count, and without any those before every group.
    """
    own = [one for one in robots_txt.fields_for(robot) if one[0].lower() == name]
    if own:
        return own
    first = min((group.lines[0] for group in robots_txt.groups if group.lines), default=None)
    return [
        (name, line.value.decode("utf-8", "replace"), line.number)
        for line in robots_txt.lines
        if (line.name or b"").lower() == name.encode()
        and line.value is not None
        and (first is None or line.number < first)
    ]


def of_labels(
    said: Mapping[str, str], place: str, *, expires: datetime | None = None
) -> Iterator[UseStatement]:
    """Yield the preferences of Content-Usage; an unknown one says nothing."""
    for row in words_of("content-usage"):
        answer = said.get(row.word)
        if answer in ANSWERS:
            text = f"{row.word}={'y' if answer == 'allow' else 'n'}"
            yield UseStatement(row.use, ANSWERS[answer], "content-usage", place, text, expires)


def of_signals(
    said: Mapping[str, str], place: str, *, expires: datetime | None = None
) -> Iterator[UseStatement]:
    """Yield the signals of Content-Signal; an absent one "neither grants nor restricts"."""
    for row in words_of("content-signal"):
        if row.word in said:
            answer = said[row.word]
            text = f"{row.word}={answer}"
            yield UseStatement(row.use, ANSWERS[answer], "content-signal", place, text, expires)


def of_tdmrep(file: TdmRep, url: str) -> Iterator[UseStatement]:
    """Yield what tdmrep.json says, by the first rule that matches."""
    rule = file.rule_for(url)
    if rule is not None and rule.reservation is not None:
        place = f"/.well-known/tdmrep.json, rule {rule.number}"
        text = f"{rule.location}: tdm-reservation {rule.reservation}"
        yield of_reservation(rule.reservation, place, text, rule.policy, 0)


def of_reservation(
    reservation: int, place: str, text: str, policy: str | None, rank: int
) -> UseStatement:
    """Return the statement of a TDM reservation; a policy counts only with a reservation."""
    terms = LicenseTerms(policy, custom=policy) if policy and reservation else None
    says: UseStatus = "reserved" if reservation else "allowed"
    return UseStatement("train", says, "tdmrep", place, text, None, terms, (rank,))


def of_page(page: Page, now: datetime | None) -> Iterator[UseStatement]:
    """Yield what header and document say: directives, Content-Usage, signals, reservations."""
    yield from of_directives(page, now)
    usage = page.usage
    yield from of_labels(usage.content_usage, "header Content-Usage")
    signals = [one.value for one in usage.lines if one.name == "content-signal"]
    for value in signals:
        yield from of_signals(content_signal([value]), "header Content-Signal")
    for number, lines in enumerate((header_lines(usage.lines), document_lines(usage.lines)), 1):
        policy = next((one.value for one in lines if one.name == "tdm-policy"), None)
        for one in lines:
            if one.name == "tdm-reservation" and one.value in {"0", "1"}:
                yield of_reservation(int(one.value), place_of(one), one.value, policy, number)


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
    for row in words_of("robots-meta"):
        prevails = page.verdicts[row.word].allowed
        for one in page.statements:
            forbids, allows = acts_of(one, page)
            for says, acts in (("reserved", forbids), ("allowed", allows)):
                if row.word in acts:
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


def acts_of(statement: Statement, page: Page) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the acts that a directive forbids and allows."""
    if statement.directive == "max-snippet" and statement.value is not None:
        return (("snippet",), ()) if is_zero(statement) else ((), ("snippet",))
    return forbidden_by(statement, page.dialect), DIRECTIVES[statement.directive].allows


def of_directive(use: Use, says: str, one: Statement, rank: int) -> UseStatement:
    """Return the statement of one directive."""
    name = f"META {one.source.name}" if one.source.kind == "meta" else one.source.name
    place = f"{name}, line {one.source.line}" if one.source.line else f"header {name}"
    status: UseStatus = "reserved" if says == "reserved" else "allowed"
    return UseStatement(use, status, "robots-meta", place, one.source.text, rank=(rank,))


def reported_of_page(page: Page) -> Iterator[str]:
    """Yield what a page says about images only, and licences that are none of RSL."""
    for one in page.statements:
        if one.directive in IMAGES_ONLY:
            yield f"{one.source} (about images or videos only)"
    of_rsl = {one.value for one in page.usage.lines if one.name == "rsl-license"}
    for url in page.usage.licenses:
        if url not in of_rsl:
            yield f"link to a licence that is not RSL: {shortened(url)}"


def licenses_named(
    url: str, robots_txt: RobotsTxt | None, robot: str, page: Page | None
) -> list[tuple[Association, str | None]]:
    """Return the licences that robots.txt and the page name, each with its text if it is there."""
    found: list[tuple[Association, str | None]] = []
    if robots_txt is not None:
        usage = robots_txt.rules_for(robot).usage(url)
        lines = {value: number for _, value, number in named_lines(robots_txt, robot, "license")}
        for one in usage.licenses:
            line = f", line {lines[one]}" if one in lines else ""
            found.append((Association(one, f"robots.txt{line}"), None))
    for stated in page.usage.lines if page is not None else ():
        if stated.name not in {"rsl-license", "rsl-inline"}:
            continue
        is_inline = stated.name == "rsl-inline"
        named_by = url if is_inline else stated.value
        place = Association(named_by, place_of(stated), of_page=True, of_part=stated.of_part)
        found.append((place, stated.value if is_inline else None))
    return found


def of_licenses(
    named: list[tuple[Association, str | None]],
    licenses: Mapping[str, RslLicense],
    url: str,
    now: datetime | None,
    findings: list[Finding],
) -> Iterator[UseStatement]:
    """Yield what the licences say; one that was not read makes every use need a licence.

    A licence that is no valid document leaves the content unlicensed (RSL 1.0, section 4.3).
    """
    for association, text in named:
        license_ = licenses.get(association.url) if text is None else read_license(text)
        if license_ is not None:
            findings += license_.findings
        if license_ is None or is_expired(license_, now):
            code = "license-not-read" if license_ is None else "license-expired"
            shown = shortened(association.url)
            how = "was not read" if license_ is None else "was fetched longer ago than its max-age"
            findings.append(finding(code, f"the licence {shown} {how}, so its terms are unknown"))
            said = of_whole(association, "licensed", "the licence was not read")
        elif license_.fault is not None:
            message = f"the licence {shortened(association.url)} cannot be used: {license_.fault}"
            findings.append(finding("license-unusable", message))
            said = of_whole(association, "reserved", f"unlicensed: {license_.fault}")
        else:
            said = statements_of_license(license_, association, url)
        yield from of_association(said, association, findings)


def is_expired(license_: RslLicense, now: datetime | None) -> bool:
    """Return whether a licence must be fetched again (RSL 1.0, section 3.2.1)."""
    return now is not None and license_.expires is not None and now >= license_.expires


def of_whole(association: Association, says: UseStatus, text: str) -> Iterator[UseStatement]:
    """Yield the same statement for every use that RSL has a word for."""
    terms = LicenseTerms(association.url, is_read=False)
    place = f"{association.place}, licence {shortened(association.url)}"
    for use in USES:
        rank = (int(association.of_page),)
        yield UseStatement(use, says, "rsl", place, text, None, terms, rank)


def of_association(
    statements: Iterator[UseStatement], association: Association, findings: list[Finding]
) -> Iterator[UseStatement]:
    """Yield the statements of a licence; those about a part only where they restrict.

    A part's licence cannot allow what is done with the whole page, and it is part of the page.
    """
    if not association.of_part:
        yield from statements
        return
    message = f"{association.place} is in the body, so it is about a part of the page"
    findings.append(finding("license-of-part", message))
    for one in statements:
        if one.says != "allowed":
            yield UseStatement(
                one.use, one.says, one.specification, one.place, one.text, one.expires, one.terms
            )
