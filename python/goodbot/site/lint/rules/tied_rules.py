"""An Allow and a Disallow of equal length that match the same path."""

from collections.abc import Iterator

from goodbot._core import RobotsTxt, dialect
from goodbot.site.lint.checked_file import CheckedFile, Obeyed, quoted, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.reasoning import Difference

__all__ = ["RULE"]

CODE = "tied-rules"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each pair of lines with a path that both decide equally well."""
    reader = dialect("rfc9309").replace(name="rfc9309-ties", tie="disallow")
    stricter = RobotsTxt(file.content, dialect=reader)
    seen: set[tuple[int, int]] = set()
    for obeyed in file.obeyed:
        for one in ties(file, obeyed, stricter):
            allow, disallow = one.before.rule, one.after.rule
            if allow is None or disallow is None or (allow.line, disallow.line) in seen:
                continue
            effect = file.effects.get(disallow.line)
            if effect is not None and not effect.decides:
                continue  # it loses everywhere, which another rule of lint says
            seen.add((allow.line, disallow.line))
            message = (
                f'"{written(disallow)}" and {quoted(allow)} are equally long and both match '
                f"{one.path}. Allow should win, but some robots take the first one or the "
                "Disallow. Make the rule longer that should decide."
            )
            yield LintProblem(disallow.line, message, path=one.path, others=(allow.line,))


def ties(file: CheckedFile, obeyed: Obeyed, stricter: RobotsTxt) -> tuple[Difference, ...]:
    """Return the paths on which it matters who wins a tie."""
    if not {"Allow", "Disallow"} <= {said.partition(":")[0] for said in obeyed.patterns}:
        return ()
    try:
        return file.budget.differences(obeyed.rules, stricter.rules_for(obeyed.names[0]))
    except Undecided:
        file.leave_undecided(CODE, obeyed.lines)
        return ()


RULE = LintRule(
    code=CODE,
    severity="note",
    finds="An Allow and a Disallow are equally long and match the same path.",
    why=(
        "RFC 9309 says that Allow should be used, but does not require it. Robots that follow an "
        "older document take the first match, or any Disallow."
    ),
    example="User-agent: *\nDisallow: /news/*.pdf\nAllow: /news/year/\n",
    instead="User-agent: *\nDisallow: /news/*.pdf\nAllow: /news/year/*.pdf\n",
    source="RFC 9309 section 2.2.2",
    check=check,
)
