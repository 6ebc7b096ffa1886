"""`goodbot forget`: take down what a crawl keeps of one URL."""

import sys
from datetime import datetime, timezone

import click

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer

__all__ = ["forget"]


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.argument("url", metavar="URL")
def forget(folder: str, url: str) -> ExitStatus:
    """Take what index and archive in DIR have of a URL out of them, to the last byte.

    The URL stays known, with its evidence, and is visited again when it is due; to leave it alone
    for good, use `goodbot block add`.

    \b
    Example:
      goodbot forget shop https://a.example/old-price-list

    Exit status: 0 nothing of it is kept, 1 the crawl does not know the URL.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.orders import Order  # noqa: PLC0415
    from goodbot.crawl.run.ordering import carry_out, compact  # noqa: PLC0415  slow to load
    from goodbot.http.address import address_of  # noqa: PLC0415

    place = address_of(url)[1]
    concerned = carry_out(folder, Order("forget", place, datetime.now(timezone.utc)))
    compact(folder)
    printer = Printer(sys.stdout)
    if concerned == 0:
        printer.prose(f"The crawl in {folder} does not know {place}.")
        return ExitStatus.DISALLOWED
    printer.prose(f"Nothing of {place} is kept in {folder} any more.")
    return ExitStatus.ALLOWED
