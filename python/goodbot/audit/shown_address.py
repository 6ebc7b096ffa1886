"""How addresses are shown in what people share: without the part that names a machine.

Scope: text to text. IPv4 keeps 24 bits and IPv6 keeps 48. That is goodbot's choice; it follows a
widespread practice of web analytics (Google's "IP masking" sets the last 8 bits of IPv4 and the
last 80 of IPv6 to zero), and data minimization as RFC 6973 section 6.1 asks for. A shortened
address is still no anonymous one: a whole network may belong to one person.
"""

from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network

__all__ = ["HIDDEN", "shown_address"]

HIDDEN = "(hidden)"
"""What is shown instead of a text that is not an address, which may be a name."""

IPV4_BITS = 24
IPV6_BITS = 48


@lru_cache(maxsize=65_536)
def shown_address(text: str, whole: bool = False) -> str:  # noqa: FBT001, FBT002  a cache's key
    """Return an address as it may be shared.

    Args:
        text: The address, as the log has it.
        whole: Whether to return it in full.

    Returns:
        The network that it belongs to, such as `192.0.2.0/24`; `HIDDEN` if the text is not an
        address; an empty text if there is none.

    >>> shown_address("192.0.2.7"), shown_address("2001:db8:1:2::3%eth0")
    ('192.0.2.0/24', '2001:db8:1::/48')
    >>> shown_address("::ffff:192.0.2.7"), shown_address("host.example")
    ('192.0.2.0/24', '(hidden)')

    """
    if whole or not text:
        return text
    # A zone identifier names an interface of the server (RFC 4007 section 11) and is omitted.
    try:
        address = ip_address(text.strip().strip("[]").partition("%")[0])
    except ValueError:
        return HIDDEN
    if not isinstance(address, IPv4Address):
        # RFC 4291 section 2.5.5.2: the last 32 bits are an IPv4 address.
        mapped = address.ipv4_mapped
        if mapped is None:
            return str(ip_network((address, IPV6_BITS), strict=False))
        address = mapped
    return str(ip_network((address, IPV4_BITS), strict=False))
