"""One answer per use, from everything that is said about it.

Scope: comparisons. Within a specification its document decides; between specifications no document
does, and the more restrictive statement counts: that is goodbot's choice, and each answer says so.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from goodbot.content_use.statement import (
    SPECIFICATIONS,
    USES,
    LicenseTerms,
    Use,
    UseStatement,
    UseStatus,
)
from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["REASONS", "UseConflict", "UseVerdict", "decide", "reason_of"]

REASONS: dict[str, str] = {
    "statement-allows": "A statement allows the use, and none restricts it.",
    "statement-reserves": "A statement reserves or disallows the use.",
    "license-terms": "A licence grants the use on its terms.",
    "license-not-read": "A licence is named that was not read, so its terms are unknown.",
    "nobody-says": "No statement mentions the use.",
    "page-not-read": "The page was not read, and no other statement mentions the use.",
    "robots-txt-unreachable": "robots.txt could not be fetched, which never gives permission.",
    "tdmrep-not-read": "tdmrep.json could not be fetched or read, and it may reserve the use.",
    "priced": "The site serves the document only for a payment or a licence, and nothing is paid.",
    "no-document": "The response is not the document, and a failed fetch never gives permission.",
}
"""Every reason of an answer on a use: a stable slug and its meaning."""

STRICTNESS: dict[UseStatus, int] = {"allowed": 0, "licensed": 1, "reserved": 2}
FORCES = ("reservation", "licence", "convention", "preference")
"""Of statements that say the same, the one with the strongest force is named first."""

ORDERED = {
    "tdmrep": "TDMRep, section Processing priority: META over header over tdmrep.json",
    "rsl": "RSL 1.0, sections 3.1.1 and 4.9: the more specific statement prevails",
    "robots-meta": "the page dialect: {conflicts}",
}
"""By which document a statement loses to another one that ranks above it."""
COMBINED = {
    "content-usage": "draft-ietf-aipref-vocab, section 5.1: a disallow prevails over an allow",
    "rsl": "RSL 1.0, sections 3.6 and 4.9: the most restrictive combination applies",
}
"""By which document a statement loses to another one of its specification of equal rank."""
RANK_OF_LICENSE = 3
"""The parts of the rank of a licence's statement: of the page, bytes of the pattern, narrowness."""
MOST_SHOWN = 32
"""The most statements that an answer has beside the one that decided, of each kind."""
CHOICE = "no document orders the two; the more restrictive one counts, which is goodbot's choice"


@dataclass(frozen=True, slots=True, repr=False)
class UseConflict:
    """A statement that says otherwise, and why it does not count."""

    statement: UseStatement
    """The statement."""
    why: str
    """Why it does not count, with the document that says so."""
    by_choice: bool
    """Whether no document says so, and goodbot chose the more restrictive statement."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "statement": self.statement.as_dict(),
            "why": self.why,
            "by_choice": self.by_choice,
        }


@dataclass(frozen=True, slots=True, repr=False)
class UseVerdict:
    """The answer on one use.

    It is true only if the use is allowed without a licence; `str()` returns a sentence.
    """

    use: Use
    """The use."""
    status: UseStatus
    """`allowed`, `licensed`, `reserved`, or `unknown`, which is no permission."""
    reason: str
    """The reason, a stable slug; `goodbot.content_use.REASONS` lists them all."""
    said: UseStatement | None
    """The statement that decided; `None` if there is none."""
    agreeing: tuple[UseStatement, ...] = ()
    """Other statements that say the same; at most 32."""
    conflicts: tuple[UseConflict, ...] = ()
    """Statements that say otherwise, and why they do not count; at most 32."""
    expires: datetime | None = None
    """The first time from which any of this must be fetched again; `None` if not known."""
    declared: UseStatus = "unknown"
    """What the statements alone say. It is more than `status` where something that was not read may
    say otherwise, or the document is not served: declared `allowed`, served priced."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether the use is allowed without a licence."""
        return self.status == "allowed"

    @property
    def terms(self) -> LicenseTerms | None:
        """The terms of the licence or policy that has them.

        Of a reserved use they are those of a licence that is available: of the reservation, or else
        of a licence beside it. "Contractual agreements or other specific arrangements might
        override statements of preference" (draft-ietf-aipref-vocab-08 section 5.2).
        """
        both = [self.said, *self.agreeing] if self.said else []
        beside = [one.statement for one in self.conflicts if one.by_choice]
        both += [one for one in beside if one.says == "licensed"]
        return next((one.terms for one in both if one.terms is not None), None)

    @property
    def statements(self) -> tuple[UseStatement, ...]:
        """All statements that the answer has: those that say the same, and those that do not."""
        first = () if self.said is None else (self.said,)
        return (*first, *self.agreeing, *(one.statement for one in self.conflicts))

    @property
    def force(self) -> str | None:
        """The force of the statement that decided; `None` if there is none."""
        return None if self.said is None else self.said.force

    def __str__(self) -> str:
        """Return the answer as a sentence."""
        first = f"{self.status.capitalize()}: {answer_of(self)}"
        others = [f"{one.statement} does not count: {one.why}." for one in self.conflicts]
        return " ".join([first, *others])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "use": self.use,
            "status": self.status,
            "declared": self.declared,
            "reason": self.reason,
            "force": self.force,
            "said": None if self.said is None else self.said.as_dict(),
            "terms": None if self.terms is None else self.terms.as_dict(),
            "agreeing": [one.as_dict() for one in self.agreeing],
            "conflicts": [one.as_dict() for one in self.conflicts],
            "expires": written(self.expires),
            "sentence": str(self),
        }


def answer_of(verdict: UseVerdict) -> str:
    """Return what an answer says, with its reason, as the end of a sentence."""
    may = f"you may {USES[verdict.use]}"
    if verdict.said is None or verdict.status == "unknown":
        if verdict.declared == "allowed":
            return f"it is declared that {may} ({verdict.said}), but: {REASONS[verdict.reason]}"
        return f"nothing says that {may}: {REASONS[verdict.reason]}"
    said = f"{verdict.said} ({SPECIFICATIONS[verdict.said.specification][0]}, a {verdict.force})"
    if verdict.status == "reserved":
        terms = verdict.terms
        where = terms and (terms.custom or terms.standard or terms.terms)
        ask = f" Terms: {shortened(where)}." if where else ""
        return f"do not {USES[verdict.use]}: {said}.{ask}"
    if verdict.status == "licensed":
        return f"you need a licence to {USES[verdict.use]}: {verdict.terms}. {said}."
    return f"{may}: {said}."


def decide(
    use: Use,
    statements: Iterable[UseStatement],
    *,
    conflicts: str,
    unread: str | None = None,
    silent: str = "nobody-says",
) -> UseVerdict:
    """Decide one use.

    Args:
        use: The use.
        statements: Everything that is said about it.
        conflicts: How the page dialect settles contradictions, in words.
        unread: The reason why something could not be read that might restrict the use; then only
            what restricts it counts.
        silent: The reason if nothing that was read mentions the use.

    """
    said = [one for one in statements if one.use == use]
    settled = [
        settled_within([one for one in said if one.specification == name], conflicts)
        for name in SPECIFICATIONS
        if any(one.specification == name for one in said)
    ]
    if not settled:
        return UseVerdict(use, "unknown", unread or silent, None)
    lost = [conflict for _, beaten in settled for conflict in beaten]
    counting = [one for standing, _ in settled for one in standing]
    strictest = max(STRICTNESS[one.says] for one in counting)
    lost += [
        UseConflict(one, CHOICE, by_choice=True)
        for one in counting
        if STRICTNESS[one.says] < strictest
    ]
    winners = [one for one in counting if STRICTNESS[one.says] == strictest]
    winners.sort(key=lambda one: FORCES.index(one.force))
    declared = winners[0].says
    status, reason = declared, reason_of(winners)
    if unread is not None and status != "reserved":
        status, reason = "unknown", unread
    times = [one.expires for one in said if one.expires is not None]
    agreeing, others = tuple(winners[1 : MOST_SHOWN + 1]), tuple(lost[:MOST_SHOWN])
    expires = min(times, default=None)
    return UseVerdict(use, status, reason, winners[0], agreeing, others, expires, declared)


def settled_within(
    statements: Sequence[UseStatement], conflicts: str
) -> tuple[list[UseStatement], list[UseConflict]]:
    """Settle one specification: the statements that stand, all alike, and those that lose."""
    name = statements[0].specification
    ranks = HighestRanks(statements)
    ordered, combined = (
        ORDERED.get(name, "").format(conflicts=conflicts),
        COMBINED.get(name, CHOICE),
    )
    lost = [one for one in statements if ranks.beat(one)]
    standing = [one for one in statements if not ranks.beat(one)]
    strictest = max(STRICTNESS[one.says] for one in standing)
    beaten = [UseConflict(one, ordered, by_choice=False) for one in lost]
    beaten += [
        UseConflict(one, combined, by_choice=combined == CHOICE)
        for one in standing
        if STRICTNESS[one.says] < strictest
    ]
    return [one for one in standing if STRICTNESS[one.says] == strictest], beaten


class HighestRanks:
    """The highest ranks of some statements, by what they say.

    The first part of a rank decides alone. In the others, the bytes of a pattern and how few uses a
    word covers, a statement must be nowhere below to beat another one. Statements without a rank
    neither win nor lose. It takes linear time, because a licence may have thousands of statements.
    """

    def __init__(self, statements: Iterable[UseStatement]) -> None:
        """Note the highest of each kind."""
        self.first: dict[UseStatus, int] = {}
        self.octets: dict[tuple[UseStatus, int, int], int] = {}
        for one in statements:
            if one.rank:
                level = one.rank[0]
                self.first[one.says] = max(level, self.first.get(one.says, level))
            if len(one.rank) == RANK_OF_LICENSE:
                key, octets = (one.says, one.rank[0], one.rank[2]), one.rank[1]
                self.octets[key] = max(octets, self.octets.get(key, octets))

    def beat(self, one: UseStatement) -> bool:
        """Return whether a statement that says otherwise ranks above this one."""
        if not one.rank:
            return False
        if any(level > one.rank[0] for says, level in self.first.items() if says != one.says):
            return True
        if len(one.rank) != RANK_OF_LICENSE:
            return False
        level, octets, narrowness = one.rank
        return any(
            says != one.says
            and other == level
            and narrow >= narrowness
            and most >= octets
            and (narrow, most) != (narrowness, octets)
            for (says, other, narrow), most in self.octets.items()
        )


def reason_of(winners: Sequence[UseStatement]) -> str:
    """Return the reason of an answer."""
    if winners[0].says == "allowed":
        return "statement-allows"
    if winners[0].says == "reserved":
        return "statement-reserves"
    is_read = any(one.terms is not None and one.terms.is_read for one in winners)
    return "license-terms" if is_read else "license-not-read"
