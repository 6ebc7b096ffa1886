"""The contents of requests: how many of them may be held at once, for how long, and their end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from goodbot.http.asgi_types import ASGIMessage
from goodbot.service import app, asgi
from goodbot.service.asgi import ClientLeftError, ContentRoom, finish_or_leave, read_body
from goodbot.service.problems import ServiceProblem
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


LENGTH = (b"content-length", b"5")
WHOLE: ASGIMessage = {"type": "http.request", "body": b"12345", "more_body": True}
END: ASGIMessage = {"type": "http.request", "body": b"", "more_body": False}
LEFT: ASGIMessage = {"type": "http.disconnect"}


def served(*messages: ASGIMessage) -> tuple[ContentRoom, Callable[[], Any], list[ASGIMessage]]:
    """Return a room, what hands out messages as futures, as granian does, and those to come."""
    left = list(messages)

    def receive() -> "asyncio.Future[ASGIMessage]":
        future: asyncio.Future[ASGIMessage] = asyncio.get_running_loop().create_future()
        if left:
            future.set_result(left.pop(0))
        return future

    return ContentRoom(100, ()), receive, left


@pytest.mark.parametrize(
    ("header", "rest"),
    [
        ([LENGTH], 1),
        ([], 0),
        ([LENGTH, (b"content-encoding", b"gzip")], 0),
        ([LENGTH, (b"transfer-encoding", b"chunked")], 0),
        ([(b"content-length", b"x")], 0),
    ],
)
def test_the_end_of_a_content_of_known_length_is_not_waited_for(
    header: list[tuple[bytes, bytes]], rest: int
) -> None:
    """Unless an application in between may have decoded it, so that the length is another one."""
    room, receive, left = served(WHOLE, END)

    async def main() -> bytes:
        return await read_body({"headers": header}, room.count(receive))

    assert asyncio.run(main()) == b"12345"
    assert len(left) == rest


def test_contents_that_do_not_arrive_in_time_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each after its own time; those that came are not cancelled later, and one timer is enough."""
    monkeypatch.setattr(asgi, "LONGEST_RECEPTION", 0.02)
    room, receive, left = served(WHOLE, WHOLE, WHOLE)

    async def read() -> object:
        try:
            return await read_body({"headers": [LENGTH]}, room.count(receive))
        except ServiceProblem as problem:
            await asyncio.sleep(0)  # it is not cancelled any more
            return problem.detail

    async def main() -> list[object]:
        first = [await read() for _ in range(2)]
        rest = await asyncio.gather(*[read() for _ in range(4)])
        await asyncio.sleep(0.05)
        return first + rest

    slow = "The content did not arrive within 0.02 seconds."
    assert asyncio.run(main()) == [b"12345"] * 3 + [slow] * 3
    assert left == []
    assert (room._timer, room._ends, room._late) == (None, {}, set())  # noqa: SLF001  nothing is kept


def test_a_task_that_is_cancelled_while_it_reads_ends() -> None:
    """By the server that stops: that is no slow content."""
    room, receive, _ = served()

    async def main() -> None:
        task = asyncio.ensure_future(read_body({"headers": []}, room.count(receive)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not room._ends  # noqa: SLF001  nothing is kept


@pytest.mark.parametrize("messages", [[LEFT], [END, LEFT], [END, END, LEFT]])
def test_a_client_that_leaves_ends_its_work(
    messages: list[ASGIMessage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the server reports before; no task is made to wait for its futures."""
    monkeypatch.setattr(asgi, "NEXT_LOOK", 0.001)
    room, receive, left = served(*messages)

    async def work() -> None:
        await asyncio.sleep(60)

    async def main() -> int:
        waiting = asyncio.ensure_future(finish_or_leave(work(), room.count(receive)))
        await asyncio.sleep(0)
        count = len(asyncio.all_tasks())
        with pytest.raises(ClientLeftError):
            await waiting
        return count

    assert asyncio.run(main()) == 2
    assert left == []


def test_work_that_keeps_a_cancellation_to_itself_is_cancelled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `asyncio.wait_for` does: otherwise it waits a minute for a client that is gone."""
    monkeypatch.setattr(asgi, "CANCEL_AGAIN", 0.001)
    room, receive, _ = served(LEFT)

    async def work() -> None:
        for _ in range(2):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
        await asyncio.sleep(60)

    async def main() -> int:
        with pytest.raises(ClientLeftError):
            await finish_or_leave(work(), room.count(receive))
        task = asyncio.current_task()
        return getattr(task, "cancelling", int)()

    assert asyncio.run(main()) == 0


def test_a_client_that_stays_ends_nothing() -> None:
    """The end of its content is no end of the connection, and nobody watches afterwards."""
    room, receive, _ = served(END)

    async def work() -> str:
        await asyncio.sleep(0)
        return "done"

    async def main() -> str:
        return await finish_or_leave(work(), room.count(receive))

    assert asyncio.run(main()) == "done"
