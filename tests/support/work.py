"""Count the work of a call, which is the same on a busy machine as on a quiet one."""

import sqlite3
import sys
from collections.abc import Callable
from typing import Any


def lines_run(call: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs, in all functions that it calls."""
    count = 0

    def trace(_frame: object, event: str, _argument: object) -> Any:  # noqa: ANN401  of itself
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def sqlite_steps(connection: sqlite3.Connection, call: Callable[[], object], each: int = 10) -> int:
    """Return how many instructions SQLite's machine runs in a call, in units of `each`."""
    count = 0

    def step() -> int:
        nonlocal count
        count += each
        return 0

    connection.set_progress_handler(step, each)
    try:
        call()
    finally:
        connection.set_progress_handler(None, each)
    return count
