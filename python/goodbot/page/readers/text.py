"""The reader of documents without markup: plain text, and files described by their header only."""

from dataclasses import dataclass

from goodbot.page.encoding import decoded
from goodbot.page.finding_codes import Findings
from goodbot.page.parts import Run
from goodbot.page.plan import MOST_RUNS, CorePlan
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.decided import Decided, decide
from goodbot.page.readers.description import describe
from goodbot.page.readers.marked import make_unmarked
from goodbot.page.readers.reader import CutRow, Reading
from goodbot.page.readers.related import read_related
from goodbot.page.readers.said import find_said
from goodbot.page.verdict import Statement
from goodbot.page.words import flattened


@dataclass(slots=True)
class TextReader:
    """A reader of one document without markup."""

    given: Given
    content: bytes
    header: list[Statement]
    """The statements of the HTTP header."""
    findings: Findings

    def read(self) -> Reading:
        """Read the document."""
        given = self.given
        decided = decide(given, self.header)
        runs = self._paragraphs(decided) if self._is_text() else []
        description = describe(given, read_related(given, given.url), self.findings)
        said = find_said(given)
        return Reading(
            decided, make_unmarked(given, runs), description, given.url, said_to_all=said
        )

    def copy(self, plan: CorePlan) -> tuple[str | None, list[CutRow]]:  # noqa: ARG002  it has no marks
        """Return the text; `None` if the document is not text."""
        return (decoded(self.content, self.given.charset) if self._is_text() else None), []

    def _is_text(self) -> bool:
        return self.given.content_type.startswith("text/")

    def _paragraphs(self, decided: Decided) -> list[Run]:
        """Return one run for each paragraph."""
        whole = decided.whole
        verdicts = whole["index"], whole["archive"], whole["snippet"]
        text = decoded(self.content, self.given.charset)
        runs = []
        line = 1
        for paragraph in text.replace("\r\n", "\n").split("\n\n")[:MOST_RUNS]:
            if paragraph.strip():
                runs.append(Run(flattened(paragraph), *verdicts, True, line))  # noqa: FBT003
            line += paragraph.count("\n") + 2
        return runs
