"""Who sent the requests of the audited log.

Scope: it reads lists and answers of DNS from the user's cache, and asks name servers if
wanted. `goodbot.audit.identity` decides.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple, TypeAlias

from goodbot.address_lists import ListFolder, lists_of, read_addresses
from goodbot.audit.identity import (
    DatedList,
    DnsRecord,
    Identities,
    IdentityEvidence,
    SenderIdentity,
    lookups_wanted,
)
from goodbot.audit.identity.dated_list import made_at
from goodbot.audit.identity.logged_address import canonical, read_address
from goodbot.bots import AddressList, KnownRobot, known
from goodbot.bots.published_addresses import PREFIX_PROBLEMS, PublishedAddresses
from goodbot.cli.audit_view.audit_args import AuditArgs
from goodbot.cli.audit_view.audit_log import RobotLog
from goodbot.cli.shared.input_files import read_input
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.time_format import format_time
from goodbot.display import short_repr
from goodbot.errors import MisuseError

__all__ = ["IdentifiedLog", "identify"]

Pair: TypeAlias = tuple[str, str]
"""A robot and an address."""
TimeSpan: TypeAlias = tuple[datetime, datetime]
"""The times of a first and a last request."""
MOST_UNNAMED = 10_000
"""The most addresses without a robot's name that are compared with the operators of robots."""


@dataclass(slots=True)
class IdentifiedLog:
    """The requests of robots with a column `identity`, and who sent them."""

    tables: list[Any] = field(default_factory=list)
    identities: dict[Pair, tuple[SenderIdentity, ...]] = field(default_factory=dict)
    operators: dict[Pair, str] = field(default_factory=dict)
    """Robots whose operators sent requests for robots.txt without a robot's name, by address."""
    notes: tuple[str, ...] = ()
    """What is to be said of the user's own lists."""

    __repr__ = short_repr


def identify(log: RobotLog, args: AuditArgs, line: ProgressLine) -> IdentifiedLog:
    """Return the requests with who sent them.

    Args:
        log: The requests of robots.
        args: Which lists are used, and whether name servers may be asked.
        line: Shows that they are asked.

    Raises:
        MisuseError: An own list cannot be used.
        MissingExtraError: dnspython is missing, and name servers are to be asked.
        OSError: An own list cannot be read.
        StoreUnavailableError: The cache of DNS answers cannot be read or written.
        WrongValueError: No name server can be asked.

    """
    spans = spans_of(log.tables)
    own = [own_list(one, log) for one in args.addresses]
    lists = list(lists_for({robot for robot, _ in spans}, own))
    records = list(cached_records(spans))
    evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    if args.dns:
        records += asked_records(spans, evidence, line)
        evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    identities = Identities(evidence)
    found = IdentifiedLog(notes=tuple(note for one in own for note in one.notes))
    for pair, span in spans.items():
        found.identities[pair] = identities.between(*pair, *span)
    found.operators.update(operators_of(spans, identities))
    for table in log.tables:
        found.tables.append(with_identities(table, found.identities, identities))
    return found


def spans_of(tables: Iterable[Any]) -> dict[Pair, TimeSpan]:
    """Return each robot and address, with the times of their first and last requests."""
    found: dict[Pair, TimeSpan] = {}
    for table in tables:
        plain = table.select(["robot", "address", "time"])
        for name in ("robot", "address"):
            place = plain.column_names.index(name)
            plain = plain.set_column(place, name, text_column(table, name))
        sums = plain.group_by(["robot", "address"]).aggregate([("time", "min"), ("time", "max")])
        columns = [sums.column(name).to_pylist()
                   for name in ("robot", "address", "time_min", "time_max")]  # fmt: skip
        for robot, address, first, last in zip(*columns, strict=True):
            before = found.get((robot, address), (first, last))
            found[robot, address] = min(before[0], first), max(before[1], last)
    return found


def operators_of(
    spans: Mapping[Pair, TimeSpan], identities: Identities
) -> Iterator[tuple[Pair, str]]:
    """Yield the robots for which addresses are verified that fetched robots.txt without a name.

    Only the robots of the log are tried, as requests for robots.txt concern no others.
    """
    robots = sorted(
        robot for robot in {one for one, _ in spans} if (of := known(robot)) and of.is_verifiable
    )
    unnamed = [(address, span) for (robot, address), span in spans.items() if not robot]
    for address, span in unnamed[:MOST_UNNAMED]:
        for robot in robots:
            found = identities.between(robot, address, *span)
            if all(one.outcome == "verified" for one in found):
                yield (robot, address), "verified"


def text_column(table: Any, name: str) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column as plain text; null is an empty one."""
    return table.column(name).cast("string").fill_null("")


# Lists.


class OwnList(NamedTuple):
    """A list of addresses that the user names."""

    robot: str
    """The robot that it is of."""
    lists: list[DatedList]
    """The list, with the time that it covers."""
    notes: list[str]
    """What is to be said of it."""


def lists_for(robots: Iterable[str], own: Sequence[OwnList]) -> Iterator[DatedList]:
    """Yield the copies of the lists of robots: own ones, and those of the cache."""
    named = {one.robot for one in own}
    folder = ListFolder()
    for robot in sorted(robots):
        found = known(robot)
        if found is None or found.name in named:
            continue
        copies = (folder.read(one.url) for one in lists_of([found]))
        yield from (DatedList.of_copy(copy) for copy in copies if copy is not None)
    for one in own:
        yield from one.lists


def own_list(given: str, log: RobotLog) -> OwnList:
    """Return a list that the user names.

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
            f"--addresses {given}: write ROBOT=FILE, with the name of a robot whose operator "
            "publishes a list of addresses; 'goodbot bots' shows it"
        )
        raise MisuseError(message)
    said = list_in(read_input(path), robot)
    if not said.prefixes:
        message = f"--addresses {given}: {unusable(said)}"
        raise MisuseError(message)
    first, last = log.counts.first, log.counts.last
    if first is None or last is None:
        return OwnList(robot.name, [], [])
    made = made_at(said.created)
    begins, until = made or first, last + timedelta(seconds=1)
    lists = [
        DatedList(one.url, said.prefixes, begins, max(begins, until),
                  is_complete=not said.refused_count)
        for one in robot.addresses
    ]  # fmt: skip
    notes = [date_note(given, made, log), refused_note(given, said)]
    return OwnList(robot.name, lists, [one for one in notes if one])


def date_note(given: str, made: datetime | None, log: RobotLog) -> str:
    """Return that a list is younger than requests of the log; empty if it is not."""
    first, last = log.counts.first, log.counts.last
    if made is None or first is None or last is None or made <= first:
        return ""
    when = f"--addresses {given}: the list states the date {format_time(made)}"
    if made > last:
        return (
            f"{when}, after the log ends, so that it verifies no sender; name the list as it was "
            "while the log was written"
        )
    return f"{when}; it says nothing about requests before that"


def refused_note(given: str, said: PublishedAddresses) -> str:
    """Return that some prefixes of a list are not used; empty if all are."""
    if not said.refused_count:
        return ""
    prefix, problem = said.refused[0]
    number = f"{said.refused_count:,} prefix{'' if said.refused_count == 1 else 'es'}"
    why = "reserved prefixes are not used" if problem == "private" else PREFIX_PROBLEMS[problem]
    return (
        f"--addresses {given}: {number} left out, such as {prefix} ({why}); a list that is not "
        "whole can verify senders, but not show that one is spoofed"
    )


def list_in(content: bytes, robot: KnownRobot) -> PublishedAddresses:
    """Return what a file says: in the form of the operator, or with one prefix a line."""
    forms = (*robot.addresses, AddressList(robot.addresses[0].url, "text"))
    found = [read_addresses(content, one) for one in forms]
    usable = [one for one in found if one.problem is None]
    return (usable or sorted(found, key=lambda one: -one.refused_count))[0]


def unusable(said: PublishedAddresses) -> str:
    """Return why no address of a list can be used."""
    if any(problem == "private" for _, problem in said.refused):
        return (
            "every prefix in the file is reserved for private networks, documentation or other "
            "special use, from which no request of a robot can come; reserved prefixes are not used"
        )
    if said.refused:
        prefix, problem = said.refused[0]
        return f"no prefix in the file can be used: {prefix}: {PREFIX_PROBLEMS[problem]}"
    return "the file has no address or prefix that can be used"


# DNS.


def named_hosts(spans: Mapping[Pair, TimeSpan]) -> dict[Pair, TimeSpan]:
    """Return those of robots whose operators name their hosts."""
    robots = {robot for robot, _ in spans}
    named = {one for one in robots if (found := known(one)) is not None and found.hosts}
    return {pair: span for pair, span in spans.items() if pair[0] in named}


def cached_records(spans: Mapping[Pair, TimeSpan]) -> Iterator[DnsRecord]:
    """Yield the answers of DNS in the cache."""
    addresses = [read_address(address) for _, address in named_hosts(spans)]
    wanted = list(dict.fromkeys(canonical(one) for one in addresses if one is not None))
    if wanted:
        from goodbot.audit.identity.lookup import DnsCache  # noqa: PLC0415  seldom needed

        yield from DnsCache().records(wanted)


def asked_records(
    spans: Mapping[Pair, TimeSpan], evidence: IdentityEvidence, line: ProgressLine
) -> list[DnsRecord]:
    """Return what name servers answer now, and keep it in the cache."""
    from goodbot.audit.identity.lookup import (  # noqa: PLC0415  it needs an extra
        DnsCache,
        DnsResolver,
        look_up,
    )
    from goodbot.net import SystemClock  # noqa: PLC0415  as above

    named = named_hosts(spans).items()
    requests = [(*pair, time) for pair, span in named for time in dict.fromkeys(span)]
    wanted = list(lookups_wanted(requests, evidence, now=datetime.now(timezone.utc)))

    async def answers() -> list[DnsRecord]:
        return [one async for one in look_up(wanted, DnsResolver(), SystemClock())]

    with line.asking(f"the names of {len(wanted):,} addresses"):
        found = asyncio.run(answers()) if wanted else []
    DnsCache().add(found)
    return found


# The column.


def with_identities(
    table: Any,  # noqa: ANN401  pyarrow's
    known_pairs: Mapping[Pair, Sequence[SenderIdentity]],
    identities: Identities,
) -> Any:  # noqa: ANN401  pyarrow's
    """Return a table with the column `identity`."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    texts = [text_column(table, name) for name in ("robot", "address")]
    keys = pc.binary_join_element_wise(*texts, "\0").combine_chunks().dictionary_encode()
    pairs: list[Pair] = [(robot, address) for robot, _, address in
             (key.partition("\0") for key in keys.dictionary.to_pylist())]  # fmt: skip
    steady = {place: found[0].outcome for place, pair in enumerate(pairs)
              if len(found := known_pairs[pair]) == 1}  # fmt: skip
    if len(steady) == len(pairs):
        column = pa.array([steady[place] for place in range(len(pairs))], pa.string())
        return table.append_column("identity", column.take(keys.indices).dictionary_encode())
    places: list[int] = keys.indices.to_pylist()
    rows = zip(places, table.column("time").to_pylist(), strict=True)
    outcomes = [steady.get(place) or identities.of(*pairs[place], time).outcome
                for place, time in rows]  # fmt: skip
    return table.append_column("identity", pa.array(outcomes, pa.string()))
