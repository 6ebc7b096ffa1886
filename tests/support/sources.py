"""The files of the project: those that git tracks, and those that it would add.

Texts and syntax trees are read once, for all tests that go through the sources.
"""

import ast
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath

from tests.support.paths import ROOT

PACKAGE = ROOT / "python" / "goodbot"


@cache
def followed() -> tuple[PurePosixPath, ...]:
    """Return the project's existing files, as paths below the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603  ours
    names = listed.stdout.splitlines()
    return tuple(sorted(PurePosixPath(name) for name in names if (ROOT / name).is_file()))


@cache
def modules() -> tuple[Path, ...]:
    """Return the files of the package that are written in Python."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file; nobody may change it."""
    return ast.parse(text_of(path))
