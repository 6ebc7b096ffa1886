"""Measure time: CPU time of this process, on one CPU, without the garbage collector."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence


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


def median(times: Sequence[float]) -> float:
    """Return the median, or not-a-number if nothing was timed."""
    return statistics.median(times) if times else float("nan")
