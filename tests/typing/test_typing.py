"""The typed face holds: for users, and against the compiled module."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import goodbot
from goodbot.page.marks import ANCHOR, ARCHIVE, FOLLOW, INDEX, SNIPPET
from goodbot.page.readers.marked import LIMITS, SECTION_ACTS
from goodbot.page.resolving import Why
from goodbot.page.verdict import Act

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STUB = ROOT / "python" / "goodbot" / "_core.pyi"
ALLOWLIST = HERE / "stubtest-allowlist.txt"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a module of this interpreter at the root, and give back what it printed."""
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own words


@pytest.mark.timeout(300)
def test_users_see_the_types_that_api_py_asserts() -> None:
    """`mypy --strict` passes over `api.py`, its refused mistakes included."""
    done = run("mypy", "--strict", HERE / "api.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_api_py_also_runs() -> None:
    """What is asserted of types is no fiction: the same lines run."""
    runpy.run_path(str(HERE / "api.py"), run_name="__main__")


@pytest.mark.timeout(300)
def test_the_stub_agrees_with_the_compiled_module() -> None:
    """`mypy.stubtest` finds no difference but those that the allowlist names."""
    done = run("mypy.stubtest", "goodbot._core", "--allowlist", ALLOWLIST)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_line_of_the_allowlist_has_its_reason() -> None:
    """Above every entry stands a comment that says why it is there."""
    above = ""
    for line in ALLOWLIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            assert above.startswith("#"), f"{line!r} stands without a reason"
        above = line


def literals(of_class: str, of_property: str) -> set[str]:
    """Give the strings that the stub says a property can be."""
    classes = ast.parse(STUB.read_text(encoding="utf-8")).body
    found = next(node for node in classes if getattr(node, "name", "") == of_class)
    assert isinstance(found, ast.ClassDef)
    member = next(node for node in found.body if getattr(node, "name", "") == of_property)
    assert isinstance(member, ast.FunctionDef)
    assert member.returns is not None
    constants = (node for node in ast.walk(member.returns) if isinstance(node, ast.Constant))
    return {constant.value for constant in constants if isinstance(constant.value, str)}


def test_the_literals_of_the_stub_are_the_slugs_of_the_core() -> None:
    """A slug that the core can give is in the stub's Literal, and no other is."""
    severities = {severity for _, severity, _ in goodbot.finding_codes()}
    assert literals("Finding", "severity") == severities
    assert literals("Selection", "how") == {slug for slug, _ in goodbot.selection_ways()}
    every_kind = b"\n# comment\nDisallow: /\nFancy: x\nx\n"
    kinds = {line.kind for line in goodbot.RobotsTxt(every_kind).lines}
    assert literals("Line", "kind") == kinds


def test_what_rust_and_python_both_need_is_exported_by_the_core() -> None:
    """Orders and codes stand in the core; the types and tables of Python have the same."""
    core = goodbot._core  # noqa: SLF001 - the module itself is meant
    assert literals("HtmlFacts", "declared") == set(core.ENCODING_SOURCES)
    assert literals("HtmlScan", "unresolved") == set(core.LINK_FAULTS)
    assert set(get_args(Why)) == {"", *core.LINK_FAULTS}
    assert list(LIMITS) == core.PARSE_LIMITS
    assert list(SECTION_ACTS) == core.PART_ACTS
    assert set(core.PART_ACTS) <= set(get_args(Act))
    bits = [INDEX, FOLLOW, ANCHOR, ARCHIVE, SNIPPET]
    assert bits == [1 << number for number in range(len(core.PART_ACTS))]


def test_every_public_name_of_the_core_is_in_the_stub() -> None:
    """The stub's `__all__` is the module's."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    listed = next(node for node in assigned if ast.unparse(node.targets[0]) == "__all__")
    names = ast.literal_eval(listed.value)
    assert sorted(names) == sorted(goodbot._core.__all__)  # noqa: SLF001 - the module itself is meant
