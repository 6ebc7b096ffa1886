"""Which policy held at a time, and what follows from it."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import MisuseError, OtherOriginError, Policy, WrongTypeError, WrongValueError
from goodbot.history import PolicyTimeline

ADDRESS = "https://a.example/robots.txt"
PAGE = "https://a.example/page"
START = datetime(2025, 1, 1, tzinfo=timezone.utc)
OPEN, CLOSED, OTHER = b"", b"User-agent: *\nDisallow: /", b"User-agent: *\nDisallow: /other"


def at(hours: float) -> datetime:
    """Return a time."""
    return START + timedelta(hours=hours)


def answer(
    hours: float, body: bytes = OPEN, status: int = 200, fields: dict[str, str] | None = None
) -> Policy:
    """Return the policy of an answer."""
    return Policy.from_response(ADDRESS, status, fields or {}, body, now=at(hours))


def allowed(timeline: PolicyTimeline, hours: float) -> bool | None:
    """Return whether the page was allowed; `None` if that is unknown."""
    found = timeline.at(at(hours)).may_fetch(PAGE, "ExampleBot")
    return None if found is None else found.allowed


@pytest.mark.parametrize(
    ("policies", "hours", "expected"),
    [
        ([], 0, None),
        ([answer(1)], 0, None),
        ([answer(1)], 1, True),
        ([answer(1)], 24, True),
        ([answer(1)], 25, None),
        ([answer(1, CLOSED)], 1_000, False),
        ([answer(0), answer(2, CLOSED)], 1, True),
        ([answer(0), answer(2, CLOSED)], 2, False),
        ([answer(0, CLOSED), answer(2)], 1, False),
        ([answer(0, CLOSED), answer(2)], 2, True),
        # Of one time, all must allow, whichever is handed in first.
        ([answer(0), answer(0, CLOSED)], 1, False),
        ([answer(0, CLOSED), answer(0)], 1, False),
        # The same file was seen again; another one was not the same in between.
        ([answer(0, OTHER), answer(100, OTHER)], 50, True),
        ([answer(0, OTHER), answer(100)], 50, None),
        ([answer(0, OTHER), answer(0), answer(100, OTHER)], 50, None),
        ([answer(0, status=404), answer(100, status=404)], 50, None),
        # A failure is never permission.
        ([answer(0, status=503)], 0, False),
        ([answer(0), answer(1, status=503)], 2, False),
        ([answer(0, status=404)], 1, True),
    ],
)
def test_what_held_at_a_time(policies: list[Policy], hours: float, expected: bool | None) -> None:  # noqa: FBT001
    """The policy that was learned last decides; what it permits, only while it is current."""
    assert allowed(PolicyTimeline.of(policies), hours) is expected


def test_the_time_that_a_policy_is_held() -> None:
    """By default it is what the site states; a caller can state another."""
    policies = [answer(0, fields={"Cache-Control": "max-age=3600"})]
    assert allowed(PolicyTimeline.of(policies), 2) is None
    assert allowed(PolicyTimeline.of(policies, held=timedelta(hours=2)), 2) is True
    assert allowed(PolicyTimeline.of(policies, held=timedelta(hours=2)), 2.1) is None


def test_a_stored_copy_is_not_seen_again() -> None:
    """A request that fails leaves the copy in force, and proves nothing about the time before."""
    failed = Policy.from_failure(ADDRESS, "timeout", now=at(72), previous=answer(0, OTHER))
    assert (failed.reason, allowed(PolicyTimeline.of([answer(0, OTHER), failed]), 30)) == (
        "stale-copy",
        None,
    )


def test_what_is_known_at_a_time() -> None:
    """The policies, their age, and whether they are current."""
    timeline = PolicyTimeline.of([answer(4, CLOSED), answer(0)])
    then = timeline.at(at(3))
    assert (then.policies, then.age, then.is_current) == (
        (timeline.learned[0].policy,),
        timedelta(hours=3),
        True,
    )
    before = timeline.at(at(-1))
    assert (before.policies, before.age, before.is_current, bool(before)) == (
        (),
        None,
        False,
        False,
    )


def test_misuse_is_refused() -> None:
    """The messages say what is wrong."""
    elsewhere = Policy.from_failure("https://b.example/robots.txt", "dns", now=START)
    with pytest.raises(OtherOriginError, match=r"a\.example, https://b\.example"):
        PolicyTimeline.of([answer(0), elsewhere])
    with pytest.raises(WrongTypeError, match="not of str"):
        PolicyTimeline.of(["x"])  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match=r"PolicyTimeline\.of"):
        PolicyTimeline((answer(0),))  # type: ignore[arg-type]
    with pytest.raises(WrongValueError, match="time"):
        PolicyTimeline.of([answer(0)]).at(datetime(2025, 1, 1))  # noqa: DTZ001  that is refused
    with pytest.raises(MisuseError):
        PolicyTimeline.of([answer(0)]).at(START).may_fetch("https://b.example/", "ExampleBot")


STATES = st.sampled_from([OPEN, CLOSED, OTHER])


def plainly(learned: list[tuple[int, bytes]], hours: int) -> bool | None:
    """Return whether the page was allowed, by looking at every policy."""
    times = [time for time, _ in learned if time <= hours]
    if not times:
        return None
    then = {body for time, body in learned if time == max(times)}
    if CLOSED in then:
        return False
    after = [time for time, _ in learned if time > hours]
    following = next((body for time, body in learned if after and time == min(after)), None)
    return True if hours - max(times) < 24 or then == {following} else None


@given(st.lists(st.tuples(st.integers(0, 60), STATES), max_size=6), st.integers(0, 90))
def test_plain_reference(learned: list[tuple[int, bytes]], hours: int) -> None:
    """Whatever is learned, in any order, what held is what a plain search finds."""
    timeline = PolicyTimeline.of(answer(time, body) for time, body in learned)
    assert allowed(timeline, hours) is plainly(learned, hours)
