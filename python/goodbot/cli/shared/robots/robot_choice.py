"""Several robots on a command line: `--robot` more than once, and `--robots`.

Scope: from the words that were typed to names. What is known of the robots is in `goodbot.bots`.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.printing import printable
from goodbot.files.file_input import read_input

__all__ = ["chosen_robots", "named_robots", "note_near_misses", "robots_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

ANY_ROBOT = "*"
NO_FILE = goodbot.RobotsTxt(b"")

PART = re.compile(r"[\w.*-]+(?:/[\w.]+)?")
"""A part of a list of names: a product token, with or without a version."""

FIELD = re.compile(r"[\w-]+\s*:(?!//)")
"""How a line of robots.txt begins."""

NEARNESS = 0.88
"""How alike a name and a known one are, from 0 to 1, when it is probably a typing mistake."""
MOST_SOUGHT = 100
"""The most names that are each compared with those of all known robots: a file may have 100,000."""


def robots_options(command: Command) -> Command:
    """Add `--robot`, repeatable, and `--robots`."""
    command = click.option(
        "--robots",
        "robot_sets",
        metavar="SET|FILE",
        multiple=True,
        help="Check for several robots: ai, search, all, a purpose such as seo ('goodbot bots' "
        "lists them), or a file with one name per line. Repeatable.",
    )(command)
    return click.option(
        "-r",
        "--robot",
        "robot",
        metavar="NAME",
        multiple=True,
        help="The robot to check for: its product token (ExampleBot) or its whole User-Agent. The "
        "default, *, is any robot that has no group of its own. Repeatable.",
    )(command)


def chosen_robots(names: Sequence[str], sets: Sequence[str]) -> tuple[str, ...]:
    """Return the robots that are asked about, each once, in the order in which they were named.

    Args:
        names: The values of `--robot`. `GPTBot,Googlebot` are two robots.
        sets: The values of `--robots`.

    Raises:
        MisuseError: A name is none, or there is neither such a set nor such a file.
        OSError: A file cannot be read.

    >>> chosen_robots(["GPTBot,Googlebot", "gptbot"], [])
    ('GPTBot', 'Googlebot')
    >>> chosen_robots([], [])
    ('*',)

    """
    found: dict[str, str] = {}
    for name in (*every_name(names), *every_member(sets)):
        found.setdefault(name.casefold(), name)
    for name in found.values():
        options.obeyed_rules(NO_FILE, name)  # raises if it is not a name
    return tuple(found.values()) or (ANY_ROBOT,)


def named_robots(values: Iterable[str]) -> tuple[str, ...]:
    """Return the robots of `--for`: names and sets, with commas between them, or files.

    A name that is probably a typing mistake gets a note.

    Raises:
        MisuseError: A name is none.
        OSError: A file cannot be read.

    >>> named_robots(["Googlebot, GPTBot"])
    ('Googlebot', 'GPTBot')
    >>> {"GPTBot", "ExampleBot"} <= set(named_robots(["ai,ExampleBot"]))
    True
    """
    found: dict[str, str] = {}
    for value in values:
        if os.path.exists(value):  # noqa: PTH110  "" is no path
            names = in_file(value)
        else:
            words = [word.strip() for word in value.split(",")]
            names = [name for word in words for name in in_set(word) or every_name([word])]
        for name in names:
            options.obeyed_rules(NO_FILE, name)  # raises if it is not a name
            found.setdefault(name.casefold(), name)
    note_near_misses(found.values(), has_sets=False)
    return tuple(found.values())


def every_name(given: Iterable[str]) -> Iterator[str]:
    """Yield the names in the values of `--robot`.

    Raises:
        MisuseError: A name is empty, or it is unclear whether a value is one name or several.

    """
    for value in given:
        parts = [part.strip() for part in value.split(",")]
        if len(parts) == 1 or "(" in value:  # a whole User-Agent has its commas in a comment
            yield value
        elif all(PART.fullmatch(part) or is_known(part) for part in parts):
            yield from parts
        else:
            odd = next(part for part in parts if not (PART.fullmatch(part) or is_known(part)))
            message = (
                f"--robot {value!r} is not a list of names: {odd!r} is none. Write --robot once "
                "for each robot"
            )
            raise goodbot.MisuseError(message)


def is_known(name: str) -> bool:
    """Return whether a name with spaces is that of a known robot."""
    from goodbot.bots import known  # noqa: PLC0415  most commands ask for one robot

    return bool(name) and known(name) is not None


def every_member(sets: Iterable[str]) -> Iterator[str]:
    """Yield the names of the robots in the values of `--robots`.

    Raises:
        MisuseError: There is neither such a set nor such a file, or the file has no name.
        OSError: A file cannot be read.

    """
    for value in sets:
        words = value.split(",")
        members = [in_set(word.strip()) for word in words]
        if all(one is not None for one in members):
            yield from (name for one in members for name in one or ())
        else:
            yield from in_file(value)


def in_set(word: str) -> list[str] | None:
    """Return the robots of a set or a purpose; `None` if there is none of this name."""
    from goodbot.bots import by_set  # noqa: PLC0415  as above

    return [one.name for one in by_set(word)] if word in set_names() else None


def set_names() -> list[str]:
    """Return the names of the sets."""
    from goodbot.bots import PURPOSES  # noqa: PLC0415  as above
    from goodbot.bots.robot_table import ROBOT_SETS  # noqa: PLC0415  as above

    return [*ROBOT_SETS, *PURPOSES]


def in_file(source: str) -> list[str]:
    """Return the names in a file, one per line; lines that begin with # are skipped.

    Raises:
        MisuseError: There is no such file, or it has no name.
        OSError: It cannot be read.

    """
    words = set_names()
    if not os.path.exists(source):  # noqa: PTH110  "" is no path
        from difflib import get_close_matches  # noqa: PLC0415  only mistakes need it

        near = get_close_matches(source.lower(), words, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        message = (
            f"--robots {source!r} is neither a file nor a set of robots.{meant} The sets are "
            f"{', '.join(words)}"
        )
        raise goodbot.MisuseError(message)
    lines = (line.strip() for line in printable(read_input(source)).splitlines())
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        message = f"--robots {source!r} contains no names; write one per line"
        raise goodbot.MisuseError(message)
    field = next((name for name in names if FIELD.match(name)), None)
    if field is not None:
        message = (
            f"--robots {source!r} contains {field!r}, which is no name. It reads one name per "
            "line; for a file with rules, write --robots-txt"
        )
        raise goodbot.MisuseError(message)
    return list(every_name(names))


def note_near_misses(robots: Iterable[str], *, has_sets: bool = True) -> None:
    """Print a note on each name that is not known, and resembles a known one or a set.

    Args:
        robots: The names.
        has_sets: Whether the verb has `--robots`, so that it can be advised.

    """
    from goodbot.bots import known  # noqa: PLC0415  as above

    unknown = (one for one in robots if one != ANY_ROBOT and known(one) is None)
    for count, robot in enumerate(unknown):
        if count == MOST_SOUGHT:
            warnings.note(
                f"only the first {MOST_SOUGHT} names that are not known were compared with others"
            )
            return
        meant = near_miss(robot)
        several = how_to_name_several(robot) if has_sets else ""
        then = f"did you mean {meant}?" if meant else several
        if then:
            warnings.note(f"{robot} is not a known robot and is looked up by this name; {then}")


def how_to_name_several(robot: str) -> str:
    """Return what to write if a name is that of a set or an operator; empty if it is not.

    >>> how_to_name_several("ai"), how_to_name_several("Diffbot")
    ('for all robots of this kind, write --robots ai', '')
    """
    from goodbot.bots import known  # noqa: PLC0415  as above
    from goodbot.bots.robot_table import operators  # noqa: PLC0415

    if robot == ANY_ROBOT or known(robot) is not None:  # no need to load the table for *
        return ""
    word = robot.casefold()
    if word in set_names():
        return f"for all robots of this kind, write --robots {word}"
    operator = operators().get(word)
    if operator is None:
        return ""
    command = shlex.join(["goodbot", "bots", "--operator", operator])
    return f"'{command}' lists the robots of {operator}"


def near_miss(robot: str) -> str:
    """Return the known robot that was probably meant; empty if the name is known, or none is near.

    >>> near_miss("Googelbot"), near_miss("Googlebot"), near_miss("ExampleBot")
    ('Googlebot', '', '')
    >>> near_miss("GPT"), near_miss("GTPBot"), near_miss("Shop")
    ('GPTBot', 'GPTBot', '')
    """
    from goodbot.bots import get, known  # noqa: PLC0415  as above
    from goodbot.bots.robot_table import known_names  # noqa: PLC0415

    if known(robot) is not None:
        return ""
    bot = f"{robot.casefold()}bot"
    if bot in known_names():
        return get(bot).name
    from difflib import get_close_matches  # noqa: PLC0415  only unknown names need it

    product = robot.partition("/")[0].casefold()[:60]
    swapped = next((one for one in with_letters_swapped(product) if one in known_names()), None)
    if swapped is not None:  # in a short name, that is already less alike than `NEARNESS`
        return get(swapped).name
    near = get_close_matches(product, known_names(), n=1, cutoff=NEARNESS)
    return get(near[0]).name if near else ""


def with_letters_swapped(name: str) -> Iterator[str]:
    """Yield a name with each two neighbouring letters swapped.

    >>> [*with_letters_swapped("gtp")]
    ['tgp', 'gpt']
    """
    for place in range(len(name) - 1):
        yield name[:place] + name[place + 1] + name[place] + name[place + 2 :]
