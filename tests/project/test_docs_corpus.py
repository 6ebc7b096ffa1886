"""docs/tutorials/corpus.md shows what is printed: its commands and code are run in their order."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import goodbot
from tests.support import program
from tests.support.paths import ROOT
from tests.support.program import environment

MAKE = ROOT / "examples" / "corpus" / "make.py"
PATH = ROOT / "docs" / "tutorials" / "corpus.md"
PAGE = PATH.read_text(encoding="utf-8").replace("goodbot 0.2.0", f"goodbot {goodbot.__version__}")
BLOCK = re.compile(r"^```console\n\$ ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def printed(command: str, folder: Path) -> str:
    """Return what a command of the page prints, in a folder."""
    name, *words = shlex.split(command)
    if name == "goodbot":
        done = program.run(*words, cwd=folder, env=environment(), stderr=subprocess.STDOUT)
        return done.stdout.decode()
    assert words[0] == str(MAKE.relative_to(ROOT)), command
    made = subprocess.run(  # noqa: S603  ours
        [sys.executable, str(MAKE), *words[1:]], cwd=folder, capture_output=True, check=True
    )
    return made.stdout.decode()


def test_the_page_shows_what_the_programs_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command, word for word; then the code, on the files that the commands wrote."""
    for command, output in BLOCK.findall(PAGE):
        assert printed(command, tmp_path) == output, command
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, PATH.name, str(PATH), 0)
    failed, tried = doctest.DocTestRunner(verbose=False).run(example)
    assert (failed, tried) == (0, len(example.examples))
    assert tried
