"""A process that crawls, for tests that kill it; it continues the crawl that is in the folder.

Run it with a folder and the start URLs. It prints a line when it begins, and at the end a line with
the reason why the crawl ended.
"""

import asyncio
import sys

from goodbot.crawl import Crawl
from goodbot.pace import Manners
from tests.support.crawls.memory_crawls import ME

MANNERS = Manners(floor=0.02, default=0.02, factor=0.0, back_off_first=0.05)


async def main() -> None:
    """Run the crawl."""
    folder, *start = sys.argv[1:]
    crawl = Crawl(
        folder, "ExampleBot/1.0", **ME, start=start, manners=MANNERS, allow_private=True, workers=4
    )
    print("begins", flush=True)  # noqa: T201  the test waits for this before it kills the process
    summary = await crawl.run()
    print(summary.ended, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
