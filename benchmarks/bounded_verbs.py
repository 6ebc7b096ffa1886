"""Lint, compare and simplify hostile files of some 500 KiB, each in a process of its own.

What cannot be decided within the bounds must be said, and soon.

python benchmarks/bounded_verbs.py                 print the results
python benchmarks/bounded_verbs.py VERB NUMBER     work on one pair; print seconds and bytes
"""

import gc
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import clock
import process_memory
from drawing import Target, at_most, table
from goodbot import RobotsTxt
from goodbot.site.lint import lint
from goodbot.site.reasoning import compare_files, simplify
from reasoning import hostile_files

PROGRAM = str(Path(__file__).resolve())
TIMES = 3
SHORT = 0.1
"""The number of seconds from which work is done three times."""
SIZE = 499_000
MILLISECONDS = 1_000
MIBIBYTE = 1 << 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


MOST_MILLISECONDS = {"lint": 200, "diff": 600, "simplify": 200}
"""How long the work on a hostile file may take: `diff` reads both files in every dialect."""


@dataclass(frozen=True)
class Row:
    """What the work on one pair of files took: seconds, and by how many bytes memory grew."""

    case: str
    lint: tuple[float, float]
    diff: tuple[float, float]
    simplify: tuple[float, float]


def word(number: int) -> str:
    """Return three letters."""
    return LETTERS[number % 26] + LETTERS[number // 26 % 26] + LETTERS[number // 676 % 26]


def own_files() -> Iterator[tuple[str, str, str]]:
    """Yield pairs of files that make the most of what is done beside the search."""
    robots = "".join(f"User-agent: bot{n}\nDisallow: /a{n}\n" for n in range(12_000))
    yield "12,000 groups", robots, robots[: len(robots) // 2] + "Disallow: /z\n"
    near = "".join(f"User-agent: Googlebot-{word(n)}\nDisallow: /{n}\n" for n in range(9_000))
    yield "9,000 names like Googlebot", near, near.replace("Disallow", "Allow")
    names = "".join(f"User-agent: bot-{word(n)}\n" for n in range(17_576))
    yield "a group of 17,576 robots", f"{names}Disallow: /a\n", f"{names}Disallow: /b\n"
    line = f"User-agent: {'a,' * (SIZE // 2)}\nDisallow: /"
    yield "250,000 names in a line", line, f"{line}a"
    groups = "".join(
        f"User-agent: b{word(n)}\n"
        + "".join(f"Disallow: /*{(n * 7 + k) % 50}*{k}q\nAllow: /{k}*{n}\n" for k in range(12))
        for n in range(900)
    )
    yield "900 groups with stars", groups, groups.replace("q\n", "r\n")
    many = "".join(
        f"User-agent: b{word(n)}\n" + "".join(f"Disallow: /{n % 7}{k}\n" for k in range(155))
        for n in range(200)
    )
    yield "200 groups of 155 rules", many, many.replace("/1", "/2")
    escapes = "".join(
        f"Disallow: /%{n % 256:02x}%E2%82%{n % 64 + 128:02X}{n}\n" for n in range(15_000)
    )
    yield "escapes", escapes, escapes[: SIZE // 2]
    ends = "".join(f"Disallow: /*{LETTERS[n % 26]}{n}$\n" for n in range(25_000))
    yield "25,000 patterns with $", ends, ends[: SIZE // 2]
    nested = "".join(f"Disallow: /{'a' * n}\n" for n in range(980))
    yield "nested rules", nested, nested[: SIZE // 2]
    yield "124,000 comments", "# x\n" * 124_000, "# y\n" * 124_000
    yield from fields_of_groups()
    yield from lines_with_findings()


def fields_of_groups() -> Iterator[tuple[str, str, str]]:
    """Yield pairs of files whose fields, beside rules, take memory for each robot and dialect."""
    head = "User-agent: *\nDisallow: /a\n"
    uses = head + "".join(f"Content-Usage: /{n} train-ai=n\n" for n in range(15_500))
    yield "15,500 lines of Content-Usage", uses, uses.replace("=n", "=y")
    several = "".join(
        f"User-agent: b{word(n)}\nDisallow: /a\n"
        + "".join(f"Content-Usage: /{n}/{k} train-ai=n\n" for k in range(18))
        for n in range(800)
    )
    yield "800 groups with Content-Usage", several, several.replace("=n", "=y")
    comments = head + "".join(f"Comment: {n}\n" for n in range(32_000))
    yield "32,000 lines of Comment", comments, comments.replace("Comment: ", "Comment: x")


def lines_with_findings() -> Iterator[tuple[str, str, str]]:
    """Yield pairs of files of which lint has something to say in every line."""
    head = "User-agent: *\n"
    delays = "".join(f"User-agent: b{word(n)}\nCrawl-delay: {n % 9 + 1}\n" for n in range(15_600))
    yield "15,600 names, each with a delay", delays, delays.replace("delay: 1", "delay: 2")
    alike = "".join(f"User-agent: b{word(n)}\nDisallow: /a\n" for n in range(14_000))
    alike = f"{head}Disallow: /a\n{alike}"
    yield "14,000 groups like that for *", alike, alike.replace("bz", "cz")
    for name, line in (
        ("17,000 rules on style sheets", "Disallow: /assets{0}/*.css\n"),
        ("38,000 repeats", "Disallow: /a\n"),
        ("45,000 spaces before a colon", "Allow : /a\n"),
        ("38,000 misspelt fields", "Disalow: /a\n"),
        ("11,000 comments that ignore nothing", "Disallow: /{0} # goodbot: ignore=x{0}\n"),
    ):
        lines = "".join(map(line.format, range(int(name.split()[0].replace(",", "")))))
        yield name, f"{head}{lines}", f"{head}{lines}Disallow: /z\n"


def pairs() -> Iterator[tuple[str, bytes, bytes]]:
    """Yield every pair."""
    for name, before, after in hostile_files():
        yield name, f"User-agent: *\n{before}".encode(), f"User-agent: *\n{after}".encode()
    for name, before, after in own_files():
        yield name, before.encode(), after.encode()


def fresh(verb: str, number: int) -> tuple[float, float]:
    """Do the work on one pair in a new process; return its seconds and the growth of its memory.

    A copy of this process would have its free memory at hand, and show less growth than there is.
    What takes long is done three times, and the median counts.
    """
    command = [sys.executable, PROGRAM, verb, str(number)]
    found: list[tuple[float, float]] = []
    while len(found) < TIMES:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603  ours
        found.append(tuple(json.loads(done.stdout)))
        if found[0][0] < SHORT:
            break
    return statistics.median(one[0] for one in found), max(one[1] for one in found)


def work_on(verb: str, number: int) -> tuple[float, float]:
    """Do the work on one pair in this process, once it has done as much on a small one."""
    verbs: dict[str, Callable[[bytes, bytes], object]] = {
        "lint": lambda before, _: lint(before),
        "diff": lambda before, after: compare_files(RobotsTxt(before), RobotsTxt(after)),
        "simplify": lambda before, _: simplify(before),
    }
    verbs[verb](b"User-agent: *\nDisallow: /a*b\nDisallow: /a*b/c\n", b"")
    _, before, after = next(islice(pairs(), number, None))
    gc.collect()
    kept = process_memory.status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    seconds = clock.cpu_time(lambda: verbs[verb](before, after))
    return seconds, max(0, process_memory.status("VmHWM") - kept)


def measure(most: int | None = None) -> list[Row]:
    """Measure every pair, or the first ones of them."""
    names = [name for name, _, _ in pairs()][:most]
    return [
        Row(name, fresh("lint", number), fresh("diff", number), fresh("simplify", number))
        for number, name in enumerate(names)
    ]


def section(rows: Sequence[Row]) -> str:
    """Return the results as Markdown."""
    head = ("hostile file", "lint ms", "MB", "diff ms", "MB", "simplify ms", "MB")
    cells = [
        (row.case, *(cell for one in (row.lint, row.diff, row.simplify) for cell in written(*one)))
        for row in rows
    ]
    return table(head, cells)


def written(seconds: float, memory: float) -> tuple[str, str]:
    """Return a time and an amount of memory as texts."""
    return f"{seconds * MILLISECONDS:.0f}", f"{memory / MIBIBYTE:.0f}"


def targets(rows: Sequence[Row]) -> list[Target]:
    """Return every target, with the measured value."""
    found = []
    for verb, most in MOST_MILLISECONDS.items():
        figures = [getattr(row, verb) for row in rows]
        slowest, largest = (max(one[place] for one in figures) for place in (0, 1))
        found.append(at_most(f"{verb} of a hostile file", slowest * MILLISECONDS, most, " ms"))
        found.append(at_most(f"memory for {verb} of it", largest / MIBIBYTE, 64, " MB"))
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(work_on(sys.argv[1], int(sys.argv[2]))))
    else:
        print(section(measure()))
