"""Times and checked durations: the short ways convert as the long ones do."""

import math
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import GoodbotError
from goodbot.http.instants import EPOCH, checked_duration, checked_seconds, duration, instant
from tests.support.examples import examples

NUMBERS = st.one_of(
    st.integers(-3, 10**20), st.floats(), st.booleans(), st.integers(0, 10**6).map(float)
)
NAIVE = datetime(2026, 1, 1, 12)  # noqa: DTZ001  on purpose
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


@examples(100)
@given(st.lists(st.sampled_from(range(6)), max_size=20))
def test_a_time_is_converted_alike_whatever_was_converted_before(order: list[int]) -> None:
    """The last time is remembered, as the object that it is; what is wrong is refused each time."""
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    east = timezone(timedelta(hours=2))
    times = [noon, noon + timedelta(microseconds=1), noon.astimezone(east), EPOCH, None, NAIVE]
    for number in order:
        time = times[number]
        if time is None or time is NAIVE:
            with pytest.raises(GoodbotError):
                instant(time, "time")
        else:
            assert instant(time, "time") == (time - EPOCH) // timedelta(microseconds=1)
