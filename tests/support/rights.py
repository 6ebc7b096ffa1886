"""A process that gives up root's right to read and write everything."""

import ctypes
import os
import sys

NOBODY = 65534
CAPABILITIES_3 = 0x20080522
"""The third version of the structures that capset(2) reads: `_LINUX_CAPABILITY_VERSION_3`."""


def give_up_root() -> None:
    """Make the permissions of files hold for this process, for good, as they do for other users.

    On Linux it stays the same user without capabilities: the package may be in a folder that only
    root may enter, and its modules are read when they are needed. Elsewhere it becomes `nobody`.
    """
    if os.geteuid() != 0:
        return
    if sys.platform == "linux":
        header = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0)
        none = (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None, use_errno=True).capset(header, none):
            raise OSError(ctypes.get_errno(), "capset")
    else:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
