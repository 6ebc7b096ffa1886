"""Many URLs at once: `Rules.allows_many` on an Arrow column and on a list."""

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import clock
import corpus
import goodbot
from corpus import ROBOT, Sample
from drawing import Target, at_least

URLS = 1_000_000
CHECKED = 10_000
LEAST_RULES = 5


ABSENT = "Columns are not measured: pyarrow is not installed."
ARROW = "Arrow strings"
MEDIAN, LARGEST = "median file", "largest file"


def available() -> bool:
    """Whether pyarrow, which makes Arrow columns, is installed."""
    return importlib.util.find_spec("pyarrow") is not None


@dataclass(frozen=True)
class Column:
    """One kind of column, checked with the rules of one file."""

    file: str
    rules: int
    container: str
    threads: int
    seconds: float
    cpu_seconds: float
    urls: int
    equal: bool
    """Whether the answers are those of `allows`."""

    @property
    def millions(self) -> float:
        """Millions of URLs per second."""
        return self.urls / self.seconds / 1e6


def measure(
    samples: Sequence[Sample], cpus: Sequence[int], repeats: int, urls: int = URLS
) -> list[Column]:
    """Time the median file and the largest one; two threads by the wall clock, on two CPUs."""
    rows = []
    for label, sample in chosen(samples).items():
        rules = goodbot.RobotsTxt(sample.content).rules_for(ROBOT)
        addresses = corpus.long_urls(urls, sample.host, sample.content)
        expected = [rules.allows(url) for url in addresses[:CHECKED]]
        array = _array(addresses)
        for container, column in ((ARROW, array), ("list of str", addresses)):
            for threads in (1, 2):
                if len(cpus) < threads or (threads > 1 and container != ARROW):
                    continue
                clock.pin(threads, cpus)
                seconds, cpu_seconds = _seconds(rules, column, threads, repeats)
                clock.pin(1, cpus)
                answers = [
                    bool(answer)
                    for answer in _list(rules.allows_many(column, threads=threads)[:CHECKED])
                ]
                rows.append(
                    Column(
                        label,
                        len(rules),
                        container,
                        threads,
                        seconds,
                        cpu_seconds,
                        urls,
                        answers == expected,
                    )
                )
    return rows


def chosen(samples: Sequence[Sample]) -> dict[str, Sample]:
    """Return the file with the most rules, and the median of those that have any."""
    counted = sorted(
        (
            (len(goodbot.RobotsTxt(sample.content).rules_for(ROBOT)), sample.host, sample)
            for sample in samples
        ),
        key=lambda row: row[:2],
    )
    some = [row for row in counted if row[0] >= LEAST_RULES] or counted
    return {MEDIAN: some[len(some) // 2][2], LARGEST: some[-1][2]}


def _seconds(
    rules: goodbot.Rules,
    column: Any,  # noqa: ANN401 -- any column
    threads: int,
    repeats: int,
) -> tuple[float, float]:
    """Return the time that counts, and the CPU time of all threads together."""

    def work() -> object:
        return rules.allows_many(column, threads=threads)

    work()
    cpu_seconds = clock.median([clock.cpu_time(work) for _ in range(repeats)])
    if threads == 1:
        return cpu_seconds, cpu_seconds
    return clock.median([clock.wall_time(work) for _ in range(repeats)]), cpu_seconds


def _array(addresses: list[str]) -> Any:  # noqa: ANN401 -- pyarrow's array
    return importlib.import_module("pyarrow").array(addresses)


def _list(answers: Any) -> list[object]:  # noqa: ANN401 -- a list, or an Arrow array
    return list(answers) if isinstance(answers, list) else list(answers.to_pylist())


def targets(rows: Sequence[Column]) -> list[Target]:
    """Return every target, with the measured value."""
    arrow = {(row.file, row.threads): row for row in rows if row.container == ARROW}
    found = []
    for file, least in ((MEDIAN, 15), (LARGEST, 9)):
        if (file, 1) in arrow:
            one = arrow[file, 1].millions
            found.append(at_least(f"allows_many, one core, {file}", one, least, " M URLs/s"))
        if (file, 2) in arrow:
            gain = arrow[file, 2].millions / arrow[file, 1].millions
            what = f"allows_many, two threads against one, {file}"
            found.append(at_least(what, gain, 1.7, " times"))
    return found
