"""The signatures of the audited log: which requests are signed with a key of the operator.

Scope: from rows to results. `goodbot.site.audit.identity` decides. An invalid signature shows a
spoofed name only if the log surely has everything that was signed, as it was sent.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from goodbot.bots import known
from goodbot.http.amounts import counted
from goodbot.notes import ResultNote
from goodbot.signatures import KeySet, KeySets, SignatureVerdict, key_set_id
from goodbot.signatures.key_set import TEST_KEYS
from goodbot.signatures.signature_fields import signature_inputs
from goodbot.signatures.verifying import judge_signatures
from goodbot.site.audit.identity import IDENTITY_REASONS, SenderIdentity, SignedRequest
from goodbot.site.audit.identity.request_signature import (
    read_signed_contents,
    report_replay,
    verdict_test,
    weightiest,
)
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest
from goodbot.site.logs import LOG_FORMATS, LogCounts

SIGNATURE_COLUMNS = ("signature", "signature_input", "signature_agent")
"""The columns of the log with the fields of signatures."""
CERTAIN = ('"@authority"', '"@method"', '"signature-agent"', '"signature-agent";key=')
"""How components begin that a log which states the host has as they were sent; paths may be written
in another way."""
HOSTS = ("$host", "$http_host", "%{host}i", ": host", '"host"')
"""How a format names the host that was asked for."""
OWN_NAMES = ("%v", "$server_name", "server_name: ", '"server_name": ', "vhost: ", '"vhost": ')
"""How a format names what may be the server's own name, whichever of its names was asked for."""


class OwnKeys(NamedTuple):
    """The keys of operators that are at hand."""

    by_robot: Mapping[str, Sequence[KeySet]] = MappingProxyType({})
    """Those of robots, by their names."""
    others: Sequence[KeySet] = ()
    """Those of which the URL is known, and not whose robots they sign for."""

    def of_robot(self, name: str) -> KeySets:
        """Return the keys of a robot: those that are named so, and those at its known URL."""
        robot = known(name)
        sets = list(self.by_robot.get(name if robot is None else robot.name, ()))
        url = None if robot is None or robot.keys is None else key_set_id(robot.keys)
        return KeySets([*sets, *(one for one in self.others if one.id == url)], TEST_KEYS)


class Signatures:
    """The signatures of a log.

    Args:
        tables: The requests of robots.
        keys: The keys of operators.
        has_host: Whether the log states the host of each request.

    """

    def __init__(
        self,
        tables: Iterable[Any],
        keys: OwnKeys,
        *,
        has_host: bool,
    ) -> None:
        """Find the signatures that came from several addresses."""
        self.keys, self.has_host = keys, has_host
        self.reasons: Counter[str] = Counter()
        self.replayed = find_replays(tables)

    def tests(
        self,
        table: Any,  # noqa: ANN401  pyarrow's
        identities: dict[tuple[str, str], tuple[SenderIdentity, ...]],
    ) -> dict[int, IdentityTest]:
        """Return the results of the signed rows, and add them to who sent what."""
        found = check_signatures(table, self.keys, self.replayed, has_host=self.has_host)
        if not found:
            return {}
        pairs = [table.column(name).to_pylist() for name in ("robot", "address")]
        for row, test in found.items():
            self.reasons[test.reason] += 1
            robot, address = (column[row] or "" for column in pairs)
            shown = identities[robot, address]
            shows = test.outcome in {"verified", "spoofed"}
            if shows and all(one.reason != test.reason for one in shown):
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
        cure = "" if any(self.keys) else "; {keys} names the keys of an operator"
        yield ResultNote(f"{number} {verb} signed: {why}{cure}", {"keys": "keys="})


def states_host(counts: LogCounts) -> bool:
    """Return whether every file of a log states the host that was asked for."""
    written = {form.name: form.written for form in LOG_FORMATS}
    texts = [written.get(name or "", name or "").lower() for name in counts.formats.values()]
    return bool(texts) and all(map(names_host, texts))


def names_host(text: str) -> bool:
    """Return whether a format names the host that was asked for, and nothing else instead."""
    is_named = any(one in text for one in HOSTS)
    return is_named and not any(one in text for one in OWN_NAMES)


def check_signatures(
    table: Any,  # noqa: ANN401  pyarrow's
    keys: OwnKeys,
    replays: Container[bytes] = (),
    *,
    has_host: bool,
) -> dict[int, IdentityTest]:
    """Return the results of the signed rows of a table.

    Args:
        table: The requests of robots.
        keys: The keys of operators.
        replays: The digests of signed contents that came from several addresses.
        has_host: Whether the log states the host of each request.

    """
    found = {}
    sets = [*keys.others, *(one for named in keys.by_robot.values() for one in named)]
    all_keys = KeySets(sets, TEST_KEYS)
    by_robot: dict[str, KeySets] = {}
    for row, request, robot, time, _ in select_signed_rows(table):
        if robot not in by_robot:
            by_robot[robot] = keys.of_robot(robot)
        digests = digest_signatures(request)
        tests = []
        for verdict in judge_signatures(request, time, by_robot[robot].find):
            shown = careful(verdict, request, has_host=has_host)
            is_replay = digests.get(verdict.label) in replays
            tests.append(report_replay(shown) if is_replay else shown)
        test = weightiest(tests)
        if test is not None and test.reason == "key-unknown":
            others = judge_signatures(request, time, all_keys.find)
            test = next((report_other_signer(one) for one in others if one), test)
        if test is not None:
            found[row] = test
    return found


def report_other_signer(verdict: SignatureVerdict) -> IdentityTest:
    """Return that a key made a signature of which nothing says that it is the robot's."""
    place = IdentityPlace(verdict.url or "Signature-Input", verdict.keyid)
    return IdentityTest("signature", "signed-by-another", place)


def find_replays(tables: Iterable[Any]) -> frozenset[bytes]:
    """Return the digests of signed contents that came from several addresses."""
    first: dict[bytes, str] = {}
    found = set()
    for table in tables:
        for _, request, _, _, address in select_signed_rows(table):
            for digest in digest_signatures(request).values():
                if first.setdefault(digest, address) != address:
                    found.add(digest)
    return frozenset(found)


def digest_signatures(request: SignedRequest) -> dict[str, bytes]:
    """Return a digest of what each signature of a request signs, by its label."""
    return {
        label: sha256(repr(content).encode("utf-8", "surrogateescape")).digest()
        for label, content in read_signed_contents(request).items()
    }


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


def careful(verdict: SignatureVerdict, request: SignedRequest, *, has_host: bool) -> IdentityTest:
    """Return what a verdict shows.

    That a signature over what the log may not have is another one's shows nothing.
    """
    if verdict.reason != "signature-invalid":
        return verdict_test(verdict)
    read = signature_inputs(request.fields["signature-input"]) or ()
    components = next((one.components for one in read if one.label == verdict.label), ())
    doubtful = [one for one in components if not is_certain(one, has_host=has_host)]
    if not doubtful:
        return verdict_test(verdict)
    place = IdentityPlace("the log may lack", ", ".join(doubtful))
    return IdentityTest("signature", "log-lacks-signed-fields", place)


def is_certain(component: str, *, has_host: bool) -> bool:
    """Return whether a log has a component as it was sent."""
    if component == '"@authority"':
        return has_host
    return component in CERTAIN or component.startswith(CERTAIN[-1])
