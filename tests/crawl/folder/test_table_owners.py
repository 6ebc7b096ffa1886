"""Each table belongs to one room: SQL that names it stands there, and in `crawl/folder` alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from goodbot.crawl.folder import tables
from goodbot.store.schema import STORE
from tests.support.paths import ROOT

PACKAGE = ROOT / "python" / "goodbot"
MADE = re.compile(r"CREATE (?:VIRTUAL )?TABLE (\w+)")
NAMED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)")


def made_by(statements: object) -> set[str]:
    """Return the tables that some statements make."""
    return set(MADE.findall(str(statements)))


OWNERS = {
    "crawl/frontier": made_by(tables.FRONTIER) - {"settings"},
    "crawl/index": made_by(tables.INDEX),
    "crawl/archive": made_by(tables.ARCHIVE),
    "crawl/evidence": made_by(tables.EVIDENCE),
    "crawl/folder": {"settings"},
    "store": made_by(STORE.steps),
}


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a module, those of f-strings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_table_has_an_owner() -> None:
    """All that a crawl has in its file."""
    every = made_by(tables.STEPS) | made_by(STORE.steps)
    assert {name for names in OWNERS.values() for name in names} == every
    assert {"urls", "words", "kept", "requests", "policies"} <= every


def test_no_room_has_sql_about_the_tables_of_another() -> None:
    """Another queue, archive or index could not be put in otherwise."""
    found = [
        (str(path.relative_to(PACKAGE)), table)
        for path in sorted(PACKAGE.rglob("*.py"))
        if "crawl/folder" not in str(path)  # upgrades, opens and measures the file as a whole
        for text in texts(path)
        for table in NAMED.findall(text)
        for room, names in OWNERS.items()
        if table in names and not str(path.relative_to(PACKAGE)).startswith(f"{room}/")
    ]
    assert not found
