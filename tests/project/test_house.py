"""The house: folders are small, rooms have tests of their own, DESIGN.md's map shows all."""

from collections import Counter
from pathlib import PurePosixPath

from tests.support.sources import followed

PACKAGE = PurePosixPath("python/goodbot")
TESTS = PurePosixPath("tests")
FILES = followed()

# The size of a folder.

MOST_FILES = 20
LARGER = {
    "conformance/page": "cases, one file a document; a reader opens the one that is cited",
    "crates/goodbot-core/src/robots_txt": "one path of text to answer, and mod.rs that leads it",
    "docs": "pages, and the files that print them",
    "benchmarks": "one file a measurement, and what it measures; they share little",
    "python/goodbot/page": "tables of what may be said, and one path that reads it",
    "tests/support": "one file a site, reference or worker; nobody reads them together",
}
"""Folders with more files, each with its reason."""


def in_folders() -> Counter[str]:
    """Count the files of each folder, save those that only open it."""
    counted = Counter(str(file.parent) for file in FILES if file.name != "__init__.py")
    return Counter({folder: count for folder, count in counted.items() if folder != "."})


def test_a_folder_has_few_files() -> None:
    """At most 20 files: what can be held in mind. A larger folder gives its reason above."""
    large = {folder for folder, count in in_folders().items() if count > MOST_FILES}
    assert large <= LARGER.keys(), "split the folder, or give a reason in LARGER"
    assert LARGER.keys() <= large, "this folder is small by now: delete its line in LARGER"


# Rooms and their tests.

UNDER_TESTS = {
    "core": "`goodbot._core` has no folder of its own; Rust's tests are beside the crate",
    "project": "what is around the code: pages, promises, benchmarks",
    "support": "what several tests use",
    "typing": "the types that users see",
    "fixtures": "folders and stores that earlier versions wrote",
    "system": "nginx, Chromium, a full disk, peers of the benchmarks: `make test-system`",
}
"""Folders of tests that mirror no room, and what they are for."""
WHOLE = {"cli"}
"""Rooms whose tests are in one folder: the command line is tested as a whole, by verbs."""


def rooms(top: PurePosixPath, name: str) -> set[str]:
    """Return the folders beneath one that have files of this kind, as paths below it."""
    found = {
        file.parent.relative_to(top)
        for file in FILES
        if file.is_relative_to(top) and file.match(name)
    }
    return {str(one) for one in found if one.parts}


def test_every_room_has_a_room_of_tests() -> None:
    """`python/goodbot/crawl/index` is tested in `tests/crawl/index`, and so are all."""
    of_code = {room for room in rooms(PACKAGE, "*.py") if room.partition("/")[0] not in WHOLE}
    of_tests = rooms(TESTS, "test_*.py")
    houses = {room for room in of_code if any(other.startswith(f"{room}/") for other in of_code)}
    assert of_code - houses - of_tests == set(), "rooms without tests"
    assert {room for room in WHOLE if room not in of_tests} == set(), "rooms without tests"
    mirrored = {room for room in of_tests if room.partition("/")[0] not in UNDER_TESTS}
    assert mirrored - of_code - WHOLE == set(), "tests of a room that is not there"


def test_what_mirrors_no_room_has_its_reason() -> None:
    """The other folders of tests are there, and are those that the table names."""
    assert below(TESTS) - below(PACKAGE) == UNDER_TESTS.keys()


def below(top: PurePosixPath) -> set[str]:
    """Return the folders right below one."""
    found = (file.relative_to(top).parts for file in FILES if file.is_relative_to(top))
    return {parts[0] for parts in found if len(parts) > 1}
