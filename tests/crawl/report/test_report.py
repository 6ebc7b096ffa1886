"""The report is correct, self-contained and harmless, and can be read without its plots."""

import datetime as dt
import re
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as some

from goodbot.crawl.evidence.punctuality import RequestPause
from goodbot.crawl.evidence.reading import OriginTotals
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report import markup, plots
from goodbot.crawl.report.page import ACTS as NAMES
from goodbot.crawl.report.report import SLOTS, pace_of, page_of, summary_of
from goodbot.crawl.report.summary import OriginPace, ReportSummary, RequestMark
from goodbot.errors import NotAStoreError
from goodbot.http.instants import SECOND
from goodbot.page.verdict import ACTS
from tests.support.sample_crawl import BUSY, DOWN, NEWS, SHOP, SampleCrawl, sample

NOW = dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc)
VOID = {"meta", "link", "img", "br", "hr", "input"}
LOADS = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}


class Reader(HTMLParser):
    """Reads the elements, attributes and text of a page, and checks that elements are closed."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.words.append(data)

    @property
    def text(self) -> str:
        """The whole text, with one space between words."""
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Yield the sample crawl, which no test changes."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def summary(crawl: SampleCrawl) -> ReportSummary:
    """Return the counts of the sample crawl."""
    return summary_of(crawl.database, NOW)


@pytest.fixture(scope="module")
def page(summary: ReportSummary) -> Reader:
    """Return the report of the sample crawl."""
    return Reader(page_of(summary))


# What is counted.


def test_the_counts_are_those_of_the_sites(crawl: SampleCrawl, summary: ReportSummary) -> None:
    """The report counts as many requests and origins as the sites saw."""
    visits = crawl.site.visits
    assert (summary.requests, summary.origins) == (len(visits), 4)
    assert summary.pages == sum(not visit.url.endswith("/robots.txt") for visit in visits)
    assert summary.urls == 17
    assert summary.of_state("disallowed") == 4
    assert (summary.documents, summary.no_documents) == (6, 2)
    archive = next(one for one in summary.acts if one.act == "archive")
    assert (archive.whole, archive.partly, archive.disallowed) == (4, 0, 2)
    assert archive.kinds == {"meta": 1, "header": 1}
    snippet = next(one for one in summary.acts if one.act == "snippet")
    assert snippet.partly == 1


def test_the_closest_pause_is_told_for_each_origin(summary: ReportSummary) -> None:
    """It comes with the required pause and its source; a single request has none."""
    closest = {pace.totals.origin: pace.closest for pace in summary.paces}
    for origin, asked in ((SHOP, 5), (NEWS, 20), (BUSY, 10)):
        mark = closest[origin]
        assert mark is not None
        assert mark.asked == asked * SECOND
        assert asked * SECOND <= mark.left < asked * SECOND + 10
    assert closest[DOWN] is None
    assert summary.early == 0
    assert summary.verdict == "All 10 follow-up requests kept the required pause."


def test_an_early_request_is_told_and_drawn(tmp_path: Path) -> None:
    """If the recorded times show that a request came too early, the page says so."""
    crawl = sample(tmp_path)
    with crawl.database.changing() as connection:
        connection.execute(
            "UPDATE requests SET started = started - 2000000 WHERE url = ?", (f"{SHOP}/lamps",)
        )
    summary = summary_of(crawl.database, NOW)
    crawl.database.close()
    page = page_of(summary)
    assert summary.early == 1
    assert summary.paces[0].totals.origin == SHOP
    assert summary.verdict == "1 of 10 follow-up requests came too early."
    assert summary.verdict in page
    assert "3.000001 seconds after the previous request; Crawl-delay requires 5 seconds" in page
    assert page.count('<path class="early" d="M0 0') == 1
    assert "Early requests" in page


def test_a_crawl_that_has_not_begun_has_a_report(tmp_path: Path) -> None:
    """The report says that nothing was requested."""
    with closing(Database(tmp_path, create=True)) as database:
        page = Reader(page_of(summary_of(database, NOW)))
    assert "No requests were made." in page.text
    assert "This crawl has not requested anything yet." in page.text
    assert "The crawl has not found any URLs yet." in page.text


def test_damaged_settings_are_told(tmp_path: Path) -> None:
    """They raise NotAStoreError."""
    with closing(Database(tmp_path, create=True)) as database:
        database.write_settings({"robot": "ExampleBot", "bounds": "{}"})
        assert summary_of(database, NOW).robot == "ExampleBot"
        for value in ("x", '{"floor": -1}', '{"floor": "1"}', "[]", "1"):
            with database.changing() as connection:
                connection.execute("INSERT OR REPLACE INTO settings VALUES('manners', ?)", (value,))
            with pytest.raises(NotAStoreError, match="settings"):
                summary_of(database, NOW)


# The page.


def test_the_page_is_whole_and_loads_nothing(page: Reader) -> None:
    """Every element is closed; there are no scripts and no links, and a policy forbids both."""
    assert page.open == []
    names = {name for name, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "a"}
    for name, attributes in page.elements:
        assert not set(attributes) & LOADS, name
        assert not [one for one in attributes if one.startswith("on")], name
    policies = [a["content"] for n, a in page.elements if a.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_the_page_is_for_light_and_dark_and_any_width(summary: ReportSummary) -> None:
    """The style sheet alone does this."""
    page = page_of(summary)
    assert "prefers-color-scheme:dark" in page
    assert 'name="viewport"' in page
    assert "url(" not in page
    assert "@import" not in page


def test_every_plot_can_be_read_without_being_seen(page: Reader) -> None:
    """Each plot has a title and a description with unique ids; tables have column headings."""
    plots = [a for name, a in page.elements if name == "svg" and a.get("role") == "img"]
    assert len(plots) == 5
    identities = [a["id"] for _, a in page.elements if "id" in a]
    assert len(set(identities)) == len(identities)
    for plot in plots:
        assert set((plot["aria-labelledby"] or "").split()) <= set(identities)
    tables = sum(name == "table" for name, _ in page.elements)
    assert tables == 6
    assert all(a.get("scope") == "col" for name, a in page.elements if name == "th")


def test_every_plot_is_well_formed(summary: ReportSummary) -> None:
    """Each plot is XML, and its horizontal lengths are percentages within it."""
    plots = re.findall(r'<svg class="plot".*?</svg>(?=</figure>|\n)', page_of(summary), re.DOTALL)
    assert len(plots) == 5
    for plot in plots:
        for one in ET.fromstring(plot).iter():  # noqa: S314  our own
            for name in ("x", "x1", "x2", "width"):
                value = one.get(name, "")
                if value.endswith("%"):
                    assert -0.01 <= float(value[:-1]) <= 100.01


def test_what_is_foreign_stays_text(tmp_path: Path) -> None:
    """Markup in a reason, a URL, a setting or a state appears as text on the page."""
    crawl = sample(tmp_path)
    evil = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b"
    with crawl.database.changing() as connection:
        connection.execute("UPDATE settings SET value = ? WHERE name = 'contact'", (evil,))
        connection.execute("UPDATE urls SET reason = ? WHERE state = 'failed'", (evil,))
        connection.execute("UPDATE urls SET state = ? WHERE state = 'skipped'", (evil,))
        connection.execute("UPDATE requests SET url = ?, started = started - 1000000", (evil,))
        connection.execute("UPDATE requests SET ended = ended + 1000000")
    text = page_of(summary_of(crawl.database, NOW))
    crawl.database.close()
    page = Reader(text)
    assert page.open == []
    assert not {"script", "img"} & {name for name, _ in page.elements}
    assert page.text.count("<script>alert(1)</script>") > 3
    assert "\u202e" not in text
    assert "\x1b" not in text


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


PAUSES = some.tuples(some.integers(0, 10**6), some.integers(0, 20), some.integers(0, 10))


def test_each_act_has_a_name_in_the_report() -> None:
    """The names stand in the order used everywhere else."""
    assert list(NAMES) == list(ACTS)


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


def test_many_origins_are_counted_and_few_are_listed(tmp_path: Path) -> None:
    """A thousand origins make a short page; those that are not listed are summed up."""
    with closing(Database(tmp_path, create=True)) as database:
        rows = [
            (f"https://{n}.example", f"https://{n}.example/{m}", "page", at, at, 200)
            for n in range(1000)
            for m, at in enumerate((n * SECOND, (n + 60) * SECOND))
        ]
        with database.changing() as connection:
            connection.executemany(
                "INSERT INTO requests(origin, url, purpose, started, ended, status) "
                "VALUES(?, ?, ?, ?, ?, ?)",
                rows,
            )
        summary = summary_of(database, NOW)
    assert (summary.origins, summary.measured, len(summary.paces)) == (1000, 1000, 200)
    assert sum(bool(pace.marks) for pace in summary.paces) == 12
    page = page_of(summary)
    assert "Not listed: 800 more sites with 0 early requests." in page
    assert len(page) < 200_000
