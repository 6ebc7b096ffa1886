"""The entries of a sitemap: URLs, checked, and findings on them.

Scope: turning the text of an entry into a URL that the sitemap may list, or into a finding.
`sitemaps` finds the entries in bytes.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Literal

from goodbot._core import Finding
from goodbot._core import origin as origin_of
from goodbot.display import short_repr
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.lazy_dataclass import dataclass
from goodbot.page.dates import parse_date
from goodbot.sitemaps.finding_codes import FINDING_CODES

__all__ = [
    "MOST_ENTRIES",
    "EnoughRead",
    "Entries",
    "EntryKind",
    "SitemapEntries",
    "SitemapEntry",
]

MOST_ENTRIES = 50_000
"""The maximum number of entries in one sitemap (sitemaps.org, protocol, Sitemap files)."""

MAX_ADDRESS = 2_047
"""The value must be less than 2,048 characters (sitemaps.org, protocol, XML tag definitions)."""

MAX_DATE = 64

MONTH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")
"""A year, or a year and a month: W3C Date and Time Formats, which `dates` does not parse."""

NO_ADDRESS = {"no-address", "long-address"}
"""The codes of entries without a usable URL."""

EntryKind = Literal["url", "sitemap"]


class EnoughRead(Exception):  # noqa: N818  not an error: it ends the reading
    """The maximum number of entries of one sitemap was read."""


@dataclass(frozen=True, slots=True, repr=False)
class SitemapEntry:
    """A URL in a sitemap."""

    url: str
    """The URL, in its normal form (`goodbot.http.address.address_of`)."""
    modified: datetime | None
    """When it last changed, according to the sitemap; `None` if it does not say."""
    spelling: str = ""
    """The URL as written in the sitemap, if its escapes differ; otherwise empty."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        modified = None if self.modified is None else self.modified.isoformat()
        return {"url": self.url, "modified": modified}


class SitemapEntries(Collection[SitemapEntry]):
    """The entries of one kind, in their order, each created on demand.

    The garbage collector visits every object that holds others, and no thread runs meanwhile: for
    50,000 entries that took 0.1 s or more. It skips strings and dates.

    Args:
        found: For each URL, when it last changed and its other spelling.

    """

    __slots__ = ("_found",)

    def __init__(self, found: Mapping[str, tuple[datetime | None, str]]) -> None:
        """Store the URLs with their values."""
        self._found = found

    def __iter__(self) -> Iterator[SitemapEntry]:
        """Yield each entry."""
        return (SitemapEntry(url, *values) for url, values in self._found.items())

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._found)

    def __reduce__(
        self,
    ) -> tuple[type["SitemapEntries"], tuple[dict[str, tuple[datetime | None, str]]]]:
        """Return what a pickle needs."""
        return SitemapEntries, (dict(self._found),)

    def __eq__(self, other: object) -> bool:
        """Return whether others are the same, in the same order."""
        if not isinstance(other, SitemapEntries):
            return NotImplemented
        return list(self._found.items()) == list(other._found.items())

    def __hash__(self) -> int:
        """Return a hash of the entries."""
        return hash(tuple(self._found.items()))

    def __repr__(self) -> str:
        """Return a short text."""
        return f"<SitemapEntries of {len(self):,}>"

    def __contains__(self, one: object) -> bool:
        """Whether an entry is among them."""
        return any(one == other for other in self)


class Entries:
    """Collects the entries of a sitemap, within the limits of the protocol.

    Args:
        url: The URL of the sitemap.
        speaks_for: The origins whose robots.txt names it.

    """

    def __init__(self, url: str, speaks_for: Collection[str]) -> None:
        """Start without entries."""
        self._origin, address = address_of(url)
        path = address.partition("?")[0]
        self._directory = path[: path.rindex("/") + 1]
        self._speaks_for = frozenset(origin_of(one) for one in speaks_for)
        self._found: dict[EntryKind, dict[str, tuple[datetime | None, str]]] = {
            "url": {},
            "sitemap": {},
        }
        self._notes: dict[str, tuple[int, str, int]] = {}
        self._read = 0

    def of(self, kind: EntryKind) -> SitemapEntries:
        """Return the entries of one kind, in their order."""
        return SitemapEntries(self._found[kind])

    def has_addresses(self) -> bool:
        """Whether any entry had a usable URL."""
        others = sum(times for code, (times, _, _) in self._notes.items() if code in NO_ADDRESS)
        return self._read > others

    def add(self, kind: EntryKind, address: str, modified: str = "", line: int = 0) -> None:
        """Add an entry, or note why it is ignored.

        Raises:
            EnoughRead: There are too many entries.

        """
        if self._read >= MOST_ENTRIES:
            self.note("too-many-entries", line=line)
            raise EnoughRead
        self._read += 1
        address = address.strip()
        if len(address) > MAX_ADDRESS:
            self.note("long-address", address, line)
            return
        try:
            origin, url = address_of(address)
        except NoOriginError:
            self.note("no-address", address, line)
            return
        if refused := self._outside(kind, origin, url):
            self.note(refused, address, line)
        elif url in self._found[kind]:
            self.note("repeated-address", address, line)
        else:
            self._found[kind][url] = self._date(modified, line), spelling_of(address)

    def add_all(self, found: Iterable[tuple[EntryKind, str, str, int]]) -> None:
        """Add entries in their order: kind, address, date, line.

        Raises:
            EnoughRead: There are too many entries.

        """
        for kind, address, modified, line in found:
            self.add(kind, address, modified, line)

    def _outside(self, kind: EntryKind, origin: str, url: str) -> str | None:
        """Return the code why a sitemap may not list a URL; `None` if it may.

        It may list URLs with its own scheme, host and port that are below its directory, and all
        URLs of a site whose robots.txt names it (Sitemap file location; Sitemaps & Cross Submits).
        An index may list sitemaps anywhere on its own site (Using Sitemap index files).
        """
        if origin in self._speaks_for:
            return None
        if origin != self._origin:
            return "other-site"
        is_beneath = kind == "sitemap" or url.startswith(self._directory)
        return None if is_beneath else "other-directory"

    def _date(self, text: str, line: int) -> datetime | None:
        """Parse the date of an entry."""
        text = text.strip()
        if not text:
            return None
        date = date_of(text)
        if date is None:
            self.note("bad-date", text, line)
        return date

    def note(
        self, code: str, example: str = "", line: int = 0, times: int = 1, *, cause: str = ""
    ) -> None:
        """Add a finding; of each code the first is shown, and the others are counted."""
        known = f": {cause}" if cause else f" ({example[:60]!r})" if example else ""
        before, shown, first = self._notes.get(code, (0, known, line))
        self._notes[code] = (before + times, shown, first)

    def findings(self) -> list[Finding]:
        """Return the findings: one for each code."""
        found = []
        for code, (times, shown, line) in self._notes.items():
            severity, message = FINDING_CODES[code]
            message = f"{message.rstrip('.')}{shown}." if shown else message
            message += f" And {times - 1:,} more like this." if times > 1 else ""
            found.append(Finding(code, severity, message, line=line))
        return found


def date_of(text: str) -> datetime | None:
    """Parse a date in the W3C's format, or in that of RFC 822, which RSS uses.

    Args:
        text: The date. A missing zone means UTC; a missing month or day means the first.

    >>> date_of("2005-05").isoformat(), date_of("2005-01-01T10:00:00+01:00").isoformat()
    ('2005-05-01T00:00:00+00:00', '2005-01-01T09:00:00+00:00')
    >>> date_of("last week") is None
    True

    Source: sitemaps.org, protocol, lastmod; W3C Date and Time Formats; RSS 2.0, pubDate.

    """
    if len(text) > MAX_DATE:
        return None
    month = MONTH.fullmatch(text)
    if month is None:
        return parse_date(text)
    try:
        return datetime(int(month[1]), int(month[2] or 1), 1, tzinfo=timezone.utc)
    except ValueError:
        return None
