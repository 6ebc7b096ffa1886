"""Manual pages, one a command, in the macros of man(7).

Scope: from click's commands to roff. `make man` writes them to build/man.
"""

import datetime as dt
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import goodbot
from goodbot.cli.program import program
from goodbot.cli.shared.exit_status import ExitStatus
from printing.of_commands import (
    MEANINGS,
    Verb,
    first_sentence,
    options,
    paragraphs,
    statuses,
    usage,
    verbs,
)

VARIABLES = {
    "GOODBOT_INFO_URL": "A page that explains the robot; the default of --info-url.",
    "GOODBOT_CONTACT": "How to reach the robot's operator; the default of --contact.",
    "NO_COLOR": "If set, nothing is printed in colour.",
}


def escaped(text: str) -> str:
    """Return a text of which roff changes nothing."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    text = re.sub(r"(?m)^(?=[.'])", r"\\&", text)
    return text.replace("\u2026", "...")


def page_name(verb: Verb) -> str:
    """Return the name of a command's page, such as goodbot-archive-check."""
    return verb.name.replace(" ", "-")


def heading(name: str, summary: str) -> Iterator[str]:
    """Yield the title of a page and what stands under NAME."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = dt.datetime.now(dt.timezone.utc)
    day = (dt.datetime.fromtimestamp(int(seconds), dt.timezone.utc) if seconds else now).date()
    yield f'.TH {escaped(name.upper())} 1 {day} "goodbot {goodbot.__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"{escaped(name)} \\- {escaped(summary.rstrip('.'))}"


def man_page(verb: Verb) -> Iterator[str]:
    """Yield the page of one command."""
    yield from heading(page_name(verb), first_sentence(verb))
    yield ".SH SYNOPSIS"
    called, *words = re.split(rf"(?<=^{re.escape(verb.name)}) ", usage(verb))
    yield f".B {escaped(called)}"
    yield from map(escaped, words)
    yield ".SH DESCRIPTION"
    yield from description(list(paragraphs(verb)))
    yield ".SH OPTIONS"
    for option in options(verb):
        yield ".TP"
        yield f".B {escaped(option.spelling)}"
        yield escaped(option.meaning)
    yield from exit_statuses(statuses(verb))
    yield ".SH SEE ALSO"
    yield ".BR goodbot (1)"


def description(blocks: Sequence[tuple[bool, str]]) -> Iterator[str]:
    """Yield the paragraphs of a help; those that keep their lines keep them here, too."""
    shown = [block for block in blocks if not block[1].startswith("Exit status:")]
    for number, (keeps, text) in enumerate(shown):
        if keeps:
            head, _, rest = text.partition("\n")
            yield ".PP"
            yield escaped(head.strip())
            yield ".PP"
            yield ".nf"
            yield from map(escaped, rest.splitlines())
            yield ".fi"
        else:
            if number:
                yield ".PP"
            yield escaped(text)


def exit_statuses(stated: dict[int, str]) -> Iterator[str]:
    """Yield the exit statuses: as the command states them, then those of every command."""
    yield ".SH EXIT STATUS"
    for status in ExitStatus:
        if status != ExitStatus.DISALLOWED or status in stated:
            yield ".TP"
            yield f".B {int(status)}"
            yield escaped(stated.get(status, MEANINGS[status]))


def main_page() -> Iterator[str]:
    """Yield the page of the program, which lists the others."""
    summary = " ".join((program.help or "").split("\n\n")[0].split())
    yield from heading("goodbot", summary)
    yield ".SH SYNOPSIS"
    yield ".B goodbot"
    yield "[OPTIONS] COMMAND [ARGS]..."
    yield ".SH DESCRIPTION"
    yield escaped(summary)
    yield ".SH COMMANDS"
    every = list(verbs())
    for verb in every:
        yield ".TP"
        yield f".BR {escaped(page_name(verb))} (1)"
        yield escaped(first_sentence(verb))
    yield from exit_statuses({status: MEANINGS[status] for status in ExitStatus})
    yield ".SH ENVIRONMENT"
    for name, meaning in VARIABLES.items():
        yield ".TP"
        yield f".B {name}"
        yield escaped(meaning)
    yield ".SH SEE ALSO"
    yield from (
        f".BR {escaped(page_name(verb))} (1){'' if verb is every[-1] else ','}" for verb in every
    )


def man_pages() -> Iterator[tuple[str, str]]:
    """Yield the name of every file with its text."""
    yield "goodbot.1", "\n".join(main_page()) + "\n"
    for verb in verbs():
        yield f"{page_name(verb)}.1", "\n".join(man_page(verb)) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the pages into a folder, and return the exit status."""
    if len(arguments) != 1:
        print("usage: python docs/man.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"The manual pages are in {folder}: man -l {folder}/goodbot.1")
    return 0
