"""`goodbot crawl --alert COMMAND`: run a program when the operator should look at a site.

Scope: how and how often the program is run. `goodbot.crawl.run.alerts` decides what is worth an
alert.
"""

import asyncio
import json
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from subprocess import DEVNULL, PIPE
from typing import Any

from goodbot.crawl.run.events import SiteAlert
from goodbot.errors import MisuseError

__all__ = ["AlertCommand", "command_of"]

MOST_ALERTS = 100
"""The most alerts that are passed to one run; others are counted."""
EVERY = 60.0
"""The least seconds between two runs of the program. Alerts in between are passed together; at the
end of the crawl, the program is run at once."""
SECONDS = 30.0
"""How long the program may take before it is killed."""


def command_of(text: str) -> list[str]:
    """Split a command into words, without a shell.

    Raises:
        MisuseError: The program does not exist, or the quotes do not match.

    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        message = f"--alert {text!r} cannot be parsed ({error}); quote it as for a shell"
        raise MisuseError(message) from error
    if not words or shutil.which(words[0]) is None:
        message = (
            f"--alert {text!r} does not name a program that can be run; write a program with its "
            "arguments (it runs without a shell)"
        )
        raise MisuseError(message)
    return words


class AlertCommand:
    """Passes alerts to a program, as JSON on its standard input; for `async with`.

    No text of a site is in the arguments or the environment of the program, and its output is
    discarded. The JSON is ASCII, so it contains no character that controls a terminal.

    Args:
        command: The program with its arguments.
        about: What the JSON contains beside the alerts: folder and robot.
        note: Called with a message if the program fails.
        every: The least seconds between two runs.

    """

    def __init__(
        self,
        command: Sequence[str],
        about: dict[str, Any],
        note: Callable[[str], None],
        every: float = EVERY,
    ) -> None:
        """Start without alerts."""
        self._command, self._about, self._note, self._every = command, about, note, every
        self._alerts: list[SiteAlert] = []
        self._more = 0
        self._is_over = asyncio.Event()
        self._has_some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def hear(self, event: object) -> None:
        """Keep an alert until the program is run; ignore other events."""
        if not isinstance(event, SiteAlert):
            return
        if len(self._alerts) < MOST_ALERTS:
            self._alerts.append(event)
        else:
            self._more += 1
        self._has_some.set()

    async def __aenter__(self) -> "AlertCommand":  # noqa: PYI034  Self is of Python 3.11
        """Start to wait for alerts."""
        self._task = asyncio.ensure_future(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Pass on the remaining alerts."""
        self._is_over.set()
        self._has_some.set()
        if self._task is not None:
            await self._task

    async def _work(self) -> None:
        """Run the program when there are alerts, but not too often."""
        while not self._is_over.is_set():
            await self._has_some.wait()
            self._has_some.clear()
            if self._alerts:
                await self._run()
                with suppress(TimeoutError, asyncio.TimeoutError):
                    await asyncio.wait_for(self._is_over.wait(), self._every)
        if self._alerts:
            await self._run()

    async def _run(self) -> None:
        """Run the program once with all waiting alerts."""
        alerts, self._alerts, more, self._more = self._alerts, [], self._more, 0
        text = json.dumps({**self._about, "alerts": list(map(plain, alerts)), "not_listed": more})
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
            )
        except OSError as error:
            self._note(
                f"--alert: {self._command[0]} cannot be run ({os.strerror(error.errno or 0)})"
            )
            return
        try:
            await asyncio.wait_for(process.communicate(text.encode() + b"\n"), SECONDS)
        except (TimeoutError, asyncio.TimeoutError):
            process.kill()
            await process.wait()
            self._note(f"--alert: {self._command[0]} was killed after {SECONDS:g} seconds")
            return
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode:
            self._note(f"--alert: {self._command[0]} exited with status {process.returncode}")


def plain(alert: SiteAlert) -> dict[str, str]:
    """Return an alert as plain values, for JSON."""
    return {
        "origin": alert.origin,
        "at": alert.at.isoformat(),
        "kind": alert.kind,
        "text": alert.text,
    }
