"""The tools for AI assistants at `/mcp`: the same answers, by the Model Context Protocol.

Scope: which tools there are. `may_fetch` says what the robot of the service may fetch; if the
service has a robot that names its operator, `fetch` visits as that robot (`goodbot.adapters.mcp`).
The assistant chooses the URL and nothing else.

Source: Model Context Protocol, Tools and Streamable HTTP.
"""

from typing import TYPE_CHECKING, Annotated

from goodbot.adapters.mcp import LONGEST_URL, WEB_PORTS, check_port, fetch_tool_server, shown
from goodbot.errors import NoOriginError, StoreError
from goodbot.missing import needs
from goodbot.robot import Robot, RobotsTxtReader
from goodbot.service.asking import Asker
from goodbot.service.problems import ServiceProblem
from goodbot.service.questions import USUAL_WAIT, FetchQuestion
from goodbot.service.standing import word_of

with needs("mcp"):
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import ToolAnnotations
    from pydantic import Field

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["assistant_app"]

INSTRUCTIONS = (
    "Ask the tool `may_fetch` before you fetch a web page in any way. `unknown` is no permission."
)


def assistant_app(asker: Asker, robot: Robot, name: str) -> "Starlette":
    """Return the ASGI application with the tools.

    Args:
        asker: What answers.
        robot: The robot of the service, which is open.
        name: The robot that is asked about.

    """
    if isinstance(robot, RobotsTxtReader):
        server = MCPServer("goodbot", instructions=INSTRUCTIONS)
    else:
        server = fetch_tool_server(robot)

    @server.tool(
        description="Say whether a web page may be fetched, and who says so.",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=True),
        structured_output=False,
    )
    async def may_fetch(url: Annotated[str, Field(max_length=LONGEST_URL)]) -> str:
        question = FetchQuestion([url], [name], wait=USUAL_WAIT)
        try:
            check_port(url, WEB_PORTS)
            answers = await asker.ask(question, fetches=True)
            verdict, *_ = answers.verdict(url, answers.origins[0], name)
        except (NoOriginError, ServiceProblem, StoreError) as error:
            raise ToolError(shown(str(error))) from error
        return shown(f"{word_of(verdict)}: {verdict}")

    # The guard of the service has checked Host and Origin, by the names that it goes by.
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server.streamable_http_app(
        json_response=True, stateless_http=True, transport_security=unguarded
    )
