"""A copy of a published list of addresses: how old it is, and when to ask for it again.

Scope: decisions on caching (RFC 9111). There is no clock and no disk: times are passed.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from goodbot.bots.known_robot import AddressList
from goodbot.bots.published_addresses import PublishedAddresses, read_addresses
from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.http.fields import Fields, field_lines
from goodbot.http.freshness import freshness
from goodbot.http.instants import checked_time, seconds_between, written
from goodbot.http.validators import conditional_headers, updated_fields, validators_of
from goodbot.lazy_dataclass import dataclass

__all__ = ["ListCopy", "copy_after"]

DEFAULT_LIFETIME = 86_400.0
"""Seconds for which a list is not requested again if its header does not say: a day."""
SHORTEST, LONGEST = 3_600.0, 7 * 86_400.0
"""The bounds of what a header may say: an hour, so that no list is requested all the time, and a
week, so that none grows old."""

KEPT = {"age", "cache-control", "date", "etag", "expires", "last-modified", "vary"}
"""Fields of the header that later decisions need."""

OK, NOT_MODIFIED = 200, 304


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ListCopy:
    """A copy of a list, with its dates."""

    url: str
    """The address of the list."""
    fetched: datetime
    """When the site sent this content."""
    confirmed: datetime
    """When the site last said that it is current: then, or by a 304 later."""
    created: str | None
    """When the list says that it was made."""
    prefixes: tuple[str, ...]
    """The prefixes that can be used."""
    refused: int
    """How many prefixes were refused."""
    headers: Fields
    """The fields of the header that say how long it may be used, and by what it is compared."""

    __repr__ = short_repr

    def lifetime(self) -> float:
        """Return the seconds from `confirmed` for which it is not requested again."""
        told = freshness(self.headers, now=self.confirmed)
        if told.must_validate:
            return SHORTEST
        if told.lifetime is None:
            return DEFAULT_LIFETIME
        return min(max(told.remaining, SHORTEST), LONGEST)

    def age(self, now: datetime) -> float:
        """Return the seconds since it was confirmed, 0 or more."""
        return max(0.0, seconds_between(self.confirmed, checked_time(now, "now")))

    def is_due(self, now: datetime) -> bool:
        """Return whether to request the list again. A copy from the future is due."""
        elapsed = seconds_between(self.confirmed, checked_time(now, "now"))
        return not 0 <= elapsed < self.lifetime()

    def conditional_headers(self) -> dict[str, str]:
        """Return the fields of a request that asks whether the copy is current."""
        return conditional_headers(validators_of(self.headers))

    def as_record(self) -> dict[str, Any]:
        """Return plain values, for a file."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return values | {"fetched": written(self.fetched), "confirmed": written(self.confirmed)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "ListCopy":
        """Make a copy again of its record.

        Raises:
            WrongValueError: It is not a complete record.

        """
        try:
            return cls(
                url=str(record["url"]),
                fetched=checked_time(datetime.fromisoformat(record["fetched"]), "fetched"),
                confirmed=checked_time(datetime.fromisoformat(record["confirmed"]), "confirmed"),
                created=record["created"],
                prefixes=tuple(map(str, record["prefixes"])),
                refused=int(record["refused"]),
                headers=field_lines([(str(key), str(one)) for key, one in record["headers"]]),
            )
        except (KeyError, TypeError, ValueError) as error:
            message = "this is not the record of a list of addresses; fetch the list again"
            raise WrongValueError(message) from error


def copy_after(
    previous: ListCopy | None,
    published: AddressList,
    answer: tuple[int, object, bytes],
    *,
    now: datetime,
) -> tuple[ListCopy | None, PublishedAddresses | None]:
    """Return the copy to keep after an answer, and what the list said if it was sent.

    A list that is refused as a whole changes nothing, and neither does any status but 200 and 304:
    the copy before it stays, with its dates.

    Args:
        previous: The copy so far.
        published: The list.
        answer: The status, the fields of the header, and the content.
        now: When the answer came.

    """
    status, headers, body = answer
    lines = tuple(line for line in field_lines(headers) if line[0] in KEPT)
    if status == NOT_MODIFIED and previous is not None:
        merged = updated_fields(previous.headers, lines)
        return replace(previous, confirmed=now, headers=merged), None
    if status != OK:
        return previous, None
    said = read_addresses(body, published)
    if said.problem is not None:
        return previous, said
    copy = ListCopy(
        url=published.url,
        fetched=now,
        confirmed=now,
        created=said.created,
        prefixes=said.prefixes,
        refused=said.refused_count,
        headers=lines,
    )
    return copy, said
