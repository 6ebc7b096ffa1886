"""A list of addresses, and from when until when it held.

Scope: values and their dates. A list says nothing about any other time.
"""

from dataclasses import field
from datetime import datetime, timezone

from goodbot.bots.list_copy import ListCopy
from goodbot.bots.prefix_set import PrefixSet
from goodbot.display import short_repr
from goodbot.http.dates import http_date
from goodbot.http.instants import checked_time, later
from goodbot.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class DatedList:
    """A list of addresses that held for some time.

    Raises:
        WrongValueError: A time is naive.
        WrongTypeError: A time is not a `datetime`.

    >>> from datetime import datetime, timezone
    >>> begins = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> ends = datetime(2026, 1, 8, tzinfo=timezone.utc)
    >>> found = DatedList("https://example.com/list.json", ("192.0.2.0/24",), begins, ends)
    >>> found.covers(begins), found.covers(ends)
    (True, False)
    """

    url: str
    """The address of the list."""
    prefixes: tuple[str, ...]
    """Its prefixes."""
    begins: datetime
    """From when it held."""
    ends: datetime
    """The time before which it held."""
    is_complete: bool = True
    """Whether every prefix could be used. If not, the list cannot show that an address is not in
    it."""
    prefix_set: PrefixSet = field(init=False, repr=False, compare=False)
    """The prefixes, for lookups."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the times, and prepare lookups."""
        checked_time(self.begins, "begins")
        checked_time(self.ends, "ends")
        object.__setattr__(self, "prefix_set", PrefixSet(self.prefixes))

    def covers(self, time: datetime) -> bool:
        """Return whether the list held at a time."""
        return self.begins <= time < self.ends

    @classmethod
    def of_copy(cls, copy: ListCopy) -> "DatedList":
        """Return a copy of a list with the time for which it speaks.

        It begins when the list says that it was made, or when its server says that it was last
        changed, if that is before it was fetched: this content was current since then. It ends when
        the copy is to be requested again: until then its server lets it pass for current.

        Source: RFC 9110 section 8.8.2 (Last-Modified), RFC 9111 section 4.2 (freshness).

        """
        stated = [read_creation_time(copy.created), read_last_modified(copy)]
        begins = min([copy.fetched, *(time for time in stated if time is not None)])
        ends = later(copy.confirmed, copy.lifetime())
        return cls(copy.url, copy.prefixes, begins, ends, is_complete=copy.refused == 0)


def read_creation_time(created: str | None) -> datetime | None:
    """Return when a list says that it was made; a time without a zone is in UTC.

    >>> read_creation_time("2026-01-02T03:04:05.000000"), read_creation_time("soon")
    (datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), None)
    """
    if created is None:
        return None
    try:
        found = datetime.fromisoformat(created.strip().replace("Z", "+00:00"))
        return (
            found.astimezone(timezone.utc) if found.tzinfo else found.replace(tzinfo=timezone.utc)
        )
    except (ValueError, OverflowError):
        return None


def read_last_modified(copy: ListCopy) -> datetime | None:
    """Return when the server says that the list was last changed."""
    stated = [value for name, value in copy.headers if name == "last-modified"]
    return http_date(stated[0], now=copy.fetched) if len(stated) == 1 else None
