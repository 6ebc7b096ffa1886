"""The compiled expressions of `goodbot.tables.polars`.

Scope: the library that Polars loads, and how to register what its expressions decide by. Import
`goodbot.tables.polars` instead: it is the public interface.
"""

from pathlib import Path

from goodbot_polars import _plugin
from goodbot_polars._plugin import Policies, register_policies, register_rules

__all__ = ["LIBRARY", "Policies", "register_policies", "register_rules"]

LIBRARY = Path(_plugin.__file__)
"""The library that Polars loads."""
