"""A lock on an open file that is tried twice: who finds out whether it is held holds it, too.

Scope: one attempt. Whose the lock is, and what is said if another process holds it, the caller
decides.
"""

import errno
import time

from goodbot.files.filesystem import HERE

__all__ = ["HELD", "lock_file"]

HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
"""Why a lock is refused that another process holds: POSIX, and Windows."""
PROBED = 0.05
"""Seconds after which a lock is tried again: who finds out who has it holds it for an instant."""


def lock_file(descriptor: int) -> None:
    """Lock an open file for this process, until it is closed.

    Raises:
        OSError: Another process holds the lock; see `HELD`.

    """
    try:
        HERE.lock(descriptor)
    except OSError:
        time.sleep(PROBED)
        HERE.lock(descriptor)
