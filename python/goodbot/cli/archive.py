"""`goodbot archive`: what a crawl keeps, and how what it may not keep any more goes."""

import json
import sys
from datetime import datetime, timezone

import click

from goodbot.cli import options
from goodbot.cli.exit_status import ExitStatus
from goodbot.cli.printing import Printer, Styled
from goodbot.cli.show import plural, time

__all__ = ["archive"]


@click.group(no_args_is_help=True)
def archive() -> None:
    """See to the WARC files of a crawl.

    \b
    Examples:
      goodbot archive list shop-crawl
      goodbot archive compact shop-crawl
    """  # noqa: D301  click looks for the character that \b is


@archive.command("list", no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("one object a line")
def list_kept(folder: str, *, as_json: bool) -> ExitStatus:
    """List what the crawl in DIR keeps: when, what, where, and the URL.

    \b
    Kinds of records:
      response    a page as received
      conversion  a copy without the parts that may not be kept
      metadata    what is left out of the copy before it
      revisit     the same content again
      robots-txt  an answer to the request for a robots.txt

    \b
    Example:
      goodbot archive list shop-crawl
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.kept_copy import listed  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.looking import looking  # noqa: PLC0415

    printer = Printer(sys.stdout)
    with looking(folder) as database:
        for url, at, until, where in listed(database):
            if as_json:
                plain = {
                    "url": url,
                    "at": at.isoformat(),
                    "until": None if until is None else until.isoformat(),
                    "kind": where.kind,
                    "file": where.file,
                    "offset": where.offset,
                    "length": where.length,
                }
                printer.line(json.dumps(plain))
            else:
                place = f"  {where.file}:{where.offset}"
                printer.line(f"{time(at)}  {where.kind:<10}  {url}", Styled(place, "faint"))
    return ExitStatus.ALLOWED


@archive.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("a line with one object")
def compact(folder: str, *, as_json: bool) -> ExitStatus:
    """Remove from the files in DIR what may not be kept any more.

    What has become forbidden, was replaced by a newer copy, or was to be forgotten by now
    (unavailable_after, by the clock of this machine) is gone from the disk afterwards. It can be
    interrupted, and run again, at any time, also while the crawl goes on.

    \b
    Example:
      goodbot archive compact shop-crawl
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.archive import Archive  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.database import Database  # noqa: PLC0415

    with Database(folder) as database, Archive(database) as kept:
        done = kept.compact(datetime.now(timezone.utc))
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return ExitStatus.ALLOWED
    printer.line(
        f"{plural(done.octets_removed, 'octet')} removed: "
        f"{plural(done.files_rewritten, 'file')} rewritten, "
        f"{plural(done.files_removed, 'file')} removed"
    )
    printer.line(
        f"{plural(done.records, 'record')} kept, {plural(done.octets, 'octet')} in all files"
    )
    return ExitStatus.ALLOWED


@archive.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
def repair(folder: str) -> ExitStatus:
    """Give up what is recorded in DIR, and missing from its files.

    After a power cut the last octets of a file may be missing; put it back from a copy if there is
    one, for what is given up is fetched again only when its time comes.

    \b
    Example:
      goodbot archive repair shop-crawl
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.archive import Archive  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.database import Database  # noqa: PLC0415

    with Database(folder) as database, Archive(database, repair=True) as kept:
        Printer(sys.stdout).line(f"{plural(kept.given_up, 'record')} given up")
    return ExitStatus.ALLOWED
