"""The jobs of every peer: parse, check, and both in the way a crawler does."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import clock
import goodbot
import reference
import rust_peer
from corpus import ROBOT, URLS_PER_FILE, Sample
from peers import Goodbot, Peer

Answers = list[str | None]
"""For each file a string of 0 and 1, one for each URL, or `None` if the library raised."""


@dataclass
class Row:
    """The results of one library. Times are CPU seconds for all files, one for each round."""

    name: str
    version: str
    call: str
    answers: Answers
    parse: list[float] = field(default_factory=list)
    select: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    @property
    def raised(self) -> int:
        """The number of files on which the library raised."""
        return sum(answers is None for answers in self.answers)


@dataclass
class Speed:
    """The results of all libraries, goodbot first."""

    rows: list[Row]
    files: int
    size: int
    decode: list[float]
    nothing: list[float]
    """The times of a call that only takes a text, on the same URLs."""
    reference_total: int
    reference_differences: list[str]
    pages: int
    """How many files are pages of HTML, whose answers are compared, but which are not timed: they
    would weigh more than half of the bytes."""

    def row(self, name: str) -> Row | None:
        """Find the row of a library, if it was measured."""
        return next((row for row in self.rows if row.name == name), None)

    def megabytes(self, times: Sequence[float]) -> float:
        """Return the megabytes per second."""
        return self.size / clock.median(times) / 1e6

    def check_nanoseconds(self, row: Row) -> float:
        """Return the nanoseconds for one check."""
        return clock.median(row.check) / (self.files * URLS_PER_FILE) * 1e9

    def nothing_nanoseconds(self) -> float:
        """Return the nanoseconds for a call that does next to nothing."""
        return clock.median(self.nothing) / (self.files * URLS_PER_FILE) * 1e9

    def whole_microseconds(self, row: Row) -> float:
        """Return the microseconds for one file, with its rules and its checks."""
        return clock.median(row.whole) / self.files * 1e6

    def equal(self, row: Row) -> tuple[int, int]:
        """Return how many answers equal goodbot's, and how many there are."""
        equal = given = 0
        for ours, theirs in zip(self.rows[0].answers, row.answers, strict=True):
            if ours is not None and theirs is not None:
                equal += sum(one == other for one, other in zip(ours, theirs, strict=True))
                given += len(theirs)
        return equal, given


def measure(samples: Sequence[Sample], peers: Sequence[Peer], repeats: int) -> Speed:
    """Compare all answers, then time each job in rounds, so that disturbances affect all alike."""
    program = rust_peer.program()
    every: list[Peer] = [Goodbot(), *peers]
    rows = [Row(peer.name, peer.version, peer.call, answers_of(peer, samples)) for peer in every]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples"
        if program is not None:
            rust_peer.write(samples, path)
            answers = rust_peer.ask(program, "answers", path)
            rows.append(Row(rust_peer.NAME, rust_peer.version(), rust_peer.CALL, answers))
        total, differences = against_reference(samples, rows[0].answers)
        # A library that raises on a file would have less work than the others.
        timed = [
            sample
            for sample, *answers in zip(samples, *(row.answers for row in rows), strict=True)
            if None not in answers and not sample.is_page
        ]
        size = sum(len(sample.content) for sample in timed)
        pages = sum(sample.is_page for sample in samples)
        speed = Speed(rows, len(timed), size, [], [], total, differences, pages)
        rust_peer.write(timed, path)
        for _ in range(repeats):
            for row, peer in zip(rows, every, strict=False):
                _round(row, peer, timed)
            speed.decode.append(
                clock.cpu_time(
                    lambda: [sample.content.decode("utf-8-sig", "replace") for sample in timed]
                )
            )
            speed.nothing.append(clock.cpu_time(lambda: _nothing(timed)))
            if program is not None:
                times = rust_peer.ask(program, "speed", path)
                for job in ("parse", "check", "whole"):
                    getattr(rows[-1], job).append(times[job] / 1e9)
    return speed


def _nothing(samples: Sequence[Sample]) -> None:
    take = goodbot._core._take_text  # type: ignore[attr-defined]  # noqa: SLF001 -- of development builds
    for sample in samples:
        for url in sample.urls:
            take(url)


def _round(row: Row, peer: Peer, samples: Sequence[Sample]) -> None:
    contents = peer.contents(samples)
    urls = [sample.urls for sample in samples]
    if peer.keeps:
        row.parse.append(clock.cpu_time(lambda: peer.parse(contents)))
    if isinstance(peer, Goodbot):
        row.select.append(clock.cpu_time(lambda: peer.parse_and_select(contents)))
    kept = [peer.keep(content) for content in contents]
    row.check.append(clock.cpu_time(lambda: peer.check(kept, urls)))
    if peer.keeps:
        row.whole.append(clock.cpu_time(lambda: peer.whole(contents, urls)))
    else:
        row.whole.append(row.check[-1])


def answers_of(peer: Peer, samples: Sequence[Sample]) -> Answers:
    """Get every answer of a library once; this also warms it up."""
    return [_answers(peer, sample) for sample in samples]


def _answers(peer: Peer, sample: Sample) -> str | None:
    try:
        kept = peer.keep(peer.content(sample))
        return "".join("01"[peer.answer(kept, url)] for url in sample.urls)
    except Exception:  # noqa: BLE001 -- a peer may raise anything; that it did is counted and reported
        return None


def against_reference(samples: Sequence[Sample], answers: Answers) -> tuple[int, list[str]]:
    """Return how many answers were compared with the reference, and each that differs."""
    total = 0
    differences = []
    for sample, ours in zip(samples, answers, strict=True):
        rules = reference.rules_for(sample.content, ROBOT)
        for number, url in enumerate(sample.urls):
            expected = "01"[reference.allows(rules, url)]
            total += 1
            if ours is None or ours[number] != expected:
                differences.append(
                    f"{url}: goodbot {ours[number] if ours else 'raised'}, reference {expected}"
                )
    return total, differences
