"""A real browser for tests: headless Chromium, controlled over its own protocol."""

import asyncio
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-port=0",
)  # fmt: skip
"""No window, no sandbox (root may be denied one), and no requests of its own."""
LONGEST_START = 60


@dataclass
class Tab:
    """One page of the browser."""

    socket: aiohttp.ClientWebSocketResponse
    session: str
    complaints: list[str] = field(default_factory=list)
    """The errors and warnings on the console, and what could not be loaded."""
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(100))

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters, "sessionId": self.session}
        await self.socket.send_json(message)
        while True:
            answer = json.loads((await self.socket.receive()).data)
            self.note(answer)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def note(self, event: dict[str, Any]) -> None:
        """Keep an event that reports a problem."""
        if event.get("method") in {"Runtime.exceptionThrown", "Log.entryAdded"}:
            self.complaints.append(str(event["params"]))
        if event.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str(event["params"]))

    async def open(self, url: str, width: int) -> None:
        """Open a page in a window of this width."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=800, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        await self.call("Page.navigate", url=url)
        while await self.value("document.readyState") != "complete":  # noqa: ASYNC110  it is another process
            await asyncio.sleep(0.02)

    async def value(self, expression: str) -> Any:  # noqa: ANN401  any JSON value
        """Return the value of an expression in the page."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")


@asynccontextmanager
async def browser() -> AsyncIterator[Tab]:
    """Start a browser with one empty page."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program is not None, "there is no Chromium; `make test-system` installs it"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            program, *QUIET, f"--user-data-dir={profile}", "about:blank",
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            address = await asyncio.wait_for(address_of(Path(profile)), LONGEST_START)
            async with aiohttp.ClientSession() as client, client.ws_connect(address) as socket:
                yield await first_tab(socket)
        finally:
            process.terminate()
            await process.wait()


async def address_of(profile: Path) -> str:
    """Wait until the browser has written its address."""
    note = profile / "DevToolsActivePort"
    while not note.is_file() or "\n" not in note.read_text(encoding="utf-8"):  # noqa: ASYNC110  as above
        await asyncio.sleep(0.05)
    port, path = note.read_text(encoding="utf-8").split("\n")[:2]
    return f"ws://127.0.0.1:{port}{path}"


async def first_tab(socket: aiohttp.ClientWebSocketResponse) -> Tab:
    """Attach to a new page, and record the problems that it reports."""
    tab = Tab(socket, "")
    await socket.send_json(
        {"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}
    )
    target = (await reply(socket, 1))["targetId"]
    attach = {"targetId": target, "flatten": True}
    await socket.send_json({"id": 2, "method": "Target.attachToTarget", "params": attach})
    tab.session = (await reply(socket, 2))["sessionId"]
    for domain in ("Page", "Runtime", "Log"):
        await tab.call(f"{domain}.enable")
    return tab


async def reply(socket: aiohttp.ClientWebSocketResponse, number: int) -> dict[str, Any]:
    """Wait for the answer to a call of the browser itself."""
    while True:
        answer = json.loads((await socket.receive()).data)
        if answer.get("id") == number:
            result: dict[str, Any] = answer["result"]
            return result
