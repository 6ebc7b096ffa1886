"""Server groups: to which one a host belongs."""

import pytest

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.pace import Manners
from goodbot.pace.groups import checked_groups, group_of, host_of, named_group, needs_addresses


@pytest.mark.parametrize(
    ("groups", "host", "address", "group"),
    [
        (["*.example.com"], "a.example.com", None, "*.example.com"),
        (["*.example.com"], "a.b.example.com", None, "*.example.com"),
        (["*.example.com"], "example.com", None, "*.example.com"),
        (["*.example.com"], "notexample.com", None, ""),
        (["a.example.com"], "b.a.example.com", None, ""),
        (["*.b\u00fccher.example"], "www.xn--bcher-kva.example", None, "*.xn--bcher-kva.example"),
        (["address"], "a.example", "192.0.2.7", "192.0.2.7"),
        (["address"], "a.example", "::ffff:192.0.2.7", "192.0.2.7"),
        (["address"], "a.example", "fe80::1%eth0", "fe80::1"),
        (["address"], "a.example", None, ""),
        (["network"], "a.example", "192.0.2.7", "192.0.2.0/24"),
        (["network"], "a.example", "2001:db8:1:2::7", "2001:db8:1::/48"),
        (["192.0.2.0/28"], "a.example", "192.0.2.7", "192.0.2.0/28"),
        (["192.0.2.0/28"], "a.example", "192.0.2.17", ""),
        (["192.0.2.0/28"], "a.example", "2001:db8::1", ""),
        (["192.0.2.7"], "a.example", "192.0.2.7", "192.0.2.7/32"),
        (["*.example.com", "network"], "a.example.com", "192.0.2.7", "*.example.com"),
        ([], "a.example", "192.0.2.7", ""),
    ],
)
def test_a_host_belongs_to_the_first_group_that_fits(
    groups: list[str], host: str, address: str | None, group: str
) -> None:
    """By name, by address, or by network."""
    assert group_of(checked_groups(groups), host, address) == group


@pytest.mark.parametrize(
    "group", ["", "*", "*.*", "a b", "https://a.example/", "a.example:80", "192.0.2.7/24", "a/b"]
)
def test_what_is_no_group_is_refused(group: str) -> None:
    """The message says what a group looks like."""
    with pytest.raises(WrongValueError, match=r"192\.0\.2\.0/24"):
        Manners(groups=[group])


def test_one_group_must_be_in_a_list() -> None:
    """A `str` would be read letter by letter."""
    with pytest.raises(WrongTypeError, match=r"\['\*.example.com', 'network'\]"):
        Manners(groups="network")


def test_only_addresses_must_be_looked_up() -> None:
    """Names of hosts need no look-up."""
    assert not needs_addresses(["*.example.com", "a.example"])
    assert all(needs_addresses([one]) for one in ("address", "network", "192.0.2.0/24"))


@pytest.mark.parametrize("origin", ["http://[2001:db8::1]", "http://[2001:db8::1]:8080"])
def test_a_host_may_be_an_address(origin: str) -> None:
    """It has no brackets and no port."""
    assert host_of(origin) == "2001:db8::1"


def test_the_pause_between_hosts_is_that_of_a_site_or_its_own() -> None:
    """The robot's own floor is kept in any case."""
    assert Manners().between_hosts(8.0) == 16.0
    assert Manners(group_pause=2.0).between_hosts(8.0) == 2.0
    assert Manners(group_pause=2.0, floor=3.0).between_hosts(8.0) == 3.0


@pytest.mark.parametrize(
    ("origin", "group"),
    [
        ("https://shop.example.com:8443", "*.example.com"),
        ("http://192.0.2.9", "192.0.2.0/24"),
        ("http://[2001:db8::7]:8080", "2001:db8::/48"),
        ("https://example.org", "https://example.org"),
    ],
)
def test_the_name_of_an_origin_tells_the_same_group_everywhere(origin: str, group: str) -> None:
    """Whatever address a machine would find for it."""
    assert named_group(checked_groups(["network", "*.example.com"]), origin) == group
