"""What is asked about everything that is held: the robot, the uses, the sources, and the time.

Scope: the question, and the judges of the sites that it was asked about last.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime

from goodbot.content_use.page_statements import PageStatements
from goodbot.crawl.reconsidering.statement_sources import StatementSource
from goodbot.lazy_dataclass import dataclass
from goodbot.reconsidering import (
    HELD_USES,
    HeldAction,
    HeldAnswer,
    HeldUse,
    Reconsidered,
    SiteJudge,
    TakedownList,
    UnknownChoice,
    what_to_do,
)
from goodbot.reconsidering.decision import NOT_ON_LIST, TAKEDOWN

__all__ = ["ALL_USES", "Held", "HeldQuestion"]

ALL_USES: tuple[HeldUse, ...] = tuple(one for one in HELD_USES if one != TAKEDOWN)
"""The uses that sites speak of."""
MOST_JUDGES = 1_000
"""How many sites are held in memory, each as a few policies."""

JudgeKey = tuple[str, tuple[int, ...], bool]


@dataclass(frozen=True, slots=True)
class Held:
    """One thing that is held."""

    url: str
    origin: str
    at: datetime | None
    """When it was fetched; `None` if that is not known."""
    file: str
    offset: int | None
    kind: str
    page: PageStatements | None = None
    """What its page said of itself; `None` if that is not known."""
    spelling: str = ""
    """The URL as it is written, if its escapes differ."""
    entry: tuple[int, str] | None = None
    """The entry of the takedown list that it is on the list by."""


@dataclass(slots=True)
class HeldQuestion:
    """What is asked.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.

    """

    robot: str
    """The robot."""
    uses: Sequence[HeldUse]
    """The uses."""
    then: StatementSource
    """What sites said when something was fetched."""
    now: StatementSource
    """What they say now."""
    time: datetime
    """The time of now."""
    unknown: UnknownChoice = "keep"
    """What to do if what they say now is unknown."""
    takedown: TakedownList | None = None
    """The takedown list."""
    _judges: OrderedDict[JudgeKey, SiteJudge] = field(default_factory=OrderedDict)

    def rows(self, held: Held) -> Iterator[Reconsidered]:
        """Yield what follows for each use of one thing that is held."""
        asked = [one for one in self.uses if one != TAKEDOWN]
        then: dict[HeldUse, HeldAnswer] = {}
        now: dict[HeldUse, HeldAnswer] = {}
        if asked and held.origin:
            now = self._judge("now", held.origin, self.time).answers(
                held.url, held.page, held.spelling
            )
            then = self._judge("then", held.origin, held.at).answers(
                held.url, held.page, held.spelling
            )
        for use in self.uses:
            if use == TAKEDOWN:
                answer = listed_answer(held.entry)
                before = ""
            elif use in now:
                answer, before = now[use], then[use].status
            else:
                continue
            yield Reconsidered(
                held.url, held.at, held.file, held.offset, held.kind, use, before,
                answer.status, answer.reason, answer.line, answer.source, self.do(use, answer),
            )  # fmt: skip

    def do(self, use: HeldUse, answer: HeldAnswer) -> HeldAction:
        """Return what to do."""
        return what_to_do(use, answer.status, self.unknown)

    def _judge(self, when: str, origin: str, time: datetime | None) -> SiteJudge:
        """Return the judge of a site at a time; those that were asked last are kept."""
        source = self.now if when == "now" else self.then
        found = source.at(origin, time)
        key = (f"{when} {origin}", tuple(map(id, found.policies)), found.is_current)
        judge = self._judges.get(key)
        if judge is None:
            judge = self._judges[key] = SiteJudge(found, self.robot, self.uses)
            if len(self._judges) > MOST_JUDGES:
                self._judges.popitem(last=False)
        else:
            self._judges.move_to_end(key)
        return judge


def listed_answer(entry: tuple[int, str] | None) -> HeldAnswer:
    """Return the answer of the takedown list."""
    if entry is None:
        return NOT_ON_LIST
    line, text = entry
    return HeldAnswer("listed", "takedown-list", line, f"takedown list, line {line}: {text}")
