"""`goodbot simplify`: the smallest robots.txt that can be proven to say the same."""

import difflib
import sys

import click

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.dialect_names import listed_dialects
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, printable
from goodbot.files.file_input import STANDARD_INPUT, read_input
from goodbot.http.amounts import counted
from goodbot.site.reasoning import Simplification
from goodbot.site.reasoning import simplify as simplified

__all__ = ["simplify"]


@click.command(no_args_is_help=True)
@click.argument("file", metavar="FILE")
@click.option("--diff", "as_diff", is_flag=True, help="Print the changes as a unified diff.")
@click.option("--write", is_flag=True, help="Replace the file instead of printing the result.")
@click.option(
    "-e", "--explain", is_flag=True, help="List each change on standard error, with its lines."
)
@click.option(
    "-d",
    "--dialect",
    "dialects",
    multiple=True,
    metavar="NAME",
    help="A dialect in which the result must say the same; repeatable. By default, every dialect "
    "that 'goodbot dialects' lists. Those of the 1990s read a * in a path as a letter, and in some "
    "the first match decides, so with -d rfc9309 -d google more can be omitted.",
)
def simplify(
    file: str, dialects: tuple[str, ...], *, as_diff: bool, write: bool, explain: bool
) -> ExitStatus:
    """Print the smallest robots.txt that can be proven to say the same.

    \b
    Examples:
      goodbot simplify robots.txt --diff
      goodbot simplify robots.txt --write
      curl -sSfL https://example.com/robots.txt | goodbot simplify - > robots.txt

    FILE is the robots.txt file, or - for standard input. Rules that change nothing are omitted, so
    are groups and names whose robots would obey the same without them, and stars at the end of
    patterns. Groups with equal rules are merged. Comments on lines of their own, the order of the
    lines, and fields that goodbot does not know are kept.

    Every change is proven before anything is written: for each robot that the file names, known
    robots with their families, and all others; in each dialect; for every path; with pace, use of
    content and sitemaps. What only some dialects read as needless is left as it is, and so is what
    cannot be proven within bounds. A note names the dialects.

    Exit status: 0 the result was printed or written, also if nothing can be simplified; 2 there is
    no result, also because the file is clearly not a robots.txt, such as an error page.
    """  # noqa: D301  click looks for the character that \b is
    if write and file == STANDARD_INPUT:
        message = "--write replaces a file, and - is standard input; redirect the output instead"
        raise goodbot.MisuseError(message)
    if write and as_diff:
        message = "--diff prints the changes and --write makes them; omit one"
        raise goodbot.MisuseError(message)
    robots = goodbot.RobotsTxt(read_input(file))
    # An error page has nothing to simplify, and --write would make it the robots.txt.
    warnings.of_file(robots, file, strict=True)
    result = simplified(robots, dialects=dialects or None)
    if result.refusal:
        message = f"{file} cannot be simplified: {result.refusal}"
        raise goodbot.MisuseError(message)
    if write:
        replace(file, result)
    else:
        print_bytes(diff_of(file, result) if as_diff else result.content)
    if sys.stderr is not None:
        notes(result, Printer(sys.stderr), explain=explain)
    return ExitStatus.ALLOWED


def replace(file: str, result: Simplification) -> None:
    """Write the result in place of the file, if it differs.

    Raises:
        StoreError: It cannot be written; the file is as it was.

    """
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  seldom needed

    if result.content != result.before:
        with atomic_file(file) as target:
            target.write(result.content)


def diff_of(file: str, result: Simplification) -> bytes:
    """Return the changes as a unified diff."""
    sides = [side.splitlines(keepends=True) for side in (result.before, result.content)]
    name = file.encode("utf-8", "surrogateescape")
    lines = difflib.diff_bytes(difflib.unified_diff, sides[0], sides[1], name, name)
    marked = b"\n\\ No newline at end of file\n"
    return b"".join(line if line.endswith(b"\n") else line + marked for line in lines)


def print_bytes(content: bytes) -> None:
    """Print bytes unchanged, or on a terminal so that they cannot control it."""
    if sys.stdout.isatty():
        printer = Printer(sys.stdout)
        for line in content.splitlines():
            printer.line(printable(line))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def notes(result: Simplification, printer: Printer, *, explain: bool) -> None:
    """Print what was simplified, and what could not be proven."""
    if explain:
        for part in result.changes:
            printer.note(str(part))
    before, after = (len(side.splitlines()) for side in (result.before, result.content))
    if result.changes:
        fewer = f"{counted(before - after, 'line')} and {counted(result.saved, 'byte')} fewer"
        dialects = listed_dialects(result.dialects)
        printer.note(f"{fewer}; proven to say the same to every robot in {dialects}")
    else:
        dialects = f"; compared in {listed_dialects(result.dialects)}" if result.dialects else ""
        printer.note(f"nothing was simplified{dialects}")
    if result.undecided:
        count = counted(len(result.undecided), "possible change")
        printer.note(
            f"{count} could not be proven within bounds, so these lines stay as they are; the "
            f"first: {result.undecided[0]}"
        )
    if not result.is_complete:
        printer.note("not everything was tried within bounds; there may be a smaller file")
