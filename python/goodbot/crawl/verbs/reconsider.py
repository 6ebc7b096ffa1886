"""`goodbot reconsider`: what is held already, by what sites say today."""

import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import OneRobotOption, SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.robots.robot_choice import note_near_misses
from goodbot.cli.shared.row_output import check_one_format, print_rows
from goodbot.cli.shared.time_option import TIME, in_utc
from goodbot.crawl.verbs.reconsider_view.asked import (
    TAKEDOWN,
    ReconsiderOptions,
    TableColumns,
    applied_uses,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from goodbot.crawl.reconsidering.holdings import ArchiveHoldings, FolderHoldings, FoundSources
    from goodbot.crawl.reconsidering.question import HeldQuestion
    from goodbot.crawl.verbs.reconsider_view.summary import HeldCounts
    from goodbot.reconsidering import HeldUse, Reconsidered, TakedownList, UnknownChoice

__all__ = ["reconsider"]

USES = ("fetch", "archive", "search", "ground", "train")


@click.command(no_args_is_help=True)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "-r",
    "--robot",
    cls=OneRobotOption,
    metavar="NAME",
    help="The robot: your own or another one, by its product token or its whole User-Agent. By "
    "default the robot of the crawl, and of other sources any robot (*).",
)
@click.option(
    "--use",
    "uses",
    type=click.Choice((*USES, TAKEDOWN)),
    multiple=True,
    help="A use to ask about, instead of all (of tables: fetch and train). Repeatable.",
)
@click.option(
    "--policies",
    metavar="FILE",
    help="Do not ask the sites, but a table of policies, which 'goodbot tables build' writes.",
)
@click.option(
    "--at",
    type=TIME,
    metavar="TIME",
    help="Reconsider by what held at this time (UTC), as --policies has it, or else what is held "
    "of robots.txt itself. No site is asked.",
)
@click.option(
    "--unknown",
    type=click.Choice(("keep", "withhold")),
    default="keep",
    show_default=True,
    help="What to do with things of which it is unknown whether they may stay.",
)
@click.option(
    "--page-dialect",
    cls=options.PageDialectOption,
    metavar="NAME",
    default="google",
    show_default=True,
    help="The dialect in which pages in web archives are read: {}.",
)
@click.option(
    "--takedown",
    "takedown_file",
    metavar="FILE",
    help="Also your own list of what must go: URLs, sites, patterns and hashes, one a line. With "
    "--use takedown, no site is asked.",
)
@click.option(
    "--apply",
    "new",
    metavar="NEW",
    help="Write a new folder, or new files, which must not exist, without what must go. Without "
    "--use, that is what the source is for: fetch, archive and search of a crawl; fetch, archive "
    "and train of archives and tables.",
)
@click.option(
    "--replace", is_flag=True, help="Put the new files in place of the old ones, each whole."
)
@click.option(
    "--tombstones",
    is_flag=True,
    help="In place of each removed record of a WARC file, leave one that says by which statement.",
)
@click.option(
    "--log",
    metavar="FILE",
    help="Add what was removed by which statement to this file: a line of JSON each, without "
    "content. By default removed.jsonl in a new folder, or beside a new file.",
)
@click.option(
    "--url-column",
    "url",
    metavar="COLUMN",
    help="The column of a table that has the URLs.  [default: url]",
)
@click.option(
    "--time-column",
    "time",
    metavar="COLUMN",
    help="The column of a table that says when they were fetched; in UTC if it has no zone. By "
    "default fetch_time, if there is such a column.",
)
@click.option(
    "--digest-column",
    "digest_columns",
    metavar="COLUMN",
    multiple=True,
    help="A column of a table that has digests of the content, for a takedown list with hashes. "
    "Repeatable.",
)
@click.option("--gone", "only_gone", is_flag=True, help="List only what must not stay.")
@options.site_options
@options.row_formats("use of each URL")
def reconsider(
    sources: tuple[str, ...],
    robot: str | None,
    uses: "tuple[HeldUse, ...]",
    policies: str | None,
    at: datetime | None,
    unknown: "UnknownChoice",
    page_dialect: str,
    takedown_file: str | None,
    new: str | None,
    log: str | None,
    url: str | None,
    time: str | None,
    digest_columns: tuple[str, ...],
    parquet: str | None,
    *,
    replace: bool,
    tombstones: bool,
    only_gone: bool,
    as_json: bool,
    as_csv: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Check what is held already against what sites say today.

    \b
    Examples:
      goodbot reconsider shop-crawl
      goodbot reconsider crawl-*.warc.gz --robot GPTBot --use train --parquet report.parquet
      goodbot reconsider urls.parquet --policies policies.parquet --at 2026-07-01 --gone --csv
      goodbot reconsider shop-crawl --apply shop-crawl-2026-07
      goodbot reconsider archive/ --use takedown --takedown list.txt --replace

    SOURCE is the folder of a crawl; WARC, ARC or WACZ files, or a folder of them; or Parquet files
    with URLs and, in fetch_time, when they were fetched. For each use of each URL the report has
    the answer of then and of now, the reason, the line, and what to do: keep it, take it out of an
    index, exclude it from training, or remove it.

    Each site is asked once, politely: its robots.txt and, unless only fetching is asked about, its
    tdmrep.json and the licences that these name. What headers and META said of a page is read where
    the page is kept. If it is unknown what a site says, nothing is removed and nothing is
    permitted; --unknown withhold marks such things.

    A report changes nothing. --apply writes new files without what must go, and leaves the old
    ones as they are; --replace replaces them, each as a whole or not at all. Every other record
    stays byte for byte, and indexes (CDXJ, in WACZ files or named as SOURCE) follow.

    Exit status: 0 everything may stay, or what must go is gone; 1 something must not stay; 2 there
    is no result, or a site gave no answer, so that it is unknown whether things may stay. With
    --apply and --replace, what must go by the other answers is gone then, too.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.reconsidering.holdings import find_sources, robot_of_folder  # noqa: PLC0415  slow to load

    check_one_format(as_json=as_json, as_csv=as_csv, parquet=parquet)
    found = find_sources(sources)
    if robot is None:
        robot = robot_of_folder(found.files[0]) if found.kind == "folder" else "*"
    else:
        note_near_misses((robot,), has_sets=False)
    listed = read_list(takedown_file, uses)
    default = ("fetch", "train") if found.kind == "tables" else USES
    chosen = tuple(uses or default)
    if listed is not None and TAKEDOWN not in chosen:
        chosen = (*chosen, TAKEDOWN)
    asked = ReconsiderOptions(
        robot,
        chosen,  # type: ignore[arg-type]
        in_utc(at),
        policies,
        unknown,
        listed,
        page_dialect,
        only_gone,
        parquet,
        as_json,
        as_csv,
        SiteOptions(**site),
        datetime.now(timezone.utc),
        new,
        replace,
        tombstones,
        log,
        uses,
        TableColumns(url, time, digest_columns),
    )
    check_applied(asked)
    check_new(found, asked)
    check_columns(found, asked)
    return report_tables(found, asked) if found.kind == "tables" else report_held(found, asked)


def read_list(path: str | None, uses: "Sequence[HeldUse]") -> "TakedownList | None":
    """Return the takedown list in a file; `None` if none was named.

    Raises:
        MisuseError: A line of it is no entry, or a use needs the list.
        OSError: It cannot be read.

    """
    from goodbot.files.file_input import read_input  # noqa: PLC0415  seldom needed
    from goodbot.reconsidering import read_takedown  # noqa: PLC0415

    if path is None:
        if TAKEDOWN in uses:
            message = "--use takedown needs your list: add --takedown FILE"
            raise goodbot.MisuseError(message)
        return None
    return read_takedown(read_input(path))


def check_columns(found: "FoundSources", asked: ReconsiderOptions) -> None:
    """Check the names of columns, and that hashes of a takedown list have something to match.

    Raises:
        MisuseError: Columns are named, and the source is no table; or digests, without hashes.

    """
    columns, listed = asked.columns, asked.takedown
    if found.kind != "tables" and columns != TableColumns():
        message = "--url-column, --time-column and --digest-column are for Parquet files; omit them"
        raise goodbot.MisuseError(message)
    has_hashes = listed is not None and bool(listed.algorithms)
    if columns.digests and not has_hashes:
        message = (
            "--digest-column is compared with the hashes of a takedown list; add --takedown FILE "
            "with lines such as sha256:DIGEST"
        )
        raise goodbot.MisuseError(message)
    if found.kind == "tables" and has_hashes and not columns.digests:
        warnings.warn(
            "the hashes of the takedown list were not compared: a table has no content; if a "
            "column has digests of it, name that with --digest-column"
        )


def check_applied(asked: ReconsiderOptions) -> None:
    """Check the options that write more than a report.

    Raises:
        MisuseError: They contradict one another.

    """
    if asked.replace and asked.new is not None:
        message = (
            "--replace puts the new files in place of the old ones, and --apply writes them beside "
            "these; use one of them"
        )
        raise goodbot.MisuseError(message)
    if asked.replace and asked.unknown == "withhold":
        message = (
            "what is unknown is never removed: with --unknown withhold, write new files (--apply "
            "NEW), and keep the old ones"
        )
        raise goodbot.MisuseError(message)
    if not asked.is_applied and (asked.tombstones or asked.log is not None):
        message = "--tombstones and --log are for what is written; add --apply NEW or --replace"
        raise goodbot.MisuseError(message)
    if asked.is_applied and asked.as_csv:
        message = "with --apply or --replace, use --json for the numbers, or --parquet for the rows"
        raise goodbot.MisuseError(message)


def check_new(found: "FoundSources", asked: ReconsiderOptions) -> None:
    """Check that nothing is overwritten, before any site is asked.

    Raises:
        MisuseError: There is something under the new name.

    """
    from goodbot.crawl.reconsidering.archive_rewriting import archive_targets  # noqa: PLC0415  slow to load
    from goodbot.files.overwriting import refuse_existing  # noqa: PLC0415  seldom needed

    if asked.new is None:
        return
    new = Path(asked.new)
    if found.kind == "folder":
        refuse_existing(new, "folder")
    else:
        archive_targets((*found.files, *found.indexes), found.root, new)


def report_held(found: "FoundSources", asked: ReconsiderOptions) -> ExitStatus:
    """Report on the folder of a crawl, or on web archives."""
    from goodbot.crawl.reconsidering.statement_sources import AskedSites  # noqa: PLC0415  slow to load
    from goodbot.crawl.verbs.reconsider_view.summary import (  # noqa: PLC0415  as above
        HeldCounts,
        warn_of_unreached,
    )

    counts = HeldCounts()
    with opened(found, asked) as held:
        for part in held.unread():
            warnings.warn(
                f"{part.file}, from byte {part.offset:,} on: {part.bytes:,} bytes were not read; "
                f"{part.why}"
            )
        question = question_of(held, asked)
        if isinstance(question.now, AskedSites):
            counts.unreached.update(question.now.unreached())
        rows = held.rows(question, applied_uses(found, asked))
        status = report_rows(counted(rows, counts, asked), counts, asked)
        if asked.is_applied:
            from goodbot.crawl.verbs.reconsider_view.applying import apply_to_held  # noqa: PLC0415  slow to load

            status = apply_to_held(held, asked)
    if counts.lacks_answers:
        warn_of_unreached(counts)
        return ExitStatus.MISUSE
    return status


def opened(found: "FoundSources", asked: ReconsiderOptions) -> "ArchiveHoldings | FolderHoldings":
    """Open what is held."""
    from goodbot.crawl.reconsidering.file_scan import ScanOptions  # noqa: PLC0415  slow to load
    from goodbot.crawl.reconsidering.holdings import (  # noqa: PLC0415
        ArchiveHoldings,
        FolderHoldings,
    )

    if found.kind == "folder":
        return FolderHoldings(found)
    reads_pages = any(use not in {"fetch", TAKEDOWN} for use in asked.uses)
    wanted = ScanOptions(asked.robot, asked.page_dialect, reads_pages, asked.takedown)
    return ArchiveHoldings(found, wanted)


def question_of(
    held: "ArchiveHoldings | FolderHoldings", asked: ReconsiderOptions
) -> "HeldQuestion":
    """Return what is asked, after the sites were asked what they say now."""
    from goodbot.crawl.reconsidering.question import HeldQuestion  # noqa: PLC0415  slow to load
    from goodbot.crawl.reconsidering.statement_sources import FirstKnown  # noqa: PLC0415
    from goodbot.crawl.verbs.reconsider_view.sources import (  # noqa: PLC0415
        source_of_now,
        source_of_table,
    )

    dialect = options.dialect_for(asked.robot, None)
    own = held.then(dialect)
    now = source_of_now(
        asked.uses,
        held.origins(),
        asked.robot,
        dialect,
        policies=asked.policies,
        own=own,
        at=asked.at,
        now=asked.now,
        site_options=asked.site,
    )
    then = own if asked.policies is None else FirstKnown([own, source_of_table(asked.policies)])
    return HeldQuestion(
        asked.robot, asked.uses, then, now, asked.at or asked.now, asked.unknown, asked.takedown
    )


def counted(
    rows: "Iterable[Reconsidered]",
    counts: "HeldCounts",
    asked: ReconsiderOptions,
) -> "Iterator[Reconsidered]":
    """Yield the rows that are listed, and count all."""
    for row in rows:
        counts.add(row)
        if not asked.only_gone or row.do != "keep":
            yield row


def report_rows(
    rows: "Iterable[Reconsidered]",
    counts: "HeldCounts",
    asked: ReconsiderOptions,
) -> ExitStatus:
    """Print or write the rows, and the summary."""
    from goodbot.crawl.folder.parquet import ParquetColumn, export_parquet  # noqa: PLC0415  slow to load
    from goodbot.crawl.verbs.reconsider_view.summary import print_summary  # noqa: PLC0415
    from goodbot.reconsidering import COLUMNS  # noqa: PLC0415

    printer = Printer(sys.stdout)
    if asked.parquet is not None:
        columns = [ParquetColumn(one.name, one.kind, one.meaning) for one in COLUMNS]
        count = export_parquet((one._asdict() for one in rows), asked.parquet, columns)
        printer.line(f"{asked.parquet}: {count:,} rows")
    elif asked.is_quiet and not asked.is_applied:
        plain = (one.as_dict() for one in rows)
        print_rows(plain, [one.name for one in COLUMNS], printer, as_csv=asked.as_csv)
    else:
        for _ in rows:
            pass
    if not asked.is_quiet:
        print_summary(counts, asked.robot, printer)
    return ExitStatus.ALLOWED if counts.is_clear else ExitStatus.DISALLOWED


def report_tables(found: "FoundSources", asked: ReconsiderOptions) -> ExitStatus:
    """Report on Parquet files of URLs."""
    from goodbot.crawl.verbs.reconsider_view.table_report import report_on_tables  # noqa: PLC0415  slow to load

    return report_on_tables(found, asked)
