"""One word names one thing: classes and modules do not share a name without a reason."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.support.paths import ROOT

PACKAGE = ROOT / "python" / "goodbot"

SAME_CLASSES = {
    "RefusedByRobotsError": "each is also an exception of the library that it is raised in",
    "RequestRate": "named as in the two libraries that the adapters stand in for",
    "Robot": "`goodbot.blocking.Robot` is `goodbot.Robot` without `async`, with the same methods",
}
"""Classes that share a name for a reason."""

SAME_MODULES = {
    "clock": "`testing` has the clock that tests put in the place of `net`'s",
    "dates": "of HTTP, and of the documents on `unavailable_after`, which have more forms",
    "dialects": "records of choices, one module for each layer that has them",
    "events": "what a robot tells, and what a crawl tells",
    "failures": "what can fail in a fetch, and in a store",
    "finding_codes": "one table of codes for each layer that has findings",
    "history": "past visits to an origin; of one URL, as evidence and in print",
    "identity": "who asks, and the options that say so",
    "memory": "what is kept in memory: a queue, a store",
    "inputs": "what is handed to a layer, checked",
    "protocol": "what a queue, an index and an archive must be able to do, whatever keeps them",
    "reading": "what other rooms may read of a room's tables; how a document is read",
    "schema": "what a file has, and its version: the tables of a store, a table of policies",
    "skipped": "what was not fetched: by an adapter, by a crawl",
    "sqlite": "what is kept in SQLite: a queue, an index, a store",
    "summary": "of a crawl: in the report, and in print",
    "verdict": "one for each layer that gives verdicts",
}
"""Modules that share a name for a reason. The verbs of the command line are not looked at: each has
the name that is typed."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path of each module within the package, and its syntax tree."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(text)


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


def test_no_two_modules_share_a_name() -> None:
    """A name identifies one file; rooms share one only if they share the thing."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, _ in trees():
        room, _, file = path.rpartition("/")
        if not room.startswith("cli/verbs") and not file.startswith("__"):
            found[file].append(path)
    same = {file.removesuffix(".py"): paths for file, paths in found.items() if len(paths) > 1}
    assert {name: paths for name, paths in same.items() if name not in SAME_MODULES} == {}
    assert SAME_MODULES.keys() <= same.keys()
