"""DESIGN.md is accurate: it has every room and dependency, and what its paths name is there."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.sources import followed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "python" / "goodbot"
CORE = ROOT / "crates" / "goodbot-core" / "src"
HOUSES = ("crawl", "site", "tables")
TEXT = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
PATHS = TEXT.partition("## Five paths")[2].partition("\n## ")[0]
IMPORTED_TOO = {"goodbot-core"}
"""Dependencies that are ours."""


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first heading this is."""
    table = TEXT.partition(f"| {heading} |")[2].partition("\n\n")[0]
    lines = table.splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def folders(place: Path) -> set[str]:
    """Return the rooms in a folder: the folders with modules."""
    return {one.parent.name for one in place.glob("*/__init__.py")}


def test_every_room_has_its_row() -> None:
    """Each folder of base and of a house has one, whose first file exists."""
    tables = {"": "room", **{house: f"room of `goodbot.{house}`" for house in HOUSES}}
    for house, heading in tables.items():
        found = {room.strip("`"): first.strip("`") for room, _, first in rows(heading)}
        place = PACKAGE / house
        assert found.keys() == folders(place) - {*(() if house else HOUSES)}, heading
        for room, first in found.items():
            assert (place / room / first).is_file(), f"{room}: {first} is gone; correct DESIGN.md"


def test_every_module_of_the_core_has_its_row() -> None:
    """Each module that `lib.rs` declares is in the table of the core."""
    declared = re.findall(
        r"^(?:pub )?mod (\w+);", (CORE / "lib.rs").read_text("utf-8"), re.MULTILINE
    )
    found = [name for cell, _ in rows("module") for name in re.findall(r"`(\w+)`", cell)]
    assert set(found) == set(declared)


def dependencies() -> Iterator[str]:
    """Yield the name of each dependency of the wheels, the tests, the documentation and checks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lists = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    for one in (one for listed in lists for one in listed):
        if isinstance(one, str) and not one.startswith("types-"):
            yield re.split(r"[^\w.-]", one)[0]
    for file in (name for name in followed() if name.name == "Cargo.toml"):
        if file.parts[0] in {"crates", "plugins"}:
            crate = tomllib.loads((ROOT / file).read_text("utf-8"))
            yield from crate.get("dependencies", {})
            yield from crate.get("dev-dependencies", {})


def test_every_dependency_has_its_reason() -> None:
    """Each is named in a row of the table of dependencies, and each row has a reason."""
    listed = rows("dependency")
    named = {name for cell, _ in listed for name in re.findall(r"[\w.-]+", cell)}
    assert set(dependencies()) - named - IMPORTED_TOO == set()
    assert all(reason for _, reason in listed)


def test_what_the_paths_name_is_there() -> None:
    """Each file of a path exists, and has the names in brackets beside it."""
    files = [name.as_posix() for name in followed()]
    named = re.findall(r"`([\w./-]+\.(?:py|rs))`(?: \(`(\w+)`\))?", PATHS)
    assert len(named) > 40
    for path, name in named:
        found = [file for file in files if f"/{file}".endswith(f"/{path}")]
        assert found, f"{path} is gone; correct DESIGN.md"
        texts = [(ROOT / file).read_text("utf-8") for file in found] if name else []
        assert not name or any(re.search(rf"\b{name}\b", text) for text in texts), (path, name)
