"""The senders of the requests of a log: from tables to robots and addresses, and back.

Scope: from rows to who is to be identified, and the column `identity` of each table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from goodbot.bots import known
from goodbot.site.audit.identity import IDENTITY_OUTCOMES, Identities, SenderIdentity
from goodbot.site.audit.identity.sender_identity import IdentityTest

Pair: TypeAlias = tuple[str, str]
"""A robot and an address."""
TimeSpan: TypeAlias = tuple[datetime, datetime]
"""The times of a first and a last request."""
MOST_UNNAMED = 10_000
"""The most addresses without a robot's name that are compared with the operators of robots."""


def find_spans(tables: Iterable[Any]) -> dict[Pair, TimeSpan]:
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


def find_operators(
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
            if all(test.outcome == "verified" for test in found):
                yield (robot, address), "verified"


def text_column(table: Any, name: str) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column as plain text; null is an empty one."""
    return table.column(name).cast("string").fill_null("")


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
