"""What the system states about the memory of this process; it imports next to nothing."""

from pathlib import Path


def status(name: str) -> int:
    """Octets that the system states about this process: `VmRSS` now, `VmHWM` at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    message = f"the system does not state {name}"
    raise OSError(message)
