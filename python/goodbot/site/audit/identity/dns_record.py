"""What DNS said about an address, and when.

Scope: values. An answer that DNS gave is kept apart from none: only an answer can show anything.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, cast

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.http.instants import checked_time, written
from goodbot.lazy_dataclass import dataclass

DnsStatus: TypeAlias = Literal["answered", "none", "failed"]

MOST_NAMES = 10
"""The most names of an address that are kept: a PTR answer may have thousands."""
MOST_ADDRESSES = 100
"""The most addresses of a name that are kept."""
LONGEST_NAME = 253
"""The most characters of a name (RFC 1035 section 2.3.4, without the last dot)."""

NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
STATUSES = {"answered", "none", "failed"}


@dataclass(frozen=True, slots=True, repr=False)
class NameRecord:
    """The addresses of a name."""

    name: str
    """The name, as `readable_name` returns it."""
    status: DnsStatus
    """`answered`, `none` (there is no such name, or it has no address) or `failed`."""
    addresses: tuple[str, ...] = ()
    """Its addresses."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class DnsRecord:
    """The names of an address, and their addresses.

    Raises:
        WrongValueError: The time is naive.
        WrongTypeError: The time is not a `datetime`.
    """

    address: str
    """The address, in its one spelling."""
    asked: datetime
    """When DNS answered."""
    status: DnsStatus
    """`answered`, `none` (it has no name) or `failed`."""
    names: tuple[str, ...] = ()
    """The names, in lower case and without the last dot; those that cannot be names are empty."""
    forward: tuple[NameRecord, ...] = ()
    """The addresses of those names that were looked up in turn."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        checked_time(self.asked, "asked")

    def as_record(self) -> dict[str, Any]:
        """Return plain values, for a file."""
        forward = [[answer.name, answer.status, list(answer.addresses)] for answer in self.forward]
        return {
            "address": self.address,
            "asked": written(self.asked),
            "status": self.status,
            "names": list(self.names),
            "forward": forward,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "DnsRecord":
        """Make a record again of its plain values.

        Raises:
            WrongValueError: It is not a complete record.

        """
        try:
            forward = tuple(
                NameRecord(str(name), check_status(status), tuple(map(str, addresses)))
                for name, status, addresses in record["forward"]
            )
            return cls(
                str(record["address"]),
                checked_time(datetime.fromisoformat(record["asked"]), "asked"),
                check_status(record["status"]),
                tuple(map(str, record["names"])),
                forward,
            )
        except (KeyError, TypeError, ValueError) as error:
            message = "this is not the record of a DNS answer; look the address up again"
            raise WrongValueError(message) from error


def check_status(value: object) -> DnsStatus:
    """Return a status."""
    if value not in STATUSES:
        message = "a DNS answer is answered, none or failed"
        raise ValueError(message)
    return cast("DnsStatus", value)


def readable_name(text: str) -> str:
    r"""Return a name as it is compared; empty if it cannot be the name of a host.

    >>> readable_name("Crawl-66-249-66-1.googlebot.com."), readable_name("a\\000.googlebot.com")
    ('crawl-66-249-66-1.googlebot.com', '')

    Source: RFC 1035 section 2.3.1, RFC 4343 (case).

    """
    name = text[: LONGEST_NAME + 2].removesuffix(".")
    is_ascii = len(name) <= LONGEST_NAME and name.isascii()
    lowered = name.lower()
    return lowered if is_ascii and NAME.fullmatch(lowered) else ""
