"""The contents of requests: how much of them may be held at once, also while they arrive."""

import asyncio

import pytest

from goodbot.http.asgi_types import ASGIMessage
from goodbot.service import app
from tests.support.robot_sites import SITE, run, site_with
from tests.support.service_client import HOST, open_service, request

QUESTION = {"urls": [f"{SITE}/a"]}


def test_contents_that_arrive_slowly_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """429 for the next one, until the client leaves; nothing counts any more after that."""
    monkeypatch.setattr(app, "MOST_CONTENT", 100)

    async def main() -> None:
        leaves = asyncio.Event()
        sent: list[ASGIMessage] = [{"type": "http.request", "body": b"x" * 80, "more_body": True}]

        async def receive() -> ASGIMessage:
            if sent:
                return sent.pop()
            await leaves.wait()
            return {"type": "http.disconnect"}

        async def send(_: ASGIMessage) -> None:
            pytest.fail("a client that left gets no answer")

        headers = [(b"host", HOST.encode()), (b"content-type", b"application/json")]
        for path in ("/v1/verdicts", "/v1/turns"):
            scope = {
                "type": "http",
                "method": "POST",
                "path": path,
                "query_string": b"",
                "headers": headers,
            }
            async with open_service(site_with("")) as service:
                slow = asyncio.ensure_future(service(scope, receive, send))
                for _ in range(9):  # it reads the first part meanwhile
                    await asyncio.sleep(0)
                answer = await request(service, "POST", "/v1/verdicts", QUESTION)
                assert (answer.status, answer.headers["retry-after"]) == (429, "1")
                leaves.set()
                await slow
                for _ in range(5):
                    answer = await request(service, "POST", "/v1/verdicts", QUESTION)
                    assert answer.status == 200
            leaves.clear()
            sent.append({"type": "http.request", "body": b"x" * 80, "more_body": True})

    run(main())
