"""A process that crawls, to be killed at some moment; it goes on with what is in the folder.

Run it with a folder and the URLs with which to begin. A line tells when it begins; one at the end
why it ended.
"""

import asyncio
import sys

from goodbot.crawl import Crawl
from goodbot.pace import Manners
from tests.support.memory_crawls import ME

MANNERS = Manners(floor=0.02, default=0.02, factor=0.0, back_off_first=0.05)


async def main() -> None:
    """Crawl."""
    folder, *start = sys.argv[1:]
    crawl = Crawl(
        folder, "ExampleBot/1.0", **ME, start=start, manners=MANNERS, allow_private=True, workers=4
    )
    print("begins", flush=True)  # noqa: T201  who kills it waits for that
    summary = await crawl.run()
    print(summary.ended, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
