"""What could not be decided within the bounds."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile, listed_lines
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["CODE", "RULE"]

CODE = "undecided"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report for each rule of lint which lines it could not decide; it is asked last."""
    for code, found in file.undecided.items():
        lines = sorted(set(found))
        message = (
            f"Within the bounds, {code} could not be decided for "
            f"{listed_lines(lines)}. Fewer rules or wildcards help."
        )
        yield LintProblem(lines[0], message, others=tuple(lines[1:]))


MANY = "".join(f"Disallow: /{number}/a\n" for number in range(100, 700))
"""More rules than are tried one by one."""

RULE = LintRule(
    code=CODE,
    severity="note",
    finds="It could not be decided within the bounds whether a rule of lint applies.",
    why=(
        "Proofs about many rules or wildcards can take very long, so each file has a budget. "
        "What is beyond it is reported as unknown and never guessed."
    ),
    example=f"User-agent: *\n{MANY}",
    instead="User-agent: *\nDisallow: /*/a\n",
    source="goodbot.site.lint: the bounds of a file",
    check=check,
)
