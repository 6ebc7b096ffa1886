"""The applications that `service.py` measures, each served by granian in a process of its own."""

import os
from datetime import datetime, timezone
from typing import Any

from protego import Protego
from pydantic import BaseModel

from goodbot.cli.verbs.serve import collect_seldom
from goodbot.net import DEFAULT_LIMITS, HeaderFields, Limits, Response
from goodbot.robot import RobotsTxtReader
from goodbot.service import Service
from goodbot.store import MemoryStore, SQLiteStore

ROBOTS_TXT = "User-agent: *\nDisallow: /private\nCrawl-delay: {delay}\n" + "".join(
    f"Disallow: /part{number}/\n" for number in range(20)
)


def robots_txt() -> str:
    """Return the robots.txt of each site."""
    return ROBOTS_TXT.format(delay=os.environ.get("BENCH_DELAY", "5"))


class CannedFetcher:
    """A fetcher that has the same robots.txt for each site, and needs no network."""

    async def fetch(
        self,
        url: str,
        *,
        headers: HeaderFields = (),  # noqa: ARG002  as Fetcher has it
        limits: Limits = DEFAULT_LIMITS,  # noqa: ARG002  as above
    ) -> Response:
        """Return it."""
        now = datetime.now(timezone.utc)
        fields = (("Content-Type", "text/plain"),)
        return Response(url, 200, fields, robots_txt().encode(), now, now)


async def bare(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401  as ASGI has it
    """Answer 204."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def answering() -> Service:
    """Return the service, with a store in a file if the environment names one."""
    collect_seldom()
    file = os.environ.get("BENCH_STORE")
    store = SQLiteStore(file, durable="BENCH_QUICK" not in os.environ) if file else MemoryStore()
    return Service(RobotsTxtReader(fetcher=CannedFetcher(), store=store), name="ExampleBot")


def peer() -> Any:  # noqa: ANN401  an application of FastAPI
    """Return a service around Protego, as somebody would write it."""
    from urllib.parse import urlsplit  # noqa: PLC0415  of this application alone

    from fastapi import FastAPI  # noqa: PLC0415  as above

    class Answer(BaseModel):
        url: str
        allowed: bool

    app = FastAPI()
    parsers: dict[str, Protego] = {}

    @app.get("/can_fetch")
    async def can_fetch(url: str, robot: str) -> Answer:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in parsers:
            parsers[origin] = Protego.parse(robots_txt())
        return Answer(url=url, allowed=parsers[origin].can_fetch(url, robot))

    return app
