"""The pages on the command: every verb with its options, and what each exit status means.

Scope: from click's commands to Markdown. The words are those of the commands' own help.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import click

from goodbot.cli.program import program
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.verb_groups import VerbWithOthers
from printing.as_markdown import code, table

PREFORMATTED = "\b"
"""The line by which click keeps the lines of a paragraph as they are written."""
STATEMENT = re.compile(r"Exit status: (.*)", re.DOTALL)
STATUS = re.compile(r"(?:^|[,;]\s+)(\d+)\s+(.*?)(?=[,;]\s+\d+\s|$)", re.DOTALL)

COMMANDS = """\
# The command

For users of `goodbot` on the command line: every verb, argument and option.

Looking for a verb? See [the list](#verbs). Looking for what a number at the end means? See [exit statuses](exit-statuses.md).
Looking for the keys of `--json`? See [JSON output](json.md). `goodbot VERB --help` prints the same in a terminal.

## Verbs
"""

EXIT_STATUSES = """\
# Exit statuses

For scripts that call `goodbot` and read no text: what each verb's exit status means.

Looking for a verb? Its row says what 0, 1 and 3 mean there. Every verb ends with 2 when it has no answer, with 130 when it is interrupted, and with 141 when the
reader of its output has gone away.
"""


class Verb(NamedTuple):
    """One command with everything that click knows of it."""

    name: str
    """As it is typed, such as `goodbot archive check`."""
    command: click.Command
    context: click.Context


class Option(NamedTuple):
    """One argument or option, in words."""

    spelling: str
    meaning: str


def verbs(
    command: click.Command = program,
    name: str = "goodbot",
    above: click.Context | None = None,
    *,
    with_groups: bool = False,
) -> Iterator[Verb]:
    """Yield every command that does something, in the order of the alphabet.

    Groups that only have others below them are omitted, unless `with_groups` is true.
    """
    settings = command.context_settings
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=above, **settings)
    if not isinstance(command, click.Group):
        yield Verb(name, command, context)
        return
    if with_groups or isinstance(command, VerbWithOthers):
        yield Verb(name, command, context)
    for part in command.list_commands(context):
        under = command.get_command(context, part)
        if under is not None and not under.hidden:
            yield from verbs(under, f"{name} {part}", context, with_groups=with_groups)


def paragraphs(verb: Verb) -> Iterator[tuple[bool, str]]:
    """Yield the paragraphs of a verb's help, and whether each keeps its lines as they are."""
    for paragraph in re.split(r"\n\s*\n", (verb.command.help or "").strip()):
        keeps = paragraph.lstrip().startswith(PREFORMATTED)
        lines = paragraph.strip().removeprefix(PREFORMATTED)
        yield keeps, lines.strip("\n") if keeps else " ".join(lines.split())


def usage(verb: Verb) -> str:
    """Return the line that says how a verb is called."""
    return f"{verb.name} {' '.join(verb.command.collect_usage_pieces(verb.context))}"


def options(verb: Verb) -> list[Option]:
    """Return what a verb's help lists: its options, and the arguments that it explains."""
    found = []
    for parameter in verb.command.get_params(verb.context):
        record = parameter.get_help_record(verb.context)
        if record is not None and record[1]:
            found.append(Option(*record))
    return found


def statuses(verb: Verb) -> dict[int, str]:
    """Return what the statuses of a verb mean, as its help says it."""
    stated = STATEMENT.search((verb.command.help or "") + "\n" + (verb.command.epilog or ""))
    if stated is None:
        return {}
    sentence = " ".join(stated[1].split()).removesuffix(".")
    return {int(number): meaning for number, meaning in STATUS.findall(sentence)}


def prose(text: str) -> str:
    """Return a paragraph of help as Markdown, where no character but a backtick has a meaning."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part
        if part.startswith("`")
        else re.sub(r"([*_\[\]\\])", r"\\\1", part.replace("<", "&lt;"))
        for part in parts
    )


def command_page() -> Iterator[str]:
    """Yield every verb with its arguments and options."""
    every = list(verbs())
    yield from COMMANDS.splitlines()
    yield ""
    rows = [[f"[`{one.name}`](#{anchor(one)})", prose(first_sentence(one))] for one in every]
    yield from table(["command", "what it does"], rows)
    for one in verbs(with_groups=True):
        yield from verb_section(one)


def anchor(verb: Verb) -> str:
    """Return the anchor of a verb's heading."""
    return verb.name.replace(" ", "-")


def first_sentence(verb: Verb) -> str:
    """Return the first paragraph of a verb's help."""
    return next(paragraphs(verb))[1]


def verb_section(verb: Verb) -> Iterator[str]:
    """Yield one verb: how it is called, what it does, its options."""
    yield f"## {verb.name}"
    yield ""
    yield from fenced(usage(verb))
    for keeps, text in paragraphs(verb):
        if not keeps:
            yield prose(text)
            yield ""
            continue
        head, _, rest = text.partition("\n")
        yield prose(head.strip())
        yield ""
        yield from fenced(rest)
    rows = [[code(one.spelling), prose(one.meaning)] for one in options(verb)]
    yield from table(["option", "meaning"], rows)


def fenced(text: str) -> Iterator[str]:
    """Yield a block of text that stays as it is."""
    yield "```text"
    indent = min((len(line) - len(line.lstrip()) for line in text.splitlines() if line), default=0)
    yield from (line[indent:].rstrip() for line in text.splitlines())
    yield "```"
    yield ""


def exit_statuses_page() -> Iterator[str]:
    """Yield what each verb's exit status means."""
    yield from EXIT_STATUSES.splitlines()
    yield ""
    rows = []
    for one in verbs():
        stated = statuses(one)
        done = stated.get(ExitStatus.ALLOWED, "it is done")
        others = [
            stated.get(number, "—") for number in (ExitStatus.DISALLOWED, ExitStatus.INCOMPLETE)
        ]
        rows.append([code(one.name), done, *others])
    yield from table(["command", "0", "1", "3"], rows)
    yield "## Statuses of every verb"
    yield ""
    yield from table(["status", "meaning"], [[str(int(one)), MEANINGS[one]] for one in ExitStatus])


MEANINGS = {
    ExitStatus.ALLOWED: "The answer is yes, or what you asked for is done.",
    ExitStatus.DISALLOWED: "The answer is no: a URL is disallowed, nothing was found, something is wrong with what was checked.",
    ExitStatus.MISUSE: "There is no answer: a wrong argument, an unreadable file, an unreachable site, a full disk. Standard error says what to do. If some URLs have an answer and others have none, it is 2, even if one of them is disallowed. So it is if `goodbot reconsider` asked a site that gave no answer, also when it wrote what may stay by the other answers.",
    ExitStatus.INCOMPLETE: "Of `goodbot crawl --strict` and `goodbot watch --strict`: the crawl ended, but some URLs could not be fetched; without `--strict` it is 0. Of `goodbot bots update`: some lists could not be fetched.",
    ExitStatus.INTERRUPTED: "You stopped it with Ctrl-C. A crawl also ends with it after SIGTERM or SIGHUP; nothing is lost.",
    ExitStatus.PIPE_CLOSED: "The program that read its output ended first, as in `goodbot ... | head -1`.",
}
