"""A site that is watched: a year of weekly runs by a fake clock, and what each of them reports."""

from __future__ import annotations

import datetime as dt
import io
from contextlib import closing
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.report.html.history_section import MOST_POINTS, YEAR, runs_of_a_year
from goodbot.crawl.report.report import report_on
from goodbot.crawl.verbs.watch_view.atom_feed import MOST_ENTRIES, NAMESPACE, atom_feed
from goodbot.crawl.verbs.watch_view.messages import markdown_lines, text_lines
from goodbot.crawl.watching.log_changes import changes_in_logs
from goodbot.crawl.watching.looking_back import look_back
from goodbot.crawl.watching.watch_history import NAME, append_run, read_runs
from goodbot.crawl.watching.watch_run import FIGURES, MOST_CHANGES, LogSeen, WatchChange, WatchRun
from goodbot.errors import NotAStoreError
from goodbot.site.audit import audit
from goodbot.testing import Answer, FakeClock
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of

if TYPE_CHECKING:
    from pathlib import Path

WEEKS = 53
WEEK = 7 * 86_400
OPEN = "User-agent: *\nDisallow: /till\n"
CLOSED = "User-agent: *\nDisallow: /till\nUser-agent: GPTBot\nDisallow: /lamps\n"
ROBOTS = ("GPTBot", "Googlebot")
LINKS = "".join(f"<a href=/{name}>{name}</a>" for name in ("lamps", "chairs", "till"))
UTC = dt.timezone.utc


def pages_in(week: int) -> dict[str, Any]:
    """Return the site of a week: chairs break in week 10, lamps are noindex from 20 to 29."""
    lamps = "<meta name=robots content=noindex><p>lamps" if 20 <= week < 30 else "<p>lamps"
    return {
        "home": html(LINKS),
        "lamps": Answer(body=lamps.encode(), headers=[("Content-Type", "text/html")]),
        "chairs": Answer(status=404) if week >= 10 else html(""),
    }


EXPECTED = {
    10: {("broken", f"{SITE}/chairs")},
    20: {("not-indexable", f"{SITE}/lamps")},
    40: {("robots.txt", f"{SITE}/robots.txt")},
}
"""The weeks in which something that matters changes; that lamps are indexable again is no alarm."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Watch a site for a year of weeks, and return the folder."""
    folder = tmp_path_factory.mktemp("year")
    clock = FakeClock()
    since = None
    for week in range(WEEKS):
        site = site_of(CLOSED if week >= 40 else OPEN, clock=clock, **pages_in(week))
        again = {"again": True, "early": True, "resume": True} if week else {}
        crawl(folder, site, **again)
        with open_readonly(folder) as database:
            now = clock.now()
            append_run(folder, look_back(database, SITE, now=now, since=since, robots=ROBOTS))
            since = now
        clock.advance(WEEK)
    return folder


def test_each_week_reports_what_changed_in_it(folder: Path) -> None:
    """And nothing in all other weeks."""
    runs = read_runs(folder)
    assert len(runs) == WEEKS
    found = {week: {(one.kind, one.subject) for one in run.changes}
             for week, run in enumerate(runs) if run}  # fmt: skip
    assert found == EXPECTED
    assert runs[0].is_first
    assert not any(run.is_first for run in runs[1:])


def test_what_is_newly_not_indexable_has_who_says_so(folder: Path) -> None:
    """The statement with its line."""
    [change] = read_runs(folder)[20].changes
    assert (change.before, change.after) == ("indexable", "not-indexable")
    assert change.source == "META robots, line 1: noindex"


def test_a_robots_txt_has_the_exact_difference_and_whom_it_concerns(folder: Path) -> None:
    """Its lines, its effect over all paths, and the URLs by robot."""
    run = read_runs(folder)[40]
    [change] = run.changes
    assert change.added == ("User-agent: GPTBot", "Disallow: /lamps")
    assert change.removed == ()
    assert change.source == "access is stricter for some paths or robots, and laxer for others"
    assert change.robots == ("GPTBot: 1 newly disallowed, 1 newly allowed",)
    assert run.disallowed_for == {"GPTBot": 1, "Googlebot": 1}


def test_the_figures_of_a_year_are_in_the_report(folder: Path) -> None:
    """A chart for each figure, with its first and latest number."""
    with open_readonly(folder) as database, closing(report_on(database, NOW)) as report:
        page = "".join(report)
    assert page.count('class="small-multiple"') == len(FIGURES) + 1
    assert "53 runs of <code>goodbot watch</code>" in page
    broken = FIGURES["broken"]
    assert f'aria-label="{broken}: 0 to 1; least 0, greatest 1"' in page
    runs = read_runs(folder)
    assert [run.figures["indexable"] for run in runs] == [
        3 - (week >= 10) - (20 <= week < 30) for week in range(WEEKS)
    ]


NOW = dt.datetime(2027, 2, 1, tzinfo=UTC)


def test_the_messages_say_it_in_words(folder: Path) -> None:
    """Text and Markdown have the change, and every line of robots.txt."""
    run = read_runs(folder)[40]
    text = "\n".join(line for line, _ in text_lines(run))
    assert text.startswith(f"{SITE} has changed. robots.txt has changed: 1.")
    assert "    + Disallow: /lamps" in text
    assert "    GPTBot: 1 newly disallowed, 1 newly allowed" in text
    markdown = "\n".join(markdown_lines(run))
    assert "## robots.txt has changed: 1" in markdown
    assert "  + Disallow: /lamps" in markdown
    quiet = read_runs(folder)[5]
    assert [line for line, _ in text_lines(quiet)] == [
        f"Nothing that matters has changed at {SITE}."
    ]


def test_the_feed_has_an_entry_for_each_run_with_changes(folder: Path) -> None:
    """It is Atom as RFC 4287 section 4.1 has it, the same each time, the latest first."""
    runs = read_runs(folder)
    feed = atom_feed(SITE, runs)
    assert feed == atom_feed(SITE, runs)
    root = ET.fromstring(feed)  # noqa: S314  our own
    entries = root.findall(f"{{{NAMESPACE}}}entry")
    assert len(entries) == len(EXPECTED) + 1
    for element in (root, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{{{NAMESPACE}}}{name}")) == 1
    texts = [entry.findtext(f"{{{NAMESPACE}}}content") or "" for entry in entries]
    assert "+ Disallow: /lamps" in texts[0]
    ids = [entry.findtext(f"{{{NAMESPACE}}}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    long = ET.fromstring(atom_feed(SITE, [runs[10]] * 60))  # noqa: S314  our own
    assert len(long.findall(f"{{{NAMESPACE}}}entry")) == MOST_ENTRIES


def change_of(subject: str) -> WatchRun:
    """Return a run with a change that a site may have written into."""
    change = WatchChange("broken", subject, "200", "404", added=("```", subject))
    return WatchRun(NOW, SITE, {}, changes=(change,), counts={"broken": 1})


@pytest.mark.parametrize("subject", ["\x00\x1b[31m", "<script>", "``` # [a](b)", "\ud800", "]]>"])
def test_what_a_site_wrote_stays_text(subject: str) -> None:
    """In Markdown nothing of it is markup, and the feed is well-formed."""
    run = change_of(subject)
    root = ET.fromstring(atom_feed(SITE, [run]))  # noqa: S314  our own
    assert root.find(f"{{{NAMESPACE}}}entry") is not None
    lines = list(markdown_lines(run))
    fences = [line.strip() for line in lines if line.strip().startswith("````")]
    assert len(fences) == 2
    assert not any("<script>" in line and not line.startswith("  ") for line in lines)


def test_a_damaged_history_is_refused(folder: Path, tmp_path: Path) -> None:
    """The message says what to do; runs are read back as they were written."""
    runs = read_runs(folder)
    assert [WatchRun.of_dict(run.as_dict()) for run in runs] == runs
    for text in ("{", "[]", "{}", '{"at": 7}', "[" * 100_000):
        (tmp_path / NAME).write_text(text, encoding="utf-8")
        with pytest.raises(NotAStoreError, match=NAME):
            read_runs(tmp_path)
    (tmp_path / NAME).unlink()
    assert read_runs(tmp_path) == []
    (tmp_path / NAME).symlink_to(folder / NAME)
    with pytest.raises(NotAStoreError):
        read_runs(tmp_path)


def test_many_changes_are_counted_and_some_are_listed(tmp_path: Path) -> None:
    """A site that breaks as a whole does not make the history grow without bound."""
    clock, count = FakeClock(), MOST_CHANGES + 5
    names = [f"p{number}" for number in range(count)]
    links = html("".join(f"<a href=/{name}>a</a>" for name in names))
    crawl(tmp_path, site_of(clock=clock, home=links, **dict.fromkeys(names, html(""))))
    since = clock.now()
    clock.advance(WEEK)
    crawl(tmp_path, site_of(clock=clock, home=links), again=True, early=True, resume=True)
    with open_readonly(tmp_path) as database:
        run = look_back(database, SITE, now=clock.now(), since=since)
    assert run.counts == {"broken": count}
    assert len(run.changes) == MOST_CHANGES


def test_the_history_is_of_a_year_and_bounded() -> None:
    """Of more runs than can be drawn, some are omitted, and the latest is not."""
    hours = [WatchRun(NOW + dt.timedelta(hours=hour), SITE, {}) for hour in range(24 * 400)]
    kept = runs_of_a_year(hours)
    assert len(kept) <= MOST_POINTS
    assert kept[-1] == hours[-1]
    assert kept[0].at >= hours[-1].at - YEAR
    assert runs_of_a_year([]) == []


LINE = '192.0.2.1 - - [{}/Mar/2026:08:00:0{} +0000] "GET {} HTTP/1.1" 200 9 "-" "{}"\n'


def log_of(tmp_path: Path, *lines: tuple[int, str, str]) -> Any:  # noqa: ANN401  an audit
    """Return the audit of a log."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /till\n", encoding="utf-8")
    text = "".join(
        LINE.format(day, place % 10, target, robot)
        for place, (day, target, robot) in enumerate(lines)
    )
    policy = f"{tmp_path / 'robots.txt'}@2026-01-31"
    return audit(io.BytesIO(text.encode()), policy, SITE, unknown=True)


def test_a_log_reports_new_robots_and_new_violations(tmp_path: Path) -> None:
    """Once each: what an earlier run has reported is not reported again."""
    first = [(10, "/", "GPTBot/1.3"), (14, "/till/1", "GPTBot/1.3")]
    seen, changes = changes_in_logs(log_of(tmp_path, *first), None)
    assert [(one.kind, one.subject, one.after) for one in changes] == [
        ("violation", "GPTBot", "1 request")
    ]
    assert changes[0].source.startswith('the first: GET /till/1; line 2, "Disallow: /till"')
    assert seen == LogSeen(dt.datetime(2026, 3, 14, 8, 0, 1, tzinfo=UTC), ("GPTBot",))
    more = [*first, (15, "/", "ExampleBot/2"), (20, "/till/2", "ExampleBot/2")]
    seen, changes = changes_in_logs(log_of(tmp_path, *more), seen)
    assert [(one.kind, one.subject, one.after) for one in changes] == [
        ("new-robot", "ExampleBot", "2 requests"),
        ("violation", "ExampleBot", "1 request"),
    ]
    assert seen.robots == ("ExampleBot", "GPTBot")
    assert changes_in_logs(log_of(tmp_path, *more), seen) == (seen, [])
    assert changes_in_logs(log_of(tmp_path, *first), seen) == (seen, [])
