"""What was read and written when a table of policies was built, for a terminal and as JSON."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goodbot.cli.shared import warnings
from goodbot.cli.shared.printing import Printer
from goodbot.http.amounts import counted, format_bytes

if TYPE_CHECKING:
    from goodbot.tables.building import BuildSummary

__all__ = ["print_summary", "warn_of_sources"]

LISTED = 5
"""How many sources without an answer are named."""


def print_summary(done: "BuildSummary", path: str, *, as_json: bool) -> None:
    """Print what was written, and what was not counted."""
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return
    if done.rows:
        noun = "policy" if done.rows == 1 else "policies"
        sites, records = counted(done.origins, "site"), counted(done.records, "record")
        printer.line(f"{path}: {done.rows:,} {noun} of {sites}, from {records}")
    for sentence in remarks(done):
        printer.prose(sentence)


def remarks(done: "BuildSummary") -> Iterator[str]:
    """Yield what was read and is no policy as it came, in sentences."""
    if done.lost_redirects:
        yield (
            f"{counted(done.lost_redirects, 'redirect')} of robots.txt led to what is not in the "
            "sources within an hour after it: nothing is known then. Name the files that have the "
            "targets as well."
        )
    if done.undated:
        yield (
            f"{counted(done.undated, 'response')} had a date without seconds, or outside of the "
            "time span of the file: the span is used, between whose ends nothing is permitted."
        )
    if done.omitted:
        yield (
            f"{counted(done.omitted, 'response')} omitted: too many for one URL. Nothing is "
            "allowed from then on."
        )
    if done.unreadable:
        yield (
            f"{counted(done.unreadable, 'response')} for robots.txt could not be read: the content "
            "or the time is damaged. A success without its content allows nothing."
        )
    for count, why in (
        (done.no_url, "without a URL"),
        (done.no_time, "without a time"),
        (done.other_scheme, "with a URL that is not an absolute one of http or https"),
    ):
        if count:
            yield f"{counted(count, 'row')} {why} skipped."
    if done.other_urls:
        yield (
            f"{counted(done.other_urls, 'row')} of other URLs than a robots.txt: they count only "
            "where a redirect leads to them."
        )


def warn_of_sources(done: "BuildSummary") -> None:
    """Print on standard error which sources are damaged, and which have no answer."""
    for source in done.damaged:
        warnings.warn(
            f"{source.file}: {format_bytes(source.unread)} not read, because {source.why}"
        )
    if done.without_answers:
        named = ", ".join(done.without_answers[:LISTED])
        rest = len(done.without_answers) - LISTED
        more = f" and {rest:,} more" if rest > 0 else ""
        warnings.note(f"no answer for a robots.txt in {named}{more}; the table has the others")
