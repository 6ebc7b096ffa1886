"""One test for many small cases, which reports every case that fails."""

import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

__all__ = ["check_each"]

Case = TypeVar("Case")


def check_each(
    cases: Iterable[Case], check: Callable[[Case], None], name: Callable[[Case], str] = str
) -> None:
    """Check every case; fail with the names and errors of those that fail, or without a case."""
    failed, count = [], 0
    for case in cases:
        count += 1
        try:
            check(case)
        except (Exception, pytest.fail.Exception):  # noqa: BLE001  an error fails as an assertion does
            failed.append(f"{name(case)}:\n{traceback.format_exc()}")
    assert count, "there are no cases"
    assert not failed, f"{len(failed)} of {count} cases fail\n\n" + "\n".join(failed)
