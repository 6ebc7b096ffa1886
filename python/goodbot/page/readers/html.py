"""The reader of HTML documents."""

from dataclasses import dataclass

from goodbot._core import HtmlFacts, count_words, parse_html
from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import emptied
from goodbot.page.languages import language_fault
from goodbot.page.marks import WATCHED
from goodbot.page.pi import PI_IN_HTML
from goodbot.page.plan import CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.instead import find_instead
from goodbot.page.readers.instructions import report_in_html
from goodbot.page.readers.marked import Inventory, Marked, find_base, plan_for, scan_marks
from goodbot.page.readers.owner_findings import (
    Linked,
    report_leading_scripts,
    report_script_links,
    report_structured_data,
    report_unlinked,
)
from goodbot.page.readers.reader import CutRow, Reading, report_broken
from goodbot.page.readers.related import read_related
from goodbot.page.readers.said import find_said
from goodbot.page.readers.spoken import write_copy
from goodbot.page.statements import report_values, statements_of_metas
from goodbot.page.verdict import Statement

WATCHED_IN_HTML = [*WATCHED, PI_IN_HTML]
"""The first words of comments that are marks or instructions."""

FEWEST_WORDS = 10
"""A page with NOSCRIPT and fewer words besides is probably written by its scripts."""


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
        document = parse_html(self.content, given.charset, WATCHED_IN_HTML)
        facts = document.facts
        elements, links = facts.metas, facts.links
        # Most documents declare nothing else, and each step for that would find nothing.
        declares_more = not facts.is_plain
        metas = statements_of_metas(elements, given.robot, given.dialect, findings)
        if declares_more:
            report_values(facts.valued, given.robot, given.dialect, findings)
        base = find_base(given, facts) if declares_more else given.url
        instead = find_instead(base, elements, links)
        decided = decide(given, [*self.header, *metas], instead)
        if declares_more:
            self._report_encoding(facts)
        related = read_related(given, base, links)
        plan = plan_for(given, facts, related)
        marked = scan_marks(plan, base, document, given, decided, findings)
        if declares_more:
            report_in_html(facts, metas, given, findings)
        report_languages(marked.inventory, findings)
        if declares_more:
            report_scripts(marked.inventory, facts, findings)
        description = describe(given, related, findings, facts, marked.described, instead)
        if marked.has_other_links:
            report_script_links(marked.links, findings)
        json_ld = self._report_elements(facts, marked, related.base) if declares_more else ""
        has_licence = declares_more and facts.rsl_licenses
        said = None if has_licence else find_said(given, elements, links)
        emptied(elements, links)
        if declares_more:
            emptied(facts.comments, facts.noindex, facts.json_ld, facts.noscripts)
        return Reading(decided, marked, description, related.base, facts.encoding, json_ld, said)

    def copy(self, plan: CorePlan) -> tuple[str, list[CutRow]]:
        """Return a copy without the parts that a plan forbids to keep."""
        return write_copy(parse_html(self.content, self.given.charset, WATCHED), plan)

    def _report_elements(self, facts: HtmlFacts, marked: Marked, base: str) -> str:
        """Report scripts, elements that lead to a page, and JSON-LD; return the text of that."""
        findings = self.findings
        if facts.leading or facts.unlinked:
            at = Linked(base or self.given.url, self.given.url, marked.links)
            report_leading_scripts(facts.leading, at, findings)
            report_unlinked(facts.unlinked, at, findings)
        report_structured_data(facts.json_ld, findings)
        return " ".join([text for text, _line in facts.json_ld])

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


def report_languages(inventory: Inventory | None, findings: Findings) -> None:
    """Report versions in other languages whose language tag is wrong."""
    for language, url in inventory.alternates if inventory is not None else ():
        fault = language_fault(language)
        if fault:
            findings.add("unknown-language", f"hreflang {language} of {url[:200]}: {fault}")


def report_scripts(inventory: Inventory | None, facts: HtmlFacts, findings: Findings) -> None:
    """Report a page with a text for browsers without scripts, and hardly a word besides."""
    if inventory is None or not facts.noscripts:
        return
    spoken, _ = count_words([text for text, _line in facts.noscripts])
    own = max(inventory.words - spoken, 0)
    if own < FEWEST_WORDS:
        words = "1 word" if own == 1 else f"{own} words"
        message = (
            f"without scripts the page has {words} besides NOSCRIPT: robots that run no scripts "
            "find nothing to index; send the text in the HTML"
        )
        findings.add("text-needs-scripts", message, facts.noscripts[0][1])
