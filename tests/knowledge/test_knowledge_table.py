"""The table of knowledge: each row has vectors that cite it, and no case is without a row."""

import re
import sys
from datetime import date
from functools import cache

import pytest

from goodbot import bots
from goodbot._core import dialects
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.knowledge import (
    KNOWLEDGE_KINDS,
    KNOWN_AS_OF,
    KnownDocument,
    document,
    known_documents,
)
from tests.support import conformance_cases as data
from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROWS = known_documents()
KEYS = [row.key for row in ROWS]
OWN = re.compile(
    r"goodbot|no document|in use|careful choice|known.robots|, issue \d|, pull request \d"
)
"""What cases cite that is no document: goodbot's own choices, and reports of what sites do."""
DATE = re.compile(r"(\d{4})(-\d{2}(-\d{2})?)?")


@cache
def authorities(path: str) -> tuple[str, ...]:
    """Return what the cases of a file cite; of a file of tests, its text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if not path.endswith(".toml"):
        return (text,)
    cases = tomllib.loads(text).get("case", ())
    return tuple(case["authority"] for case in cases)


def is_cited(row: KnownDocument, authority: str) -> bool:
    """Return whether an authority cites the document of a row."""
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\d)", authority) for text in row.cites)


@pytest.mark.parametrize("row", ROWS, ids=KEYS)
def test_each_row_has_vectors_that_cite_it(row: KnownDocument) -> None:
    """A document without a case would be a claim."""
    assert row.vectors, f"{row.key} has no vectors: add the files whose cases cite it"
    for path in row.vectors:
        assert (ROOT / path).is_file(), f"{row.key}: there is no {path}"
        cited = [one for one in authorities(path) if is_cited(row, one)]
        assert cited, f"{row.key}: no case of {path} cites {' or '.join(row.cites)}"


@pytest.mark.parametrize("row", ROWS, ids=KEYS)
def test_each_row_is_dated_and_says_what_is_implemented(row: KnownDocument) -> None:
    """Dates are those of the calendar, and no text was read before it was written."""
    assert row.kind in KNOWLEDGE_KINDS
    assert row.title
    assert row.implements.endswith(".")
    assert row.url.startswith(("http://", "https://"))
    assert not row.date or DATE.fullmatch(row.date)
    date.fromisoformat(row.read)
    assert row.date <= row.read, "it cannot have been read before it was written"


def test_the_date_of_the_knowledge_is_that_of_the_newest_row() -> None:
    """A row that is read later moves the date in crates/goodbot-core/src/knowledge.rs."""
    assert max(row.read for row in ROWS) == KNOWN_AS_OF


def test_each_case_cites_a_document_of_the_table() -> None:
    """What is implemented by a document that has no row is not in the table of knowledge."""
    files = [str(path.relative_to(ROOT)) for path in sorted(data.ROOT.rglob("*.toml"))]
    cited = {one: path for path in files for one in authorities(path)}
    without = [
        f"{path}: {one}"
        for one, path in cited.items()
        if not OWN.search(one) and not any(is_cited(row, one) for row in ROWS)
    ]
    assert not without, "cases without a row in goodbot/knowledge: " + "\n".join(without[:20])


def test_each_section_on_departures_exists() -> None:
    """A link to an explanation leads to it."""
    page = (ROOT / "docs/explanation/departures.md").read_text(encoding="utf-8")
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    anchors = {re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-") for one in headings}
    assert {row.section for row in ROWS} - {""} <= anchors


def test_the_table_of_robots_is_in_it() -> None:
    """Each source of a fact, and each list of addresses, has its row, with its dates."""
    lists = {one.url for robot in bots.every() for one in robot.addresses}
    assert {row.url for row in ROWS if row.kind == "addresses"} == lists
    sources = {source for robot in bots.every() for source in robot.sources.values()}
    rows = {(row.title, row.read, row.date) for row in ROWS if row.key.startswith("robots:")}
    assert {(one.title, one.read, one.as_of or "") for one in sources} == rows


def test_each_dialect_has_a_document() -> None:
    """A dialect that no document describes would be an invention."""
    said = " ".join(row.implements for row in ROWS)
    for dialect in dialects():
        assert dialect.name in said, f"no row says that it is the dialect {dialect.name}"


def test_keys_are_unique_and_found() -> None:
    """A row is found by its key; another key says where the keys are."""
    assert len(set(KEYS)) == len(KEYS)
    assert document("tdmrep").title.startswith("TDM")
    with pytest.raises(WrongValueError, match="dialects --knowledge"):
        document("rfc0")
    with pytest.raises(WrongTypeError, match="'rfc9309'"):
        document(9309)  # type: ignore[arg-type]
