"""The cells of a matrix: what a verdict prints as, in a few words.

Scope: from verdicts to words. Where the words go is for the forms.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from goodbot import Verdict, origin
from goodbot.bots import ObeyedRules
from goodbot.errors import NoOriginError

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import SiteState

USUAL = {"rule-allows", "rule-disallows", "no-rule-matches", "no-group"}
"""Reasons that need no words: the line says it, or there is none."""


class Row(NamedTuple):
    """A URL, and the verdict for each robot."""

    url: str
    verdicts: Sequence[Verdict]
    rules: Sequence[ObeyedRules | None]
    """What each robot obeys; `None` where the site must not be visited yet."""
    site: "SiteState | None" = None
    """What is known of a live site; `None` for a file."""


class Cell(NamedTuple):
    """What stands in a cell."""

    word: Literal["allowed", "disallowed", "no answer"]
    """The answer."""
    where: str
    """The line that decides, or the reason; empty for the usual one."""

    def __str__(self) -> str:
        return f"{self.word}, {self.where}" if self.where else self.word


def make_cell(verdict: Verdict) -> Cell:
    """Return what a verdict prints as; equal cells are one object, because there may be many."""
    line = verdict.rule.line if verdict.rule is not None else 0
    return share_cell(verdict.allowed, verdict.is_answer, line, verdict.reason)


@lru_cache(maxsize=4_096)
def share_cell(allowed: bool, is_answer: bool, line: int, reason: str) -> Cell:  # noqa: FBT001  a key of the cache
    """Return a cell."""
    word: Literal["allowed", "disallowed", "no answer"] = "allowed" if allowed else "disallowed"
    why = "" if reason in USUAL else in_words(reason)
    return Cell(word if is_answer else "no answer", f"line {line}" if line else why)


def in_words(reason: str) -> str:
    """Return a reason in words.

    >>> in_words("ignores-star"), in_words("not-found")
    ('ignores *', 'not found')
    """
    return reason.replace("-star", "-*").replace("-", " ")


def deciding_line(row: Row, verdict: Verdict) -> tuple[str, int, str] | None:
    """Return the site, the number and the text of the line that decides; `None` without one.

    The site is empty for a file.
    """
    rule = verdict.rule
    if rule is None:
        return None
    site = ""
    if row.site is not None:
        try:
            site = origin(row.url)
        except NoOriginError:
            site = row.url
    return site, rule.line, rule.text


@dataclass
class MatrixTotals:
    """How many URLs each robot may not fetch, and the lines that decided."""

    robots: Sequence[str]
    """The robots, in their order."""
    urls: int = 0
    """How many URLs there are."""
    disallowed: list[int] = field(default_factory=list)
    """How many of them are disallowed for each robot."""
    unanswered: int = 0
    """How many cases have no answer."""
    lines: dict[tuple[str, int, str], int] = field(default_factory=dict)
    """How many cases each line decides."""

    def __post_init__(self) -> None:
        self.disallowed = [0] * len(self.robots)

    def add(self, row: Row) -> list[Cell]:
        """Count a row, and return its cells."""
        self.urls += 1
        cells = []
        for place, verdict in enumerate(row.verdicts):
            cell = make_cell(verdict)
            cells.append(cell)
            self.disallowed[place] += cell.word == "disallowed"
            self.unanswered += cell.word == "no answer"
            line = deciding_line(row, verdict)
            if line is not None:
                self.lines[line] = self.lines.get(line, 0) + 1
        return cells

    def by_count(self) -> Iterable[tuple[int, list[str]]]:
        """Return the robots grouped by how many URLs are disallowed, the most first."""
        groups: dict[int, list[str]] = {}
        for robot, count in zip(self.robots, self.disallowed, strict=True):
            groups.setdefault(count, []).append(robot)
        return sorted(groups.items(), key=lambda group: -group[0])
