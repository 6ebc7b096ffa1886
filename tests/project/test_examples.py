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


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    """The docstrings show what really happens."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def examples(name: str) -> int:
    """Count the examples of a module."""
    module = importlib.import_module(name)
    return sum(len(found.examples) for found in doctest.DocTestFinder().find(module))


@pytest.mark.parametrize("room", LEAST)
def test_a_room_shows_how_it_is_used(room: str) -> None:
    """The doctest runner finds at least as many examples as there should be."""
    names = [name for name in MODULES if name.split(".")[1] == room]
    assert sum(map(examples, names)) >= LEAST[room]
