"""What one page says about its uses, and the record of it that a crawl keeps.

Scope: statements that need no further request, as plain values, within bounds. It loads no reader
of pages.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Literal

from goodbot._core import Finding
from goodbot.content_use.rsl_terms import Association
from goodbot.content_use.statement import LicenseTerms, Use, UseStatement, UseStatus
from goodbot.content_use.use_level import USE_LEVELS, UseLevel
from goodbot.display import short_repr
from goodbot.http.payment import Payment
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["PageStatements", "packed_payment", "unpack_statements", "unpacked_payment"]

MOST_PACKED = 64
"""The most statements, licences and reports that a record has of each."""


@dataclass(frozen=True, slots=True, repr=False)
class PageStatements:
    """What one page says about its uses."""

    said: tuple[UseStatement, ...] = ()
    """The statements of header and document, with those of licences within it."""
    linked: tuple[Association, ...] = ()
    """The licences that it links to."""
    reported: tuple[str, ...] = ()
    """What it says that decides nothing."""
    findings: tuple[Finding, ...] = ()
    """What is odd about its statements."""
    conflicts: Literal["restrictive", "permissive"] = "restrictive"
    """How its dialect settles contradictions."""
    is_document: bool = True
    """Whether the response is the document, and not that of a failed fetch."""
    level: UseLevel | None = None
    """The level up to which its header lets AI systems use it; `None` if it states none."""
    payment: Payment | None = None
    """The price or the licence that the response asks for; `None` if it asks for nothing."""

    __repr__ = short_repr

    def pack(self) -> dict[str, Any] | None:
        """Return plain values to store; `None` if the page says nothing.

        Findings are omitted: the page has its own.
        """
        record: dict[str, Any] = {}
        if self.said:
            record["said"] = [packed_statement(one) for one in fewer_statements(self.said)]
        if self.linked:
            record["linked"] = [
                [shortened(one.url), one.place, one.of_part] for one in self.linked[:MOST_PACKED]
            ]
        if self.reported:
            record["reported"] = list(self.reported[:MOST_PACKED])
        if self.level is not None:
            record["level"] = [self.level.level, self.level.place]
        if not self.is_document:
            record["failed"] = True
        if self.payment is not None:
            record["payment"] = packed_payment(self.payment)
        if record and self.conflicts != "restrictive":
            record["conflicts"] = self.conflicts
        return record or None


def fewer_statements(said: Sequence[UseStatement]) -> Sequence[UseStatement]:
    """Return some of many statements, which together never permit more than all of them.

    Of each use, answer and specification one is kept that ranks highest; what allows, only where
    nothing of its specification restricts: ranks are not always comparable.
    """
    if len(said) <= MOST_PACKED:
        return said
    restricted = {(one.use, one.specification) for one in said if one.says != "allowed"}
    kept: dict[tuple[Use, UseStatus, str], UseStatement] = {}
    for one in said:
        if one.says == "allowed" and (one.use, one.specification) in restricted:
            continue
        key = (one.use, one.says, one.specification)
        held = kept.get(key)
        if held is None or one.rank > held.rank:
            kept[key] = one
    return list(kept.values())


def packed_payment(payment: Payment) -> dict[str, Any]:
    """Return what a response asks for as plain values, without what it does not say."""
    values = {each.name: getattr(payment, each.name) for each in fields(Payment)}
    return {name: shorter(value) for name, value in values.items() if value}


def packed_statement(one: UseStatement) -> list[Any]:
    """Return a statement as plain values."""
    terms = None
    if one.terms is not None:
        values = {each.name: getattr(one.terms, each.name) for each in fields(LicenseTerms)}
        terms = {name: shorter(value) for name, value in values.items() if value}
    place = shortened(one.place)
    return [one.use, one.says, one.specification, place, one.text, list(one.rank), terms]


def shorter(value: Any) -> Any:  # noqa: ANN401  texts, and lists of them
    """Return a value of terms, whose texts others wrote, within bounds."""
    if isinstance(value, tuple):
        return [shortened(one) for one in value[:MOST_PACKED]]
    return shortened(value) if isinstance(value, str) else value


def unpack_statements(record: dict[str, Any]) -> PageStatements:
    """Read what `PageStatements.pack` returned.

    Raises:
        KeyError, TypeError, ValueError: The record is damaged.

    """
    return PageStatements(
        said=tuple(unpacked_statement(*row) for row in record.get("said", ())),
        linked=tuple(
            Association(url, place, of_page=True, of_part=of_part)
            for url, place, of_part in record.get("linked", ())
        ),
        reported=tuple(record.get("reported", ())),
        conflicts=record.get("conflicts", "restrictive"),
        is_document=not record.get("failed", False),
        level=unpacked_level(*record.get("level", (None, ""))),
        payment=unpacked_payment(record),
    )


def unpacked_payment(record: dict[str, Any]) -> Payment | None:
    """Return what a response asks for from the record that has it; `None` if it asks for nothing.

    Raises:
        TypeError: The record is damaged.

    """
    return Payment(**record["payment"]) if "payment" in record else None


def unpacked_level(level: str | None, place: str) -> UseLevel | None:
    """Return a level from its plain values."""
    return UseLevel(level, place) if level in USE_LEVELS else None


def unpacked_statement(
    use: Use,
    says: UseStatus,
    specification: str,
    place: str,
    text: str,
    rank: list[int],
    terms: dict[str, Any] | None,
) -> UseStatement:
    """Return a statement from its plain values."""
    read = None
    if terms is not None:
        conditions = tuple(terms.get("conditions", ()))
        is_read = terms.get("is_read", False)
        read = LicenseTerms(**terms | {"conditions": conditions, "is_read": is_read})
    return UseStatement(use, says, specification, place, text, None, read, tuple(rank))
