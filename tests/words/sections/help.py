"""What `--help` says: the program, and each of its commands."""

from collections.abc import Iterator
from copy import copy

import click

from goodbot.cli.program import program
from tests.words.writing import entry, heading

WIDTH = 80


def help_of(command: click.Command, words: str, parent: click.Context | None) -> Iterator[str]:
    """Yield the help of a command, then that of the commands below it."""
    command = copy(command)
    command._help_option = None  # noqa: SLF001  click keeps the one of the context that asked first
    settings = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, parent=parent, info_name=words, **settings)
    yield from heading(context.command_path)
    yield from entry(f"{context.command_path} --help", command.get_help(context))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from help_of(command.commands[name], name, context)


def lines() -> Iterator[str]:
    """Yield the help of every command."""
    yield from help_of(program, "goodbot", None)
