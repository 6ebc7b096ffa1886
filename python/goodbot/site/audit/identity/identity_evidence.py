"""What is known that can say who sent a request: lists, DNS answers, and how the log was kept.

Scope: values. Where they come from is the business of `goodbot.site.audit.identity.lookup` and
`goodbot.address_lists`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import timedelta

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.identity.dated_list import DatedList
from goodbot.site.audit.identity.dns_record import DnsRecord

DNS_WINDOW = timedelta(days=1)
"""How long before and after its time a DNS answer holds, unless stated otherwise. An answer has no
date from which it held; within a day an operator's addresses hardly change hands."""


@dataclass(frozen=True, slots=True, repr=False)
class IdentityEvidence:
    """Lists and DNS answers with their dates.

    Raises:
        WrongValueError: `dns_window` is negative.

    """

    lists: Mapping[str, tuple[DatedList, ...]] = field(default_factory=dict)
    """The copies of lists, by the addresses of the lists."""
    dns: Mapping[str, tuple[DnsRecord, ...]] = field(default_factory=dict)
    """The DNS answers, by the addresses of robots in their one spelling."""
    dns_window: timedelta = DNS_WINDOW
    """How long before and after its time a DNS answer holds."""
    is_shortened: bool = False
    """Whether the log has shortened or anonymised addresses: those cannot be verified."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if self.dns_window < timedelta(0):
            message = "dns_window must not be negative; pass timedelta(0) for the very time"
            raise WrongValueError(message)

    @classmethod
    def of(
        cls,
        lists: Iterable[DatedList] = (),
        dns: Iterable[DnsRecord] = (),
        *,
        dns_window: timedelta = DNS_WINDOW,
        is_shortened: bool = False,
    ) -> "IdentityEvidence":
        """Return evidence in any order, sorted out.

        Args:
            lists: Copies of lists; several of one list may hold at different times.
            dns: DNS answers.
            dns_window: How long before and after its time a DNS answer holds.
            is_shortened: Whether the log has shortened or anonymised addresses.

        """
        by_url: dict[str, tuple[DatedList, ...]] = {}
        for copy in sorted(lists, key=lambda found: found.begins):
            by_url[copy.url] = (*by_url.get(copy.url, ()), copy)
        by_address: dict[str, tuple[DnsRecord, ...]] = {}
        for record in sorted(dns, key=lambda found: found.asked):
            by_address[record.address] = (*by_address.get(record.address, ()), record)
        return cls(by_url, by_address, dns_window, is_shortened)
