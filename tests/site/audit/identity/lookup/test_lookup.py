"""Reverse DNS against a name server on loopback, the bounds of lookups, and the cache."""

import asyncio
import builtins
import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import dns.rcode
import pytest

from goodbot.errors import MissingExtraError, StoreUnavailableError, WrongValueError
from goodbot.net import SystemClock
from goodbot.site.audit.identity import (
    DnsRecord,
    Identities,
    IdentityEvidence,
    NameRecord,
    lookups_wanted,
    sender_identity,
)
from goodbot.site.audit.identity.dns_record import readable_name
from goodbot.site.audit.identity.lookup import DnsAnswer, DnsCache, DnsResolver, look_up
from tests.support.name_server import Answers, failing, name_server, records, silent

NOW = datetime(2026, 1, 3, 12, tzinfo=timezone.utc)
GOOGLE = "crawl-66-249-66-1.googlebot.com"


def reverse(address: str) -> str:
    """Return the name under which the names of an IPv4 address are."""
    return ".".join(reversed(address.split("."))) + ".in-addr.arpa."


def pointer(address: str, *names: str) -> dict[tuple[str, str], Any]:
    """Return the answer of an address with names."""
    name = reverse(address)
    return {(name, "PTR"): records(*(f"{name} 60 IN PTR {one}" for one in names))}


def looked_up(answers: Answers, *addresses: str) -> tuple[list[DnsRecord], list[tuple[str, str]]]:
    """Return what a name server on loopback says of addresses, and the questions."""

    async def run() -> tuple[list[DnsRecord], list[tuple[str, str]]]:
        async with name_server(answers) as server:
            resolver = DnsResolver(["127.0.0.1"], port=server.port, seconds=0.5)
            found = [one async for one in look_up(addresses, resolver, SystemClock())]
            return found, server.asked

    return asyncio.run(run())


def decided(record: DnsRecord, robot: str = "Googlebot") -> tuple[str, str]:
    """Return what a record says of a request at its time."""
    evidence = IdentityEvidence.of(dns=[record])
    found = sender_identity(robot, record.address, record.asked, evidence)
    (one,) = (test for test in found.tests if test.test == "reverse-dns")
    return one.outcome, one.reason


def test_a_name_is_confirmed_by_its_way_back() -> None:
    """Both questions are asked, and the answer verifies."""
    answers = pointer("66.249.66.1", f"{GOOGLE}.") | {
        (f"{GOOGLE}.", "A"): records(f"{GOOGLE}. 60 IN A 66.249.66.1")
    }
    (record,), asked = looked_up(answers, "66.249.66.1")
    assert record.names == (GOOGLE,)
    assert record.forward == (NameRecord(GOOGLE, "answered", ("66.249.66.1",)),)
    assert decided(record) == ("verified", "name-confirmed")
    assert asked == [(reverse("66.249.66.1"), "PTR"), (f"{GOOGLE}.", "A")]


def test_ipv6_is_looked_up_as_ipv6() -> None:
    """The reverse name has a label a nibble, and the way back is an AAAA record."""
    name = f"{'.'.join(reversed('20014860480100100000000000000001'))}.ip6.arpa."
    back = "crawl-1-2-3-4.googlebot.com."
    answers: Answers = {
        (name, "PTR"): records(f"{name} 60 IN PTR {back}"),
        (back, "AAAA"): records(f"{back} 60 IN AAAA 2001:4860:4801:10::1"),
    }
    (record,), _ = looked_up(answers, "2001:4860:4801:10::1")
    assert decided(record) == ("verified", "name-confirmed")


def test_hostile_names_are_never_asked_for_and_never_pass() -> None:
    """A name of someone else's leads nowhere; one of the operator's does not lead back."""
    odd = r"crawl-1-1-1-1\000.googlebot.com."
    long = ".".join(["a" * 63] * 3 + ["b" * 61]) + "."
    names = (f"{GOOGLE}.evil.example.", "xn--googlebot.com.", odd, long, r"a\.googlebot.com.", ".")
    (record,), asked = looked_up(pointer("198.51.100.7", *names), "198.51.100.7")
    assert decided(record) == ("spoofed", "other-name")
    assert asked == [(reverse("198.51.100.7"), "PTR")]
    assert readable_name("a" * 100_000) == ""
    assert readable_name("\uff47ooglebot.com") == ""
    (record,), _ = looked_up(
        pointer("198.51.100.7", f"{GOOGLE}.")
        | {(f"{GOOGLE}.", "A"): records(f"{GOOGLE}. 60 IN A 66.249.66.1")},
        "198.51.100.7",
    )
    assert decided(record) == ("spoofed", "name-not-confirmed")


def test_very_many_names_are_bounded() -> None:
    """A PTR answer of a thousand names leads to ten ways back at most."""
    names = [f"crawl-1-1-{number // 250}-{number % 250}.googlebot.com." for number in range(800)]
    (record,), asked = looked_up(pointer("198.51.100.7", *names), "198.51.100.7")
    assert len(record.names) == 10
    assert sum(kind == "A" for _, kind in asked) == 10
    assert decided(record) == ("spoofed", "name-not-confirmed")


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (failing(dns.rcode.NXDOMAIN), "none", "no-name"),
        (records(), "none", "no-name"),
        (failing(dns.rcode.SERVFAIL), "failed", "dns-failed"),
        (failing(dns.rcode.REFUSED), "failed", "dns-failed"),
        (silent, "failed", "dns-failed"),
        (lambda _: b"\0" * 40, "failed", "dns-failed"),
    ],
)
def test_no_name_is_told_from_no_answer(answer: Any, status: str, reason: str) -> None:  # noqa: ANN401  what answers
    """Only an answer can accuse: silence, refusal and garbage show nothing."""
    (record,), _ = looked_up({(reverse("198.51.100.7"), "PTR"): answer}, "198.51.100.7")
    assert record.status == status
    assert decided(record, "Baiduspider")[1] == reason


def test_aliases_are_followed_and_their_loops_are_failures() -> None:
    """A classless delegation is an alias (RFC 2317); an alias of itself has no end."""
    name = reverse("198.51.100.7")
    part = "7.0-127.100.51.198.in-addr.arpa."
    alias = records(f"{name} 60 IN CNAME {part}", f"{part} 60 IN PTR a.example.")
    (record,), _ = looked_up({(name, "PTR"): alias}, "198.51.100.7")
    assert record.names == ("a.example",)
    loop = records(f"{name} 60 IN CNAME {part}", f"{part} 60 IN CNAME {name}")
    (record,), _ = looked_up({(name, "PTR"): loop, (part, "PTR"): loop}, "198.51.100.7")
    assert decided(record, "Baiduspider")[1] in {"dns-failed", "no-name"}
    assert record.status == "failed"


class CountingResolver:
    """A resolver that notes how many questions are under way."""

    def __init__(self, *, hangs: bool = False) -> None:
        """Begin with none."""
        self.running = self.most = 0
        self.hangs = hangs

    async def names_of(self, address: str) -> DnsAnswer:
        """Answer after a moment, or never."""
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(3_600 if self.hangs else 0.001)
        finally:
            self.running -= 1
        return DnsAnswer("answered", (f"a{address[-1]}.example.",))

    async def addresses_of(self, name: str, *, version: int) -> DnsAnswer:
        """Fail: no name here is wanted."""
        raise AssertionError((name, version))


def test_some_addresses_are_looked_up_at_a_time() -> None:
    """As many as the caller says, and each once."""
    resolver = CountingResolver()
    addresses = [f"198.51.100.{number}" for number in range(50)]

    async def run() -> list[DnsRecord]:
        return [one async for one in look_up(addresses, resolver, SystemClock(), at_once=7)]

    found = asyncio.run(run())
    assert sorted(one.address for one in found) == sorted(addresses)
    assert resolver.most == 7
    with pytest.raises(WrongValueError, match="1 or more"):
        asyncio.run(anext_of(look_up(addresses, resolver, SystemClock(), at_once=0)))


async def anext_of(found: Any) -> object:  # noqa: ANN401  an iterator
    """Return the first record."""
    return await found.__anext__()


def test_a_lookup_without_end_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address has a bound in time, whatever the resolver does."""
    monkeypatch.setattr("goodbot.site.audit.identity.lookup.looking_up.LONGEST_LOOKUP", 0.05)
    resolver = CountingResolver(hangs=True)

    async def run() -> list[DnsRecord]:
        return [one async for one in look_up(["198.51.100.7"], resolver, SystemClock())]

    (record,) = asyncio.run(run())
    assert record.status == "failed"
    assert resolver.running == 0


def test_dnspython_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install; a name server must be an address."""
    with pytest.raises(WrongValueError, match="name one by its address"):
        DnsResolver(["not an address"])
    load = builtins.__import__

    def without(name: str, *rest: Any) -> ModuleType:  # noqa: ANN401  as `__import__` has them
        if name.startswith("dns."):
            raise ModuleNotFoundError(name=name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"goodbot\[dns\]"):
        DnsResolver()


def test_only_what_dns_can_say_something_about_is_looked_up() -> None:
    """Not old requests, not robots without host names, and each address once."""
    today, old = NOW - timedelta(hours=3), NOW - timedelta(days=3)
    requests = [
        ("Googlebot", "198.51.100.1", today),
        ("Googlebot", "::ffff:198.51.100.1", today),
        ("Googlebot", "198.51.100.2", old),
        ("GPTBot", "198.51.100.3", today),
        ("ExampleBot", "198.51.100.4", today),
        ("Googlebot", "10.0.0.1", today),
        ("bingbot", "198.51.100.5", today),
        ("bingbot", "198.51.100.6", today),
    ]
    asked = [DnsRecord("198.51.100.5", NOW, "none"), DnsRecord("198.51.100.6", NOW, "failed")]
    evidence = IdentityEvidence.of(dns=asked)
    wanted = list(lookups_wanted(requests, evidence, now=NOW))
    assert wanted == ["198.51.100.1", "198.51.100.6"]


def test_answers_are_kept_with_their_dates(tmp_path: Path) -> None:
    """Offline, the answers of a day hold for its requests; failures are no answers."""
    cache = DnsCache(tmp_path / "cache" / "dns.sqlite")
    assert list(cache.records(["198.51.100.1"])) == []
    forward = (NameRecord(GOOGLE, "answered", ("66.249.66.1",)),)
    first = DnsRecord("66.249.66.1", NOW - timedelta(days=300), "answered", (GOOGLE,), forward)
    second = DnsRecord("66.249.66.1", NOW, "none")
    failed = DnsRecord("198.51.100.1", NOW, "failed")
    half = DnsRecord("198.51.100.2", NOW, "answered", (GOOGLE,), (NameRecord(GOOGLE, "failed"),))
    cache.add([first, second, failed, half])
    addresses = ["66.249.66.1", "198.51.100.1", "198.51.100.2", *map(str, range(1_200))]
    kept = list(DnsCache(cache.path).records(addresses))
    assert sorted(kept, key=lambda one: one.asked) == [first, second]
    identities = Identities(IdentityEvidence.of(dns=kept))
    assert identities.of("Googlebot", "66.249.66.1", first.asked).outcome == "verified"
    assert identities.of("Googlebot", "66.249.66.1", NOW).reason == "no-name"


def test_a_damaged_cache_says_what_to_do(tmp_path: Path) -> None:
    """A file that is no database is named; a row that cannot be read is no answer."""
    path = tmp_path / "dns.sqlite"
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreUnavailableError, match="remove it"):
        list(DnsCache(path).records(["66.249.66.1"]))
    path.unlink()
    cache = DnsCache(path)
    cache.add([DnsRecord("66.249.66.1", NOW, "none")])
    with sqlite3.connect(path) as database:
        rows = [("66.249.66.1", str(number), text) for number, text in enumerate(("{", "[]", "7"))]
        database.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows)
    database.close()
    assert [one.status for one in cache.records(["66.249.66.1"])] == ["none"]


def test_the_cache_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest answers go first."""
    monkeypatch.setattr("goodbot.site.audit.identity.lookup.dns_cache.MOST_RECORDS", 10)
    cache = DnsCache(tmp_path / "dns.sqlite")
    records_made = [
        DnsRecord("66.249.66.1", NOW + timedelta(days=number), "none") for number in range(15)
    ]
    cache.add(records_made)
    assert sorted(one.asked for one in cache.records(["66.249.66.1"])) == [
        one.asked for one in records_made[5:]
    ]
