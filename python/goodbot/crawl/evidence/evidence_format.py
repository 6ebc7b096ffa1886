"""The verdicts of one visit: packed as JSON for a row, and unpacked as records.

Scope: the format in which evidence is stored. Acts on which nothing is stated are omitted, so that
a page without instructions to robots takes little space.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from goodbot._core import Verdict, denials
from goodbot.content_use.page_statements import PageStatements, unpack_statements, unpacked_payment
from goodbot.errors import NotAStoreError
from goodbot.http.payment import Payment
from goodbot.http.quoting import MOST_QUOTED, shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.page.parts import Link, Run
from goodbot.page.verdict import ACTS, PageVerdict
from goodbot.policy.holds import HOLD_REASONS

if TYPE_CHECKING:
    from goodbot.page import Page
    from goodbot.page.combine import CommonVerdicts

__all__ = [
    "EVIDENCE_KINDS",
    "OF_LINKS",
    "OF_RUNS",
    "PACKED",
    "ActVerdict",
    "EvidenceKind",
    "LeftOutParts",
    "PackedFetch",
    "Said",
    "pack_fetch",
    "pack_page",
    "pack_shared",
    "unpack",
    "unpack_page",
]

EvidenceKind = Literal["visited", "refused", "failed", "deferred", "removed", "unknown"]
"""The result of taking a URL out of the queue; see `EVIDENCE_KINDS`."""


class KindRow(NamedTuple):
    """The words for one kind of result."""

    meaning: str
    """The meaning, for the docs."""
    sentence: str
    """The sentence in the history of a URL."""


EVIDENCE_KINDS: dict[str, KindRow] = {
    "visited": KindRow("A response came, whatever its status.", "A response came."),
    "refused": KindRow(
        "The site or the robot's operator disallows it; no request was made.",
        "Not fetched: it is disallowed.",
    ),
    "failed": KindRow("A request was made, but no response came.", "The request failed."),
    "deferred": KindRow(
        "The time for a visit had not come; no request was made.", "The visit was deferred."
    ),
    "removed": KindRow(
        "The robot's operator had its copy and its index entry removed; no request was made.",
        "It was removed from the index and the archive.",
    ),
    "unknown": KindRow(
        "An imported capture, of whose time no robots.txt is known; nothing of it was kept.",
        "Captured, but whether that was allowed is unknown.",
    ),
}
"""The results of taking a URL out of the queue, or of an order from the operator."""

OF_RUNS = tuple(act for act in ACTS if hasattr(Run, act))
"""The acts on which each run of text on a page has its own verdict."""
OF_LINKS = tuple(act for act in ACTS if hasattr(Link, act))
"""The acts on which each link has its own verdict."""
SOURCES_KEPT = 5
"""The most marks that are named for parts exempt from an act; all such parts are counted."""
LONGEST_SENTENCE = 2_048 + 4 * MOST_QUOTED
"""The most characters of a sentence, which may contain a URL, a robot's name and quotations."""
NOTHING_SAID = "nothing-said"
EVERY_ACT = "*"
DAMAGED = "a row of the evidence is damaged; restore the crawl from a backup, or crawl again"


@dataclass(frozen=True, slots=True)
class LeftOutParts:
    """The parts of a page that are exempt from an act which the page as a whole allows."""

    count: int
    """How many parts are exempt."""
    of: int
    """How many parts there are: runs of text, or links."""
    sources: tuple[str, ...]
    """The marks that exempt them, with their places; at most `SOURCES_KEPT`."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"count": self.count, "of": self.of, "sources": list(self.sources)}


class ActVerdict(NamedTuple):
    """The verdict on one act at one visit."""

    act: str
    """`fetch`, or one of `goodbot.page.verdict.ACTS`."""
    allowed: bool | None
    """Whether it was allowed; `None` if there is no verdict, such as when the server was down."""
    reason: str
    """The reason, a stable slug."""
    source: str
    """What decided, in words; empty if nothing is stated."""
    kind: str
    """The kind of source: `robots.txt`, `access` (the result of fetching robots.txt), `operator`
    (of the robot), `header`, `meta`, `pi`, `mark`; empty if nothing is stated."""
    line: int | None
    """The line of robots.txt or of the page; `None` if there is none."""
    text: str
    """The text of that line, at most 256 characters."""
    dialect: str
    """The dialect in which it was read."""
    sentence: str = ""
    """The verdict on fetching, as a sentence."""
    parts: LeftOutParts | None = None
    """The parts exempt from the act, if the page as a whole allows it; `None` if there are none."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("act", "allowed", "reason", "source", "kind", "line", "text", "dialect")
        plain = {name: getattr(self, name) for name in names}
        return plain | {"parts": None if self.parts is None else self.parts.as_dict()}


class Said(NamedTuple):
    """Everything recorded about one visit, refusal, failure or deferral."""

    event: EvidenceKind
    verdicts: tuple[ActVerdict, ...]
    """The verdict on `fetch`, then on each act of the page if there was one."""
    robot: str = ""
    """The name of the robot."""
    sentence: str = ""
    """What failed, or why the visit was deferred."""
    until: datetime | None = None
    """The time until which the visit was deferred; `None` if it was not, or indefinitely."""
    limits: tuple[tuple[str, Any], ...] = ()
    """How much of the page may be shown: names of `goodbot.page.DisplayLimits`, with values."""
    uses: PageStatements | None = None
    """What the page says about its uses; `None` if there was no page, or if it was not recorded."""
    payment: Payment | None = None
    """The price or the licence that the response asked for; `None` if it asked for nothing."""
    challenged: bool = False
    """Whether the response was the challenge of a firewall; older versions did not record it."""
    permission: str = ""
    """The permission of the owner of the site by which the request was made although robots.txt
    disallows it (`goodbot crawl --own-site`), in words; empty if there was none."""


class PackedFetch:
    """The verdict on fetching as plain values, which nobody changes.

    One object stands for all verdicts that differ only in their URL, so it is compared by identity.
    """

    __slots__ = ("values",)

    def __init__(self, values: dict[str, Any]) -> None:
        """Store the values."""
        self.values = values


PACKED_FETCHES: dict[object, PackedFetch] = {}
"""The packed verdicts of the last policies, by what the verdicts have in common."""
MOST_PACKED = 512


def pack_fetch(verdict: Verdict) -> PackedFetch:
    """Return the verdict on fetching as plain values; the words of one are those of many URLs."""
    basis = verdict._basis  # noqa: SLF001  of this package
    if basis is None:
        return PackedFetch(fetch_values(verdict))
    packed = PACKED_FETCHES.get(basis)
    if packed is None:
        if len(PACKED_FETCHES) >= MOST_PACKED:
            PACKED_FETCHES.clear()
        packed = PACKED_FETCHES[basis] = PackedFetch(fetch_values(verdict))
    return packed


def fetch_values(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict on fetching as plain values.

    A rule is stored as its line number and the beginning of its text. The store keeps the whole
    robots.txt once, with its SHA-256; `policy_at` finds it by origin and time.
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


def kind_of(verdict: Verdict) -> str:
    """Return the kind of source of a verdict on fetching; see `ActVerdict.kind`."""
    if verdict.reason in HOLD_REASONS:
        return "operator"
    return "access" if verdict.rules is None else "robots.txt"


def pack_page(page: "Page", at: datetime) -> dict[str, Any]:
    """Return the verdicts on a page as plain values, without acts on which nothing is stated.

    Pages that state the same share one record, which nobody changes.
    """
    shared = page.shared_verdicts
    if shared is None:
        return packed_page(page, at)
    return with_parts(pack_shared(shared, page, at), page, at)


def pack_shared(shared: "CommonVerdicts", page: "Page", at: datetime) -> dict[str, Any]:
    """Return what the record of a page shares with all that state the same; parts are not in it."""
    packed: dict[str, Any] | None = shared.derived.get(PACKED)
    if packed is None:
        packed = shared.derived[PACKED] = packed_whole(page, at)
    return packed


PACKED = "evidence"
"""The name of the packed record among what is derived from common verdicts."""


def packed_page(page: "Page", at: datetime) -> dict[str, Any]:
    """Return the same for one page."""
    return with_parts(packed_whole(page, at), page, at)


def packed_whole(page: "Page", at: datetime) -> dict[str, Any]:
    """Return the record of a page as a whole."""
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
    limits = {name: value for name, value in page.limits.as_dict().items() if value not in NO_LIMIT}
    if limits:
        packed["limits"] = limits
    # Rows of older versions have no key `uses`: what their pages said about that is not known.
    return packed | {"uses": said_about_uses(page, at)}


def with_parts(packed: dict[str, Any], page: "Page", at: datetime) -> dict[str, Any]:
    """Return the record of a page with the parts that are exempt from acts, behind the acts."""
    parts = {} if page.is_uniform else all_parts_of(page, at)
    if not parts:
        return packed
    first: dict[str, Any] = {name: packed[name] for name in ("dialect", "acts") if name in packed}
    return {**first, "parts": parts, **packed}


def said_about_uses(page: "Page", at: datetime) -> dict[str, Any]:
    """Return what a page says about its uses as plain values; empty if it says nothing."""
    from goodbot.content_use import statements_of_page  # noqa: PLC0415  it loads readers of pages

    return statements_of_page(page, at).pack() or {}


NO_LIMIT = (None, False)


def all_parts_of(page: "Page", at: datetime) -> dict[str, Any]:
    """Count the parts of a page, runs of text and links, that are exempt from an act."""
    whole = {"index": page.index_at(at), "archive": page.archive, "snippet": page.snippet}
    whole["follow"] = page.follow
    runs = parts_of(OF_RUNS, page.runs, whole)
    return {**runs, **parts_of(OF_LINKS, page.links, whole)}


def packed_verdict(verdict: PageVerdict) -> list[Any]:
    """Return a verdict of a page as a list: allowed, reason, and where that is stated."""
    said = verdict.said
    where = [] if said is None else [said.kind, said.name, said.line, said.text]
    return [verdict.allowed, verdict.reason, str(said or ""), *where]


def parts_of(
    acts: tuple[Any, ...], parts: list[Run] | list[Link], whole: dict[str, PageVerdict]
) -> dict[str, Any]:
    """Count the parts exempt from each act that the page as a whole allows."""
    found: dict[str, Any] = {}
    for act in acts:
        if act in whole and not whole[act].allowed:
            continue
        left_out = denials(parts, act)
        if left_out:
            # Many parts share a verdict, whose source is made each time.
            verdicts = {id(one): one for one in left_out}.values()
            sources = dict.fromkeys(one.source for one in verdicts)
            found[act] = [len(left_out), len(parts), list(sources)[:SOURCES_KEPT]]
    return found


@lru_cache(maxsize=512)
def unpack(text: str) -> Said:
    """Read the record of a visit from its JSON; most visits of a crawl have one of few.

    Raises:
        NotAStoreError: The JSON is damaged.

    """
    try:
        packed = json.loads(text)
        fetch, page = packed.get("fetch"), packed.get("page")
        until = packed.get("until")
        uses = unpack_statements(page["uses"]) if page and "uses" in page else None
        return Said(
            packed["event"],
            (unpacked_fetch(fetch or {}, packed), *unpacked_page(page)),
            (fetch or packed).get("robot", ""),
            packed.get("sentence", ""),
            None if until is None else datetime.fromisoformat(until),
            tuple(((page or {}).get("limits") or {}).items()),
            uses,
            uses.payment if uses is not None else unpacked_payment(packed),
            bool(packed.get("challenged")),
            str(packed.get("permission", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise NotAStoreError(DAMAGED) from error


def unpack_page(text: str | None) -> tuple[ActVerdict, ...]:
    """Read the verdict on each act of a page from its JSON; none if there was no page.

    Raises:
        NotAStoreError: The JSON is damaged.

    """
    try:
        return tuple(unpacked_page(None if text is None else json.loads(text)))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise NotAStoreError(DAMAGED) from error


def unpacked_fetch(fetch: dict[str, Any], packed: dict[str, Any]) -> ActVerdict:
    """Return the verdict on fetching; without a verdict, what happened instead."""
    return ActVerdict(
        "fetch",
        fetch.get("allowed"),
        packed.get("reason") or fetch["reason"],
        fetch.get("source", ""),
        fetch.get("kind", ""),
        fetch.get("line"),
        # 0.1.0 stored the whole line with each URL.
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
        row = acts.get(act) or acts.get(EVERY_ACT)
        left_out = parts.get(act)
        if act == "anchor" and act not in parts:
            # No directive speaks of link texts, so there is no verdict for the page as a whole.
            continue
        if row is None and left_out is None:
            yield nothing_said(act, str(page["dialect"]))
        else:
            yield verdict_of(act, row or [True, NOTHING_SAID, ""], page["dialect"], left_out)


@lru_cache(maxsize=64)
def nothing_said(act: str, dialect: str) -> ActVerdict:
    """Return the verdict on an act of which a page says nothing; most pages share it."""
    return verdict_of(act, [True, NOTHING_SAID, ""], dialect, None)


def verdict_of(
    act: str, row: list[Any], dialect: str, left_out: Iterable[Any] | None
) -> ActVerdict:
    """Return the verdict on one act of a page from its packed form."""
    allowed, reason, source, *where = row
    kind, _, line, text = where or ("", "", 0, "")
    parts = None
    if left_out is not None:
        count, of, sources = left_out
        parts = LeftOutParts(count, of, tuple(sources))
    return ActVerdict(act, allowed, reason, source, kind, line or None, text, dialect, "", parts)
