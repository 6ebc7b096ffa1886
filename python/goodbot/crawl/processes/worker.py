"""A process of a crawl: it reads messages from its standard input, and answers on its output.

Scope: the pipes and signals of the process. `part_crawl` crawls.
"""

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import BinaryIO

import aiohttp  # noqa: F401  needed in any case, and loaded before the crawl begins

from goodbot.crawl.processes.messages import LENGTH, Begin, Message, packed, unpacked
from goodbot.crawl.processes.part_crawl import PartCrawl

__all__ = ["main"]

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def main() -> None:
    """Crawl as the face of the crawl says."""
    # Whatever is printed must not get between the messages.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    begin = received(sys.stdin.buffer)
    if isinstance(begin, Begin):
        asyncio.run(crawled(begin, sys.stdin.buffer, answers))
    # The thread that reads messages still waits for one, and has nothing to lose.
    os._exit(0)


async def crawled(begin: Begin, messages: BinaryIO, answers: BinaryIO) -> None:
    """Crawl, and obey messages and signals meanwhile."""
    loop = asyncio.get_running_loop()
    crawl = PartCrawl(begin, partial(send, answers))
    for name in SIGNALS:
        with suppress(AttributeError, NotImplementedError, RuntimeError):
            number = getattr(signal, name)
            loop.add_signal_handler(number, partial(crawl.stop_once, "stopped", "system"))

    def read() -> None:
        with suppress(RuntimeError):  # the crawl has ended meanwhile, and its loop is closed
            while (message := received(messages)) is not None:
                loop.call_soon_threadsafe(crawl.obey, message)
            # The face is gone, for which this process must not wait.
            loop.call_soon_threadsafe(crawl.stop_once, "stopped", "face")

    threading.Thread(target=read, daemon=True).start()
    await crawl.work()


def received(messages: BinaryIO) -> Message | None:
    """Read a message; `None` if there will be none."""
    size = messages.read(LENGTH)
    if len(size) < LENGTH:
        return None
    content = messages.read(int.from_bytes(size, "big"))
    return unpacked(content)


def send(answers: BinaryIO, message: Message) -> None:
    """Send a message; if the face is gone, nobody needs it."""
    rest = memoryview(packed(message))
    with suppress(OSError):
        while rest:
            rest = rest[answers.write(rest) :]
