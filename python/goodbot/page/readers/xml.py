"""The reader of XML documents, including XHTML that is served as XML."""

from dataclasses import dataclass

from goodbot._core import parse_xml, xml_without_declarations
from goodbot.page.encoding import decoded, redeclared, text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import emptied
from goodbot.page.marks import WATCHED
from goodbot.page.pi import PI_IN_HTML
from goodbot.page.plan import CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.instead import find_instead
from goodbot.page.readers.instructions import combine_statements, forbidden_behind
from goodbot.page.readers.marked import find_base, plan_for, scan_marks
from goodbot.page.readers.reader import CutRow, Reading, report_broken
from goodbot.page.readers.related import read_related
from goodbot.page.readers.said import find_said
from goodbot.page.readers.spoken import append_instructions, find_spoken, write_copy
from goodbot.page.statements import report_values, statements_of_metas
from goodbot.page.verdict import Statement


@dataclass(slots=True)
class XmlReader:
    """A reader of one XML document."""

    given: Given
    content: bytes
    header: list[Statement]
    """The statements of the HTTP header."""
    findings: Findings
    is_marked_up: bool = False
    """Whether any XML was found in it."""
    behind: str = ""
    """The instructions for robots after the first XML error, to be appended to a copy."""

    def read(self) -> Reading:
        """Read the document."""
        given, findings = self.given, self.findings
        self.content, encoding = text_of_xml(self.content, given.charset, findings)
        document = parse_xml(self.content, WATCHED)
        facts = document.facts
        self.is_marked_up = facts.read_to > 0
        report_broken(facts, encoding, findings)
        findings.add_of_xml(facts.unsafe_entity, facts.fault)
        if facts.escaped_html is not None:
            message = "HTML that is escaped as text in a feed is not read, nor are marks in it"
            findings.add("escaped-html", message, facts.escaped_html)
        metas = statements_of_metas(facts.metas, given.robot, given.dialect, findings)
        report_values(facts.valued, given.robot, given.dialect, findings)
        said, is_decided = combine_statements(facts, metas, given, findings)
        rest = document.rest([PI_IN_HTML])
        if rest is not None:
            self.behind = append_instructions(rest.facts)
            said += forbidden_behind(rest.facts, given, findings, is_decided=is_decided)
        base = find_base(given, facts)
        instead = find_instead(base, facts.metas, facts.links)
        decided = decide(given, [*self.header, *said], instead)
        related = read_related(given, base, facts.links)
        plan = plan_for(given, facts, related)
        marked = scan_marks(plan, base, document, given, decided, findings)
        description = describe(given, related, findings, facts, marked.described, instead)
        speaks = facts.instructions or rest is not None or any(find_spoken(facts)[:2])
        header_only = None if speaks else find_said(given)
        emptied(facts.metas, facts.links, facts.comments, facts.noindex, facts.instructions)
        return Reading(
            decided, marked, description, related.base, encoding, said_to_all=header_only
        )

    def copy(self, plan: CorePlan) -> tuple[str | None, list[CutRow]]:
        """Return a copy without the parts that a plan forbids to keep."""
        if self.is_marked_up:
            # Text that must not be kept could hide in declarations, so a copy has none.
            content = xml_without_declarations(self.content) or self.content
            # Parsed again, as HTML is: a tree takes several times the memory of the document.
            text, cuts = write_copy(parse_xml(content, WATCHED), plan)
            return redeclared(text) + self.behind, cuts
        if self.given.content_type.startswith("text/"):
            return decoded(self.content, self.given.charset), []
        return None, []
