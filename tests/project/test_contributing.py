"""CONTRIBUTING.md is accurate: what its table names exists, and the tables that it names agree."""

import re
from typing import Any

import goodbot
from goodbot.cli.program import LAZY
from goodbot.cli.shared.verb_groups import VerbGroup
from goodbot.page import PAGE_DIALECTS
from goodbot.policy.outcome_tables import POLICY_DIALECTS
from goodbot.policy.outcomes import OUTCOMES
from goodbot.site.lint import LINT_RULES, lint
from goodbot.site.lint.checked_file import CheckedFile
from tests.support import conformance_cases as data
from tests.support.paths import ROOT
from tests.support.sources import text_of

TABLE = (
    (ROOT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .partition("## To change X, edit Y")[2]
    .partition("\n## ")[0]
)
ROWS = [line for line in TABLE.splitlines() if line.startswith("| a")]
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]*)+)`(?: \(((?:`\w+`(?:, | or )?)+)\))?")
"""A path, and perhaps the names in that file that matter."""

PLACES = sorted({(path, names) for row in ROWS for path, names in NAMED.findall(row)})


def test_there_are_rows_for_what_is_added_most() -> None:
    """A table without rows would check nothing."""
    subjects = " ".join(row.split("|")[1] for row in ROWS)
    for word in ("dialect", "field", "directive", "mark", "status", "column", "verb", "case"):
        assert word in subjects
    assert len(PLACES) > 40


def test_each_place_is_there() -> None:
    """The file or folder exists, and the names beside it occur in the file."""
    gone = [path for path, _ in PLACES if not (ROOT / path).exists()]
    assert not gone, "CONTRIBUTING.md names paths that are gone"
    missing = [
        f"{path} has no {name}: correct CONTRIBUTING.md"
        for path, names in PLACES
        for name in re.findall(r"\w+", names.replace(" or ", " "))
        if not re.search(rf"\b{name}\b", text_of(ROOT / path))
    ]
    assert not missing, "\n".join(missing)


def test_each_dialect_has_its_rows_and_its_cases() -> None:
    """The dialects of the core are those of the policy tables, and each has its own cases."""
    names = [dialect.name for dialect in goodbot.dialects()]
    assert list(POLICY_DIALECTS) == names
    assert set(PAGE_DIALECTS) - {*names, "meta1996"} == set()
    for folder in ("robots_txt",):
        cases = {case.get("dialect", "rfc9309") for case in data.cases(folder)}
        assert set(names) - cases == set(), f"dialects without a case in conformance/{folder}"
    for dialect in POLICY_DIALECTS.values():
        assert dialect.outcomes.keys() == OUTCOMES.keys(), dialect.name


def test_each_verb_has_a_file_and_each_file_a_verb() -> None:
    """Each verb loads from its house, and the files of `cli/verbs` are verbs."""
    package = ROOT / "python/goodbot"
    files = [
        file.relative_to(package).with_suffix("") for file in package.glob("cli/verbs/**/[!_]*.py")
    ]
    groups = [verb for verb in (one.load() for one in LAZY.values()) if isinstance(verb, VerbGroup)]
    lazy = [*LAZY.values(), *(below for group in groups for below in group.lazy.values())]
    modules = {one.module for one in lazy}
    assert {".".join(file.parts) for file in files} == {
        module for module in modules if module.startswith("cli.verbs.")
    }
    for file in package.glob("*/verbs/**/*.py"):
        if re.search(
            r"^@click\.(?:command|group)\(", file.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert ".".join(file.relative_to(package).with_suffix("").parts) in modules, file
    for module in modules:
        assert package.joinpath(*module.split(".")).with_suffix(".py").is_file(), module


def test_the_worked_example_is_a_rule_of_lint() -> None:
    """The file that the page shows is one: its check finds what its example has, and no more."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    module: dict[str, Any] = {}
    exec(compile(source, "CONTRIBUTING.md", "exec"), module)  # noqa: S102  ours
    rule = module["RULE"]
    assert rule.code not in LINT_RULES
    (found,) = rule.check(CheckedFile(rule.example.encode()))
    assert f"{found.line}: {rule.severity}: {found.message} [{rule.code}]" in text
    assert not list(rule.check(CheckedFile(rule.instead.encode())))
    assert not lint(rule.example).findings
