"""The table of states is complete."""

import re
from typing import get_args

from goodbot.crawl.evidence.skipped import SKIPPED
from goodbot.crawl.folder.states import STATES, State
from goodbot.crawl.report.html.page import style_sheet


def test_there_is_a_row_for_each_state() -> None:
    """Each state has words for one URL and for many, and a colour in the report."""
    assert list(STATES) == list(get_args(State))
    assert set(SKIPPED) == set(STATES) - {"done", "redirected"}
    for row in STATES.values():
        assert all((row.label, row.phrase, row.meaning.endswith(".")))
        assert re.search(rf"\.{row.name}\b", style_sheet()), row.name
