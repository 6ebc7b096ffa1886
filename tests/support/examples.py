"""How much the costly tests try: a part in `make test`, everything in `make test-thorough`.

Property tests try a tenth of their examples; tests that go through every byte, step or column go
through every tenth, from a random first one. `make test-thorough` runs both kinds in the profile
`thorough`.
If `CI` is set, every run tries the same examples, so that its result depends on the change alone.
"""

import os
import random
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

__all__ = ["PART", "STEP", "examples", "share_of", "some_of", "stride", "thorough"]

ALL = 100
"""How many examples of a property the thorough profile tries, unless the test sets a number."""
PART = 10
"""`make test` tries one example of so many."""
STEP = 10
"""`make test` goes through one byte, step or column of so many."""

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
    """Return how many of `count` examples this profile tries: at least one."""
    return max(1, count * settings().max_examples // ALL)


def some_of(items: Sequence[Item], *, one_of: int = STEP) -> Sequence[Item]:
    """Return all items in the thorough profile; otherwise every tenth, from a random first one.

    It is the same for all processes of a run, which must collect the same tests.

    Args:
        items: What could be tried.
        one_of: Of how many one is tried, if it is not every tenth; of fewer, one is.

    """
    first, step = stride(one_of, len(items))
    return items[first::step]


def stride(one_of: int = STEP, most: int | None = None) -> tuple[int, int]:
    """Return the place of the first step to try, and how many to go on after each.

    Args:
        one_of: Of how many one is tried; the thorough profile tries each.
        most: How many there are, if that is known: at least one is tried.

    """
    step = 1 if settings().max_examples == ALL else one_of
    step = step if most is None else max(1, min(step, most))
    chance = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID"))  # noqa: S311  not a secret
    return (0 if settings().derandomize else chance.randrange(step)), step
