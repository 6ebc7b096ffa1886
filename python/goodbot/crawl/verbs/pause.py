"""`goodbot robot pause`: no more visits to one site of a crawl, even while it runs."""

import sys
from datetime import datetime, timezone

import click

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.block import BY, is_store, opened_keeper, user_name

__all__ = ["pause"]


@click.command(no_args_is_help=True)
@click.argument("where", metavar="DIR|STORE")
@click.argument("site", metavar="ORIGIN")
@click.option("--why", default="", metavar="TEXT", help="The reason.")
@BY
def pause(where: str, site: str, why: str, by: str | None) -> ExitStatus:
    """Pause the visits to one site of a crawl.

    \b
    Examples:
      goodbot robot pause shop https://a.example --why "they are moving to another server"
      goodbot robot resume shop https://a.example

    A crawl that is running in DIR, and a robot or a fleet on the STORE, obeys within a second and
    continues at its other sites. The pages of the site are kept. 'goodbot robot block list' lists
    paused sites, and 'goodbot robot resume' resumes the visits.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.orders import Order  # noqa: PLC0415
    from goodbot.crawl.run.ordering import carry_out  # noqa: PLC0415  slow to load
    from goodbot.policy.holds import Hold  # noqa: PLC0415

    who = user_name() if by is None else by
    hold = Hold.of(site, "pause", why=why, by=who, at=datetime.now(timezone.utc))
    if is_store(where):
        with opened_keeper(where) as store:
            store.keep_hold(hold)
    else:
        carry_out(where, Order("pause", site, hold.at, why, who))
    Printer(sys.stdout).prose(f"{hold}.")
    return ExitStatus.ALLOWED
