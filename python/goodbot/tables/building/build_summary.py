"""What was read and written when a table of policies was built.

Scope: numbers and names of files; how they are printed is the command's.
"""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from goodbot.http.amounts import counted, format_bytes
from goodbot.tables.building.damaged_files import DamagedSource
from goodbot.tables.building.warc_runs import WarcAnswers


@dataclass(slots=True)
class BuildSummary:
    """What was built."""

    rows: int = 0
    """Rows of the table."""
    origins: int = 0
    """Origins that it has."""
    records: int = 0
    """Records or rows that were read."""
    answers: int = 0
    """Answers among them: of robots.txt, and of what one may redirect to."""
    without_answers: list[str] = field(default_factory=list)
    """Sources that have none of them."""
    lost_redirects: int = 0
    """Redirects of robots.txt whose targets are not in the sources within an hour after them:
    nothing is known then."""
    undated: int = 0
    """Answers whose time is only known to be within a span: that of their file, or of a date
    without seconds."""
    omitted: int = 0
    """Answers that were omitted because there were too many of one URL; nothing is allowed then."""
    unread: int = 0
    """Bytes that were not read, because a file is damaged."""
    damaged: list[DamagedSource] = field(default_factory=list)
    """The files that they are in."""
    no_url: int = 0
    """Rows of Parquet files that were skipped, because their URL is null."""
    no_time: int = 0
    """The same because their time is null."""
    other_scheme: int = 0
    """The same because their URL is not an absolute one of http or https."""
    other_urls: int = 0
    """Rows with the URL of something else than a robots.txt, which count only where redirects lead
    to them."""
    unreadable: int = 0
    """Responses for robots.txt in WARC files whose content or time could not be read."""

    def count(self, source: str, done: WarcAnswers) -> None:
        """Count what was read of a WARC file."""
        if not done.found:
            self.without_answers.append(source)
        self.records += done.records
        self.answers += done.found
        self.undated += done.undated
        self.omitted += done.omitted
        self.unread += done.unread
        self.damaged += done.damaged
        self.unreadable += done.unreadable

    def skip(self, skipped: Counter[str]) -> None:
        """Count the rows of a Parquet file that are no answers."""
        self.no_url += skipped["no_url"]
        self.no_time += skipped["no_time"]
        self.other_scheme += skipped["other_scheme"]
        self.records += skipped.total()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)

    def why_nothing(self) -> str:
        """Return why there is no row, and what to do."""
        read = counted(self.records, "record")
        nothing = f"no source has an answer for a robots.txt ({read} read), so nothing was written."
        damaged = "; ".join(
            f"{source.file} ({format_bytes(source.unread)}: {source.why})"
            for source in self.damaged
        )
        again = f" Not read: {damaged}." if damaged else ""
        return (
            f"{nothing}{again} Name files with the responses for /robots.txt: of Common Crawl "
            "those of the set robotstxt, which robotstxt.paths.gz of each crawl lists, and of "
            "other crawls all their WARC files"
        )
