"""The program: its verbs, and how every failure becomes a message and an exit status."""

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
from goodbot.cli.shared.verb_groups import LazyVerb, VerbGroup

__all__ = ["module_of", "program", "run"]


SECTIONS = {
    "Start here": {
        "check": "Check whether a robot may fetch each URL, and show which rule decides.",
        "lint": (
            "Find mistakes in robots.txt files: rules that do nothing, and rules that do too much."
        ),
        "crawl": "Crawl sites, and index and archive what they allow.",
        "page": "Check who may index a page, and what else may be done with it.",
        "audit": "Judge by a server's log whether robots obeyed robots.txt.",
    },
    "I own a site": {
        "watch": "Crawl a site, and report what has changed since the last time that matters.",
        "rules": "Show the rules of a robots.txt for one robot, and what they mean.",
        "test": "Test a robots.txt against what you expect of it.",
        "diff": "Show what a change of robots.txt changes, and for which robots.",
        "simplify": "Print the smallest robots.txt that can be proven to say the same.",
        "gate": "Write robots.txt, header fields and licences from one declared policy.",
    },
    "I write a robot": {
        "policy": "Fetch a site's robots.txt and show what it means.",
        "serve": 'Answer "may I fetch?" over HTTP, for programs in any language.',
        "dialects": "List the dialects of robots.txt, or describe one.",
        "bots": "List the robots that goodbot knows, or describe one.",
        "robot": (
            "Explain your robot to site owners, keep it away from sites, or lend it to an "
            "assistant."
        ),
    },
    "I archive": {
        "status": "Show how far a crawl has come, and how long it will still take.",
        "search": "Search the pages of a crawl.",
        "report": "Write an HTML report on a crawl, or list what it did not fetch or found.",
        "links": "List the links of a crawl: which are broken, and on which pages they are.",
        "inventory": (
            "List the pages of a crawl: status, title, words, speed, links, and who forbids to "
            "index them."
        ),
        "evidence": "Show what a crawl did with a URL, and why.",
        "reconsider": "Check what is held already against what sites say today.",
        "archive": (
            "List, show, check, compact, repair or export the archive of a crawl, or import "
            "another."
        ),
        "fleet": "Crawl on many machines, which share their sites and their pace by PostgreSQL.",
    },
    "I have a table": {
        "tables": (
            "Build tables of every robots.txt by site and time, and judge columns of URLs by them."
        ),
    },
}
"""The verbs as help lists them: those that everyone needs, then by reader, with what each does.

Help loads no verb, so each summary stands here, too; it is the first sentence of the verb's help.
"""

VERBS = sorted(verb for verbs in SECTIONS.values() for verb in verbs)
OF_CRAWLS = {"crawl", "watch", *SECTIONS["I archive"]}
"""The verbs that make a crawl or read one."""
OF_SITES = {"audit", "diff", "gate", "lint", "rules", "simplify"}
"""The verbs for owners of a site, but those that everyone needs."""
WITH_OTHERS = {"page", "robot"}
"""The verbs with a folder of their own, which holds the verbs below them, too."""


def module_of(verb: str) -> str:
    """Return the module of a verb below `goodbot`; the command in it has its last name.

    >>> module_of("check"), module_of("archive"), module_of("robot")
    ('cli.verbs.check', 'crawl.verbs.archive', 'cli.verbs.robot.robot')
    """
    if verb in WITH_OTHERS:
        return f"cli.verbs.{verb}.{verb}"
    if verb == "tables":
        return "tables.verbs.tables"
    if verb in OF_CRAWLS:
        return f"crawl.verbs.{verb}"
    return f"site.verbs.{verb}" if verb in OF_SITES else f"cli.verbs.{verb}"


LAZY = {
    verb: LazyVerb(module_of(verb), summary)
    for verbs in SECTIONS.values()
    for verb, summary in verbs.items()
}


class Program(VerbGroup):
    """The group of all verbs, whose help lists them by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's interface
        """Write a list for each section."""
        longest = max(map(len, VERBS))
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{longest}}", summary) for name, summary in verbs.items()]
                )


@click.group(
    cls=Program,
    lazy=LAZY,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run 'goodbot COMMAND --help' for the options and exit statuses of a command.",
)
@click.version_option(goodbot.__version__, prog_name="goodbot", message="%(prog)s %(version)s")
def program() -> None:
    """Check what robots.txt and pages allow, and crawl sites politely.

    \b
    Examples:
      goodbot check --robots-txt robots.txt --robot ExampleBot https://example.com/page
      goodbot check --robot ExampleBot/1.0 https://example.com/page
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 --out shop
      goodbot search shop "brass lamp"
    """  # noqa: D301  click looks for the character that \b is


def run(arguments: Sequence[str] | None = None) -> ExitStatus:
    """Run the program. Any exception that leaves it is a bug.

    Args:
        arguments: The words after the program's name; those of this process by default.

    Returns:
        The exit status.

    """
    if sys.stdout is None:
        return complain(
            goodbot.MisuseError("standard output is closed; redirect it, for example to /dev/null")
        )
    prepare_output()
    try:
        status = program.main(arguments, prog_name="goodbot", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        silence_output()
        return ExitStatus.INTERRUPTED
    except SystemExit as leaving:
        # click exits with 0 after completing a word in a shell, and with 1 when a pipe is closed;
        # here 1 would mean "disallowed".
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
    """Make sure that everything printed is written, or that the failure is reported."""
    # Without a buffer (python -u) Python drops what a pipe or a disk does not accept at once.
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        encoding = sys.stdout.encoding
        raw: io.RawIOBase = sys.stdout.detach()  # type: ignore[union-attr] # it has a buffer
        whole = io.BufferedWriter(raw)
        sys.stdout = io.TextIOWrapper(whole, encoding=encoding, line_buffering=True)
        sys.__stdout__ = sys.stdout  # type: ignore[misc]  # `shutil` asks it for the width
    # A name or a URL may contain characters that the encoding of the output lacks.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def complain(error: Exception) -> ExitStatus:
    """Report an error on standard error, after everything that was printed before it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    silence_output()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif sys.stderr is not None:
        first, *others = error_messages.sentence(error, program.running).split("\n")
        printer = Printer(sys.stderr)
        with contextlib.suppress(OSError):
            printer.prose(f"Error: {first}", accent=Styled("Error:", "disallowed"))
            for line in others:  # a command is indented, and never wrapped
                (printer.line if line.startswith(" ") else printer.prose)(line)
    return ExitStatus.MISUSE


def silence_output() -> None:
    """Discard unwritten output, which the interpreter would otherwise try to write at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
