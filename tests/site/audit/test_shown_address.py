"""Addresses that are shared name a network, never a machine."""

from ipaddress import ip_address, ip_network
from random import Random

import pytest

from goodbot.site.audit.shown_address import HIDDEN, mask_address

CASES = {
    "192.0.2.7": "192.0.2.0/24",
    "192.0.2.0": "192.0.2.0/24",
    "2001:db8:1:2:3:4:5:6": "2001:db8:1::/48",
    "2001:DB8:1::9": "2001:db8:1::/48",
    "[2001:db8::1]": "2001:db8::/48",
    "::1": "::/48",
    "fe80::1%eth0": "fe80::/48",
    "fe80::1%192.0.2.7": "fe80::/48",
    "::ffff:192.0.2.7": "192.0.2.0/24",
    "::ffff:c000:207": "192.0.2.0/24",
    "::ffff:192.0.2.7%1": "192.0.2.0/24",
    " 192.0.2.7 ": "192.0.2.0/24",
    "": "",
}


@pytest.mark.parametrize("text", CASES)
def test_an_address_is_shortened_to_its_network(text: str) -> None:
    """Each form of an address loses what names a machine; asked for in full, it is as it was."""
    assert mask_address(text) == CASES[text]
    assert mask_address(text, whole=True) == text


@pytest.mark.parametrize(
    "text", ["anna.example", "192.0.2.7:443", "192.0.2.999", "<b>", "2001:db8::1::", "\x00", "-"]
)
def test_what_is_no_address_is_hidden(text: str) -> None:
    """It may be a name, so nothing of it is shown."""
    assert mask_address(text) == HIDDEN


def test_the_network_always_has_the_address() -> None:
    """For random addresses of both families, the network is of the right size and has them."""
    random = Random(7)  # noqa: S311  no secret
    for _ in range(500):
        bits = random.choice([32, 128])
        number = random.getrandbits(bits)
        address = ip_address(number.to_bytes(bits // 8, "big"))
        network = ip_network(mask_address(str(address)))
        assert address in network
        assert network.prefixlen == (24 if bits == 32 else 48)
