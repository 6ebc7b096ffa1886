"""Connections are few, and none is left behind, whatever is cancelled."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import pytest

import goodbot
import goodbot.errors
import goodbot.net
from goodbot.net import AiohttpFetcher, connector
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import Pause, ScriptStep, http
from tests.support.fetching import get, here, kind_of, raw, run, settled
from tests.support.waiting import HANGS


def counting(
    most: list[int], site_of: Callable[[], LoopbackSite]
) -> Callable[..., Iterator[ScriptStep]]:
    """Return a slow script that records how many connections there are."""

    def script(_: LoopbackVisit) -> Iterator[ScriptStep]:
        most.append(site_of().open_connections)
        yield Pause(0.005)
        yield http(200, b"")

    return script


@pytest.mark.parametrize(("total", "per_origin"), [(3, 8), (8, 3), (1, 1)])
def test_the_pool_is_bounded(total: int, per_origin: int) -> None:
    """However many fetches there are, connections are bounded, in total and for each origin."""

    async def main() -> None:
        most: list[int] = []
        site = LoopbackSite(pages={"/": counting(most, lambda: site)})
        fetcher = here(connections=total, connections_per_origin=per_origin)
        async with site, fetcher:
            await asyncio.gather(*(get(fetcher, f"{site.origin}/") for _ in range(20)))
            assert max(most) == min(total, per_origin)
            assert len(most) == 20

    run(main())


def test_waiting_for_a_connection_is_not_the_sites_fault() -> None:
    """The deadline starts when a connection is available."""

    async def main() -> None:
        pages = {"/": raw(Pause(0.02), http(200))}
        async with LoopbackSite(pages=pages) as site, here(connections=1) as fetcher:
            several = (get(fetcher, f"{site.origin}/", seconds=0.15) for _ in range(12))
            answers = await asyncio.gather(*several)
            assert [answer.status for answer in answers] == [200] * 12

    run(main())


def test_a_slow_site_takes_no_turns_from_the_others() -> None:
    """A fetch that waits for one origin takes no place in the pool."""

    async def main() -> None:
        pages = {"/": raw(Pause(60.0))}
        fetcher = here(connections=2, connections_per_origin=1)
        async with LoopbackSite(pages=pages) as slow, LoopbackSite() as site, fetcher:
            stuck = [asyncio.create_task(get(fetcher, f"{slow.origin}/")) for _ in range(5)]
            await settled(lambda: bool(slow.visits))
            assert (await get(fetcher, f"{site.origin}/public", seconds=1)).status == 200
            for task in stuck:
                task.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)
            assert not fetcher._turns.origins  # noqa: SLF001 - no origin is kept

    run(main())


def test_whoever_gives_up_waiting_gives_back_the_place_at_its_origin() -> None:
    """One fetch waits for the pool and is cancelled; the next one to the same origin goes on."""

    async def main() -> None:
        pages = {"/": raw(Pause(0.03), http(200))}
        fetcher = here(connections=1, connections_per_origin=1)
        async with LoopbackSite(pages=pages) as slow, LoopbackSite() as site, fetcher:
            first = asyncio.create_task(get(fetcher, f"{slow.origin}/"))
            await settled(lambda: bool(slow.visits))
            second, third = (
                asyncio.create_task(get(fetcher, f"{site.origin}/public")) for _ in range(2)
            )
            await asyncio.sleep(0)
            second.cancel()
            answers = await asyncio.wait_for(asyncio.gather(first, third), HANGS)
            assert [answer.status for answer in answers] == [200, 200]
            assert len(site.visits) == 1

    run(main())


def test_idle_connections_are_bounded_as_well() -> None:
    """A robot visits many hosts; connections to hosts that it left do not stay open."""

    async def main() -> None:
        sites = [LoopbackSite() for _ in range(6)]
        async with here(connections=2) as fetcher:
            for site in sites:
                await site.__aenter__()
                await get(fetcher, site.origin)
            assert await settled(lambda: sum(site.open_connections for site in sites) == 2)
            assert [site.open_connections for site in sites] == [0, 0, 0, 0, 1, 1]
            await get(fetcher, sites[5].origin)
            assert sites[5].open_connections == 1  # used again
        for site in sites:
            assert await settled(lambda site=site: not site.open_connections)  # type: ignore[misc]
            await site.__aexit__(None, None, None)

    run(main())


@asynccontextmanager
async def counted(requests: list[int], *, answered: int, closes: bool) -> AsyncGenerator[str, None]:
    """Serve a number of requests on each connection; `requests` gets how many each one brought.

    The connection is then closed at once or, if not `closes`, broken off by the next request.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(0)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while requests[-1] < answered or not closes:
                await reader.readuntil(b"\r\n\r\n")
                requests[-1] += 1
                if requests[-1] > answered:
                    break
                writer.write(http(200, b"a"))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_no_request_is_made_twice(answered: int) -> None:
    """A connection that breaks off is a failure, new or not; aiohttp would repeat the request."""
    requests: list[int] = []

    async def main() -> None:
        async with counted(requests, answered=answered, closes=False) as origin, here() as fetcher:
            for _ in range(answered):
                assert (await get(fetcher, origin)).body == b"a"
            assert await kind_of(get(fetcher, origin)) == "reset"

    run(main())
    assert requests == [answered + 1]


def test_a_connection_that_was_closed_while_it_idled_is_no_failure() -> None:
    """The next request uses a new one."""
    requests: list[int] = []

    async def main() -> None:
        async with counted(requests, answered=1, closes=True) as origin, here() as fetcher:
            for _ in range(3):
                assert (await get(fetcher, origin)).body == b"a"
                await asyncio.sleep(0.02)  # until the end of the connection is here

    run(main())
    assert requests == [1, 1, 1]


def test_a_connection_that_idled_for_long_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server may be about to close it, and the request would then fail."""
    requests: list[int] = []
    monkeypatch.setattr(connector, "LONGEST_IDLE", 0.0)

    async def main() -> None:
        async with counted(requests, answered=1, closes=False) as origin, here() as fetcher:
            for _ in range(3):
                assert (await get(fetcher, origin)).body == b"a"
                await asyncio.sleep(0.02)

    run(main())
    assert requests == [1, 1, 1]


@pytest.mark.parametrize("behaviour", ["polite", "slow-drip", "dropped", "large", "self-signed"])
def test_a_cancelled_fetch_leaves_nothing_behind(behaviour: str) -> None:
    """Cancelled at any step, a fetch returns its place, and closes or releases its connection."""

    async def cancelled(fetcher: AiohttpFetcher, url: str, steps: int) -> bool:
        task = asyncio.create_task(get(fetcher, url, seconds=0.5))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        except goodbot.FetchError:
            return False
        return False

    async def main() -> None:
        async with LoopbackSite(behaviour) as site:
            fetcher = here(connections=1, ssl_context=site.client_context)
            async with fetcher:
                url = f"{site.origin}/robots.txt"
                each = [await cancelled(fetcher, url, steps) for steps in range(40)]
                assert any(each)
                assert not fetcher._turns.origins  # noqa: SLF001 - every place was returned
                # With only one place, a leaked place or connection would show here.
                answer = await get(fetcher, f"{site.origin}/public", seconds=2)
                assert answer.status == 200
                assert await settled(lambda: site.open_connections <= 1)
            assert await settled(lambda: not site.open_connections)

    run(main())


def test_closing_closes() -> None:
    """No connection stays open; a later fetch raises, and the message says what to do."""

    async def main() -> None:
        async with LoopbackSite() as site:
            fetcher = here()
            await get(fetcher, site.origin)
            assert site.open_connections == 1
            await fetcher.close()
            await fetcher.close()
            assert await settled(lambda: not site.open_connections)
            with pytest.raises(goodbot.MisuseError, match="make a new one"):
                await get(fetcher, site.origin)

    run(main())


@pytest.mark.parametrize("option", ["connections", "connections_per_origin"])
def test_a_pool_has_room_for_one(option: str) -> None:
    """A pool without room would wait for ever."""
    with pytest.raises(goodbot.WrongValueError, match=option):
        here(**{option: 0})


def test_a_fetcher_belongs_to_one_loop() -> None:
    """Connections belong to a loop; in another one they would never wake."""
    fetcher = here()

    async def main() -> None:
        async with LoopbackSite() as site:
            await get(fetcher, site.origin)

    async def again() -> None:
        with pytest.raises(goodbot.MisuseError, match="another event loop"):
            await get(fetcher, "http://127.0.0.1/")

    async def both() -> None:
        await main()
        await asyncio.to_thread(run, again())
        await fetcher.close()

    run(both())


def test_what_is_asked_before_sending_may_refuse() -> None:
    """Also on a connection that is open already; the site sees no request."""

    async def main() -> None:
        asked: list[str] = []

        def check(origin: str) -> None:
            asked.append(origin)
            if len(asked) > 1:
                raise goodbot.errors.StoreUnavailableError(origin)

        async with (
            LoopbackSite(pages={"/": raw(http(200))}) as site,
            here(before_sending=check) as fetcher,
        ):
            assert (await get(fetcher, f"{site.origin}/")).status == 200
            for _ in range(2):
                with pytest.raises(goodbot.errors.StoreUnavailableError):
                    await get(fetcher, f"{site.origin}/")
            assert asked == [site.origin] * 3
            assert len(site.visits) == 1

    run(main())


@asynccontextmanager
async def speaking(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncGenerator[str, None]:
    """Serve each connection by a coroutine, which is cancelled at the end."""
    tasks: list[asyncio.Task[None]] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.ensure_future(served(reader, writer)))

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await serve(reader, writer)
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # their sockets are closed


@pytest.mark.parametrize(
    "surplus",
    [
        http(200, b"surplus"),
        http(200, b"surplus")[:-2],
        b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 2",
        b"\r\n",
        b"anything",
    ],
)
def test_what_nobody_asked_for_is_no_answer_to_the_next_request(surplus: bytes) -> None:
    """A connection on which more came than was asked for is not used again (RFC 9112 9.2)."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            target = (await reader.readuntil(b"\r\n\r\n")).split()[1]
            asked.append(target)
            writer.write(http(200, target))
            if len(asked) == 1:
                await asyncio.sleep(0.02)
                writer.write(surplus)

    async def main() -> None:
        async with speaking(serve) as origin, here() as fetcher:
            for target in ("/0", "/1", "/2", "/3"):
                assert (await get(fetcher, f"{origin}{target}")).body == target.encode()
                await asyncio.sleep(0.05)

    run(main())
    assert asked == [b"/0", b"/1", b"/2", b"/3"]


def test_closing_ends_a_fetch_whose_content_does_not_come() -> None:
    """It fails at once, and not only at its deadline."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(http(200, b"content")[:-1])
        await asyncio.sleep(HANGS)

    async def main() -> None:
        async with speaking(serve) as origin:
            fetcher = here()
            fetching = asyncio.ensure_future(get(fetcher, origin, seconds=HANGS))
            await asyncio.sleep(0.05)
            await fetcher.close()
            kind = await asyncio.wait_for(kind_of(fetching), HANGS / 2)
            assert kind == "reset"

    run(main())
