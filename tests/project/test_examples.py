"""The examples in the docstrings of every module of the package."""

import doctest
import importlib
import pkgutil

import pytest

import goodbot

APART = {"goodbot.tables.polars"}
"""Modules whose examples `make test-system` runs: it builds what they need."""
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(goodbot.__path__, "goodbot.")
    if module.name not in {"goodbot.__main__", "goodbot._core"} | APART
)
LEAST = {"adapters": 40, "crawl": 50, "http": 30, "net": 25, "pace": 25, "page": 40, "policy": 35,
         "robot": 25, "store": 20, "testing": 30}  # fmt: skip
"""The minimum number of examples in each room. Those of names in `goodbot` are counted apart."""


def room_of(module: str) -> str:
    """Return the room of a module: the names of the two or three highest packages."""
    return ".".join(module.split(".")[1:3])


@pytest.mark.parametrize("room", sorted({room_of(name) for name in MODULES}))
def test_the_examples_of_a_room_run(room: str) -> None:
    """The docstrings of its modules show what really happens."""
    failed = {
        name: doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed
        for name in MODULES
        if room_of(name) == room
    }
    assert {name: count for name, count in failed.items() if count} == {}


def examples(name: str) -> int:
    """Count the examples of a module."""
    module = importlib.import_module(name)
    return sum(len(found.examples) for found in doctest.DocTestFinder().find(module))


@pytest.mark.parametrize("room", LEAST)
def test_a_room_shows_how_it_is_used(room: str) -> None:
    """The doctest runner finds at least as many examples as there should be."""
    names = [name for name in MODULES if name.split(".")[1] == room]
    assert sum(map(examples, names)) >= LEAST[room]
