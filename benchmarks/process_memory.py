"""Read the memory of this process from the system; it imports next to nothing."""

from pathlib import Path


def status(name: str) -> int:
    """Return the memory of this process in bytes: `VmRSS` now, `VmHWM` at its peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    message = f"the system does not state {name}"
    raise OSError(message)
