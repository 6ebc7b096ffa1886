"""`goodbot tables`: tables of policies by origin and time, and verdicts by them."""

import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.verb_groups import LazyVerb, VerbGroup
from goodbot.http.address import address_of
from goodbot.http.instants import format_time
from goodbot.tables.verbs.build_output import print_summary, warn_of_sources
from goodbot.tables.verbs.policy_output import NOT_CAPTURED, PolicyOutput
from goodbot.tables.verbs.table_runs.stop_signals import sigterm_interrupts

if TYPE_CHECKING:
    from goodbot.history import PoliciesThen
    from goodbot.tables.building import PolicyRow

__all__ = ["tables"]

OUT_HELP = (
    "The table to write: .parquet, or .arrow for lookups from a memory-mapped file. An existing "
    "file is replaced."
)
out = click.option("-o", "--out", metavar="FILE", required=True, help=OUT_HELP)

STEPS = {
    "files": "reading WARC files",
    "sources": "reading sources",
    "tables": "reading tables",
    "redirects": "following redirects",
    "policies": "writing policies",
}
"""What a step of the work is called."""
BAR = 20


VERDICTS = LazyVerb(
    "tables.verbs.verdicts",
    "Write for each URL of Parquet files whether robots were allowed to fetch it then.",
)


COUNT = LazyVerb(
    "tables.verbs.count",
    "Count what sites say to robots: names, how much is disallowed, signals, sizes, statuses.",
)


@click.group(cls=VerbGroup, lazy={"count": COUNT, "verdicts": VERDICTS}, no_args_is_help=True)
def tables() -> None:
    """Build tables of every robots.txt by site and time, and judge columns of URLs by them.

    \b
    Examples:
      goodbot tables build robotstxt/*.warc.gz -o policies.parquet
      goodbot tables show policies.parquet https://example.com --at 2026-01-31T12:00:00Z
      goodbot tables merge january.parquet february.parquet -o both.parquet
      goodbot tables count policies.parquet --by year
      goodbot tables verdicts --urls urls.parquet --policies policies.parquet --robot GPTBot

    The columns are in the reference, on the page of the table of policies. Requires
    pip install 'goodbot[columns]'.
    """  # noqa: D301  click looks for the character that \b is


@tables.command(no_args_is_help=True)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@out
@options.dialect
@options.as_json("one object with the numbers")
def build(sources: tuple[str, ...], out: str, dialect: str, *, as_json: bool) -> ExitStatus:
    """Build a table of policies from WARC files, crawls and other sources.

    \b
    Examples:
      goodbot tables build robotstxt/*.warc.gz -o policies.parquet
      goodbot tables build shop-crawl policies.db -o policies.arrow

    \b
    Sources:
      x.warc.gz, x.wacz  their responses for robots.txt, with 404s and redirects; also
                         x.warc.zst and x.arc.gz
      a folder           of such files, of a crawl, or with HOST/TIME.txt, such as
                         example.com/2026-01-31T120000Z.txt
      a store            a file of SQLiteStore
      x.parquet          with the columns url, time (with a zone), status and body

    Patterns such as 'robotstxt/*.warc.gz' are expanded. Nothing is requested. A redirect of
    robots.txt counts if the response of its target is in the sources and came within an hour after
    it; else nothing is known then. Memory use does not grow with the sources; temporary files are
    written beside the table.

    If no source has an answer for a robots.txt, nothing is written, and an existing file stays as
    it is. If only some have none, they are named. What is not read of a damaged file is reported.

    Exit status: 0 the table was written, 2 it was not, because a source cannot be read or none has
    an answer, or it was written and a source is damaged.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.tables.building.building import build_table  # noqa: PLC0415  slow to load, and for this only

    goodbot.dialect(dialect)  # its message is about dialects, as those of other verbs
    with sigterm_interrupts(), ProgressLine(sys.stderr) as line:
        done = build_table(sources, out, dialect=dialect, progress=show_progress(line))
    print_summary(done, out, as_json=as_json)
    if not done.rows:
        raise goodbot.MisuseError(done.why_nothing())
    warn_of_sources(done)
    return ExitStatus.MISUSE if done.damaged else ExitStatus.ALLOWED


@tables.command(no_args_is_help=True)
@click.argument("sources", metavar="TABLE...", nargs=-1, required=True)
@out
@click.option(
    "-d",
    "--dialect",
    metavar="NAME",
    help="The dialect of the merged table; by default that of the first table.",
)
@options.as_json("one object with the numbers")
def merge(sources: tuple[str, ...], out: str, dialect: str | None, *, as_json: bool) -> ExitStatus:
    """Merge tables of policies; rows that are in several of them are written once.

    \b
    Examples:
      goodbot tables merge january.parquet february.parquet -o both.parquet
      goodbot tables merge policies.parquet -o policies.arrow

    What follows from an answer may depend on the one before it, which may be in another table: a
    copy stays in force during an outage. So every row is evaluated again.

    Exit status: 0 the table was written, 2 it was not.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.tables.building import merge_policies  # noqa: PLC0415  slow to load, and for this only

    for table in sources:
        check_is_there(table)
    with sigterm_interrupts(), ProgressLine(sys.stderr) as line:
        done = merge_policies(sources, out, dialect=dialect, progress=show_progress(line))
    print_summary(done, out, as_json=as_json)
    return ExitStatus.ALLOWED


@tables.command(no_args_is_help=True)
@click.argument("table", metavar="TABLE")
@click.argument("origin", metavar="URL")
@click.option(
    "--at",
    "time",
    metavar="TIME",
    help="Only what held at this time, such as 2026-01-31T12:00:00Z; without a zone, in UTC.",
)
@options.as_json("one object per policy")
def show(table: str, origin: str, time: str | None, *, as_json: bool) -> ExitStatus:
    """Show the policies of a site: which held when, why, and for how long.

    \b
    Examples:
      goodbot tables show policies.parquet https://example.com
      goodbot tables show policies.parquet https://example.com --at 2026-01-31T12:00:00Z --json

    Each has the number of its row in the table, from 0, as the column NAME:policy of verdicts has
    it, and the file that it is from. What a policy forbids counts at any age. What it permits
    counts only until it expires, or if the same robots.txt was seen again later.

    Exit status: 0 a policy is known, 1 none is (with --at: none was known then), 2 there is no
    answer.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.tables.building import policy_rows  # noqa: PLC0415  slow to load, and for this only
    from goodbot.tables.building.origin_rows import make_timeline  # noqa: PLC0415  the same

    at = None if time is None else parse_time(time)
    address_of(origin)  # its message is about URLs of http and https
    check_is_there(table)
    site, known = goodbot.origin(origin), policy_rows(table, origin)
    timeline = make_timeline(known)
    then = None if at is None else timeline.at(at)
    output = PolicyOutput(site, timeline, at, then)
    rows = known if then is None else select_held(known, then)
    printer = Printer(sys.stdout)
    for row in rows:
        if as_json:
            printer.line(output.as_json(row))
        else:
            output.print_row(row, printer)
    if rows:
        return ExitStatus.ALLOWED
    warnings.warn(why_nothing(table, site, known, at))
    return ExitStatus.DISALLOWED


def check_is_there(table: str) -> None:
    """Check that a table exists; that it can be read is checked when it is.

    Raises:
        MisuseError: It does not.

    """
    if not Path(table).exists():
        message = f"there is no {table}; 'goodbot tables build' makes a table of policies"
        raise goodbot.MisuseError(message)


def why_nothing(table: str, site: str, known: "list[PolicyRow]", at: datetime | None) -> str:
    """Return why there is no policy to show."""
    if not known:
        return f"{table} has no policy of {site}"
    since = known[0].at
    if at is not None and at >= since:
        return f"no policy of {site} is known then: {NOT_CAPTURED}"
    return f"no policy of {site} is known before {format_time(since)}"


def select_held(known: "list[PolicyRow]", then: "PoliciesThen") -> "list[PolicyRow]":
    """Return the rows of the policies that held at a time."""
    return [row for row in known if any(row.policy is policy for policy in then.policies)]


def parse_time(text: str) -> datetime:
    """Return a time that was typed.

    Raises:
        MisuseError: It is not a time.

    >>> parse_time("2026-01-31").isoformat(), parse_time("2026-01-31T12:00:00Z").isoformat()
    ('2026-01-31T00:00:00+00:00', '2026-01-31T12:00:00+00:00')
    """
    try:
        found = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError as error:
        message = f"{text!r} is not a time; write --at as in 2026-01-31T12:00:00Z"
        raise goodbot.MisuseError(message) from error
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def show_progress(line: ProgressLine) -> Callable[[str, int, int], None]:
    """Return what shows the progress of building as a bar."""

    def report(step: str, done: int, total: int) -> None:
        filled = BAR * done // max(total, 1)
        bar = "#" * filled + "." * (BAR - filled)
        line.show(lambda _: f"[{bar}] {STEPS[step]}: {done:,} of {total:,}")

    return report
