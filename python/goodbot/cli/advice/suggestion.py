"""Commands that messages suggest.

Scope: one command line, quoted for a shell, that keeps what the user typed.
"""

import shlex
from collections.abc import Collection, Iterator

import click
from click.core import ParameterSource

__all__ = ["OF_A_FILE", "suggest"]

OF_A_FILE = ("urls", "url_file", "robot", "dialect", "explain", "strict", "as_json")
"""The parameters that `goodbot check` of a file shares with that of a site."""


def suggest(
    *words: str, verb: str = "", keep: Collection[str] | None = None, drop: Collection[str] = ()
) -> str:
    """Return a command that repeats the user's own options and arguments, quoted for a shell.

    Options that come from an environment variable or a default are not repeated: they hold anyway.

    Args:
        words: The options and arguments to add. An option among them replaces the user's own,
            unless it can be repeated.
        verb: The verb to suggest, such as `archive repair`; the one that is running by default.
        keep: The names of the parameters to repeat, such as `allow_private`. All by default, and
            none when another verb is suggested.
        drop: The names of those not to repeat.

    """
    context = click.get_current_context(silent=True)
    if verb and keep is None:
        keep = ()
    options: list[str] = []
    arguments: list[str] = []
    for parameter in [] if context is None else context.command.params:
        assert context is not None  # noqa: S101  there are no parameters without it
        if parameter.name in drop or (keep is not None and parameter.name not in keep):
            continue
        if context.get_parameter_source(parameter.name or "") is not ParameterSource.COMMANDLINE:
            continue
        value = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument):
            arguments += map(str, value if isinstance(value, tuple) else [value])
        elif getattr(parameter, "multiple", False) or not set(words).intersection(parameter.opts):
            options += typed(parameter, value)
    command = ["goodbot", verb] if verb else command_path(context)
    behind = ["--", *arguments] if any(word.startswith("-") for word in arguments) else arguments
    return " ".join([*command, shlex.join([*words, *options, *behind])]).rstrip()


def command_path(context: click.Context | None) -> list[str]:
    """Return the words of the verb that is running."""
    return ["goodbot"] if context is None else ["goodbot", *context.command_path.split()[1:]]


def typed(parameter: click.Parameter, value: object) -> Iterator[str]:
    """Yield the words by which an option was given."""
    name = max(parameter.opts, key=len)
    if getattr(parameter, "is_flag", False):
        yield name if value else max(parameter.secondary_opts, key=len)
        return
    for one in value if isinstance(value, tuple) else [value]:
        yield name
        yield f"{one:g}" if isinstance(one, float) and float(f"{one:g}") == one else str(one)
