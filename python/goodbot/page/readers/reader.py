"""The interface of a reader, and the type that it returns."""

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from goodbot._core import HtmlFacts
from goodbot.page.finding_codes import Findings
from goodbot.page.plan import CorePlan
from goodbot.page.readers.decided import Decided
from goodbot.page.readers.description import Description
from goodbot.page.readers.marked import Marked

if TYPE_CHECKING:
    from goodbot.page.said_to_all import SaidToAll

CutRow: TypeAlias = tuple[int, bool, int, int, int]
"""A cut of a copy: row of the plan, whether it allows, lines of the mark and of the part, bytes."""

SHORTEST_REPEATED = 4
MOST_REPEATED = 200


class Reading(NamedTuple):
    """The result of reading a document."""

    decided: Decided
    marked: Marked
    description: Description
    base: str
    """The URL against which links are resolved."""
    encoding: str | None = None
    """The encoding that was used; `None` if none was needed."""
    json_ld: str = ""
    """The text of its JSON-LD."""
    said_to_all: "SaidToAll | None" = None
    """What it says to all robots; `None` if that is not kept."""


class DocumentReader(Protocol):
    """A reader of one document."""

    def read(self) -> Reading:
        """Read the document, and add findings on what is odd about it."""

    def copy(self, plan: CorePlan) -> tuple[str | None, list[CutRow]]:
        """Return a copy without the parts that a plan forbids to keep; `None` if it is not text."""


def report_broken(facts: HtmlFacts, encoding: str | None, findings: Findings) -> None:
    """Report bytes that are not valid in the encoding."""
    if facts.broken:
        message = f"some bytes are not valid {encoding}; correct them or the declared encoding"
        findings.add("encoding-broken", message)


def report_repeated(reading: Reading, findings: Findings) -> None:
    """Report excluded text that appears again where no mark applies."""
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
                message = f"{shown!r} must not be indexed, but appears again in {name}; remove it"
                findings.add("excluded-text-repeated", message, run.line)
