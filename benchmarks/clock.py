"""Measure time: CPU time of this process, on one CPU, without the garbage collector."""

import gc
import hashlib
import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence

ROUNDS = 5
HASHED = b"x" * (1 << 20)
SPELL = 0.3
"""The seconds for which threads hash."""


def cpus() -> list[int]:
    """Return the CPUs that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def pin(count: int, among: Sequence[int]) -> None:
    """Restrict this process and its children to the last CPUs of a list."""
    if among:
        os.sched_setaffinity(0, among[-count:])


def cpu_time(work: Callable[[], object]) -> float:
    """Return the seconds of CPU time that a piece of work takes, in all threads together."""
    return _timed(work, time.process_time_ns)


def wall_time(work: Callable[[], object]) -> float:
    """Return the seconds that pass during a piece of work."""
    return _timed(work, time.perf_counter_ns)


def _timed(work: Callable[[], object], clock: Callable[[], int]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = clock()
        work()
        return (clock() - start) / 1e9
    finally:
        gc.enable()


def gain_of_cores() -> float:
    """Return how much more two threads hash than one: what two cores are worth here and now.

    What shares a machine with others may have less than two, and for some work more than for other.
    """
    return median([_hashed(2) / _hashed(1) for _ in range(ROUNDS)])


def _hashed(threads: int) -> int:
    """Return how much several threads hash, which does not hold the interpreter."""
    counts: list[int] = []
    end = time.perf_counter() + SPELL

    def work() -> None:
        count = 0
        while time.perf_counter() < end:
            hashlib.sha256(HASHED).digest()
            count += 1
        counts.append(count)

    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(counts)


def median(times: Sequence[float]) -> float:
    """Return the median, or not-a-number if nothing was timed."""
    return statistics.median(times) if times else float("nan")
