"""Dialects differ by the rows of their tables, and never by code that asks for their names."""

import ast
from pathlib import Path

import goodbot
from goodbot.policy.outcome_tables import POLICY_DIALECTS, meaning_of, missing_after

PACKAGE = Path(goodbot.__file__).parent
NAMES = {one.name for one in goodbot.dialects()}


def names_compared(code: ast.AST) -> set[int]:
    """Return the lines that compare something with the name of a dialect."""
    return {
        node.lineno
        for one in ast.walk(code)
        if isinstance(one, ast.Compare)
        for side in (one.left, *one.comparators)
        for node in ast.walk(side)
        if isinstance(node, ast.Constant) and node.value in NAMES
    }


def test_no_code_asks_for_a_dialect_by_name() -> None:
    """A new dialect is a constant and a row of the table."""
    assert names_compared(ast.parse('dialect == "google"'))
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in names_compared(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found


def test_what_an_unreachable_robots_txt_means_follows_from_the_steps_of_the_dialect() -> None:
    """Google's first step ends after twelve hours; a table of one's own decides the same way."""
    for name, policy in POLICY_DIALECTS.items():
        first = policy.ladder[0].until
        assert missing_after(name) == (2_592_000 if first is None else first)
        is_unreachable = policy.outcomes["too-many-requests"].treatment == "unreachable"
        assert (meaning_of(429, name) == "unreachable") is is_unreachable
    own = POLICY_DIALECTS["rfc9309"].replace(ladder=POLICY_DIALECTS["google"].ladder)
    assert missing_after(own) == 43_200
