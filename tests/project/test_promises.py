"""Promises around the code: names, weight, words, version, layers, errors."""

import ast
import doctest
import importlib
import importlib.metadata
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

import goodbot
import goodbot.errors
import goodbot.robot
import goodbot.store
from goodbot.errors import StoreError
from tests.support.paths import ROOT
from tests.support.rust_modules import sibling_uses, uses
from tests.support.sources import tree_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "python" / "goodbot"
CORE = ROOT / "crates" / "goodbot-core"

PUBLIC = [name for name in goodbot.__all__ if not name.startswith("_")]


def read(path: Path) -> str:
    """Return the text of one of our files."""
    return path.read_text(encoding="utf-8")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command that must succeed, and return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603 - a command of this file
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Names.


def test_all_is_sorted_and_is_what_can_be_imported() -> None:
    """`__all__` lists every public name of the package and nothing else, in order."""
    assert list(goodbot.__all__) == sorted(goodbot.__all__)
    names = {
        name
        for name in {*vars(goodbot), *goodbot.__all__}
        if not name.startswith("_")
        and name != "TYPE_CHECKING"
        and not inspect.ismodule(getattr(goodbot, name))
    }
    assert names | {"__version__"} == set(goodbot.__all__)
    direct = StoreError.__subclasses__()
    errors: list[type[Exception]] = [StoreError, *direct]
    errors += [error for one in direct for error in one.__subclasses__()]
    stores = {error.__name__ for error in errors}
    # Only those who visit need them: they are next to the events and records of visits.
    visits = {"Deferred", "Disallowed"}
    # Only those who open the folder of a crawl need it.
    crawls = {"NoCrawlError"}
    # Warning filters name them by their module.
    warnings = {"GoodbotWarning", "LooksLikeAddressWarning"}
    elsewhere = stores | visits | crawls | warnings
    assert set(goodbot.errors.__all__) - elsewhere <= set(goodbot.__all__)
    assert stores <= set(goodbot.store.__all__)
    assert visits <= set(goodbot.robot.__all__)


def test_public_objects_say_that_they_are_of_goodbot() -> None:
    """A `repr`, a traceback or a pickle names the module that users import from."""
    values = {name: getattr(goodbot, name) for name in PUBLIC}
    classes = {name: value for name, value in values.items() if isinstance(value, type)}
    homes = {name: kind.__module__ for name, kind in classes.items()}
    assert {
        name: home for name, home in homes.items() if home not in {"goodbot", "goodbot.errors"}
    } == {}
    assert homes


# Weight.


def test_import_loads_the_core_and_nothing_else() -> None:
    """A fresh interpreter loads the package, the core, the exceptions, and the earlier names."""
    program = (
        "import sys; before = set(sys.modules); import goodbot;"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = run(sys.executable, "-c", program).split()
    assert loaded == ["goodbot", "goodbot._core", "goodbot.earlier_names", "goodbot.errors"]


# Words.


def documented() -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each public object, including members."""
    yield "goodbot", goodbot.__doc__ or ""
    yield "goodbot.errors", goodbot.errors.__doc__ or ""
    for name in PUBLIC:
        value = getattr(goodbot, name)
        yield name, value.__doc__ or ""
        if isinstance(value, type) and not issubclass(value, Exception):
            for member in sorted(vars(value)):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(value, member).__doc__ or ""


DOCUMENTED = dict(documented())


def test_every_public_object_has_a_docstring() -> None:
    """Each docstring begins with a sentence."""
    firsts = {name: words.strip().split("\n\n")[0] for name, words in DOCUMENTED.items()}
    assert len(firsts) > 200
    assert {
        name: first for name, first in firsts.items() if not first.endswith((".", "?", "::", ":"))
    } == {}


def test_every_public_class_and_function_shows_an_example() -> None:
    """`help` shows an example of each; an exception shows its message instead."""
    values = {name: getattr(goodbot, name) for name in PUBLIC}
    assert [
        name
        for name, value in values.items()
        if not (isinstance(value, type) and issubclass(value, Exception))
        and ">>> " not in (value.__doc__ or "")
    ] == []


def test_every_example_in_a_docstring_runs() -> None:
    """All examples in docstrings return what they show, and there are many of them."""
    runner = doctest.DocTestRunner(verbose=False)
    report: list[str] = []
    for name, words in DOCUMENTED.items():
        test = doctest.DocTestParser().get_doctest(inspect.cleandoc(words), {}, name, None, 0)
        runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert runner.tries > 80


# Version.


def test_the_version_is_in_one_place() -> None:
    """The workspace states it; the crates, the module and the metadata read it from there."""
    version = tomllib.loads(read(ROOT / "Cargo.toml"))["workspace"]["package"]["version"]
    assert goodbot.__version__ == version
    assert importlib.metadata.version("goodbot") == version
    assert "version" in tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["dynamic"]
    for crate in (ROOT / "crates").glob("*/Cargo.toml"):
        assert tomllib.loads(read(crate))["package"]["version"] == {"workspace": True}, crate


def test_the_newest_heading_of_the_changelog_is_the_version() -> None:
    """The changes of the installed version are at the top of the list."""
    changelog = read(ROOT / "CHANGELOG.md")
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+\S*?)\]?(?:\s|$)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == goodbot.__version__


# Imports of Python. Layers and walls are in pyproject.toml: `lint-imports` checks them.


def modules() -> dict[str, Path]:
    """Return the modules of the package by name; the compiled one by its stub."""
    found = {}
    for path in [*PACKAGE.rglob("*.py"), PACKAGE / "_core.pyi"]:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(module: str) -> set[str]:
    """Return our modules that a module imports, at any place in it.

    A stub imports only types: the compiled module uses none of our modules.
    """
    if MODULES[module].suffix == ".pyi":
        return set()
    found = set()
    package = module if MODULES[module].stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(tree_of(MODULES[module])):
        if isinstance(node, ast.Import):
            found |= {known(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            target = ".".join(filter(None, [base, node.module]))
            found |= {known(f"{target}.{alias.name}") for alias in node.names}
    return found - {"", module}


def known(name: str) -> str:
    """Return the longest prefix of a dotted name that is one of our modules; empty if none is."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def in_rings(needed: Mapping[str, AbstractSet[str]]) -> list[str]:
    """Return what is left when those that need none of the others are removed, again and again."""
    left = dict(needed)
    while leaves := {name for name, others in left.items() if not others & left.keys()}:
        for name in leaves:
            del left[name]
    return sorted(left)


def test_no_imports_run_in_a_ring() -> None:
    """No modules of Python import one another, directly or through others."""
    left = in_rings({module: imports(module) for module in MODULES})
    assert not left, f"these import one another: {left}"


# Layers of Rust.

RUST_ORDER = {
    "named": 0,
    "packed": 0,
    "quote": 0,
    "deflate": 0,
    "digest": 0,
    "threads": 0,
    "url_parser": 0,
    "simhash": 0,
    "token": 0,
    "steps": 0,
    "user_agent": 0,
    "knowledge": 0,
    "field": 1,
    "address": 1,
    "spellings": 2,
    "sent_path": 2,
    "dialect": 2,
    "dialects": 3,
    "escape": 4,
    "target": 5,
    "verdict": 5,
    "html": 5,
    "xml": 5,
    "robots_txt": 6,
    "page": 6,
    "sitemap": 6,
    "columns": 7,
    "reasoning": 7,
    "log": 7,
    "warc": 7,
    "link_rows": 7,
    "captures": 8,
}
# What the root of the crate exports again, and where it comes from.
RUST_ROOT = {
    "Dialect": "dialect",
    "Finding": "robots_txt",
    "RobotsTxt": "robots_txt",
    "Rules": "robots_txt",
    "Verdict": "verdict",
}
CORE_SOURCES = sorted((CORE / "src").rglob("*.rs"))


def rust_code(path: Path) -> str:
    """Return the code of a Rust file without its comments."""
    return re.sub(r"//.*", "", read(path))


def modules_used(path: Path, module: str) -> Iterator[str]:
    """Yield the other modules of the core that a file of this module uses."""
    for braced, single in re.findall(r"crate::(?:\{([^}]*)\}|(\w+))", rust_code(path)):
        for part in (braced or single).split(","):
            name = part.strip().partition("::")[0]
            used = RUST_ROOT.get(name, name)
            if used and used != module:
                yield used


def test_the_core_keeps_its_order() -> None:
    """`use crate::` only goes down the order of `RUST_ORDER`; neighbours do not meet."""
    modules = {path: path.relative_to(CORE / "src").parts[0] for path in CORE_SOURCES}
    arrows = {
        (module, used)
        for path, name in modules.items()
        if (module := name.removesuffix(".rs")) != "lib"
        for used in modules_used(path, module)
    }
    assert len(arrows) > 50
    assert [
        f"{module} uses {used}"
        for module, used in sorted(arrows)
        if RUST_ORDER[used] >= RUST_ORDER[module]
    ] == []


RUST_SOURCES = [
    *sorted(path for path in (ROOT / "crates").glob("*/src")),
    ROOT / "plugins" / "polars" / "src",
]


@pytest.mark.parametrize("sources", RUST_SOURCES, ids=lambda path: path.parent.name)
def test_no_modules_of_rust_use_one_another_in_a_ring(sources: Path) -> None:
    """Modules with the same parent, each with what is in it, can be read one by one."""
    graphs = sibling_uses(uses(sources))
    assert graphs
    for parent, needed in graphs.items():
        left = in_rings(needed)
        assert not left, f"in {'::'.join(('crate', *parent))}, these use one another: {left}"


@pytest.mark.parametrize(
    "use",
    [
        "use super::judge::Judge;",
        "use crate::inner::{rules, judge::{self, Judge}};",
        "fn asked() { super::judge::ask(b'\\'') }",
        "use super::*;\nfn asked() { judge::ask() }",
        "use super::super::inner::Judge as Other;",
        'const NAME: &str = "a \\" // quote"; use super::judge::Judge;',
    ],
)
def test_a_ring_of_rust_is_found(tmp_path: Path, use: str) -> None:
    """However a path is written, and through a name that a parent exports again."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "lib.rs").write_text("mod inner;\n")
    (inner / "mod.rs").write_text("mod judge;\nmod rules;\npub use judge::Judge;\n")
    (inner / "judge.rs").write_text(
        "use super::rules::Rules;\npub struct Judge(Rules);\npub fn ask() {}"
    )
    (inner / "rules.rs").write_text(f"{use}\npub struct Rules;\n")
    assert in_rings(sibling_uses(uses(tmp_path))["inner",]) == ["judge", "rules"]


@pytest.mark.parametrize(
    "code",
    [
        "// use super::judge::Judge;",
        'const PATH: &str = "super::judge::Judge";',
        "#[cfg(test)]\nmod tests {\n    use super::super::judge::Judge;\n}",
    ],
)
def test_comments_texts_and_tests_of_rust_make_no_ring(tmp_path: Path, code: str) -> None:
    """What is not compiled into the crate uses nothing."""
    (tmp_path / "lib.rs").write_text("mod judge;\nmod rules;\n")
    (tmp_path / "judge.rs").write_text("use crate::rules::Rules;\npub struct Judge(Rules);\n")
    (tmp_path / "rules.rs").write_text(f"{code}\npub struct Rules;\n")
    graph = sibling_uses(uses(tmp_path))[()]
    assert graph == {"judge": {"rules"}}
    assert in_rings(graph) == []


def test_the_core_has_no_clock_disk_network_environment_or_python() -> None:
    """Bytes in, answers out: the core reads any input, and uses no clock, disk or network."""
    banned = r"std::(time|fs|net|env|process|io)\b|\b(SystemTime|Instant|pyo3|println!|eprintln!)"
    assert re.search(banned, "use std::time::Instant;")
    assert len(CORE_SOURCES) > 100
    assert [path for path in CORE_SOURCES if re.search(banned, rust_code(path))] == []


def test_the_core_forbids_unsafe_code_and_does_not_depend_on_python() -> None:
    """Only the bindings use Python's memory."""
    assert "#![forbid(unsafe_code)]" in read(CORE / "src" / "lib.rs")
    assert "pyo3" not in read(CORE / "Cargo.toml")


# Exceptions.


def drawn() -> Iterator[tuple[str, str | None]]:
    """Yield each class of the tree in the docstring of `errors.py`, and its parent."""
    above: list[tuple[int, str]] = []
    for line in (goodbot.errors.__doc__ or "").splitlines():
        root = r"GoodbotError$|GoodbotWarning(?= +also)"
        if found := re.match(rf"((?:[\s│]*[├└]── )?\s*)({root}|(?<=── )\w+)", line):
            depth = len(found[1])
            above = [pair for pair in above if pair[0] < depth]
            yield found[2], above[-1][1] if above else None
            above.append((depth, found[2]))


def test_the_tree_of_exceptions_is_drawn_as_it_is() -> None:
    """Every exception is in the drawing, below its base class."""
    tree = dict(drawn())
    assert sorted(tree) == sorted(goodbot.errors.__all__)
    for name, parent in tree.items():
        error = getattr(goodbot.errors, name)
        root = "UserWarning" if name == "GoodbotWarning" else "Exception"
        assert error.__bases__[0].__name__ == (parent or root)
    for line in (goodbot.errors.__doc__ or "").splitlines():
        if also := re.search(r"(\w+Error) +also an? (\w+)", line):
            builtin = getattr(importlib.import_module("builtins"), also[2])
            assert issubclass(getattr(goodbot, also[1]), builtin)
