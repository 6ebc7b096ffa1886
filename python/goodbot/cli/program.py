"""The program: its verbs, and how every failure becomes a message and an exit status."""

import contextlib
import importlib
import io
import keyword
import os
import sys
from collections.abc import Sequence

import click

import goodbot
from goodbot.cli.advice.near_misses import VerbGroup, short_help
from goodbot.cli.shared import error_messages
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled

__all__ = ["module_of", "program", "run"]


SECTIONS = {
    "Check robots.txt": (
        "check",
        "policy",
        "rules",
        "test",
        "diff",
        "simplify",
        "dialects",
        "bots",
        "lint",
    ),
    "Check tables of URLs": ("policies", "verdicts"),
    "Check logs": ("audit", "suggest"),
    "Check pages": ("page", "uses", "convert", "profile"),
    "Crawl": (
        "crawl",
        "search",
        "show",
        "report",
        "links",
        "inventory",
        "compare",
        "evidence",
        "skipped",
        "findings",
        "archive",
        "export",
        "import",
    ),
    "Serve a policy": ("gate",),
    "Run a robot": ("robot-page", "mcp", "block", "pause", "resume", "forget"),
}
"""The verbs as help lists them."""

OF_CRAWLS = {*SECTIONS["Crawl"], "block", "pause", "resume", "forget"}
"""The verbs that make a crawl, read one or change how it goes on."""

VERBS = sorted(verb for verbs in SECTIONS.values() for verb in verbs)


def module_of(verb: str) -> str:
    """Return the module of a verb below `goodbot.cli.verbs`; the command in it has its last name.

    >>> module_of("robot-page"), module_of("import")
    ('robot_page', 'crawls.import_')
    """
    name = verb.replace("-", "_")
    name = f"{name}_" if keyword.iskeyword(name) else name
    return f"crawls.{name}" if verb in OF_CRAWLS else name


class Program(VerbGroup):
    """The group of all verbs, whose help lists them by section.

    A verb is imported when it is first asked for: to load all of them takes longer than most of
    them run.
    """

    running: click.Command | None = None
    """The verb that runs, or ran last."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first word names, and remember it for messages."""
        name, verb, rest = super().resolve_command(ctx, args)
        self.running = verb
        return name, verb, rest

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's interface
        """Return the names of all verbs."""
        return VERBS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a verb; `None` if there is none of this name."""
        if cmd_name not in VERBS:
            return None
        place = module_of(cmd_name)
        module = importlib.import_module(f"goodbot.cli.verbs.{place}")
        verb: click.Command = getattr(module, place.rpartition(".")[2])
        return verb

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list for each section."""
        longest = max(map(len, VERBS))
        for title, names in SECTIONS.items():
            verbs = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(f"{name:<{longest}}", short_help(verb)) for name, verb in verbs if verb]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(
    cls=Program,
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
