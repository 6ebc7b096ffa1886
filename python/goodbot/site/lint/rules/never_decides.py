"""A rule that never decides, because others do."""

from collections.abc import Iterator, Sequence

from goodbot.site.lint.checked_file import CheckedFile, listed, quoted, where_it_matters, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.reasoning import DialectAnswer

__all__ = ["RULE"]

CODE = "never-decides"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report rules that match paths, all of which other rules decide."""
    default = set(file.default.lines)
    for effect in file.idle(CODE):
        if effect.matches is None:
            continue
        line = effect.rule.line
        is_default = line in default
        dialects = file.deciding_dialects([line], None if is_default else CODE)
        if not is_default and (dialects is None or is_needed(file, line, dialects)):
            continue
        advice = (
            "Make it longer" if dialects is None or dialects else "Remove it, or make it longer"
        )
        whom = " for robots that follow RFC 9309" if dialects else ""
        also = f" {where_it_matters(dialects)}" if dialects else ""
        hiders = listed([quoted(rule) for rule in effect.hidden_by] or ["another rule"])
        decide = "decides" if len(effect.hidden_by) <= 1 else "decide"
        message = (
            f'"{written(effect.rule)}" has no effect{whom}: {hiders} {decide} instead, for '
            f"example on {effect.matches}.{also} {advice} than what hides it."
        )
        others = tuple(rule.line for rule in effect.hidden_by)
        yield LintProblem(effect.rule.line, message, path=effect.matches, others=others)


def is_needed(file: CheckedFile, line: int, dialects: Sequence[DialectAnswer]) -> bool:
    """Return whether a known robot that the group of a line names reads one of the dialects."""
    return not file.own_dialects(line).isdisjoint(one.dialect for one in dialects)


RULE = LintRule(
    code=CODE,
    severity="warning",
    finds="A rule matches paths, but other rules decide all of them.",
    why=(
        "The longest match decides, whatever the order of the lines, and of two equally long "
        "rules the Allow. A rule that always loses can be removed without any change, and its "
        "author probably expected it to do something."
    ),
    example="User-agent: *\nDisallow: /shop/*.php\nAllow: /shop/*.ph*\n",
    instead="User-agent: *\nDisallow: /shop/*.php\nAllow: /shop/help.php\n",
    source="RFC 9309 section 2.2.2",
    check=check,
)
