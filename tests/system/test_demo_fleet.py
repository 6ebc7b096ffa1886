"""`make demo-fleet` shows what it promises: eight machines, one of which is killed."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import HANGS

DEMONSTRATION = ROOT / "examples" / "demo_fleet.py"


def has_namespaces() -> bool:
    """Whether network namespaces can be made here."""
    if os.name != "posix" or os.geteuid() or not shutil.which("ip"):
        return False
    words = ("ip", "netns")
    made = subprocess.run([*words, "add", "gbdemo-try"], capture_output=True, check=False)  # noqa: S603
    subprocess.run([*words, "delete", "gbdemo-try"], capture_output=True, check=False)  # noqa: S603
    return made.returncode == 0


@pytest.mark.skipif(not has_namespaces(), reason="needs root on Linux, and the program ip")
@pytest.mark.skipif(
    not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    reason="needs PostgreSQL of Debian: apt-get install postgresql",
)
@pytest.mark.skipif(not importlib.util.find_spec("obstore"), reason="needs the extra objects")
def test_a_machine_is_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    """By the log of the sites, the gathered crawl and the report on it."""
    done = subprocess.run(  # noqa: S603  ours
        [sys.executable, DEMONSTRATION, tmp_path], capture_output=True, check=False, timeout=HANGS
    )
    output = done.stdout.decode()
    assert done.returncode == 0, output + done.stderr.decode()
    for words in (
        "8 URLs added, of 8.",
        "loses its power",
        "kept the required pause.",
        "URLs that a site served and the crawl lacks: 0\n",
        "Nothing was lost.",
    ):
        assert words in output, f"{words!r} is missing: {output}"
    spaces = ("ip", "netns", "list")
    left = subprocess.run(spaces, capture_output=True, text=True, check=True)  # noqa: S603  ours
    assert "gbdemo-" not in left.stdout
