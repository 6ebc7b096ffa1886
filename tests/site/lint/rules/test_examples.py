"""Every rule of lint: its example has exactly its finding, and what to write instead has none."""

import pkgutil
from importlib import import_module

import pytest

from goodbot import finding_codes
from goodbot.site.lint import LINT_RULES, LintRule, lint, rules
from goodbot.site.lint.rules.core_findings import OTHER_DIALECTS

EVERY = pytest.mark.parametrize("rule", LINT_RULES.values(), ids=list(LINT_RULES))
NEVER_ALONE = {
    "findings-cut": {"unknown-field"},
    "default-in-new-version": {"ignored-by-dialect"},
}
"""Findings that other ones cause."""


@EVERY
def test_the_example_has_exactly_this_finding(rule: LintRule) -> None:
    """The example is a file with this mistake and no other."""
    found = lint(
        rule.example,
        sitemap_urls=rule.sitemap,
        sitemap_problems=rule.sitemap_problems,
        answer=rule.answer,
    ).findings
    codes = {one.code for one in found} - NEVER_ALONE.get(rule.code, set())
    assert codes == {rule.code}
    assert rule.code in NEVER_ALONE or rule.code == "undecided" or len(found) == 1


@EVERY
def test_what_to_write_instead_has_no_finding(rule: LintRule) -> None:
    """The corrected file is free of findings, also with its sitemap."""
    assert lint(rule.instead, sitemap_urls=rule.sitemap).findings == ()


@EVERY
def test_the_explanation_is_complete(rule: LintRule) -> None:
    """Each rule says in sentences what it finds and why, and who says so."""
    assert rule.finds.endswith(".")
    assert rule.why.endswith(".")
    assert rule.source
    assert len(rule.shown(rule.example)) < 2_100


def test_every_code_of_the_core_is_explained() -> None:
    """A code of the core is a rule of lint, unless only other dialects have it."""
    codes = {code for code, _severity, _meaning in finding_codes()}
    assert codes - LINT_RULES.keys() == OTHER_DIALECTS


def test_every_rule_is_in_the_registry_under_a_code_of_its_own() -> None:
    """No file is forgotten, and none takes the place of another rule with the same code."""
    for found in pkgutil.iter_modules(rules.__path__):
        module = import_module(f"{rules.__name__}.{found.name}")
        for rule in getattr(module, "RULES", None) or [module.RULE]:
            assert LINT_RULES.get(rule.code) is rule, f"{found.name}: {rule.code}"
