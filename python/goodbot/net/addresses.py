"""Which addresses are public, so that a stranger's link may lead a robot there; and which ports.

Scope: checking addresses and ports. Names are not checked, only what they resolve to and what a
socket is connected to: a name can change between two lookups (DNS rebinding).

Source: the IANA registries of special-purpose addresses (RFC 6890), for IPv4 and IPv6; the Fetch
Standard (WHATWG), section "Port blocking".
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from goodbot.errors import WrongValueError

__all__ = ["BLOCKED_PORTS", "AddressGuard", "blocked_port"]

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

NOT_PUBLIC_IPV4: dict[str, str] = {
    "0.0.0.0/8": "this network; many systems connect to themselves (RFC 791 section 3.2)",
    "10.0.0.0/8": "private use (RFC 1918)",
    "100.64.0.0/10": "shared behind carriers' translators (RFC 6598)",
    "127.0.0.0/8": "loopback (RFC 1122 section 3.2.1.3)",
    "169.254.0.0/16": "link-local, where clouds tell secrets (RFC 3927)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.0.0.0/24": "protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.88.99.0/24": "relays of 6to4, deprecated (RFC 7526)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "198.18.0.0/15": "benchmarks (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved, and broadcast (RFC 1112 section 4; RFC 919)",
}

NOT_PUBLIC_IPV6: dict[str, str] = {
    "2001::/23": "protocol assignments, also Teredo (RFC 2928; RFC 4380)",
    "2001:db8::/32": "documentation (RFC 3849)",
    "3fff::/20": "documentation (RFC 9637)",
}
"""Within 2000::/3. All that lies outside it is not public: loopback, unique local, link-local,
site-local, multicast, local-use NAT64 and what is not assigned (RFC 4291 section 2.4)."""

GLOBAL_UNICAST = IPv6Network("2000::/3")

PRIVATE: dict[str, str] = {
    "10.0.0.0/8": "private use (RFC 1918)",
    "127.0.0.0/8": "loopback (RFC 1122 section 3.2.1.3)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "::1/128": "loopback (RFC 4291 section 2.5.3)",
    "fc00::/7": "unique local (RFC 4193)",
}
"""What `allow_private` allows. Not the shared addresses of carriers' translators, which are not
private networks (RFC 6598 section 1); name those in `allow_networks`."""

METADATA: dict[str, str] = {
    "100.100.100.200": "Alibaba Cloud (ECS documentation, instance metadata)",
    "168.63.129.16": "Azure (What is IP address 168.63.129.16?); it looks public",
    "169.254.169.254": "AWS, Azure, Google Cloud, OpenStack and others",
    "169.254.170.2": "AWS, credentials of containers (ECS documentation, task IAM roles)",
    "169.254.170.23": "AWS, credentials of pods (EKS documentation, Pod Identity)",
    "169.254.42.42": "Scaleway (cloud-init documentation, Scaleway)",
    "169.254.0.23": "Tencent Cloud (CVM documentation, instance metadata)",
    "192.0.0.192": "Oracle Cloud Classic (documentation, instance metadata)",
    "fd00:42::42": "Scaleway (cloud-init documentation, Scaleway)",
    "fd00:100::100:200": "Alibaba Cloud (ECS documentation, instance metadata)",
    "fd00:a9fe:a9fe::1": "Linode (Metadata service documentation)",
    "fd00:c1::a9fe:a9fe": "Oracle Cloud (Compute documentation, instance metadata)",
    "fd00:ec2::23": "AWS, credentials of pods (EKS documentation, Pod Identity)",
    "fd00:ec2::254": "AWS (EC2 documentation, instance metadata service)",
    "fd20:ce::254": "Google Cloud (Compute Engine documentation, metadata server)",
    "fe80::a9fe:a9fe": "OpenStack (Nova documentation, metadata service)",
}
"""Where clouds serve secrets to their machines without a password. Such an address is allowed only
if exactly that address is in `allow_networks`."""

BLOCKED_PORTS: dict[int, str] = {
    1: "tcpmux",
    7: "echo",
    9: "discard",
    11: "systat",
    13: "daytime",
    15: "netstat",
    17: "qotd",
    19: "chargen",
    20: "ftp-data",
    21: "ftp",
    22: "ssh",
    23: "telnet",
    25: "smtp",
    37: "time",
    42: "name",
    43: "nicname",
    53: "domain",
    69: "tftp",
    77: "rje",
    79: "finger",
    87: "link",
    95: "supdup",
    101: "hostname",
    102: "iso-tsap",
    103: "gppitnp",
    104: "acr-nema",
    109: "pop2",
    110: "pop3",
    111: "sunrpc",
    113: "auth",
    115: "sftp",
    117: "uucp-path",
    119: "nntp",
    123: "ntp",
    135: "epmap",
    137: "netbios-ns",
    139: "netbios-ssn",
    143: "imap",
    161: "snmp",
    179: "bgp",
    389: "ldap",
    427: "svrloc",
    465: "submissions",
    512: "exec",
    513: "login",
    514: "shell",
    515: "printer",
    526: "tempo",
    530: "courier",
    531: "chat",
    532: "netnews",
    540: "uucp",
    548: "afp",
    554: "rtsp",
    556: "remotefs",
    563: "nntps",
    587: "submission",
    601: "syslog-conn",
    636: "ldaps",
    989: "ftps-data",
    990: "ftps",
    993: "imaps",
    995: "pop3s",
    1719: "h323gatestat",
    1720: "h323hostcall",
    1723: "pptp",
    2049: "nfs",
    3659: "apple-sasl",
    4045: "npp",
    4190: "sieve",
    5060: "sip",
    5061: "sips",
    6000: "x11",
    6566: "sane-port",
    6665: "ircu",
    6666: "ircu",
    6667: "ircu",
    6668: "ircu",
    6669: "ircu",
    6679: "osaut",
    6697: "ircs-u",
    10080: "amanda",
}
"""Ports to which browsers send no request, and the service at each: one that takes lines of text,
such as a mail server, would take the lines of a request for commands."""

CARRIES_IPV4: dict[str, int] = {
    "::ffff:0:0/96": 0,  # IPv4-mapped: the system connects to the IPv4 address (RFC 4291 2.5.5.2)
    "64:ff9b::/96": 0,  # NAT64, by which networks of IPv6 alone reach IPv4 (RFC 6052 section 2.1)
    "2002::/16": 80,  # 6to4 (RFC 3056 section 2)
}
"""Networks whose addresses contain an IPv4 address, and how many bits follow it."""

TEREDO = IPv6Network("2001::/32")
"""Its addresses end in the IPv4 address of a host, with each bit inverted (RFC 4380 section 4)."""

IPV4_NETWORKS = [IPv4Network(one) for one in NOT_PUBLIC_IPV4]
IPV6_NETWORKS = [IPv6Network(one) for one in NOT_PUBLIC_IPV6]
PRIVATE_NETWORKS = [ip_network(one) for one in PRIVATE]
METADATA_ADDRESSES = {ip_address(one) for one in METADATA}
CARRIERS = [(IPv6Network(one), shift) for one, shift in CARRIES_IPV4.items()]


class AddressGuard:
    """Decides which addresses may be visited: public ones, and those that are allowed in addition.

    Addresses of cloud metadata services (`METADATA`) are refused even within an allowed network,
    unless exactly that address is named.

    Args:
        allow_networks: Networks that may be visited although they are not public, such as
            `10.1.0.0/16`, `::1` or `169.254.7.7`.
        allow_private: Whether loopback and private networks may be visited (`PRIVATE`). Link-local,
            multicast, unspecified and reserved addresses are still refused.

    Raises:
        WrongValueError: One of them is not a network.

    >>> guard = AddressGuard(["10.1.0.0/16"])
    >>> [guard.allows(one) for one in ("93.184.215.14", "10.1.2.3", "10.2.0.1", "::ffff:127.0.0.1")]
    [True, True, False, False]
    >>> guard = AddressGuard(allow_private=True)
    >>> [guard.allows(one) for one in ("127.0.0.1", "fd00::1", "fd00:ec2::254", "169.254.7.7")]
    [True, True, False, False]

    """

    def __init__(self, allow_networks: Iterable[str] = (), *, allow_private: bool = False) -> None:
        """Read the networks."""
        if isinstance(allow_networks, str):
            allow_networks = [allow_networks]
        self.allow_networks: tuple[IPNetwork, ...] = tuple(map(network_of, allow_networks))
        self.allow_private = allow_private
        # The same few addresses are checked at every request.
        self.allows = lru_cache(maxsize=4096)(self._allows)

    def _allows(self, address: str) -> bool:
        """Whether a numeric address may be visited; anything else may not."""
        try:
            # A zone, as in fe80::1%eth0, names an interface; it makes nothing public.
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        meant = carried(parsed)
        forms = {parsed, meant}
        if forms & METADATA_ADDRESSES or teredo_client(parsed) in METADATA_ADDRESSES:
            return any(one.num_addresses == 1 and one[0] in forms for one in self.allow_networks)
        if is_in(forms, self.allow_networks) or is_public(meant):
            return True
        return self.allow_private and is_in({meant}, PRIVATE_NETWORKS)


def is_in(addresses: Iterable[IPAddress], networks: Iterable[IPNetwork]) -> bool:
    """Whether one of some addresses is in one of some networks."""
    networks = tuple(networks)
    return any(
        one in network
        for one in addresses
        for network in networks
        if one.version == network.version
    )


@lru_cache(maxsize=1024)  # the same few origins are checked at every request
def blocked_port(origin: str) -> int | None:
    """Return the port of an origin if browsers open no page there; else `None`.

    Unlike in browsers, loopback is an exception, for servers in tests: a guard refuses it unless
    it is allowed.

    >>> blocked_port("http://a.example:25"), blocked_port("http://a.example:8080")
    (25, None)
    """
    host, _, port = origin.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal() or int(port) not in BLOCKED_PORTS or is_loopback(host):
        return None
    return int(port)


def is_loopback(host: str) -> bool:
    """Return whether a host, as in a normal URL, is this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def network_of(text: str) -> IPNetwork:
    """Read a network."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        message = f"{text!r} is not a network; write it like 10.1.0.0/16, 127.0.0.1 or fd00::/8"
        raise WrongValueError(message) from None


def teredo_client(address: IPAddress) -> IPAddress | None:
    """Return the IPv4 address of a host behind Teredo, or `None`.

    >>> str(teredo_client(IPv6Address("2001:0:4136:e378:8000:63bf:3fff:fdd2")))
    '192.0.2.45'
    """
    if isinstance(address, IPv6Address) and address in TEREDO:
        return IPv4Address(~int(address) & 0xFFFFFFFF)
    return None


def carried(address: IPAddress) -> IPAddress:
    """Return the IPv4 address in an IPv6 address, or the address itself.

    >>> str(carried(IPv6Address("64:ff9b::7f00:1"))), str(carried(IPv6Address("2002:a00:1::")))
    ('127.0.0.1', '10.0.0.1')
    """
    if isinstance(address, IPv6Address):
        for network, shift in CARRIERS:
            if address in network:
                return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return address


def is_public(address: IPAddress) -> bool:
    """Whether an address is a public unicast address that is not reserved.

    >>> is_public(IPv4Address("8.8.8.8")), is_public(IPv6Address("::1"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in IPV4_NETWORKS)
    return address in GLOBAL_UNICAST and not any(address in one for one in IPV6_NETWORKS)
