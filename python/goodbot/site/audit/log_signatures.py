"""The signatures of the audited log: which requests are signed with a key of the operator.

Scope: from rows to results. `goodbot.site.audit.identity` decides. An invalid signature shows a
spoofed name only if the log surely has everything that was signed, as it was sent.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from goodbot.bots import known
from goodbot.http.amounts import counted
from goodbot.notes import ResultNote
from goodbot.site.audit.identity import (
    IDENTITY_REASONS,
    SenderIdentity,
    SignedRequest,
    signature_test,
)
from goodbot.site.audit.identity.operator_keys import OperatorKeys
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest
from goodbot.site.audit.identity.signature_test import read_signed_content, report_replay
from goodbot.site.audit.identity.signed_request import signature_input
from goodbot.site.logs import LOG_FORMATS, LogCounts

SIGNATURE_COLUMNS = ("signature", "signature_input", "signature_agent")
"""The columns of the log with the fields of signatures."""
CERTAIN = {'"@authority"', '"@method"', '"signature-agent"'}
"""What a log that states the host has as it was sent; paths may be written in another way."""
HOSTS = ("$host", "$http_host", "%v", "%{host}i", ": host", '"host"')
"""How a format names the host."""


class Signatures:
    """The signatures of a log.

    Args:
        tables: The requests of robots.
        keys: The keys of operators, by robot.
        has_host: Whether the log states the host of each request.

    """

    def __init__(
        self,
        tables: Iterable[Any],
        keys: Mapping[str, OperatorKeys],
        *,
        has_host: bool,
    ) -> None:
        self.keys, self.has_host = keys, has_host
        self.reasons: Counter[str] = Counter()
        self.replayed = find_replays(tables)

    def tests(
        self,
        table: Any,  # noqa: ANN401  pyarrow's
        identities: dict[tuple[str, str], tuple[SenderIdentity, ...]],
    ) -> dict[int, IdentityTest]:
        """Return the results of the signed rows, and add them to who sent what."""
        found = signature_tests(table, self.keys, self.replayed, has_host=self.has_host)
        if not found:
            return {}
        pairs = [table.column(name).to_pylist() for name in ("robot", "address")]
        for row, test in found.items():
            self.reasons[test.reason] += 1
            robot, address = (column[row] or "" for column in pairs)
            shown = identities[robot, address]
            if test.outcome != "unverifiable" and all(
                shown_test.reason != test.reason for shown_test in shown
            ):
                identities[robot, address] = (*shown, SenderIdentity(robot, address, (test,)))
        return found

    def notes(self) -> Iterator[ResultNote]:
        """Yield how many requests are signed, and what that shows."""
        if not self.reasons:
            return
        number = counted(self.reasons.total(), "request")
        verb = "is" if self.reasons.total() == 1 else "are"
        why = "; ".join(
            f"{count:,}: {IDENTITY_REASONS[reason][1]} ({reason})"
            for reason, count in sorted(self.reasons.items())
        )
        cure = "" if self.keys else "; {keys} names the keys of an operator"
        yield ResultNote(f"{number} {verb} signed: {why}{cure}", {"keys": "keys="})


def states_host(counts: LogCounts) -> bool:
    """Return whether every file of a log states the host that was asked for."""
    written = {form.name: form.written for form in LOG_FORMATS}
    texts = [written.get(name or "", name or "").lower() for name in counts.formats.values()]
    return bool(texts) and all(any(host in text for host in HOSTS) for text in texts)


def signature_tests(
    table: Any,  # noqa: ANN401  pyarrow's
    keys: Mapping[str, OperatorKeys],
    replays: Container[bytes] = (),
    *,
    has_host: bool,
) -> dict[int, IdentityTest]:
    """Return the results of the signed rows of a table.

    Args:
        table: The requests of robots.
        keys: The keys of operators, by robot.
        replays: The digests of signed contents that came from several addresses.
        has_host: Whether the log states the host of each request.

    """
    found = {}
    for row, request, robot, time, _ in select_signed_rows(table):
        named = known(robot)
        own = None if named is None else keys.get(named.name)
        test = signature_test(named, request, time, None if own is None else own.check)
        if test is not None:
            shown = careful(test, request, has_host=has_host)
            found[row] = report_replay(shown) if digest_signed(request) in replays else shown
    return found


def find_replays(tables: Iterable[Any]) -> frozenset[bytes]:
    """Return the digests of signed contents that came from several addresses."""
    first: dict[bytes, str] = {}
    found = set()
    for table in tables:
        for _, request, _, _, address in select_signed_rows(table):
            digest = digest_signed(request)
            if digest is not None and first.setdefault(digest, address) != address:
                found.add(digest)
    return frozenset(found)


def digest_signed(request: SignedRequest) -> bytes | None:
    """Return a digest of what is signed in a request; `None` if it cannot be read."""
    content = read_signed_content(request)
    if content is None:
        return None
    return sha256(repr(content).encode("utf-8", "surrogateescape")).digest()


def select_signed_rows(table: Any) -> Iterator[tuple[int, SignedRequest, str, Any, str]]:  # noqa: ANN401  pyarrow's
    """Yield the signed rows of robots: their places, requests, robots, times and addresses."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    # A column of which no row has a value is not kept: a robot may send Signature alone, as
    # Mastodon does with the signatures that came before RFC 9421.
    has = [name for name in SIGNATURE_COLUMNS if name in table.column_names]
    told = [pc.is_valid(table.column(name)) for name in SIGNATURE_COLUMNS[:2] if name in has]
    if not told:
        return
    is_signed = pc.and_(pc.or_(told[0], told[-1]), pc.is_valid(table.column("robot")))
    places = pc.indices_nonzero(is_signed)
    names = [*has, "method", "host", "target", "scheme", "robot", "time", "address"]
    rows = pa.table({name: table.column(name) for name in names}).take(places).to_pylist()
    for place, row in zip(places.to_pylist(), rows, strict=True):
        fields = {name.replace("_", "-"): row[name] for name in has if row[name]}
        request = SignedRequest(fields, row["method"], row["host"], row["target"], row["scheme"])
        yield place, request, row["robot"], row["time"], row["address"] or ""


def careful(test: IdentityTest, request: SignedRequest, *, has_host: bool) -> IdentityTest:
    """Return a result; an invalid signature over what the log may not have shows nothing."""
    if test.reason != "signature-invalid":
        return test
    found = signature_input(request.fields["signature-input"])
    doubtful = [
        component for component in (found.components if found else ()) if component not in CERTAIN
    ]
    doubtful += [] if has_host else ['"@authority"']
    if not doubtful:
        return test
    place = IdentityPlace("the log may lack", ", ".join(doubtful))
    return IdentityTest(test.test, "log-lacks-signed-fields", place)
