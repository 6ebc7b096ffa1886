"""Public names of a package that are loaded when they are first used (PEP 562).

Scope: what the `__init__.py` of a package calls, so that importing one of its modules does not load
all the others. `goodbot` itself does not call it, because it loads nothing but the core. A
name must not be that of a module of the same package, which would replace it.
"""

import sys

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["lazy_names"]


def lazy_names(
    package: str,
    names: "Mapping[str, Sequence[str]]",
    elsewhere: "Mapping[str, Sequence[str]] | None" = None,
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: The package, which assigns both functions to these names.
        names: Its public names by their modules, whose own names are relative to the package.
        elsewhere: Names that it had earlier, by the whole names of the modules that have them now.
            They are not listed.

    """
    listed_places = {name: f"{package}.{module}" for module, some in names.items() for name in some}
    earlier = {name: module for module, some in (elsewhere or {}).items() for name in some}
    places = {**listed_places, **earlier}

    def load(name: str) -> object:
        """Load a name when it is first used."""
        if name not in places:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        from importlib import import_module  # noqa: PLC0415  not needed before

        value: object = getattr(import_module(places[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        """List the names of the package, including those that are not loaded yet."""
        return sorted({*vars(sys.modules[package]), *listed_places})

    return load, listed
