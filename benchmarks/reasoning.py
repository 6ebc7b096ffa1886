"""Compare the rules of each file with a changed copy and with those of the next file.

Every path that is named as a difference is decided by both sets of rules themselves. Hostile files
are compared too; what cannot be decided within the bounds must say so, and soon.

python benchmarks/reasoning.py [--files N]   print the results
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import clock
import corpus
import goodbot
import process_memory
from corpus import ROBOT, generator
from drawing import Target, at_least, at_most
from goodbot._core import differing_paths
from goodbot.site.reasoning import MOST_STATES
from goodbot.site.reasoning.difference import url_of
from mutation import mutant

PROGRAM = str(Path(__file__).resolve())
ALL, FIRST = 0, 1
PERCENTILES = (0.5, 0.9, 0.99, 1.0)
SIZE = 499_000
MILLISECONDS = 1_000
MIBIBYTE = 1 << 20


@dataclass
class Job:
    """The comparisons of one kind."""

    name: str
    times: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    undecided: int = 0
    examples: int = 0
    wrong: list[str] = field(default_factory=list)

    def compare(self, name: str, sides: tuple[goodbot.Rules, goodbot.Rules], most: int) -> None:
        """Compare two sets of rules, and check every example."""
        found: list[tuple[list[str], bool, int]] = []
        work = clock.cpu_time
        self.times.append(work(lambda: found.append(differing_paths(*sides, most, MOST_STATES))))
        paths, is_complete, steps = found[0]
        self.steps.append(steps)
        self.undecided += not is_complete
        self.examples += len(paths)
        urls = [url_of(path) for path in paths]
        answers = zip(paths, *(side.allows_many(urls) for side in sides), strict=True)
        self.wrong += [f"{name}: {path}" for path, one, other in answers if one == other]

    def percentile(self, share: float) -> float:
        """Return a percentile of the times, in milliseconds."""
        times = sorted(self.times)
        return times[int((len(times) - 1) * share)] * MILLISECONDS

    @property
    def decided(self) -> float:
        """The share of comparisons that were decided, in percent."""
        return 100 * (1 - self.undecided / len(self.times))

    def row(self) -> str:
        """Return the results as a row of a table."""
        times = " | ".join(f"{self.percentile(share):.2f}" for share in PERCENTILES)
        return (
            f"| {self.name} | {len(self.times)} | {self.decided:.2f} % | {times} "
            f"| {max(self.steps)} | {self.examples} | {len(self.wrong)} |"
        )


def rules(content: bytes) -> goodbot.Rules:
    """Return the rules of a robot that no file names."""
    return goodbot.RobotsTxt(content).rules_for(ROBOT)


def real(samples: Sequence[corpus.Sample]) -> list[Job]:
    """Compare the files of the corpus."""
    jobs = [
        Job("same as a changed copy?"),
        Job("all differences from a changed copy"),
        Job("same as the next file?"),
        Job("all differences from the next file"),
    ]
    chance = generator("reasoning")
    files = [(one.host, one.content, rules(one.content)) for one in samples]
    files = [file for file in files if len(file[2])]
    for (host, content, own), (_, _, other) in zip(files, files[1:] + files[:1], strict=True):
        changed = mutant(content, chance)
        if changed is not None:
            jobs[0].compare(host, (own, rules(changed)), FIRST)
            jobs[1].compare(host, (own, rules(changed)), ALL)
        jobs[2].compare(host, (own, other), FIRST)
        jobs[3].compare(host, (own, other), ALL)
    return jobs


def hostile_files() -> Iterator[tuple[str, str, str]]:
    """Yield pairs of files that make the most of a search."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    stars = "".join(
        f"{'Dis' * (number % 2)}allow: /*a{'xy' * (number % 7 + 1)}b*a{'ab' * (number % 5)}\n"
        for number in range(32)
    )
    short = "".join(
        f"{'Dis' * (number % 2)}allow: /*{letters[number * 7 % 26]}*{letters[number * 3 % 26]}q\n"
        for number in range(32)
    )
    many = "".join(f"Disallow: /p{number * 7919 % 100_003}\n" for number in range(20_000))
    half = "".join(
        f"Disallow: /{'*' * (number % 2)}p{number * 7919 % 100_003}\n" for number in range(20_000)
    )
    groups = "".join(
        f"User-agent: *\nAllow: /*{number}*a\nDisallow: /{number}\n" for number in range(9_000)
    )
    ordered = "".join(f"Disallow: /*{one}*{one.upper()}{'*' * 60}z\n" for one in letters[:17])
    ordered += f"Allow: /*{'*'.join(letters[:17])}**z\n"
    ordered += f"Disallow: /*{'*'.join(letters[:17].upper())}*z\n"
    one_more = "Disallow: /*ax*by*\n"
    yield "32 rules of two stars", stars, stars + one_more
    yield "32 rules of two stars and single letters", short, short + one_more
    yield "rules that order letters", ordered, ordered.replace("**z", "***y")
    yield "20,000 rules", many, many + one_more
    yield "20,000 rules, half of them with stars", half, half[: len(half) // 2]
    yield "9,000 groups of two rules", groups, groups + one_more
    yield "a literal of 499 KB", f"Disallow: /{'a' * SIZE}\n", f"Disallow: /{'a' * (SIZE - 1)}\n"
    yield (
        "a literal of 499 KB behind a star",
        f"Disallow: /*{'ab' * (SIZE // 2)}\n",
        f"Disallow: /*{'ab' * (SIZE // 2)}b\n",
    )
    yield (
        "250,000 stars",
        f"Disallow: /{'*a' * (SIZE // 2)}b\n",
        f"Disallow: /{'*a' * (SIZE // 2)}c\n",
    )


def hostile() -> Iterator[tuple[str, Job, int]]:
    """Yield each hostile pair with its comparisons, and by how much the memory grew at most.

    Each is compared in a new process, since this one would have free memory at hand.
    """
    for number, (name, *_) in enumerate(hostile_files()):
        command = [sys.executable, PROGRAM, "--hostile", str(number)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603  ours
        memory, job = json.loads(done.stdout)
        yield name, Job(**job), memory


def one_hostile(number: int) -> tuple[int, Job]:
    """Compare one hostile pair in this process; return the growth of its memory too."""
    name, *texts = next(islice(hostile_files(), number, None))
    before, after = (rules(f"User-agent: *\n{text}".encode()) for text in texts)
    job = Job(name)
    kept = process_memory.status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    for most in (FIRST, ALL):
        job.compare(name, (before, after), most)
    return max(0, process_memory.status("VmHWM") - kept), job


@dataclass(frozen=True)
class Comparisons:
    """The comparisons of real files, and of hostile ones with their memory."""

    real: Sequence[Job]
    hostile: Sequence[tuple[str, Job, int]]

    @property
    def wrong(self) -> list[str]:
        """The examples that the rules do not confirm."""
        jobs = [*self.real, *(job for _, job, _ in self.hostile)]
        return [f"comparing rules: {one}" for job in jobs for one in job.wrong]


def measure(samples: Sequence[corpus.Sample]) -> Comparisons:
    """Compare the files of the corpus, and hostile ones."""
    return Comparisons(real(samples), list(hostile()))


def section(found: Comparisons) -> str:
    """Return the results as Markdown."""
    head = "| comparison | number | decided | p50 ms | p90 | p99 | most | most steps "
    rows = [f"{head}| examples | wrong |", "|---|" + "---:|" * 9]
    rows += [job.row() for job in found.real]
    rows += [
        "",
        "| hostile | decided | same? ms | all ms | memory MB |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, job, memory in found.hostile:
        first, every = (f"{time * MILLISECONDS:.0f}" for time in job.times)
        said = f"{len(job.times) - job.undecided} of {len(job.times)}"
        rows.append(f"| {name} | {said} | {first} | {every} | {memory / MIBIBYTE:.0f} |")
    return "\n".join(rows) + "\n"


def targets(found: Comparisons) -> list[Target]:
    """Return every target, with the measured value."""
    same, copies, _, neighbours = found.real
    slowest = max(max(job.times) for _, job, _ in found.hostile)
    largest = max(memory for _, _, memory in found.hostile)
    return [
        at_least("comparing rules, same as a changed copy: decided", same.decided, 99, " %"),
        at_most("the same, p50", same.percentile(0.5), 1, " ms"),
        at_most("the same, p99", same.percentile(0.99), 250, " ms"),
        at_least("all differences from a changed copy: decided", copies.decided, 95, " %"),
        at_least("all differences from the next file: decided", neighbours.decided, 95, " %"),
        at_most("comparing hostile files", slowest * MILLISECONDS, 200, " ms"),
        at_most("memory for that", largest / MIBIBYTE, 64, " MB"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare the rules of many files.")
    parser.add_argument("--files", type=int, default=None)
    parser.add_argument("--hostile", type=int, default=None, help="compare one hostile pair only")
    options = parser.parse_args()
    if options.hostile is None:
        print(section(measure(corpus.load(options.files).samples)), end="")
    else:
        grown, found = one_hostile(options.hostile)
        print(json.dumps((grown, asdict(found))))
