"""Whatever a table from somebody else has: a result, or a sentence; no traceback, and no signal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.columns.changed_tables import BYTES, COLUMNS, NAMES
from tests.support.examples import share_of, thorough

CASES = 400
"""How many files of each form are changed in the thorough profile; fewer otherwise."""
FEWEST = 10
EACH_COLUMN = 41

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@thorough
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [BYTES, COLUMNS])
def test_a_changed_table_is_answered_or_refused(tmp_path: Path, kind: str, name: str) -> None:
    """Each case runs in a process of its own, in which pyarrow could crash."""
    is_all = share_of(100) == 100
    numbers = (0, CASES if is_all else FEWEST, 1)
    if kind == COLUMNS:
        numbers = (0, CASES, 1 if is_all else EACH_COLUMN)
    words = [sys.executable, "-m", "tests.support.columns.changed_tables", str(tmp_path), kind]
    done = subprocess.run(  # noqa: S603  our own program
        [*words, name, *map(str, numbers)], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert set(seen) <= {"result", "refused"}, seen
    assert seen["refused"] > 0
