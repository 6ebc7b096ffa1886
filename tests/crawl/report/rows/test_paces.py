"""The pauses that a report draws."""

from hypothesis import given
from hypothesis import strategies as some

from goodbot.crawl.evidence.punctuality import RequestPause
from goodbot.crawl.evidence.reading import OriginTotals
from goodbot.crawl.report.rows.acts import ACTS as NAMES
from goodbot.crawl.report.rows.paces import SLOTS, pace_of
from goodbot.crawl.report.rows.summary import RequestMark
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
        marks = [RequestMark(p.started, p.left or 0, p.asked, p.purpose, p.early) for p in pauses]
        assert pace.closest is not None
        assert pace.closest.spare == min(mark.spare for mark in marks)
        assert pace.closest.spare in {mark.spare for mark in pace.marks}


def test_each_act_has_a_name_in_the_report() -> None:
    """The names stand in the order used everywhere else."""
    assert list(NAMES) == list(ACTS)
