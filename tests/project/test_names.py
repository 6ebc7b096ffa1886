"""One word names one thing: classes do not share a name without a reason."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.support.sources import PACKAGE, modules, tree_of

SAME_CLASSES = {
    "RefusedByRobotsError": "each is also an exception of the library that it is raised in",
    "RequestRate": "named as in the two libraries that the adapters stand in for",
    "Robot": "`goodbot.blocking.Robot` is `goodbot.Robot` without `async`, with the same methods",
}
"""Classes that share a name for a reason."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path of each module within the package, and its syntax tree."""
    for path in modules():
        yield path.relative_to(PACKAGE).as_posix(), tree_of(path)


def defined(module: ast.Module) -> Iterator[str]:
    """Yield the names of the classes and types that a module defines, without type variables."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or "TypeVar(" in ast.unparse(node):
            continue
        for target in [node.target] if isinstance(node, ast.AnnAssign) else node.targets:
            if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                yield target.id


def test_no_two_classes_share_a_name() -> None:
    """A name identifies one class; the exceptions exist, and have a reason."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, module in trees():
        for name in defined(module):
            found[name].append(path)
    same = {name: paths for name, paths in found.items() if len(paths) > 1}
    assert {name: paths for name, paths in same.items() if name not in SAME_CLASSES} == {}
    assert SAME_CLASSES.keys() <= same.keys()
