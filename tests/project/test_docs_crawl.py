"""docs/tutorials/crawl.md shows what the program prints: its commands are run and compared."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support import program
from tests.support.example_sites import crawl_two_shops
from tests.support.paths import ROOT
from tests.support.program import environment

PAGE = ROOT / "docs" / "tutorials" / "crawl.md"
BLOCK = re.compile(r"^```console\n\$ goodbot ([^\n]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5,8}|byte [0-9,]+")
"""Times, and places in compressed files."""

SHOWN = [
    (command, output)
    for command, output in BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    if not command.startswith("crawl ")  # those take several seconds
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl the two sites of the page, and return the folder that contains `shops`."""
    folder = tmp_path_factory.mktemp("first")
    crawl_two_shops(folder)
    return folder


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_page_shows_what_the_program_says(folder: Path, command: str, output: str) -> None:
    """The output matches word for word, except times and places in files."""
    words = shlex.split(command)
    done = program.run(*words, cwd=folder, env=environment(), stderr=subprocess.STDOUT)
    said = done.stdout.decode()
    assert VARIES.sub("~", said) == VARIES.sub("~", output)


def test_every_verb_is_shown() -> None:
    """The commands of the page are among those that are compared."""
    verbs = {command.partition(" shops")[0] for command, _ in SHOWN}
    assert verbs == {"search", "archive show", "evidence", "report skipped", "report"}
