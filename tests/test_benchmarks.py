"""The benchmarks are tests too: their answers, not their times."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "benchmarks" / "run.py"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").is_file(),
    reason="memory is measured through /proc, which this system does not have",
)


@pytest.mark.timeout(300)
def test_every_job_gives_the_right_answers() -> None:
    """Every job runs once, and goodbot's answers are those of the plain slow matcher."""
    command = [sys.executable, str(RUN), "--test"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  ours
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all as expected" in done.stdout
