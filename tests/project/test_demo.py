"""`make demo` shows what it promises."""

import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.waiting import HANGS


def test_demonstration_runs(tmp_path: Path) -> None:
    """The bundled demonstration crawls, ends well, and shows what it promises."""
    demonstration = ROOT / "examples" / "demo.py"
    folder = tmp_path / "crawl"
    done = subprocess.run(  # noqa: S603  our own program
        [sys.executable, demonstration, folder], capture_output=True, check=False, timeout=HANGS
    )
    assert done.returncode == 0, done.stderr
    assert all(b" says: " in line for line in done.stderr.splitlines())  # what sites want told
    said = done.stdout.decode()
    assert said.count("\n$ goodbot ") == 8
    for promised in (
        "The pauses are short",
        'no pages found for "silver herring"',
        "Landed at six: silver … herring",
        "removed: 3 parts, each shown as […]",
        "> 24 | Disallow: /private",
        "visit-time: is queued for a visit",
        "follow-up requests kept the required pause",
        "goodbot crawl https://example.com/ --robot",
    ):
        assert promised in said
    assert (folder / "report.html").is_file()
