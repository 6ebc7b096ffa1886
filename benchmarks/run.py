"""Measure goodbot and its peers, and report which targets are met.

python benchmarks/run.py                print the results
python benchmarks/run.py --record       write benchmarks/RESULTS.md too
python benchmarks/run.py --test         run each job once on a few files, to check the answers
python benchmarks/run.py --faults       disturb fleets, too: a quarter of an hour, as root

It takes some 30 minutes, and for a while 6 GB in the folder for temporary files, or 700 MB with a
shorter queue (--queue). It needs Linux, which reports the memory of a process.
"""

import argparse
import datetime as dt
import importlib.util
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import amplification
import amplification_documents
import amplification_tarpits
import bounded_verbs
import clock
import columns
import confirmed
import considered
import corpus
import crawl
import crawl_site
import crawlers
import fleet
import fleet_faults
import fleet_scale
import frontier
import gate
import hostile
import logs
import manners
import many_rules
import memory
import net
import page_statements
import pages
import peers
import reasoning
import reconsidering
import report
import report_crawl
import report_fleet
import report_robot
import robot
import rust_peer
import search
import service
import simplified
import speed
import store
import verdict_columns
from corpus import Sample
from crawl_clients import CLIENTS
from goodbot.testing import BEHAVIOURS
from report_crawl import CrawlResults
from report_fleet import FleetResults
from report_robot import RobotResults

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
REPEATS = 7
TEST_FILES = 20
TEST_URLS = 2_000
TEST_ORIGINS = 2_000
TEST_PAGES = 96
TEST_CRAWL = (60, 2_000, 100)
"""The numbers of pages to crawl, URLs to queue, and pages to search."""
TEST_COMPARED = 30
"""The URLs for which the plain slow matcher is asked about so many rules."""
TEST_FLEET = (1, 60, 4)
"""The numbers of rounds, pages and origins."""
TEST_QUEUE = (10_000, 20)
"""The numbers of URLs in the queue of a fleet, and of sites that are leased."""
TEST_STATEMENTS = (30, 1, 100)
"""The number of pages that say something to robots, of rounds, and of pages to ask about."""
EVERY = 6
"""Which files are compared, confirmed and simplified: all of them take more than ten minutes."""
TEST_REQUESTS = 2_000
TEST_LINES = 20_000
LOG_LINES = 1_000_000
"""Of a log; `logs.py` alone takes five millions, for which GoAccess needs minutes."""
TEST_PAIRS = 3
"""Of hostile files that are checked, compared and simplified."""
TEST_SCALE = 0.02
"""Of the attacks."""
TEST_MANNERS = ("names-robot", "unavailable", "header-nofollow")
ENOUGH = 60.0
"""The number of seconds after which a hostile case is stopped for goodbot."""


def arguments() -> argparse.Namespace:
    """Parse the arguments."""
    parser = argparse.ArgumentParser(description="Measure goodbot and its peers.")
    parser.add_argument(
        "--test",
        action="store_true",
        help=f"each job once on {TEST_FILES} files; only answers count",
    )
    parser.add_argument("--record", action="store_true", help="write benchmarks/RESULTS.md")
    parser.add_argument("--date", default=None, help="the date to record; today's by default")
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, help="rounds, 5 or more (default: %(default)s)"
    )
    parser.add_argument(
        "--files", type=int, default=None, help="take so many files only, while developing"
    )
    parser.add_argument(
        "--every",
        type=int,
        default=EVERY,
        metavar="N",
        help="compare, confirm and simplify every Nth file only (default: %(default)s)",
    )
    parser.add_argument(
        "--hostile-peers",
        type=float,
        default=20.0,
        metavar="SECONDS",
        help="what a peer has for a hostile case; 0 leaves peers out (default: %(default)g)",
    )
    parser.add_argument(
        "--queue",
        type=int,
        default=fleet_scale.URLS,
        metavar="URLS",
        help="the longest queue of a fleet, 10000 or more (default: %(default)s)",
    )
    parser.add_argument(
        "--faults",
        action="store_true",
        help="disturb fleets by the thorough tests: a quarter of an hour, as root",
    )
    return parser.parse_args()


def measure(options: argparse.Namespace) -> report.Results:
    """Run every job."""
    start = time.monotonic()
    cpus = clock.cpus()
    clock.pin(1, cpus)
    found, rust, remarks = those_installed()
    _say("speed")
    data = corpus.load(options.files)
    speeds = speed.measure(data.samples, found, options.repeats)
    _say("one check of few rules and of many")
    compared = TEST_COMPARED if options.test else many_rules.COMPARED
    flat = many_rules.measure(options.repeats, compared)
    remarks.append(remark_on_cores(cpus, "`allows_many`"))
    column_rows, verdict_rows = measure_columns(options, data.samples, cpus)
    _say("what is held, reconsidered")
    held = measure_held(options, data.samples, cpus)
    _say("memory")
    memory_rows = memory.measure(
        data.samples, [] if options.test else [peer.name for peer in found if peer.keeps]
    )
    _say("pages")
    page_rows = pages.measure(options.repeats, TEST_FILES if options.test else pages.COUNT)
    _say("hostile files")
    # On hostile files texting_robots is measured without its binding, which parses no other way.
    python = [peer.name for peer in found if peer.name != peers.TextingRobots.name]
    asked = [*python, *([rust_peer.NAME] if rust else [])]
    theirs, costs = measure_attacks(options, asked, cpus)
    _say("what was considered, comparing rules, simplifying")
    some = one_of(options.every, data.samples, remarks)
    return report.Results(
        considered=considered.measure(options.repeats),
        reasoning=reasoning.measure(some),
        confirmed=confirmed.measure(some),
        bounded=bounded_verbs.measure(TEST_PAIRS if options.test else None),
        simplified=simplified.measure(some),
        gate=measure_gate(options),
        service=service.measure(options.repeats, is_test=options.test),
        logs=measure_logs(options, cpus, remarks),
        corpus=data,
        speed=speeds,
        many_rules=flat,
        columns=column_rows,
        verdict_columns=verdict_rows,
        reconsidered=held,
        memory=memory_rows,
        pages=page_rows,
        hostile=hostile.measure(["goodbot"], ENOUGH, 1),
        hostile_peers=theirs,
        hostile_seconds=options.hostile_peers,
        amplification=costs,
        documents=amplification_documents.measure(),
        tarpits=amplification_tarpits.measure(),
        robot=measure_robot(options, data.samples, cpus),
        crawl=measure_crawl(options, cpus),
        fleet=measure_fleet(options, cpus, remarks),
        faults=measure_faults(options, cpus, remarks),
        remarks=remarks,
        repeats=options.repeats,
        seconds=time.monotonic() - start,
    )


def those_installed() -> tuple[list[peers.Peer], bool, list[str]]:
    """Return the peers, whether texting_robots is among them, and a remark on what is absent."""
    found, remarks = peers.available()
    rust = rust_peer.program() is not None
    remarks += [] if rust else [rust_peer.absent()]
    remarks += [] if columns.available() else [columns.ABSENT]
    return found, rust, remarks


def remark_on_cores(cpus: Sequence[int], work: str) -> str:
    """Return a sentence on what two cores are worth, measured just before some work on both."""
    before = clock.cpus()
    clock.pin(len(cpus), cpus)
    gain = clock.gain_of_cores()
    clock.pin(len(before), before)
    return f"Just before {work}, two threads that only hashed did {gain:.2f} times the work of one."


def one_of(every: int, samples: Sequence[Sample], remarks: list[str]) -> Sequence[Sample]:
    """Return the files of which rules are compared, and add a remark that says how many."""
    some = samples[::every]
    remarks.append(
        f"Rules are compared, examples confirmed and files simplified for {len(some):,} of the "
        f"files, one of {every}."
    )
    return some


def measure_gate(options: argparse.Namespace) -> list[gate.GateRow]:
    """Run the requests of the gate."""
    count = TEST_REQUESTS if options.test else gate.REQUESTS
    return gate.measure(options.repeats, count)


def measure_logs(
    options: argparse.Namespace, cpus: Sequence[int], remarks: list[str]
) -> list[logs.LogRow]:
    """Read a log, and judge it, beside GoAccess."""
    _say("logs")
    remarks.append(remark_on_cores(cpus, "the logs"))
    return logs.measure(TEST_LINES if options.test else LOG_LINES)


def measure_columns(
    options: argparse.Namespace, samples: Sequence[Sample], cpus: Sequence[int]
) -> tuple[list[columns.Column], list[verdict_columns.Verdicts]]:
    """Run the jobs on columns, which need pyarrow."""
    _say("columns")
    if not columns.available():
        return [], []
    urls = TEST_URLS if options.test else columns.URLS
    of_one_file = columns.measure(samples, cpus, options.repeats, urls)
    _say("verdicts on columns")
    urls = TEST_URLS if options.test else verdict_columns.URLS
    return of_one_file, verdict_columns.measure(samples, options.repeats, urls)


def measure_held(
    options: argparse.Namespace, samples: Sequence[Sample], cpus: Sequence[int]
) -> reconsidering.HeldResults | None:
    """Reconsider a table and WARC files, which need pyarrow and warcio."""
    if not (columns.available() and importlib.util.find_spec("warcio")):
        return None
    urls = TEST_URLS if options.test else reconsidering.URLS
    return reconsidering.measure(samples, options.repeats, cpus, urls)


def measure_attacks(
    options: argparse.Namespace, peers_asked: Sequence[str], cpus: Sequence[int]
) -> tuple[list[hostile.Outcome], list[amplification.Cost]]:
    """Run the peers on hostile files, and the amplification attacks."""
    clock.pin(len(cpus), cpus)
    if options.test:
        return [], amplification.measure(["goodbot"], scale=TEST_SCALE)
    theirs: list[hostile.Outcome] = []
    if options.hostile_peers:
        _say("hostile files, peers")
        at_once = max(1, min(2, len(cpus)))
        theirs = hostile.measure(peers_asked, options.hostile_peers, at_once)
    _say("amplification, which takes some minutes")
    return theirs, amplification.measure()


def measure_robot(
    options: argparse.Namespace, samples: Sequence[Sample], cpus: Sequence[int]
) -> RobotResults:
    """Run the jobs of the robot, its store and its fetcher."""
    is_test = options.test
    clock.pin(1, cpus)
    _say("a robot's questions")
    asked = robot.measure(samples, options.repeats)
    _say("a store, which takes a minute or two")
    kept = store.measure(TEST_ORIGINS if is_test else store.ORIGINS)
    _say("fetching")
    fetched = net.measure(options.repeats, cpus, TEST_PAGES if is_test else net.PAGES)
    _say("hostile sites, which take a minute or two")
    clock.pin(len(cpus), cpus)
    rows = [one for one in BEHAVIOURS if one.name in TEST_MANNERS] if is_test else BEHAVIOURS
    stays = manners.measure(rows, crawlers.CLIENTS[:1] if is_test else crawlers.CLIENTS)
    clock.pin(1, cpus)
    return RobotResults(asked, kept, fetched, stays)


def measure_crawl(options: argparse.Namespace, cpus: Sequence[int]) -> CrawlResults:
    """Run the jobs of the crawl."""
    all_sizes = (crawl_site.PAGES, frontier.URLS, search.PAGES)
    pages, urls, searched = TEST_CRAWL if options.test else all_sizes
    rounds = min(options.repeats, crawl.ROUNDS)
    times = [time.monotonic()]
    _say("crawls, which take two minutes")
    # What the others do is tested with the crawl alone.
    crawls = crawl.measure(rounds, cpus, pages, CLIENTS[:1] if options.test else CLIENTS)
    times.append(time.monotonic())
    _say("a queue, which takes a minute")
    queue = frontier.measure(urls, urls // 100)
    times.append(time.monotonic())
    _say("an index, which takes a minute")
    index = search.measure(searched)
    times.append(time.monotonic())
    _say("what pages say to robots, which takes a minute")
    said = page_statements.measure(*(TEST_STATEMENTS if options.test else ()))
    times.append(time.monotonic())
    return CrawlResults(crawls, queue, index, said, [end - start for start, end in pairwise(times)])


def measure_fleet(
    options: argparse.Namespace, cpus: Sequence[int], remarks: list[str]
) -> FleetResults | None:
    """Crawl by workers of a fleet, and count what its queue costs; this needs PostgreSQL."""
    if fleet.programs() is None:
        remarks.append(report_fleet.ABSENT)
        return None
    clock.pin(len(cpus), cpus)
    rounds = min(options.repeats, fleet.ROUNDS)
    crawls = TEST_FLEET if options.test else (rounds, crawl_site.PAGES, fleet.ORIGINS)
    queue = TEST_QUEUE if options.test else (options.queue, fleet_scale.SITES)
    _say("a fleet, which takes two minutes")
    times = [time.monotonic()]
    rows = fleet.measure(*crawls)
    times.append(time.monotonic())
    _say("the queue of a fleet, which takes some minutes")
    scale = fleet_scale.measure(*queue)
    times.append(time.monotonic())
    seconds = [end - start for start, end in pairwise(times)]
    return FleetResults(rows, crawls[1], crawls[2], scale, seconds)


def measure_faults(
    options: argparse.Namespace, cpus: Sequence[int], remarks: list[str]
) -> fleet_faults.FaultResults | None:
    """Disturb fleets, if that is wanted; this needs root and PostgreSQL."""
    absent = fleet_faults.missing() if options.faults else fleet_faults.NOT_ASKED
    if absent:
        remarks.append(absent)
        return None
    clock.pin(len(cpus), cpus)
    _say("fleets under faults, which takes a quarter of an hour")
    return fleet_faults.measure()


def wrong_answers(results: report.Results) -> list[str]:
    """Return every job of goodbot with unexpected answers, as a sentence."""
    wrong = [f"reference: {difference}" for difference in results.speed.reference_differences]
    wrong += [
        f"columns: {row.container} of the {row.file} differs"
        for row in results.columns
        if not row.equal
    ]
    wrong += many_rules.wrong(results.many_rules)
    wrong += verdict_columns.wrong(results.verdict_columns)
    wrong += reconsidering.wrong(results.reconsidered)
    wrong += [f"pages: {difference}" for difference in results.pages.wrong]
    for outcome in results.hostile:
        if outcome.stopped or not outcome.right or outcome.worst_check is None:
            wrong.append(f"hostile: {outcome.case.name}: {outcome.stopped or 'wrong answers'}")
    wrong += results.reasoning.wrong
    wrong += results.confirmed.wrong if results.confirmed is not None else []
    wrong += results.simplified.wrong
    wrong += gate.wrong(results.gate)
    wrong += logs.wrong(results.logs)
    wrong += amplification.wrong(results.amplification)
    wrong += report_robot.wrong(results.robot)
    wrong += results.faults.wrong if results.faults is not None else []
    return wrong + report_crawl.wrong(results.crawl) + report_fleet.wrong(results.fleet)


def _say(job: str) -> None:
    print(f"measuring {job} ...", file=sys.stderr, flush=True)


def main() -> int:
    """Measure and print; return 1 if an answer of goodbot is wrong."""
    options = arguments()
    if options.test:
        options.files, options.repeats = TEST_FILES, 1
    results = measure(options)
    wrong = wrong_answers(results)
    if options.test:
        print("\n".join(results.remarks))
        print(
            "\n".join(wrong)
            or f"{results.speed.reference_total} answers and every other job: all as expected"
        )
        return 1 if wrong else 0
    date = options.date or dt.datetime.now(tz=dt.timezone.utc).date().isoformat()
    command = " ".join(["python benchmarks/run.py", *sys.argv[1:]])
    text = report.written(results, date, command)
    print(text)
    if options.record:
        RESULTS.write_text(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
