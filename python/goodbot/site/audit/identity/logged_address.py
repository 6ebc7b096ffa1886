"""An address as a log has it.

Scope: from text to an address that can be compared. Logs have IPv4 within IPv6, brackets, ports and
zones; text of any length never raises.
"""

import ipaddress
import re
from functools import lru_cache
from typing import TypeAlias

LoggedAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST = 100
"""The most characters of an address: one of IPv6 with a zone and a port has fewer."""

BRACKETED = re.compile(r"\[([^\]]*)\](?::\d{1,5})?")
WITH_PORT = re.compile(r"(\d+\.\d+\.\d+\.\d+):\d{1,5}")


@lru_cache(maxsize=4096)
def read_address(text: str) -> LoggedAddress | None:
    """Return an address; `None` if the text is none.

    >>> read_address("::ffff:66.249.66.1"), read_address("[2001:db8::1]:443")
    (IPv4Address('66.249.66.1'), IPv6Address('2001:db8::1'))
    >>> read_address("66.249.66.x"), read_address("-")
    (None, None)

    Source: RFC 4291 section 2.5.5.2 (IPv4-mapped addresses), RFC 4007 section 11 (zones).

    """
    if len(text) > LONGEST:
        return None
    bare = text.strip()
    for form in (BRACKETED, WITH_PORT):
        found = form.fullmatch(bare)
        bare = found[1] if found else bare
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address
    return address


def canonical(address: LoggedAddress) -> str:
    """Return the one way to write an address (RFC 5952)."""
    return str(address)
