"""The pauses that a report draws."""

from hypothesis import given
from hypothesis import strategies as some

from goodbot.crawl.evidence.punctuality import RequestPause
from goodbot.crawl.evidence.reading import OriginTotals
from goodbot.crawl.report.rows.acts import ACTS as NAMES
from goodbot.crawl.report.rows.paces import SLOTS, pace_of, spare_of
from goodbot.http.instants import SECOND
from goodbot.page.verdict import ACTS

PAUSES = some.tuples(some.integers(0, 10**6), some.integers(0, 20), some.integers(0, 10))


@given(some.lists(PAUSES, max_size=300))
def test_thinning_never_hides_the_closest(given_pauses: list[tuple[int, int, int]]) -> None:
    """Of many requests only some are drawn: the tightest of each period."""
    pauses = [
        RequestPause(
            "u", "page", at, left * SECOND, asked * SECOND, "", "early" if left < asked else ""
        )
        for at, left, asked in sorted(given_pauses)
    ]
    first, last = (pauses[0].started, pauses[-1].started) if pauses else (0, 0)
    pace = pace_of(OriginTotals("https://a.example", len(pauses), 0, 0, first, last), pauses)
    assert pace.early == sum(bool(one.early) for one in pauses)
    assert len(pace.marks) <= SLOTS + 1
    assert any(mark.early for mark in pace.marks) is bool(pace.early)
    if pauses:
        closest = min(pauses, key=spare_of)
        drawn = {(mark.at, mark.left, mark.asked) for mark in pace.marks}
        assert pace.closest is not None
        assert (pace.closest.left, pace.closest.asked) in {
            (one.left, one.asked) for one in pauses if spare_of(one) == spare_of(closest)
        }
        assert (pace.closest.at, pace.closest.left, pace.closest.asked) in drawn


def test_each_act_has_a_name_in_the_report() -> None:
    """The names stand in the order used everywhere else."""
    assert list(NAMES) == list(ACTS)
