"""The types are right: for users, and compared with the compiled module."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import goodbot

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STUB = ROOT / "python" / "goodbot" / "_core.pyi"
ALLOWLIST = HERE / "stubtest-allowlist.txt"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a module with this interpreter at the root, and return its output."""
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - a command of this file


@pytest.mark.timeout(300)
def test_users_see_the_types_that_api_py_asserts() -> None:
    """`mypy --strict` accepts `api.py`, including its rejected mistakes."""
    done = run("mypy", "--strict", HERE / "api.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_api_py_also_runs() -> None:
    """The assertions about types also hold when the lines run."""
    runpy.run_path(str(HERE / "api.py"), run_name="__main__")


@pytest.mark.timeout(300)
def test_the_stub_agrees_with_the_compiled_module() -> None:
    """`mypy.stubtest` finds only the differences that the allowlist names."""
    done = run("mypy.stubtest", "goodbot._core", "--allowlist", ALLOWLIST)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_line_of_the_allowlist_has_its_reason() -> None:
    """A comment above every entry gives its reason."""
    above = ""
    for line in ALLOWLIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            assert above.startswith("#"), f"{line!r} has no reason"
        above = line


def test_every_public_name_of_the_core_is_in_the_stub() -> None:
    """The stub's `__all__` is that of the module."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AugAssign):
            target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
            if ast.unparse(target) == "__all__" and node.value is not None:
                names += ast.literal_eval(node.value)
    assert sorted(names) == sorted(goodbot._core.__all__)  # noqa: SLF001 - the module itself is meant
