"""`goodbot check` with several robots, or in a form that has a place for several.

Scope: which rows are printed in which form, and the exit status.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator

import goodbot
from goodbot.bots import known
from goodbot.cli.matrix_view.matrix_cells import MatrixTotals, Row
from goodbot.cli.matrix_view.matrix_explained import print_explained
from goodbot.cli.matrix_view.matrix_page import print_html
from goodbot.cli.matrix_view.matrix_rows import LiveRows, file_rows
from goodbot.cli.matrix_view.matrix_table import print_matrix
from goodbot.cli.matrix_view.text_forms import print_csv, print_json, print_markdown
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.robots.matrix_form import MatrixForm
from goodbot.cli.shared.site_comments import CommentNotes, comments_for
from goodbot.cli.shared.verdict_output import as_object
from goodbot.files.file_input import STANDARD_INPUT, read_input
from goodbot.lazy_dataclass import dataclass

NAMED = 8
"""How many robots a note names."""


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """What is asked, and the form of the output."""

    robots: tuple[str, ...]
    dialect: str | None
    """The dialect for all robots; `None` for that of each."""
    form: MatrixForm
    explain: bool
    strict: bool


def check_file(source: str, urls: Iterator[bytes], asked: MatrixOptions) -> ExitStatus:
    """Check each URL for each robot against a file.

    Raises:
        MisuseError: A robot is not a name.
        OSError: The file cannot be read.

    """
    file = goodbot.RobotsTxt(read_input(source), dialect=asked.dialect or options.DIALECT)
    warnings.of_file(file, source, strict=asked.strict)
    note_dialect(asked)
    given = warnings.CheckedUrls(urls, strict=asked.strict)
    rows = file_rows(file, asked.robots, given, asked.dialect)
    name = "standard input" if source == STANDARD_INPUT else source
    notes = CommentNotes()
    notes.tell(name, comments_for(file, asked.robots))
    return choose_status(print_form(rows, asked, name, file_object(asked)))


def check_sites(
    urls: tuple[tuple[str, ...], Iterator[bytes]],
    asked: MatrixOptions,
    site_options: options.SiteOptions,
) -> ExitStatus:
    """Check each URL for each robot; the robots.txt of each site is requested once.

    Raises:
        MisuseError: An argument is not a URL, or a robot is not a name.
        StoreError: The store cannot be opened, read or written.

    """
    from goodbot.cli.shared.live_check import check_policy  # noqa: PLC0415  slow to load
    from goodbot.cli.shared.live_sites import LiveSites, address_in  # noqa: PLC0415

    typed, every = urls
    for word in typed:
        address_in(os.fsencode(word))
    note_dialect(asked)
    sites = LiveSites(ANYONE, site_options, asked.dialect or options.DIALECT)
    live = LiveRows(sites, asked.robots, asked.dialect)
    wrong: list[str] = []
    notes = CommentNotes()

    def rows() -> Iterator[Row]:
        checked = None
        for word in every:
            try:
                address = address_in(word)
            except goodbot.MisuseError as error:
                warnings.warn_or_refuse(str(error), strict=asked.strict)
                wrong.append(str(error))
                continue
            row = live.row(address)
            policy = None if row.site is None else row.site.policy
            if policy is not None and policy is not checked:
                checked = policy
                check_policy(policy, strict=asked.strict)
                notes.tell(goodbot.origin(address), comments_for(policy.robots_txt, asked.robots))
            yield row
            # The reader of a pipe should not have to wait for the slowest site.
            sys.stdout.flush()

    with sites:
        totals = print_form(rows(), asked, "the robots.txt of each site", live_object(asked))
    return ExitStatus.MISUSE if wrong else choose_status(totals)


ANYONE = "*"
"""The robot for which a site is asked: goodbot itself requests robots.txt, once for all robots."""


def file_object(asked: MatrixOptions) -> Callable[[goodbot.Verdict, Row], str]:
    """Return what makes JSON of a verdict from a file."""

    def line(verdict: goodbot.Verdict, _row: Row) -> str:
        return as_object(verdict, full=asked.explain)

    return line


def live_object(asked: MatrixOptions) -> Callable[[goodbot.Verdict, Row], str]:
    """Return what makes JSON of a verdict from a live site."""
    import json  # noqa: PLC0415

    from goodbot.cli.shared.site_report import answer_object  # noqa: PLC0415  slow to load

    def line(verdict: goodbot.Verdict, row: Row) -> str:
        assert row.site is not None  # noqa: S101  it is of a live site
        return json.dumps(answer_object(verdict, row.site, full=asked.explain))

    return line


def print_form(
    rows: Iterable[Row],
    asked: MatrixOptions,
    source: str,
    as_line: Callable[[goodbot.Verdict, Row], str],
) -> MatrixTotals:
    """Print the rows in the form that was asked for."""
    printer, robots = Printer(sys.stdout), asked.robots
    if asked.form == "json":
        return print_json(rows, robots, printer, as_line)
    if asked.form == "csv":
        return print_csv(rows, robots, printer)
    if asked.form == "markdown":
        return print_markdown(rows, robots, printer)
    if asked.form == "html":
        return print_html(rows, robots, printer, source=source)
    if asked.explain:
        return print_explained(rows, robots, printer)
    return print_matrix(rows, robots, printer)


def note_dialect(asked: MatrixOptions) -> None:
    """Print which robots are known to read robots.txt in another dialect than the chosen one."""
    if asked.dialect is None:
        return
    found = [(name, known(name)) for name in asked.robots]
    others = [
        f"{name} as {robot.dialect}"
        for name, robot in found
        if robot is not None and robot.dialect not in {None, asked.dialect}
    ]
    if others:
        more = f" and {len(others) - NAMED:,} more" if len(others) > NAMED else ""
        warnings.note(
            f"robots.txt is read as {asked.dialect} for every robot, because of --dialect; known "
            f"to read it otherwise: {', '.join(others[:NAMED])}{more}"
        )


def choose_status(totals: MatrixTotals) -> ExitStatus:
    """Return the exit status: whether any URL is disallowed for any robot."""
    if totals.unanswered:
        return ExitStatus.MISUSE
    return ExitStatus.DISALLOWED if any(totals.disallowed) else ExitStatus.ALLOWED
