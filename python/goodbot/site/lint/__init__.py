r"""Mistakes in a robots.txt, found and proven.

>>> from goodbot.site.lint import lint
>>> report = lint("User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nCrawl-delay: 5\n")
>>> [(one.code, one.line, one.path) for one in report.findings]
[('default-rules-dropped', 4, '/private/'), ('group-without-rules', 4, None)]

Each rule of `LINT_RULES` says what it finds, why that matters, and what to write instead. What a
rule says of paths is proven by `goodbot.site.reasoning` over all paths, within one budget of states
a file, so the same file has the same findings on every machine.

It decides and does not act: no clock, no socket, no disk.
"""

from goodbot.site.lint.lint_rule import MOST_OF_A_RULE, SEVERITIES, LintRule, LintSeverity
from goodbot.site.lint.lint_settings import LintSettings
from goodbot.site.lint.linting import LintFinding, LintReport, lint
from goodbot.site.lint.proof_budget import MOST_STATES_A_FILE, MOST_STATES_A_PROOF
from goodbot.site.lint.registry import LINT_RULES
from goodbot.site.lint.site_signals import SiteSignals

__all__ = [
    "LINT_RULES",
    "MOST_OF_A_RULE",
    "MOST_STATES_A_FILE",
    "MOST_STATES_A_PROOF",
    "SEVERITIES",
    "LintFinding",
    "LintReport",
    "LintRule",
    "LintSettings",
    "LintSeverity",
    "SiteSignals",
    "lint",
]
