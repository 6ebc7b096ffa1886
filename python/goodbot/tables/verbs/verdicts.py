"""`goodbot tables verdicts`: a verdict for each URL of Parquet files, by the robots.txt of then."""

import json
import sys
from dataclasses import asdict
from typing import Any, Literal

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.robots.robot_choice import note_near_misses
from goodbot.tables.verbs.table_runs.run_progress import ShownProgress
from goodbot.tables.verbs.table_runs.stop_signals import sigterm_interrupts
from goodbot.tables.verbs.table_runs.verdict_summary import print_summary
from goodbot.tables.writing import UrlColumns, VerdictSummary, write_verdicts

__all__ = ["verdicts"]


@click.command(no_args_is_help=True, context_settings={"allow_extra_args": True})
@click.option(
    "--urls",
    "sources",
    metavar="FILE",
    multiple=True,
    required=True,
    help="A Parquet file with a column of URLs, a folder of such files, or a pattern in quotes. "
    "In a folder, names that begin with _ or . are skipped, and so is the output. Repeatable.",
)
@click.option(
    "--policies",
    metavar="FILE",
    required=True,
    help="The table of policies, which 'goodbot tables build' writes.",
)
@click.option(
    "-r",
    "--robot",
    "robots",
    metavar="NAME",
    multiple=True,
    required=True,
    help="A product token such as GPTBot, or a whole User-Agent string. Repeatable; each has a "
    "column of verdicts.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The Parquet file to write. Without it, only the summary is printed.",
)
@click.option(
    "--at",
    metavar="COLUMN",
    help="The column of the times at which the URLs were fetched; in UTC if they have no zone. "
    "By default fetch_time, if the files have such a column; if they do not, the newest policies "
    "count.",
)
@click.option(
    "--newest",
    is_flag=True,
    help="Use the newest policies, although the files have a column fetch_time.",
)
@click.option(
    "--url-column",
    "url",
    metavar="COLUMN",
    default="url",
    show_default=True,
    help="The column of the URLs.",
)
@click.option(
    "--copy",
    "copied",
    metavar="COLUMN",
    multiple=True,
    help="A column of the input that the output has beside the verdicts, instead of the default: "
    "the URL and the time, and of Common Crawl's index where the capture is. Repeatable.",
)
@click.option(
    "-e",
    "--explain",
    is_flag=True,
    help="Write also the reason of each verdict, its line, its policy, and the age of that.",
)
@click.option(
    "--uses",
    is_flag=True,
    help="Write also what the robots.txt of then says about each use of the content: NAME:train, "
    "NAME:ground, NAME:search, NAME:archive, NAME:preview and NAME:level.",
)
@click.option(
    "--exclude",
    type=click.Choice(("keep", "withhold")),
    help="Write also NAME:exclude, which is never null, for joins and filters: true if the URL "
    "must be omitted. URLs of which that is unknown are kept or withheld.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=1),
    help="Answer only N rows, chosen by chance, but always the same.",
)
@options.as_json("one object, the summary")
def verdicts(
    sources: tuple[str, ...],
    policies: str,
    robots: tuple[str, ...],
    output: str | None,
    at: str | None,
    url: str,
    copied: tuple[str, ...],
    sample: int | None,
    *,
    newest: bool,
    explain: bool,
    uses: bool,
    exclude: Literal["keep", "withhold"] | None,
    as_json: bool,
) -> ExitStatus:
    """Write for each URL of Parquet files whether robots were allowed to fetch it then.

    \b
    Examples:
      goodbot tables verdicts --urls urls.parquet --policies policies.parquet --robot GPTBot \\
          --robot CCBot --at fetch_time -o verdicts.parquet
      goodbot tables verdicts --urls 'cc-index/**/*.parquet' --policies policies.parquet \\
          --robot CCBot --sample 100000

    A verdict is true, false, or null: unknown, because no policy was known or current then. That is
    no permission. The summary has the reasons. With --uses, each use of the content is allowed,
    licensed, reserved or unknown.

    If the command is stopped, the same command continues after the last part that was written. The
    output has its final name only once it is whole; until then it is FILE.partial, next to
    FILE.journal. Requires pip install 'goodbot[columns]'.

    Exit status: 0 every URL has its verdict, 2 there is no result, 130 it was stopped by Ctrl-C or
    SIGTERM.
    """  # noqa: D301  click looks for the character that \b is
    check_no_more(click.get_current_context())
    note_near_misses(robots, has_sets=False)
    columns = UrlColumns(url, at, newest, copied or None)
    with sigterm_interrupts(), ProgressLine(sys.stderr) as line:
        progress = ShownProgress(line)
        with progress.advice_if_stopped(output):
            summary = write_verdicts(
                sources, policies, robots, output, columns=columns, explain=explain, uses=uses,
                exclude=exclude, sample=sample, progress=progress.show,
            )  # fmt: skip
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(as_object(summary, output)))
    else:
        print_summary(summary, output, printer)
    return ExitStatus.ALLOWED


def check_no_more(context: click.Context) -> None:
    """Check that no argument follows an option's, as after a pattern that the shell expanded.

    Raises:
        UsageError: There are some.

    """
    if context.args:
        message = (
            f"{context.args[0]!r} belongs to no option. Quote a pattern, such as "
            "--urls 'folder/*.parquet', so that the shell does not expand it, or write --urls "
            "before each file."
        )
        raise click.UsageError(message, context)


def as_object(summary: VerdictSummary, output: str | None) -> dict[str, Any]:
    """Return the summary as `--json` prints it."""
    return {**asdict(summary), "output": output}
