"""What becomes of requests: decisions, addresses, delays, and failures of the gate itself."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.address_lists import ListFolder, copy_after
from goodbot.site.gate import Enforcement, GatePolicy, GateRule, read_policy
from goodbot.site.gate.access_log import LoggedRequest, log_line
from goodbot.site.gate.client_address import ClientAddresses
from goodbot.site.gate.request_delays import MOST_ROBOTS, TOLERANCE, RequestDelays
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.robot_addresses import RobotAddresses
from tests.site.gate.policies import PATHS, policies
from tests.support.examples import examples

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"
PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
OWN, OTHER = "8.8.8.8", "9.9.9.9"
NO_FIELDS: dict[str, str] = {}
ADDRESSES = RobotAddresses({"GPTBot": ["8.8.8.0/24"]}, complete=["GPTBot"])
ENFORCED = Enforcement(access=True, delay=True, spoofed="refuse")


def gate_of(policy: GatePolicy, **options: Any) -> RequestGate:  # noqa: ANN401
    """Return a gate whose clock stands still."""
    chosen = {"addresses": ADDRESSES, "clock": lambda: NOW, **options}
    return RequestGate(policy, **chosen)


def closed(enforce: Enforcement = ENFORCED) -> GatePolicy:
    """Return a policy that disallows everything to everyone."""
    return GatePolicy(site="https://example.com", rules=(GateRule(fetch=False),), enforce=enforce)


def status(gate: RequestGate, user_agent: str, peer: str | None, path: str = "/a") -> int | None:
    """Return the status with which the gate answers; `None` if the request passes."""
    fields = {"user-agent": user_agent}
    answer = gate.decide("GET", "example.com", path, fields.get, peer).answer
    return None if answer is None else answer.status


def test_only_verified_robots_are_refused() -> None:
    """People and robots that cannot be verified pass; spoofed ones by choice."""
    gate = gate_of(closed())
    assert status(gate, GPTBOT, OWN) == 403
    assert status(gate, GPTBOT, OTHER) == 403
    assert status(gate, GPTBOT, None) is None
    assert status(gate, PERSON, OWN) is None
    assert status(gate, "CCBot/2.0", OTHER) is None
    assert status(gate, "", OTHER) is None
    assert status(gate, "http://example.com/", OTHER) is None
    lenient = gate_of(closed(Enforcement(access=True)))
    assert status(lenient, GPTBOT, OTHER) is None
    assert status(gate_of(closed(Enforcement())), GPTBOT, OWN) is None


@given(policies(), st.sampled_from(PATHS))
@examples(100)
def test_the_verdict_is_that_of_robots_txt(policy: GatePolicy, path: str) -> None:
    """A verified robot gets 403 exactly where its robots.txt disallows a spelling of the page."""
    enforced = GatePolicy(site=policy.site, rules=policy.rules, enforce=Enforcement(access=True))
    gate = gate_of(enforced)
    served = gate.decide("GET", None, "/robots.txt", {}.get, None).answer  # type: ignore[arg-type]
    assert served is not None
    file = goodbot.RobotsTxt(served.body)
    # Many servers take the one for the other, whatever robots make of it (`test_spellings`).
    same = {path, path.replace("%2F", "/")}
    allowed = all(goodbot.verdict(file, one, "GPTBot").allowed for one in same)
    assert status(gate, GPTBOT, OWN, path) == (None if allowed else 403)


def test_a_path_of_two_slashes_is_refused_as_any_other() -> None:
    """The first segment is no host, and no way around a rule."""
    rules = (GateRule(paths=("/*secret",), fetch=False),)
    policy = GatePolicy(site="https://example.com", rules=rules, enforce=ENFORCED)
    gate = gate_of(policy)
    assert status(gate, GPTBOT, OWN, "//secret/a") == 403
    assert status(gate, GPTBOT, OWN, "//example.com/secret") == 403
    assert status(gate, GPTBOT, OWN, "//public/a") is None


@pytest.mark.parametrize(
    "peer",
    [
        "10.0.0.5",
        "172.17.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "169.254.1.1",
    ],
)
def test_an_internal_address_says_nothing_about_the_sender(peer: str) -> None:
    """Behind a proxy that is not declared, a robot is neither verified nor spoofed."""
    assert status(gate_of(closed()), GPTBOT, peer) is None
    gate = gate_of(closed(), verify=lambda _robot, _address: False)
    assert status(gate, GPTBOT, peer) is None
    assert status(gate, "CCBot/2.0", peer) is None
    assert status(gate, "CCBot/2.0", f"::ffff:{peer}" if "." in peer else peer) is None


@pytest.mark.parametrize(
    "target",
    [
        "/robots.txt",
        "/robots.txt?a=b",
        "http://example.com/robots.txt",
        "HTTPS://example.com:443/robots.txt?a",
        "/%72obots.txt",
        "/robots%2Etxt",
        "//robots.txt",
        "/./robots.txt",
        "/a/../robots.txt",
        "/robots.txt#a",
    ],
)
@pytest.mark.parametrize("peer", [OWN, OTHER, None])
def test_robots_txt_is_served_in_every_spelling(target: str, peer: str | None) -> None:
    """To robots that are verified or spoofed, and to people (RFC 9112 section 3.2.2)."""
    gate = gate_of(closed())
    assert status(gate, GPTBOT, peer, target) == 200
    assert status(gate, PERSON, peer, target) == 200


@pytest.mark.parametrize(
    "target", ["/robots.txt/", "/a/robots.txt", "/robots.txt%3Fa", "/ROBOTS.TXT", "http:robots.txt"]
)
def test_other_paths_are_no_robots_txt(target: str) -> None:
    """What only resembles it is a page like any other."""
    assert status(gate_of(closed()), PERSON, OWN, target) is None
    assert status(gate_of(closed()), GPTBOT, OWN, target) == 403


def test_the_host_of_a_whole_url_replaces_the_field() -> None:
    """RFC 9112 section 3.2.2: a server ignores Host then; the path is judged without its host."""
    rules = (
        GateRule(hosts=("other.example",), fetch=False),
        GateRule(paths=("/a/",), fetch=False),
    )
    gate = gate_of(GatePolicy(site="https://example.com", rules=rules, enforce=ENFORCED))
    assert status(gate, GPTBOT, OWN, "http://other.example/") == 403
    assert status(gate, GPTBOT, OWN, "http://user@other.example:8080/") == 403
    assert status(gate, GPTBOT, OWN, "http://example.com/b") is None
    assert status(gate, GPTBOT, OWN, "http://example.com/a/b") == 403
    answer = gate.decide(
        "GET", "example.com", "http://other.example/robots.txt", NO_FIELDS.get, OWN
    ).answer
    assert answer is not None
    assert b"Disallow: /\n" in answer.body


def test_fields_are_those_of_the_path_of_a_whole_url() -> None:
    """Neither a host in the target nor a second slash changes which page it is."""
    rules = (GateRule(paths=("/a/",), uses={"archive": False}),)
    gate = gate_of(GatePolicy(site="https://example.com", rules=rules))
    said = [
        gate.decide("GET", None, target, NO_FIELDS.get, OWN).fields
        for target in ("/a/b", "http://example.com/a/b", "/b", "//example.com/a/b")
    ]
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert said[0] != said[2]
    assert gate.meta(None, "http://example.com/a/b", "") == gate.meta(None, "/a/b", "") != ""


def test_a_check_may_be_plugged_in() -> None:
    """Where lists do not know an address, a cached answer counts; `None` is not known."""
    answers = {"1.1.1.1": True, "1.1.1.2": False}
    gate = gate_of(closed(), verify=lambda _robot, address: answers.get(address))
    assert [status(gate, "CCBot/2.0", one) for one in ("1.1.1.1", "1.1.1.2", "1.1.1.3")] == [
        403, 403, None,
    ]  # fmt: skip


def broken(*_: object) -> bool:
    """Fail as no check should."""
    message = "out of order"
    raise RuntimeError(message)


def test_a_failure_of_the_gate_is_open_or_closed_as_declared() -> None:
    """An exception in the gate never breaks the site, unless that is declared."""
    assert status(gate_of(closed(), verify=broken), "CCBot/2.0", OTHER) is None
    shut = Enforcement(access=True, fail="closed")
    gate = gate_of(closed(shut), verify=broken)
    assert status(gate, "CCBot/2.0", OTHER) == 503
    assert status(gate, "CCBot/2.0", OTHER, "/robots.txt") == 200


def test_what_was_said_stays_if_it_cannot_be_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """robots.txt is never an error because a rule with a date fails."""
    times = [NOW]
    rule = GateRule(paths=("/a",), fetch=False, ends=NOW + timedelta(hours=1))
    policy = GatePolicy(site="https://example.com", rules=(rule,))
    gate = gate_of(policy, clock=lambda: times[-1])
    monkeypatch.setattr("goodbot.site.gate.gate_cache.render", broken)
    times.append(NOW + timedelta(hours=2))
    assert status(gate, PERSON, OWN, "/robots.txt") == 200


def test_a_date_changes_what_is_said_and_refused() -> None:
    """From the time of the rule on, without a restart."""
    times = [NOW]
    rule = GateRule(fetch=False, starts=NOW + timedelta(hours=1))
    policy = GatePolicy(site="https://example.com", rules=(rule,), enforce=ENFORCED)
    gate = gate_of(policy, clock=lambda: times[-1])
    assert status(gate, GPTBOT, OWN) is None
    times.append(NOW + timedelta(hours=1))
    assert status(gate, GPTBOT, OWN) == 403


def test_delays_hold_for_robots_that_read_them() -> None:
    """GPTBot is not known to read Crawl-delay; bingbot waits, spoofed or not each for itself."""
    rules = (GateRule(robots=("bingbot", "GPTBot"), delay=10),)
    policy = GatePolicy(site="https://example.com", rules=rules, enforce=Enforcement(delay=True))
    seconds = [0.0]
    addresses = RobotAddresses({"bingbot": ["8.8.8.0/24"]})
    gate = gate_of(policy, addresses=addresses, steady=lambda: seconds[-1])
    bingbot = "Mozilla/5.0 (compatible; bingbot/2.0)"
    asked = []
    for now, peer in ((0, OWN), (1, OTHER), (5, OWN), (5, OTHER), (9.5, OWN), (9.6, OWN)):
        seconds.append(now)
        asked.append(status(gate, bingbot, peer))
    assert asked == [None, None, 429, 429, None, 429]
    assert [status(gate, GPTBOT, OWN) for _ in range(2)] == [None, None]


@given(st.lists(st.floats(0, 30, allow_nan=False), max_size=50), st.floats(0.1, 20))
@examples(200)
def test_waiting_as_told_always_helps(pauses: list[float], delay: float) -> None:
    """Who is refused and waits for the seconds that were named is let in."""
    delays, now = RequestDelays(), 1_000.0
    for pause in pauses:
        now += pause
        left = delays.wait("a", delay, now=now)
        assert 0 <= left <= delay + 1e-6
        if left:
            now += left + 1e-6
            assert not delays.wait("a", delay, now=now)
        assert delays.wait("a", delay, now=now) > delay * TOLERANCE


def test_the_memory_of_delays_is_bounded() -> None:
    """The robot that was seen longest ago is forgotten first."""
    delays = RequestDelays()
    for number in range(MOST_ROBOTS + 10):
        delays.wait(number, 1_000, now=number)
    assert len(delays.last) == MOST_ROBOTS
    assert not delays.wait(0, 1_000, now=1)


FORWARDED = [
    ("x-forwarded-for", "1.1.1.1, 192.0.2.7", "192.0.2.7"),
    ("x-forwarded-for", "192.0.2.7, 10.1.1.1, 10.2.2.2:80", "192.0.2.7"),
    ("x-forwarded-for", "[2001:db8::1]:443", "2001:db8::1"),
    ("x-forwarded-for", "::ffff:192.0.2.7", "192.0.2.7"),
    ("x-forwarded-for", "192.0.2.7, unknown", None),
    ("x-forwarded-for", "", None),
    ("forwarded", 'for=1.1.1.1, For="[2001:db8::1]:4711";proto=https', "2001:db8::1"),
    ("forwarded", "proto=http;for=192.0.2.7;by=10.0.0.1", "192.0.2.7"),
    ("forwarded", "for=_hidden", None),
    ("forwarded", "192.0.2.7", None),
]


@pytest.mark.parametrize(("field", "value", "client"), FORWARDED)
def test_the_client_behind_proxies(field: str, value: str, client: str | None) -> None:
    """What the nearest declared proxies wrote counts (RFC 7239 section 5.2); else it is unknown."""
    assert ClientAddresses(["10.0.0.0/8"], field).of("10.0.0.1", value) == client


@pytest.mark.parametrize("peer", [None, "", "localhost"])
def test_a_unix_socket_can_be_a_proxy(peer: str | None) -> None:
    """Servers name who connects through one in different ways; only a declared one is believed."""
    assert (
        ClientAddresses(["unix"], "x-forwarded-for").of(peer, "1.1.1.1, 192.0.2.7") == "192.0.2.7"
    )
    assert ClientAddresses(["unix"], "x-forwarded-for").of("192.0.2.9", "1.1.1.1") == "192.0.2.9"
    assert not ClientAddresses(["10.0.0.0/8"], "x-forwarded-for").of("", "1.1.1.1")


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "told"),
    [
        ((), "", "8.8.8.8", 'come from a Unix socket; add "unix" to proxies'),
        ((), "localhost", None, 'come from a Unix socket; add "unix" to proxies'),
        ((), "10.0.0.7", "8.8.8.8", 'the internal address 10.0.0.7; add "10.0.0.7" to proxies'),
        (("unix",), None, None, "from a Unix socket come without x-forwarded-for: let your proxy"),
        (("10.0.0.7",), "10.0.0.7", None, "10.0.0.7 come without x-forwarded-for"),
        (("10.0.0.7",), "10.0.0.7", "unknown", "names no public address"),
    ],
)
def test_a_gate_that_sees_no_address_says_so_once(
    proxies: tuple[str, ...],
    peer: str | None,
    forwarded: str | None,
    told: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise enforcement would be off, and nobody would know."""
    gate = gate_of(closed(Enforcement(access=True, proxies=proxies)))
    fields = {"user-agent": GPTBOT} | ({"x-forwarded-for": forwarded} if forwarded else {})
    for _ in range(3):
        assert gate.decide("GET", None, "/a", fields.get, peer).answer is None
    (record,) = caplog.records
    assert told in record.getMessage()
    assert gate.decide("GET", None, "/a", {"user-agent": GPTBOT}.get, OWN).answer is not None


@given(st.text(max_size=80), st.sampled_from(["x-forwarded-for", "forwarded"]))
@examples(200)
def test_nobody_but_a_proxy_names_a_client(value: str, field: str) -> None:
    """Whatever a client writes, its own address counts; through a proxy, nothing raises."""
    addresses = ClientAddresses(["10.0.0.0/8"], field)
    assert addresses.of("192.0.2.1", value) == "192.0.2.1"
    addresses.of("10.0.0.1", value)


def test_addresses_come_from_the_cache(tmp_path: Any) -> None:  # noqa: ANN401
    """A current list verifies, and calls others spoofed; an old one only verifies."""
    robot, folder = bots.get("GPTBot"), ListFolder(tmp_path)
    body = b'{"prefixes": [{"ipv4Prefix": "8.8.8.0/24"}, {"ipv6Prefix": "2600:1900::/48"}]}'
    copy, _ = copy_after(None, robot.addresses[0], (200, [], body), now=NOW)
    assert copy is not None
    folder.write(copy)
    found = RobotAddresses.from_cache(folder, now=NOW)
    asked = (OWN, "2600:1900::7", OTHER, "no address")
    assert [found.identity(robot, one) for one in asked] == [
        "verified", "verified", "spoofed", "unknown",
    ]  # fmt: skip
    later = RobotAddresses.from_cache(folder, now=NOW + timedelta(days=60))
    assert [later.identity(robot, one) for one in (OWN, OTHER)] == ["verified", "unknown"]
    assert found.identity(bots.get("CCBot"), OWN) == "unknown"


@given(st.text(max_size=60), st.text(max_size=60))
@examples(200)
def test_no_request_writes_two_lines(path: str, agent: str) -> None:
    """Whatever a request contains, its entry is one line of ASCII with closed quotation marks."""
    one = LoggedRequest(path, agent, NOW, "GET", path, "HTTP/1.1", 200, 5, agent, agent)
    line = log_line(one, 80)
    assert line.isascii()
    assert line.isprintable()
    assert line.replace("\\\\", "").replace('\\"', "").count('"') == 6


def test_reading_a_policy_enforces_nothing_by_default() -> None:
    """A policy without [enforce] reads no lists, and refuses nobody."""
    policy = read_policy(b'site = "https://example.com"\n[[rule]]\nfetch = false')
    gate = RequestGate(policy)

    assert status(gate, GPTBOT, OWN) is None
