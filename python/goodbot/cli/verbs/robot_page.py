"""`goodbot robot-page`: the page that explains your robot, and its record for lists of robots."""

import sys
from datetime import datetime, timezone
from typing import Any

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.printing import Printer

__all__ = ["robot_page"]


@click.command(no_args_is_help=True)
@click.option(
    "-r", "--robot", required=True, metavar="NAME/VERSION", help="Your robot: ExampleBot/1.0."
)
@options.identity_options
@options.dialect(several=False)
@click.option("--owner", default="", metavar="NAME", help="Who operates it.")
@click.option("--owner-url", default="", metavar="URL", help="Where the owner is at home.")
@click.option("--description", default="", metavar="TEXT", help="What it does, and what for.")
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="ADDRESS",
    help="An address, a network or a host's name that it comes from. Repeatable.",
)
@click.option(
    "--pause",
    type=float,
    metavar="SECONDS",
    help="How long it waits between two visits where a site does not say, as of 'goodbot crawl'.",
)
@click.option(
    "--registration",
    "as_record",
    is_flag=True,
    help="Print the record for the Web Robots Database and lists like it, in place of the page.",
)
def robot_page(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Print the page that explains your robot, to be put where --info-url leads.

    It says who operates the robot and what it sends, which groups of a robots.txt it obeys, how to
    keep it out, and how often it comes; each example was tried in the dialect.

    \b
    Examples:
      goodbot robot-page -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com --owner 'Example Ltd' > bot.html
      goodbot robot-page -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com --registration
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.cli.shared.identity import identity_in  # noqa: PLC0415  slow to load
    from goodbot.pace import Manners  # noqa: PLC0415  likewise
    from goodbot.robot.identity import name_of  # noqa: PLC0415  likewise
    from goodbot.robot.robot_page import (  # noqa: PLC0415  likewise
        RobotCard,
        registration,
        robot_page,
    )

    name_of(args["robot"])
    options.refuse_pause(args["pause"])
    given = SiteOptions(args["info_url"], args["contact"], None, False, None)  # noqa: FBT003
    manners = Manners() if args["pause"] is None else Manners(default=args["pause"])
    identity = identity_in(args["robot"], given)
    try:
        card = RobotCard(
            identity=identity,
            dialect=args["dialect"],
            manners=manners,
            owner=args["owner"],
            owner_url=args["owner_url"],
            description=args["description"],
            addresses=tuple(args["addresses"]),
        )
    except goodbot.WrongValueError as error:
        # It begins with what is wrong: `owner_url` or `address`.
        message = f"--{error}".replace("owner_url", "owner-url", 1)
        raise goodbot.MisuseError(message) from error
    write = registration if args["as_record"] else robot_page
    printer = Printer(sys.stdout)
    for line in write(card, datetime.now(timezone.utc)).splitlines():
        printer.line(line)
    return ExitStatus.ALLOWED
