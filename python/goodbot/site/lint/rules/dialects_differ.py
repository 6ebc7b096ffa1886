"""Rules that Google, Bing and Yandex read differently."""

from collections.abc import Iterator
from functools import cache

from goodbot._core import Dialect, RobotsTxt, Rules, Verdict, dialect, is_spelt_alike
from goodbot.site.lint.checked_file import ENGINES, CheckedFile, Obeyed
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.reasoning import Difference

__all__ = ["RULE"]

CODE = "dialects-differ"

NOTED = "character-not-in-urls"
"""A note of the core that can stand beside this warning: it is about what to write."""

PAIRS = (("google", "bing"), ("bing", "yandex"))
"""The dialects that are compared. If both pairs agree, all three do."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report for each group a path on which two of the engines differ."""
    read = {name: RobotsTxt(file.content, dialect=reader(name)) for name in ENGINES}
    # Of these lines another finding says already that robots differ.
    seen: set[tuple[int, ...]] = {
        (one.line,)
        for code, found in file.findings.items()
        for one in found
        if one.line and code != NOTED
    }
    for obeyed in file.obeyed:
        rules = {name: robots.rules_for(obeyed.names[0]) for name, robots in read.items()}
        for one, other in PAIRS:
            found = difference(file, obeyed, rules[one], rules[other])
            if found is not None:
                problem = problem_of(found, ENGINES[one], ENGINES[other])
                lines = (problem.line, *problem.others)
                if lines not in seen:
                    seen.add(lines)
                    yield problem


@cache
def reader(name: str) -> Dialect:
    """Return a dialect without what is special about robots.txt itself and about odd URLs."""
    return dialect(name).replace(
        name=f"{name}-patterns", robots_txt_itself="always-allowed", url_form="as-sent"
    )


def difference(file: CheckedFile, obeyed: Obeyed, before: Rules, after: Rules) -> Difference | None:
    """Return a path on which they differ."""
    # Different groups, or a limit that one of them has, are for other rules of lint.
    if is_spelt_alike(before, after):
        return None
    try:
        return file.budget.difference(before, after)
    except Undecided:
        file.leave_undecided(CODE, obeyed.lines)
        return None


def problem_of(found: Difference, one: str, other: str) -> LintProblem:
    """Return the problem on the line that decides."""
    lines = [verdict.rule.line for verdict in (found.before, found.after) if verdict.rule]
    message = (
        f"{one} and {other} read this differently: {found.path} is {answer(found.before)} by "
        f"{one} and {answer(found.after)} by {other}. Write it so that both agree."
    )
    line, *others = dict.fromkeys(lines) or [0]
    return LintProblem(line, message, path=found.path, others=tuple(others))


def answer(verdict: Verdict) -> str:
    """Return the answer in words, with the line that decides."""
    said = "allowed" if verdict.allowed else "disallowed"
    return said if verdict.rule is None else f"{said} (line {verdict.rule.line})"


RULE = LintRule(
    code=CODE,
    severity="warning",
    finds="Google, Bing and Yandex read a rule differently.",
    why=(
        "The search engines agree on most of RFC 9309, but not on everything: which escapes are "
        "equal, what index.html means, and what they do with long lines and long groups."
    ),
    example="User-agent: *\nDisallow: /\nAllow: /docs/index.html\n",
    instead="User-agent: *\nDisallow: /\nAllow: /docs/\n",
    source="google/robotstxt; Yandex and Bing webmaster documentation; RFC 9309 section 2.2.2",
    check=check,
)
