"""The houses of the package are those of its walls, and each test runs with one of them."""

import re
import sys

import pytest

from goodbot.errors import MissingExtraError
from tests.support import houses
from tests.support.houses import ABOUT_ALL, EXTRAS, LIBRARIES, TESTS_OWN, folders, missing_extra
from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_houses_are_those_of_the_walls() -> None:
    """The contract of import-linter names the same three beside the base."""
    (walls,) = (
        contract["layers"]
        for contract in SETTINGS["tool"]["importlinter"]["contracts"]
        if contract["name"].startswith("Three houses")
    )
    assert " | ".join(name for name in EXTRAS if name != "base") in walls


def test_the_extras_are_those_of_the_package() -> None:
    """So are those that a skipped test names, except of libraries that only tests use."""
    extras = SETTINGS["project"]["optional-dependencies"]
    assert {extra for house in EXTRAS.values() for extra in house} <= extras.keys()
    named = {extra for some in LIBRARIES.values() if some != TESTS_OWN for extra in some}
    assert named <= extras.keys()


def test_each_folder_of_tests_is_of_one_house() -> None:
    """What is left asks about all: `make check` and `make test-system` run it."""
    tested = [folder for house in EXTRAS for folder in folders(house)]
    assert len(set(tested)) == len(tested)
    every = {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
    assert {f"tests/{name}" for name in every - ABOUT_ALL} == set(tested)


@pytest.mark.parametrize(
    ("house", "error", "reason"),
    [
        ("site", ModuleNotFoundError(name="warcio.bufferedreaders"), "warcio, of the extra crawl"),
        ("site", ModuleNotFoundError(name="pyarrow"), ""),
        ("site", ModuleNotFoundError(name="goodbot.gone"), ""),
        ("site", AssertionError("warcio"), ""),
        (
            "base",
            MissingExtraError("polars is not installed; run pip install 'goodbot[x]'"),
            "polars",
        ),
        ("", ModuleNotFoundError(name="warcio"), ""),
    ],
)
def test_only_a_library_of_another_house_may_be_missing(
    house: str, error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `--house`, nothing may: a library that is not installed fails the tests."""
    monkeypatch.setattr(houses, "chosen", [house] if house else [])
    found = missing_extra(error)
    assert bool(found) == bool(reason)
    assert re.search(re.escape(reason), found)
