"""Documents of XML, also XHTML that is served as XML."""

from dataclasses import dataclass

from goodbot._core import HtmlDocument, HtmlFacts, parse_xml
from goodbot.page.combine import verdicts_of
from goodbot.page.directives import DIRECTIVES
from goodbot.page.encoding import decoded, redeclared, text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import emptied
from goodbot.page.marks import WATCHED
from goodbot.page.pi import PI_IN_HTML, read_robots_pi, syntax_error
from goodbot.page.plan import CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.marked import base_of, marked_by, plan_for
from goodbot.page.readers.reader import CutRow, Reading, report_broken
from goodbot.page.readers.related import related_to
from goodbot.page.readers.spoken import written
from goodbot.page.statements import statements_of_metas
from goodbot.page.verdict import Source, Statement

__all__ = ["XmlReader"]

READ_AS_EMPTY = "such are read as if they were empty"


@dataclass(slots=True)
class XmlReader:
    """Reads a document of XML."""

    given: Given
    octets: bytes
    header: list[Statement]
    """What the HTTP header states."""
    findings: Findings
    is_marked_up: bool = False
    """Whether something was found in it."""

    def read(self) -> Reading:
        """Read the document."""
        given, findings = self.given, self.findings
        self.octets, encoding = text_of_xml(self.octets, given.charset, findings)
        document = parse_xml(self.octets, WATCHED)
        facts = document.facts
        self.is_marked_up = facts.read_to > 0
        report_broken(facts, encoding, findings)
        self._report_faults(facts)
        metas = statements_of_metas(facts.metas, given.robot, given.dialect, findings)
        said = heeded(self._instructions(facts), metas, given, findings)
        decided = decide(given, [*self.header, *said, *behind_the_error(document, given, findings)])
        related = related_to(given, base_of(given, facts), facts.links)
        plan = plan_for(given, facts, related)
        marked = marked_by(plan, document, given, decided, findings)
        description = describe(given, related, findings, facts, marked.described)
        emptied(facts.metas, facts.links, facts.comments, facts.noindex)
        return Reading(decided, marked, description, related.base, encoding)

    def copy(self, plan: CorePlan) -> tuple[str | None, list[CutRow]]:
        """Return a copy without what a plan forbids to keep."""
        if self.is_marked_up:
            # Read again, as HTML is: what stands in it is several times as large as the document.
            text, cuts = written(parse_xml(self.octets, WATCHED), plan)
            return redeclared(text), cuts
        if self.given.content_type.startswith("text/"):
            return decoded(self.octets, self.given.charset), []
        return None, []

    def _instructions(self, facts: HtmlFacts) -> tuple[Statement, ...]:
        """Return what the first legal processing instruction for robots states.

        Source: A Robots Processing Instruction for XML Documents, 1999.
        """
        stated: tuple[Statement, ...] = ()
        for data, line, is_late in facts.instructions:
            said = read_robots_pi(data, lenient=self.given.lenient)
            if said is None:
                message = f"{self.given.url}: <?robots {data[:60]}?>: {syntax_error(data)}"
                self.findings.add("illegal-robots-pi", message, line)
                continue
            if stated:
                self.findings.add("repeated-robots-pi", "the first legal robots PI holds", line)
                continue
            if is_late:
                message = "the robots PI should stand before any text and any link"
                self.findings.add("late-robots-pi", message, line)
            source = Source("pi", "robots PI", line, data)
            names = ("index" if said[0] else "noindex", "follow" if said[1] else "nofollow")
            stated = tuple(Statement(name, None, source) for name in names)
        return stated

    def _report_faults(self, facts: HtmlFacts) -> None:
        """Report what is wrong with a document of XML (XML 1.0, sections 2.1 and 4.4)."""
        if facts.unsafe_entity is not None:
            shown = facts.unsafe_entity[:60]
            message = f"the entity {shown!r} is long or made of others; {READ_AS_EMPTY}"
            self.findings.add("unsafe-entity", message)
        if facts.fault is not None:
            what, line = facts.fault
            self.findings.add("not-well-formed", f"the XML is not well-formed: {what}", line)


def behind_the_error(document: HtmlDocument, given: Given, findings: Findings) -> list[Statement]:
    """Look, as HTML is read, for what forbids something behind where XML breaks off."""
    rest = document.rest([PI_IN_HTML])
    if rest is None:
        return []
    found = rest.facts
    metas = [(*meta[:3], True, meta[4]) for meta in found.metas]
    said = statements_of_metas(metas, given.robot, given.dialect, findings)
    for text, _start, _end in found.comments:
        data = text.removeprefix(PI_IN_HTML).strip().rstrip("?")
        wanted = read_robots_pi(data, lenient=given.lenient) if text != data else None
        source = Source("pi", "robots PI", 0, data)
        for directive, may in zip(("noindex", "nofollow"), wanted or (), strict=False):
            if not may:
                said.append(Statement(directive, None, source))
    return [one for one in said if DIRECTIVES[one.directive].forbids]


def heeded(
    stated: tuple[Statement, ...], said: list[Statement], given: Given, findings: Findings
) -> list[Statement]:
    """Join what the processing instruction and META say: in XML the first is obeyed."""
    if not stated:
        return said
    meta = verdicts_of(said, "", "", given.dialect)
    pi = verdicts_of(stated, "", "", given.dialect)
    others = [one for one in said if not speaks_of_links(one)]
    if len(others) < len(said) and any(
        meta[act].allowed != pi[act].allowed for act in ("index", "follow")
    ):
        message = "the robots PI and META disagree; the PI is obeyed in XML"
        findings.add("pi-contradicts-meta", message, stated[0].source.line)
    return [*stated, *others]


def speaks_of_links(statement: Statement) -> bool:
    """Whether a statement is about what the processing instruction speaks of."""
    row = DIRECTIVES[statement.directive]
    return bool({*row.forbids, *row.allows} & {"index", "follow"})
