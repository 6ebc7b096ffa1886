"""What no code of the package may do: ask for a dialect by name, overrule robots.txt."""

import ast
import re
from collections.abc import Iterator

import goodbot
from tests.support.sources import PACKAGE, modules, text_of, tree_of

DIALECTS = {one.name for one in goodbot.dialects()}
OVERRULING = {"anyway", "overrule", "force", "ignore_robots_txt"}
FORMER_STATES = re.compile(r"""["'](forbidden|left-out|put-off)["']""")
MAY_NAME_THEM = {
    "crawl/folder/tables.py": "the step that renames them",
    "policy/outcomes.py": "an outcome of a request for robots.txt, 403",
    "policy/outcome_tables.py": "the same",
    "policy/decide.py": "the same, as the reason of a policy",
    "adapters/robotparser.py": "the same",
    "testing/behaviours.py": "a site that answers like this",
}
"""Modules that may use such a name, each with its reason."""


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression, in order."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def names_compared(code: ast.AST) -> set[int]:
    """Return the lines that compare something with the name of a dialect."""
    return {
        compared.lineno
        for compared in ast.walk(code)
        if isinstance(compared, ast.Compare)
        for side in (compared.left, *compared.comparators)
        if not DIALECTS.isdisjoint(texts(side))
    }


def test_no_code_asks_for_a_dialect_by_name() -> None:
    """A new dialect is a constant and a row of the table."""
    assert names_compared(ast.parse('dialect == "google"'))
    found = [f"{path}:{line}" for path in modules() for line in names_compared(tree_of(path))]
    assert not found


def test_the_library_cannot_overrule_robots_txt() -> None:
    """Only the command line knows --anyway: no argument outside of it has the name."""
    others = [path for path in modules() if "cli" not in path.parts]
    named = [
        f"{path}: {argument.arg}"
        for path in others
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.arguments)
        for argument in (*node.args, *node.kwonlyargs)
        if argument.arg in OVERRULING
    ]
    assert len(others) > 100
    assert not named


def test_no_code_uses_the_former_name_of_a_state() -> None:
    """A comparison with a name that is no longer stored would never match."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if FORMER_STATES.search(text_of(path))
    }
    assert found == set(MAY_NAME_THEM)


def choice_of(node: ast.AST) -> list[str]:
    """Return the choices of a dialect that an expression names: `dialect.choices["star"]`."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).split(".")[-1] == "choices":
        return list(texts(node.slice))
    return []


def test_choices_that_are_asked_for_exist() -> None:
    """The package compares only choices that exist, with values that they can have."""
    known = {name: {value for value, _ in values} for name, _, values in goodbot.choices()}
    asked = 0
    for path in modules():
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Compare):
                continue
            for name in choice_of(node.left):
                values = {text for side in node.comparators for text in texts(side)}
                assert values <= known[name], f"{path}:{node.lineno}"
                asked += 1
    assert asked > 5
