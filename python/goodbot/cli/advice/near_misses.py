"""Options and verbs that do not exist, and the ones that were probably meant."""

import shlex
from collections.abc import Iterable, Iterator

import click

__all__ = ["VerbGroup", "no_such_option"]

NEARNESS = 0.7
"""How alike two words are, from 0 to 1, when one is suggested for the other."""

SYNONYMS = {
    "--agent": "--robot",
    "--bot": "--robot",
    "--user-agent": "--robot",
    "--useragent": "--robot",
    "--file": "--robots-txt",
    "--delay": "--pause",
    "--wait": "--pause",
    "--dir": "--out",
    "--folder": "--out",
    "--depth": "--max-depth",
}
"""Options of other programs, and what they are called here."""


LONGEST_SENTENCE = 1_000
"""The most characters of the sentence that says what a verb does: all of it."""


class VerbGroup(click.Group):
    """A group of verbs that suggests one when a verb does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first word names.

        Raises:
            UsageError: There is no such verb.

        """
        word = args[0]
        if self.get_command(ctx, word) is None and not word.startswith("-"):
            raise click.UsageError(
                no_such_verb(word, self.list_commands(ctx), ctx.command_path), ctx
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each verb does, in as many lines as that takes."""
        verbs = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, short_help(verb)) for name, verb in verbs if verb])


def short_help(verb: click.Command) -> str:
    """Return the first sentence of a verb's help, uncut."""
    return verb.get_short_help_str(LONGEST_SENTENCE)


def no_such_verb(word: str, verbs: Iterable[str], path: str) -> str:
    """Return that there is no such verb, and which one was probably meant."""
    if "://" in word:
        url = shlex.quote(word)
        return f"Name a verb before the URL: {path} check {url}, or {path} crawl {url}."
    return f"No such command {word}.{did_you_mean(word, verbs)}"


def no_such_option(name: str, context: click.Context) -> str:
    """Return that a verb has no such option, and which one was meant or which verb has it."""
    here = options_of(context.command)
    synonym = SYNONYMS.get(name, "")
    meant = f" Did you mean {synonym}?" if synonym in here else did_you_mean(name, here)
    if meant:
        return f"No such option {name}.{meant}"
    owners = [verb for verb, command in verbs_of(context) if name in options_of(command)]
    if not owners:
        return f"No such option {name}."
    listed = ", ".join(f"goodbot {verb}" for verb in owners)
    return f"No such option {name}. It is an option of {listed}."


def verbs_of(context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Yield every verb of the program with its name."""
    root = context.find_root()
    if isinstance(root.command, click.Group):
        for name in root.command.list_commands(root):
            if command := root.command.get_command(root, name):
                yield name, command


def options_of(command: click.Command) -> list[str]:
    """Return the long names of a command's options."""
    names = [name for one in command.params for name in (*one.opts, *one.secondary_opts)]
    return [*(name for name in names if name.startswith("--")), "--help"]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of the known words; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  only mistakes need it

    near = get_close_matches(word.lower(), known, n=1, cutoff=NEARNESS)
    return f" Did you mean {near[0]}?" if near else ""
