"""The drawings and the escapes of a report."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as some

from goodbot.crawl.evidence.reading import OriginTotals
from goodbot.crawl.report.html import markup, plots
from goodbot.crawl.report.rows.summary import OriginPace, RequestMark
from goodbot.http.instants import SECOND


@given(some.text())
def test_what_is_shown_is_text_and_nothing_else(text: str) -> None:
    """Any text can be written as UTF-8, and keeps no character that is special in HTML."""
    shown = markup.shown(text)
    assert bool(shown.encode()) is bool(text)
    assert not set(shown) & set("<>\"'\u202e\x00\x1b")


# The plots.

LENGTHS = some.integers(-SECOND, 10**6 * SECOND)
MARKS = some.builds(
    RequestMark,
    at=some.integers(0, 10**9),
    left=LENGTHS,
    asked=some.integers(0, 10**5 * SECOND),
    purpose=some.sampled_from(["page", "robots-txt"]),
    early=some.just(""),
)


@given(some.lists(MARKS, min_size=1, max_size=30))
def test_what_was_early_stands_below_the_line(marks: list[RequestMark]) -> None:
    """A mark lies below the line if and only if its pause was shorter than required."""
    totals = OriginTotals("https://a.example", 1, 1, 1, 0, 10**9)
    pace = OriginPace(totals, marks=sorted(marks, key=at_of))
    scale = plots.scale_of(pace)
    for mark in marks:
        left, asked = scale.down(mark.left), scale.down(mark.asked)
        assert plots.TOP <= left <= plots.FLOOR
        if mark.asked > 0:
            assert (left > asked) is (mark.left < mark.asked)
    drawn = plots.timeline("one", pace)
    assert len(list(ET.fromstring(drawn).iter("circle"))) == sum(  # noqa: S314  our own
        mark.purpose == "page" for mark in marks
    )


def at_of(mark: RequestMark) -> int:
    """Return when a request began."""
    return mark.at
