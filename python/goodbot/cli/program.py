"""The program: its verbs, and what becomes of everything that can go wrong."""

import contextlib
import io
import os
import sys
from collections.abc import Sequence

import click

import goodbot
from goodbot.cli.shared import error_messages
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.verbs.archive import archive
from goodbot.cli.verbs.block import block
from goodbot.cli.verbs.check import check
from goodbot.cli.verbs.convert import convert
from goodbot.cli.verbs.crawl import crawl
from goodbot.cli.verbs.dialects import dialects
from goodbot.cli.verbs.evidence import evidence
from goodbot.cli.verbs.findings import findings
from goodbot.cli.verbs.forget import forget
from goodbot.cli.verbs.page import page
from goodbot.cli.verbs.pause import pause
from goodbot.cli.verbs.policy import policy
from goodbot.cli.verbs.profile import profile
from goodbot.cli.verbs.report import report
from goodbot.cli.verbs.resume import resume
from goodbot.cli.verbs.robot_page import robot_page
from goodbot.cli.verbs.rules import rules
from goodbot.cli.verbs.search import search
from goodbot.cli.verbs.show import show
from goodbot.cli.verbs.skipped import skipped

__all__ = ["program", "run"]


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 every URL is allowed, 1 some URL is not, 2 there is no answer.",
)
@click.version_option(goodbot.__version__, prog_name="goodbot", message="%(prog)s %(version)s")
def program() -> None:
    """Crawl as each site allows, search what came of it, and say who allowed what.

    \b
    Examples:
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 --out shop
      goodbot search shop "brass lamp"
      goodbot check --robot ExampleBot/1.0 https://example.com/page
      goodbot policy https://example.com/
      curl -sSfL -o robots.txt https://example.com/robots.txt
      goodbot check --robots-txt robots.txt --robot ExampleBot https://example.com/page
    """  # noqa: D301  click looks for the character that \b is


program.add_command(check)
program.add_command(policy)
program.add_command(rules)
program.add_command(page)
program.add_command(convert)
program.add_command(profile)
program.add_command(dialects)
program.add_command(crawl)
program.add_command(block)
program.add_command(pause)
program.add_command(resume)
program.add_command(forget)
program.add_command(show)
program.add_command(archive)
program.add_command(evidence)
program.add_command(skipped)
program.add_command(findings)
program.add_command(report)
program.add_command(search)
program.add_command(robot_page)


def run(arguments: Sequence[str] | None = None) -> ExitStatus:
    """Run the program, and never raise but for a bug.

    Args:
        arguments: The words behind the program's name; those of this process by default.

    Returns:
        The exit status.

    """
    if sys.stdout is None:
        return complain(
            goodbot.MisuseError("standard output is closed; open it, if only to /dev/null")
        )
    prepare_output()
    try:
        status = program.main(arguments, prog_name="goodbot", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        silence_output()
        return ExitStatus.INTERRUPTED
    except SystemExit as leaving:
        # click leaves so with 0 from completing words in a shell, and with 1 from a closed pipe;
        # 1 says "disallowed" here.
        if leaving.code:
            silence_output()
        return ExitStatus.PIPE_CLOSED if leaving.code else ExitStatus.ALLOWED
    except BrokenPipeError:
        silence_output()
        return ExitStatus.PIPE_CLOSED
    except error_messages.FAILURES as error:
        return complain(error)
    return ExitStatus(status or 0)


def prepare_output() -> None:
    """See that all of what is printed arrives, or that it is told."""
    # Without a buffer (python -u) Python passes over what a pipe or a disk did not take at once.
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        encoding = sys.stdout.encoding
        raw: io.RawIOBase = sys.stdout.detach()  # type: ignore[union-attr] # it has a buffer
        whole = io.BufferedWriter(raw)
        sys.stdout = io.TextIOWrapper(whole, encoding=encoding, line_buffering=True)
    # A name or a URL may have characters that the encoding of the output lacks.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def complain(error: Exception) -> ExitStatus:
    """Say on standard error what went wrong, behind what was printed before."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    silence_output()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif sys.stderr is not None:
        first, *others = error_messages.sentence(error).split("\n")
        printer = Printer(sys.stderr)
        with contextlib.suppress(OSError):
            printer.prose(f"Error: {first}", accent=Styled("Error:", "disallowed"))
            for line in others:
                printer.line(f"  {line}")
    return ExitStatus.MISUSE


def silence_output() -> None:
    """Drop what is still to be written: on leaving, the interpreter would try again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
