r"""A tool for AI assistants that fetches web pages as a robot that obeys.

    goodbot mcp --robot ExampleBot/1.0 --info-url https://example.com/bot --contact bot@example.com

It is a server of the Model Context Protocol. Its tool `fetch` visits one URL by a `Robot`: it
fetches robots.txt first, keeps the pauses that the site asks for, identifies itself, and checks
each hop of a redirect. Its text is what the page allows to be quoted: nothing under `nosnippet`, no
part that is excluded, no more than `max-snippet`.

The assistant chooses the URL and the length, and nothing else: the robot's name, the addresses
that it may visit and the dialect are set by the operator when the server starts. Otherwise a page
could talk an assistant into opening a private address, or into another robot's name.

Source: Model Context Protocol, Tools; RFC 9309.
"""

from typing import TYPE_CHECKING

from goodbot.errors import Deferred, Disallowed, FetchError, NoOriginError
from goodbot.net.missing import needs

with needs("mcp"):
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

if TYPE_CHECKING:
    from goodbot.robot import Robot
    from goodbot.robot.visit import Visit

__all__ = ["answer_of", "fetch_tool_server"]

LONGEST = 100_000
"""The most characters of a page that are returned at once."""
USUAL = 20_000
LONGEST_WAIT = 60.0
"""The most seconds that an assistant waits for the robot's turn; if it would be longer, the message
says when to try again."""

INSTRUCTIONS = (
    "Fetch pages with the tool `fetch`. It obeys robots.txt and the page's own rules, and says "
    "why if a page may not be fetched or quoted. Do not try to get such a page in another way."
)


def fetch_tool_server(robot: "Robot", *, longest_wait: float = LONGEST_WAIT) -> MCPServer:
    r"""Return a server with the tool `fetch`.

    Args:
        robot: The robot that fetches; it must be open (`async with`) while the server runs.
        longest_wait: The most seconds to wait for the robot's turn at a site.

    >>> import asyncio
    >>> import goodbot
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /b", "/a": "Hello"})
    >>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
    >>> async def main() -> None:
    ...     async with goodbot.Robot("ExampleBot", fetcher=site, clock=site.clock, **me) as robot:
    ...         server = fetch_tool_server(robot)
    ...         [tool] = await server.list_tools()
    ...         print(tool.name, sorted(tool.input_schema["properties"]))
    >>> asyncio.run(main())
    fetch ['max_characters', 'url']

    """
    server = MCPServer("goodbot", instructions=INSTRUCTIONS)

    @server.tool(
        description="Fetch a web page as text, if its site and the page allow it.",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=True),
        structured_output=False,
    )
    async def fetch(url: str, max_characters: int = USUAL) -> str:
        width = min(max(max_characters, 1), LONGEST)
        try:
            visit = await robot.visit(url, longest_wait=longest_wait)
        except Disallowed as error:
            message = f"This URL may not be fetched. {error.verdict}"
            raise ToolError(message) from error
        except (Deferred, FetchError, NoOriginError) as error:
            raise ToolError(str(error)) from error
        return answer_of(visit, width)

    return server


def answer_of(visit: "Visit", width: int) -> str:
    """Return the text about a visit.

    Args:
        visit: The visit.
        width: The most characters of the page's text.

    """
    lines = [f"URL: {visit.url}", f"Status: {visit.response.status}"]
    if not visit:
        return "\n".join([*lines, "There is no page at this URL."])
    page = visit.page
    is_open = page.index_at(visit.response.ended)
    if is_open:
        lines.append(f"Title: {page.title}")
    verdicts = {**page.verdicts, "index": is_open}
    lines += [f"{act}: {verdict}" for act, verdict in verdicts.items() if not verdict]
    text = page.snippet_for("", width) if is_open else ""
    if not text:
        is_quotable = is_open and page.snippet and page.archive
        why = "The page has no text." if is_quotable else "No text may be quoted."
        return "\n".join([*lines, "", why])
    return "\n".join([*lines, "", text])
