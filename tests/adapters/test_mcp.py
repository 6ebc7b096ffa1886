"""The tool for AI assistants, by the real client of the protocol, with sites in memory.

The library is loaded by the tests: every worker that collects them would wait for it otherwise.
"""

import sys
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.robot import Robot
from goodbot.testing import Answer, FakeClock, FakeSite, LoopbackSite
from tests.support.program import WHO_ASKS
from tests.support.robot_sites import gaps, robot_at, run

if TYPE_CHECKING:
    from mcp import Client

HERE = "https://a.example"
HTML = [("Content-Type", "text/html")]


def page(head: str, body: str) -> Answer:
    """Return a page."""
    return Answer(body=f"<title>T</title>{head}<p>{body}".encode(), headers=HTML)


def site() -> FakeSite:
    """Return a site with pages that allow more or less."""
    routes: dict[str, Any] = {
        "/robots.txt": "User-agent: *\nDisallow: /private\nCrawl-delay: 5",
        "/open": page("", "Open words <span data-nosnippet>hidden words</span> more"),
        "/shut": page("<meta name=robots content=nosnippet>", "Shut words"),
        "/unlisted": page("<meta name=robots content=noindex>", "Unlisted words"),
        "/short": page("<meta name=robots content='max-snippet:8'>", "Eight letters and more"),
        "/expired": page("<meta name=robots content='unavailable_after: 2001-01-01'>", "Old words"),
        "/unkept": page("<meta name=robots content=noarchive>", "Unkept words"),
        "/long": page("", "word " * 50_000),
        "/moved": Answer(status=302, headers=[("Location", "/private")]),
    }
    return FakeSite(routes, clock=FakeClock())


def client_of(robot: Robot) -> "Client":
    """Return a client of the server that offers the tool."""
    from mcp import Client  # noqa: PLC0415  see above

    from goodbot.adapters.mcp import fetch_tool_server  # noqa: PLC0415

    return Client(fetch_tool_server(robot))


def asked(path: str, **more: Any) -> tuple[bool, str]:  # noqa: ANN401
    """Request a page by the tool; return whether it is an error, and the text."""

    async def main() -> tuple[bool, str]:
        async with robot_at(site()) as robot, client_of(robot) as client:
            return said(await client.call_tool("fetch", {"url": HERE + path, **more}))

    return run(main())


def said(result: Any) -> tuple[bool, str]:  # noqa: ANN401  the result of a tool
    """Return whether a result is an error, and its text."""
    return bool(result.is_error), "".join(part.text for part in result.content)


def test_a_page_is_text_with_what_it_allows() -> None:
    """Without the parts that may not be quoted."""
    is_error, text = asked("/open")
    assert not is_error
    assert text.startswith(f"URL: {HERE}/open\nStatus: 200\nTitle: T\n")
    assert "Open words" in text
    assert "hidden" not in text


@pytest.mark.parametrize(
    ("path", "words", "never"),
    [
        ("/shut", "No text may be quoted.", "Shut words"),
        ("/unlisted", "No text may be quoted.", "Unlisted words"),
        ("/unlisted", "index: Disallowed", "Title"),
        ("/short", "Eigh …", "letters"),
        ("/expired", "index: Disallowed", "Title"),
        ("/expired", "No text may be quoted.", "Old words"),
        ("/unkept", "No text may be quoted.", "Unkept words"),
        ("/nowhere", "Status: 404\nThere is no page at this URL.", "Title"),
    ],
)
def test_what_a_page_does_not_allow_is_not_told(path: str, words: str, never: str) -> None:
    """The reason is."""
    is_error, text = asked(path)
    assert not is_error
    assert words in text
    assert never not in text


@pytest.mark.parametrize("path", ["/private", "/moved"])
def test_what_robots_txt_disallows_is_an_error_with_the_reason(path: str) -> None:
    """Also at the end of a redirect."""
    is_error, text = asked(path)
    assert is_error
    assert 'line 2, "Disallow: /private"' in text


def test_the_assistant_chooses_the_url_and_the_length_only() -> None:
    """There is no other argument, and the length has a bound."""
    from goodbot.adapters.mcp import LONGEST  # noqa: PLC0415  see above

    async def main() -> None:
        async with robot_at(site()) as robot, client_of(robot) as client:
            [tool] = (await client.list_tools()).tools
            assert set(tool.input_schema["properties"]) == {"url", "max_characters"}
            given = {"url": f"{HERE}/long", "max_characters": 10**9}
            text = said(await client.call_tool("fetch", given))[1]
            assert 50_000 < len(text) < LONGEST + 1_000

    run(main())


@pytest.mark.parametrize("url", ["file:///etc/passwd", "a.example", "", "http://[::1"])
def test_other_addresses_are_an_error(url: str) -> None:
    """The message says what a URL looks like."""

    async def main() -> tuple[bool, str]:
        async with robot_at(site()) as robot, client_of(robot) as client:
            return said(await client.call_tool("fetch", {"url": url}))

    is_error, text = run(main())
    assert is_error
    assert "http" in text


def test_pauses_are_kept() -> None:
    """One page after another, as the site asks."""
    shop = site()

    async def main() -> None:
        async with robot_at(shop) as robot, client_of(robot) as client:
            for path in ("/open", "/short"):
                await client.call_tool("fetch", {"url": HERE + path})

    run(main())
    assert min(gaps(shop.visits)) >= 5.0


def test_the_command_serves_it_and_opens_no_private_address() -> None:
    """A whole program; without --allow-private, loopback is refused, whatever is asked."""
    from mcp import Client, StdioServerParameters  # noqa: PLC0415  see above

    words = ["-m", "goodbot", "mcp", "-r", "ExampleBot/1.0"]
    command = StdioServerParameters(command=sys.executable, args=words, env=WHO_ASKS)

    async def main() -> None:
        async with LoopbackSite() as there, Client(command) as client:
            is_error, text = said(await client.call_tool("fetch", {"url": f"{there.origin}/"}))
            assert is_error
            assert "not public" in text or "private" in text
            assert not there.visits

    run(main())
