"""The layout: folders are small, rooms have tests of their own, and DESIGN.md's map is complete."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from tests.support.paths import ROOT
from tests.support.sources import followed

PACKAGE = PurePosixPath("python/goodbot")
TESTS = PurePosixPath("tests")
FILES = followed()

# The size of a folder.

MOST_FILES = 20
LARGER = {
    "crates/goodbot-python/src": "one file a class that Python sees, and what they share",
    "conformance/page": "cases, one file a document; a reader opens the one that is cited",
    "python/goodbot/adapters": "one adapter a file; docs/how-to/adapters.md lists them",
    "crates/goodbot-core/src/robots_txt": "one path of text to answer, and mod.rs that leads it",
    "benchmarks": "one file a measurement, and what it measures; they share little",
    "docs/how-to": "one guide a page; docs/index.md sorts them",
    "docs/reference": "one page a topic; docs/index.md sorts them",
    "docs/printing": "one file a printed page; docs/generate.py lists them",
    "docs/reference/schemas": "one schema a verb; docs/reference/json.md lists them",
    "python/goodbot/lint/rules": "one rule a file; the registry lists them",
    "python/goodbot/page": "tables of what may be said, and one path that reads it",
}
"""Folders with more files, each with its reason."""


def in_folders() -> Counter[str]:
    """Count the files of each folder, except its `__init__.py`."""
    counted = Counter(str(file.parent) for file in FILES if file.name != "__init__.py")
    return Counter({folder: count for folder, count in counted.items() if folder != "."})


def test_a_folder_has_few_files() -> None:
    """A folder has at most 20 files, few enough to remember; larger ones give a reason above."""
    large = {folder for folder, count in in_folders().items() if count > MOST_FILES}
    assert large <= LARGER.keys(), "split the folder, or give a reason in LARGER"
    assert LARGER.keys() <= large, "this folder is small now: delete its line in LARGER"


# Rooms and their tests.

UNDER_TESTS = {
    "core": "`goodbot._core` has no folder of its own; Rust's tests are beside the crate",
    "project": "what is around the code: pages, promises, benchmarks",
    "support": "what several tests use",
    "typing": "the types that users see",
    "words": "the sentences that goodbot prints, as they were reviewed: `make words`",
    "fixtures": "folders and stores that earlier versions wrote",
    "system": "nginx, Chromium, pywb, a full disk, peers of the benchmarks: `make test-system`",
}
"""Folders of tests that mirror no room, and their purpose."""
WHOLE = {"cli"}
"""Rooms whose tests do not mirror their folders: the command line is tested by verbs."""


def rooms(top: PurePosixPath, name: str) -> set[str]:
    """Return the folders below another one that contain files of this kind, as relative paths."""
    found = {
        file.parent.relative_to(top)
        for file in FILES
        if file.is_relative_to(top) and file.match(name)
    }
    return {str(one) for one in found if one.parts}


def test_every_room_has_a_room_of_tests() -> None:
    """`python/goodbot/crawl/index` is tested in `tests/crawl/index`, and likewise every room."""
    of_code = {room for room in rooms(PACKAGE, "*.py") if room.partition("/")[0] not in WHOLE}
    of_tests = rooms(TESTS, "test_*.py")
    houses = {room for room in of_code if any(other.startswith(f"{room}/") for other in of_code)}
    assert of_code - houses - of_tests == set(), "rooms without tests"
    assert {room for room in WHOLE if room not in of_tests} == set(), "rooms without tests"
    unlike = UNDER_TESTS.keys() | WHOLE
    mirrored = {room for room in of_tests if room.partition("/")[0] not in unlike}
    assert mirrored - of_code == set(), "tests of a room that does not exist"


def test_what_mirrors_no_room_has_its_reason() -> None:
    """The other folders of tests are exactly those in the table."""
    assert below(TESTS) - below(PACKAGE) == UNDER_TESTS.keys()


def below(top: PurePosixPath) -> set[str]:
    """Return the folders directly below another one."""
    found = (file.relative_to(top).parts for file in FILES if file.is_relative_to(top))
    return {parts[0] for parts in found if len(parts) > 1}


# The map.

MAPPED = {
    "crates/goodbot-core/src": {".rs"},
    "crates/goodbot-python/src": {".rs"},
    "python/goodbot": {".py", ".pyi"},
}
"""The folders that the map shows file by file, and which suffixes count as files."""
OPENING = {"__init__", "__main__", "lib", "mod"}
"""Files that open a folder: the folder's own line describes them."""


def on_the_map() -> Iterator[tuple[str, str]]:
    """Yield the folder and name of each entry of the map in DESIGN.md.

    A line has names, at least two spaces, and a description. A name with `/` is a folder, and the
    lines indented below it describe its content; the other names are files, without suffix.
    """
    design = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    drawn = re.search(r"## The rooms\n\n```\n(.*?)```", design, re.DOTALL)
    assert drawn is not None, "DESIGN.md has no map under `## The rooms`"
    above: list[tuple[int, PurePosixPath]] = []
    for line in drawn[1].splitlines():
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        folder = above[-1][1] if above else PurePosixPath()
        for word in re.split(r"\s{2,}", line.strip())[0].split():
            if word.endswith("/"):
                above.append((depth, folder / word))
                yield str(folder / word), ""
            else:
                yield str(folder), word


def ours_below(top: str) -> dict[tuple[str, str], str]:
    """Return the expected place on the map of each file below a folder."""
    return {
        (str(file.parent), file.stem): str(file)
        for file in FILES
        if file.is_relative_to(top) and file.suffix in MAPPED[top] and file.stem not in OPENING
    }


@pytest.mark.parametrize("top", MAPPED)
def test_every_file_stands_on_the_map_once(top: str) -> None:
    """Each file has one line below its folder in DESIGN.md, section "The rooms"."""
    found, wanted = Counter(on_the_map()), ours_below(top)
    lacking = [file for place, file in wanted.items() if not found[place]]
    assert not lacking, "DESIGN.md, The rooms: add these to a line below their folder"
    twice = [file for place, file in wanted.items() if found[place] > 1]
    assert not twice, "DESIGN.md, The rooms: list these only once"


def test_what_stands_on_the_map_is_there() -> None:
    """Each folder and each file that DESIGN.md names exists."""
    places = {place for top in MAPPED for place in ours_below(top)}
    folders = {(str(parent), "") for file in FILES for parent in file.parents}
    gone = [place for place in on_the_map() if place not in places | folders]
    assert not gone, "DESIGN.md, The rooms: these are gone; remove them from the map"
