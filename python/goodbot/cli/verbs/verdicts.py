"""`goodbot verdicts`: a verdict for each URL of Parquet files, by the robots.txt of its time."""

import json
import sys
import time
from dataclasses import asdict
from typing import Any

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, print_table
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.time_format import span
from goodbot.errors import StoreError
from goodbot.http.amounts import counted
from goodbot.verdict_tables import UrlColumns, VerdictProgress, VerdictSummary, write_verdicts

__all__ = ["verdicts"]

BAR = 24
"""How many characters the progress bar has."""


@click.command(no_args_is_help=True)
@click.option(
    "--urls",
    "sources",
    metavar="FILE",
    multiple=True,
    required=True,
    help="A Parquet file with a column of URLs, a folder of such files, or a pattern in quotes. "
    "Repeatable.",
)
@click.option(
    "--policies",
    metavar="FILE",
    required=True,
    help="The table of policies, which 'goodbot policies build' writes.",
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
    "Without it, fetch_time in Common Crawl's index, and elsewhere the newest policies count.",
)
@click.option(
    "--newest", is_flag=True, help="Use the newest policies, also with Common Crawl's index."
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
    help="A column that the output has beside the verdicts. Repeatable. By default the URL and the "
    "time, and of Common Crawl's index where the capture is.",
)
@click.option(
    "-e",
    "--explain",
    is_flag=True,
    help="Write also the reason of each verdict, its line, its policy, and the age of that.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=1),
    help="Answer only N rows, chosen by chance, but always the same.",
)
@options.as_json("one object, the summary")
def verdicts(  # noqa: PLR0913, PLR0917  they are the options
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
    as_json: bool,
) -> ExitStatus:
    """Write for each URL of Parquet files whether robots were allowed to fetch it then.

    \b
    Examples:
      goodbot verdicts --urls urls.parquet --policies policies.parquet --robot GPTBot \\
          --robot CCBot --at fetch_time -o verdicts.parquet
      goodbot verdicts --urls 'cc-index/**/*.parquet' --policies policies.parquet --robot CCBot \\
          --sample 100000

    A verdict is true, false, or null: unknown, because no policy was known or current then. That is
    no permission. The summary has the reasons.

    If the command is stopped, the same command continues after the last part that was written. The
    output has its final name only once it is whole; until then it is FILE.partial, next to
    FILE.journal. Requires pip install 'goodbot[columns]'.

    Exit status: 0 every URL has its verdict, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    columns = UrlColumns(url, at, newest, copied or None)
    with ProgressLine(sys.stderr) as line:
        progress = ShownProgress(line)
        try:
            summary = write_verdicts(
                sources, policies, robots, output, columns=columns, explain=explain, sample=sample,
                progress=progress.show,
            )  # fmt: skip
        except (KeyboardInterrupt, StoreError):
            if output is not None:
                progress.stopped(output)
            raise
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(as_object(summary, output)))
    else:
        print_summary(summary, output, printer)
    return ExitStatus.ALLOWED


class ShownProgress:
    """The progress of a run, as a line with a bar."""

    def __init__(self, line: ProgressLine) -> None:
        """Begin to measure."""
        self._line = line
        self._began = time.monotonic()
        self._last = VerdictProgress(0, 0, 0)
        line.show(lambda _: "reading what the files have …")

    def show(self, progress: VerdictProgress) -> None:
        """Show how far the run is."""
        self._last = progress
        text = progress_text(progress, time.monotonic() - self._began)
        self._line.show(lambda _: text)

    def stopped(self, output: str) -> None:
        """Print what is done, if a run ends early."""
        self._line.show(None)
        done, total, _ = self._last
        if sys.stderr is not None and done:
            Printer(sys.stderr).note(
                f"stopped after {done:,} of {counted(total, 'URL')}. Nothing is lost: the same "
                f"command continues there. {output} is written once all are done"
            )


def progress_text(progress: VerdictProgress, seconds: float) -> str:
    """Return a line that shows how far a run is, how fast, and how long it will take.

    >>> progress_text(VerdictProgress(1_500_000, 6_000_000, 500_000), 2.0)
    '[######------------------] 25 %: 1,500,000 of 6,000,000 URLs, 500,000 a second, 9 seconds left'
    """
    done, total, resumed = progress
    share = done / total if total else 1.0
    bar = "#" * int(share * BAR)
    text = f"[{bar:-<{BAR}}] {share:.0%}".replace("%", " %")
    text += f": {done:,} of {counted(total, 'URL')}"
    answered = done - resumed
    if not answered or seconds <= 0:
        return text
    rate = answered / seconds
    return f"{text}, {rate:,.0f} a second, {span((total - done) / rate)} left"


def as_object(summary: VerdictSummary, output: str | None) -> dict[str, Any]:
    """Return the summary as `--json` prints it."""
    return {**asdict(summary), "output": output}


def print_summary(summary: VerdictSummary, output: str | None, printer: Printer) -> None:
    """Print a table of the robots and one of the reasons."""
    robots = summary.robots
    print_table(
        ("robot", "allowed", "disallowed", "unknown"),
        [
            (
                one.robot,
                *(
                    share(count, summary.urls)
                    for count in (one.allowed, one.disallowed, one.unknown)
                ),
            )
            for one in robots
        ],
        printer,
    )
    printer.line()
    reasons = dict.fromkeys(reason for one in robots for reason in one.reasons)
    rows = [
        (reason, *(share(one.reasons.get(reason, 0), summary.urls) for one in robots))
        for reason in reasons
    ]
    print_table(("reason", *(one.robot for one in robots)), rows, printer)
    printer.line()
    what = f"{counted(summary.urls, 'URL')} of {counted(summary.files, 'file')}"
    by = f"judged as of {summary.at}" if summary.at else "judged by the newest policies"
    written = f", written to {output}" if output is not None else ""
    printer.line(f"{what}, {by}{written}")
    printer.line(
        f"by goodbot {summary.version}, with the policies of {summary.policies} "
        f"(dialect {summary.dialect})"
    )


def share(count: int, total: int) -> str:
    """Return a number with its share of all.

    >>> share(1_250, 10_000), share(0, 0)
    ('1,250 (12.5 %)', '0')
    """
    return f"{count:,} ({100 * count / total:.1f} %)" if count else "0"
