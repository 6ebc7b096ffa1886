"""What was said on each act at one visit: as JSON in a row, and as records again.

What may live here: the form in which evidence is kept. What nobody spoke of is left out of it, so
that a page without a word to robots costs a sentence and not ten.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from goodbot.errors import NotAStoreError
from goodbot.http.quoting import MOST_QUOTED, shortened
from goodbot.page import Link, Page, Run
from goodbot.page.verdict import ACTS, PageVerdict
from goodbot.policy import HOLD_REASONS, PolicyVerdict

__all__ = [
    "EVIDENCE_KINDS",
    "OF_LINKS",
    "OF_RUNS",
    "ActVerdict",
    "EvidenceKind",
    "LeftOutParts",
    "Said",
    "pack_fetch",
    "pack_page",
    "unpack",
]

EvidenceKind = Literal["visited", "refused", "failed", "deferred", "removed"]
"""What came of taking a URL out of the queue; see `EVIDENCE_KINDS`."""


class KindRow(NamedTuple):
    """One of the things that can come of taking a URL out of the queue."""

    meaning: str
    """What it means, for the docs."""
    sentence: str
    """What is said of a visit."""


EVIDENCE_KINDS: dict[str, KindRow] = {
    "visited": KindRow("An answer came, whatever it was.", "It was visited."),
    "refused": KindRow(
        "The site or the robot's operator forbids it: no request was made.",
        "It was not visited, as it is forbidden.",
    ),
    "failed": KindRow("A request was made, and no answer came.", "A visit failed."),
    "deferred": KindRow("It was not yet its time: no request was made.", "The visit was deferred."),
    "removed": KindRow(
        "The robot's operator had what was kept of it removed: no request was made.",
        "What was kept of it was removed.",
    ),
}
"""What can come of taking a URL out of the queue, or of an order of the operator's."""

OF_RUNS = tuple(act for act in ACTS if hasattr(Run, act))
"""The acts on which each run of text of a page has a verdict of its own."""
OF_LINKS = tuple(act for act in ACTS if hasattr(Link, act))
"""The acts on which each link has one."""
SOURCES_KEPT = 5
"""So many different marks are named that leave parts out; all of them are counted."""
LONGEST_SENTENCE = 2_048 + 4 * MOST_QUOTED
"""The most characters of a sentence, which names a URL, a robot, and what it quotes."""
NOTHING_SAID = "nothing-said"
EVERY_ACT = "*"
DAMAGED = "a row of the evidence is damaged; restore the crawl from a copy, or crawl anew"


@dataclass(frozen=True, slots=True)
class LeftOutParts:
    """The parts of a page that an act leaves out, where the page as a whole allows it."""

    count: int
    """How many."""
    of: int
    """Of how many: runs of text, or links."""
    sources: tuple[str, ...]
    """Which marks, and where; not more than a few of them."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"count": self.count, "of": self.of, "sources": list(self.sources)}


@dataclass(frozen=True, slots=True)
class ActVerdict:
    """The verdict on one act, as it was given at one visit."""

    act: str
    """`fetch`, or one of `goodbot.page.verdict.ACTS`."""
    allowed: bool | None
    """Whether it was allowed; `None` if nobody was asked, such as where the server was down."""
    reason: str
    """Why, a stable slug."""
    source: str
    """Who says so, in words; empty if nobody spoke of it."""
    kind: str
    """What that is: `robots.txt`, `access` (what came of asking for it), `operator` (of the robot),
    `header`, `meta`, `pi`, `mark`; empty if nobody spoke of it."""
    line: int | None
    """The line of robots.txt or of the page; `None` if there is none."""
    text: str
    """What is written there, at most 256 characters of it."""
    dialect: str
    """In which dialect it was read."""
    sentence: str = ""
    """The verdict on fetching, as a sentence."""
    parts: LeftOutParts | None = None
    """What is left out of a page that allows it as a whole; `None`: nothing."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("act", "allowed", "reason", "source", "kind", "line", "text", "dialect")
        plain = {name: getattr(self, name) for name in names}
        return plain | {"parts": None if self.parts is None else self.parts.as_dict()}


@dataclass(frozen=True, slots=True)
class Said:
    """All that was said at one visit, refusal, failure or deferral."""

    event: EvidenceKind
    verdicts: tuple[ActVerdict, ...]
    """On `fetch` first, and on each act of the page if there was one."""
    robot: str = ""
    """The robot, as it was named."""
    sentence: str = ""
    """What failed, or why it was deferred."""
    until: datetime | None = None
    """Until when it was deferred; `None`: it was not, or for ever."""
    limits: tuple[tuple[str, Any], ...] = ()
    """How much of the page may be shown: names of `goodbot.page.DisplayLimits`, with values."""


def pack_fetch(verdict: PolicyVerdict) -> dict[str, Any]:
    """Return the verdict on fetching as plain values.

    Of a rule it has the line and the beginning: all of it stands in the robots.txt that the store
    keeps once, with its SHA-256, and that `policy_at` finds by origin and time.
    """
    rule = verdict.rule
    plain = {
        "allowed": verdict.allowed,
        "reason": verdict.reason,
        "source": shortened(verdict.source),
        "dialect": verdict.dialect,
        "robot": verdict.robot,
        "sentence": shortened(str(verdict), LONGEST_SENTENCE),
        "kind": kind_of(verdict),
    }
    return plain if rule is None else plain | {"line": rule.line, "text": shortened(rule.text)}


def kind_of(verdict: PolicyVerdict) -> str:
    """Return what has spoken of fetching; see `ActVerdict.kind`."""
    if verdict.reason in HOLD_REASONS:
        return "operator"
    return "access" if verdict.rules is None else "robots.txt"


def pack_page(page: Page, at: datetime) -> dict[str, Any]:
    """Return the verdicts on a page as plain values: what somebody spoke of."""
    verdicts = page.verdicts
    if page.limits.unavailable_after is not None:
        verdicts["index"] = page.index_at(at)
    spoken = {act: one for act, one in verdicts.items() if one.reason != NOTHING_SAID}
    packed: dict[str, Any] = {"dialect": page.dialect.name}
    if spoken:
        rows = {act: packed_verdict(one) for act, one in spoken.items()}
        first = next(iter(rows.values()))
        alike = len(rows) == len(verdicts) and all(row == first for row in rows.values())
        packed["acts"] = {EVERY_ACT: first} if alike else rows
    parts = {
        **parts_of(OF_RUNS, page.runs, verdicts),
        **parts_of(OF_LINKS, page.links, verdicts),
    }
    if parts:
        packed["parts"] = parts
    limits = {name: value for name, value in page.limits.as_dict().items() if value not in NO_LIMIT}
    return packed | {"limits": limits} if limits else packed


NO_LIMIT = (None, False)


def packed_verdict(verdict: PageVerdict) -> list[Any]:
    """Return a verdict of a page: allowed, reason, and where it is said."""
    said = verdict.said
    where = [] if said is None else [said.kind, said.name, said.line, said.text]
    return [verdict.allowed, verdict.reason, str(said or ""), *where]


def parts_of(acts: tuple[str, ...], parts: Any, whole: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401  runs or links
    """Count the parts that each act leaves out, where the whole page allows it."""
    found: dict[str, Any] = {}
    for act in acts:
        if act in whole and not whole[act].allowed:
            continue
        left_out = [one for one in (getattr(part, act) for part in parts) if not one.allowed]
        if left_out:
            sources = dict.fromkeys(one.source for one in left_out)
            found[act] = [len(left_out), len(parts), list(sources)[:SOURCES_KEPT]]
    return found


def unpack(text: str) -> Said:
    """Return what was said from its JSON.

    Raises:
        NotAStoreError: It is damaged.

    """
    try:
        packed = json.loads(text)
        fetch, page = packed.get("fetch"), packed.get("page")
        until = packed.get("until")
        return Said(
            packed["event"],
            (unpacked_fetch(fetch or {}, packed), *unpacked_page(page)),
            (fetch or packed).get("robot", ""),
            packed.get("sentence", ""),
            None if until is None else datetime.fromisoformat(until),
            tuple(((page or {}).get("limits") or {}).items()),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise NotAStoreError(DAMAGED) from error


def unpacked_fetch(fetch: dict[str, Any], packed: dict[str, Any]) -> ActVerdict:
    """Return the verdict on fetching; where nobody was asked, what happened instead."""
    return ActVerdict(
        "fetch",
        fetch.get("allowed"),
        packed.get("reason") or fetch["reason"],
        fetch.get("source", ""),
        fetch.get("kind", ""),
        fetch.get("line"),
        # 0.1.0 kept the whole line of each URL.
        shortened(fetch.get("text", "")),
        fetch.get("dialect", ""),
        shortened(fetch.get("sentence", "") or packed.get("sentence", ""), LONGEST_SENTENCE),
    )


def unpacked_page(page: dict[str, Any] | None) -> Iterator[ActVerdict]:
    """Yield the verdict on each act of a page, if there was one."""
    if page is None:
        return
    acts, parts = page.get("acts", {}), page.get("parts", {})
    for act in ACTS:
        row = acts.get(act) or acts.get(EVERY_ACT) or [True, NOTHING_SAID, ""]
        left_out = parts.get(act)
        if act == "anchor" and act not in parts:
            # The whole page has no say on it, as no directive speaks of link texts.
            continue
        yield verdict_of(act, row, page["dialect"], left_out)


def verdict_of(
    act: str, row: list[Any], dialect: str, left_out: Iterable[Any] | None
) -> ActVerdict:
    """Make the verdict on one act of a page."""
    allowed, reason, source, *where = row
    kind, _, line, text = where or ("", "", 0, "")
    parts = None
    if left_out is not None:
        count, of, sources = left_out
        parts = LeftOutParts(count, of, tuple(sources))
    return ActVerdict(act, allowed, reason, source, kind, line or None, text, dialect, "", parts)
