"""Who sent the requests of the audited log.

Scope: it reads lists and answers of DNS from the user's cache, and asks name servers if
wanted. `sender_columns` and `goodbot.site.audit.identity` decide.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goodbot.bots import known
from goodbot.display import short_repr
from goodbot.errors import MisuseError
from goodbot.site.audit.files.own_keys import read_own_keys
from goodbot.site.audit.files.own_lists import read_lists, read_own_list
from goodbot.site.audit.files.robot_log import LogProgress, RobotLog, ignore_progress
from goodbot.site.audit.identity import (
    DnsRecord,
    Identities,
    IdentityEvidence,
    SenderIdentity,
    lookups_wanted,
)
from goodbot.site.audit.identity.logged_address import canonical, read_address
from goodbot.site.audit.log_signatures import OwnKeys, Signatures, states_host
from goodbot.site.audit.sender_columns import (
    Pair,
    TimeSpan,
    find_operators,
    find_spans,
    with_identities,
)


@dataclass(slots=True, repr=False)
class IdentifiedLog:
    """The requests of robots with a column `identity`, and who sent them."""

    tables: list[Any] = field(default_factory=list)
    identities: dict[Pair, tuple[SenderIdentity, ...]] = field(default_factory=dict)
    operators: dict[Pair, str] = field(default_factory=dict)
    """Robots whose operators sent requests for robots.txt without a robot's name, by address."""
    notes: tuple[str, ...] = ()
    """What is to be said of the user's own lists, and of signatures."""
    signatures: dict[str, int] = field(default_factory=dict)
    """How many requests are signed, by what the signature shows."""

    __repr__ = short_repr


def identify_senders(
    log: RobotLog,
    *,
    addresses: Sequence[str] = (),
    keys: Sequence[str] = (),
    dns: bool = False,
    now: datetime | None = None,
    shortened_log: bool = False,
    progress: LogProgress = ignore_progress,
) -> IdentifiedLog:
    """Return the requests with who sent them.

    Args:
        log: The requests of robots.
        addresses: Own lists of addresses: `ROBOT=FILE`.
        keys: Own keys of operators; see `goodbot.site.audit.files.own_keys.key_place`.
        dns: Whether name servers may be asked.
        now: The time at which they are asked; answers count for a while around it.
        shortened_log: Whether the log has shortened addresses, so that none can be verified.
        progress: Called with `senders` and `names`, and how many there are.

    Raises:
        MisuseError: An own list cannot be used, or `dns` lacks `now`.
        MissingExtraError: dnspython is missing, and name servers are to be asked.
        OSError: An own list cannot be read.
        StoreUnavailableError: The cache of DNS answers cannot be read or written.
        WrongValueError: No name server can be asked.

    """
    spans = find_spans(log.tables)
    progress("senders", len(spans))
    own = [read_own_list(address, log.counts) for address in addresses]
    lists = list(read_lists({robot for robot, _ in spans}, own))
    records = list(read_cached_records(spans))
    evidence = IdentityEvidence.of(lists, records, is_shortened=shortened_log)
    if dns:
        records += ask_name_servers(spans, evidence, now, progress)
        evidence = IdentityEvidence.of(lists, records, is_shortened=shortened_log)
    identities = Identities(evidence)
    own_keys = read_own_keys(keys) if keys else OwnKeys()
    has_host = states_host(log.counts)
    signatures = Signatures(log.tables, own_keys, has_host=has_host)
    found = IdentifiedLog(notes=tuple(note for own_list in own for note in own_list.notes))
    for pair, span in spans.items():
        found.identities[pair] = identities.between(*pair, *span)
    found.operators.update(find_operators(spans, identities))
    for table in log.tables:
        tests = signatures.tests(table, found.identities)
        found.tables.append(with_identities(table, found.identities, identities, tests))
    found.notes = (*found.notes, *signatures.notes())
    found.signatures = dict(sorted(signatures.reasons.items()))
    return found


def select_named_hosts(spans: Mapping[Pair, TimeSpan]) -> dict[Pair, TimeSpan]:
    """Return those of robots whose operators name their hosts."""
    robots = {robot for robot, _ in spans}
    named = {one for one in robots if (found := known(one)) is not None and found.hosts}
    return {pair: span for pair, span in spans.items() if pair[0] in named}


def read_cached_records(spans: Mapping[Pair, TimeSpan]) -> Iterator[DnsRecord]:
    """Yield the answers of DNS in the cache."""
    addresses = [read_address(address) for _, address in select_named_hosts(spans)]
    wanted = list(dict.fromkeys(canonical(one) for one in addresses if one is not None))
    if wanted:
        from goodbot.site.audit.identity.lookup import DnsCache  # noqa: PLC0415  seldom needed

        yield from DnsCache().records(wanted)


def ask_name_servers(
    spans: Mapping[Pair, TimeSpan],
    evidence: IdentityEvidence,
    now: datetime | None,
    progress: LogProgress,
) -> list[DnsRecord]:
    """Return what name servers answer now, and keep it in the cache."""
    if now is None:
        message = "dns asks name servers; pass now=datetime.now(timezone.utc), the time of that"
        raise MisuseError(message)
    from goodbot.net import SystemClock  # noqa: PLC0415  as above
    from goodbot.site.audit.identity.lookup import (  # noqa: PLC0415  it needs an extra
        DnsCache,
        DnsResolver,
        look_up,
    )

    named = select_named_hosts(spans).items()
    requests = [(*pair, time) for pair, span in named for time in dict.fromkeys(span)]
    wanted = list(lookups_wanted(requests, evidence, now=now))

    async def answers() -> list[DnsRecord]:
        return [record async for record in look_up(wanted, DnsResolver(), SystemClock())]

    progress("names", len(wanted))
    found = asyncio.run(answers()) if wanted else []
    DnsCache().add(found)
    return found
