"""How addresses and lines are shown in what people share: without the part that names a machine.

Scope: text to text. IPv4 keeps 24 bits and IPv6 keeps 48. That is goodbot's choice; it follows a
widespread practice of web analytics (Google's "IP masking" sets the last 8 bits of IPv4 and the
last 80 of IPv6 to zero), and data minimization as RFC 6973 section 6.1 asks for. A shortened
address is still no anonymous one: a whole network may belong to one person.
"""

import re
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network

HIDDEN = "(hidden)"
"""What is shown instead of a text that is not an address, which may be a name."""

ADDRESS = re.compile(
    r"(?<![\w.:/])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])"
)
"""What looks like an address in a line that could not be read."""
HIDDEN_ADDRESS = "(address)"

IPV4_BITS = 24
IPV6_BITS = 48


@lru_cache(maxsize=65_536)
def mask_address(text: str, whole: bool = False) -> str:  # noqa: FBT001, FBT002  a cache's key
    """Return an address as it may be shared.

    Args:
        text: The address, as the log has it.
        whole: Whether to return it in full.

    Returns:
        The network that it belongs to, such as `192.0.2.0/24`; `HIDDEN` if the text is not an
        address; an empty text if there is none.

    >>> mask_address("192.0.2.7"), mask_address("2001:db8:1:2::3%eth0")
    ('192.0.2.0/24', '2001:db8:1::/48')
    >>> mask_address("::ffff:192.0.2.7"), mask_address("host.example")
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


def show_line(begin: bytes, *, whole: bool = False) -> str:
    """Return how a line begins that could not be read, as text; addresses are hidden unless whole.

    >>> show_line(b"192.0.2.7 - broken")
    '(address) - broken'
    """
    text = decode_line(begin)
    return text if whole else ADDRESS.sub(HIDDEN_ADDRESS, text)


def decode_line(content: bytes) -> str:
    r"""Return UTF-8 as text; other bytes become escapes such as `\xff`, and tabs become spaces."""
    return content.decode("utf-8", "backslashreplace").expandtabs()
