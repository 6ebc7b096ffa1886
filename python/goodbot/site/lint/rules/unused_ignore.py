"""A comment that ignores what is not found."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["CODE", "RULE"]

CODE = "unused-ignore"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each code that a comment names in vain; it is asked after all others."""
    for line, code in file.unused_ignores:
        message = (
            f"There is no finding {code} here to ignore. Remove the code from the comment, or "
            "correct it."
            if code
            else "The comment names no code, so it ignores nothing. Write the code of a finding, "
            "such as # goodbot: ignore=never-decides."
        )
        yield LintProblem(line, message)


RULE = LintRule(
    code=CODE,
    severity="warning",
    finds="A comment `# goodbot: ignore=CODE` ignores nothing.",
    why="It would hide the finding when it comes back, and its code may be misspelt.",
    example="User-agent: *\nDisallow: /cart/ # goodbot: ignore=never-decides\n",
    instead="User-agent: *\nDisallow: /cart/\n",
    source="goodbot.site.lint: comments that ignore findings",
    check=check,
)
