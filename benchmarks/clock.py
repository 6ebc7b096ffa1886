"""How time is taken: CPU time of this process, on one CPU, without the garbage collector."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence


def cpus() -> list[int]:
    """Tell which CPUs this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def pin(count: int, among: Sequence[int]) -> None:
    """Stay on so many of these CPUs, the last ones; child processes stay there too."""
    if among:
        os.sched_setaffinity(0, among[-count:])


def cpu_time(work: Callable[[], object]) -> float:
    """Seconds of CPU time that a piece of work takes, all threads together."""
    return _timed(work, time.process_time_ns)


def wall_time(work: Callable[[], object]) -> float:
    """Seconds that pass while a piece of work is done."""
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
    """Take the median, or not-a-number where nothing was timed."""
    return statistics.median(times) if times else float("nan")
