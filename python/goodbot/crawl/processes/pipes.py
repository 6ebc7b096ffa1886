"""Processes that the face of a crawl starts, and the pipes between them.

Scope: starting a process, sending and receiving messages, and noticing that it is gone.

A process is an interpreter of its own that runs `worker`, in a session of its own (a process group
on Windows). So Ctrl-C and a terminal that goes away reach the face only, which then ends all
processes in order; and a process notices by the end of its standard input that the face is gone.
`multiprocessing` would run the caller's own main module again in each process, so that a script
without the usual guard would start itself.
"""

import asyncio
import subprocess
import sys
from contextlib import suppress
from typing import Protocol

from goodbot.crawl.processes.messages import LENGTH, Lost, Message, packed, unpacked

__all__ = ["PartPipe", "ProcessPipe"]

PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from goodbot.crawl.processes.worker import main; main()"
)
"""What a process runs: it finds the modules where this process found them."""

ENDING = 10.0
"""Seconds to wait for a process that has said its last word."""


class PartPipe(Protocol):
    """The connection to one process of a crawl."""

    def send(self, message: Message) -> None:
        """Send a message; to a process that is gone it is lost."""

    async def receive(self) -> Message:
        """Wait for the next message; `Lost` if the process is gone."""

    def kill(self) -> None:
        """End the process at once."""

    async def close(self) -> None:
        """Wait until the process has ended, and end it if it does not."""


class ProcessPipe:
    """The connection to a process that runs on this machine.

    Args:
        process: The process.

    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Store the process."""
        self._process = process

    @classmethod
    async def start(cls) -> "ProcessPipe":
        """Start a process.

        Raises:
            OSError: No process can be started.

        """
        apart = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            PROGRAM.format(path=sys.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **apart,  # type: ignore[arg-type]
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, message: Message) -> None:
        """Send a message; see `PartPipe.send`."""
        assert self._process.stdin is not None  # noqa: S101  a pipe
        with suppress(OSError, RuntimeError):
            self._process.stdin.write(packed(message))

    async def receive(self) -> Message:
        """Wait for the next message; see `PartPipe.receive`."""
        assert self._process.stdout is not None  # noqa: S101  a pipe
        reader = self._process.stdout
        try:
            size = int.from_bytes(await reader.readexactly(LENGTH), "big")
            return unpacked(await reader.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError):
            return Lost(await self._process.wait())

    def kill(self) -> None:
        """End the process; see `PartPipe.kill`."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> None:
        """Wait until the process has ended; see `PartPipe.close`."""
        assert self._process.stdin is not None  # noqa: S101  a pipe
        with suppress(OSError, RuntimeError):
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), ENDING)
        except (TimeoutError, asyncio.TimeoutError):
            self.kill()
            await self._process.wait()
