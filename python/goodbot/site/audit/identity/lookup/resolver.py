"""What a resolver must do: three questions, each with one of three answers.

Scope: the interface. An answer of DNS that there is nothing is another one than no answer: only the
first can show anything.
"""

from typing import Protocol

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.identity.dns_record import DnsStatus


@dataclass(frozen=True, slots=True, repr=False)
class DnsAnswer:
    """An answer of DNS."""

    status: DnsStatus
    """`answered`, `none` (there is no such name or record) or `failed`."""
    values: tuple[str, ...] = ()
    """The names or addresses, as they were answered."""

    __repr__ = short_repr


class NameResolver(Protocol):
    """What asks DNS. It does not raise for what DNS answers, or does not answer."""

    async def names_of(self, address: str) -> DnsAnswer:
        """Return the names of an address (PTR).

        Args:
            address: The address.

        """

    async def addresses_of(self, name: str, *, version: int) -> DnsAnswer:
        """Return the addresses of a name.

        Args:
            name: The name, as `readable_name` returns it.
            version: 4 for A records, 6 for AAAA records.

        """
