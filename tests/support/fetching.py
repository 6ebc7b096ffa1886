"""Helpers for the tests of `net`: a fetcher for this machine, and names that resolve as told."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

import goodbot
from goodbot.net import FAILURES, AiohttpFetcher, Limits, Response
from goodbot.net.failures import quoted
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import ScriptStep
from tests.support.waiting import HANGS

LOOPBACK = ["127.0.0.0/8"]
ROBOT = [("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com")]
Answering = TypeVar("Answering")


def run(task: Coroutine[Any, Any, Answering]) -> Answering:
    """Run a task in its own event loop, which reports what is never awaited or closed."""
    return asyncio.run(task, debug=False)


def here(**options: Any) -> AiohttpFetcher:  # noqa: ANN401 - options of many types
    """Return a fetcher that is allowed to connect to this machine."""
    return AiohttpFetcher(**{"allow_networks": LOOPBACK, **options})


async def get(fetcher: AiohttpFetcher, url: str, **limits: Any) -> Response:  # noqa: ANN401
    """Fetch a URL as a robot."""
    return await fetcher.fetch(url, headers=ROBOT, limits=Limits(**{"seconds": 5.0, **limits}))


async def kind_of(fetching: Awaitable[Response]) -> str:
    """Return the kind of the failure."""
    with pytest.raises(goodbot.FetchError) as caught:
        await fetching
    assert str(caught.value).startswith(quoted(caught.value.url))
    assert FAILURES[caught.value.kind][1] in str(caught.value)
    return caught.value.kind


async def kind_at(behaviour: str, **options: Any) -> str:  # noqa: ANN401
    """Return the kind of failure when the robots.txt of a site with a behaviour is fetched."""
    async with LoopbackSite(behaviour) as site, here() as fetcher:
        return await kind_of(get(fetcher, f"{site.origin}/robots.txt", **options))


async def settled(condition: Callable[[], bool]) -> bool:
    """Wait for what the kernel still has to do; return whether it came."""
    for _ in range(int(HANGS / 0.005)):
        if condition():
            return True
        await asyncio.sleep(0.005)
    return False


class Names(AbstractResolver):
    """Resolves every name, to one list of addresses after the other."""

    def __init__(self, *answers: list[str] | OSError) -> None:
        """Keep the answers; the last one repeats."""
        self.answers = list(answers)
        self.asked: list[str] = []
        """The names that were looked up."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the next answer."""
        del family
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, OSError):
            raise answer
        return [
            ResolveResult(
                hostname=host,
                host=one,
                port=port,
                family=socket.AF_INET6 if ":" in one else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for one in answer
        ]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def raw(*steps: ScriptStep) -> Callable[[LoopbackVisit], Iterator[ScriptStep]]:
    """Return a script that sends exactly these steps."""
    return lambda _: iter(steps)
