"""`goodbot robot mcp`: a tool for AI assistants that fetches pages as a robot that obeys."""

import asyncio
from contextlib import ExitStack
from typing import Any

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import SiteOptions

__all__ = ["mcp"]


@click.command(no_args_is_help=True)
@options.own_robot
@options.dialect
@options.site_options
@options.signing_option
def mcp(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Serve a tool that fetches pages politely to an AI assistant.

    \b
    Example:
      goodbot robot mcp -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com

    The assistant starts this command and speaks to it by the Model Context Protocol, on standard
    input and output. Its one tool, fetch, obeys robots.txt, the site's pace and the page's own
    rules, and says why if a page may not be fetched or quoted. The assistant cannot choose another
    name or allow private addresses; only these options can.

    Exit status: 0 the assistant closed the connection, 2 an option is wrong, 130 it was ended by
    Ctrl-C.
    """  # noqa: D301  click looks for the character that \b is
    robot, dialect, signing = (args.pop(name) for name in ("robot", "dialect", "identity"))
    asyncio.run(serve(robot, dialect, SiteOptions(**args), signing))
    return ExitStatus.ALLOWED


async def serve(
    name: str, dialect: str, site_options: SiteOptions, signing: str | None = None
) -> None:
    """Serve the tool on standard input and output until the assistant closes them.

    Raises:
        MisuseError: The identity of the robot is missing, or an option is wrong.
        MissingExtraError: A library is not installed.
        StoreError: The store cannot be opened.

    """
    # Slow to load, and only needed here.
    from goodbot.adapters.mcp import fetch_tool_server  # noqa: PLC0415
    from goodbot.cli.shared.identity import identity_in  # noqa: PLC0415
    from goodbot.robot import Robot  # noqa: PLC0415
    from goodbot.store.opening import opened_store  # noqa: PLC0415

    identity = identity_in(name, site_options)
    with ExitStack() as files:
        store = None  # the robot's own
        if site_options.store is not None:
            store = files.enter_context(opened_store(site_options.store))
        async with Robot(
            identity.name,
            info_url=identity.info_url,
            contact=identity.contact,
            store=store,
            dialect=dialect,
            allow_private=site_options.allow_private,
            allow_networks=site_options.allow_network,
            timeout=options.SECONDS if site_options.timeout is None else site_options.timeout,
            identity=signing,
        ) as robot:
            await fetch_tool_server(robot).run_stdio_async()
