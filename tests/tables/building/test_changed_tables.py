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
FEWEST = 2
EACH_COLUMN = 149

pytestmark = [
    pytest.mark.stress,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
]


@thorough
def test_a_changed_table_is_answered_or_refused(tmp_path: Path) -> None:
    """Each case runs in a process of its own, in which pyarrow could crash."""
    is_all = share_of(100) == 100
    by_bytes = (0, CASES if is_all else FEWEST, 1)
    by_columns = (0, CASES, 1 if is_all else EACH_COLUMN)
    jobs = [
        (kind, name, *numbers)
        for kind, numbers in ((BYTES, by_bytes), (COLUMNS, by_columns))
        for name in NAMES
    ]
    words = [sys.executable, "-m", "tests.support.columns.changed_tables", str(tmp_path)]
    done = subprocess.run(  # noqa: S603  our own program
        [*words, json.dumps(jobs)], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(kind, name) for kind, name, _ in found] == [(kind, name) for kind, name, *_ in jobs]
    for kind, name, seen in found:
        assert set(seen) <= {"result", "refused"}, (kind, name, seen)
    assert {kind for kind, _, seen in found if seen.get("refused")} == {BYTES, COLUMNS}
