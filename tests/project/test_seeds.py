"""Every statement of the founding documents names what ensures it in goodbot, and that exists."""

import ast
import re
import sys
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CONFORMANCE = ROOT / "conformance"
DOCUMENTS = sorted((CONFORMANCE / "seeds").glob("*.toml"))
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
NAMES = {"id", "place", "reading"}
LONGEST_QUOTE = 120
FIVE = 5

Statement = dict[str, Any]


@cache
def case_ids() -> Counter[str]:
    """Count how often each id of a case is used."""
    found: Counter[str] = Counter()
    for path in CONFORMANCE.rglob("*.toml"):
        cases = tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])
        found.update(case["id"] for case in cases if "id" in case)
    return found


@cache
def names_of_tests(file: str) -> frozenset[str]:
    """Return the names of the tests in a file."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = (node.name for node in nodes if isinstance(node, functions))
    return frozenset(name for name in names if name.startswith("test_"))


@cache
def files_of_tests() -> list[str]:
    """Return the paths of all files with tests."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py"))


@cache
def anchors() -> frozenset[str]:
    """Return the anchors of the headings of docs/explanation/departures.md."""
    text = (ROOT / "docs" / "explanation" / "departures.md").read_text(encoding="utf-8")
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return frozenset(heading.replace(" ", "-") for heading in headings)


def faults(statement: Statement, *, quoted: bool) -> list[str]:
    """Return the faults of a row."""
    said = "quote" if quoted else "gist"
    found = [f"no {name}" for name in sorted({*NAMES, said}) if not statement.get(name)]
    unknown = set(statement) - NAMES - {said, "held_by", "departure"}
    found += [f"unknown key {name}" for name in sorted(unknown)]
    if quoted and len(statement.get("quote", "")) > LONGEST_QUOTE:
        found.append("the quotation is long")
    if not statement.get("held_by") and not statement.get("departure"):
        found.append("neither a case, nor a test, nor a departure")
    for holder in statement.get("held_by", []):
        file, _, name = holder.partition("::")
        if name and name not in names_of_tests(file):
            places = [path for path in files_of_tests() if name in names_of_tests(path)]
            found.append(f"no test {holder}; it is in {places}" if places else f"no test {holder}")
        if not name and case_ids()[holder] != 1:
            found.append(f"{case_ids()[holder]} cases are called {holder}")
    if "departure" in statement and statement["departure"] not in anchors():
        found.append(f"no heading {statement['departure']} in docs/explanation/departures.md")
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_statement_is_held(path: Any) -> None:  # noqa: ANN401  a path, as pytest gives it
    """Each row has a case, a test or a departure, and the named one exists."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = document["statement"]
    numbers = [int(row["id"].rpartition(".")[2]) for row in rows]
    assert numbers == sorted(numbers)
    assert numbers[-1] <= document["statements"]
    wrong = {row["id"]: faults(row, quoted=document["quoted"]) for row in rows}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_there_are_five_documents_and_the_ids_are_their_own() -> None:
    """No two statements have the same id, and each id begins with that of its document."""
    every = [tomllib.loads(path.read_text(encoding="utf-8")) for path in DOCUMENTS]
    assert len(every) == FIVE
    ids = [(one["id"], row["id"]) for one in every for row in one["statement"]]
    assert [pair for pair in ids if not re.fullmatch(rf"{pair[0]}\.\d+", pair[1])] == []
    counted = Counter(row for _, row in ids)
    assert [row for row, times in counted.items() if times > 1] == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"held_by": []}, "neither a case, nor a test, nor a departure"),
        ({"held_by": ["no-such-case"]}, "0 cases are called no-such-case"),
        ({"held_by": ["tests/project/test_seeds.py::test_no"]}, "no test tests/project/test_seeds"),
        ({"held_by": ["tests/no.py::test_no"]}, "no test tests/no.py::test_no"),
        ({"departure": "nowhere"}, "no heading nowhere in docs/explanation/departures.md"),
        ({"reading": ""}, "no reading"),
        ({"quote": "x" * 200}, "the quotation is long"),
        ({"helt_by": []}, "unknown key helt_by"),
    ],
)
def test_a_row_without_a_case_fails(change: Statement, fault: str) -> None:
    """A row without a holder, or whose holder is gone, is reported."""
    row = {"id": "a", "place": "b", "quote": "c", "reading": "d", "held_by": ["koster-help"]}
    assert faults(row, quoted=True) == []
    assert [found for found in faults(row | change, quoted=True) if found.startswith(fault)]
