r"""A tool for AI assistants that fetches web pages as a robot that obeys.

    goodbot robot mcp -r ExampleBot/1.0 --info-url https://example.com/bot --contact bot@example.com

It is a server of the Model Context Protocol. Its tool `fetch` visits one URL by a `Robot`: it
fetches robots.txt first, keeps the pauses that the site asks for, identifies itself, and checks
each hop of a redirect. Its text is what the page allows to be quoted: nothing under `nosnippet`, no
part that is excluded, no more than `max-snippet`.

The assistant chooses the URL and the length, and nothing else: the robot's name, the addresses
that it may visit and the dialect are set by the operator when the server starts. Otherwise a page
could talk an assistant into opening a private address, or into another robot's name. Ports other
than those of the web are refused, also in redirects, as a mail server may take a request for
commands. What a page or a robots.txt says reaches the assistant without control characters and
characters that change the direction of writing: they hide text from people who look on.

Source: Model Context Protocol, Tools; RFC 9309; RFC 9110 sections 4.2.1 and 4.2.2.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from goodbot.content_use import uses
from goodbot.errors import Deferred, Disallowed, FetchError, NoOriginError
from goodbot.http.address import address_of
from goodbot.missing import needs
from goodbot.net.addresses import is_public
from goodbot.robot.visiting import MOST_REDIRECTS

with needs("mcp"):
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
    from pydantic import Field

if TYPE_CHECKING:
    from goodbot.policy import Policy
    from goodbot.robot import Robot
    from goodbot.robot.visit import Visit

__all__ = ["WEB_PORTS", "answer_of", "fetch_tool_server", "shown"]

LONGEST = 100_000
"""The most characters of a page that are returned at once."""
USUAL = 20_000
LONGEST_WAIT = 60.0
"""The most seconds that an assistant waits for the robot's turn; if it would be longer, the message
says when to try again."""

LONGEST_URL = 8_000
"""Characters of a URL that everyone should support (RFC 9110 section 4.1)."""
WEB_PORTS = frozenset({80, 443})
"""The ports of http and https."""
BREAKS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
KEPT = frozenset("\n\t\u200c\u200d")
"""Characters of the categories below that a text needs: lines, and joiners of scripts and emoji."""
IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that are not drawn (Unicode, Default_Ignorable_Code_Point): 256 of them are
enough to write any bytes where nobody sees them."""
JOINERS = re.compile("([\ufe0e\ufe0f]?[\u200c\u200d]?)[\ufe0e\ufe0f\u200c\u200d]*")
"""A run of joiners and of choices between text and emoji: behind the first of each kind, they are
of no use but to hide something."""
LETTERS_OF_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Signs that people see although Unicode counts them as format characters."""
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Categories of Unicode: control, format (which change the direction), surrogates, and unknown."""

INSTRUCTIONS = (
    "Fetch pages with the tool `fetch`. It obeys robots.txt and the page's own rules, and says "
    "why if a page may not be fetched or quoted, and which uses of it are reserved. Do not try to "
    "get such a page in another way."
)


def fetch_tool_server(
    robot: "Robot",
    *,
    longest_wait: float = LONGEST_WAIT,
    ports: Collection[int] = WEB_PORTS,
) -> MCPServer:
    r"""Return a server with the tool `fetch`.

    Args:
        robot: The robot that fetches; it must be open (`async with`) while the server runs.
        longest_wait: The most seconds to wait for the robot's turn at a site.
        ports: The ports that may be visited. Of loopback and private addresses all may be, if the
            robot's fetcher connects to those at all.

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
    async def fetch(
        url: Annotated[str, Field(max_length=LONGEST_URL)],
        max_characters: Annotated[int, Field(ge=1, le=LONGEST)] = USUAL,
    ) -> str:
        try:
            visit = await visit_ports(robot, url, longest_wait, ports)
        except Disallowed as error:
            message = f"This URL may not be fetched. {error.verdict}"
            raise ToolError(shown(message)) from error
        except (Deferred, FetchError, NoOriginError) as error:
            raise ToolError(shown(str(error))) from error
        return answer_of(visit, max_characters, await robot.known_policy(visit.url))

    return server


async def visit_ports(
    robot: "Robot", url: str, longest_wait: float, ports: Collection[int]
) -> "Visit":
    """Visit a URL and what it redirects to, at certain ports.

    Raises:
        ToolError: The port is another.

    """
    for _ in range(MOST_REDIRECTS):
        check_port(url, ports)
        visit = await robot.visit(url, longest_wait=longest_wait, redirects=0)
        if visit.location is None:
            return visit
        url = visit.location
    check_port(url, ports)
    return await robot.visit(url, longest_wait=longest_wait, redirects=0)


def check_port(url: str, ports: Collection[int]) -> None:
    """Raise if a URL has another port.

    Raises:
        NoOriginError: It is not an absolute URL of http or https.
        ToolError: It has another port.

    """
    parts = urlsplit(address_of(url)[1])
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if port in ports or is_private(parts.hostname or ""):
        return
    allowed = " and ".join(map(str, sorted(ports)))
    message = f"Port {port} is not one that this tool visits; use a URL with port {allowed}."
    raise ToolError(message)


def is_private(host: str) -> bool:
    """Return whether a host is an address that only the operator can allow."""
    try:
        return not is_public(ip_address(host))
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def shown(text: str) -> str:
    r"""Return a text without characters that control a terminal or that people do not see.

    >>> shown("a\x1b[2Jb\u202ec\U000e0041d\u2028e")
    'a[2Jbcd\ne'
    >>> ascii(shown("a\U000e0148\U000e0149b" + "\u200c\u200d" * 8 + "c"))
    "'ab\\u200cc'"
    """
    lines = BREAKS.sub("\n", text)
    if lines.isascii() and lines.replace("\n", "").isprintable():
        return lines
    drawn = JOINERS.sub(r"\1", IGNORED.sub("", lines))
    return "".join(one for one in drawn if is_shown(one))


def is_shown(character: str) -> bool:
    """Return whether people see a character, or a text needs it."""
    if character in KEPT or character in LETTERS_OF_FORMAT:
        return True
    return unicodedata.category(character) not in UNSEEN


def answer_of(visit: "Visit", width: int, policy: "Policy | None" = None) -> str:
    """Return the text about a visit.

    Args:
        visit: The visit.
        width: The most characters of the page's text.
        policy: The policy of the site, which states uses, too.

    """
    return shown(text_of(visit, width, policy))


def restricted_uses(visit: "Visit", policy: "Policy | None") -> Iterator[str]:
    """Yield a line for each use that header, page or robots.txt reserve or offer for a licence.

    They are preferences on what becomes of the text, and no rules on fetching it, so that the
    assistant decides. tdmrep.json and licences are not fetched.
    """
    asked = uses(visit.url, visit.page, robots_txt=policy, now=visit.response.ended)
    for use, verdict in asked.verdicts.items():
        if verdict.status in {"reserved", "licensed"}:
            yield f"use {use}: {verdict}"


def text_of(visit: "Visit", width: int, policy: "Policy | None") -> str:
    """Return the text about a visit, with all its characters."""
    lines = [f"URL: {visit.url}", f"Status: {visit.response.status}"]
    if not visit:
        return "\n".join([*lines, "There is no page at this URL."])
    page = visit.page
    is_open = page.index_at(visit.response.ended)
    if is_open:
        lines.append(f"Title: {page.title}")
    verdicts = {**page.verdicts, "index": is_open}
    lines += [f"{act}: {verdict}" for act, verdict in verdicts.items() if not verdict]
    lines += restricted_uses(visit, policy)
    text = page.snippet_for("", width) if is_open else ""
    if not text:
        is_quotable = is_open and page.snippet and page.archive
        why = "The page has no text." if is_quotable else "No text may be quoted."
        return "\n".join([*lines, "", why])
    return "\n".join([*lines, "", text])
