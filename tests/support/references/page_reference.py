"""The reference implementation of `goodbot.Page`: slow, event by event, in Python."""

from array import array
from bisect import bisect_left
from typing import Any

import pytest

import goodbot
from goodbot._core import PART_ACTS, parse_html
from goodbot.page.encoding import text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import WATCHED
from goodbot.page.parts import Link, Run
from goodbot.page.pi import PI_IN_HTML
from goodbot.page.plan import Plan
from goodbot.page.readers import choice
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import Decided, decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.html import HtmlReader
from goodbot.page.readers.instructions import combine_statements, forbidden_behind
from goodbot.page.readers.marked import (
    CONTRADICTION,
    TOO_MANY,
    ListedParts,
    Marked,
    excludes,
    find_base,
    names_needed,
    plan_for,
    report_classes,
    report_unresolved,
    verdicts_on,
)
from goodbot.page.readers.reader import Reading
from goodbot.page.readers.related import read_related
from goodbot.page.readers.xml import XmlReader
from goodbot.page.statements import report_values, statements_of_metas
from tests.support.references.core_tree import html_events
from tests.support.references.page_walk_reference import Cause, Walk, walk
from tests.support.references.xml_reference import read_xml

__all__ = ["ReferencePage"]


class ReferencePage(goodbot.Page):
    """A page whose marks are applied by the reference walk; XML is read from expat's events."""

    def __init__(self, url: str, body: Any, **options: Any) -> None:  # noqa: ANN401  as `Page`
        """Read the document with the reference readers."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(choice, "HtmlReader", ReferenceHtmlReader)
            patch.setattr(choice, "XmlReader", ReferenceXmlReader)
            super().__init__(url, body, **options)


class ReferenceHtmlReader(HtmlReader):
    """Reads HTML, event by event."""

    def read(self) -> Reading:
        """Read the document with the reference walk."""
        given, findings = self.given, self.findings
        document = parse_html(self.content, given.charset, list(WATCHED))
        facts = document.facts
        metas = statements_of_metas(facts.metas, given.robot, given.dialect, findings)
        report_values(facts.valued, given.robot, given.dialect, findings)
        decided = decide(given, [*self.header, *metas])
        self._report_encoding(facts)
        text = self.content.decode().replace("\r\n", "\n").replace("\r", "\n")
        self.content = text.encode()
        related = read_related(given, find_base(given, facts), facts.links)
        plan = plan_for(given, facts, related)
        found = walk(html_events(text), plan, related.base)
        marked = marked_by_walk(found, self.content, plan, given, decided, findings)
        described = describe(given, related, findings, facts, marked.described)
        json_ld = " ".join(text for text, _line in facts.json_ld)
        return Reading(decided, marked, described, related.base, facts.encoding, json_ld)


class ReferenceXmlReader(XmlReader):
    """Reads and copies XML, event by event."""

    def read(self) -> Reading:
        """Read the document with expat and the reference walk."""
        given, findings = self.given, self.findings
        content, encoding = text_of_xml(self.content, given.charset, findings)
        document: Any = read_xml(content, findings)
        self.content, self.is_marked_up = document.body, document.read_to > 0
        if document.escaped_html is not None:
            message = "HTML that is escaped as text in a feed is not read, nor are marks in it"
            findings.add("escaped-html", message, document.escaped_html)
        metas = statements_of_metas(document.metas, given.robot, given.dialect, findings)
        report_values(document.valued, given.robot, given.dialect, findings)
        said, is_decided = combine_statements(document, metas, given, findings)
        rest = document.rest([PI_IN_HTML])
        behind = (
            forbidden_behind(rest.facts, given, findings, is_decided=is_decided) if rest else []
        )
        decided = decide(given, [*self.header, *said, *behind])
        related = read_related(given, find_base(given, document), document.links)
        plan = plan_for(given, document, related)
        found = walk(document.events, plan, related.base, xml=True)
        marked = marked_by_walk(found, self.content, plan, given, decided, findings)
        self.plan = plan
        lines = (link.line for link in marked.links)
        unresolved = zip(found.links, lines, strict=True)
        report_unresolved(
            ((link.url, link.unresolved, line) for link, line in unresolved if link.unresolved),
            findings,
        )
        if found.cut:
            findings.add("too-many-parts", TOO_MANY)
        described = describe(given, related, findings, document, marked.described)
        return Reading(decided, marked, described, related.base, encoding)


def marked_by_walk(
    found: Walk, body: bytes, plan: Plan, given: Given, decided: Decided, findings: Findings
) -> Marked:
    """Return the reading that the reference walk leads to."""
    lines = line_ends(body)
    said = [run.causes for run in found.runs] + [link.causes for link in found.links]
    said += found.described
    causes = list(dict.fromkeys(cause for one in said for cause in one if cause))
    numbers: dict[Cause | None, int] = {None: 0}
    numbers |= {cause: number for number, cause in enumerate(causes, 1)}
    told = [(row, allows, line_of(lines, place)) for row, allows, place in causes]
    index, follow, anchor, archive, snippet = [
        verdicts_on(act, told, plan, given, decided) for act in PART_ACTS
    ]
    runs = [
        Run(
            run.text,
            index[numbers[run.causes[0]]],
            archive[numbers[run.causes[1]]],
            snippet[numbers[run.causes[2]]],
            run.block,
            line_of(lines, run.place),
        )
        for run in found.runs
    ]
    links = [
        Link(
            link.url,
            link.text,
            link.rel,
            link.rev,
            follow[numbers[link.causes[0]]],
            anchor[numbers[link.causes[1]]],
            not link.unresolved,
            line_of(lines, link.place),
            link.kind,
            link.explicit,
            link.gaps,
        )
        for link in found.links
    ]
    for place in found.conflicts:
        findings.add("conflicting-classes", CONTRADICTION, line_of(lines, place))
    strangers = [(name, line_of(lines, place)) for name, place in found.strangers]
    idle = None if found.idle is None else line_of(lines, found.idle)
    needs = report_classes(plan, idle, strangers, findings)
    needed = names_needed(given, plan.names) if needs else None
    described = [
        (index[numbers[first]], archive[numbers[second]], snippet[numbers[third]])
        for first, second, third in found.described
    ]
    return Marked(plan, ListedParts(runs, links), excludes(plan, told), described, needed)


def line_ends(body: bytes) -> "array[int]":
    """Return where lines end; as an array, because garbage collection need not visit its items."""
    ends, at = array("Q"), body.find(b"\n")
    while at >= 0:
        ends.append(at)
        at = body.find(b"\n", at + 1)
    return ends


def line_of(ends: "array[int]", place: int) -> int:
    """Return the number of the line that contains a byte."""
    return bisect_left(ends, place) + 1
