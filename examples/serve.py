"""Serve the example sites on 127.0.0.1, each on its own port, and print their URLs.

Run it with `python examples/serve.py`, and stop it with Ctrl-C. Programs use `Sites`. A site is a
folder of files in `examples/sites`, with a `site.json` for all answers that are not simply a file
with status 200. Such an answer has `status`, `headers`, `file` or `text`, `type`, `coding`
(`gzip`, as Content-Encoding), `compressed` (the file itself is a gzip file), and `seconds` to wait
first. In a list of answers, each is used once, and the last one from then on.

In texts, `{{workshop}}` stands for the origin of that site, and `{{utc+6h}}` for the time of day in
six hours.
"""  # noqa: INP001  a script of its own

import argparse
import asyncio
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent / "sites"
HOST = "127.0.0.1"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".shtml": "text/html; charset=utf-8",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
}
PLACEHOLDER = re.compile(r"\{\{(?:([a-z]+)|utc([+-][0-9]+)h)\}\}")


@dataclass(frozen=True)
class Answer:
    """A site's answer to one request."""

    status: int
    fields: dict[str, str]
    body: bytes
    seconds: float = 0.0
    """How long the site waits before it answers."""


@dataclass(frozen=True)
class Site:
    """One example site."""

    name: str
    start: str
    """The path at which a crawl starts."""
    about: str
    """A line on what the site shows."""
    answers: dict[str, list[dict[str, Any]]]
    """The answers that are not simply a file, by path and query."""
    files: dict[str, bytes] = field(repr=False)
    """The files by their path within the site."""

    @classmethod
    def of(cls, folder: Path) -> "Site":
        """Read a site from its folder."""
        said = json.loads((folder / "site.json").read_text(encoding="utf-8"))
        answers = {
            path: one if isinstance(one, list) else [one] for path, one in said["answers"].items()
        }
        paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "site.json"]
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}
        return cls(folder.name, said["start"], said["about"], answers, files)

    def answer(self, target: str, number: int, fill: Callable[[str], str]) -> Answer:
        """Return the site's answer.

        Args:
            target: Path and query, as requested.
            number: The number of the request for this target, from 1.
            fill: Replaces placeholders by origins and times.

        """
        path = unquote(target.partition("?")[0])
        listed = self.answers.get(target, [{}])
        said = listed[min(number, len(listed)) - 1]
        name = said.get("file", path.lstrip("/"))
        name = f"{name}index.html" if not name or name.endswith("/") else name
        if "text" not in said and "Location" not in said.get("headers", {}):
            if name not in self.files:
                said = {"status": 404, "text": "There is nothing here.\n"}
            else:
                said = {"type": TYPES[Path(name).suffix]} | said
        text = said.get("text") or self.files.get(name, b"").decode()
        body = fill(text).encode()
        fields = {"Content-Type": said.get("type", TYPES[".txt"])} | said.get("headers", {})
        if said.get("compressed") or said.get("coding"):
            body = gzip.compress(body, mtime=0)
        if said.get("coding"):
            fields["Content-Encoding"] = said["coding"]
        return Answer(said.get("status", 200), fields, body, said.get("seconds", 0.0))


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(timezone.utc)


class Sites:
    """All example sites, each at an origin of its own; for `async with`.

    Args:
        port: The port of the first site; the others use the ports after it. 0: any free ports.
        now: Returns the time, aware.
        host: The address of all sites.

    """

    def __init__(
        self, *, port: int = 0, now: Callable[[], datetime] = utc_now, host: str = HOST
    ) -> None:
        """Read the sites; `async with` opens the ports."""
        folders = sorted(path.parent for path in ROOT.glob("*/site.json"))
        self.sites = {folder.name: Site.of(folder) for folder in folders}
        self.origins: dict[str, str] = {}
        self.visits: list[tuple[str, str]] = []
        """Every request: the site's name, and the path with its query."""
        self._port, self._host = port, host
        self._now = now
        self._counts: Counter[tuple[str, str]] = Counter()
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def starts(self) -> list[str]:
        """The URLs at which crawls start, one for each site."""
        return [self.origins[name] + site.start for name, site in self.sites.items()]

    def fill(self, text: str) -> str:
        """Replace placeholders by origins and times."""

        def filled(found: "re.Match[str]") -> str:
            if found[2]:
                return f"{self._now() + timedelta(hours=int(found[2])):%H%M}"
            return self.origins[found[1]]

        return PLACEHOLDER.sub(filled, text)

    def answer(self, name: str, target: str) -> Answer:
        """Return a site's answer to the next request, and log the request."""
        self.visits.append((name, target))
        self._counts[name, target] += 1
        return self.sites[name].answer(target, self._counts[name, target], self.fill)

    async def __aenter__(self) -> "Sites":  # noqa: PYI034  Self is of Python 3.11
        """Open a port for each site."""
        for at, name in enumerate(self.sites):
            port = self._port + at if self._port else 0
            server = await asyncio.start_server(partial(self._serve, name), self._host, port)
            self._servers.append(server)
            self.origins[name] = f"http://{self._host}:{server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all ports and connections."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for server in self._servers:
            await server.wait_closed()

    async def _serve(
        self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  asyncio makes one for each connection
        self._tasks.add(task)
        ends = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
        try:
            with suppress(*ends, asyncio.CancelledError):
                while await self._respond(name, reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _respond(
        self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; return whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, _, rest = head.partition("\r\n")[0].partition(" ")
        target = rest.rpartition(" ")[0]
        if method not in {"GET", "HEAD"} or not target.startswith("/"):
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return False
        answer = self.answer(name, target)
        await asyncio.sleep(answer.seconds)
        writer.write(written(answer, with_body=method == "GET"))
        await writer.drain()
        return True


def written(answer: Answer, *, with_body: bool) -> bytes:
    """Return an answer in the form of HTTP/1.1."""
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.fields.items()]
    lines += [f"Content-Length: {len(answer.body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + (answer.body if with_body else b"")


async def serve(port: int) -> None:
    """Serve until the program is stopped."""
    async with Sites(port=port) as sites:
        for site, start in zip(sites.sites.values(), sites.starts, strict=True):
            print(f"{start:45} {site.about}", flush=True)  # noqa: T201  the URLs are its output
        await asyncio.Event().wait()


def main() -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(description="Serve the example sites on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0, help="first port; 0: any (default)")
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args().port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
