"""The table of states is complete, and no former names are used."""

import re
from pathlib import Path
from typing import get_args

from goodbot.crawl.evidence.skipped import SKIPPED
from goodbot.crawl.folder.states import STATES, State
from goodbot.crawl.report.assets import style_sheet
from tests.support.paths import ROOT

PACKAGE = ROOT / "python" / "goodbot"
FORMER = re.compile(r"""["'](forbidden|left-out|put-off)["']""")
MAY_NAME_THEM = {
    "crawl/folder/tables.py": "the step that renames them",
    "policy/outcomes.py": "an outcome of a request for robots.txt, 403",
    "policy/outcome_tables.py": "the same",
    "policy/decide.py": "the same, as the reason of a policy",
    "adapters/robotparser.py": "the same",
    "testing/behaviours.py": "a site that answers like this",
}


def test_there_is_a_row_for_each_state() -> None:
    """Each state has words for one URL and for many, and a colour in the report."""
    assert list(STATES) == list(get_args(State))
    assert set(SKIPPED) == set(STATES) - {"done", "redirected"}
    for row in STATES.values():
        assert all((row.label, row.phrase, row.meaning.endswith(".")))
        assert re.search(rf"\.{row.name}\b", style_sheet()), row.name


def test_nobody_uses_a_former_name() -> None:
    """A comparison with a name that is no longer stored would never match."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if FORMER.search(Path(path).read_text(encoding="utf-8"))
    }
    assert found <= set(MAY_NAME_THEM)
