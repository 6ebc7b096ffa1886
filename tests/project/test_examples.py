"""The examples in the docstrings of every module of the package."""

import doctest
import importlib
import pkgutil

import pytest

import goodbot

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(goodbot.__path__, "goodbot.")
    if module.name not in {"goodbot.__main__", "goodbot._core"}
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    """What the docstrings show is what happens."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
