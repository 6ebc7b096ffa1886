"""Segments: some minutes of the crawl of a worker, as files in object storage.

Scope: the values. `manifest` stores them.

| file | kind | what it has |
|---|---|---|
| `pages-00001.warc.gz` | `archive` | the copies that may be kept |
| `robots-txt-00001.warc.gz` | `archive` | robots.txt as received |
| `evidence.parquet` | `evidence` | a row for each act of each visit |
| `links.parquet` | `links` | the links of the pages |
| `inventory.parquet` | `inventory` | what each page is like |
| `requests.parquet` | `requests` | every request: who sent it, and when |
| `crawl.db.gz` | `folder` | all of it as a crawl folder has it, for `goodbot fleet gather` |
"""

from dataclasses import field
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["KINDS", "FileKind", "Segment", "SegmentFile", "SegmentSummary"]

FileKind = Literal["archive", "evidence", "links", "inventory", "requests", "folder"]
KINDS: tuple[FileKind, ...] = get_args(FileKind)


class SegmentFile(NamedTuple):
    """A file of a segment."""

    name: str
    """Its name in the segment."""
    kind: FileKind
    bytes: int
    rows: int | None
    """How many rows it has; `None` if it is no table."""
    sha256: str
    """The SHA-256 of its content, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class SegmentSummary:
    """What the visits of a segment are."""

    visits: int = 0
    first: int | None = None
    """When the first one took place, in microseconds since 1970."""
    last: int | None = None
    origins: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True, repr=False)
class Segment:
    """A segment that can be read."""

    name: str
    """Its folder in the object storage of the fleet."""
    worker: str
    """The name of the worker that wrote it."""
    settled: datetime | None
    """When its URLs were settled, by the clock of the database."""
    first: datetime | None
    """When its first visit or request took place."""
    last: datetime | None
    visits: int
    files: tuple[SegmentFile, ...]

    __repr__ = short_repr

    def as_dict(self, base: str = "") -> dict[str, Any]:
        """Return plain values.

        Args:
            base: The URL of the object storage of the fleet.

        """
        times = {name: getattr(self, name) for name in ("settled", "first", "last")}
        return {
            "name": self.name,
            "worker": self.worker,
            **{name: None if one is None else one.isoformat() for name, one in times.items()},
            "visits": self.visits,
            "files": [
                {**one._asdict(), "url": f"{base.rstrip('/')}/{self.name}/{one.name}"}
                for one in self.files
            ],
        }
