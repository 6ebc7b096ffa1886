"""Rules that Google, Bing and Yandex read differently."""

import re
from collections.abc import Iterator
from functools import cache

from goodbot._core import Dialect, RobotsTxt, Rules, Verdict, dialect
from goodbot.lint.checked_file import ENGINES, CheckedFile, Obeyed
from goodbot.lint.lint_rule import LintProblem, LintRule
from goodbot.lint.proof_budget import Undecided
from goodbot.reasoning import Difference

__all__ = ["RULE"]

CODE = "dialects-differ"

PAIRS = (("google", "bing"), ("bing", "yandex"))
"""The dialects that are compared. If both pairs agree, all three do."""

ALIKE = re.compile(r"[A-Za-z0-9/_.~*$?=&+:;,!'()@-]*")
"""Patterns that all three spell alike; the others have escapes, or characters to be escaped."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report for each group a path on which two of the engines differ."""
    read = {name: RobotsTxt(file.content, dialect=reader(name)) for name in ENGINES}
    # Of these lines another finding says already that robots differ.
    seen: set[tuple[int, ...]] = {(one.line,) for one in file.robots.findings if one.line}
    for obeyed in file.obeyed:
        robot = obeyed.names[0]
        for one, other in PAIRS:
            before, after = read[one].rules_for(robot), read[other].rules_for(robot)
            found = None if is_alike(before, after) else difference(file, obeyed, before, after)
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


def is_alike(before: Rules, after: Rules) -> bool:
    """Whether two engines read the same lines, none of which they spell differently."""
    groups = [[group.lines for group in rules.selection.groups] for rules in (before, after)]
    if groups[0] != groups[1]:
        return True  # they find different groups for the name, which other findings are about
    if before.otherwise != after.otherwise:
        return True  # one of them does not read the file because of a limit: `engine-limit`
    one, other = (
        sorted((rule.line, rule.field, rule.pattern) for rule in rules if rule.pattern)
        for rules in (before, after)
    )
    plain = all(
        ALIKE.fullmatch(pattern) and "index.htm" not in pattern for _line, _field, pattern in one
    )
    return one == other and plain


def difference(file: CheckedFile, obeyed: Obeyed, before: Rules, after: Rules) -> Difference | None:
    """Return a path on which they differ."""
    try:
        return file.budget.difference(before, after)
    except Undecided:
        file.leave_undecided(CODE, [rule.line for rule in obeyed.every_rule])
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
