"""The cases of conformance/audit/identity, and the properties of every decision."""

import random
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from goodbot import bots
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.signatures import SIGNATURE_REASONS
from goodbot.site.audit.identity import (
    IDENTITY_OUTCOMES,
    IDENTITY_REASONS,
    IDENTITY_TESTS,
    DatedList,
    DnsRecord,
    Identities,
    IdentityEvidence,
    NameRecord,
    sender_identity,
)
from goodbot.site.audit.identity.logged_address import canonical, read_address
from tests.support import conformance_cases as data

CASES = data.cases("audit/identity")
NOW = datetime(2026, 1, 3, 12, tzinfo=timezone.utc)


def evidence_of(case: data.Case) -> IdentityEvidence:
    """Return the evidence of a case."""
    published = getattr(bots.known(case["robot"]), "addresses", ())
    lists = [
        DatedList(
            published[one["list"]].url,
            tuple(one["prefixes"]),
            one["begins"],
            one["ends"],
            is_complete=one.get("whole", True),
        )
        for one in case.get("lists", [])
    ]
    address = read_address(case["address"])
    shown = "" if address is None else canonical(address)
    records = [record_of(shown, one) for one in case.get("dns", [])]
    return IdentityEvidence.of(lists, records, is_shortened=case.get("shortened", False))


def record_of(address: str, row: dict[str, Any]) -> DnsRecord:
    """Return a DNS answer of a case."""
    forward = tuple(
        NameRecord(name, status, tuple(found)) for name, status, found in row.get("forward", [])
    )
    status = row.get("status", "answered")
    return DnsRecord(address, row["asked"], status, tuple(row.get("names", [])), forward)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_cases_hold(case: data.Case) -> None:
    """The outcome, the test and the reason are those of the documents; also among many."""
    evidence = evidence_of(case)
    found = sender_identity(case["robot"], case["address"], case["time"], evidence)
    assert [found.outcome, found.test, found.reason] == case["expected"]
    assert Identities(evidence).of(case["robot"], case["address"], case["time"]) == found
    assert found.as_dict()["outcome"] == found.outcome
    assert IDENTITY_REASONS[found.reason][1] in str(found)


def test_every_outcome_of_addresses_has_a_case() -> None:
    """No reason is without one; those of signatures have tests of their own."""
    of_signatures = {*SIGNATURE_REASONS, "signature-replayed", "signed-by-another"}
    assert {case["expected"][2] for case in CASES} == IDENTITY_REASONS.keys() - of_signatures
    # Those of signatures are in conformance/signatures.
    found = {case["expected"][0] for case in CASES}
    assert found == IDENTITY_OUTCOMES.keys() - {"invalid"}
    assert {case["expected"][1] for case in CASES} - {""} == IDENTITY_TESTS.keys() - {"signature"}


def test_a_violation_is_never_laid_on_the_owner_of_a_spoofed_name() -> None:
    """The identity says whether the operator answers for a request."""
    answers = {"verified": True, "spoofed": False, "unverifiable": None}
    for case in CASES:
        found = sender_identity(case["robot"], case["address"], case["time"], evidence_of(case))
        assert found.is_operators is answers[found.outcome]


def test_many_decisions_are_those_of_one_at_a_time() -> None:
    """At every edge of the dates, before and after it, in any order."""
    chance = random.Random(7)  # noqa: S311  the same each time
    first, second = bots.get("Googlebot"), bots.get("bingbot")
    days = [NOW + timedelta(days=number) for number in range(-4, 5)]
    lists = [
        DatedList(robot.addresses[0].url, (prefix,), begins, begins + timedelta(days=2))
        for robot in (first, second)
        for prefix, begins in (("66.249.64.0/19", days[1]), ("157.55.39.0/24", days[2]))
    ]
    dns = [DnsRecord("66.249.66.1", days[5], "none"), DnsRecord("157.55.39.1", days[6], "failed")]
    evidence = IdentityEvidence.of(lists, dns)
    moment = timedelta(microseconds=1)
    asked = [
        (robot.name, address, day + offset)
        for robot in (first, second)
        for address in ("66.249.66.1", "157.55.39.1", "::ffff:157.55.39.1", "x")
        for day in days
        for offset in (-moment, moment * 0, moment)
    ]
    chance.shuffle(asked)
    identities = Identities(evidence)
    outcomes = set()
    for robot, address, time in asked:
        found = identities.of(robot, address, time)
        assert found == sender_identity(robot, address, time, evidence)
        outcomes.add(found.outcome)
    assert outcomes == {"verified", "spoofed", "unverifiable"}


def test_decisions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forged names from very many addresses do not fill the memory."""
    monkeypatch.setattr("goodbot.site.audit.identity.many.MOST_KEPT", 10)
    identities = Identities(IdentityEvidence())
    for number in range(100):
        identities.of("Googlebot", f"198.51.100.{number}", NOW)
        assert len(identities.kept) <= 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "x" * 100_000,
        "1.2.3",
        "1.2.3.4.5",
        "[::1",
        "::1%" + "e" * 90,
        "\0",
        "٣.٣.٣.٣",
        "%",
        "[]:1",
    ],
)
def test_odd_addresses_are_no_addresses_or_internal(text: str) -> None:
    """No text of a log raises, and none is taken for an address that it is not."""
    found = sender_identity("Googlebot", text, NOW, IdentityEvidence())
    assert found.reason in {"not-an-address", "address-internal"}
    assert len(str(found)) < 1_000


def test_misuse_is_refused() -> None:
    """A time without a zone is none, and an address is text."""
    with pytest.raises(WrongValueError):
        sender_identity("Googlebot", "66.249.66.1", datetime(2026, 1, 3), IdentityEvidence())  # noqa: DTZ001
    with pytest.raises(WrongTypeError):
        sender_identity("Googlebot", 7, NOW, IdentityEvidence())  # type: ignore[arg-type]
    with pytest.raises(WrongValueError):
        IdentityEvidence(dns_window=timedelta(-1))
