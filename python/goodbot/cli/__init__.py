"""The command line: one file per verb.

The console script and `python -m goodbot` call `main`. Nothing else here is public.
"""

import gc
import sys
from typing import NoReturn

__all__ = ["main"]

NEW_OBJECTS = 60_000
"""How many more objects there are when the collector looks for garbage among the new ones."""


def main() -> NoReturn:
    """Run the program on the arguments of this process, and exit with its exit status."""
    # A verb that takes a tenth of a second makes modules and rows, and little garbage: to look for
    # it would take a tenth of that time.
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    try:
        # Imported here, so that Ctrl-C ends the program quietly while it is still loading.
        from goodbot.cli.program import run  # noqa: PLC0415  see the line above

        status: int = run()
    except KeyboardInterrupt:
        status = 130
    # After Ctrl-C, `python -m` would end by the signal and not by this status, if the interrupt
    # came while a string was executed, as `dataclasses` and `namedtuple` do: CPython remembers
    # that (`run_eval_code_obj` in pythonrun.c), and forgets it when the next string is executed.
    exec("")  # noqa: S102  it does nothing else
    # What is left is freed by the system: the collector need not look at it once more.
    gc.freeze()
    sys.exit(status)
