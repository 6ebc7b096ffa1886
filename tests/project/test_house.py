"""The layout: rooms have tests of their own."""

from pathlib import PurePosixPath

from tests.support.sources import followed

PACKAGE = PurePosixPath("python/goodbot")
TESTS = PurePosixPath("tests")
FILES = followed()

# Rooms and their tests.

UNDER_TESTS = {
    "core": "`goodbot._core` has no folder of its own; Rust's tests are beside the crate",
    "project": "what is around the code: pages, promises, benchmarks",
    "public": "what holds for all that `goodbot` exports: values, misuse, threads",
    "support": "what several tests use",
    "typing": "the types that users see",
    "words": "the sentences that goodbot prints, as they were reviewed: `make words`",
    "fixtures": "folders and stores that earlier versions wrote",
    "system": "nginx, Chromium, pywb, a full disk, peers of the benchmarks: `make test-system`",
}
"""Folders of tests that mirror no room, and their purpose."""
WHOLE = {"cli"}
"""Rooms whose tests do not mirror their folders: the command line is tested by verbs."""
VERBS = {"crawl/verbs", "site/verbs", "tables/verbs"}
"""The verbs of the houses, whose views are tested with them."""


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
    of_code -= {room for room in of_code for verbs in VERBS if room.startswith(f"{verbs}/")}
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
