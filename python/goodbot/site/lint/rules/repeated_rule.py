"""The same rule twice for the same robots."""

from collections.abc import Iterator
from itertools import islice

from goodbot.site.lint.checked_file import CheckedFile, cut
from goodbot.site.lint.lint_rule import MOST_OF_A_RULE, LintProblem, LintRule, unlisted

__all__ = ["RULE"]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each repetition once, with the line that it repeats."""
    listed = dict(islice(file.repeats.items(), MOST_OF_A_RULE))
    said = file.said_at(listed)
    for line, first in listed.items():
        # The last rule of a group is not removed alone: the group would join the next one.
        can_go = file.can_remove([line], None)
        then = "Remove it." if can_go else "If you change one of them, change the other, too."
        message = f'"{cut(said[line])}" repeats line {first}. {then}'
        yield LintProblem(line, message, others=(first,))
    yield from unlisted(len(file.repeats))


RULE = LintRule(
    code="repeated-rule",
    severity="note",
    finds="A rule is written twice for the same robots.",
    why="The second one does nothing, and anyone who changes one of them may forget the other.",
    example="User-agent: *\nDisallow: /cart/\nDisallow: /login/\nDisallow: /cart/\n",
    instead="User-agent: *\nDisallow: /cart/\nDisallow: /login/\n",
    source="RFC 9309 section 2.2.2",
    check=check,
)
