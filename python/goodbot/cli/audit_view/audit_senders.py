"""Who sent the requests of the audited log.

Scope: it reads lists and answers of DNS from the user's cache, and asks name servers if
wanted. `goodbot.audit.identity` decides.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, TypeAlias

from goodbot.audit.identity import (
    IDENTITY_OUTCOMES,
    DnsRecord,
    Identities,
    IdentityEvidence,
    SenderIdentity,
    lookups_wanted,
)
from goodbot.audit.identity.logged_address import canonical, read_address
from goodbot.audit.identity.sender_identity import IdentityTest
from goodbot.bots import known
from goodbot.cli.audit_view.audit_args import AuditArgs
from goodbot.cli.audit_view.audit_lists import lists_for, own_list
from goodbot.cli.audit_view.audit_log import RobotLog
from goodbot.cli.audit_view.audit_signatures import Signatures, operator_keys, states_host
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.display import short_repr

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
    own = [own_list(one, log.counts) for one in args.addresses]
    lists = list(lists_for({robot for robot, _ in spans}, own))
    records = list(cached_records(spans))
    evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    if args.dns:
        records += asked_records(spans, evidence, line)
        evidence = IdentityEvidence.of(lists, records, is_shortened=args.shortened_log)
    identities = Identities(evidence)
    keys, has_host = operator_keys(args), states_host(log.counts)
    signatures = Signatures(log.tables, keys, has_host=has_host)
    found = IdentifiedLog(notes=tuple(note for one in own for note in one.notes))
    for pair, span in spans.items():
        found.identities[pair] = identities.between(*pair, *span)
    found.operators.update(operators_of(spans, identities))
    for table in log.tables:
        tests = signatures.tests(table, found.identities)
        found.tables.append(with_identities(table, found.identities, identities, tests))
    found.notes = (*found.notes, *signatures.notes())
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
    signatures: Mapping[int, IdentityTest],
) -> Any:  # noqa: ANN401  pyarrow's
    """Return a table with the column `identity`; a signature may say more than the address."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    texts = [text_column(table, name) for name in ("robot", "address")]
    keys = pc.binary_join_element_wise(*texts, "\0").combine_chunks().dictionary_encode()
    pairs: list[Pair] = [(robot, address) for robot, _, address in
             (key.partition("\0") for key in keys.dictionary.to_pylist())]  # fmt: skip
    steady = {place: found[0].outcome for place, pair in enumerate(pairs)
              if len(found := known_pairs[pair]) == 1}  # fmt: skip
    if len(steady) == len(pairs) and not signatures:
        column = pa.array([steady[place] for place in range(len(pairs))], pa.string())
        return table.append_column("identity", column.take(keys.indices).dictionary_encode())
    places: list[int] = keys.indices.to_pylist()
    rows = zip(places, table.column("time").to_pylist(), strict=True)
    outcomes = [steady.get(place) or identities.of(*pairs[place], time).outcome
                for place, time in rows]  # fmt: skip
    for row, test in signatures.items():
        outcomes[row] = min(outcomes[row], test.outcome, key=list(IDENTITY_OUTCOMES).index)
    return table.append_column("identity", pa.array(outcomes, pa.string()))
