"""Every rule of lint, in the order in which they are asked.

Scope: the one list. A rule is a file in `goodbot.site.lint.rules`.
"""

from goodbot.errors import WrongValueError
from goodbot.site.lint.lint_rule import LintRule
from goodbot.site.lint.rules import (
    blocks_sitemap_urls,
    blocks_styles_and_scripts,
    core_findings,
    crawl_delay_ignored,
    default_rules_dropped,
    dialects_differ,
    engine_limit,
    everything_disallowed,
    faulty_sitemap,
    matches_nothing,
    misspelt_robot,
    never_decides,
    no_rules,
    non_standard_field,
    not_plain_text,
    purpose_tokens,
    redundant_rule,
    repeated_rule,
    robot_does_not_obey,
    robot_named_twice,
    same_as_default,
    signals_contradict,
    tied_rules,
    undecided,
    unused_ignore,
)

__all__ = ["LINT_RULES", "lint_rule"]

LINT_RULES: dict[str, LintRule] = {
    rule.code: rule
    for rule in (
        *core_findings.RULES,
        non_standard_field.RULE,
        *purpose_tokens.RULES,
        engine_limit.RULE,
        misspelt_robot.RULE,
        robot_named_twice.RULE,
        robot_does_not_obey.RULE,
        crawl_delay_ignored.RULE,
        repeated_rule.RULE,
        not_plain_text.RULE,
        no_rules.RULE,
        everything_disallowed.RULE,
        blocks_sitemap_urls.RULE,
        faulty_sitemap.RULE,
        signals_contradict.RULE,
        blocks_styles_and_scripts.RULE,
        # These prove something about all paths. The cheap proofs come first, because a file has
        # one budget for all of them.
        never_decides.RULE,
        matches_nothing.RULE,
        default_rules_dropped.RULE,
        dialects_differ.RULE,
        same_as_default.RULE,
        tied_rules.RULE,
        redundant_rule.RULE,
        undecided.RULE,
        unused_ignore.RULE,
    )
}
"""The rules by their codes."""


def lint_rule(code: str) -> LintRule:
    """Return the rule with a code.

    Raises:
        WrongValueError: There is none; the message names the nearest.

    """
    rule = LINT_RULES.get(code)
    if rule is None:
        from difflib import get_close_matches  # noqa: PLC0415  slow to load, and only errors need it

        near = get_close_matches(code[:60], LINT_RULES, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        message = f"lint has no rule {code[:60]!r}.{meant} 'goodbot lint --explain all' lists them"
        raise WrongValueError(message)
    return rule
