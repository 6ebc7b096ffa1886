"""All robots but those that are named are kept out."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile, listed, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sample_paths import SITE

__all__ = ["RULE"]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report the rule that keeps them out, if nothing is allowed to them."""
    rules = file.default.rules
    verdict = rules.verdict(f"{SITE}/")
    if verdict.allowed or verdict.rule is None:
        return
    allows = [one for one in file.reach(file.default) or () if one.rule.field == "Allow"]
    if not any(one.decides is not False for one in allows):
        named = [name for one in file.obeyed for name in one.robots_named]
        but = f" Only {listed(named)} may come in." if named else ""
        message = (
            f'"{written(verdict.rule)}" keeps out every robot that no group names, search engines '
            f"included.{but} If this file is from a test site, remove the rule."
        )
        yield LintProblem(verdict.rule.line, message, path="/", robots=("*",))


RULE = LintRule(
    code="everything-disallowed",
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
