"""The benchmarks are tested as well: their answers, not their times."""

import importlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goodbot.testing import BEHAVIOURS, behaviour
from tests.support.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
RUN = BENCHMARKS / "run.py"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").is_file(),
    reason="memory is measured through /proc, which this system does not have",
)


def test_every_job_gives_the_right_answers() -> None:
    """Every job runs once, and goodbot's answers match those of the plain slow matcher."""
    command = [sys.executable, str(RUN), "--test"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  ours
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all as expected" in done.stdout


NAMES = {path.stem for path in BENCHMARKS.glob("*.py")}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Load modules of the benchmarks, which are not a package, and unload them at the end."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in NAMES & (set(sys.modules) - before):
        del sys.modules[name]


def test_a_robot_is_asked_what_the_rules_answer(load: Any) -> None:  # noqa: ANN401
    """Every question is asked once in each round, and no site is visited twice."""
    samples = load("corpus").load(5).samples
    robot = load("robot")
    found = robot.measure(samples, 2)
    assert (found.origins, found.questions) == (5, 100)
    assert not found.wrong
    assert len(found.times) == len(found.nothing) == 2
    assert {one.allowed for one in robot.questions(samples)} == {True, False}


def test_a_store_gives_what_was_put(load: Any) -> None:  # noqa: ANN401
    """A store that is much smaller than a million returns them, too."""
    found = load("store").measure(200)
    assert found.right
    assert found.bytes_each > 0


def test_every_way_of_fetching_gets_every_page(load: Any) -> None:  # noqa: ANN401
    """A page that differs or is missing is reported."""
    net = load("net")
    found = net.measure(2, (), pages=20, tasks=3)
    assert not found.wrong
    assert [len(row.walls) for row in found.rows] == [2, 2, 2]
    assert all(found.rate(row) > 0 for row in found.rows)
    bodies = {0: net.content(b"/0"), 1: net.content(b"/0")}
    assert net.different("x", bodies, 3) == ["x: page 1 differs", "x: page 2 differs"]


@pytest.mark.parametrize(
    ("name", "row", "cell"),
    [
        ("goodbot", "names-robot", "2 of 2 read"),
        ("goodbot", "meta-nofollow", "1 of 1 read"),
        ("Scrapy", "names-robot", "2 of 2 read"),
        ("urllib", "forbidden", "0 of 3 read"),
        # A page waits for the full pace after robots.txt, and this one comes at once.
        ("urllib", "header-nofollow", "1 bad, 1 early, 1 of 1 read"),
    ],
)
def test_crawlers_are_judged(load: Any, name: str, row: str, cell: str) -> None:  # noqa: ANN401
    """Only rows that depend on neither time nor a defect that may be fixed are checked."""
    clients, manners = load("crawlers").CLIENTS, load("manners")
    client = next(one for one in clients if one.name == name)
    (stay,) = manners.measure([behaviour(row)], [client])
    assert manners.cell(stay) == cell
    assert not manners.wrong([stay])
    accused = replace(stay, client=clients[0])
    assert bool(manners.wrong([accused])) == (cell not in ("2 of 2 read", "1 of 1 read"))


def test_who_hangs_is_stopped_and_who_raises_is_named(
    load: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each client has its own process and its own time."""
    clients, manners = load("crawlers").CLIENTS, load("manners")
    monkeypatch.setattr(manners, "LIMIT", 1.5)
    rows = [behaviour("slow-drip"), behaviour("dropped")]
    stays = manners.measure(rows, [one for one in clients if one.name == "urllib"])
    assert [one.stopped for one in stays] == ["stopped after 1.5 s", "RemoteDisconnected"]


def test_the_table_of_manners_has_every_row_and_the_sums(load: Any) -> None:  # noqa: ANN401
    """The table covers the clients that were measured, and no others."""
    clients, manners = load("crawlers").CLIENTS, load("manners")
    judgement = load("goodbot.testing").Judgement((), (), ())
    stays = [manners.Stay(clients[0], one, judgement, 0, 0, "") for one in BEHAVIOURS]
    lines = manners.drawn(stays).splitlines()
    assert [re.split(r" *\| *", line)[1] for line in lines[2:-1]] == [
        one.name for one in BEHAVIOURS
    ]
    assert "0, 0, 0" in lines[-1]
    assert not re.search("Scrapy|urllib", lines[0])


def test_every_crawler_gets_every_page_and_goodbot_keeps_them(
    load: Any,  # noqa: ANN401
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They do so on one origin and on several, and leave no temporary files behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = [one.name for one in load("crawl_clients").CLIENTS if one.version]
    assert {"goodbot", "Scrapy", "Scrapy, keeping", "Crawlee", "aiohttp"} <= set(names)
    found = load("crawl").measure(1, (), pages=40)
    assert [one.origins for one in found] == [1, 16]
    for one in found:
        assert not one.wrong
        assert [row.client.name for row in one.rows] == names
        assert [len(row.walls) for row in one.rows] == [1] * len(names)
        assert one.rows[0].forbidden == 0
        assert one.times(one.rows[0]) == 1
        assert one.against_scrapy == one.rows[1].walls[0] / one.rows[0].walls[0]
        ratio = one.rows[1].cpus[0] / one.rows[0].cpus[0]
        assert one.cpu_against_scrapy == pytest.approx(ratio)
    assert not list(tmp_path.iterdir())


def test_what_a_crawl_did_not_keep_or_should_not_have_done_is_told(
    load: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    """The server, the index and the archive each report it."""
    crawl, clients, site_module = load("crawl"), load("crawl_clients"), load("crawl_site")
    # So many that some contain the word.
    pages = 30
    assert site_module.pages_with(site_module.WORD, pages)
    with site_module.served(pages, 2, None) as site:
        plan = clients.Plan(pages, str(tmp_path), site.origins)
        assert clients.with_goodbot(plan)() == pages
    assert not site.amiss(pages)
    assert not crawl.kept_amiss(str(tmp_path), pages, site)
    site.asked["/private/1"] = 1
    assert crawl.kept_amiss(str(tmp_path), pages, site) == ["1 forbidden requests"]
    del site.asked["/private/1"], site.asked["/p/0"]
    assert site.amiss(pages) == ["page 0 was fetched 0 times"]
    site.origins.reverse()
    index, archive = crawl.kept_amiss(str(tmp_path), pages, site)
    assert index.startswith("the index finds")
    assert archive == "the archive has 30 responses, not those of the 30 pages"


def test_a_queue_gives_every_url_once(
    load: Any,  # noqa: ANN401
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A queue that is much smaller than a million does so, too, and leaves no files behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frontier = load("frontier")
    found = frontier.measure(300, 7)
    assert found.right
    assert found.most_memory >= found.memory > 0
    assert not list(tmp_path.iterdir())
    queue = frontier.SQLiteFrontier
    free = queue.free
    # By now every origin's pause is over.
    monkeypatch.setattr(
        frontier.SQLiteFrontier, "free", lambda self, taken, _: free(self, taken, None)
    )
    frontier.fill(str(tmp_path), 30, 3)
    assert not frontier.take(str(tmp_path), 30)["right"]


def test_the_report_on_the_crawl_says_what_is_met_and_what_is_wrong(
    load: Any,  # noqa: ANN401
) -> None:
    """The figures are made up here."""
    report, crawl, clients = load("report_crawl"), load("crawl"), load("crawl_clients")
    frontier, search = load("frontier"), load("search")
    rows = [
        crawl.CrawlRow(one, [wall, wall], [wall, wall], [5e7, 5e7])
        for one, wall in zip(clients.CLIENTS[:3], (1.0, 3.0, 0.5), strict=True)
    ]
    queue = frontier.Figures(1000, 10, 1e-5, 2e8, 200, 0.1, 2e-5, 1e-4, 6e-3, 1e8, right=True)
    index = search.Figures(100, 5e3, *[0.06] * 10, right=True)
    said = load("page_statements").Figures(1000, 6.0, 0.0015, 193.0, 4000, 0.2)
    both = [crawl.Crawls(origins, 2000, rows) for origins in (1, 16)]
    results = report.CrawlResults(both, queue, index, said, [1, 2, 3, 4])
    found = report.targets(results)
    assert [one.met for one in found] == [False, False, True, True, False, False, True]
    measured = ["3.0 times", "3.0 times", "200.0 MB", "20.0 us", "60.0 ms"]
    measured += ["6.0 %", "193.0 bytes a page"]
    assert [one.measured for one in found] == measured
    assert not report.wrong(results)
    text = "\n".join(report.sections(results))
    assert "each of 4,000 such pages (`goodbot inventory --for`) is listed in 0.2 s" in text
    assert re.search(r"Scrapy \S+ +\| crawl .* 667 \| +3.00 \| +1.50 ms \| +50 MB", text)
    accused = report.CrawlResults(
        [crawl.Crawls(1, 2000, rows, ["x"]), crawl.Crawls(16, 2000, rows)],
        replace(queue, right=False),
        replace(index, right=False),
        said,
        [1, 2, 3, 4],
    )
    assert len(report.wrong(accused)) == 3


def test_the_queue_of_a_fleet_costs_the_same_at_any_length(load: Any) -> None:  # noqa: ANN401
    """As many buffers and rows, with any statistics, for 10,000 URLs and for 100,000."""
    scale = load("fleet_scale")
    if load("fleet").programs() is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    found = scale.measure(100_000, sites=200, smallest=10_000)
    merged = [row.urls for row in found.of(found.advised) if row.statement == "merge"]
    assert merged == [10_000] * 3 + [100_000] * 3
    assert [scale.advised(urls) for urls in (1, 1_280_000, 1_280_001, 10_000_000)] == [
        16, 16, 32, 128,
    ]  # fmt: skip
    assert not scale.wrong(found)
    assert [one.met for one in scale.targets(found)] == [True] * 3, scale.section(found)
    last = replace(found.rows[-1], buffers=2 * found.rows[-1].buffers)
    worse = replace(found, rows=[*found.rows[:-1], last], memory=scale.MEMORY_TARGET + 1)
    assert [one.met for one in scale.targets(worse)] == [True, False, False]
    assert len(scale.wrong(replace(found, rows=[replace(found.rows[0], changed=499)]))) == 1


def test_the_report_on_a_fleet_says_what_is_met(load: Any) -> None:  # noqa: ANN401
    """The figures are made up here."""
    report, fleet, scale = load("report_fleet"), load("fleet"), load("fleet_scale")
    rows = [
        fleet.FleetRow(name, [cpu], [2.0], [server], [calls])
        for name, cpu, server, calls in (
            (fleet.FOLDER, 1.0, 0.0, 0), (fleet.ONE, 1.2, 0.2, 200), (fleet.TWO, 1.6, 0.2, 200),
        )
    ]  # fmt: skip
    queue = [
        scale.ScaleRow(urls, 16, name, scale.ANALYZED, buffers, 1_000, changed, 0.1)
        for name, changed in (("lease", scale.LEASED), ("merge", scale.MERGED))
        for urls, buffers in ((100_000, 6_000), (1_000_000, 7_000))
    ]
    results = report.FleetResults(
        rows, 1_000, 8, scale.ScaleResults(queue, 300.0, 10**8, 50), [1, 2]
    )
    assert [one.met for one in report.targets(results)] == [True, False, True, False, *[True] * 3]
    assert not report.wrong(results)
    assert re.search(
        r"one worker +\| +500 \| +1.20 ms \| +1.20 \| +0.200 ms",
        "\n".join(report.sections(results)),
    )
    assert report.targets(None) == report.sections(None) == report.wrong(None) == []


def test_what_pages_say_to_all_robots_is_measured(load: Any) -> None:  # noqa: ANN401
    """A page without statements would be as large; the bytes do not depend on the machine."""
    found = load("page_statements").measure(20, 1, 100)
    assert 150 < found.bytes_each < 300
    assert found.pages == 20
    assert 100 <= found.asked < 200
    assert found.asked_seconds > 0


def test_tarpits_are_counted(load: Any) -> None:  # noqa: ANN401
    """Pages that they delay would miss the target."""
    tarpits = load("amplification_tarpits")
    rows = tarpits.measure([0, tarpits.WORKERS])
    assert [row.pages for row in rows] == [tarpits.PAGES] * 2
    assert 0 == rows[0].hanging < rows[1].hanging < tarpits.WORKERS
    assert all(target.met for target in tarpits.targets(rows))
    delayed = replace(rows[1], pages=tarpits.PAGES - 1)
    assert not any(target.met for target in tarpits.targets([delayed]))
    assert "hanging at one time" in tarpits.section(rows)


def test_every_attack_is_measured_and_drawn(load: Any, tmp_path: Path) -> None:  # noqa: ANN401
    """Each attack runs on one client at a thousandth of its size; unfinished clients are named."""
    amplification, attacks = load("amplification"), load("attacks")
    assert len({one.name for one in attacks.ATTACKS}) == len(attacks.ATTACKS) > 12
    attack = next(one for one in attacks.ATTACKS if one.name == "links elsewhere")
    costs = []
    for client in amplification.CLIENTS:
        folder = tmp_path / client
        folder.mkdir()
        with attacks.served(attack, 0.001) as site:
            costs.append(amplification.run(client, attack, site, str(folder), 60))
    for one in costs:
        assert not one.stopped
        assert 0 < one.wire < 5_000
        assert one.requests >= 2
        assert one.memory > 0
        assert one.held > 0
    assert costs[0].disk > costs[1].disk == 0
    assert not amplification.wrong(costs)
    assert "goodbot" in amplification.section(costs)
    with attacks.served(attack, 0.001) as site:
        late = amplification.run("goodbot", attack, site, str(tmp_path / "goodbot"), 0.0)
    assert amplification.wrong([late]) == ["amplification: links elsewhere: over 0 s"]


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_is_one(load: Any, coding: str) -> None:  # noqa: ANN401
    """It unpacks to the stated size, and is a thousandth of that."""
    content = load("attacks").bomb(coding, 4 << 20)
    decoder = load("goodbot.net.decoding").decoder_of([coding])
    assert decoder.feed(content, 8 << 20) == bytes(4 << 20)
    assert decoder.is_complete()
    assert len(content) < 5_000
