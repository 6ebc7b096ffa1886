"""The options that several verbs share: one decorator each, so that they read alike everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

import goodbot

__all__ = ["as_json", "dialect", "robot", "rules_for"]

Command = TypeVar("Command", bound=Callable[..., Any])


def robot(command: Command) -> Command:
    """Add `--robot`."""
    return click.option(
        "-r",
        "--robot",
        default="*",
        metavar="NAME",
        help="The robot: its product token (ExampleBot) or its whole User-Agent. "
        "Without it: *, any robot that has no group of its own.",
    )(command)


def rules_for(file: goodbot.RobotsTxt, robot: str) -> goodbot.Rules:
    """Take what one robot must obey from a file.

    Raises:
        MisuseError: `--robot` is no name.

    """
    try:
        return file.rules_for(robot)
    except goodbot.RobotNameError as error:
        if "URL" not in str(error):
            raise
        message = (
            f"--robot is a name such as ExampleBot, and {robot} is a URL; give that without -r"
        )
        raise goodbot.MisuseError(message) from error


def dialect(*, several: bool) -> Callable[[Command], Command]:
    """Add `--dialect`, which takes `all` where several dialects make sense."""
    every = "; 'all' compares them" if several else ""
    return click.option(
        "-d",
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        show_default=True,
        help=f"How the file is read; 'goodbot dialects' lists the ways{every}.",
    )


def as_json(what: str) -> Callable[[Command], Command]:
    """Add `--json`, and say what is printed."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print JSON: {what}.")
