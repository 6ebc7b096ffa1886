"""The table of states: complete, and the only place with words for them."""

import re
from pathlib import Path
from typing import get_args

from goodbot.crawl.evidence.skipped import SKIPPED
from goodbot.crawl.folder.states import STATES, State
from goodbot.crawl.report.style import STYLE
from tests.support.paths import ROOT

PACKAGE = ROOT / "python" / "goodbot"
FORMER = re.compile(r"""["'](forbidden|left-out|put-off)["']""")
MAY_NAME_THEM = {
    "crawl/folder/tables.py": "the step that renames them",
    "policy/outcomes.py": "an outcome of asking for robots.txt, 403",
    "policy/outcome_tables.py": "the same",
    "adapters/robotparser.py": "the same",
    "testing/behaviours.py": "a site that answers so",
}


def test_there_is_a_row_for_each_state() -> None:
    """In one order everywhere, with words for one URL and for many, and a colour in a report."""
    assert list(STATES) == list(get_args(State))
    assert set(SKIPPED) == set(STATES) - {"done", "redirected"}
    for row in STATES.values():
        assert all((row.label, row.phrase, row.meaning.endswith(".")))
        assert re.search(rf"\.{row.name}\b", STYLE), row.name


def test_nobody_uses_a_former_name() -> None:
    """A state that is compared with a name that nobody stores is never found."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if FORMER.search(Path(path).read_text(encoding="utf-8"))
    }
    assert found <= set(MAY_NAME_THEM)
