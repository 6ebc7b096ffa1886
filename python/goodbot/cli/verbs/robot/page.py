"""`goodbot robot page`: a web page that explains a robot, and its record for lists of robots."""

import sys
from datetime import datetime, timezone
from typing import Any

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.printing import Printer

__all__ = ["page"]


@click.command(no_args_is_help=True)
@options.own_robot
@options.identity_options
@options.dialect
@click.option("--owner", default="", metavar="NAME", help="Who operates it.")
@click.option("--owner-url", default="", metavar="URL", help="The home page of the owner.")
@click.option("--description", default="", metavar="TEXT", help="What it does, and why.")
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="ADDRESS",
    help="An IP address, network or host name that its requests come from. Repeatable.",
)
@click.option(
    "--keys",
    "keys_url",
    default="",
    metavar="URL",
    help="The URL of the public keys by which its requests are signed ('goodbot robot identity').",
)
@click.option(
    "--pause",
    type=float,
    metavar="SECONDS",
    help="The pause between requests if a site does not ask for one, as of 'goodbot crawl'.",
)
@click.option(
    "--registration",
    "as_record",
    is_flag=True,
    help="Print a record for the Web Robots Database and similar lists instead of the page.",
)
def page(**args: Any) -> ExitStatus:  # noqa: ANN401  click hands over each option
    """Print a web page that explains your robot to site owners.

    \b
    Examples:
      goodbot robot page -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com --owner 'Example Ltd' > bot.html
      goodbot robot page -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com --registration

    Publish it at the URL of --info-url. It says who runs the robot, what it sends, which groups of
    a robots.txt it obeys, how to keep it out, and how often it visits. Every robots.txt example in
    it was checked in the dialect.
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
            keys_url=args["keys_url"],
            description=args["description"],
            addresses=tuple(args["addresses"]),
        )
    except goodbot.WrongValueError as error:
        # The message begins with what is wrong: `owner_url` or `address`.
        message = f"--{error}".replace("owner_url", "owner-url", 1)
        raise goodbot.MisuseError(message) from error
    write = registration if args["as_record"] else robot_page
    printer = Printer(sys.stdout)
    for line in write(card, datetime.now(timezone.utc)).splitlines():
        printer.line(line)
    return ExitStatus.ALLOWED
