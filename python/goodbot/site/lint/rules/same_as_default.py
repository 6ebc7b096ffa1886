"""A group that says what the group for `*` says already."""

from collections.abc import Iterator

from goodbot._core import Rules
from goodbot.site.lint.checked_file import CheckedFile, Obeyed, named
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.proof_budget import Undecided
from goodbot.site.reasoning.difference import url_of

__all__ = ["RULE"]

CODE = "same-as-default"
STATING = frozenset({"content-usage", "content-signal", "license"})
"""The fields that state uses, some of them for a path."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report groups without which nothing would change."""
    default = file.default
    for obeyed in file.obeyed:
        if (
            obeyed.is_named
            and not file.is_open_by_intent(obeyed)
            and is_same(file, default, obeyed)
            and file.can_remove_groups(obeyed, CODE)
        ):
            message = (
                f"{named(obeyed.names)} may fetch exactly what the rules for * allow. "
                "Remove the group, unless you want to change it soon."
            )
            robots = tuple(obeyed.names)
            yield LintProblem(obeyed.line, message, others=(default.line,), robots=robots)


def is_same(file: CheckedFile, default: Obeyed, obeyed: Obeyed) -> bool:
    """Whether a group says the same as the group for `*`, also beside its rules."""
    if not len(obeyed.rules) or stated(default.rules) != stated(obeyed.rules):
        return False
    if uses_stated(file, default) != uses_stated(file, obeyed):
        return False
    if default.patterns == obeyed.patterns:
        return True
    for one in (*(file.reach(default) or ()), *(file.reach(obeyed) or ())):
        if one.example is not None:
            url = url_of(one.example)
            if default.rules.allows(url) != obeyed.rules.allows(url):
                return False
    try:
        return file.budget.is_same(default.rules, obeyed.rules)
    except Undecided:
        file.leave_undecided(CODE, [obeyed.line])
        return False


def stated(rules: Rules) -> tuple[object, ...]:
    """Return what is said beside Allow and Disallow."""
    usage = rules.usage("/")
    return (
        rules.crawl_delay,
        rules.request_rates,
        rules.visit_times,
        rules.comments,
        rules.please_visit,
        usage.content_usage,
        usage.content_signal,
        usage.licenses,
    )


def uses_stated(file: CheckedFile, obeyed: Obeyed) -> set[tuple[str, str]]:
    """Return the lines on uses, whose paths may be other ones than those of the rules."""
    fields = file.robots.fields_for(obeyed.names[0])
    return {(name.lower(), value) for name, value, _line in fields if name.lower() in STATING}


RULE = LintRule(
    code=CODE,
    severity="note",
    finds="A group says what the group for `*` says.",
    why=(
        "Without the group, the robots would obey the same rules. Two lists of the same thing "
        "drift apart when only one of them is changed."
    ),
    example="User-agent: *\nDisallow: /cart/\n\nUser-agent: ExampleBot\nDisallow: /cart/\n",
    instead="User-agent: *\nDisallow: /cart/\n",
    source="RFC 9309 section 2.2.1",
    check=check,
)
