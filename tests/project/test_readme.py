"""The commands of README.md print what it shows, and its pictures are small."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
"""Commands to copy, each with the output below it."""
PICTURES = sorted(set(re.findall(r"!\[[^\]]+\]\((docs/images/[^)]+)\)", README)))
LARGEST_PICTURE = 200_000


def test_there_are_commands_and_pictures() -> None:
    """The patterns above find the commands and pictures."""
    assert len(SHOWN) == 1
    assert len(PICTURES) == 2


@pytest.mark.parametrize(("commands", "output"), SHOWN)
def test_a_command_prints_what_is_shown(commands: str, output: str, tmp_path: Path) -> None:
    """The commands run in an empty folder, with `goodbot` on the path as after the installation."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603  the commands of our README
        ["bash", "-c", commands],  # noqa: S607  the shell of a reader who copies the block
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == output


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_small(picture: str) -> None:
    """Pages with it load quickly, and the repository stays small."""
    assert 1_000 < (ROOT / picture).stat().st_size < LARGEST_PICTURE
