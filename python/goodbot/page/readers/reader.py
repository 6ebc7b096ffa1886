"""The interface of a reader, and what it returns."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from goodbot._core import HtmlFacts
from goodbot.page.finding_codes import Findings
from goodbot.page.plan import CorePlan
from goodbot.page.readers.decided import Decided
from goodbot.page.readers.description import Description
from goodbot.page.readers.marked import Marked

__all__ = ["CutRow", "DocumentReader", "Reading", "report_broken", "report_repeated"]

CutRow: TypeAlias = tuple[int, bool, int, int, int]
"""What is left out of a copy: row of the plan, whether it allows, lines of mark and part, bytes."""

SHORTEST_REPEATED = 4
MOST_REPEATED = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found in a document."""

    decided: Decided
    marked: Marked
    description: Description
    base: str
    """The URL against which links are resolved."""
    encoding: str | None = None
    """The encoding that was used; `None` where none was needed."""
    json_ld: str = ""
    """The text of its JSON-LD."""


class DocumentReader(Protocol):
    """A reader of one document."""

    def read(self) -> Reading:
        """Read the document; what is odd about it goes to the findings."""

    def copy(self, plan: CorePlan) -> tuple[str | None, list[CutRow]]:
        """Return a copy without what a plan forbids to keep; `None` of what is no text."""


def report_broken(facts: HtmlFacts, encoding: str | None, findings: Findings) -> None:
    """Report bytes that are no characters of the encoding."""
    if facts.broken:
        findings.add("encoding-broken", f"some octets are no characters of {encoding}")


def report_repeated(reading: Reading, findings: Findings) -> None:
    """Report excluded text that stands again where marks do not reach."""
    if not reading.marked.excludes:
        return
    excluded = [run for run in reading.marked.runs if run.index.reason == "mark-forbids"]
    texts = reading.description
    places = {
        "title": texts.title,
        "META description": texts.description or "",
        "JSON-LD": reading.json_ld,
    }
    plain_places = {name: " ".join(text.split()).casefold() for name, text in places.items()}
    for run in excluded[:MOST_REPEATED]:
        text = run.text.strip().casefold()
        for name, place in plain_places.items():
            if len(text) >= SHORTEST_REPEATED and text in place:
                shown = run.text.strip()[:60]
                message = f"{shown!r} is not to be indexed, and stands again in {name}"
                findings.add("excluded-text-repeated", message, run.line)
