"""The addresses that a robot may connect to, in all their forms, and the verification of TLS."""

import asyncio
import ipaddress
import re
import ssl
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
import goodbot.blocking
import goodbot.net
from goodbot.crawl import Crawl
from goodbot.net import AddressGuard, AiohttpFetcher
from goodbot.net.addresses import BLOCKED_PORTS, METADATA
from goodbot.robot import Robot
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.support.examples import examples
from tests.support.fetching import Names, get, here, kind_at, kind_of, run, settled
from tests.support.live_sites import behaviour_of
from tests.support.robot_sites import ME

PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",  # noqa: S104
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "2002:7f00:1::1",
    "2002:c0a8:101::",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "100::1",
    "5f00::1",
    "localhost",
    "",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "2606:4700:4700::1111",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_asked(address: str) -> None:
    """Every special-purpose block is refused in every form; so are invalid addresses."""
    assert not AddressGuard().allows(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_may_be_asked(address: str) -> None:
    """The addresses next to the blocks are allowed."""
    assert AddressGuard().allows(address)


ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@given(ADDRESSES)
@examples(500)
def test_what_python_holds_for_private_is_never_asked(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    """The standard library's registry is a second opinion; ours is at least as strict."""
    carries = isinstance(address, ipaddress.IPv6Address) and (
        address.sixtofour or address.ipv4_mapped or address in ipaddress.ip_network("64:ff9b::/96")
    )
    if AddressGuard().allows(str(address)) and not carries:
        assert address.is_global
        assert not address.is_multicast


def test_networks_that_are_named_may_be_asked() -> None:
    """Networks or single addresses can be named, and apply to addresses that embed others."""
    guard = AddressGuard(["10.1.0.0/16", "::1", "192.168.1.7"])
    asked = ["10.1.2.3", "::1", "192.168.1.7", "::ffff:10.1.2.3", "10.2.0.1", "192.168.1.8", "::2"]
    assert [guard.allows(one) for one in asked] == [True, True, True, True, False, False, False]
    with pytest.raises(goodbot.WrongValueError, match=re.escape("10.1.0.0/16")):
        AddressGuard(["localhost"])


FORMS = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0177.0.0.01",
    "\uff11\uff12\uff17.0.0.1",  # digits of full width
    "127\u30020\u30020\u30021",
    "127.0.0.1.",
    "user@127.0.0.1",
    "public.example@127.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]",
    "0.0.0.0",  # noqa: S104
    "0",
    "[::]",
    "[::1]",
    "localhost",
]


@pytest.mark.parametrize("host", FORMS)
def test_no_form_of_a_local_address_gets_through(host: str) -> None:
    """No connection is made: by name, by literal in any notation, mapped or translated."""

    async def main() -> None:
        async with LoopbackSite() as site, AiohttpFetcher() as fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://{host}:{port}/")) == "private-address"
            await asyncio.sleep(0)
            assert (site.visits, site.open_connections) == ([], 0)

    run(main())


def test_the_same_forms_work_where_the_network_is_named() -> None:
    """The test above therefore fails because of the address, not because of the form."""

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            port = site.origin.rpartition(":")[2]
            for host in ("2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"):
                answer = await get(fetcher, f"http://{host}:{port}/public")
                assert (answer.status, host) == (200, host)

    run(main())


def test_a_name_that_turns_local_is_refused() -> None:
    """DNS rebinding: the name was allowed a moment ago, and now resolves to this machine."""

    async def main() -> None:
        names = Names(["127.0.0.1"], ["127.0.0.2"])
        fetcher = AiohttpFetcher(allow_networks=["127.0.0.1/32"], resolver=names)
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert (await get(fetcher, f"http://a.example:{port}/")).status == 200
            assert await kind_of(get(fetcher, "http://a.example:8/")) == "private-address"

    run(main())


def test_only_the_public_addresses_of_a_name_are_tried() -> None:
    """If a name resolves to both kinds, the other kind is not used when the first fails."""

    async def main() -> None:
        names = Names(["127.0.0.1", "127.0.0.2"])
        fetcher = AiohttpFetcher(allow_networks=["127.0.0.2/32"], resolver=names)
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://a.example:{port}/")) == "refused"
            assert (site.visits, site.open_connections) == ([], 0)

    run(main())


class Changing(AddressGuard):
    """Returns one answer after the other."""

    def __init__(self, answers: list[bool]) -> None:
        """Store the answers, which are used one after the other."""
        super().__init__()
        self.allows = lambda _: answers.pop(0)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("host", "answers"),
    [
        ("a.example", [False]),  # the resolved address
        ("a.example", [True, False]),  # the address for which a socket is made
        ("a.example", [True, True, False]),  # the address to which the socket is connected
        ("127.0.0.1", [False]),
        ("127.0.0.1", [True, False]),
    ],
)
def test_each_look_at_the_address_is_enough(host: str, answers: list[bool]) -> None:
    """The address is checked three times, and each check can prevent the request."""

    async def main() -> None:
        fetcher = here(resolver=Names(["127.0.0.1"]))
        fetcher._guard = Changing(answers)  # noqa: SLF001 - one check at a time
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://{host}:{port}/")) == "private-address"
            assert not answers
            assert not site.visits
            assert await settled(lambda: not site.open_connections)

    run(main())


# Ports of other services.

BLOCKED = (
    "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 "
    "113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 "
    "540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 "
    "5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
)
"""As the test of browsers has them (web-platform-tests, request-bad-port)."""


def test_the_ports_are_those_of_browsers() -> None:
    """Neither more nor fewer."""
    assert sorted(BLOCKED_PORTS) == [int(one) for one in BLOCKED.split()]


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", ["a.example", "8.8.8.8", "10.0.0.1", "[2606:4700:4700::1111]"])
@pytest.mark.parametrize("port", ["25", "6667", "0025"])
def test_a_port_of_another_service_gets_no_request(scheme: str, host: str, port: str) -> None:
    """The name is not even looked up, and no permission for private networks opens the port."""

    async def main() -> None:
        names = Names(["127.0.0.1"])
        async with AiohttpFetcher(allow_private=True, resolver=names) as fetcher:
            with pytest.raises(goodbot.FetchError, match=f"{int(port)}, ") as caught:
                await get(fetcher, f"{scheme}://{host}:{port}/robots.txt")
            assert caught.value.kind == "blocked-port"
            assert names.asked == []

    run(main())


def test_loopback_has_no_blocked_ports_once_it_is_allowed() -> None:
    """Tests of other projects listen where they like; without permission it is still refused."""

    async def main(*, is_allowed: bool) -> str:
        async with AiohttpFetcher(allow_private=is_allowed) as fetcher:
            return await kind_of(get(fetcher, "http://127.0.0.1:1/"))

    assert run(main(is_allowed=True)) == "refused"
    assert run(main(is_allowed=False)) == "private-address"


def test_a_redirect_of_robots_txt_to_a_mail_server_is_not_followed() -> None:
    """Nothing is allowed, and the reason is the port."""

    async def main() -> None:
        names = Names(["127.0.0.1"])
        moved = always(302, b"", "Location: http://mail.example:25/")
        async with (
            LoopbackSite(behaviour_of(moved)) as site,
            here(resolver=names) as fetcher,
            Robot("ExampleBot", fetcher=fetcher, **ME) as robot,
        ):
            policy = await robot.policy(f"{site.origin}/")
            assert (policy.access, policy.reason) == ("disallow-all", "failure-blocked-port")
            assert len(site.visits) == 1
            assert names.asked == []

    run(main())


# TLS.


@pytest.mark.parametrize("behaviour", ["plain-text-for-tls", "self-signed"])
def test_tls_is_verified(behaviour: str) -> None:
    """Plain text, or a certificate of an unknown authority, is a failure."""
    assert run(kind_at(behaviour)) == "tls"


def test_a_private_authority_can_be_named() -> None:
    """With a context that knows it the site answers, under its own name only."""

    async def main() -> None:
        async with LoopbackSite("self-signed") as site:
            options = {"ssl_context": site.client_context, "resolver": Names(["127.0.0.1"])}
            async with here(**options) as fetcher:
                assert (await get(fetcher, f"{site.origin}/robots.txt")).status == 200
                port = site.origin.rpartition(":")[2]
                other = get(fetcher, f"https://other.example:{port}/robots.txt")
                assert await kind_of(other) == "tls"
                assert len(site.visits) == 1

    run(main())


def test_a_context_that_does_not_verify_is_refused() -> None:
    """Verification cannot be switched off by mistake."""
    careless = ssl.create_default_context()
    careless.check_hostname = False
    with pytest.raises(goodbot.WrongValueError, match="cafile"):
        AiohttpFetcher(ssl_context=careless)
    with pytest.raises(goodbot.WrongTypeError, match="SSLContext"):
        AiohttpFetcher(ssl_context=False)  # type: ignore[arg-type]


NEVER_PRIVATE = [
    "0.0.0.0",  # noqa: S104
    "0.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.1.1",
    "169.254.169.254",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "100::1",
    "2001:db8::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::ffff:0.0.0.0",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::6464:64c8",
    "2002:a9fe:a9fe::1",
    "2002:a83f:8110::1",
    "2001:0:4136:e378:8000:63bf:5601:5601",
    "localhost",
    "",
]
ARE_PRIVATE = [
    "10.0.0.1",
    "127.0.0.1",
    "127.255.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "::1",
    "::ffff:127.0.0.1",
    "fc00::1",
    "fd12:3456::1",
]


@pytest.mark.parametrize("address", NEVER_PRIVATE)
def test_private_networks_are_not_everything_that_is_not_public(address: str) -> None:
    """Link-local, multicast, unspecified, shared, reserved and metadata addresses are refused."""
    assert not AddressGuard(allow_private=True).allows(address)


@pytest.mark.parametrize("address", [*ARE_PRIVATE, *PUBLIC])
def test_private_networks_are_let_in(address: str) -> None:
    """Loopback, RFC 1918 and RFC 4193 are allowed, in addition to public addresses."""
    assert AddressGuard(allow_private=True).allows(address)


@pytest.mark.parametrize("address", METADATA)
def test_a_metadata_service_is_opened_by_its_own_address_alone(address: str) -> None:
    """It is not allowed by private networks, nor by any network around it."""
    everything = ["0.0.0.0/0", "::/0"]
    around = str(ipaddress.ip_network(address).supernet())
    assert not AddressGuard(allow_private=True).allows(address)
    assert not AddressGuard(everything, allow_private=True).allows(address)
    assert not AddressGuard([around]).allows(address)
    assert AddressGuard([address]).allows(address)
    if ":" not in address:
        mapped = f"::ffff:{address}"
        assert not AddressGuard(everything).allows(mapped)
        assert AddressGuard([address]).allows(mapped)


def test_a_network_that_is_named_may_be_of_any_kind() -> None:
    """Anyone who names a network knows it."""
    for network, address in (
        ("100.64.0.0/10", "100.64.0.1"),
        ("169.254.0.0/16", "169.254.7.7"),
        ("fe80::/10", "fe80::1%eth0"),
        ("198.18.0.0/15", "198.18.0.1"),
    ):
        assert AddressGuard([network]).allows(address)
        assert not AddressGuard(["10.0.0.0/8"], allow_private=True).allows(address)


def test_a_robot_and_a_crawl_hand_on_what_is_allowed(tmp_path: Path) -> None:
    """All use the same words; an invalid network is refused at once."""
    me: Any = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
    with pytest.raises(goodbot.WrongValueError, match="not a network"):
        goodbot.Robot("ExampleBot/1.0", **me, allow_networks=["everywhere"])
    with pytest.raises(goodbot.WrongValueError, match="not a network"):
        goodbot.blocking.Robot("ExampleBot/1.0", **me, allow_networks=["everywhere"])
    with pytest.raises(goodbot.WrongValueError, match="not a network"):
        Crawl(tmp_path, "ExampleBot/1.0", **me, allow_networks=["everywhere"])
