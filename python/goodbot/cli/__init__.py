"""The command line: one verb, one file.

`main` is what the console script and `python -m goodbot` call. Nothing else here is public.
"""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program on the arguments of this process, and leave with its exit status."""
    try:
        # Here, so that Ctrl-C while it loads ends as quietly as later.
        from goodbot.cli.program import run  # noqa: PLC0415  see the line above

        status: int = run()
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
