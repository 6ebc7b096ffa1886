"""The page on the founding documents, from the tables of conformance/seeds."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from printing.as_markdown import code, table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STATEMENTS = Path(__file__).parents[2] / "conformance" / "seeds"


def documents() -> list[dict[str, Any]]:
    """Return the five documents with their statements, in the order of their files."""
    paths = sorted(STATEMENTS.glob("*.toml"))
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in paths]


def seeds_page() -> Iterator[str]:
    """Yield every statement of the founding documents, and what holds goodbot to it."""
    every = documents()
    yield "# The founding documents, statement by statement"
    yield ""
    yield (
        "For readers who want to check that goodbot does what the documents on robots exclusion "
        "say. Each row is one statement or example of a document: where it stands, a few of its "
        "words, how goodbot reads it, and the cases of [conformance/](../../conformance) and the "
        "tests that fail if goodbot stops doing so. Where goodbot does something else, or a text "
        "is open, the row links to [departures.md](../explanation/departures.md)."
    )
    yield ""
    if any(len(one["statement"]) < one["statements"] for one in every):
        yield "A missing number is a statement that goodbot does not follow yet."
        yield ""
    yield from counts(every)
    for one in every:
        yield from document_section(one)


def counts(every: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield how many statements each document has, and how they are held."""
    numbers = [counted(one) for one in every]
    rows = [
        [f"[{one['title']}](#{anchor(one['title'])})", str(one["year"]), *map(str, row)]
        for one, row in zip(every, numbers, strict=True)
    ]
    sums = ["all", "", *(str(sum(column)) for column in zip(*numbers, strict=True))]
    held = ["held by cases or tests", "with a departure", "not followed yet"]
    heads = ["document", "year", "statements", *held]
    yield from table(heads, [*rows, sums])


def counted(one: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """Return how many statements there are, are held, have a departure, and are not followed."""
    rows = one["statement"]
    held = sum("held_by" in statement for statement in rows)
    departing = sum("departure" in statement for statement in rows)
    return one["statements"], held, departing, one["statements"] - len(rows)


def anchor(title: str) -> str:
    """Return the anchor of a heading."""
    kept = "".join(one for one in title.lower() if one.isalnum() or one in " -")
    return kept.replace(" ", "-")


def document_section(one: Mapping[str, Any]) -> Iterator[str]:
    """Yield the statements of one document."""
    yield f"## {one['title']}"
    yield ""
    yield f"{one['author']}, {one['date']}. {one['note']}"
    yield ""
    rows = [
        [
            statement["id"].removeprefix("seed-"),
            statement["place"],
            (statement["quote"] if one["quoted"] else statement["gist"]).replace("<", "&lt;"),
            statement["reading"].replace("<", "&lt;"),
            holders(statement),
        ]
        for statement in one["statement"]
    ]
    said = "words" if one["quoted"] else "gist"
    yield from table(["no.", "place", said, "how goodbot reads it", "held by"], rows)


def holders(statement: Mapping[str, Any]) -> str:
    """Return the cases and tests of a statement, and its departure."""
    held = [code(holder.removeprefix("tests/")) for holder in statement.get("held_by", [])]
    if "departure" in statement:
        held.append(f"[departure](../explanation/departures.md#{statement['departure']})")
    return ", ".join(held)
