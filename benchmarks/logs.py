"""Read a log of a web server, and judge it: against GoAccess on the same file.

Scope: a made file of lines in Combined, with the requests of people and robots; the summary of
goodbot with one thread and with two, that of the audit, and GoAccess' report to a file of JSON.
Every program runs in a process of its own, so that its memory is its own.

python benchmarks/logs.py [LINES]           print the results
python benchmarks/logs.py summarize FILE    read one file; print seconds, memory and counts
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import process_memory
from drawing import Target, at_least, table

PROGRAM = str(Path(__file__).resolve())
LINES = 5_000_000
SEED = 5
START = datetime(2026, 3, 2, tzinfo=timezone.utc)
VISITORS = {"person": 60_000, "robot": 400, "unknown": 3}
"""How many addresses come with each length of a User-Agent; the first of them come more often."""
A_SECOND = 40
"""How many lines a second has."""
BLOCK = 50_000
MEGABYTE = 1e6
MIBIBYTE = 1 << 20
QUARTER = 4
PEOPLE = [
    f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/{version}.0.0.0 Safari/537.36"
    for system in ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux")
    for version in range(120, 144)
]
ROBOTS = {
    "GPTBot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; "
    "+https://openai.com/gptbot)",
    "Googlebot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "ClaudeBot": "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
}
UNKNOWN = "ShelfBot/1.0 (+https://shelf.example/bot)"
BAD = "192.0.2.9 - - [02/Mar/2026:06:0"
SHARES = (("person", 70), ("robot", 25), ("unknown", 4), ("bad", 1))
ROBOTS_TXT = "User-agent: *\nDisallow: /private/\nDisallow: /*?sort=\nCrawl-delay: 1\n"


@dataclass(frozen=True)
class LogRow:
    """One program on one file: wall-clock and CPU seconds, and its memory at its peak."""

    name: str
    lines: int
    size: int
    seconds: float
    cpu: float
    memory: int
    wrong: str = ""

    @property
    def rate(self) -> float:
        """Megabytes per second of the wall clock."""
        return self.size / self.seconds / MEGABYTE


def write_log(path: Path, lines: int) -> dict[str, int]:
    """Write a log; return how many lines of each kind it has."""
    chance = random.Random(SEED)  # noqa: S311  the same file each time
    kinds = [kind for kind, share in SHARES for _ in range(share)]
    counts = dict.fromkeys((kind for kind, _ in SHARES), 0)
    robots, pages = list(ROBOTS.values()), [target(chance) for _ in range(20_000)]
    with path.open("w", encoding="ascii") as file:
        for first in range(0, lines, BLOCK):
            block = []
            for number in range(first, min(first + BLOCK, lines)):
                kind = chance.choice(kinds)
                counts[kind] += 1
                if kind == "bad":
                    block.append(f"{BAD}\n")
                    continue
                agent = {
                    "person": PEOPLE[number % len(PEOPLE)],
                    "robot": robots[number % len(robots)],
                    "unknown": UNKNOWN,
                }[kind]
                block.append(line(chance, number, pages, (agent, VISITORS[kind])))
            file.write("".join(block))
    return counts


def target(chance: random.Random) -> str:
    """Return a path as logs have them."""
    words = ("blog", "shop", "private", "img", "api/v2", "de", "tags", "2026/03")
    name = f"/{chance.choice(words)}/{chance.randrange(100_000)}"
    more = chance.choice(["", "", ".html", "-a-longer-title-of-a-page", ".css", "/%C3%A9t%C3%A9"])
    query = chance.choice(["", "", "", "?page=2", "?sort=price&dir=up", "?utm_source=news&id=77"])
    return name + more + query


def line(
    chance: random.Random, number: int, pages: Sequence[str], visitors: tuple[str, int]
) -> str:
    """Return a line in Combined; the visitors have a User-Agent and so many addresses."""
    agent, addresses = visitors
    at = START + timedelta(seconds=number // A_SECOND)
    sender = min(chance.randrange(addresses), chance.randrange(addresses))
    address = f"{len(agent)}.{sender % 7}.{sender // 256 % 256}.{sender % 256}"
    status = chance.choice((200, 200, 200, 200, 304, 404, 301, 500))
    return (
        f"{address} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "
        f'"GET {chance.choice(pages)} HTTP/1.1" {status} {chance.randrange(200, 90_000)} '
        f'"https://example.com/" "{agent}"\n'
    )


def summarize(path: str) -> dict[str, object]:
    """Read a file in this process; return what it took, and what it found."""
    from goodbot.site.logs import open_logs  # noqa: PLC0415  GoAccess' process needs none of it

    reader = open_logs([path], sites=["https://example.com"])
    start, cpu = time.perf_counter(), time.process_time()
    summary = reader.summarize()
    counts = summary.counts
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "memory": process_memory.status("VmHWM"),
        "found": {
            "person": counts.people,
            "robot": counts.robots,
            "unknown": counts.unknown_robots,
            "bad": sum(counts.refused.values()),
        },
    }


@contextmanager
def only(cpus: Sequence[int]) -> Iterator[None]:
    """Restrict this process, and what it starts, to some CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def own(name: str, path: Path, expected: dict[str, int]) -> LogRow:
    """Return the summary of goodbot."""
    code = [sys.executable, PROGRAM, "summarize", str(path)]
    done = subprocess.run(code, check=True, stdout=subprocess.PIPE)  # noqa: S603  ours
    told = json.loads(done.stdout)
    wrong = "" if told["found"] == expected else f"{told['found']} and not {expected}"
    size, lines = path.stat().st_size, sum(expected.values())
    return LogRow(name, lines, size, told["seconds"], told["cpu"], told["memory"], wrong)


def command(name: str, words: Sequence[str], path: Path, lines: int) -> tuple[LogRow, bytes]:
    """Return what a whole program takes, from its start to its end, and its output."""
    with tempfile.NamedTemporaryFile() as usage:
        words = [sys.executable, process_memory.__file__, usage.name, *words]
        start = time.perf_counter()
        done = subprocess.run(words, check=False, capture_output=True)  # noqa: S603  our own
        seconds = time.perf_counter() - start
        cpu, memory = Path(usage.name).read_text().split()
    wrong = "" if done.returncode == 0 else f"{name} ended with {done.returncode}"
    size = path.stat().st_size
    row = LogRow(name, lines, size, seconds, float(cpu), int(memory), wrong)
    return row, done.stdout


def audited(folder: Path, path: Path, expected: dict[str, int]) -> LogRow:
    """Return the audit of goodbot: every request of a known robot is judged."""
    policy = folder / "robots.txt"
    policy.write_text(ROBOTS_TXT, encoding="ascii")
    words = [
        str(Path(sys.executable).with_name("goodbot")), "audit", str(path), "--json",
        "--policy", f"{policy}@2026-01-01", "--site", "https://example.com",
    ]  # fmt: skip
    lines = sum(expected.values())
    row, text = command("goodbot audit", words, path, lines)
    told = json.loads(text) if text else {}
    judged = sum(robot["requests"] for robot in told.get("robots", []))
    if judged == expected["robot"]:
        return row
    return LogRow(**{**vars(row), "wrong": f"{judged} requests judged of {expected['robot']}"})


def measure(lines: int = LINES) -> list[LogRow]:
    """Measure every program on one file, and goodbot on a quarter of it for its memory."""
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, quarter = folder / "access.log", folder / "quarter.log"
        expected = write_log(path, lines)
        fewer = write_log(quarter, lines // QUARTER)
        rows = []
        with only(cpus[-1:]):
            rows.append(own("goodbot summary, a quarter", quarter, fewer))
            rows.append(own("goodbot summary, one core", path, expected))
        # At once: the machine may be faster or slower some minutes later.
        if len(cpus) > 1:
            rows.append(own("goodbot summary, two cores", path, expected))
        with only(cpus[-1:]):
            rows.append(audited(folder, path, expected))
            goaccess = shutil.which("goaccess")
            if goaccess is not None:
                report = str(folder / "report.json")
                words = [goaccess, str(path), "--log-format=COMBINED", "-o", report]
                rows.append(command("GoAccess", words, path, lines)[0])
        return rows


MEANING = """\
A made log in Combined: 70 % of people, 25 % of known robots, 4 % of others, 1 % that are no lines.
The summaries count requests, bytes, statuses and requests for robots.txt of each User-Agent, and
find the robot; the audit also judges each request of a known robot by a robots.txt. The audit and
GoAccess (one thread, its report in JSON) are timed as whole commands by the wall clock, goodbot's
summary from its first byte to its last. Counts must be those of the file.
"""


def section(rows: Sequence[LogRow]) -> str:
    """Return the results as Markdown."""
    if not any(row.name == "GoAccess" for row in rows):
        note = "GoAccess is not measured: it is not installed.\n"
    else:
        note = ""
    cells = [
        (
            row.name, f"{row.lines:,}", f"{row.seconds:.1f} s", f"{row.cpu:.1f} s",
            f"{row.rate:.0f} MB/s", f"{row.memory / MIBIBYTE:.0f} MiB",
        )
        for row in rows
    ]  # fmt: skip
    head = ("program", "lines", "time", "CPU time", "rate", "memory")
    return "\n".join([MEANING + note, table(head, cells)])


def targets(rows: Sequence[LogRow]) -> list[Target]:
    """Return every target, with the measured value."""
    known = {row.name: row for row in rows}
    one = known["goodbot summary, one core"]
    found = [at_least("log, summary on one core", one.rate, 300, " MB/s")]
    if "GoAccess" in known:
        times = known["GoAccess"].seconds / one.seconds
        found.append(at_least("log, summary against GoAccess", times, 8, " times"))
    if "goodbot summary, two cores" in known:
        gain = one.seconds / known["goodbot summary, two cores"].seconds
        found.append(at_least("log, two cores against one", gain, 1.7, " times"))
    return found


def wrong(rows: Sequence[LogRow]) -> list[str]:
    """Return a sentence for each program that counted something else than the file has."""
    return [f"logs: {row.name}: {row.wrong}" for row in rows if row.wrong]


if __name__ == "__main__":
    if sys.argv[1:2] == ["summarize"]:
        print(json.dumps(summarize(sys.argv[2])))
    else:
        measured = measure(int(sys.argv[1]) if len(sys.argv) > 1 else LINES)
        print(section(measured))
        print("\n".join(wrong(measured)))
