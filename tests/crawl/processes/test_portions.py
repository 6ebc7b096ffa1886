"""The processes of a crawl together never use more than a bound, and all of it if they need it."""

from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.processes.portions import Quota

STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["ask", "use", "return"])), max_size=120
)


@given(limit=st.integers(1, 60), least=st.integers(1, 4), steps=STEPS)
def test_portions_never_exceed_the_bound_and_none_is_lost(
    limit: int, least: int, steps: list[tuple[int, str]]
) -> None:
    """Whatever the processes ask for, use and return; in the end, one of them can use the rest."""
    quota = Quota(limit, [0, 0, 0], least)
    levels, used = [0, 0, 0], [0, 0, 0]
    for process, step in [*steps, *((number, "return") for number in range(3))]:
        if step == "ask" and used[process] >= levels[process]:
            levels[process] += quota.portion(process)
        elif step == "use" and used[process] < levels[process]:
            used[process] += 1
        elif step == "return":
            quota.returned(process, levels[process] - used[process])
            levels[process] = used[process]
        assert quota.given == levels
        assert sum(levels) + quota.left == limit
        assert quota.left >= 0
    while portion := quota.portion(0):
        used[0] += portion
    assert sum(used) == limit


@given(limit=st.integers(1, 1_000), over=st.lists(st.integers(0, 400), max_size=9))
def test_what_was_used_too_much_is_taken_from_what_is_left(limit: int, over: list[int]) -> None:
    """A response may be larger than what is left; the others get less then, and never a debt."""
    quota = Quota(limit, [0, 0])
    used = 0
    for number, more in enumerate(over):
        used += more
        portion = quota.portion(number % 2, more)
        assert portion <= max(limit - used, 0)
        used += portion
        assert quota.left == max(limit - used, 0)


def test_without_a_bound_nothing_is_counted() -> None:
    """There is nothing to ask for."""
    quota = Quota(None, [5, 5])
    assert (quota.left, quota.portion(0)) == (0, 0)
