"""Several workers of a fleet on one machine, each a process with a folder of its own.

Scope: starting them, passing on interruptions, and waiting. They share nothing but the database, as
workers on several machines do; one that fails leaves its sites to the others.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["WorkerProcesses"]


class WorkerProcesses:
    """The processes of some workers.

    Args:
        commands: The words of each after `goodbot`.

    """

    def __init__(self, commands: Sequence[Sequence[str]]) -> None:
        """Start nothing yet."""
        self._commands = commands
        self._running: list[asyncio.subprocess.Process] = []
        self._stops = 0

    async def run(self) -> list[int]:
        """Run all of them to their ends; return their exit statuses, negative for signals."""
        program = [sys.executable, "-m", "goodbot"]
        for words in self._commands:
            # In a session of its own, so that Ctrl-C reaches each only once, from here.
            one = await asyncio.create_subprocess_exec(*program, *words, start_new_session=True)
            self._running.append(one)
            if self._stops:
                self._send(one)
        return list(await asyncio.gather(*(one.wait() for one in self._running)))

    def stop(self) -> None:
        """End all of them in order; a second call cancels running requests."""
        self._stops += 1
        for one in self._running:
            self._send(one)

    @staticmethod
    def _send(process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError):  # it has ended
            process.send_signal(signal.SIGTERM)
