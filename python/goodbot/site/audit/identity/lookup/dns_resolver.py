"""A resolver that asks name servers with dnspython.

Scope: one question, bounded in time. `getnameinfo` of the system would need no library, but it
gives one name only, also from /etc/hosts, has no bound in time, and cannot be trusted to tell
"there is no name" from "no answer", which an accusation must.
"""

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from goodbot.errors import WrongValueError
from goodbot.missing import needs
from goodbot.site.audit.identity.lookup.resolver import DnsAnswer

if TYPE_CHECKING:
    from dns.resolver import Answer

SECONDS = 5.0


class DnsResolver:
    """A resolver that asks name servers, for `look_up`.

    Args:
        nameservers: The addresses of name servers; by default those of the system.
        port: Their port.
        seconds: How long an answer may take, with all repetitions.

    Raises:
        MissingExtraError: dnspython is not installed.
        WrongValueError: A name server is not an address, or the system names none.

    """

    def __init__(
        self,
        nameservers: Sequence[str] | None = None,
        *,
        port: int = 53,
        seconds: float = SECONDS,
    ) -> None:
        with needs("dns"):
            import dns.asyncresolver  # noqa: PLC0415  an extra
            import dns.exception  # noqa: PLC0415  as above
        try:
            self._resolver = dns.asyncresolver.Resolver(configure=nameservers is None)
            if nameservers is not None:
                self._resolver.nameservers = list(nameservers)
        except (dns.exception.DNSException, ValueError, OSError) as error:
            message = f"no name server can be asked ({error}); name one by its address"
            raise WrongValueError(message) from error
        self._resolver.port = port
        self._resolver.lifetime = seconds
        # A search list would turn a name of the operator's into one of ours.
        self._resolver.search = []
        self._resolver.ndots = 0

    async def names_of(self, address: str) -> DnsAnswer:
        """Return the names of an address (PTR).

        Args:
            address: The address.

        """
        import dns.reversename  # noqa: PLC0415  an extra

        question = dns.reversename.from_address(address)
        return await answer_of(self._resolver.resolve(question, "PTR", search=False))

    async def addresses_of(self, name: str, *, version: int) -> DnsAnswer:
        """Return the addresses of a name.

        Args:
            name: The name, as `readable_name` returns it.
            version: 4 for A records, 6 for AAAA records.

        """
        kind = "A" if version == 4 else "AAAA"  # noqa: PLR2004  of IP
        return await answer_of(self._resolver.resolve(f"{name}.", kind, search=False))


async def answer_of(question: "Awaitable[Answer]") -> DnsAnswer:
    """Return what DNS answers. A loop of CNAMEs, a refusal and silence are failures."""
    import dns.exception  # noqa: PLC0415  an extra
    import dns.resolver  # noqa: PLC0415  an extra

    try:
        found = await question
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return DnsAnswer("none")
    except (dns.exception.DNSException, OSError, ValueError):
        return DnsAnswer("failed")
    return DnsAnswer("answered", tuple(str(value) for value in found))
