"""Packages by their earlier names, which go on working.

Scope: `import goodbot.lint` finds `goodbot.site.lint`; both names are of one module. Nothing is
loaded before it is asked for.
"""

import sys

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["find_earlier_names"]

MOVED = {
    "goodbot.adapters.duckdb": "goodbot.tables.duckdb",
    "goodbot.adapters.pandas": "goodbot.tables.pandas",
    "goodbot.adapters.polars": "goodbot.tables.polars",
    "goodbot.adapters.pyarrow": "goodbot.tables.pyarrow",
    "goodbot.audit": "goodbot.site.audit",
    "goodbot.columns": "goodbot.tables.columns",
    "goodbot.gate": "goodbot.site.gate",
    "goodbot.lint": "goodbot.site.lint",
    "goodbot.logs": "goodbot.site.logs",
    "goodbot.page.write": "goodbot.site.writing",
    "goodbot.policy_tables": "goodbot.tables.building",
    "goodbot.reasoning": "goodbot.site.reasoning",
    "goodbot.spark": "goodbot.tables.spark",
    "goodbot.verdict_tables": "goodbot.tables.writing",
}
"""Packages and modules by their earlier names."""


def find_new_name(name: str) -> str | None:
    """Return the name that a module has now; `None` if it has always had its name.

    >>> find_new_name("goodbot.gate.middleware.django"), find_new_name("goodbot.page")
    ('goodbot.site.gate.middleware.django', None)
    """
    if not name.startswith("goodbot."):
        return None
    parts = name.split(".")
    for length in (3, 2):
        earlier = ".".join(parts[:length])
        if earlier in MOVED:
            return MOVED[earlier] + name[len(earlier) :]
    return None


class EarlierNames:
    """A finder of modules (PEP 451) whose loader returns the module of the present name."""

    @staticmethod
    def find_spec(
        name: str,
        path: "Sequence[str] | None" = None,  # noqa: ARG004  the interface of finders
        target: "ModuleType | None" = None,  # noqa: ARG004  the same
    ) -> "ModuleSpec | None":
        """Return the specification of a module by its earlier name."""
        new = find_new_name(name)
        if new is None:
            return None
        from importlib.machinery import ModuleSpec  # noqa: PLC0415  the core needs none

        return ModuleSpec(name, PresentModule(new))  # type: ignore[arg-type]  # a loader by its methods


class PresentModule:
    """A loader that returns a module that has another name."""

    def __init__(self, name: str) -> None:
        """Keep the name."""
        self._name = name

    def create_module(self, spec: "ModuleSpec") -> "ModuleType":  # noqa: ARG002  the interface
        """Import the module by its present name."""
        from importlib import import_module  # noqa: PLC0415  the core needs none

        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: "ModuleType") -> None:
        """Leave the module as it is, with the specification that it had."""
        module.__spec__ = self._spec


def find_earlier_names() -> None:
    """Make imports find packages by their earlier names."""
    if not any(isinstance(finder, EarlierNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, EarlierNames())
