"""Groups for a purpose, such as training, instead of a robot."""

from collections.abc import Callable, Iterator

from goodbot.content_use.purpose_tokens import purpose_findings
from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULES"]

PROPOSAL = "draft-kelley-aipref-training-preference-signal-00"


def reports(code: str, advice: str) -> Callable[[CheckedFile], Iterator[LintProblem]]:
    """Return the check that reports the findings of one code, with advice."""

    def check(file: CheckedFile) -> Iterator[LintProblem]:
        """Report each token of a purpose once."""
        for one in purpose_findings(file.robots):
            if one.code == code:
                message = one.message[0].upper() + one.message[1:]
                yield LintProblem(one.line, f"{message}. {advice}")

    return check


UNVERIFIED = LintRule(
    code="unverified-purpose-token",
    severity="note",
    finds="A group is for a purpose such as AI training, by a draft that could not be verified.",
    why=(
        "What such a group disallows is reserved, and what it allows is no permission. Robots that "
        "do not know the token ignore the group; Content-Usage is read by more of them."
    ),
    example=(
        "User-agent: *\nDisallow: /cart\n\nUser-agent: __usage_ai-training\nDisallow: /reports\n"
    ),
    instead="User-agent: *\nContent-Usage: /reports train-ai=n\nDisallow: /cart\n",
    source=PROPOSAL,
    check=reports("unverified-purpose-token", "State the same with Content-Usage."),
)

UNKNOWN = LintRule(
    code="unknown-purpose-token",
    severity="note",
    finds="A group is for a purpose that no document known to goodbot defines.",
    why=(
        "The token may be misspelt, or of a newer document. Until goodbot knows it, the group "
        "decides nothing for anybody, and permits nothing."
    ),
    example="User-agent: *\nDisallow: /cart\n\nUser-agent: __usage_selling\nDisallow: /reports\n",
    instead="User-agent: *\nContent-Usage: /reports train-ai=n\nDisallow: /cart\n",
    source=PROPOSAL,
    check=reports("unknown-purpose-token", "Check its spelling."),
)

RULES = (UNVERIFIED, UNKNOWN)
