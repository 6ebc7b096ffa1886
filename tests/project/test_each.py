"""A test of many cases names each that fails."""

import pytest

from tests.support.each import check_each


def check_small(number: int) -> None:
    """Fail for numbers over 2, in two ways."""
    assert number < 4, "four or more"
    if number == 3:
        pytest.fail("it is three")


def test_every_case_that_fails_is_named() -> None:
    """With what it raised, whichever way; the cases behind it are tried."""
    check_each([1, 2], check_small)
    with pytest.raises(AssertionError) as caught:
        check_each([1, 3, 2, 4], check_small, "case {}".format)
    said = str(caught.value)
    assert said.startswith("2 of 4 cases fail")
    assert all(part in said for part in ("case 3:", "it is three", "case 4:", "four or more"))
    assert "case 2:" not in said


def test_no_cases_are_no_success() -> None:
    """A pattern that finds nothing would otherwise check nothing."""
    with pytest.raises(AssertionError, match="no cases"):
        check_each([], check_small)
