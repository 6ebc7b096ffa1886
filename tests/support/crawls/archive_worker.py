"""A process that writes to an archive and exits at a chosen line, as if it were killed there.

Run it with a folder, an action, and the number of the line event at which to exit. With 0 it runs
to the end and prints the number of events.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.support.crawls.archived_crawls import LAMP, Crawl, answer

KILLED = 9
OURS = "goodbot/crawl/".replace("/", os.sep)


def keep(crawl: Crawl) -> None:
    """Keep some pages, each in a change of its own; the third replaces the first."""
    for number in (30, 31, 0, 32):
        crawl.keep(answer(f"<p>killed-{number}-", f"{LAMP}/{number}"))


def compact(crawl: Crawl) -> None:
    """Compact the archive."""
    crawl.archive.compact()


DEEDS: dict[str, Callable[[Crawl], None]] = {"keep": keep, "compact": compact}


def main() -> None:
    """Run the action that the command line names."""
    folder, deed, at = sys.argv[1:]
    crawl = Crawl(Path(folder), most_bytes=3_000)
    left = [int(at)]

    def trace(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401  the signature that sys.settrace wants
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
    print(-left[0])  # noqa: T201  the test reads this


if __name__ == "__main__":
    main()
