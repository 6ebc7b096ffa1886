"""How much the costly tests try: a quarter in `make test`, everything in `make test-thorough`.

Property tests try fewer examples; tests that go through every byte, step or column go through every
fourth, from a random first one. `make test-thorough` runs both kinds in the profile `thorough`.
If `CI` is set, every run tries the same examples, so that its result depends on the change alone.
"""

import os
import random
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

__all__ = ["examples", "share_of", "some_of", "thorough"]

ALL = 100
"""How many examples of a property the thorough profile tries, unless the test sets a number."""
PART = 4

# No deadlines: on a busy machine they make sound tests fail.
settings.register_profile("thorough", max_examples=ALL, deadline=None)
settings.register_profile("quick", max_examples=ALL // PART, deadline=None)
settings.register_profile("same", settings.get_profile("quick"), derandomize=True)
# This must run before pytest loads the profile that its command line names.
settings.load_profile("same" if os.environ.get("CI") else "quick")

thorough = pytest.mark.thorough
"""Marks a test that uses `share_of` or `some_of`, so that the thorough profile runs it too."""

Item = TypeVar("Item")


def examples(count: int, **options: Any) -> settings:  # noqa: ANN401  as `settings` takes them
    """Return the settings of a test that tries this many examples in the thorough profile.

    Args:
        count: The number of examples.
        options: Other settings.

    """
    return settings(max_examples=share_of(count), **options)


def share_of(count: int) -> int:
    """Return how many of `count` examples this profile tries."""
    return count * settings().max_examples // ALL


def some_of(items: Sequence[Item]) -> Sequence[Item]:
    """Return all items in the thorough profile; otherwise every fourth, from a random first one.

    It is the same for all processes of a run, which must collect the same tests.
    """
    step = ALL // settings().max_examples
    chance = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID"))  # noqa: S311  not a secret
    first = 0 if settings().derandomize else chance.randrange(step)
    return items[first::step]
