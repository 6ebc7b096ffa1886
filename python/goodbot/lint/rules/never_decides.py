"""A rule that never decides, because others do."""

from collections.abc import Iterator

from goodbot.lint.checked_file import CheckedFile, listed, quoted, written
from goodbot.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "never-decides"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report rules that match paths, all of which other rules decide."""
    default = {rule.line for rule in file.default.every_rule}
    for effect in file.idle(CODE):
        if effect.matches is None:
            continue
        line = effect.rule.line
        # A robot of another dialect may need it: then nothing is said where robots are named.
        is_default = line in default
        can_remove = file.can_remove([line], None if is_default else CODE)
        if not can_remove and not is_default:
            continue
        advice = "Remove it, or make it longer" if can_remove else "Make it longer"
        hiders = listed([quoted(rule) for rule in effect.hidden_by] or ["another rule"])
        decide = "decides" if len(effect.hidden_by) <= 1 else "decide"
        message = (
            f'"{written(effect.rule)}" has no effect: {hiders} {decide} instead, for example on '
            f"{effect.matches}. {advice} than what hides it."
        )
        others = tuple(rule.line for rule in effect.hidden_by)
        yield LintProblem(effect.rule.line, message, path=effect.matches, others=others)


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
