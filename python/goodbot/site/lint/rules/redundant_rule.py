"""A rule that decides, but changes nothing."""

from collections.abc import Iterator, Sequence

from goodbot._core import Rule, Rules
from goodbot.site.lint.checked_file import CheckedFile, Obeyed, where_it_matters, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.lint.sample_paths import SITE, sample_path
from goodbot.site.reasoning import DialectAnswer, RuleReach
from goodbot.site.reasoning.difference import url_of

__all__ = ["RULE"]

CODE = "redundant-rule"

MOST_RULES = 500
"""The most rules of a group that are tried one by one."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report rules that change nothing for any of the robots that obey them."""
    needed: set[int] = set()
    spare: dict[int, Rule] = {}
    for obeyed in file.obeyed:
        found = {rule.line: rule for rule in spare_rules(file, obeyed)}
        needed |= set(obeyed.lines) - found.keys()
        spare.update(found)
    for line in sorted(spare.keys() - needed):
        dialects = file.deciding_dialects([line], CODE)
        if dialects is not None:
            yield LintProblem(line, message(written(spare[line]), dialects))


def message(text: str, dialects: Sequence[DialectAnswer]) -> str:
    """Return what is said of a rule that decides in some dialects alone, or in none."""
    if not dialects:
        return (
            f'"{text}" changes nothing: in every dialect, the other rules decide the same. '
            "Remove it."
        )
    return (
        f'"{text}" changes nothing for robots that follow RFC 9309: the other rules decide the '
        f"same. {where_it_matters(dialects)} If such robots do not matter to you, remove it."
    )


def spare_rules(file: CheckedFile, obeyed: Obeyed) -> Iterator[Rule]:
    """Yield the rules without which these robots may fetch the same."""
    deciding = {one.rule.line: one for one in file.reach(obeyed) or () if one.example is not None}
    if len(deciding) > MOST_RULES:
        file.leave_undecided(CODE, list(deciding))
    elif len(deciding) > 1:
        # To state that the rest is allowed is a matter of style.
        tried = [
            one for one in deciding.values() if (one.rule.field, one.rule.pattern) != ("Allow", "/")
        ]
        if file.budget.is_spent:
            file.leave_undecided(CODE, [one.rule.line for one in tried])
            return
        # Also without the rules that it hides, which would decide in its place.
        both = {frozenset(deciding), frozenset(obeyed.lines)}
        for one in tried:
            line = one.rule.line
            try:
                sides = (file.rules_alone(sorted(lines - {line})) for lines in both)
                if all(is_spare(file, obeyed.rules, one, side) for side in sides):
                    yield one.rule
            except Undecided:
                file.leave_undecided(CODE, [line])


def is_spare(file: CheckedFile, rules: Rules, one: RuleReach, others: Rules) -> bool:
    """Whether the other rules decide like all of them; paths of the rule are tried first.

    Raises:
        Undecided: The bounds were reached before that was known.

    """
    for url in (url_of(str(one.example)), SITE + sample_path(one.rule.pattern)):
        if rules.allows(url) != others.allows(url):
            return False
    return file.budget.is_same(rules, others)


RULE = LintRule(
    code=CODE,
    severity="note",
    finds="A rule changes nothing, because the other rules decide the same without it.",
    why="Every line that does nothing makes the others harder to read.",
    example="User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart/\n",
    instead="User-agent: *\nDisallow: /shop/\n",
    source="RFC 9309 section 2.2.2",
    check=check,
)
