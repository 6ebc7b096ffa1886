"""Who sent the requests of the audited log.

Scope: it reads lists and answers of DNS from the user's cache, and asks name servers if
wanted. `goodbot.audit.identity` decides.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias

from goodbot.address_lists import ListFolder, lists_of, read_addresses
from goodbot.audit.identity import (
    DatedList,
    DnsRecord,
    Identities,
    IdentityEvidence,
    SenderIdentity,
    lookups_wanted,
)
from goodbot.audit.identity.logged_address import canonical, read_address
from goodbot.bots import AddressList, KnownRobot, known
from goodbot.cli.audit_view.audit_args import AuditArgs
from goodbot.cli.audit_view.audit_log import RobotLog
from goodbot.cli.shared.input_files import read_input
from goodbot.cli.shared.progress_line import ProgressLine
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
    lists = list(lists_for({robot for robot, _ in spans}, args, log))
    records = list(cached_records(spans))
    evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    if args.dns:
        records += asked_records(spans, evidence, line)
        evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    identities = Identities(evidence)
    found = IdentifiedLog()
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


def lists_for(robots: Iterable[str], args: AuditArgs, log: RobotLog) -> Iterator[DatedList]:
    """Yield the copies of the lists of robots: own ones, and those of the cache."""
    own = dict(own_list(one, log) for one in args.addresses)
    folder = ListFolder()
    for robot in sorted(robots):
        found = known(robot)
        if found is None or found.name in own:
            continue
        copies = (folder.read(one.url) for one in lists_of([found]))
        yield from (DatedList.of_copy(copy) for copy in copies if copy is not None)
    for lists in own.values():
        yield from lists


def own_list(given: str, log: RobotLog) -> tuple[str, list[DatedList]]:
    """Return the robot that an own list is of, and the list: it held while the log was written.

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
    prefixes = prefixes_in(read_input(path), robot)
    if not prefixes:
        message = f"--addresses {given}: the file has no address or prefix that can be used"
        raise MisuseError(message)
    begins, ends = log.counts.first, log.counts.last
    if begins is None or ends is None:
        return robot.name, []
    until = ends + timedelta(seconds=1)
    return robot.name, [DatedList(one.url, prefixes, begins, until) for one in robot.addresses]


def prefixes_in(content: bytes, robot: KnownRobot) -> tuple[str, ...]:
    """Return the prefixes in a file: in the form of the operator, or one a line."""
    for published in (*robot.addresses, AddressList(robot.addresses[0].url, "text")):
        said = read_addresses(content, published)
        if said.problem is None:
            return said.prefixes
    return ()


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
