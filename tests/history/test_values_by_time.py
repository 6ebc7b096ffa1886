"""Which values hold at a time is what a search from the beginning finds."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.history.values_by_time import TimelineCache, ValuesByTime
from goodbot.policy import Policy
from tests.support.examples import examples

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
URL = "https://example.com/robots.txt"
FILES = [b"", b"User-agent: *\nDisallow: /a"]


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 9), st.text("ab", max_size=1)), max_size=6))
def test_the_last_value_that_began_holds(changes: list[tuple[int, str]]) -> None:
    """Of those of one time, the last one."""
    timeline = ValuesByTime.of(changes)
    for time in range(-1, 11):
        begun = [value for at, value in sorted(changes, key=lambda one: one[0]) if at <= time]
        assert timeline.at(time) == (begun[-1] if begun else None)
        assert timeline.count(time) == len(begun)


def test_a_cache_keeps_those_that_were_asked_about_last() -> None:
    """The origin used least recently is dropped, and read again when it is needed."""
    reads: list[str] = []
    cache = TimelineCache(lambda origin: reads.append(origin) or origin.upper(), most=2)  # type: ignore[func-returns-value]
    assert [cache.of(one) for one in "abacab"] == list("ABACAB")
    assert reads == list("abcb")


@pytest.mark.parametrize("held", [None, 2 * HOUR, timedelta.max])
@examples(200)
@given(
    learned=st.lists(st.tuples(st.integers(0, 12), st.sampled_from(FILES)), max_size=5),
    unknown=st.lists(st.integers(0, 12), max_size=3),
)
def test_policies_hold_as_a_search_from_the_beginning_finds(
    learned: list[tuple[int, bytes]], unknown: list[int], held: timedelta | None
) -> None:
    """With those of one time, times from which on nothing is known, and the same file again."""
    known = [
        LearnedPolicy(
            NOON + at * 12 * HOUR,
            Policy.from_response(URL, 200, {}, body, now=NOON + at * 12 * HOUR),
        )
        for at, body in learned
    ]
    ends = [NOON + at * 12 * HOUR for at in unknown]
    timeline = PolicyTimeline(tuple(known), held, tuple(ends))
    for hours in range(-6, 170, 6):
        time = NOON + hours * HOUR
        then = timeline.at(time)
        assert (list(then.policies), then.is_current) == plain(known, ends, held, time), hours


def plain(
    known: list[LearnedPolicy], ends: list[datetime], held: timedelta | None, time: datetime
) -> tuple[list[Policy], bool]:
    """Return the policies of a time and whether they permit anything, found one after the other."""
    begun = [one.at for one in known if one.at <= time]
    over = max((one for one in ends if one <= time), default=None)
    if not begun or (over is not None and over > max(begun)):
        return [], False
    latest = max(begun)
    then = [one.policy for one in known if one.at == latest]
    later = sorted((one for one in known if one.at > time), key=lambda one: one.at)
    is_fresh = all(one.is_fresh(time) for one in then)
    is_current = is_fresh if held is None else time - latest <= held
    if not is_current and later and not any(latest < one < later[0].at for one in ends):
        again = later[0].policy.copy_content
        is_current = all(one.copy_content == again for one in then)
    return then, is_current and over != latest
