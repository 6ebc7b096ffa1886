"""Error messages: what went wrong and how to fix it, in one line.

Scope: every exception that a verb may raise, in words.
"""

import errno
import shlex

import click

import goodbot
from goodbot.cli.advice.near_misses import no_such_option
from goodbot.notes import ResultNote

__all__ = ["FAILURES", "NOT_PUBLIC", "REFUSED_HERE", "sentence", "with_options"]

FAILURES = (click.ClickException, goodbot.GoodbotError, OSError)
"""What a verb may raise; anything else is a bug and keeps its traceback."""

NOT_PUBLIC = (
    "Only public addresses are visited. Add --allow-private to visit private networks, or "
    "--allow-network CIDR to visit one network."
)
"""How to visit an address that was refused."""

REFUSED_HERE = {"private-address", "failure-private-address"}
"""Reasons of a crawl that visited nothing because goodbot refused every address."""

CURES = {
    errno.ENOENT: "no such file; check the path, or write - for standard input",
    errno.EISDIR: "it is a directory; name a file in it",
    errno.EACCES: "permission denied; change the file's permissions, or run as a user who can "
    "read it",
    errno.EFBIG: "it is larger than 64 MiB, and no robots.txt file is that large",
}
"""How to fix a failure to read a file, by its number."""


def options_by_setting(command: click.Command | None) -> dict[str, str]:
    """Return the option of each setting that a verb has.

    Settings have the name of the option, unless the verb says otherwise (`options_by_setting`).
    """
    return {
        option.name or "": max(option.opts, key=len)
        for option in ([] if command is None else command.params)
        if isinstance(option, click.Option)
    } | getattr(command, "options_by_setting", {})


def with_options(note: str) -> str:
    """Return a note of a result; one that names settings names the options of this command."""
    command = click.get_current_context().command
    return note.with_options(options_by_setting(command)) if isinstance(note, ResultNote) else note


def sentence(error: Exception, command: click.Command | None = None) -> str:
    """Return what went wrong and how to fix it.

    Args:
        error: One of `FAILURES`.
        command: The verb that ran, whose options the message names; `None` if none did.

    Returns:
        One line. Text from outside in it is not escaped yet.

    """
    if isinstance(error, click.UsageError) and error.ctx is not None:
        told = error.format_message()
        if isinstance(error, click.NoSuchOption):
            told = no_such_option(error.option_name, error.ctx)
        # Click lists choices a line each, with tabs.
        return f"{' '.join(told.split())} See {error.ctx.command_path} --help."
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return of_system(error)
    if isinstance(error, goodbot.GoodbotError):
        return error.message_with(options_by_setting(command))
    return str(error)


def of_system(error: OSError) -> str:
    """Return what the system refused: a file to be read, or, without a name, the output."""
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"the output could not be written: {reason}"
    name = str(error.filename)
    if error.errno == errno.ENOENT and "://" in name:
        return (
            f"cannot read {name}: this is a URL, not a file; "
            f"download it first: curl -sSfL -o robots.txt {shlex.quote(name)}"
        )
    return f"cannot read {name}: {CURES.get(error.errno or 0, reason)}"
