"""docs/tutorials/review.md shows what the program prints: its commands are run in their order."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.support import program
from tests.support.paths import ROOT
from tests.support.program import environment

FILES = ROOT / "examples" / "review"
PAGE = (ROOT / "docs" / "tutorials" / "review.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```console\n\$ goodbot ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_shows_what_the_program_prints(tmp_path: Path) -> None:
    """The output of each command matches word for word, in a folder with the files of the page."""
    folder = tmp_path / "review"
    shutil.copytree(FILES, folder)
    shown = BLOCK.findall(PAGE)
    for command, output in shown:
        words = shlex.split(command)
        done = program.run(*words, cwd=folder, env=environment(), stderr=subprocess.STDOUT)
        assert done.stdout.decode() == output, command
    assert {command.split()[0] for command, _ in shown} == {
        "lint",
        "rules",
        "check",
        "diff",
        "simplify",
        "test",
        "gate",
    }


def test_the_page_shows_the_files_as_they_are() -> None:
    """Each file of the folder is on the page."""
    for path in FILES.iterdir():
        assert path.read_text(encoding="utf-8") in PAGE, path.name
