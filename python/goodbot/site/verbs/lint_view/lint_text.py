"""Findings of lint, and explanations of its rules, in words for a terminal."""

from collections import Counter
from collections.abc import Sequence

from goodbot.cli.shared.printing import Printer, Styled
from goodbot.http.amounts import counted
from goodbot.site.lint import SEVERITIES, LintRule
from goodbot.site.lint.formats.linted_source import LintedSource

__all__ = ["print_list", "print_reports", "print_rule"]

STYLES = {"error": "disallowed", "warning": "warning", "note": "faint"}


def print_reports(sources: Sequence[LintedSource], printer: Printer) -> None:
    """Print each finding as compilers do, and how many there are."""
    counts: Counter[str] = Counter()
    ignored = 0
    for source in sources:
        ignored += source.report.ignored
        for one in source.report.findings:
            counts[one.severity] += 1
            place = ":".join(str(part) for part in (source.name, one.line, one.column) if part)
            accent = Styled(f"{one.severity}:", STYLES[one.severity])
            printer.prose(f"{place}: {one.severity}: {one.message} [{one.code}]", accent=accent)
    told = [counted(counts[name], name) for name in reversed(SEVERITIES) if counts[name]]
    found = ", ".join(told) or "No findings"
    hidden = f"; {counted(ignored, 'finding')} ignored by comments" if ignored else ""
    printer.line(f"{found} in {counted(len(sources), 'file')}{hidden}.")
    if told:
        printer.line("'goodbot lint --explain CODE' explains a finding.")


def print_list(rules: Sequence[LintRule], printer: Printer) -> None:
    """Print what each rule finds."""
    for rule in rules:
        accent = Styled(rule.code, "heading")
        printer.prose(f"{rule.code} ({rule.severity}): {rule.finds}", accent=accent)


def print_rule(rule: LintRule, printer: Printer) -> None:
    """Explain a rule."""
    printer.line(Styled(f"{rule.code} ({rule.severity})", "heading"))
    printer.line()
    printer.prose(rule.finds)
    printer.line()
    printer.prose(rule.why)
    for title, text in (("Example", rule.example), ("Write instead", rule.instead)):
        printer.line()
        printer.line(Styled(title, "heading"))
        for line in rule.shown(text).splitlines():
            printer.line(f"  {line}".rstrip())
    if rule.sitemap:
        printer.line()
        printer.prose(f"with a sitemap that lists {', '.join(rule.sitemap)}")
    for problem in rule.sitemap_problems:
        printer.line()
        printer.prose(f"where {problem}")
    printer.line()
    printer.prose(f"Source: {rule.source}.")
