"""The TXT records of a name, asked for with dnspython.

Scope: one question, bounded in time. A name that leads to another one (CNAME, DNAME) has no record
of its own: the owner of the other name is not the owner of this one.
"""

from collections.abc import Sequence

__all__ = ["TxtRecords"]

SECONDS = 5.0


class TxtRecords:
    """Finds TXT records; without dnspython there are none.

    Args:
        nameservers: The addresses of name servers; by default those of the system.
        port: Their port.

    """

    def __init__(self, nameservers: Sequence[str] | None = None, *, port: int = 53) -> None:
        """Keep where to ask."""
        self._nameservers, self._port = nameservers, port

    async def values_of(self, name: str) -> tuple[str, ...]:
        """Return the values of the records at a name itself; none if there is no answer.

        Args:
            name: The name, without a dot at its end.

        """
        try:
            import dns.asyncresolver  # noqa: PLC0415  an extra
            import dns.exception  # noqa: PLC0415  as above
            import dns.name  # noqa: PLC0415  as above
        except ImportError:
            return ()
        try:
            asked = dns.name.from_text(f"{name}.")
            resolver = dns.asyncresolver.Resolver(configure=self._nameservers is None)
            if self._nameservers is not None:
                resolver.nameservers = list(self._nameservers)
            resolver.port, resolver.lifetime = self._port, SECONDS
            resolver.cache = None
            found = await resolver.resolve(asked, "TXT", search=False)
        except (dns.exception.DNSException, OSError, ValueError):
            return ()
        if found.canonical_name != asked or found.rrset is None:
            return ()
        return tuple(b"".join(record.strings).decode("ascii", "replace") for record in found.rrset)
