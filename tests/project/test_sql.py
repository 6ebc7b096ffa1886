"""Each table of a crawl is used only by the folder of code that owns it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.sources import PACKAGE, modules, text_of, tree_of

OWNERS = {
    "crawl/frontier": {
        "urls",
        "origins",
        "contents",
        "alike",
        "compared",
        "traps",
        "handed",
        "received",
    },
    "crawl/index": {"documents", "outdated", "anchors", "words"},
    "crawl/archive": {"kept", "files"},
    "crawl/links": {"outlinks", "inlinks"},
    "crawl/inventory": {"page_facts"},
    "crawl/evidence": {"evidence", "requests", "remarks", "senders"},
    "crawl/folder": {"settings", "manners"},
    "store": {"policies", "octets", "accounts", "timelines", "holds"},
}
"""The tables of each folder of code."""

MAKES_ALL = {"crawl/folder/tables.py", "crawl/folder/spellings.py"}
"""The modules that create and upgrade all tables, and may therefore name them."""

READS_ALL = {
    "crawl/folder/readonly_parts.py",
    "crawl/folder/segment_rows.py",
    "crawl/reconsidering/folder_report.py",
}
"""The modules that make the tables of all processes of a crawl look like those of one, that move
rows of all tables from one folder to another, and that find every page of which any table holds
something."""

TABLE = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE(?: OR \w+)?|TABLE(?: IF NOT EXISTS)?)\s+\(?([a-z_]+)\b"
)
"""A table named in a statement; keywords are in capitals."""
VERB = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM|JOIN)\b")
OTHERS = {"json_each", "pragma_page_count", "pragma_page_size", "sqlite_master", "hosts", "robot"}
"""Names that are not tables of a crawl: those of SQLite, and of the adapter's own file."""


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a module: constants, and the literal parts of f-strings."""
    tree = tree_of(path)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documented:
            yield str(node.value)


def tables_in(path: Path) -> set[str]:
    """Return the tables that a module names in SQL."""
    known = {table for tables in OWNERS.values() for table in tables}
    found = {name for text in texts(path) if VERB.search(text) for name in TABLE.findall(text)}
    return found & known


def room_of(path: Path) -> str:
    """Return the folder of code of a module."""
    name = path.relative_to(PACKAGE).as_posix()
    return max((room for room in OWNERS if name.startswith(f"{room}/")), key=len, default="")


def test_sql_names_the_tables_of_its_own_room() -> None:
    """Queue, index, archive and store can be replaced, because no other code uses their tables."""
    foreign = {
        path: tables_in(path) - OWNERS.get(room_of(path), set())
        for path in modules()
        if path.relative_to(PACKAGE).as_posix() not in MAKES_ALL | READS_ALL
    }
    assert len(foreign) > 500
    found = [f"{path} has SQL on {sorted(tables)}" for path, tables in foreign.items() if tables]
    assert not found, "ask the room that owns the tables:\n" + "\n".join(found)


def test_every_table_has_an_owner_that_uses_it() -> None:
    """The list above is complete, and has no superfluous entry."""
    made = set(re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", tables_source()))
    assert made == {table for tables in OWNERS.values() for table in tables}
    for room, tables in OWNERS.items():
        used = set[str]().union(*(tables_in(path) for path in (PACKAGE / room).rglob("*.py")))
        assert tables <= used, room


def tables_source() -> str:
    """Return the source of the modules that create tables."""
    return "".join(text_of(PACKAGE / name) for name in ("store/schema.py", *MAKES_ALL))


def test_sql_is_found_wherever_it_stands(tmp_path: Path) -> None:
    """Tables are found in constants, calls and f-strings, but not in prose."""
    path = tmp_path / "module.py"
    path.write_text(
        '"""It reads FROM urls."""\n'
        'A = "SELECT 1 FROM kept JOIN files"\n'
        "def f(c, n):\n"
        '    """UPDATE settings."""\n'
        '    c.execute(f"INSERT INTO words({n}) VALUES(1)")\n'
        '    c.execute("UPDATE urls SET a = 1")\n'
        '    return "taken from origins"\n'
    )
    assert tables_in(path) == {"kept", "files", "words", "urls"}
