"""`goodbot robot forget`: the removal of one URL from index and archive."""

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
    """Remove one URL from the index and the archive of a crawl.

    \b
    Example:
      goodbot robot forget shop https://a.example/old-price-list

    Every copy is deleted from the disk. The URL and its evidence stay, and it is visited again when
    it is due; to prevent that, use 'goodbot robot block add'.

    Exit status: 0 the URL is removed, 1 the crawl does not know it.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.orders import Order  # noqa: PLC0415
    from goodbot.crawl.run.ordering import carry_out, compact  # noqa: PLC0415  slow to load
    from goodbot.http.address import address_of  # noqa: PLC0415

    place = address_of(url)[1]
    concerned = carry_out(folder, Order("forget", place, datetime.now(timezone.utc)))
    compact(folder)
    printer = Printer(sys.stdout)
    if concerned == 0:
        printer.prose(f"{place} is not in the crawl in {folder}.")
        return ExitStatus.DISALLOWED
    printer.prose(f"Removed {place} from the index and the archive of {folder}.")
    return ExitStatus.ALLOWED
