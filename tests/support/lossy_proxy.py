"""A proxy before a PostgreSQL server that cuts connections, and loses answers on request."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.postgres import PostgresCluster

SOCKET = ".s.PGSQL.5432"


class LossyProxy:
    """A proxy on a socket of its own; use it as a context manager."""

    def __init__(self, cluster: PostgresCluster, folder: Path) -> None:
        """Listen in a folder, whose path must be short."""
        self.folder, self.target = folder, cluster.folder / SOCKET
        self.losing: bytes | None = None
        """The answer to the next message that contains these bytes is lost, and its connection
        cut."""
        self.lost = 0
        """How many answers were lost."""
        self.connections: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / SOCKET))
        self.listener.listen(50)
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self) -> LossyProxy:  # noqa: PYI034  Python 3.10 has no Self
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def url(self, schema: str) -> str:
        """Return the URL of a schema behind it."""
        return (
            f"postgresql://robot@/postgres?host={quote(str(self.folder), safe='')}&schema={schema}"
        )

    def cut(self) -> None:
        """Cut all connections."""
        for one in self.connections:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.connections.clear()

    def accept(self) -> None:
        """Serve each connection in a thread."""
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.connections.append(client)
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        """Pass on what comes, until one side ends, or an answer is to be lost."""
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(str(self.target))
            selector = selectors.DefaultSelector()
            selector.register(client, selectors.EVENT_READ)
            selector.register(server, selectors.EVENT_READ)
            loses = False
            while True:
                for key, _ in selector.select():
                    content = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not content or (loses and key.fileobj is server):
                        self.lost += loses
                        return
                    if key.fileobj is client and self.losing and self.losing in content:
                        self.losing, loses = None, True
                    (server if key.fileobj is client else client).sendall(content)
