"""Findings on what an HTML page offers besides its text: other languages, and a text for browsers.

Scope: from what the core has counted to findings.
"""

from goodbot._core import HtmlFacts, count_words
from goodbot.page.finding_codes import Findings
from goodbot.page.languages import language_fault
from goodbot.page.readers.marked import Inventory

__all__ = ["FEWEST_WORDS", "report_languages", "report_scripts"]

FEWEST_WORDS = 10
"""A page with NOSCRIPT and fewer words besides is probably written by its scripts."""


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
