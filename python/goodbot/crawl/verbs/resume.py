"""`goodbot robot resume`: the end of a pause of one site of a crawl."""

import click

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.crawl.verbs.block import lift

__all__ = ["resume"]


@click.command(no_args_is_help=True)
@click.argument("where", metavar="DIR|STORE")
@click.argument("site", metavar="ORIGIN")
def resume(where: str, site: str) -> ExitStatus:
    """Resume the visits to a site that was paused.

    \b
    Example:
      goodbot robot resume shop https://a.example

    Exit status: 0 the site is no longer paused, 1 it was not paused.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.policy.holds import scope_of  # noqa: PLC0415  slow to load, and for this only

    return lift(where, scope_of(site)[0], "pause")
