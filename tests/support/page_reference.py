"""The reference implementation of `goodbot.Page`: slow, event by event, in Python."""

from array import array
from bisect import bisect_left
from typing import Any

import goodbot
from goodbot._core import html_events, parse_html
from goodbot.page.encoding import redeclared, text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import WATCHED
from goodbot.page.parts import Copy, Link, Run
from goodbot.page.reading import CONTRADICTION, TOO_MANY, WITHOUT_PROFILE
from goodbot.page.statements import statements_of_metas
from tests.support.page_walk_reference import Cause, Walk, walk
from tests.support.xml_copy_reference import copy_xml
from tests.support.xml_reference import read_xml

__all__ = ["ReferencePage"]


class ReferencePage(goodbot.Page):
    """A page whose marks are applied by the reference walk; XML is read from expat's events."""

    def _read_html(self) -> None:
        document = parse_html(self._body, self._charset, list(WATCHED))
        self._heed(document.facts.metas)
        self._plan_for(document.facts)
        self._of_html(document.facts)
        text = self._body.decode().replace("\r\n", "\n").replace("\r", "\n")
        self._body = text.encode()
        self._of_walk(walk(html_events(text), self._plan, self.base))
        self._self_description(document.facts.title, document.facts.metas, document.facts.links)

    def _read_xml(self) -> None:
        self._body, self.encoding = text_of_xml(self._body, self._charset, self._findings)
        document: Any = read_xml(self._body, self.url, self._findings, lenient=self._lenient)
        self._body, self._is_marked_up = document.body, document.read_to > 0
        metas = statements_of_metas(document.metas, self._robot, self.dialect, self._findings)
        said = self._of_pi(document.said, metas)
        self._decided([*self._said, *said, *self._behind_the_error(document)])
        self._plan_for(document)
        found = walk(document.events, self._plan, self.base, xml=True)
        self._of_walk(found)
        lines = (link.line for link in self.links)
        unresolved = zip(found.links, lines, strict=True)
        self._unresolved(
            (link.url, link.unresolved, line) for link, line in unresolved if link.unresolved
        )
        if found.cut:
            self._findings.add("too-many-parts", TOO_MANY)
        self._self_description(document.title, document.metas, document.links)
        self._json_ld = ""

    def archive_copy(self) -> Copy:
        """Make the copy of XML by the reference copier."""
        if not self.archive or not self._is_marked_up:
            return super().archive_copy()
        document = read_xml(self._body, self.url, Findings(), lenient=self._lenient)
        body, parts = copy_xml(self._body, document.events, self._plan, document.read_to)
        lines = line_ends(self._body)
        cuts = [
            self._cut(row, allows, line_of(lines, place), line_of(lines, at), octets)
            for (row, allows, place), at, octets in parts
        ]
        return Copy(redeclared(body.decode("utf-8", "replace")), cuts, self.archive)

    def _of_walk(self, found: Walk) -> None:
        """Take up what the reference walk found."""
        lines = line_ends(self._body)
        said = [run.causes for run in found.runs] + [link.causes for link in found.links]
        causes = list(dict.fromkeys(cause for one in said for cause in one if cause))
        numbers: dict[Cause | None, int] = {None: 0}
        numbers |= {cause: number for number, cause in enumerate(causes, 1)}
        told = [(row, allows, line_of(lines, place)) for row, allows, place in causes]
        names = self._name(told)
        index, follow, anchor, archive, snippet = names
        self.runs = [
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
        self.links = [
            Link(
                link.url,
                link.text,
                link.rel,
                link.rev,
                follow[numbers[link.causes[0]]],
                anchor[numbers[link.causes[1]]],
                not link.unresolved,
                line_of(lines, link.place),
            )
            for link in found.links
        ]
        if found.idle is not None:
            line = line_of(lines, found.idle)
            self._findings.add("classes-without-profile", WITHOUT_PROFILE, line)
        for place in found.conflicts:
            self._findings.add("conflicting-classes", CONTRADICTION, line_of(lines, place))


def line_ends(body: bytes) -> "array[int]":
    """Find where lines end; in an array, as garbage collection passes over its items."""
    ends, at = array("Q"), body.find(b"\n")
    while at >= 0:
        ends.append(at)
        at = body.find(b"\n", at + 1)
    return ends


def line_of(ends: "array[int]", place: int) -> int:
    """Give the number of the line that an octet stands in."""
    return bisect_left(ends, place) + 1
