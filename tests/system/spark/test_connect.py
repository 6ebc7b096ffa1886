"""Verdicts over Spark Connect: a client that has no SparkContext, and a server."""

import subprocess
import sys

from tests.support.paths import ROOT
from tests.support.waiting import HANGS
from tests.system.spark.test_cluster import PLANS, ROWS


def test_a_client_without_a_context_gets_the_same_answers() -> None:
    """A table of many rows, by every plan."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.system.spark.connect_program"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{plan}: {ROWS}" for plan in ("chosen", *PLANS)]
