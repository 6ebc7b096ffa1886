"""What header and document state on the use of their content, each layer kept apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from goodbot._core import content_usage
from goodbot.display import short_repr
from goodbot.page.resolving import join

__all__ = ["PageUsage", "Payment", "usage_of"]


@dataclass(frozen=True, slots=True)
class Payment:
    """What is asked for a document that has a price (HTTP 402)."""

    price: str | None
    """The price as written, such as `USD 0.01`; `None` if none is named."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class PageUsage:
    """What is stated on the use of a document; nothing is mapped from one layer onto another."""

    content_usage: dict[str, str]
    """The preference for each label of the vocabulary: `allow`, `disallow` or `unknown`.

    Source: draft-ietf-aipref-vocab; RFC 9651."""
    tdm_reservation: int | None
    """1: rights on text and data mining are reserved, 0: not, `None`: nothing is said.

    Source: TDMRep, W3C Community Group Final Report, 10 May 2024; what the document says counts
    more than what its header says."""
    tdm_policy: str | None
    """The URL of the policy."""
    licenses: tuple[str, ...]
    """The URLs of the licences. Source: RSL 1.0; RFC 4946."""

    __repr__ = short_repr

    def __hash__(self) -> int:
        """Return a hash of the content."""
        stated = frozenset(self.content_usage.items())
        return hash((stated, self.tdm_reservation, self.tdm_policy, self.licenses))

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
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
    """Gather what is stated."""
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
