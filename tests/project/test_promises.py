"""Promises around the code: names, weight, words, version, layers, errors."""

import ast
import datetime as dt
import doctest
import importlib
import importlib.metadata
import inspect
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import goodbot
import goodbot.errors
import goodbot.robot
import goodbot.store
from goodbot.errors import StoreError
from tests.support.paths import ROOT
from tests.support.rust_modules import sibling_uses, uses

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


@pytest.mark.parametrize("name", PUBLIC)
def test_public_objects_say_that_they_are_of_goodbot(name: str) -> None:
    """A `repr`, a traceback or a pickle names the module that users import from."""
    value = getattr(goodbot, name)
    if isinstance(value, type):
        assert value.__module__ in {"goodbot", "goodbot.errors"}


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


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_object_has_a_docstring(name: str) -> None:
    """Each docstring begins with a sentence."""
    first = DOCUMENTED[name].strip().split("\n\n")[0]
    assert first.endswith((".", "?", "::", ":")), f"{name}: {first!r}"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_class_and_function_shows_an_example(name: str) -> None:
    """`help` shows an example of each; an exception shows its message instead."""
    value = getattr(goodbot, name)
    if not (isinstance(value, type) and issubclass(value, Exception)):
        assert ">>> " in (value.__doc__ or "")


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
    for node in ast.walk(ast.parse(read(MODULES[module]))):
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
    "threads": 0,
    "simhash": 0,
    "steps": 0,
    "user_agent": 0,
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


@pytest.mark.parametrize("path", CORE_SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_keeps_its_order(path: Path) -> None:
    """`use crate::` only goes down the order of `RUST_ORDER`; neighbours do not meet."""
    module = path.relative_to(CORE / "src").parts[0].removesuffix(".rs")
    if module == "lib":
        return
    for braced, single in re.findall(r"crate::(?:\{([^}]*)\}|(\w+))", rust_code(path)):
        for part in (braced or single).split(","):
            name = part.strip().partition("::")[0]
            used = RUST_ROOT.get(name, name)
            if used and used != module:
                assert RUST_ORDER[used] < RUST_ORDER[module], f"{module} uses {used}"


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


@pytest.mark.parametrize("path", CORE_SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_has_no_clock_disk_network_environment_or_python(path: Path) -> None:
    """Bytes in, answers out: the core reads any input, and uses no clock, disk or network."""
    banned = r"std::(time|fs|net|env|process|io)\b|\b(SystemTime|Instant|pyo3|println!|eprintln!)"
    assert not re.search(banned, rust_code(path))


def test_the_core_forbids_unsafe_code_and_does_not_depend_on_python() -> None:
    """Only the bindings use Python's memory."""
    assert "#![forbid(unsafe_code)]" in read(CORE / "src" / "lib.rs")
    assert "pyo3" not in read(CORE / "Cargo.toml")


# Threads.


def test_public_values_cross_threads() -> None:
    """A file, rules and verdicts made in one thread answer the same in every other."""
    robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /7\n")
    rules = robots.rules_for("ExampleBot")
    verdict = rules.verdict("/7")
    expected = [not str(number).startswith("7") for number in range(2_000)]
    answers: dict[int, list[bool]] = {}

    def ask(thread: int) -> None:
        assert verdict.rule is not None
        assert verdict.rule.line == 2
        assert not robots.allows("/7", f"Bot-{chr(97 + thread)}")
        answers[thread] = [rules.allows(f"/{number}") for number in range(2_000)]

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(8), expected)


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


ROBOTS = goodbot.RobotsTxt("User-agent: *\nDisallow: /a")
RULES = ROBOTS.rules_for("ExampleBot")
GOOGLE = goodbot.dialect("google")

A_URL, A_ROBOTS = "https://a.example/x", "https://a.example/robots.txt"
B_URL, B_ROBOTS = "https://b.example/x", "https://b.example/robots.txt"
NOON = dt.datetime(2025, 1, 1, 12, tzinfo=dt.timezone.utc)


def policy(**changed: Any) -> goodbot.Policy:  # noqa: ANN401 - wrong ones too
    """Return a policy with some arguments that may be wrong."""
    given = {"url": A_ROBOTS, "status": 404, "headers": {}, "body": b"", "now": NOON, **changed}
    return goodbot.Policy.from_response(**given)


def failed(failure: str) -> goodbot.Policy:
    """Return the policy after a failure."""
    return goodbot.Policy.from_failure(A_ROBOTS, failure, now=NOON)


POLICY = policy()

# The exception, what raises it, and the advice that the message must contain.
MISUSES: list[tuple[type[goodbot.GoodbotError], Callable[[], object], str]] = [
    (goodbot.WrongTypeError, lambda: goodbot.RobotsTxt(1), "bytes, str or a buffer"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: goodbot.RobotsTxt("", dialect=1), "name of a dialect"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: ROBOTS.allows(1, "ExampleBot"), "bytes, str"),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: ROBOTS.rules_for(1), 'such as "ExampleBot"'),  # type: ignore[arg-type]
    (goodbot.WrongTypeError, lambda: RULES.allows_many("/a"), "use allows(url)"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many(1), "a sequence of str"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many(np.array([1])), "astype(str)"),
    (goodbot.WrongValueError, lambda: RULES.allows_many([], threads=0), "1 or more"),
    (goodbot.WrongTypeError, lambda: RULES.allows_many([], threads="2"), "an int"),  # type: ignore[call-overload]
    (goodbot.WrongTypeError, lambda: RULES.allows_many({"/a": 1}), "one column"),
    (goodbot.UnknownDialectError, lambda: goodbot.dialect("\ud800"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.RobotsTxt("", dialect="\ud800"), "rfc9309"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(tie="\ud800"), "allow or disallow"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(size_limit="x"), "0 or a number"),
    (goodbot.WrongValueError, lambda: goodbot.VisitTime.parse("x"), "such as 0600-0845"),
    (goodbot.WrongValueError, lambda: goodbot.RequestRate.parse("x"), "such as 1/10"),
    (goodbot.RobotNameError, lambda: ROBOTS.rules_for(""), 'such as "ExampleBot"'),
    (goodbot.RobotNameError, lambda: ROBOTS.allows("A", "https://a.example/"), "after the URL"),
    (goodbot.NoOriginError, lambda: goodbot.origin("/a"), "such as https://example.com/page"),
    (goodbot.NoOriginError, lambda: goodbot.robots_txt_url("mailto:a@b"), "http, https and ftp"),
    (goodbot.WrongTypeError, goodbot.Policy, "Policy.from_response"),
    (goodbot.WrongTypeError, lambda: policy(status="200"), "such as 200"),
    (goodbot.WrongTypeError, lambda: policy(now=1), "datetime.now(timezone.utc)"),
    (goodbot.WrongTypeError, lambda: policy(headers=1), "{'Cache-Control': 'max-age=3600'}"),
    (goodbot.WrongTypeError, lambda: policy(body=1), "bytes, str or a buffer"),
    (goodbot.WrongTypeError, lambda: policy(previous=1), "a Policy or None"),
    (goodbot.WrongValueError, lambda: policy(now=dt.datetime(2025, 1, 1)), "an aware datetime"),  # noqa: DTZ001
    (goodbot.WrongValueError, lambda: policy(url="https://a.example/"), "a.example/robots.txt"),
    (goodbot.WrongValueError, lambda: failed("x"), "dns, refused"),
    (goodbot.WrongValueError, lambda: goodbot.Policy.from_record({}), "fetch robots.txt again"),
    (goodbot.OtherOriginError, lambda: POLICY.allows(B_URL, "B"), "b.example/robots.txt"),
    (goodbot.OtherOriginError, lambda: policy(url=B_ROBOTS, previous=POLICY), "leave it out"),
    (goodbot.NoOriginError, lambda: POLICY.allows("/a", "ExampleBot"), "such as https://"),
    (goodbot.RobotNameError, lambda: POLICY.allows(A_URL, ""), 'such as "ExampleBot"'),
    (goodbot.UnknownDialectError, lambda: policy(policy_dialect="x"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.dialect("x"), "rfc9309, google"),
    (goodbot.UnknownDialectError, lambda: goodbot.RobotsTxt("", dialect="x"), "rfc9309, google"),
    (goodbot.UnknownVocabularyError, lambda: RULES.usage("/", vocabulary="x"), "aipref-08"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(x="y"), "precedence, tie"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(tie="y"), "allow or disallow"),
    (goodbot.DialectChoiceError, lambda: GOOGLE.replace(size_limit=-1), "a number from 0"),
]


@pytest.mark.parametrize(("error", "misuse", "cure"), MISUSES)
def test_every_message_tells_the_cure(
    error: type[goodbot.GoodbotError], misuse: Callable[[], object], cure: str
) -> None:
    """Misuse raises the right exception, and the message says how to fix it."""
    with pytest.raises(error, match=re.escape(cure)) as caught:
        misuse()
    assert type(caught.value) is error


def test_every_exception_that_can_be_raised_is_tried() -> None:
    """Each exception below `MisuseError` is among the misuses above."""
    tried = {error for error, _, _ in MISUSES}
    classes = {getattr(goodbot.errors, name) for name in goodbot.errors.__all__}
    assert {one for one in classes if issubclass(one, goodbot.MisuseError)} - tried == {
        goodbot.MisuseError
    }
