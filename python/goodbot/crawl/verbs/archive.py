"""`goodbot archive`: the archive of a crawl: list, check, compact and repair it."""

import json
import sys
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.verb_groups import LazyVerb, VerbGroup
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goodbot.crawl.archive.checking import ArchiveFault
    from goodbot.crawl.archive.warc_archive import WarcArchive

__all__ = ["archive"]


LAZY = {
    "export": LazyVerb(
        "crawl.verbs.export",
        "Write a crawl to one WACZ file, which web archives and replay tools open.",
    ),
    "import": LazyVerb(
        "crawl.verbs.import_", "Import web archives (WARC, ARC, WACZ): index, links and verdicts."
    ),
    "show": LazyVerb("crawl.verbs.show", "Show the archived copy of a page or a robots.txt."),
}


@click.group(cls=VerbGroup, lazy=LAZY, no_args_is_help=True)
def archive() -> None:
    """List, show, check, compact, repair or export the archive of a crawl, or import another.

    \b
    Examples:
      goodbot archive list shop-crawl
      goodbot archive show shop-crawl https://example.com/page
      goodbot archive check shop-crawl
      goodbot archive compact shop-crawl
      goodbot archive export shop-crawl --wacz shop.wacz

    The archive is a set of WARC files in the folder of the crawl.
    """  # noqa: D301  click looks for the character that \b is


@archive.command("list", no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("one object per line")
def list_kept(folder: str, *, as_json: bool) -> ExitStatus:
    """List the records of the archive: time, kind, URL and place.

    \b
    Example:
      goodbot archive list shop-crawl

    \b
    Kinds of records:
      response    a page as received
      conversion  a copy without the parts that must not be kept
      metadata    what was removed from the copy before it
      revisit     the same content again
      robots-txt  the response to a request for robots.txt
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.archive.kept_copy import listed  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415

    printer = Printer(sys.stdout)
    with open_readonly(folder, reads=("archive",)) as database:
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
                printer.line(f"{format_time(at)}  {where.kind:<10}  {url}", Styled(place, "faint"))
    return ExitStatus.ALLOWED


@archive.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("one object")
def compact(folder: str, *, as_json: bool) -> ExitStatus:
    """Delete copies that must no longer be kept from the disk.

    \b
    Example:
      goodbot archive compact shop-crawl

    These are copies that have become disallowed, that were replaced by a newer copy, or that have
    expired (unavailable_after, by the clock of this machine). It is safe to interrupt and repeat
    this command, even while the crawl runs.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.archive.compaction import Compaction  # noqa: PLC0415  slow to load, and for this only

    done = Compaction(0, 0, 0, 0, 0)
    for _, kept in archives_in(folder):
        done += kept.compact(datetime.now(timezone.utc))
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return ExitStatus.ALLOWED
    printer.line(
        f"{counted(done.bytes_removed, 'byte')} removed: "
        f"{counted(done.files_rewritten, 'file')} rewritten, "
        f"{counted(done.files_removed, 'file')} removed"
    )
    printer.line(
        f"{counted(done.records, 'record')} kept, {counted(done.bytes, 'byte')} in all files"
    )
    return ExitStatus.ALLOWED


@archive.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("one object per line for each error, and one with the numbers at the end")
def check(folder: str, *, as_json: bool) -> ExitStatus:
    """Check every byte of the archive against checksums and the database.

    \b
    Example:
      goodbot archive show shop-crawl https://example.com/page
      goodbot archive check shop-crawl

    Nothing is changed. Bytes after the recorded end of a file, which a killed crawl can leave, are
    not checked: the next run removes them.

    Exit status: 0 the archive is intact, 1 it has errors, 2 it cannot be checked.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.archive.checking import Checked, check_archive  # noqa: PLC0415  slow to load
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415

    printer, checked = Printer(sys.stdout), Checked()
    with open_readonly(folder, reads=("archive",)) as database:
        for fault in check_archive(database, checked):
            print_fault(fault, printer, as_json=as_json)
    if as_json:
        printer.line(json.dumps(checked.as_dict()))
    else:
        numbers = (
            f"{counted(checked.records, 'record')} in {counted(checked.files, 'file')}, "
            f"{counted(checked.bytes, 'byte')}"
        )
        found = counted(checked.faults, "error") if checked.faults else "no errors"
        printer.line(f"{numbers}: {found}")
        if checked.faults:
            command = suggest(folder, verb="archive repair")
            printer.line(f"Restore the files from a backup, or drop broken records: {command}")
    return ExitStatus.DISALLOWED if checked.faults else ExitStatus.ALLOWED


def archives_in(folder: str, *, repair: bool = False) -> "Iterator[tuple[str, WarcArchive]]":
    """Yield the archive of each process of a crawl, with the prefix of the names of its files."""
    from goodbot.crawl.archive.warc_archive import WarcArchive  # noqa: PLC0415  slow to load, and for this only
    from goodbot.crawl.folder.database import FILE, Database  # noqa: PLC0415
    from goodbot.crawl.folder.open_readonly import (  # noqa: PLC0415
        folders_of,
        open_readonly,
        reading_rows,
    )

    with open_readonly(folder, reads=("archive",)):
        pass  # fails if the archive is elsewhere, whose records must not be taken for missing
    parts = folders_of(folder)
    for part in (one for one in parts if (one / FILE).exists()):
        with (
            Database(part) as database,
            reading_rows(database.path),
            WarcArchive(database, repair=repair) as kept,
        ):
            yield f"{part.name}/" if len(parts) > 1 else "", kept


def print_fault(fault: "ArchiveFault", printer: Printer, *, as_json: bool) -> None:
    """Print an error at one place."""
    printer.line(json.dumps(fault.as_dict()) if as_json else str(fault))


@archive.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@options.as_json("one object per line for each error, and one with the numbers at the end")
def repair(folder: str, *, as_json: bool) -> ExitStatus:
    """Drop the missing and broken records of the archive.

    \b
    Example:
      goodbot archive repair shop-crawl

    A power failure can lose the last bytes of a file, and a disk can change some. If you have a
    backup, restore the file instead: dropped pages are fetched again only when they are due. Files
    with broken records are rewritten without them.

    Exit status: 0 the archive is intact now, 2 it could not be repaired.
    """  # noqa: D301  click looks for the character that \b is
    done = dict.fromkeys(("faults", "records_given_up", "bytes_cut_off", "files_rewritten"), 0)
    printer = Printer(sys.stdout)
    for prefix, kept in archives_in(folder, repair=True):
        rewritten = kept.compact().files_rewritten if kept.faults else 0
        numbers = (len(kept.faults), kept.given_up, kept.cut_off, rewritten)
        done = {name: done[name] + more for name, more in zip(done, numbers, strict=True)}
        for fault in kept.faults:
            print_fault(replace(fault, file=prefix + fault.file), printer, as_json=as_json)
    if as_json:
        printer.line(json.dumps(done))
        return ExitStatus.ALLOWED
    printer.line(
        f"{counted(done['records_given_up'], 'record')} dropped, "
        f"{counted(done['files_rewritten'], 'file')} rewritten, "
        f"{counted(done['bytes_cut_off'], 'byte')} cut off"
    )
    return ExitStatus.ALLOWED
