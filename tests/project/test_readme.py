"""The commands of README.md print what it shows, and its pictures are small."""

import importlib.util
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
LARGEST_PICTURE = 150_000


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


def test_the_first_screen_shows_an_owner_a_report() -> None:
    """The picture of a report stands before the first heading."""
    first_screen = README.partition("\n## ")[0]
    assert "(docs/images/report.png)" in first_screen
    assert first_screen.count("\n\n") < 4


def test_the_picture_of_a_report_is_that_of_today(tmp_path: Path) -> None:
    """Its words are those that the same crawl and command print now; else run `make pictures`."""
    place = ROOT / "docs" / "images" / "draw.py"
    spec = importlib.util.spec_from_file_location("draw_pictures", place)
    assert spec is not None
    assert spec.loader is not None
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    words = draw.words_of(draw.report(tmp_path).read_text(encoding="utf-8"))
    assert words == (place.parent / "report.txt").read_text(encoding="utf-8")
