"""A robot that is named loses the rules for `*`."""

from collections.abc import Iterator

from goodbot._core import Rule
from goodbot.site.lint.checked_file import CheckedFile, Obeyed, listed_lines, named, plural, quoted
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.lint.sample_paths import SITE
from goodbot.site.reasoning.difference import url_of

__all__ = ["RULE"]

CODE = "default-rules-dropped"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each group that allows what the rules for `*` disallow, unless it means to."""
    default = file.default
    if not len(default.rules) or not default.rules.allows(f"{SITE}/"):
        return  # where everything is disallowed, a group is an exception that is meant
    disallowed = disallowed_paths(file)
    for obeyed in file.obeyed:
        if obeyed.robots_named and not file.is_open_by_intent(obeyed):
            dropped = dropped_rules(file, obeyed, disallowed)
            if dropped:
                yield problem(obeyed, dropped)


def disallowed_paths(file: CheckedFile) -> list[tuple[Rule, str]]:
    """Return the rules that disallow a path to robots that no group names, each with one."""
    found = [
        (one.rule, one.example)
        for one in file.reach(file.default) or ()
        if one.rule.field == "Disallow" and one.example is not None
    ]
    answers = file.default.rules.allows_many([url_of(path) for _, path in found])
    return [one for one, allowed in zip(found, answers, strict=True) if not allowed]


def dropped_rules(
    file: CheckedFile, obeyed: Obeyed, disallowed: list[tuple[Rule, str]]
) -> dict[int, tuple[Rule, str]]:
    """Return the rules for `*` that would have mattered, by line, each with a path."""
    answers = obeyed.rules.allows_many([url_of(path) for _, path in disallowed])
    found = {
        rule.line: (rule, path)
        for (rule, path), allowed in zip(disallowed, answers, strict=True)
        if allowed
    }
    if not found:
        try:
            one_more = file.budget.difference(file.default.rules, obeyed.rules)
        except Undecided:
            file.leave_undecided(CODE, [obeyed.line])
            return {}
        if one_more is not None and not one_more.is_stricter and one_more.before.rule is not None:
            found[one_more.before.rule.line] = (one_more.before.rule, one_more.path)
    return found


def problem(obeyed: Obeyed, dropped: dict[int, tuple[Rule, str]]) -> LintProblem:
    """Return the problem, with the first rule as its example."""
    rule, path = next(iter(dropped.values()))
    robots = obeyed.robots_named
    obeys = plural(len(robots), "obeys", "obey")
    others = list(dropped)[1:]
    more = f" {listed_lines(others).capitalize()} " if others else ""
    more += f"{plural(len(others), 'is', 'are')} dropped as well." if others else ""
    message = (
        f"{named(robots)} {obeys} only this group, not the rules for *: {quoted(rule)} does "
        f"not apply, so {path} is allowed.{more} Repeat in this group what should apply to it."
    )
    return LintProblem(obeyed.line, message, path=path, others=tuple(dropped), robots=robots)


RULE = LintRule(
    code=CODE,
    severity="warning",
    finds="A group for a named robot drops rules for `*` that would have mattered.",
    why=(
        "A robot obeys the groups that name it and nothing else: the rules for `*` do not apply to "
        "it. A group that only adds a delay or one rule thus opens all that the others must not "
        "fetch. If that is meant, `Allow: /` in the group says so."
    ),
    example=(
        "User-agent: *\nDisallow: /internal/\n\nUser-agent: ExampleBot\nDisallow: /downloads/\n"
    ),
    instead=(
        "User-agent: *\nDisallow: /internal/\n\n"
        "User-agent: ExampleBot\nDisallow: /internal/\nDisallow: /downloads/\n"
    ),
    source="RFC 9309 section 2.2.1",
    check=check,
)
