"""All robots but those that are named are kept out."""

from collections.abc import Iterator

from goodbot._core import RobotsTxt, Rule, Rules
from goodbot.site.lint.checked_file import CheckedFile, listed, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.lint.sample_paths import SITE

__all__ = ["RULE"]

CODE = "everything-disallowed"
CLOSED = b"User-agent: *\nDisallow: /\n"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report the rule that keeps them out, if nothing is allowed to them."""
    rules = file.default.rules
    verdict = rules.verdict(f"{SITE}/")
    if verdict.allowed or verdict.rule is None:
        return
    if is_closed(file, rules, verdict.rule):
        named = [name for one in file.obeyed for name in one.robots_named]
        but = f" Only {listed(named)} may come in." if named else ""
        message = (
            f'"{written(verdict.rule)}" keeps out every robot that no group names, search engines '
            f"included.{but} If this file is from a test site, remove the rule."
        )
        yield LintProblem(verdict.rule.line, message, path="/", robots=("*",))


def is_closed(file: CheckedFile, rules: Rules, rule: Rule) -> bool:
    """Return whether rules that disallow the home page disallow every path."""
    closed = RobotsTxt(CLOSED, dialect=rules.dialect).rules_for("*")
    try:
        return file.budget.is_same(rules, closed)
    except Undecided:
        file.leave_undecided(CODE, [rule.line])
        return False


RULE = LintRule(
    code=CODE,
    severity="note",
    finds="Robots that no group names may fetch nothing.",
    why=(
        "It is right for a test site, and a common accident when a test site goes live: the site "
        "disappears from search engines."
    ),
    example="User-agent: *\nDisallow: /\n",
    instead="User-agent: *\nDisallow: /cart/\n",
    source="RFC 9309 section 2.2.2; Google: introduction to robots.txt",
    check=check,
)
