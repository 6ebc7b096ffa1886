"""A process that writes to an archive, and ends at a line of the code: as if it were killed there.

Run it with a folder, what to do, and at which line event to end; 0: at none, and the number of
events is printed.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.support.archived_crawls import LAMP, Crawl, answer

KILLED = 9
OURS = "goodbot/crawl/".replace("/", os.sep)


def keep(crawl: Crawl) -> None:
    """Keep some pages, one change for each; the third replaces the first."""
    for number in (30, 31, 0, 32):
        crawl.keep(answer(f"<p>killed-{number}-", f"{LAMP}/{number}"))


def compact(crawl: Crawl) -> None:
    """Compact."""
    crawl.archive.compact()


DEEDS: dict[str, Callable[[Crawl], None]] = {"keep": keep, "compact": compact}


def main() -> None:
    """Do it."""
    folder, deed, at = sys.argv[1:]
    crawl = Crawl(Path(folder), most_bytes=3_000)
    left = [int(at)]

    def trace(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401 - as sys.settrace has it
        if OURS not in frame.f_code.co_filename:
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os._exit(KILLED)
        return trace

    sys.settrace(trace)
    DEEDS[deed](crawl)
    sys.settrace(None)
    print(-left[0])  # noqa: T201 - that is what it is asked for


if __name__ == "__main__":
    main()
