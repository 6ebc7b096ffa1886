"""The reader of HTML documents."""

from dataclasses import dataclass

from goodbot._core import HtmlFacts, parse_html
from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import emptied
from goodbot.page.marks import WATCHED
from goodbot.page.pi import PI_IN_HTML
from goodbot.page.plan import CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import decide
from goodbot.page.readers.described_parts import report_languages, report_scripts
from goodbot.page.readers.description import describe
from goodbot.page.readers.instead import instead_of
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
    """A reader of one HTML document."""

    given: Given
    content: bytes
    header: list[Statement]
    """The statements of the HTTP header."""
    findings: Findings

    def read(self) -> Reading:
        """Read the document."""
        given, findings = self.given, self.findings
        document = parse_html(self.content, given.charset, [*WATCHED, PI_IN_HTML])
        facts = document.facts
        metas = statements_of_metas(facts.metas, given.robot, given.dialect, findings)
        report_values(facts.valued, given.robot, given.dialect, findings)
        base = base_of(given, facts)
        instead = instead_of(base, facts.metas, facts.links)
        decided = decide(given, [*self.header, *metas], instead)
        self._report_encoding(facts)
        related = related_to(given, base, facts.links)
        plan = plan_for(given, facts, related)
        marked = marked_by(plan, document, given, decided, findings)
        report_in_html(facts, metas, given, findings)
        report_languages(marked.inventory, findings)
        report_scripts(marked.inventory, facts, findings)
        description = describe(given, related, findings, facts, marked.described, instead)
        json_ld = " ".join(text for text, _line in facts.json_ld)
        emptied(
            facts.metas,
            facts.links,
            facts.comments,
            facts.noindex,
            facts.json_ld,
            facts.noscripts,
        )
        return Reading(decided, marked, description, related.base, facts.encoding, json_ld)

    def copy(self, plan: CorePlan) -> tuple[str, list[CutRow]]:
        """Return a copy without the parts that a plan forbids to keep."""
        return written(parse_html(self.content, self.given.charset, WATCHED), plan)

    def _report_encoding(self, facts: HtmlFacts) -> None:
        add, encoding = self.findings.add, facts.encoding
        if facts.unknown:
            message = (
                f"the declared encoding {facts.unknown!r} is not known, and the page was read as "
                f"{encoding}; declare UTF-8"
            )
            add("encoding-unknown", message)
        if facts.contradicted and self.given.byte_count is not None:
            message = (
                "the HTTP header and META declare different encodings, and the page was read as "
                f"{encoding}; make them agree"
            )
            add("encoding-contradicted", message)
        if facts.declared == "fallback":
            message = (
                f"no encoding is declared, and the page was read as {encoding}, because it is not "
                "valid UTF-8; declare the encoding"
            )
            add("encoding-undeclared", message)
        report_broken(facts, encoding, self.findings)
