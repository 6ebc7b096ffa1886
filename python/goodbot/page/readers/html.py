"""Documents of HTML."""

from dataclasses import dataclass

from goodbot._core import HtmlFacts, parse_html
from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import emptied
from goodbot.page.marks import WATCHED
from goodbot.page.pi import PI_IN_HTML
from goodbot.page.plan import CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.instructions import report_in_html
from goodbot.page.readers.marked import base_of, marked_by, plan_for
from goodbot.page.readers.reader import CutRow, Reading, report_broken
from goodbot.page.readers.related import related_to
from goodbot.page.readers.spoken import written
from goodbot.page.statements import report_values, statements_of_metas
from goodbot.page.verdict import Statement

__all__ = ["HtmlReader"]


@dataclass(slots=True)
class HtmlReader:
    """Reads a document of HTML."""

    given: Given
    octets: bytes
    header: list[Statement]
    """What the HTTP header states."""
    findings: Findings

    def read(self) -> Reading:
        """Read the document."""
        given, findings = self.given, self.findings
        document = parse_html(self.octets, given.charset, [*WATCHED, PI_IN_HTML])
        facts = document.facts
        metas = statements_of_metas(facts.metas, given.robot, given.dialect, findings)
        report_values(facts.valued, given.robot, given.dialect, findings)
        decided = decide(given, [*self.header, *metas])
        self._report_encoding(facts)
        related = related_to(given, base_of(given, facts), facts.links)
        plan = plan_for(given, facts, related)
        marked = marked_by(plan, document, given, decided, findings)
        report_in_html(facts, metas, given, findings)
        description = describe(given, related, findings, facts, marked.described)
        json_ld = " ".join(text for text, _line in facts.json_ld)
        emptied(facts.metas, facts.links, facts.comments, facts.noindex, facts.json_ld)
        return Reading(decided, marked, description, related.base, facts.encoding, json_ld)

    def copy(self, plan: CorePlan) -> tuple[str, list[CutRow]]:
        """Return a copy without what a plan forbids to keep."""
        return written(parse_html(self.octets, self.given.charset, WATCHED), plan)

    def _report_encoding(self, facts: HtmlFacts) -> None:
        add, encoding = self.findings.add, facts.encoding
        if facts.unknown:
            add("encoding-unknown", f"{facts.unknown!r} is no encoding; {encoding} is taken")
        if facts.contradicted and self.given.octets is not None:
            add("encoding-contradicted", f"header and META disagree; {encoding} is taken")
        if facts.declared == "fallback":
            message = f"nobody declares an encoding, and it is not UTF-8; {encoding} is taken"
            add("encoding-undeclared", message)
        report_broken(facts, encoding, self.findings)
