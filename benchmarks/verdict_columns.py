"""Verdicts as of over columns, against the same verdicts one at a time.

Each origin has a robots.txt file of its own, and some a second one from noon on. The URLs come
sorted by origin and in no order. `make bench-large` measures the same from Parquet to Parquet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

import clock
import corpus
import goodbot
from corpus import ROBOT, Sample
from drawing import Target, at_least, table

ORIGINS = 1_000
URLS = 300_000
CHECKED = 10_000
"""The rows that are decided one at a time, and compared."""
TWO_FILES = 10
"""Of every ten origins one changed its file."""
ORDERS = ("sorted by origin", "in no order")
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
NOON = START + timedelta(hours=12)
LEAST_TIMES = 5.0

Row = tuple[str, datetime]
Histories = dict[str, list[tuple[datetime, bytes]]]


@dataclass(frozen=True)
class Verdicts:
    """The URLs of one order, decided."""

    order: str
    seconds: float
    """CPU seconds of a URL."""
    seconds_alone: float
    """The same one at a time, with rules that are kept."""
    equal: bool

    @property
    def times(self) -> float:
        """How many times as fast the columns are."""
        return self.seconds_alone / self.seconds


def measure(samples: Sequence[Sample], repeats: int, urls: int = URLS) -> list[Verdicts]:
    """Time both orders; pyarrow is needed."""
    known = histories(samples, min(ORIGINS, urls))
    rows = rows_of(known, urls)
    shuffled = list(rows)
    corpus.generator("no order").shuffle(shuffled)
    policies = policies_of(known)
    orders = zip(ORDERS, (rows, shuffled), strict=True)
    return [decided(order, some, policies, known, repeats) for order, some in orders]


def histories(samples: Sequence[Sample], origins: int) -> Histories:
    """Return the files of origins by name: the time from which each held, and its content."""
    known: Histories = {}
    for number in range(origins):
        content = samples[number % len(samples)].content + b"\n# %d\n" % number
        files = [(START, content)]
        if number % TWO_FILES == 0:
            files.append((NOON, samples[(number + 1) % len(samples)].content))
        known[f"https://www.site-{number:05}.example"] = files
    return known


def rows_of(known: Histories, urls: int) -> list[Row]:
    """Return URLs sorted by origin, each with a time of the day."""
    numbers = corpus.generator("verdicts on columns")
    names = list(known)
    return [
        (
            names[row * len(names) // urls] + corpus.generic_path(numbers),
            START + timedelta(seconds=numbers.randrange(86_400)),
        )
        for row in range(urls)
    ]


def policies_of(known: Histories) -> Any:  # noqa: ANN401  a table of pyarrow
    """Return the table of policies."""
    import pyarrow as pa  # noqa: PLC0415  columns are measured only where it is installed

    rows = [(name, start, content) for name, files in known.items() for start, content in files]
    names, starts, bodies = zip(*rows, strict=True)
    return pa.table(
        {
            "origin": names,
            "valid_from": starts,
            "valid_until": [START + timedelta(days=2)] * len(rows),
            "access": ["rules"] * len(rows),
            "reason": ["found"] * len(rows),
            "stale": [False] * len(rows),
            "body": pa.array(bodies, pa.binary()),
        }
    )


def decided(
    order: str,
    rows: Sequence[Row],
    policies: Any,  # noqa: ANN401  a table of pyarrow
    known: Histories,
    repeats: int,
) -> Verdicts:
    """Time the rows of one order, and compare the first of them."""
    import pyarrow as pa  # noqa: PLC0415  columns are measured only where it is installed

    from goodbot.tables.columns import PolicyTable, allows  # noqa: PLC0415  as above

    opened = PolicyTable(policies)
    urls, times = (pa.array(column) for column in zip(*rows, strict=True))

    def work() -> Any:  # noqa: ANN401  a column of Arrow
        return allows(urls, opened, ROBOT, times, threads=1)

    found = work().tolist()
    alone = one_at_a_time(rows[:CHECKED], known)
    seconds = clock.median([clock.cpu_time(work) for _ in range(repeats)]) / len(rows)
    seconds_alone = clock.median([clock.cpu_time(alone) for _ in range(repeats)])
    some = min(CHECKED, len(rows))
    return Verdicts(order, seconds, seconds_alone / some, found[:some] == alone())


def one_at_a_time(rows: Sequence[Row], known: Histories) -> Callable[[], list[bool]]:
    """Return what decides the rows one after the other, by rules that it keeps."""
    kept: dict[bytes, goodbot.Rules] = {}

    def rules_of(content: bytes) -> goodbot.Rules:
        if content not in kept:
            kept[content] = goodbot.RobotsTxt(content).rules_for(ROBOT)
        return kept[content]

    def decide() -> list[bool]:
        answers = []
        for url, at in rows:
            files = known[url[: url.index("/", len("https://"))]]
            content = [content for start, content in files if start <= at][-1]
            answers.append(rules_of(content).allows(url))
        return answers

    return decide


def targets(rows: Sequence[Verdicts]) -> list[Target]:
    """Return the targets, with the measured values."""
    return [
        at_least(
            f"verdicts on columns against one at a time, {row.order}",
            row.times,
            LEAST_TIMES,
            " times",
        )
        for row in rows
    ]


def wrong(rows: Sequence[Verdicts]) -> list[str]:
    """Return every order with unexpected answers, as a sentence."""
    return [f"verdicts on columns {row.order} differ" for row in rows if not row.equal]


def section(rows: Sequence[Verdicts]) -> str:
    """Return the part of the report."""
    head = ("URLs", "M URLs/s", "one at a time", "times", "answers")
    cells = [
        (
            row.order,
            f"{1e-6 / row.seconds:.2f}",
            f"{1e-6 / row.seconds_alone:.2f}",
            f"{row.times:.1f}",
            "equal" if row.equal else "WRONG",
        )
        for row in rows
    ]
    called = (
        f"`goodbot.tables.columns.allows` with times, one thread: {URLS:,} URLs of {ORIGINS:,}\n"
        "origins, "
        "whose rules are compiled already. One at a time, a program in Python looks up the file\n"
        "of the origin and asks its rules, which it keeps."
    )
    return f"{table(head, cells)}\n{called}\n"
