"""The report is correct, self-contained and harmless, and can be read without its plots."""

import base64
import datetime as dt
import hashlib
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.report.report import CrawlReport, report_on
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.errors import NotAStoreError
from goodbot.html_page import family_style, read_text
from goodbot.http.instants import SECOND
from goodbot.pace import Manners
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE, html, moved, site_of
from tests.support.crawls.memory_crawls import crawl as run_crawl
from tests.support.crawls.process_crawls import crawl_in_parts
from tests.support.crawls.reports import report_tables, report_text
from tests.support.crawls.sample_crawl import BUSY, DOWN, NEWS, SHOP, SampleCrawl, sample
from tests.support.paths import FIXTURES

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
        self.scripts: list[dict[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append(dict(attrs))
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
        if self.open and self.open[-1] not in {"script", "style"}:
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
def report(crawl: SampleCrawl) -> Iterator[CrawlReport]:
    """Yield the report on the sample crawl."""
    with closing(report_on(crawl.database, NOW)) as found:
        yield found


@pytest.fixture(scope="module")
def summary(report: CrawlReport) -> ReportSummary:
    """Return the counts of the sample crawl."""
    return report.summary


@pytest.fixture(scope="module")
def text(report: CrawlReport) -> str:
    """Return the page of the sample crawl."""
    return "".join(report)


@pytest.fixture(scope="module")
def page(text: str) -> Reader:
    """Return the page of the sample crawl, read."""
    return Reader(text)


# What is counted.


def test_the_counts_are_those_of_the_sites(crawl: SampleCrawl, summary: ReportSummary) -> None:
    """The report counts as many requests and origins as the sites saw."""
    visits = crawl.site.visits
    assert (summary.requests, summary.origins) == (len(visits), 4)
    assert summary.pages == sum(not visit.url.endswith("/robots.txt") for visit in visits)
    assert summary.urls == 17
    assert summary.of_state("disallowed") == 4
    assert (summary.documents, summary.no_documents) == (6, 2)
    archive, snippet = summary.acts["archive"], summary.acts["snippet"]
    assert (archive.whole, archive.partly, archive.disallowed) == (4, 0, 2)
    assert archive.kinds == {"meta": 1, "header": 1}
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
    summary, page = report_text(crawl.database, NOW)
    crawl.database.close()
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
        page = Reader(report_text(database, NOW)[1])
    assert "No requests were made." in page.text
    assert "This crawl has not requested anything yet." in page.text
    assert "The crawl has not found any URLs yet." in page.text


def test_what_an_older_version_did_not_store_is_not_claimed(text: str, page: Reader) -> None:
    """Without facts of pages, none is called quick or unique; marks are still known."""
    assert page.text.count("Not known: this crawl was made by an older version") == 3
    assert "came within" not in page.text
    assert f"{SHOP}/secret directive-forbids" in page.text
    assert '<span class="big">-</span>' in text


def test_requests_are_judged_by_the_settings_of_their_time(tmp_path: Path) -> None:
    """A later run with another pause does not make earlier requests early, and the page says so."""
    site = site_of(home=html("x", "/a"), a="x")
    for pause in (0.5, 10.0):
        manners = Manners(default=pause, factor=0.0)
        run_crawl(tmp_path, site, manners=manners, again=True, early=True)
    with Database(tmp_path) as database:
        summary, text = report_text(database, NOW)
    assert summary.verdict == "All 5 follow-up requests kept the required pause."
    words = Reader(text).text
    assert "pause if the site states none: 500 ms" in words
    assert "older version" not in words


def test_what_changed_in_the_latest_run_has_a_section(tmp_path: Path) -> None:
    """It has URLs that are new, gone, or answer with another status since the earlier runs."""
    site = site_of(home=html("x", "/a", "/b"), a="x", b="x")
    run_crawl(tmp_path, site)
    with Database(tmp_path) as database:
        assert 'id="changes"' not in report_text(database, NOW)[1]
    site.clock.advance(60)
    site.routes |= {"/": html("x", "/a", "/b", "/c"), "/c": "x", "/b": 410}
    run_crawl(tmp_path, site, again=True, early=True)
    with Database(tmp_path) as database:
        tables = report_tables(database, NOW)
        text = report_text(database, NOW)[1]
    found = {(row["url"].removeprefix(SITE), row["change"]) for row in tables["changes"]}
    assert found == {("/b", "gone"), ("/c", "new")}
    assert "--since 2026-01-0" in text


def test_a_crawl_of_several_processes_has_one_report(tmp_path: Path) -> None:
    """Its numbers are those of the same crawl in one process."""
    site = FakeSite({}, clock=FakeClock())
    origins = [f"http://{name}.example" for name in "abcd"]
    for number, origin in enumerate(origins):
        after = origins[(number + 1) % len(origins)]
        links = [f"{origin}/{page}" for page in ("a", "gone", "moved")]
        site.routes |= {
            f"{origin}/robots.txt": "User-agent: *\nDisallow: /private",
            f"{origin}/": html("x", *links, f"{after}/", f"{after}/private"),
            f"{origin}/a": html("x"),
            f"{origin}/moved": moved(f"{after}/gone"),
        }
    bounds = {"origins": origins}
    crawl_in_parts(tmp_path / "parts", site, f"{origins[0]}/", processes=3, bounds=bounds)
    run_crawl(tmp_path / "one", site, f"{origins[0]}/", bounds=bounds)
    found = []
    for name in ("parts", "one"):
        with open_readonly(tmp_path / name) as database:
            summary, text = report_text(database, NOW)
            tables = report_tables(database, NOW)
        assert summary.verdict == "All 16 follow-up requests kept the required pause."
        Reader(text)
        rows = {
            (name, row["url"], row.get("outcome"), row.get("pages"), row.get("answer"))
            for name, table in tables.items()
            for row in table
        }
        found.append((rows, summary.urls, summary.pages, summary.documents))
    assert found[0] == found[1]


def test_requests_of_an_older_version_are_judged_by_its_newest_settings(tmp_path: Path) -> None:
    """The page says so."""
    folder = shutil.copytree(FIXTURES / "0.1.0" / "crawl", tmp_path / "crawl")
    with Database(folder) as database:
        text = report_text(database, NOW)[1]
    assert "They are compared with the newest of these settings." in Reader(text).text


@pytest.mark.parametrize("groups", [(), ("a.example",)])
def test_what_is_not_checked_between_hosts_of_a_server_is_said(
    tmp_path: Path, groups: tuple[str, ...]
) -> None:
    """Each host is checked on its own; the page says so if some were visited as one site."""
    site = site_of("User-agent: *", home=html("home"))
    run_crawl(tmp_path, site, manners=Manners(groups=groups))
    with Database(tmp_path) as database:
        text = Reader(report_text(database, NOW)[1]).text
    assert ("requests to different hosts of a server are not part of this" in text) == bool(groups)


def test_damaged_settings_are_told(tmp_path: Path) -> None:
    """They raise NotAStoreError."""
    with closing(Database(tmp_path, create=True)) as database:
        database.write_settings({"robot": "ExampleBot", "bounds": "{}"})
        assert report_text(database, NOW)[0].robot == "ExampleBot"
        for value in ("x", '{"floor": -1}', '{"floor": "1"}', "[]", "1"):
            with database.changing() as connection:
                connection.execute("INSERT OR REPLACE INTO settings VALUES('manners', ?)", (value,))
            with pytest.raises(NotAStoreError, match="settings"):
                report_on(database, NOW)


# The page.


def test_the_page_is_whole_and_loads_nothing(page: Reader) -> None:
    """Every element is closed; nothing is loaded, and links lead to places in the page."""
    assert page.open == []
    names = {name for name, _ in page.elements}
    assert not names & {"link", "img", "iframe", "object", "embed", "form"}
    places = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    places |= {
        attributes["data-table"] for _, attributes in page.elements if "data-table" in attributes
    }
    for name, attributes in page.elements:
        if name == "a":
            assert (attributes.pop("href") or "").lstrip("#") in places
        assert not set(attributes) & LOADS, name
        assert not [one for one in attributes if one.startswith("on")], name
        assert "style" not in attributes, name


def test_one_script_may_run_and_its_hash_is_in_the_policy(text: str, page: Reader) -> None:
    """The policy names the hashes of the script and the style sheet, and permits nothing else."""
    (policy,) = [a["content"] for n, a in page.elements if a.get("http-equiv")]
    assert policy is not None
    hashes = re.findall(r"'(sha256-[^']*)'", policy)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert hashes == [hashed(style), hashed(script)]
    rest = re.sub(r" 'sha256-[^']*'", "", policy)
    assert rest == "default-src 'none'; style-src; script-src; base-uri 'none'; form-action 'none'"
    assert {one["type"] for one in page.scripts if one} == {"application/gzip"}


def hashed(text: str) -> str:
    """Return the hash of a text as a policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def test_the_script_and_the_style_sheet_load_nothing() -> None:
    """Neither has an address, and neither makes markup from text."""
    report = "goodbot.crawl.report"
    style = family_style() + read_text(report, "report.css")
    script = read_text(report, "report.js")
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    for word in ("url(", "@import", "//"):
        assert word not in style
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval",
        "fetch(",
    ):
        assert word not in script
    assert "</script" not in script
    assert "<!--" not in script


def test_every_plot_can_be_read_without_being_seen(page: Reader) -> None:
    """Each plot has a title and a description with unique ids; tables have column headings."""
    plots = [a for name, a in page.elements if name == "svg" and a.get("role") == "img"]
    assert len(plots) == 3
    identities = [a["id"] for _, a in page.elements if "id" in a]
    assert len(set(identities)) == len(identities)
    for plot in plots:
        assert set((plot["aria-labelledby"] or "").split()) <= set(identities)
    assert all(a.get("scope") == "col" for name, a in page.elements if name == "th")


def test_every_plot_is_well_formed(text: str) -> None:
    """Each plot is XML, and its horizontal lengths are percentages within it."""
    plots = re.findall(r'<svg class="plot".*?</svg>(?=</figure>)', text, re.DOTALL)
    assert len(plots) == 3
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
    _, text = report_text(crawl.database, NOW)
    crawl.database.close()
    page = Reader(text)
    assert page.open == []
    assert "img" not in {name for name, _ in page.elements}
    assert [one for one in page.scripts if one.get("type") is None] == [{}]
    assert page.text.count("<script>alert(1)</script>") > 3
    assert "\u202e" not in text
    assert "\x1b" not in text


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
        summary, page = report_text(database, NOW)
    assert (summary.origins, summary.measured, len(summary.paces)) == (1000, 1000, 200)
    assert sum(bool(pace.marks) for pace in summary.paces) == 12
    assert "Not listed: 800 more sites with 0 early requests." in page
    assert len(page) < 300_000
