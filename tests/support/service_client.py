"""A client of the service in memory: one request to the ASGI application, and its whole answer."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from goodbot.http.asgi_types import ASGIMessage
from goodbot.robot import RobotsTxtReader
from goodbot.service import Service
from goodbot.testing import FakeSite
from tests.support.service_api import check_answer

__all__ = ["HOST", "Answered", "open_service", "request"]

HOST = "127.0.0.1:8470"


@dataclass
class Answered:
    """The answer to one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:  # noqa: ANN401  what JSON has
        """The content as plain values."""
        return json.loads(self.body)


@asynccontextmanager
async def open_service(site: FakeSite, **options: Any) -> AsyncIterator[Service]:  # noqa: ANN401  those of both
    """Open a service whose robot asks sites in memory, without waiting."""
    of_service = {key: options.pop(key) for key in ("name", "hosts", "token") if key in options}
    reader = RobotsTxtReader(fetcher=site, clock=site.clock, **options)
    async with Service(reader, **of_service) as service:
        yield service


async def request(
    service: Service,
    method: str,
    target: str,
    content: object = None,
    headers: dict[str, str] | None = None,
    *,
    leaves: Callable[[], bool] | None = None,
) -> Answered:
    """Send a request; return the answer, or one of status 0 if the client left.

    An answer that is not as the OpenAPI document says is an error of the test.

    Args:
        service: The service.
        method: The method.
        target: The path and the query.
        content: What is sent as JSON; bytes are sent as they are.
        headers: Further or other fields.
        leaves: Says whether the client leaves now; asked each time that the server looks.

    """
    path, _, query = target.partition("?")
    fields = {"host": HOST, **({"content-type": "application/json"} if method == "POST" else {})}
    fields |= headers or {}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    sent = [{"type": "http.request", "body": body if method == "POST" else b""}]
    found = Answered()
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
    }

    async def receive() -> ASGIMessage:
        if sent:
            return sent.pop()
        while leaves is None or not leaves():  # noqa: ASYNC110  a condition, and no event
            await asyncio.sleep(0.001)
        return {"type": "http.disconnect"}

    async def send(message: ASGIMessage) -> None:
        if message["type"] == "http.response.start":
            found.status = message["status"]
            found.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            found.body += message.get("body", b"")

    await service(scope, receive, send)
    if found.status:
        check_answer(method, path, found.status, found.headers.get("content-type", ""), found.body)
    return found
