"""Groups of verbs, which load a verb when it is first asked for.

Scope: from the first word behind a group to the command of that name. To load all verbs takes
longer than most of them run, and help lists them by their summaries alone.
"""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from goodbot.cli.advice.near_misses import RENAMED, no_such_verb

__all__ = ["LazyVerb", "VerbGroup", "VerbWithOthers", "complete_verbs"]

LONGEST_SENTENCE = 1_000
"""The most characters of the sentence that says what a verb does: all of it."""


class LazyVerb(NamedTuple):
    """A verb that is not loaded yet."""

    module: str
    """Its module below `goodbot`; the command in it has the module's last name."""
    summary: str
    """The first sentence of its help."""

    def load(self) -> click.Command:
        """Import the module and return the command."""
        module = importlib.import_module(f"goodbot.{self.module}")
        verb: click.Command = getattr(module, self.module.rpartition(".")[2])
        return verb


class VerbGroup(click.Group):
    """A group of verbs, some of them lazy, that suggests one when a verb does not exist."""

    running: click.Command | None = None
    """Of the program: the verb that runs, or ran last."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  click's parameters
        lazy: Mapping[str, LazyVerb] | None = None,
        **attrs: Any,  # noqa: ANN401  the same
    ) -> None:
        """Make a group of the verbs that are added to it, and of those in `lazy`."""
        super().__init__(*args, **attrs)
        self.lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all verbs, sorted."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb; `None` if there is none of this name."""
        if cmd_name in self.lazy:
            return self.lazy[cmd_name].load()
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first word names, and remember it for messages.

        Raises:
            UsageError: There is no such verb.

        """
        word = args[0]
        verbs = self.list_commands(ctx)
        if ctx.parent is None and word in RENAMED:
            new = RENAMED[word]
            click.echo(f"note: {ctx.command_path} {word} is now {ctx.command_path} {new}", err=True)
            word, *below = new.split()
            args = [word, *below, *args[1:]]
        if word not in verbs and not word.startswith("-"):
            raise click.UsageError(no_such_verb(word, verbs, ctx.command_path), ctx)
        name, verb, rest = super().resolve_command(ctx, args)
        remember(ctx, verb)
        return name, verb, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each verb does, in as many lines as that takes."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(name)) for name in self.list_commands(ctx)])

    def summary(self, name: str) -> str:
        """Return the first sentence of a verb's help, uncut."""
        if name in self.lazy:
            return self.lazy[name].summary
        return self.commands[name].get_short_help_str(LONGEST_SENTENCE)


class VerbWithOthers(VerbGroup):
    """A verb that does something itself, with other verbs below it.

    Its first word is looked up among those; any other word is an argument of the verb itself. A
    file with the name of such a verb is written with its folder, as in `./convert`.
    """

    # As of a command; options of a group stand before the verb, and other words follow it.
    allow_interspersed_args = True
    allow_extra_args = False

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401  click's parameters
    ) -> click.Context:
        """Return the context of the verb below that the first word names, else that of this one."""
        if not args or args[0] not in self.list_commands(click.Context(self)):
            return super().make_context(info_name, args, parent, **extra)
        above = click.Context(self, info_name=info_name, parent=parent, **self.context_settings)
        name, verb, rest = self.resolve_command(above, args)
        assert verb is not None  # noqa: S101  its name was listed
        return verb.make_context(name, rest, parent=above, **extra)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of this verb; the path of a verb below has none of them."""
        return super().get_params(ctx) if ctx.command is self else []

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments of the verb itself."""
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  click's result
        """Run the verb itself."""
        return click.Command.invoke(self, ctx)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage of the verb itself."""
        return click.Command.collect_usage_pieces(self, ctx)


def complete_verbs(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001  click's interface
    incomplete: str,
) -> list[CompletionItem]:
    """Return the verbs below a verb with which its first argument may be completed in a shell."""
    group = ctx.command
    assert isinstance(group, VerbGroup)  # noqa: S101  it is an argument of one
    names = [name for name in group.list_commands(ctx) if name.startswith(incomplete)]
    return [CompletionItem(name, help=group.summary(name)) for name in names]


def remember(context: click.Context, verb: click.Command | None) -> None:
    """Note at the program which verb runs."""
    program = context.find_root().command
    if isinstance(program, VerbGroup):
        program.running = verb
