"""Results as Markdown: the same text on the terminal and in RESULTS.md."""

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import amplification
import amplification_documents
import amplification_tarpits
import bounded_verbs
import clock
import columns
import confirmed
import considered
import fleet_faults
import gate
import logs
import many_rules
import peers
import reasoning
import reconsidering
import report_crawl
import report_fleet
import report_robot
import service
import simplified
import verdict_columns
from amplification import Cost
from columns import Column
from corpus import Corpus
from drawing import Target, at_least, at_most, table
from hostile import Outcome
from memory import WHOLE_FILE, Kept
from pages import Pages
from report_crawl import CrawlResults
from report_robot import RobotResults
from speed import Row, Speed

BIAS = """\
- goodbot's own authors chose the jobs, the URLs and the targets.
- goodbot's `parse` finds fields and groups, and leaves patterns to `rules_for`, which compiles
  those of one robot only. Its peers in Python do the work for all robots when they parse;
  texting_robots is given its robot there. The column "with rules_for" is therefore the fairer one
  for parsing, and the job "20 checks" the fairest of all.
- The peers written in Python are called from Python, and so is texting-robots-py, the binding of
  texting_robots. texting_robots itself is called from Rust and pays
  nothing for calls from Python; goodbot pays for them in every figure. fast-robotstxt is called
  through ctypes, which costs it some of its time, and has no object to keep: it parses at each
  check. It is not google/robotstxt unchanged: it decodes escapes and resolves dot segments before
  it compares, so its answers differ from Google's. jwm.robotstxt binds Google's own matcher, which
  confirms the examples of `goodbot.site.reasoning`.
- Peers that read `str` are given decoded text; the time for decoding is not in their figures.
- No URL is asked about twice in a round. A crawler that repeats its questions may see other
  figures.
- Times are CPU time of one process on one CPU, medians over rounds, in which the libraries take
  turns. Two threads are timed by the wall clock on two CPUs: they need a machine that is
  otherwise idle, which shows in the CPU time beside it. The loop around the calls is counted; it
  weighs most on the fastest library.
- Equal answers are not right answers: the libraries follow different documents, and goodbot's
  dialect here is `rfc9309`. urllib.robotparser follows the order of the lines and knows no
  wildcards.
- Hostile files are made against goodbot in the first place; others may hurt its peers more. Where
  there are two CPUs or more, two peers run at a time there, each on what the system gives it.
- goodbot's hostile times are medians of 5, its peers' are single; a parse that takes the robot's
  rules with it is one figure for the peers.
- Memory of a kept object is resident memory of a process with many of them, the allocator's share
  included. Peers in Python keep the rules of all robots, goodbot's `Rules` those of one.
"""


IN_THE_WAY = """\
- A check: a third of its time is the call from Python on a URL that has not been touched before
  (see the least that a check can cost). What is left goes to branches that no processor can
  foresee (which rules begin as this path does) and to rules that are not in the nearest cache: on
  URLs and rules that are, a check takes some 60 ns from Rust.
- Parse, rules and 20 checks: a quarter is reading, a third is putting one robot's rules together,
  the rest is checks. The peers' Python runs faster on this machine than on the one that the
  targets were set on (protego 27 MB/s against 14), while goodbot waits for memory on both.
- `allows_many`: one URL of 75 bytes takes some 40 ns in the core and 10 ns to be taken out of the
  column. Of the 40, 15 go to finding the path's end and its escapes, 25 to the rules.
- Pages: of the 0.83 ms of a page the core takes 0.53 (0.36 of it the tree), Python objects for runs
  and links 0.15, the meaning of what the document says 0.15. The ratio moves between 5.8 and 6.2
  from run to run.
- Memory: the target was set on files of 1.9 KB, these have 3.4 KB. Half of what is kept are the
  patterns, a tenth the addresses of sitemaps, the rest the lines' numbers and ranks.
- A whole crawl: docs/explanation/how-a-crawl-works.md says where the time of a page goes, what was
  tried, and what is left.
"""

SPEED_MEANING = """\
`parse` makes the parser's object; `with rules_for` also takes one robot's rules, where that is a
step of its own; `one check` asks a kept object about one URL; `20 checks` is the whole life of a
file: parse it, take the rules, check 20 URLs. `times` says how many times as long as goodbot the
library takes."""

COLUMNS_MEANING = """\
The URLs have 60 to 90 characters, and half of them begin with the file's rules. The median file is
that among the files with 5 rules or more. One thread is timed by CPU time, two by the wall clock;
the last column is the CPU time of all threads. No peer takes columns."""

HOSTILE_MEANING = """\
parse + worst check, then peak memory in multiples of the file. `wrong` marks answers that are not
those of RFC 9309."""


@dataclass(frozen=True)
class Results:
    """All results."""

    corpus: Corpus
    speed: Speed
    many_rules: Sequence[many_rules.ManyRules]
    columns: Sequence[Column]
    verdict_columns: Sequence[verdict_columns.Verdicts]
    reconsidered: reconsidering.HeldResults | None
    memory: Sequence[Kept]
    pages: Pages
    considered: Sequence[considered.Row]
    reasoning: reasoning.Comparisons
    confirmed: confirmed.Confirmed | None
    bounded: Sequence[bounded_verbs.Row]
    simplified: simplified.Simplified
    gate: Sequence[gate.GateRow]
    service: Sequence[Target]
    logs: Sequence[logs.LogRow]
    hostile: Sequence[Outcome]
    hostile_peers: Sequence[Outcome]
    hostile_seconds: float
    amplification: Sequence[Cost]
    documents: Sequence[amplification_documents.Row]
    tarpits: Sequence[amplification_tarpits.Row]
    robot: RobotResults
    crawl: CrawlResults
    fleet: report_fleet.FleetResults | None
    faults: fleet_faults.FaultResults | None
    remarks: Sequence[str]
    repeats: int
    seconds: float


def written(results: Results, date: str, command: str) -> str:
    """Write the whole report."""
    found = targets(results)
    sections = [
        f"# Results, {date}\n",
        machine(),
        f"Command: `{command}`. It took {results.seconds:.0f} seconds.\n",
        f"Files: {results.corpus.origin}; {results.corpus.size / 1e6:.2f} MB, 20 URLs each.\n",
        *(f"{remark}\n" for remark in results.remarks),
        "## Targets\n",
        _targets(found),
        *measured(results),
        "## Bias and caveats\n",
        BIAS,
        "## Targets that are not met\n",
        "\n".join(f"- {target.wanted}: {target.measured}" for target in found if not target.met)
        or "None.",
        "\n## What stands in the way\n",
        IN_THE_WAY,
    ]
    return "\n".join(section for section in sections if section) + "\n"


def measured(results: Results) -> list[str]:
    """Return what was measured: headings and sections in turn."""
    return [
        "## Speed\n",
        _speed(results.speed, results.repeats),
        "## Answers\n",
        _answers(results.speed),
        "## Few rules and many\n",
        many_rules.section(results.many_rules),
        "## Many URLs at once\n",
        _columns(results.columns),
        "## Verdicts as of, on columns\n" if results.verdict_columns else "",
        verdict_columns.section(results.verdict_columns) if results.verdict_columns else "",
        "## What is held, reconsidered\n",
        reconsidering.section(results.reconsidered),
        "## Memory of one kept object\n",
        _memory(results.memory),
        "## Pages\n",
        _pages(results.pages),
        "## Hostile files\n",
        _hostile(results.hostile),
        _hostile_peers(results.hostile_peers, results.hostile_seconds),
        "## Amplification\n",
        amplification.section(results.amplification),
        amplification_documents.section(results.documents),
        amplification_tarpits.section(results.tarpits),
        "## Rules considered\n",
        _considered(results.considered),
        "## Comparing rules\n",
        reasoning.section(results.reasoning),
        confirmed.section(results.confirmed),
        "## Hostile files, checked, compared and simplified\n",
        bounded_verbs.section(results.bounded),
        "## Simplified files\n",
        simplified.section(results.simplified),
        "## The gate\n",
        gate.section(results.gate),
        "## The service\n",
        service.section(results.service),
        "## Logs\n",
        logs.section(results.logs),
        *report_robot.sections(results.robot),
        *report_crawl.sections(results.crawl),
        *report_fleet.sections(results.fleet),
        "## Fleets under faults\n" if results.faults else "",
        fleet_faults.section(results.faults) if results.faults else "",
    ]


def machine() -> str:
    """Return what the figures were measured on."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.is_file() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
    try:
        command = ["rustc", "--version"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- fixed
        rustc = done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        rustc = "no rustc"
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"Machine: {model}, {os.cpu_count()} cores; {system}; {python}; {rustc}.\n"


def targets(results: Results) -> list[Target]:
    """Return every target, with the measured value."""
    found = _ratios(results.speed)
    found += columns.targets(results.columns)
    found += many_rules.targets(results.many_rules)
    found += verdict_columns.targets(results.verdict_columns)
    found += reconsidering.targets(results.reconsidered)
    found += _page_ratios(results.pages)
    found += reasoning.targets(results.reasoning)
    found += bounded_verbs.targets(results.bounded)
    found += amplification_documents.targets(results.documents)
    found += amplification_tarpits.targets(results.tarpits)
    found += gate.targets(results.gate)
    found += results.service
    found += logs.targets(results.logs)
    for kept in results.memory:
        if kept.name == "goodbot":
            found.append(at_most("memory of one kept Rules, mean", kept.size, 1200, " bytes"))
    finished = [
        outcome for outcome in results.hostile if not outcome.stopped and outcome.case.targeted
    ]
    for name, unit, limit, values in (
        ("parse", " ms", 10, [(outcome.parse or 0) * 1e3 for outcome in finished]),
        ("rules_for", " ms", 10, [(outcome.rules or 0) * 1e3 for outcome in finished]),
        ("check", " ms", 10, [(outcome.worst_check or 0) * 1e3 for outcome in finished]),
        (
            "memory, in multiples of the file",
            "",
            3,
            [outcome.multiple or 0 for outcome in finished],
        ),
    ):
        if finished:
            worst = max(values)
            case = finished[values.index(worst)].case.name
            found.append(at_most(f"hostile {name}, worst case ({case})", worst, limit, unit))
    found += _considered_targets(results.considered)
    for outcome in results.hostile:
        if outcome.stopped:
            found.append(Target(f"hostile {outcome.case.name}", outcome.stopped, met=False))
    found += amplification.targets(results.amplification)
    found += report_robot.targets(results.robot) + report_crawl.targets(results.crawl)
    found += report_fleet.targets(results.fleet)
    return found + (fleet_faults.targets(results.faults) if results.faults else [])


def _ratios(speed: Speed) -> list[Target]:
    found = []
    ours = speed.rows[0]
    for job, wanted in (("parse", (70, 10)), ("check", (32, 6)), ("whole", (40, 8))):
        for name, least in zip(("protego", peers.TextingRobots.name), wanted, strict=True):
            row = speed.row(name)
            if row is not None:
                ratio = clock.median(getattr(row, job)) / clock.median(getattr(ours, job))
                found.append(at_least(f"{JOBS[job]}, against {name}", ratio, least, " times"))
    return found


def _page_ratios(pages: Pages) -> list[Target]:
    slower = clock.median(pages.xhtml.times) / clock.median(pages.html.times)
    of_xml = at_most("XHTML, against the same pages as HTML", slower, 3, " times the time")
    parsel = next((row for row in pages.rows if row.name.startswith("parsel ")), None)
    if parsel is None:
        return [of_xml]
    whole, copies = (pages.rate(row) / pages.rate(parsel) for row in (pages.rows[0], pages.copies))
    return [
        at_least("whole Page, against parsel's small job", whole, 6, " times"),
        at_least("Page and archive_copy(), against parsel's small job", copies, 3, " times"),
        of_xml,
    ]


PAGES_MEANING = """\
The small job is META robots, links with rel and text, and the visible text. The whole is a
`goodbot.Page`: every verdict with its source, links and runs of text with theirs, findings. For the
copies each page has a part that may not be kept, which is read, omitted and listed. `equal` counts
the pages on which the library finds as many links as goodbot, and META robots where goodbot does;
parsers that do not follow the standard differ on broken pages. The last two rows are of other
pages, which are well-formed, and are read once as HTML and once as XHTML."""


def _pages(pages: Pages) -> str:
    ours = pages.rate(pages.rows[0])
    rows = [
        (
            row.name,
            row.job,
            f"{pages.rate(row):.0f}",
            f"{ours / pages.rate(row):.1f}",
            f"{row.equal} of {pages.pages}" if row in pages.rows else "",
        )
        for row in [*pages.rows, pages.copies, pages.html, pages.xhtml]
    ]
    heads = ("library", "job", "pages/s", "times", "equal")
    size = f"{pages.pages} {pages.origin}, {pages.size / 1e6:.1f} MB.\n"
    return "\n".join([size, PAGES_MEANING + "\n", table(heads, rows)])


JOBS = {"parse": "parse", "check": "check", "whole": "parse, rules_for and 20 checks"}


def _targets(found: Sequence[Target]) -> str:
    rows = [
        (target.wanted, target.measured, "met" if target.met else "not met") for target in found
    ]
    return table(("target", "measured", ""), rows)


def _speed(speed: Speed, repeats: int) -> str:
    ours = speed.rows[0]
    head = (
        "library",
        "parse",
        "times",
        "with rules_for",
        "times",
        "one check",
        "times",
        "20 checks",
        "times",
    )
    rows = []
    for row in speed.rows:
        select = row.select or row.parse
        rows.append(
            (
                f"{row.name} {row.version}",
                _megabytes(speed, row.parse),
                _times(row.parse, ours.parse),
                _megabytes(speed, select),
                _times(select, ours.select),
                _nanoseconds(speed.check_nanoseconds(row)),
                _times(row.check, ours.check),
                f"{speed.whole_microseconds(row):,.1f} us",
                _times(row.whole, ours.whole),
            )
        )
    calls = "; ".join(f"{row.name} `{row.call}`" for row in speed.rows)
    return (
        f"{table(head, rows)}\n"
        f"{speed.files} robots.txt files, medians of {repeats} rounds, one thread;"
        f" {speed.pages} more answers are pages of HTML, which are compared and not timed.\n"
        f"{SPEED_MEANING}\n"
        f"\nThe calls: {calls}.\n"
        "\nDecoding the files to `str`, which the peers need that read text:"
        f" {speed.megabytes(speed.decode):,.0f} MB/s, not counted above.\n"
        "\nThe least that a check can cost: a call of the core that only takes the URL"
        f" takes {speed.nothing_nanoseconds():,.0f} ns on the same URLs in the same loop.\n"
    )


def _megabytes(speed: Speed, times: Sequence[float]) -> str:
    return f"{speed.megabytes(times):,.1f} MB/s" if times else "at each check"


def _times(times: Sequence[float], ours: Sequence[float]) -> str:
    return f"{clock.median(times) / clock.median(ours):.1f}" if times and ours else ""


def _nanoseconds(value: float) -> str:
    return f"{value:,.0f} ns"


def _answers(speed: Speed) -> str:
    rows = [_equal(speed, row) for row in speed.rows[1:]]
    differences = speed.reference_differences
    text = (
        f"{table(('library', 'answers equal to goodbot', 'share', 'files it raised on'), rows)}\n"
        f"goodbot against the plain slow matcher of `reference.py`: {speed.reference_total}"
        f" answers, {len(differences)} different.\n"
    )
    return text + "".join(f"- {difference}\n" for difference in differences[:3])


def _equal(speed: Speed, row: Row) -> tuple[str, str, str, str]:
    equal, given = speed.equal(row)
    return row.name, f"{equal} of {given}", f"{equal / max(given, 1):.2%}", str(row.raised)


def _columns(rows: Sequence[Column]) -> str:
    head = ("rules of", "rules", "container", "threads", "M URLs/s", "CPU time", "answers")
    cells = [
        (
            row.file,
            str(row.rules),
            row.container,
            str(row.threads),
            f"{row.millions:.1f}",
            f"{row.cpu_seconds / row.urls * 1e9:.1f} ns/URL",
            "those of allows" if row.equal else "WRONG",
        )
        for row in rows
    ]
    urls = f"{rows[0].urls:,}" if rows else "no"
    called = f"`Rules.allows_many` on a column of {urls} URLs."
    return f"{table(head, cells)}\n{called}\n{COLUMNS_MEANING}\n"


def _memory(rows: Sequence[Kept]) -> str:
    ours = next((row.size for row in rows if row.name == "goodbot"), float("nan"))
    cells = [
        (
            f"{row.name}{' (the whole file)' if row.name == WHOLE_FILE else ''}",
            f"{row.size:,.0f}",
            f"{row.size / ours:.1f}",
        )
        for row in rows
    ]
    return table(("object of", "bytes, mean over all files", "times goodbot's Rules"), cells)


def _considered_targets(rows: Sequence[considered.Row]) -> list[Target]:
    return [at_most(f"considered, {row.case}", row.seconds * 1e3, 50, " ms") for row in rows]


def _considered(rows: Sequence[considered.Row]) -> str:
    cells = [(row.case, f"{row.rules:,}", _milliseconds(row.seconds)) for row in rows]
    return table(("500 KiB of which every rule matches", "rules listed", "considered"), cells)


def _hostile(outcomes: Sequence[Outcome]) -> str:
    head = ("case", "parse", "rules_for", "worst check", "peak memory", "answers")
    rows = [
        (
            outcome.case.name,
            _milliseconds(outcome.parse),
            _milliseconds(outcome.rules),
            _milliseconds(outcome.worst_check),
            "" if outcome.multiple is None else f"{outcome.multiple:.1f} x file",
            outcome.stopped or ("right" if outcome.right else "WRONG"),
        )
        for outcome in outcomes
    ]
    meanings = "".join(f"- {outcome.case.name}: {outcome.case.meaning}.\n" for outcome in outcomes)
    bound = (
        "The targets are set for the cases from `three stars` to `one line of 2 MB`. The others "
        "show where the stated bound lies: a check costs at most the sum over the rules of (length "
        "of the pattern + length of the URL), which `absent pieces` and `late pieces` come near.\n"
    )
    return f"goodbot:\n\n{table(head, rows)}\n{bound}\n{meanings}"


def _hostile_peers(outcomes: Sequence[Outcome], seconds: float) -> str:
    if not outcomes:
        return "The peers were not given the hostile files.\n"
    libraries = list(dict.fromkeys(outcome.library for outcome in outcomes))
    cases: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        cases.setdefault(outcome.case.name, {})[outcome.library] = outcome
    rows = [
        (name, *(_peer_cell(by_library[library]) for library in libraries))
        for name, by_library in cases.items()
    ]
    return (
        f"Peers, each case in a process of its own, stopped after {seconds:g} s or at 2 GiB:\n"
        f"{HOSTILE_MEANING}\n\n"
        f"{table(('case', *libraries), rows)}"
    )


def _peer_cell(outcome: Outcome) -> str:
    parse = "" if outcome.parse is None else f"{_milliseconds(outcome.parse)} + "
    wrong = "" if outcome.right else ", wrong"
    if outcome.stopped:
        stage = parse if outcome.parse is not None else ""
        return f"{stage}{outcome.stopped}{wrong}"
    multiple = "" if outcome.multiple is None else f", {outcome.multiple:.1f} x"
    return f"{parse}{_milliseconds(outcome.worst_check)}{multiple}{wrong}"


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1e3:,.2f} ms" if seconds < 0.1 else f"{seconds * 1e3:,.0f} ms"  # noqa: PLR2004 -- three figures
