"""Functions of the core for the reference implementations: the HTML tree and the element names.

No wheel has these functions: `make develop` builds the core with the Cargo feature `reference`.
"""

from typing import Any

from goodbot import _core

__all__ = ["element_names", "html_events"]


def function_of_core(name: str) -> Any:  # noqa: ANN401  a compiled function that no stub has
    """Return a function that the core has only for tests.

    Raises:
        RuntimeError: The core was built without it.

    """
    function = getattr(_core, name, None)
    if function is None:
        message = f"the core has no {name}; build it with `make develop`, as the tests need it"
        raise RuntimeError(message)
    return function


def html_events(text: str) -> list[tuple[Any, ...]]:
    """Return the tree of an HTML document as events, as `reference.rs` has them."""
    events: list[tuple[Any, ...]] = function_of_core("_html_events")(text)
    return events


def element_names() -> tuple[list[str], list[str], list[str]]:
    """Return the elements that end a block, those that show no text, and those inline in XML."""
    names: tuple[list[str], list[str], list[str]] = function_of_core("_element_names")()
    return names
