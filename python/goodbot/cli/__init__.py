"""The command line: one file per verb.

The console script and `python -m goodbot` call `main`. Nothing else here is public.
"""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program on the arguments of this process, and exit with its exit status."""
    try:
        # Imported here, so that Ctrl-C ends the program quietly while it is still loading.
        from goodbot.cli.program import run  # noqa: PLC0415  see the line above

        status: int = run()
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
