"""The options that several verbs share: one decorator each, so that they read alike everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["as_json", "dialect", "robot"]

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
