"""Read the memory of a process from the system; it imports next to nothing.

    python benchmarks/process_memory.py USAGE WORDS…

runs a command, and writes what it used to a file. The system counts the memory of the process that
starts a command as the command's, so that it must be a small one.
"""

import os
import sys
from pathlib import Path


def status(name: str) -> int:
    """Return the memory of this process in bytes: `VmRSS` now, `VmHWM` at its peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    message = f"the system does not state {name}"
    raise OSError(message)


def run(usage: str, words: list[str]) -> int:
    """Run a command, and write its CPU seconds and its bytes of memory at the peak to a file."""
    started = os.spawnvp(os.P_NOWAIT, words[0], words)  # noqa: S606  the bench's own command
    _, ended, used = os.wait4(started, 0)
    Path(usage).write_text(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss * 1024}")
    return os.waitstatus_to_exitcode(ended)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
