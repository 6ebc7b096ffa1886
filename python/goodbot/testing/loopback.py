"""A real server on 127.0.0.1 that behaves like one row of the table."""

import asyncio
import ssl
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType

from goodbot.errors import MissingExtraError
from goodbot.testing.behaviours import BEHAVIOURS, ROBOTS_TXT, Behaviour, behaviour
from goodbot.testing.judging import BEHIND_NOFOLLOW, MAY_READ
from goodbot.testing.steps import CLOSE, LoopbackVisit, Pause, Script, always, page

__all__ = ["LoopbackSite", "LoopbackVisit"]

HOST = "127.0.0.1"
LONGEST_HEADER = 64 * 1024
NOT_FOUND = always(404, b"<h1>Not found</h1>\n", "Content-Type: text/html")

PAGES: dict[str, Script] = {
    **{one.path: one.answer for one in BEHAVIOURS if one.path != ROBOTS_TXT},
    **dict.fromkeys(MAY_READ["allow-all"], page()),
}
"""The pages of every site; the page at `/` links to them."""


class LoopbackSite:
    """A site on an ephemeral port of 127.0.0.1 that can misbehave; for `async with`.

    It uses plain sockets, so that it can send what no web server would. It has two origins, for
    redirects from one to the other, and logs its visits.

    Args:
        behaviour_of_robots_txt: How it answers requests for robots.txt: a name in `BEHAVIOURS`, or
            a `Behaviour`.
        pages: More pages, by path and query: content, or scripts like those in `BEHAVIOURS`.

    Raises:
        MissingExtraError: The behaviour needs a certificate, and trustme is not installed.
        WrongValueError: There is no behaviour of this name.

    >>> import asyncio
    >>> from goodbot.net import AiohttpFetcher
    >>> async def main() -> None:
    ...     robot = [("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com")]
    ...     async with LoopbackSite("moved") as site:
    ...         async with AiohttpFetcher(allow_networks=["127.0.0.0/8"]) as fetcher:
    ...             answer = await fetcher.fetch(f"{site.origin}/robots.txt", headers=robot)
    ...             print(answer.status, answer.field("Location"), len(site.visits))
    >>> asyncio.run(main())
    301 /moved/robots.txt 1

    """

    def __init__(
        self,
        behaviour_of_robots_txt: str | Behaviour = "polite",
        *,
        pages: Mapping[str, bytes | Script] | None = None,
    ) -> None:
        """Prepare the answers; `async with` opens the ports."""
        given = behaviour_of_robots_txt
        self.behaviour = behaviour(given) if isinstance(given, str) else given
        self.visits: list[LoopbackVisit] = []
        self.origin = ""
        self.other_origin = ""
        self.client_context: ssl.SSLContext | None = None
        self._scripts = {**PAGES, **dict.fromkeys(BEHIND_NOFOLLOW, page())}
        self._scripts["/"] = page(" ".join(sorted({*PAGES, *(pages or {})})))
        for path, content in (pages or {}).items():
            self._scripts[path] = content if callable(content) else always(200, content)
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._counts: Counter[str] = Counter()

    @property
    def open_connections(self) -> int:
        """The number of open connections at both origins."""
        return len(self._tasks)

    def visits_to(self, target: str) -> list[LoopbackVisit]:
        """Return the visits to a path with its query."""
        return [visit for visit in self.visits if visit.target == target]

    async def __aenter__(self) -> "LoopbackSite":  # noqa: PYI034  Self is of Python 3.11
        """Open two ports."""
        tls = self._server_context()
        for at in range(2):
            serve = partial(self._serve, at)
            server = await asyncio.start_server(serve, HOST, 0, ssl=tls, limit=LONGEST_HEADER)
            self._servers.append(server)
        scheme = "http" if self.behaviour.transport == "http" else "https"
        ports = [server.sockets[0].getsockname()[1] for server in self._servers]
        self.origin, self.other_origin = (f"{scheme}://{HOST}:{port}" for port in ports)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close both ports and every connection."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for server in self._servers:
            await server.wait_closed()

    def _server_context(self) -> ssl.SSLContext | None:
        """Create the certificate, if the behaviour needs one."""
        if self.behaviour.transport != "self-signed":
            return None
        try:
            import trustme  # noqa: PLC0415  only this behaviour needs it
        except ImportError as error:
            message = "trustme is not installed; pip install trustme, or choose another behaviour"
            raise MissingExtraError(message, name="trustme") from error
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(HOST).configure_cert(context)
        self.client_context = ssl.create_default_context()
        authority.configure_trust(self.client_context)
        return context

    async def _serve(
        self, at: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  asyncio makes one for each connection
        self._tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                while await self._answer(reader, writer, at):
                    pass
        except asyncio.CancelledError:
            pass  # the site closes
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, at: int
    ) -> bool:
        """Answer one request; return whether the connection stays open."""
        if self.behaviour.transport == "plain-text-for-tls":
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return False
        head = await reader.readuntil(b"\r\n\r\n")
        visit = self._visit(head.decode("latin-1"), at)
        path = visit.target
        # A robots.txt that has moved belongs to the behaviour, too.
        is_robots_txt = path.endswith(ROBOTS_TXT) and self.behaviour.path == ROBOTS_TXT
        script = self.behaviour.answer if is_robots_txt else self._scripts.get(path, NOT_FOUND)
        if path == ROBOTS_TXT and not is_robots_txt:
            script = behaviour("polite").answer
        for step in script(visit):
            if step == CLOSE:
                return False
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
        return True

    def _visit(self, head: str, at: int) -> LoopbackVisit:
        """Parse a request and log it."""
        first, *lines = head.split("\r\n")
        method, _, rest = first.partition(" ")
        target = rest.rpartition(" ")[0]
        origins = (self.origin, self.other_origin)
        pairs = (line.partition(":") for line in lines if line)
        self._counts[target] += 1
        visit = LoopbackVisit(
            method=method,
            target=target,
            headers=tuple((name, value.strip()) for name, _, value in pairs),
            at=asyncio.get_running_loop().time(),
            origin=origins[at],
            other_origin=origins[1 - at],
            number=self._counts[target],
        )
        self.visits.append(visit)
        return visit
