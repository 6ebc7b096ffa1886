"""`goodbot test`: does a robots.txt do what its owner expects?"""

import json
import sys
from pathlib import Path
from typing import Any

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.robots.robot_choice import note_near_misses
from goodbot.cli.shared.sources.robots_source import is_url, read_robots_txt
from goodbot.expectations import (
    ExpectationFile,
    ExpectationResult,
    check_expectations,
    read_expectations,
)
from goodbot.files.file_input import STANDARD_INPUT, read_input
from goodbot.http.amounts import counted

__all__ = ["test"]


@click.command(no_args_is_help=True)
@click.argument("file", metavar="FILE|URL")
@click.argument("cases", metavar="CASES")
@options.dialect
@click.option("-v", "--verbose", is_flag=True, help="Also show the expectations that hold.")
@click.option(
    "--strict",
    is_flag=True,
    help="Fail instead of warning if the file is clearly not a robots.txt.",
)
@options.site_options
@options.as_json("one object per line, for each expectation")
def test(
    file: str,
    cases: str,
    dialect: str,
    *,
    verbose: bool,
    strict: bool,
    as_json: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Test a robots.txt against what you expect of it.

    \b
    Examples:
      goodbot test robots.txt cases.toml
      goodbot test https://example.com/ cases.toml --json

    FILE is a robots.txt, or - for standard input; of a URL, the robots.txt of its site is fetched.
    CASES is a file of TOML:

    \b
      [[case]]
      robot = ["GPTBot", "ClaudeBot"]
      url = "/articles/1"
      allow = false
      why = "Our articles are not for training."

    A known robot, such as Googlebot-News, obeys the group of its family in its own dialect, unless
    the case names a dialect; --dialect is for all other robots. In a project with pytest, name the
    file test_robots.toml, and pytest runs it on the robots.txt that its line file = "robots.txt"
    names; this command tests FILE.

    Exit status: 0 every expectation holds, 1 one does not, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    expected = read_expectations(read_input(cases), cases)
    refuse_other_sites(file, expected)
    note_other_file(file, expected, cases)
    note_near_misses(dict.fromkeys(one.robot for one in expected.expectations))
    robots = read_robots_txt(file, dialect, options.SiteOptions(**site), strict=strict)
    printer = Printer(sys.stdout)
    failed = 0
    for result in check_expectations(robots, expected):
        failed += not result.holds
        if as_json:
            printer.line(json.dumps(result.as_dict()))
        elif verbose or not result.holds:
            print_result(result, printer)
    if not as_json:
        print_count(len(expected.expectations), failed, printer)
    return ExitStatus.DISALLOWED if failed else ExitStatus.ALLOWED


def refuse_other_sites(source: str, expected: ExpectationFile) -> None:
    """Refuse URLs of other sites than the one whose robots.txt is tested (RFC 9309 section 2.3).

    Raises:
        MisuseError: There is one.

    """
    if not is_url(source):
        return
    site = goodbot.origin(source)
    for wish in expected.expectations:
        if not wish.url.startswith("/") and goodbot.origin(wish.url) != site:
            message = (
                f"case {wish.case} is about {wish.url}, which the robots.txt of {site} does not "
                f"concern; test it with the robots.txt of {goodbot.origin(wish.url)}"
            )
            raise goodbot.MisuseError(message)


def note_other_file(source: str, expected: ExpectationFile, cases: str) -> None:
    """Print a note if the cases name another robots.txt than the one that is tested."""
    if expected.file is None or cases == STANDARD_INPUT:
        return
    named = Path(cases).parent / expected.file
    if is_url(source) or source == STANDARD_INPUT or named.resolve() != Path(source).resolve():
        warnings.note(f"{source} is tested, not {expected.file}, which {cases} names as its file")


def print_count(count: int, failed: int, printer: Printer) -> None:
    """Print how many expectations there are, and how many do not hold."""
    text = f"{counted(count, 'expectation')}: {f'{failed} failed' if failed else 'all hold'}"
    printer.line(Styled(text, "disallowed" if failed else "allowed"))


def print_result(result: ExpectationResult, printer: Printer) -> None:
    """Print an expectation, the verdict, and why it was expected."""
    word = Styled("ok    ", "allowed") if result.holds else Styled("FAILED", "disallowed")
    wish = result.expectation
    printer.line(word, f" {wish} (case {wish.case})")
    printer.prose(str(result.verdict), "  ")
    if wish.why:
        printer.prose(f"why: {wish.why}", "  ")
