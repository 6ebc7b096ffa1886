"""What `--help` says: the program, and each of its commands."""

from collections.abc import Iterator

import click

from goodbot.cli.program import program
from tests.words.writing import entry, heading

WIDTH = 80


def help_of(command: click.Command, words: str, parent: click.Context | None) -> Iterator[str]:
    """Yield the help of a command, then that of the commands below it."""
    settings = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, parent=parent, info_name=words, **settings)
    yield from heading(context.command_path)
    yield from entry(f"{context.command_path} --help", command.get_help(context))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if under := command.get_command(context, name):
                yield from help_of(under, name, context)


def lines() -> Iterator[str]:
    """Yield the help of every command."""
    yield from help_of(program, "goodbot", None)
