"""The memory for a document is a small multiple of its bytes, whatever it contains."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.examples import PART, some_of, thorough
from tests.support.page_memory import DOCUMENTS
from tests.support.paths import SUPPORT
from tests.support.waiting import HANGS

pytestmark = pytest.mark.stress

STATED = 50
"""The most bytes of memory for each byte of a document, as `docs/reference/pages.md` states."""
FLOOR = 16 * 1024 * 1024
"""The memory that the URLs, findings and tables of any document may take."""


@thorough
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux tells the peak")
@pytest.mark.parametrize("name", some_of(tuple(DOCUMENTS), one_of=PART))
def test_a_document_costs_a_small_multiple_of_its_bytes(name: str) -> None:
    """Measured in a process of its own."""
    script = SUPPORT / "page_memory.py"
    ran = subprocess.run(  # noqa: S603  our own script
        [sys.executable, script, name], capture_output=True, text=True, check=True, timeout=HANGS
    )
    size, grew = map(int, ran.stdout.split())
    assert grew <= STATED * size + FLOOR, f"{grew / size:.1f} bytes for each"
