"""The tools for AI assistants at `/mcp`, by the real client of the protocol."""

import asyncio
from typing import Any

from tests.cli.test_serve import send
from tests.support.houses import need
from tests.support.live_sites import open_site
from tests.support.service_process import running_service

ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
"""A request of the protocol."""


async def call(base: str, tool: str, url: str) -> tuple[list[str], bool, str]:
    """Return the tools that there are, whether the answer of one is an error, and its text."""
    from mcp import Client  # noqa: PLC0415  slow to load, and an extra

    async with Client(f"{base}/mcp") as client:
        tools = sorted(one.name for one in (await client.list_tools()).tools)
        result: Any = await client.call_tool(tool, {"url": url})
        return tools, bool(result.is_error), "".join(part.text for part in result.content)


def test_may_fetch_says_why() -> None:
    """With the reason, for the robot of the service; no web page reaches it."""
    need("mcp")
    with open_site("polite") as site, running_service("--allow-private", "--mcp") as base:
        for path, words in (
            ("/public", "allowed: Allowed"), ("/private/x", "disallowed: Disallowed"),
        ):  # fmt: skip
            tools, is_error, text = asyncio.run(call(base, "may_fetch", site.origin + path))
            assert tools == ["may_fetch"]
            assert not is_error
            assert text.startswith(words)
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
        assert send(f"{base}/mcp", ASKED, {"Origin": "https://evil.example"})[0] == 403
        assert send(f"{base}/mcp", ASKED, {"Host": "evil.example"})[0] == 421


def test_without_the_option_there_are_no_tools() -> None:
    """The address is unknown."""
    with running_service() as base:
        assert send(f"{base}/mcp", ASKED)[0] == 404


def test_a_robot_that_names_its_operator_fetches_too() -> None:
    """As `goodbot robot mcp` does."""
    need("mcp")
    words = ("--allow-private", "--mcp", "-r", "ExampleBot/1.0")
    with open_site("polite") as site, running_service(*words) as base:
        tools, is_error, text = asyncio.run(call(base, "fetch", f"{site.origin}/private/x"))
        assert tools == ["fetch", "may_fetch"]
        assert is_error
        assert "may not be fetched" in text
