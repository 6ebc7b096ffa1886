"""What is used of Spark, imported when it is first used.

Scope: its functions, windows and types; an executor or a test that only answers in Arrow loads none
of them.
"""

from typing import Any

from goodbot.missing import needs


def __getattr__(name: str) -> Any:  # noqa: ANN401  Spark's functions and classes
    """Return `F` (functions), `Window` or a type.

    Raises:
        MissingExtraError: pyspark is not installed.

    """
    if name.startswith("__"):
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    with needs("spark"):
        from pyspark.sql import Window, functions, types  # noqa: PLC0415  an extra
    return {"F": functions, "Window": Window}.get(name) or getattr(types, name)
