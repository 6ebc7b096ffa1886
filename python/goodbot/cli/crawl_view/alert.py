"""`goodbot crawl --alert COMMAND`: run a program when the operator should look at a site.

What may live here: how and how often the program is run. What is worth an alert is decided by
`goodbot.crawl.run.alerts`.
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
"""So many alerts are handed over at once; others are counted."""
EVERY = 60.0
"""Seconds between two runs of the program, at least; what comes meanwhile is handed over together.
At the end of the crawl it is run at once."""
SECONDS = 30.0
"""How long the program may take; then it is ended."""


def command_of(text: str) -> list[str]:
    """Return the words of a command; no shell reads them.

    Raises:
        MisuseError: There is no such program, or the quotes do not match.

    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        message = f"--alert {text!r} cannot be read ({error}); quote it as for a shell"
        raise MisuseError(message) from error
    if not words or shutil.which(words[0]) is None:
        message = (
            f"--alert {text!r} names no program that can be run; no shell reads it: give a program "
            "with its arguments"
        )
        raise MisuseError(message)
    return words


class AlertCommand:
    """Hands alerts to a program, as JSON on its standard input; for `async with`.

    Nothing that a site says is an argument or in the environment of the program, and its output
    goes nowhere. The JSON is ASCII: it has no character that steers a terminal.

    Args:
        command: The program with its arguments.
        about: What stands beside the alerts: folder and robot.
        note: Told of a program that fails.
        every: Seconds between two runs, at least.

    """

    def __init__(
        self,
        command: Sequence[str],
        about: dict[str, Any],
        note: Callable[[str], None],
        every: float = EVERY,
    ) -> None:
        """Begin without alerts."""
        self._command, self._about, self._note, self._every = command, about, note, every
        self._alerts: list[SiteAlert] = []
        self._more = 0
        self._is_over = asyncio.Event()
        self._has_some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def hear(self, event: object) -> None:
        """Keep an alert until the program is run; other events are passed over."""
        if not isinstance(event, SiteAlert):
            return
        if len(self._alerts) < MOST_ALERTS:
            self._alerts.append(event)
        else:
            self._more += 1
        self._has_some.set()

    async def __aenter__(self) -> "AlertCommand":  # noqa: PYI034  Self is of Python 3.11
        """Begin to wait for alerts."""
        self._task = asyncio.ensure_future(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hand over what is left."""
        self._is_over.set()
        self._has_some.set()
        if self._task is not None:
            await self._task

    async def _work(self) -> None:
        """Run the program whenever there is something, and not too often."""
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
        """Run the program once, with all alerts that there are."""
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
            self._note(f"--alert: {self._command[0]} took over {SECONDS:g} seconds and was ended")
            return
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode:
            self._note(f"--alert: {self._command[0]} ended with status {process.returncode}")


def plain(alert: SiteAlert) -> dict[str, str]:
    """Return an alert as plain values, for JSON."""
    return {
        "origin": alert.origin,
        "at": alert.at.isoformat(),
        "kind": alert.kind,
        "text": alert.text,
    }
