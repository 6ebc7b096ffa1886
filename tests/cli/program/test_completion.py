"""The shells complete verbs and options, by the scripts that the documentation says to write."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import program
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "how-to" / "shell-completion.md"
SHELLS = re.findall(r"_GOODBOT_COMPLETE=(\w+)_source", PAGE.read_text(encoding="utf-8"))

IN_BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _goodbot_completion goodbot
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str) -> str:
    """Return the script that goodbot prints for a shell."""
    done = program.run(env=program.bare_environment(_GOODBOT_COMPLETE=f"{shell}_source"))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_the_page_has_three_shells() -> None:
    """These are the ones that click knows."""
    assert SHELLS == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_script_asks_goodbot_for_the_words(shell: str) -> None:
    """Each script names the variable by which goodbot completes."""
    assert f"_GOODBOT_COMPLETE={shell}_complete" in script(shell)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["goodbot", "che"], ["check"]),
        (["goodbot", "archive", "comp"], ["compact"]),
        (["goodbot", "robot", "block", "a"], ["add"]),
        (["goodbot", "page", "conv"], ["convert"]),
        (["goodbot", "page", "convert", "--wi"], ["--wish"]),
        (["goodbot", "page", "--vi"], ["--view"]),
        (["goodbot", "check", "--robots"], ["--robots-txt", "--robots"]),
    ],
)
def test_bash_completes(tmp_path: Path, words: list[str], completed: list[str]) -> None:
    """The script is sourced in bash, and its function called as by the Tab key."""
    bash = shutil.which("bash")
    assert bash is not None
    written = tmp_path / "completion"
    written.write_text(script("bash"), encoding="utf-8")
    command = tmp_path / "goodbot"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m goodbot "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    env = program.bare_environment(PATH=f"{tmp_path}:/usr/bin:/bin")
    done = subprocess.run(  # noqa: S603  our own script
        [bash, "-c", IN_BASH, "bash", written, *words],
        capture_output=True, text=True, env=env, check=False,
    )  # fmt: skip
    assert done.stdout.split() == completed, done.stderr
