"""How many examples the property tests try: a quarter in `make test`, all in `make test-system`.

`pytest --hypothesis-profile=thorough -m hypothesis` runs them at length.
"""

from typing import Any

from hypothesis import settings

__all__ = ["examples"]

ALL = 100
"""How many examples of each property the thorough profile tries, unless the test says otherwise."""
PART = 4

settings.register_profile("thorough", max_examples=ALL)
settings.register_profile("quick", max_examples=ALL // PART)
settings.load_profile("quick")  # before pytest loads the one that its command line names


def examples(count: int, **options: Any) -> settings:  # noqa: ANN401  as `settings` takes them
    """Return the settings of a test that tries so many examples in the thorough profile.

    Args:
        count: The number of examples.
        options: Other settings.

    """
    return settings(max_examples=count * settings().max_examples // ALL, **options)
