"""The output of a crawl: figures, lines, objects, the table and the summary, event by event."""

import io
import json
import re
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console, ConsoleDimensions

from goodbot.cli.shared.printing import Printer
from goodbot.crawl import Bounds, CrawlEvent
from goodbot.crawl.evidence.page_findings import PageFinding, PageFindings
from goodbot.crawl.evidence.trap_findings import TrapCount
from goodbot.crawl.frontier.bounds import REACHED
from goodbot.crawl.run.events import (
    Ended,
    FindingsReported,
    SiteAlert,
    Started,
    Summary,
    UrlSettled,
    WaitBegan,
)
from goodbot.crawl.verbs.crawl_view.figures import Figures, Site
from goodbot.crawl.verbs.crawl_view.objects import OBJECTS, object_of
from goodbot.crawl.verbs.crawl_view.summary import ENDS, print_summary
from goodbot.crawl.verbs.crawl_view.table import QUIET, LiveTable, Shown, doing, when
from goodbot.crawl.verbs.crawl_view.time_left import seconds_left
from goodbot.crawl.verbs.crawl_view.view import Lines, Objects, Silence
from goodbot.net import Response
from goodbot.policy import Policy
from goodbot.robot import Asked, Event, Failed, Fetched, Refused, Remark, VisitDeferred, Waited
from goodbot.robot.events import Purpose
from tests.support.paths import ROOT
from tests.support.work import lines_run

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=timezone.utc)
SITE = "https://a.example"
RULES = (
    b"User-agent: *\nDisallow: /till\nCrawl-delay: 10\nVisit-time: 0600-0845\nRequest-rate: 2/5m\n"
)
HOSTILE = "\x1b[2J\x07\u202e"


def after(seconds: float) -> datetime:
    """Return a time after now."""
    return NOW + timedelta(seconds=seconds)


def policy(content: bytes = RULES, site: str = SITE, status: int = 200) -> Policy:
    """Make a policy of a robots.txt."""
    return Policy.from_response(f"{site}/robots.txt", status, [], content, now=NOW)


def asked(known: Policy) -> Asked:
    """Return the event of a robots.txt that was fetched."""
    return Asked(known.url, NOW, known.access, known.reason, known.status, 0, known)


def fetched(path: str = "/", status: int = 200, purpose: Purpose = "page") -> Fetched:
    """Return the event of a response."""
    url = SITE + path
    response = Response(url, status, (), b"", started=NOW, ended=NOW, elapsed=0.5)
    return Fetched(url, NOW, status, 100, 0.5, purpose, NOW, response)


def settling(path: str, state: str = "done", reason: str = "fetched", **more: object) -> UrlSettled:
    """Return the event of a URL that reached a state."""
    source, status = str(more.get("source", "")), more.get("status", 200)
    assert status is None or isinstance(status, int)
    return UrlSettled(SITE + path, NOW, SITE, state, reason, source, status)  # type: ignore[arg-type]


def summary(**more: object) -> Summary:
    """Make a summary."""
    values = {
        "ended": "nothing-left",
        "started": NOW,
        "finished": after(120),
        "pages": 1200,
        "requests": 1212,
        "bytes": 12_345_678,
        "urls": {"done": 1190, "disallowed": 3, "queued": 7, "skipped": 1},
        "reasons": {"fetched": 1190, "rule-disallows": 3},
        "earliest": None,
        **more,
    }
    return Summary(**values)  # type: ignore[arg-type]


ODD = PageFinding("illegal-robots-pi", "error", 1, "a malformed instruction")
EVENTS: tuple[CrawlEvent | Remark, ...] = (
    Started(NOW, "crawl", 3),
    asked(policy()),
    Waited(SITE, NOW, 1.5, "crawl-delay"),
    fetched(),
    Failed(SITE, NOW, "timeout", "page", NOW),
    Refused(SITE + "/till", NOW, policy().verdict(SITE + "/till", "ExampleBot")),
    VisitDeferred(SITE, NOW, after(10), "crawl-delay"),
    VisitDeferred(SITE, NOW, None, "beyond-patience"),
    settling("/"),
    WaitBegan(NOW, after(300), 3),
    Remark(SITE, "comment", "Please write."),
    FindingsReported(SITE + "/", NOW, SITE, PageFindings((ODD,), {"for-others": 2})),
    SiteAlert(SITE, NOW, "failing", "3 URLs in a row failed"),
    Ended(NOW, summary()),
)


# Figures.


def test_figures_count_pages_and_not_robots_txt() -> None:
    """Pages are successful responses to requests for pages; requests are all requests."""
    figures = Figures("ExampleBot")
    for event in (fetched("/robots.txt", purpose="robots-txt"), fetched(), fetched("/x", 404)):
        figures.hear(event)
    figures.hear(Failed(SITE + "/y", NOW, "timeout", "page", NOW))
    figures.hear(settling("/"))
    site = figures.sites[SITE]
    assert (figures.pages, figures.requests, figures.bytes) == (1, 4, 300)
    assert (site.pages, site.errors, site.status) == (1, 2, "timeout")
    assert figures.states == {"done": 1}


def test_figures_do_not_count_sitemaps_as_pages() -> None:
    """That a response is a sitemap is known when it was read."""
    figures = Figures("ExampleBot")
    for event in (fetched(), fetched("/sitemap.xml"), settling("/", reason="sitemap")):
        figures.hear(event)
    assert (figures.pages, figures.sites[SITE].pages) == (1, 1)


def test_figures_know_what_is_waited_for_and_who_asks() -> None:
    """A wait is shown with the value in robots.txt and its line."""
    figures = Figures("ExampleBot")
    figures.hear(asked(policy()))
    told = {}
    for reason in ("crawl-delay", "request-rate", "visit-time", "back-off", "some-day"):
        figures.hear(VisitDeferred(SITE + "/a", NOW, after(4), reason))
        told[reason] = figures.sites[SITE].waits_for
    assert told == {
        "crawl-delay": "Crawl-delay 10, robots.txt line 3",
        "request-rate": "Request-rate 2/300, robots.txt line 5",
        "visit-time": "Visit-time, robots.txt line 4",
        "back-off": "back-off after failures",
        "some-day": "some-day",
    }
    figures.hear(fetched())
    assert figures.sites[SITE].until is None


def test_figures_of_a_site_without_rules() -> None:
    """A site that disallows everything is shown as such, until it allows something."""
    figures = Figures("ExampleBot")
    figures.hear(asked(policy(b"", status=503)))
    assert figures.sites[SITE].closed
    figures.hear(asked(policy(b"", status=404)))
    assert figures.sites[SITE].closed == ""


# Lines.


def test_a_wait_of_minutes_is_a_line() -> None:
    """The URL that is tried again says when, and so does a crawl in which nothing else is left."""
    failed = UrlSettled(
        *(f"{SITE}/", NOW, SITE, "queued", "failure-dns", "robots.txt could not be fetched", None),
        due=after(300.5),
    )
    first, second = lines_of(failed, WaitBegan(NOW, after(300.5), 1)).splitlines()
    when = "2026-01-01 12:05:01 UTC, in 5 minutes"
    again = f"next try not before {when}"
    assert first.endswith(f"failure dns: robots.txt could not be fetched; {again}")
    told = f"waiting    until {when}: 1 URL is queued, and none may be visited sooner"
    assert second.endswith(told)


def lines_of(*events: Event | UrlSettled | WaitBegan) -> str:
    """Return the lines of events."""
    stream = io.StringIO()
    view = Lines(stream, "crawl", Figures("ExampleBot"))
    for event in events:
        view.hear(event)
    return stream.getvalue()


def test_a_line_tells_why_only_where_it_was_not_fetched() -> None:
    """Time, status or state, URL; then the reason and who says so."""
    told = lines_of(
        fetched(),
        settling("/"),
        settling("/map", reason="sitemap"),
        settling("/gone", reason="no-success", status=404),
        settling("/old", "redirected", "redirect", source=SITE + "/new", status=301),
        settling("/till", "disallowed", "rule-disallows", source="robots.txt line 2", status=None),
        settling("/slow", "queued", "timeout", source="it took too long", status=None),
    )
    assert told.splitlines() == [
        "2026-01-01T12:00:00Z 200        https://a.example/",
        "2026-01-01T12:00:00Z 200        https://a.example/map",
        "2026-01-01T12:00:00Z 404        https://a.example/gone  no success",
        "2026-01-01T12:00:00Z 301        https://a.example/old  redirect: https://a.example/new",
        "2026-01-01T12:00:00Z disallowed https://a.example/till  rule disallows: robots.txt line 2",
        "2026-01-01T12:00:00Z queued     https://a.example/slow  timeout: it took too long",
    ]


def test_a_line_escapes_what_is_hostile() -> None:
    """No URL and no source controls the terminal, and none makes a second line."""
    told = lines_of(settling("/" + HOSTILE, "failed", "x", source=f"a\nb{HOSTILE}", status=None))
    assert told.count("\n") == 1
    assert not set(told) & set(HOSTILE.replace("[2J", ""))


def test_an_output_that_fails_ends_the_crawl_once() -> None:
    """The first failure stops the crawl and is raised at the end; nothing more is written."""

    class Full(io.StringIO):
        writes = 0

        def write(self, _text: str) -> int:
            self.writes += 1
            raise OSError(28, "No space left on device")

    class Stopped:
        reasons: list[str] = []  # noqa: RUF012  one test's

        def stop(self, reason: str) -> None:
            self.reasons.append(reason)

    stream, crawl = Full(), Stopped()
    view = Lines(stream, "crawl", Figures("ExampleBot"))
    view.follow(crawl)  # type: ignore[arg-type]
    view.hear(settling("/"))
    view.hear(settling("/b"))
    assert (stream.writes, crawl.reasons) == (1, ["output-closed"])
    with pytest.raises(OSError, match="No space"):
        view.finish(summary())


# Objects.


def test_every_event_is_an_object() -> None:
    """Each kind has a slug of its own, and plain values."""
    objects = [json.loads(json.dumps(object_of(event))) for event in EVENTS]
    assert {one["event"] for one in objects} == {slug for slug, _ in OBJECTS.values()}
    assert len({slug for slug, _ in OBJECTS.values()}) == len(OBJECTS)
    assert all("at" in one or one["event"] == "remark" for one in objects)


def test_every_object_is_documented() -> None:
    """The table of the guide has each event, and no other; the schemas hold their keys."""
    text = (ROOT / "docs" / "how-to" / "watch-a-crawl.md").read_text("utf-8")
    documented = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \|$", text, re.MULTILINE)
    assert sorted(documented[1:]) == sorted(slug for slug, _ in OBJECTS.values())


def test_objects_print_the_summary_last_and_once() -> None:
    """`ended` is printed when everything is closed, not when the event comes."""
    stream = io.StringIO()
    view = Objects(stream, "crawl", Figures("ExampleBot"), every=True)
    for event in EVENTS:
        if isinstance(event, Remark):
            view.remark(event)
        else:
            view.hear(event)
    view.finish(summary())
    slugs = [json.loads(line)["event"] for line in stream.getvalue().splitlines()]
    assert (slugs.count("ended"), slugs[-1]) == (1, "ended")


def test_quiet_shows_no_event_but_what_sites_say(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the summary is printed; a remark reaches the operator beside it (Conner 1996)."""
    stream = io.StringIO()
    view = Silence(stream, "crawl", Figures("ExampleBot"))
    view.hear(settling("/"))
    view.remark(Remark(SITE, "comment", "x"))
    assert (stream.getvalue(), capsys.readouterr().err) == ("", f"{SITE} says: x\n")
    view.finish(summary())
    assert stream.getvalue().startswith("Finished: no URLs are left to visit now.\n")


# The summary.


def summed(found: Summary, folder: str = "crawl", sites: int = 12) -> list[str]:
    """Return the lines of a summary."""
    stream = io.StringIO()
    print_summary(found, folder, sites, Printer(stream))
    return stream.getvalue().splitlines()


def test_summary_in_sentences() -> None:
    """What was done, what has become of every URL, what waits, and what to type next."""
    told = summed(summary(ended="waiting", earliest=after(420)), folder="my shops")
    assert told == [
        (
            "Stopped: the remaining URLs are not due within --patience; the next one is due at "
            "2026-01-01 12:07:00 UTC, in 5 minutes."
        ),
        (
            "This run: 1,200 pages from 12 sites in 2 minutes (1,212 requests, 12.3 MB), "
            "10.0 pages per second."
        ),
        "Visits of this run by result: 1,190 fetched, 3 rule-disallows.",
        "The whole crawl: 1,201 URLs (1,190 answered, 3 disallowed, 1 skipped, 7 queued).",
        (
            "7 URLs are queued; the next one is due at 2026-01-01 12:07:00 UTC, in 5 minutes. "
            "To continue:"
        ),
        "  goodbot crawl --resume --out 'my shops'",
        "To see the results:",
        "  goodbot search 'my shops' 'some words'",
        "  goodbot report 'my shops'",
        "  goodbot report skipped 'my shops'",
    ]


def test_the_first_sentence_names_the_cause_and_tomorrow() -> None:
    """What was refused here says which option it needs; a wait into the next day says so."""
    nothing = {"urls": {"queued": 1}, "pages": 0, "requests": 0}
    refused = summary(
        ended="waiting", reasons={"private-address": 1}, earliest=after(86_400), **nothing
    )
    told = summed(refused)
    assert told[0] == (
        "Nothing was visited: the address is not public. Add --allow-private to visit it."
    )
    assert sum("--allow-private" in line for line in told[1:-2]) == 1, "the command to continue"
    assert told[-2:] == ["To see why:", "  goodbot report skipped crawl"]
    closed = summary(ended="waiting", reasons={"visit-time": 1}, earliest=after(64_800), **nothing)
    told = summed(closed)
    assert told[0] == (
        "Stopped: the remaining URLs are not due within --patience (visit-time); the next one is "
        "due tomorrow, at 2026-01-02 06:00:00 UTC, in 18 hours."
    )


def test_a_trap_of_a_page_names_the_page_at_fault() -> None:
    """What it links to is innocent, and is only counted; other traps are what is linked to."""
    why = "https://a.example/two has the same content as https://a.example/one"
    traps = [
        TrapCount("duplicate-content", "https://a.example/two", why, 1, 7),
        TrapCount("session-id", "https://a.example/?PHPSESSID=1", "the same", 1, 2),
    ]
    stream = io.StringIO()
    found = summary(traps={"duplicate-content": 7, "session-id": 2})
    print_summary(found, "crawl", 1, Printer(stream), traps=traps)
    told = stream.getvalue()
    assert f"Possible trap (duplicate-content): {why}; such pages have 7 links.\n" in told
    assert "Links into possible traps: 2 session-id.\n" in told


def test_summary_of_nothing_and_of_one() -> None:
    """One page is no plural, many reasons are not listed to the end."""
    one = summary(pages=1, requests=1, bytes=1, urls={"queued": 1}, earliest=after(0))
    told = summed(one, sites=1)
    assert told[1] == "This run: 1 page from 1 site in 2 minutes (1 request, 1 byte)."
    assert told[4] == "1 URL is queued. To continue:"
    reasons = {f"reason-{number}": number for number in range(1, 10)}
    told = summed(summary(reasons=reasons))
    assert told[2].startswith("Visits of this run by result: 9 reason-9, 8 reason-8, ")
    assert told[2].endswith(", 4 reason-4, 6 with other reasons.")


def test_every_end_has_its_sentence() -> None:
    """Each slug of a summary has words."""
    assert set(ENDS) >= {"nothing-left", "waiting", "stopped", *REACHED}


# The table.


def site(number: int, touched: int = 0, **more: object) -> Site:
    """Make a site."""
    return Site(f"https://s{number}.example", touched=touched, **more)  # type: ignore[arg-type]


def test_all_sites_are_shown_where_they_fit() -> None:
    """In the order in which they were heard of, whatever happens."""
    sites = {one.origin: one for one in (site(2, 9), site(1, 5))}
    shown = Shown()
    assert shown.choose(sites, 2) == list(sites.values())
    sites["https://s1.example"].touched = 20
    assert shown.choose(sites, 2) == list(sites.values())


def test_a_site_keeps_its_row_until_it_is_quiet() -> None:
    """Rows do not jump: a busy site stays where it is, a quiet one gives its row away."""
    sites = {one.origin: one for one in (site(number, number) for number in range(10))}
    shown = Shown()
    rows = list(shown.choose(sites, 3))
    assert {one.origin for one in rows} == {f"https://s{n}.example" for n in (9, 8, 7)}
    sites["https://s0.example"].touched = 99
    busy = rows[1]
    for drawing in range(QUIET + 1):
        busy.touched = 100 + drawing
        assert shown.choose(sites, 3)[1] is busy
    assert sites["https://s0.example"] in shown.rows
    assert len({one.origin for one in shown.rows}) == 3


def test_rows_follow_the_height() -> None:
    """A terminal that shrinks or grows has as many rows as fit."""
    sites = {one.origin: one for one in (site(number, number) for number in range(10))}
    shown = Shown()
    for room in (3, 5, 2, 9, 10, 20, 4):
        rows = shown.choose(sites, room)
        assert len({one.origin for one in rows}) == len(rows) == min(room, 10)


@pytest.mark.parametrize(
    ("found", "waiting", "told"),
    [
        (site(1), 0, "nothing queued"),
        (site(1), 1, "visiting"),
        (site(1, until=after(-1), reason="manners"), 1, "visiting"),
        (site(1, until=after(3.2), reason="back-off"), 1, "4 s: back-off after failures"),
        (site(1, until=after(0.2), reason="leased"), 1, "1 s: another visit is running"),
        (site(1, until=after(7200), reason="visit-time"), 1, "until 14:00 UTC: Visit-time"),
        (site(1, closed="forbidden"), 1, "disallowed: forbidden"),
    ],
)
def test_what_a_site_is_doing(found: Site, waiting: int, told: str) -> None:
    """In few words: what it waits for, and how long."""
    assert doing(found, waiting, NOW, is_narrow=False) == told


def test_a_far_time_is_a_day() -> None:
    """After a day hours say nothing."""
    assert when(after(200_000), 200_000) == "until 2026-01-03"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (40, 10), (20, 3)])
def test_table_fits_the_terminal(width: int, height: int) -> None:
    """No line is broken, and at least three sites are shown."""
    figures = Figures("ExampleBot")
    for number in range(100):
        origin = f"https://shop-{number}.a-long-name-of-a-host.example"
        figures.hear(asked(policy(site=origin)))
        figures.hear(VisitDeferred(f"{origin}/{HOSTILE}", NOW, after(4), "crawl-delay"))
    figures.hear(fetched("/" + HOSTILE + "x" * 300))
    view = LiveTable(io.StringIO(), "crawl", figures, lambda: after(2))
    view.console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    with view.console.capture() as drawn:
        view.console.print(view.draw())
    lines = drawn.get().splitlines()
    assert len(lines) <= max(height - 1, 9)
    assert max(map(len, lines)) <= width
    assert not set("".join(lines)) & set(HOSTILE.replace("[2J", ""))
    if width >= 80:
        assert "(17 shown)" in drawn.get() if height == 24 else "(33 shown)" in drawn.get()
        assert "1 page at 101 sites" in drawn.get()


def test_the_table_begins_at_the_top_when_the_terminal_is_resized() -> None:
    """What was printed above it is printed again; without a new size nothing is cleared."""
    figures = Figures("ExampleBot")
    figures.hear(asked(policy()))
    view = LiveTable(io.StringIO(), "crawl", figures, lambda: after(2))
    stream = io.StringIO()
    console = view.console = Console(file=stream, force_terminal=True, width=120, height=24)
    view._size, view._live = console.size, view._new_live()  # noqa: SLF001
    view.hear(SiteAlert(SITE, NOW, "failing", "3 URLs in a row failed"))
    view._refresh()  # noqa: SLF001
    assert "\x1b[2J" not in stream.getvalue()
    console.size = ConsoleDimensions(70, 24)
    view._refresh()  # noqa: SLF001
    view._live.stop()  # noqa: SLF001
    _, _, after_clearing = stream.getvalue().partition("\x1b[2J")
    assert after_clearing.count("3 URLs in a row failed") == 1
    assert "https://" not in after_clearing.split("failed", 1)[1], "the narrow form"


@pytest.mark.parametrize("width", [30, 50, 70, 120])
def test_the_port_of_a_site_is_always_shown(width: int) -> None:
    """Two sites of one host differ by their ports alone."""
    figures = Figures("ExampleBot")
    for port in (8001, 8002):
        figures.hear(asked(policy(site=f"http://a-host-with-a-long-name.shop.example:{port}")))
    view = LiveTable(io.StringIO(), "crawl", figures, lambda: after(2))
    view.console = Console(width=width, height=24, file=io.StringIO(), color_system=None)
    with view.console.capture() as drawn:
        view.console.print(view.draw())
    assert {port for port in ("8001", "8002") if f":{port} " in drawn.get()} == {"8001", "8002"}


def paced(origin: str, visits: int, seconds: float, **more: object) -> Site:
    """Make a site with so many answers in so many seconds."""
    values = {"visits": visits, "pages": visits, "first": NOW, "last": after(seconds), **more}
    return Site(origin, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sites", "bounds", "left"),
    [
        ([paced("a", 11, 100)], None, 50),
        ([paced("a", 11, 100), paced("b", 11, 200)], None, 100),
        ([paced("a", 11, 100, until=after(130))], None, 70),
        ([paced("a", 11, 100, closed="failure-dns")], None, None),
        ([paced("a", 2, 100)], None, None),
        ([paced("a", 11, 100)], Bounds(pages=12), 100 / 11),
        ([paced("a", 11, 100)], Bounds(seconds=103), 3),
        ([], Bounds(pages=12), None),
    ],
)
def test_the_time_left_is_that_of_the_slowest_site(
    sites: list[Site], bounds: Bounds | None, left: float | None
) -> None:
    """Five URLs wait at each; a limit may come first; without a pace there is no guess."""
    told = seconds_left(sites, lambda _: 5, bounds, since=NOW, now=after(100))
    assert told == (None if left is None else pytest.approx(left))


def test_an_event_costs_a_few_steps() -> None:
    """Of ten thousand events, the last costs no more than the first."""
    figures = Figures("ExampleBot")
    view = Silence(io.StringIO(), "crawl", figures)
    events = [fetched(f"/{number}") for number in range(10_000)]
    for event in events[:-1]:
        view.hear(event)
    assert lines_run(lambda: view.hear(events[-1])) < 200
    assert figures.pages == 10_000
