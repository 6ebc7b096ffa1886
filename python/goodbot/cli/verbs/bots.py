"""`goodbot bots`: known robots, and the lists of their addresses."""

import asyncio
import json
import shlex
import sys
from datetime import datetime
from typing import Any

import click

from goodbot.bots import (
    PURPOSES,
    AddressList,
    KnownRobot,
    by_operator,
    by_purpose,
    every,
    get,
    of_user_agent,
)
from goodbot.bots.robot_table import known_names, operators
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.identity import identity_for_robots_txt, names_no_operator
from goodbot.cli.shared.printing import Printer, Styled, print_table
from goodbot.cli.shared.time_format import span
from goodbot.errors import MisuseError
from goodbot.http.amounts import counted
from goodbot.robot.identity import Identity

__all__ = ["bots"]

UPDATE = "update"
"""What is written in place of a name to fetch the lists of addresses."""


def near_purposes(word: str) -> list[str]:
    """Return the purposes of which a word is one, or a part.

    >>> near_purposes("AI"), near_purposes("seo"), near_purposes("GPTBot")
    (['ai-training', 'ai-search'], ['seo'], [])
    """
    wanted = word.casefold()
    return [one for one in PURPOSES if wanted == one or wanted in one.split("-")]


class PurposeOption(click.Choice[str]):
    """A purpose; of a part of one, the message names those that contain it."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401  as click has it
        """Return a purpose."""
        near = near_purposes(str(value))
        if near and value not in PURPOSES:
            self.fail(f"{value!r} is not a purpose; did you mean {' or '.join(near)}?", param, ctx)
        return super().convert(value, param, ctx)


def refuse_group(name: str) -> None:
    """Refuse a name that is not that of a robot, but of an operator or a purpose.

    Raises:
        MisuseError: It is one; the message has the commands that list its robots.

    """
    word = name.casefold()
    if word in known_names():
        return
    several = [["--purpose", one] for one in near_purposes(word)]
    if word in operators():
        several = [["--operator", operators()[word]]]
    if several:
        commands = " or ".join(shlex.join(["goodbot", "bots", *one]) for one in several)
        message = f"no robot is named {name}; to list several, write: {commands}"
        raise MisuseError(message)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--purpose",
    "purposes",
    multiple=True,
    type=PurposeOption(list(PURPOSES)),
    help="Only robots with this purpose; if repeated, with all of them.",
)
@click.option("--operator", metavar="NAME", help="Only the robots of this operator.")
@click.option("--user-agent", metavar="TEXT", help="The robot that a User-Agent names.")
@options.identity_options
@options.as_json("one object per line, for each robot or list")
def bots(
    name: str | None,
    purposes: tuple[str, ...],
    operator: str | None,
    user_agent: str | None,
    info_url: str | None,
    contact: str | None,
    *,
    as_json: bool,
) -> ExitStatus:
    """List the robots that goodbot knows, or describe one.

    \b
    Examples:
      goodbot bots --purpose ai-training
      goodbot bots Googlebot-News
      goodbot bots --user-agent "Mozilla/5.0 (compatible; GPTBot/1.3)"
      goodbot bots update

    With NAME, the output has every known fact with its source. 'goodbot bots update' fetches the
    lists in which operators publish the addresses of their robots into your cache, if they are due;
    no other command needs them to answer.

    Exit status: 0 robots are listed, 1 no known robot matches, 2 there is no such name, 3 a list
    could not be fetched.
    """  # noqa: D301  click looks for the character that \b is
    printer = Printer(sys.stdout)
    several = [name, purposes or None, operator, user_agent]
    if name == UPDATE:
        if any(several[1:]):
            message = "'goodbot bots update' fetches all lists; it takes no filter"
            raise click.UsageError(message)
        given = options.SiteOptions(info_url, contact, None, allow_private=False, timeout=None)
        return update(printer, identity_for_robots_txt(given), as_json=as_json)
    if name is not None and any(several[1:]):
        message = "write a name, or filters such as --purpose, but not both"
        raise click.UsageError(message)
    if name is not None:
        refuse_group(name)
    found = [get(name)] if name is not None else chosen(purposes, operator, user_agent)
    if as_json:
        from goodbot.address_lists.plain_robot import plain_robot  # noqa: PLC0415  only some need it

        for robot in found:
            printer.line(json.dumps(plain_robot(robot)))
    elif name is not None or (user_agent is not None and found):
        print_one(found[0], printer)
    elif found:
        print_list(found, printer)
    else:
        printer.line("No known robot matches.")
    return ExitStatus.ALLOWED if found else ExitStatus.DISALLOWED


def chosen(
    purposes: tuple[str, ...], operator: str | None, user_agent: str | None
) -> list[KnownRobot]:
    """Return the robots that pass every filter."""
    found = by_purpose(*purposes) if purposes else list(every())
    if operator is not None:
        of_operator = by_operator(operator)
        found = [robot for robot in found if robot in of_operator]
    if user_agent is not None:
        named = of_user_agent(user_agent)
        found = [robot for robot in found if robot is named]
    return found


# What is printed.


def print_list(found: list[KnownRobot], printer: Printer) -> None:
    """Print a table of robots."""
    rows = [
        (robot.name, robot.operator or "", ", ".join(robot.purposes), " > ".join(robot.tokens))
        for robot in found
    ]
    print_table(("name", "operator", "purposes", "groups it looks for"), rows, printer)
    printer.line()
    printer.line(f"{counted(len(found), 'robot')}. 'goodbot bots NAME' shows one with its sources.")


def print_one(robot: KnownRobot, printer: Printer) -> None:
    """Print what is known of a robot; each fact has the number of its source below."""
    printer.line(Styled(robot.name, "heading"), f": {robot.operator or 'operator not known'}")
    printer.line()
    sources = list(dict.fromkeys(robot.sources[name] for name in FACTS if name in robot.sources))
    rows = [
        (label, shown(getattr(robot, name)), str(sources.index(robot.sources[name]) + 1))
        for name, label in FACTS.items()
        if name in robot.sources
    ]
    print_table(("fact", "value", "source"), rows, printer)
    printer.line()
    for number, source in enumerate(sources, 1):
        printer.line(f"{number}. {source}")
    absent = FACTS.keys() - robot.sources.keys() - {"fetches"}
    unknown = [label for name, label in FACTS.items() if name in absent]
    if unknown:
        printer.line()
        printer.prose(f"Not known: {', '.join(unknown)}.")


FACTS = {
    "purposes": "purposes",
    "tokens": "groups it looks for",
    "obeys": "obeys robots.txt",
    "ignores_star": "ignores the group for *",
    "dialect": "dialect",
    "reads": "fields it heeds",
    "ignores": "fields it ignores",
    "fetches": "sends requests",
    "user_agents": "User-Agent contains",
    "hosts": "host names",
    "prefixes": "addresses",
    "addresses": "lists of addresses",
    "keys": "keys",
}
"""The facts in the order in which they are printed, in words."""


def shown(value: object) -> str:
    """Return the value of a fact in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "\n".join(map(shown, value))
    if isinstance(value, AddressList):
        return f"{value.url}\n({age_of(value)})"
    return str(value)


def age_of(published: AddressList) -> str:
    """Return how old the copy of a list is."""
    from goodbot.address_lists.plain_robot import plain_copy  # noqa: PLC0415  only some need it

    copy = plain_copy(published)
    if copy is None:
        return "not in the cache; 'goodbot bots update' fetches it"
    from goodbot.net import SystemClock  # noqa: PLC0415  only those who ask for a robot

    age = SystemClock().now() - datetime.fromisoformat(copy["confirmed"])
    ago = span(max(0.0, age.total_seconds()))
    return f"{counted(copy['prefixes'], 'range')}, confirmed {ago} ago"


# Lists of addresses.


def update(printer: Printer, identity: Identity, *, as_json: bool) -> ExitStatus:
    """Fetch the lists that are due, one after the other, and print what has become of each."""
    failed = asyncio.run(update_all(printer, identity, as_json=as_json))
    lacks = names_no_operator(identity, "the lists were requested")
    if lacks is not None:
        warnings.note(lacks)
    return ExitStatus.INCOMPLETE if failed else ExitStatus.ALLOWED


async def update_all(printer: Printer, identity: Identity, *, as_json: bool) -> int:
    """Refresh every list, and return how many could not be had."""
    from goodbot.address_lists import (  # noqa: PLC0415  only a fetch needs it
        PREFIX_PROBLEMS,
        ListFolder,
        lists_of,
        refresh,
    )
    from goodbot.address_lists.plain_robot import plain_copy  # noqa: PLC0415
    from goodbot.net import AiohttpFetcher, SystemClock  # noqa: PLC0415

    folder, clock, failed = ListFolder(), SystemClock(), 0
    async with AiohttpFetcher() as fetcher:
        for published in lists_of(every()):
            done = await refresh(published, fetcher, folder, clock, identity.headers)
            failed += done.outcome in {"failed", "refused"}
            problem = done.said.problem if done.said is not None else None
            why = done.why or PREFIX_PROBLEMS.get(problem or "", "")
            if as_json:
                row = {"url": published.url, "outcome": done.outcome, "why": why}
                printer.line(json.dumps(row | {"copy": plain_copy(published)}))
            else:
                reason = f": {why}" if why else ""
                printer.line(f"{done.outcome:<9} {published.url} ({age_of(published)}){reason}")
    if not as_json:
        printer.line(f"The copies are in {folder.folder}.")
    return failed
