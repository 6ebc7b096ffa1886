"""A robots.txt that is served as another type than text/plain."""

from collections.abc import Iterator

from goodbot.policy.finding_codes import finding
from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "not-plain-text"

CODES = {"not-text-type", CODE}
"""Findings of a policy on the type of the answer."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report the type, if the answer that brought the file is known."""
    for one in file.answer:
        if one.code in CODES:
            yield LintProblem(0, f"{one.message} Let your server send text/plain; charset=utf-8.")


RULE = LintRule(
    code=CODE,
    severity="note",
    finds="The server sends robots.txt with another Content-Type than text/plain.",
    why=(
        "RFC 9309 requires text/plain. Robots that trust the type take an HTML page for an error, "
        "and "
        "some read no file of another type; text/html often also means that a template adds to it."
    ),
    example="User-agent: *\nDisallow: /cart/\n",
    instead="User-agent: *\nDisallow: /cart/\n",
    source="RFC 9309 section 2.3",
    answer=(finding(CODE, "text/html"),),
    check=check,
)
