"""Options and verbs that do not exist, and the ones that were probably meant."""

import shlex
from collections.abc import Iterable, Iterator

import click

__all__ = ["RENAMED", "no_such_option", "no_such_verb"]

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

RENAMED = {
    "policies": "tables",
    "verdicts": "tables verdicts",
    "robot-page": "robot page",
    "block": "robot block",
    "pause": "robot pause",
    "resume": "robot resume",
    "forget": "robot forget",
    "mcp": "robot mcp",
    "convert": "page convert",
    "profile": "page profile",
    "uses": "page uses",
    "export": "archive export",
    "import": "archive import",
    "show": "archive show",
    "compare": "report compare",
    "findings": "report findings",
    "skipped": "report skipped",
    "suggest": "audit suggest",
}
"""Earlier names of verbs, which go on working, with a note that says the new one."""


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
    root = context.find_root()
    every = verbs_of(root.command, root)
    owners = [verb for verb, command in every if name in options_of(command)]
    if not owners:
        return f"No such option {name}."
    listed = ", ".join(f"goodbot {verb}" for verb in owners)
    return f"No such option {name}. It is an option of {listed}."


def verbs_of(
    command: click.Command, context: click.Context, name: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Yield every verb below a command with its name, such as `archive check`."""
    if name:
        yield name, command
    if isinstance(command, click.Group):
        for part in command.list_commands(context):
            if below := command.get_command(context, part):
                yield from verbs_of(below, context, f"{name} {part}".strip())


def options_of(command: click.Command) -> list[str]:
    """Return the long names of a command's options."""
    names = [name for one in command.params for name in (*one.opts, *one.secondary_opts)]
    return [*(name for name in names if name.startswith("--")), "--help"]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of the known words; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  only mistakes need it

    near = get_close_matches(word.lower(), known, n=1, cutoff=NEARNESS)
    return f" Did you mean {near[0]}?" if near else ""
