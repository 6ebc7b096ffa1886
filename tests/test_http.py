"""The facts of the web: what `goodbot.http` reads, by its examples and by the cases."""

import doctest
import importlib
import pkgutil

import goodbot.http


def test_the_examples_of_the_modules_run() -> None:
    """Each docstring of the room gives what it says."""
    tried = 0
    for module in pkgutil.iter_modules(goodbot.http.__path__, "goodbot.http."):
        done = doctest.testmod(importlib.import_module(module.name))
        assert done.failed == 0, module.name
        tried += done.attempted
    assert tried > 20
