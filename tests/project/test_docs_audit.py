"""docs/tutorials/audit.md shows what the program prints: its commands are run in their order."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.project.test_docs import run_examples
from tests.support import program
from tests.support.paths import ROOT
from tests.support.program import bare_environment

FILES = ROOT / "examples" / "audit"
PAGE = (ROOT / "docs" / "tutorials" / "audit.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```console\n\$ goodbot ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FAILS = "--fail-on"
STAMP = re.compile(r"(?<=^Made with )goodbot .+", re.MULTILINE)
"""The version and the date of its knowledge, which the page shows as of when it was written."""


def test_the_page_shows_what_the_program_prints(tmp_path: Path) -> None:
    """The output and status of each command match, in a folder with the files of the page."""
    folder = tmp_path / "audit"
    shutil.copytree(FILES, folder)
    shown = BLOCK.findall(PAGE)
    env = bare_environment(XDG_CACHE_HOME=str(tmp_path / "cache"))
    for command, output in shown:
        words = shlex.split(command)
        done = program.run(*words, cwd=folder, env=env, stderr=subprocess.STDOUT)
        assert STAMP.sub("", done.stdout.decode()) == STAMP.sub("", output), command
        assert done.returncode == (FAILS in words)
    assert len(shown) == 5


def test_the_examples_in_python_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They return what the page shows, in the folder with its files."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(FILES)
    run_examples(ROOT / "docs" / "tutorials" / "audit.md")


def test_the_page_shows_the_files_as_they_are() -> None:
    """Each robots.txt is on the page, with its name."""
    for path in (FILES / "robots").iterdir():
        assert f"`robots/{path.name}`\n\n```\n{path.read_text(encoding='utf-8')}```" in PAGE
