"""What went wrong, in one line that tells the cure: the only place that knows."""

import errno

import click

import goodbot

__all__ = ["FAILURES", "NOT_PUBLIC", "REFUSED_HERE", "sentence"]

FAILURES = (click.ClickException, goodbot.GoodbotError, OSError)
"""What a verb may raise; anything else is a bug and keeps its traceback."""

NOT_PUBLIC = (
    "Only public addresses are visited; --allow-private adds private networks, --allow-network "
    "another one."
)
"""What can be done where an address is refused."""

REFUSED_HERE = {"private-address", "failure-private-address"}
"""Reasons of a crawl that visited nothing since this machine refused every address."""

CURES = {
    errno.ENOENT: "there is no such file; check the path, or give - for standard input",
    errno.EISDIR: "it is a directory; name the robots.txt file in it",
    errno.EACCES: "it may not be read; change its permissions, or run as one who may",
    errno.EFBIG: "it is over 64 MiB; no robots.txt is that large",
}


def sentence(error: Exception) -> str:
    """Say what went wrong and what to do about it.

    Args:
        error: One of `FAILURES`.

    Returns:
        One line, with foreign text in it that is not yet escaped.

    """
    if isinstance(error, click.UsageError) and error.ctx is not None:
        # Click lists choices a line each, with tabs.
        told = " ".join(error.format_message().split())
        return f"{told} See {error.ctx.command_path} --help."
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return of_system(error)
    return str(error)


def of_system(error: OSError) -> str:
    """Say what the system refused. Whoever reads sets `filename`; only writing leaves it out."""
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"the output could not be written: {reason}"
    name = str(error.filename)
    if error.errno == errno.ENOENT and "://" in name:
        return (
            f"cannot read {name}: files are read, not fetched; "
            f"save it first: curl -sSfL -o robots.txt {name}"
        )
    return f"cannot read {name}: {CURES.get(error.errno or 0, reason)}"
