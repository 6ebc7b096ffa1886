"""The tools for AI assistants at `/mcp`, by the real client of the protocol."""

import asyncio
import json
from typing import Any

import pytest

from tests.cli.test_serve import send
from tests.support.houses import need
from tests.support.live_sites import open_site
from tests.support.service_process import running_service


async def call(base: str, tool: str, url: str) -> tuple[list[str], bool, str]:
    """Return the tools that there are, whether the answer of one is an error, and its text."""
    from mcp import Client  # noqa: PLC0415  slow to load, and an extra

    async with Client(f"{base}/mcp") as client:
        tools = sorted(one.name for one in (await client.list_tools()).tools)
        result: Any = await client.call_tool(tool, {"url": url})
        return tools, bool(result.is_error), "".join(part.text for part in result.content)


@pytest.mark.parametrize(
    ("path", "words"), [("/public", "allowed: Allowed"), ("/private/x", "disallowed: Disallowed")]
)
def test_may_fetch_says_why(path: str, words: str) -> None:
    """With the reason, for the robot of the service."""
    need("mcp")
    with open_site("polite") as site, running_service("--allow-private", "--mcp") as base:
        tools, is_error, text = asyncio.run(call(base, "may_fetch", site.origin + path))
        assert tools == ["may_fetch"]
        assert not is_error
        assert text.startswith(words)
        assert [visit.target for visit in site.visits] == ["/robots.txt"]


def test_a_robot_that_names_its_operator_fetches_too() -> None:
    """As `goodbot robot mcp` does."""
    need("mcp")
    words = ("--allow-private", "--mcp", "-r", "ExampleBot/1.0")
    with open_site("polite") as site, running_service(*words) as base:
        tools, is_error, text = asyncio.run(call(base, "fetch", f"{site.origin}/private/x"))
        assert tools == ["fetch", "may_fetch"]
        assert is_error
        assert "may not be fetched" in text


def test_the_guard_of_the_service_stands_before_the_tools() -> None:
    """No web page reaches them, and without --mcp there are none."""
    need("mcp")
    content = json.loads('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')
    with running_service("--mcp") as base:
        assert send(f"{base}/mcp", content, {"Origin": "https://evil.example"})[0] == 403
        assert send(f"{base}/mcp", content, {"Host": "evil.example"})[0] == 421
    with running_service() as base:
        assert send(f"{base}/mcp", content)[0] == 404
