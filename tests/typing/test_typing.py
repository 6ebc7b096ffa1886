"""The types are right: for users, and compared with the compiled module.

Scope: what `make check` does not ask mypy and its stubtest.
"""

import ast
import runpy
from pathlib import Path

import goodbot

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STUB = ROOT / "python" / "goodbot" / "_core.pyi"
ALLOWLIST = HERE / "stubtest-allowlist.txt"


def test_make_check_asks_mypy() -> None:
    """`make check` runs mypy, strictly, on `api.py` with its rejected mistakes, and stubtest."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.mypy]")[2]
    assert settings.lstrip().startswith('strict = true\nfiles = ["python", "tests",')
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    allowlist = ALLOWLIST.relative_to(ROOT)
    assert "\t$(BIN)/mypy" in lines
    assert f"\t$(BIN)/python -m mypy.stubtest goodbot._core --allowlist {allowlist}" in lines


def test_api_py_also_runs() -> None:
    """The assertions about types also hold when the lines run."""
    runpy.run_path(str(HERE / "api.py"), run_name="__main__")


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
