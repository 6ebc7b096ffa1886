"""Checked durations, which are as those that are checked and converted in two steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import GoodbotError
from goodbot.http.instants import checked_duration, checked_seconds, duration
from tests.support.examples import examples

NUMBERS = st.one_of(
    st.integers(-3, 10**20), st.floats(), st.booleans(), st.integers(0, 10**6).map(float)
)
ODD: list[object] = ["1", None, [1.0], math.nan, math.inf, -math.inf, -0.0, -1, True]


def outcome(seconds: object, *, in_one_step: bool) -> object:
    """Return the duration, or the type and the message of the exception."""
    try:
        if in_one_step:
            return checked_duration(seconds, "pause")
        return duration(checked_seconds(seconds, "pause"))
    except GoodbotError as error:
        return type(error), str(error)


@examples(300)
@given(NUMBERS)
def test_checked_in_one_step_is_as_in_two(seconds: float) -> None:
    """Whole seconds are converted at once; the rest as ever."""
    assert outcome(seconds, in_one_step=True) == outcome(seconds, in_one_step=False)


@pytest.mark.parametrize("seconds", ODD)
def test_what_is_no_duration_is_refused_alike(seconds: object) -> None:
    """Whatever is passed."""
    assert outcome(seconds, in_one_step=True) == outcome(seconds, in_one_step=False)
