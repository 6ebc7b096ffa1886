"""The lists of addresses of the audited log: the user's own, and those in the cache.

Scope: it reads files: which time each list covers, and what is to be said of it.
`goodbot.site.audit.identity` decides.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.address_lists import ListFolder, lists_of, read_addresses
from goodbot.bots import AddressList, KnownRobot, known
from goodbot.bots.published_addresses import PREFIX_PROBLEMS, PublishedAddresses
from goodbot.errors import MisuseError
from goodbot.files.file_input import read_input
from goodbot.http.instants import format_time
from goodbot.notes import ResultNote
from goodbot.site.audit.identity import DatedList
from goodbot.site.audit.identity.dated_list import read_creation_time
from goodbot.site.logs import LogCounts

IN_PYTHON = {"addresses": "addresses="}
"""What messages say of the setting in Python."""


class OwnList(NamedTuple):
    """A list of addresses that the user names."""

    robot: str
    """The robot that it is of."""
    lists: list[DatedList]
    """The list, with the time that it covers."""
    notes: list[ResultNote]
    """What is to be said of it."""


def read_lists(robots: Iterable[str], own: Sequence[OwnList]) -> Iterator[DatedList]:
    """Yield the copies of the lists of robots: own ones, and those of the cache."""
    named = {own_list.robot for own_list in own}
    folder = ListFolder()
    for robot in sorted(robots):
        found = known(robot)
        if found is None or found.name in named:
            continue
        copies = (folder.read(published.url) for published in lists_of([found]))
        yield from (DatedList.of_copy(copy) for copy in copies if copy is not None)
    for own_list in own:
        yield from own_list.lists


def read_own_list(given: str, log: LogCounts) -> OwnList:
    """Return a list that the user names as `ROBOT=FILE`.

    It holds from its own date on, if it states one, and else from the log's first request on; it
    holds until the log's last request.

    Raises:
        MisuseError: It is not of a robot whose operator publishes a list, or has no address.
        OSError: It cannot be read.

    """
    name, equals, path = given.partition("=")
    robot = known(name) if equals and name else None
    if robot is None or not robot.addresses:
        message = (
            f"{{addresses}} {given}: write ROBOT=FILE, with the name of a robot whose operator "
            "publishes a list of addresses; 'goodbot bots' shows it"
        )
        raise MisuseError(message, IN_PYTHON)
    said = parse_list(read_input(path), robot)
    if not said.prefixes:
        message = f"{{addresses}} {given}: {why_unusable(said)}"
        raise MisuseError(message, IN_PYTHON)
    first, last = log.first, log.last
    if first is None or last is None:
        return OwnList(robot.name, [], [])
    made = read_creation_time(said.created)
    begins, until = made or first, last + timedelta(seconds=1)
    lists = [
        DatedList(address.url, said.prefixes, begins, max(begins, until),
                  is_complete=not said.refused_count)
        for address in robot.addresses
    ]  # fmt: skip
    notes = [note_date(given, made, log), note_refused(given, said)]
    return OwnList(robot.name, lists, [ResultNote(note, IN_PYTHON) for note in notes if note])


def note_date(given: str, made: datetime | None, log: LogCounts) -> str:
    """Return that a list is younger than requests of the log; empty if it is not."""
    first, last = log.first, log.last
    if made is None or first is None or last is None or made <= first:
        return ""
    when = f"{{addresses}} {given}: the list states the date {format_time(made)}"
    if made > last:
        return (
            f"{when}, after the log ends, so that it verifies no sender; name the list as it was "
            "while the log was written"
        )
    return f"{when}; it says nothing about requests before that"


def note_refused(given: str, said: PublishedAddresses) -> str:
    """Return that some prefixes of a list are not used; empty if all are."""
    if not said.refused_count:
        return ""
    prefix, problem = said.refused[0]
    number = f"{said.refused_count:,} prefix{'' if said.refused_count == 1 else 'es'}"
    why = "reserved prefixes are not used" if problem == "private" else PREFIX_PROBLEMS[problem]
    return (
        f"{{addresses}} {given}: {number} skipped, such as {prefix} ({why}); a list that is not "
        "whole can verify senders, but not show that one is spoofed"
    )


def parse_list(content: bytes, robot: KnownRobot) -> PublishedAddresses:
    """Return what a file says: in the form of the operator, or with one prefix a line."""
    forms = (*robot.addresses, AddressList(robot.addresses[0].url, "text"))
    found = [read_addresses(content, form) for form in forms]
    usable = [reading for reading in found if reading.problem is None]
    order = sorted(found, key=lambda one: (one.problem != "covers-too-much", -one.refused_count))
    return (usable or order)[0]


def why_unusable(said: PublishedAddresses) -> str:
    """Return why no address of a list can be used."""
    if said.problem == "covers-too-much":
        return (
            f"{PREFIX_PROBLEMS[said.problem]}, which no operator has, so that it would verify "
            "anyone; name the list that the operator publishes"
        )
    if any(problem == "private" for _, problem in said.refused):
        return (
            "every prefix in the file is reserved for private networks, documentation or other "
            "special use, from which no request of a robot can come; reserved prefixes are not used"
        )
    if said.refused:
        prefix, problem = said.refused[0]
        return f"no prefix in the file can be used: {prefix}: {PREFIX_PROBLEMS[problem]}"
    return "the file has no address or prefix that can be used"
