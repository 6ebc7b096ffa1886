"""Statements on the use of content in header and document, kept apart for each specification."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from goodbot._core import content_usage
from goodbot.display import short_repr
from goodbot.page.resolving import join

__all__ = ["PageUsage", "Payment", "usage_of"]


@dataclass(frozen=True, slots=True)
class Payment:
    """The price of a document (HTTP 402)."""

    price: str | None
    """The price as written, such as `USD 0.01`; `None` if it is not stated."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class PageUsage:
    """Statements on the use of a document; none is translated into another specification's."""

    content_usage: dict[str, str]
    """The preference for each label of the vocabulary: `allow`, `disallow` or `unknown`.

    Source: draft-ietf-aipref-vocab; RFC 9651."""
    tdm_reservation: int | None
    """1 if rights on text and data mining are reserved, 0 if not, `None` if not stated.

    Source: TDMRep, W3C Community Group Final Report, 10 May 2024; the document overrides its
    header."""
    tdm_policy: str | None
    """The URL of the TDM policy; `None` if not stated."""
    licenses: tuple[str, ...]
    """The URLs of the licences. Source: RSL 1.0; RFC 4946."""

    __repr__ = short_repr

    def __hash__(self) -> int:
        """Return a hash of the content."""
        stated = frozenset(self.content_usage.items())
        return hash((stated, self.tdm_reservation, self.tdm_policy, self.licenses))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "content_usage": dict(self.content_usage),
            "tdm_reservation": self.tdm_reservation,
            "tdm_policy": self.tdm_policy,
            "licenses": list(self.licenses),
        }


def usage_of(
    fields: Iterable[tuple[str, str]],
    metas: Iterable[tuple[str, str, bool, bool, int]],
    licenses: tuple[str, ...],
    base: str,
    vocabulary: str,
) -> PageUsage:
    """Collect the statements of header and document."""
    fields = list(fields)
    stated = [value for name, value in fields if name == "content-usage"]
    named = [one for one in fields if one[0].startswith("tdm-")]
    named += [(name.lower(), content) for name, content, *_ in metas if name[:4].lower() == "tdm-"]
    reservation, policy = None, None
    for name, value in named:
        if name == "tdm-reservation" and value.strip() in {"0", "1"}:
            reservation = int(value)
        elif name == "tdm-policy" and value.strip():
            policy = value.strip()
    return PageUsage(
        content_usage=content_usage(stated, vocabulary=vocabulary),
        tdm_reservation=reservation,
        tdm_policy=policy and join(base, policy),
        licenses=licenses,
    )
