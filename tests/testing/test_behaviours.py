"""Each behaviour of sites misbehaves as the table says, and has the result that the table says."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

import goodbot
import goodbot.testing
from goodbot.net import AiohttpFetcher, Fetcher, Limits, Response, SystemClock
from goodbot.testing import (
    BEHAVIOURS,
    Behaviour,
    LoopbackSite,
    behaviour,
    behaviours_table,
)
from goodbot.testing.behaviours import ROBOTS_TXT

ROBOT = [("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com")]
HOME = "https://example.com"
Answering = TypeVar("Answering")


def run(task: Coroutine[Any, Any, Answering]) -> Answering:
    """Run a task in a loop of its own."""
    return asyncio.run(task)


BY_NAME = {one.name: one for one in BEHAVIOURS}

# What a robot sees of each: a status, and something of the content; or what fails.
SEEN: dict[str, tuple[int, bytes] | str] = {
    "polite": (200, b"Crawl-delay"),
    "names-robot": (200, b"ExampleBot"),
    "unavailable": (503, b""),
    "broken": (500, b"<h1>"),
    "too-many-requests": (429, b"Slow"),
    "dropped": "reset",
    "slow-drip": "timeout",
    "moved": (301, b""),
    "moved-elsewhere": (301, b""),
    "redirect-loop": (302, b""),
    "unauthorized": (401, b"Disallow: /\n"),
    "forbidden": (403, b"Disallow: /\n"),
    "not-found": (404, b"Disallow: /\n"),
    "gzip-bomb": (200, b"/private/"),
    "large": (200, b"/private/"),
    "utf-16": (200, b"\xff\xfe"),
    "latin-1": (200, b"/caf\xe9/"),
    "plain-text-for-tls": "tls",
    "self-signed": "tls",
    "changes": (200, b"/private/"),
    "busy-page": (429, b"Slow"),
    "meta-nofollow": (200, b"nofollow"),
    "header-nofollow": (200, b"/behind-header"),
}


async def ask(fetcher: Fetcher, url: str) -> Response:
    """Fetch as a robot with a name."""
    return await fetcher.fetch(url, headers=ROBOT, limits=Limits(seconds=5, bytes=512_000))


def test_what_each_manner_looks_like_is_written_here() -> None:
    """The table and the expectations have the same rows."""
    assert sorted(SEEN) == sorted(BY_NAME)
    assert len(BY_NAME) == len(BEHAVIOURS)


def visited(
    name: str, visit: Callable[[LoopbackSite, AiohttpFetcher], Awaitable[Answering]]
) -> Answering:
    """Run a function with a site of some behaviour."""

    async def main() -> Answering:
        async with (
            LoopbackSite(name) as site,
            AiohttpFetcher(allow_networks=["127.0.0.0/8"]) as fetcher,
        ):
            return await visit(site, fetcher)

    return run(main())


@pytest.mark.parametrize("name", SEEN)
def test_a_site_behaves_as_it_should(name: str) -> None:
    """A fetch sees what the table says."""
    expected = SEEN[name]
    seconds = 0.08 if name == "slow-drip" else 5

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> None:
        limits = Limits(seconds=seconds, bytes=512_000)
        fetching = fetcher.fetch(site.origin + BY_NAME[name].path, headers=ROBOT, limits=limits)
        if isinstance(expected, str):
            with pytest.raises(goodbot.FetchError) as caught:
                await fetching
            assert caught.value.kind == expected
            return
        answer = await fetching
        assert (answer.status, expected[1] in answer.body) == (expected[0], True)
        assert answer.truncated == (name in {"gzip-bomb", "large"})

    visited(name, visit)


@pytest.mark.parametrize("name", ["moved", "moved-elsewhere"])
def test_a_redirect_leads_to_the_rules(name: str) -> None:
    """The redirect leads to the same or to the other origin."""

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> None:
        first = await ask(fetcher, f"{site.origin}/robots.txt")
        location = first.field("Location") or ""
        base = "" if location.startswith("http") else site.origin
        assert (base + location).startswith(
            site.other_origin if name == "moved-elsewhere" else site.origin
        )
        assert b"Disallow: /private/" in (await ask(fetcher, base + location)).body
        assert site.visits[0].origin == site.origin

    visited(name, visit)


def test_a_loop_has_no_end() -> None:
    """After six hops it still redirects."""

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> None:
        path = "/robots.txt"
        for _ in range(6):
            answer = await ask(fetcher, site.origin + path)
            path = answer.field("Location") or ""
            assert answer.status == 302

    visited("redirect-loop", visit)


def test_a_site_changes_its_mind_and_a_busy_page_has_time_later() -> None:
    """The second visit gets a different answer."""

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> None:
        bodies = [(await ask(fetcher, f"{site.origin}/robots.txt")).body for _ in range(3)]
        assert [b"Disallow: /\n" in body for body in bodies] == [False, True, True]
        busy = [await ask(fetcher, f"{site.origin}/busy") for _ in range(2)]
        assert [answer.status for answer in busy] == [429, 200]
        assert busy[0].field("Retry-After") == "5"

    visited("changes", visit)


def test_the_large_file_ends_beyond_the_limit_and_the_bomb_beyond_memory() -> None:
    """3 MB with a rule at each end; 64 MiB compressed to a thousandth."""

    async def large(site: LoopbackSite, fetcher: AiohttpFetcher) -> bytes:
        return (await fetcher.fetch(f"{site.origin}/robots.txt", headers=ROBOT)).body

    body = visited("large", large)
    assert 3_000_000 < len(body) < 3_300_000
    assert body.endswith(b"Disallow: /behind-the-limit/\n")

    async def bomb(site: LoopbackSite, fetcher: AiohttpFetcher) -> Response:
        limits = Limits(bytes=100_000_000)
        return await fetcher.fetch(f"{site.origin}/robots.txt", headers=ROBOT, limits=limits)

    whole = visited("gzip-bomb", bomb)
    assert 64 * 1024 * 1024 <= len(whole.body) < 65 * 1024 * 1024
    assert whole.wire_bytes < 100_000


def test_every_site_has_pages_and_a_log() -> None:
    """The page at `/` links to all of them; the log has each visit with its time and header."""

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> None:
        home = await ask(fetcher, f"{site.origin}/")
        page = goodbot.Page(home.url, home.body, headers=list(home.headers))
        links = {link.url.removeprefix(site.origin) for link in page.links}
        assert links >= {"/public", "/private/secret", "/busy", "/meta-nofollow"}
        assert not any("behind" in link for link in links)
        for path in ("/meta-nofollow", "/header-nofollow"):
            answer = await ask(fetcher, site.origin + path)
            judged = goodbot.Page(answer.url, answer.body, headers=list(answer.headers))
            assert not judged.follow
        assert [one.target for one in site.visits] == ["/", "/meta-nofollow", "/header-nofollow"]
        assert site.visits[0].field("from") == "bot@example.com"
        assert len(site.visits_to("/")) == 1
        assert site.visits[0].at <= site.visits[1].at

    visited("polite", visit)


def test_the_table_has_everything_a_reader_wants() -> None:
    """Each row has what the site does, what a robot must do, the access, and the source."""
    lines = behaviours_table().splitlines()
    assert len(lines) == len(BEHAVIOURS) + 2
    assert {line.count("|") for line in lines} == {6}
    for one, line in zip(BEHAVIOURS, lines[2:], strict=True):
        assert line.startswith(f"| `{one.name}` |")
        assert one.does.endswith(".")
        assert one.must.endswith(".")
        assert one.path != ROBOTS_TXT or "RFC" in one.authority
    assert {one.access for one in BEHAVIOURS} == {"rules", "allow-all", "disallow-all", "defer"}


@pytest.mark.parametrize("one", BEHAVIOURS, ids=lambda one: one.name)
def test_the_policies_come_to_what_the_table_says(one: Behaviour) -> None:
    """Fetched hop by hop, robots.txt results in the access of its row."""
    policies = pytest.importorskip("goodbot.policy", reason="there is no goodbot.policy here yet")
    seconds = 0.08 if one.name == "slow-drip" else 5

    async def visit(site: LoopbackSite, fetcher: AiohttpFetcher) -> Any:  # noqa: ANN401
        url = here = f"{site.origin}/robots.txt"
        hops = [url]
        limits = Limits(seconds=seconds, bytes=512_000)
        while True:
            try:
                got = await fetcher.fetch(here, headers=ROBOT, limits=limits)
            except goodbot.FetchError as error:
                return policies.Policy.from_failure(url, error.kind, now=SystemClock().now())
            hop = policies.next_hop(here, got.status, got.headers, hops)
            if not hop:
                break
            here = hop.url
            hops.append(here)
        return policies.Policy.from_response(
            url, got.status, got.headers, got.body, now=got.ended, hops=hops
        )

    name = one.name if one.path == ROBOTS_TXT else "polite"
    assert visited(name, visit).access == one.access


def test_a_manner_is_found_by_name_or_the_names_are_told() -> None:
    """An unknown name raises, with the list of names."""
    assert behaviour("large").access == "rules"
    with pytest.raises(goodbot.WrongValueError, match="polite, names-robot"):
        LoopbackSite("no such")


def test_a_site_closes_with_all_its_connections() -> None:
    """Also connections in the middle of an answer."""

    async def main() -> None:
        async with LoopbackSite("slow-drip") as site:
            port = int(site.origin.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /robots.txt HTTP/1.1\r\n\r\n")
            await reader.readexactly(20)
            assert site.open_connections == 1
        assert site.open_connections == 0
        await reader.read()
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)

    run(main())


def test_a_self_signed_site_gives_what_trusts_it() -> None:
    """So that a test can trust the site's own authority."""

    async def main() -> None:
        async with LoopbackSite("self-signed") as site:
            assert isinstance(site.client_context, ssl.SSLContext)
            assert site.origin.startswith("https://127.0.0.1:")
        async with LoopbackSite() as site:
            assert site.client_context is None

    run(main())


WITHOUT_TRUSTME = """
import asyncio, sys
sys.modules["trustme"] = None
import goodbot
from goodbot.testing import LoopbackSite
async def main():
    try:
        async with LoopbackSite("self-signed"):
            pass
    except goodbot.MissingExtraError as error:
        print(error)
asyncio.run(main())
"""


def test_without_trustme_the_cure_is_told() -> None:
    """Only one behaviour needs it."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", WITHOUT_TRUSTME], capture_output=True, text=True, check=True
    )
    assert "pip install trustme" in done.stdout
