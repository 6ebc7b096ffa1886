"""Statements on the use of content in header and document, kept apart for each specification."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from goodbot._core import content_usage
from goodbot.display import short_repr
from goodbot.http.fields import SPACE, Fields, values_of
from goodbot.http.payment import Payment
from goodbot.lazy_dataclass import dataclass
from goodbot.page.header import links_of
from goodbot.page.resolving import join

__all__ = [
    "PageUsage",
    "Payment",
    "UsageLine",
    "is_rsl",
    "may_state_use",
    "no_usage",
    "usage_lines",
    "usage_of",
]

MOST_LINES = 500
"""The most different statements of one kind that are kept one by one. Of those beyond it none is
lost that might restrict a use: signals are read together, reservations have two values, and
licences that are not kept count as one that was not read."""
MOST_INLINE = 64 * 1024
"""The most characters of a licence that is written into the page; a longer one is cut."""
RSL_TYPE = "application/rsl+xml"
HEADERS = {
    "content-usage": "Content-Usage",
    "content-signal": "Content-Signal",
    "tdm-reservation": "tdm-reservation",
    "tdm-policy": "tdm-policy",
}
"""The header fields that state uses, as their documents write them."""


@dataclass(frozen=True, slots=True, repr=False)
class UsageLine:
    """A statement on use, as it is written in header or document."""

    name: str
    """`content-usage`, `content-signal`, `tdm-reservation`, `tdm-policy`, `rsl-license` (the URL of
    a licence of RSL) or `rsl-inline` (the licence itself)."""
    value: str
    """The value; URLs are absolute."""
    place: str
    """The place, such as `header Content-Usage` or `META tdm-reservation`."""
    line: int
    """The line in the document, from 1; 0 for a header field."""
    of_part: bool = False
    """Whether it is about a part of the document only: a licence in the body is about the element
    that contains it (RSL 1.0 section 4.6)."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
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
    lines: tuple[UsageLine, ...] = ()
    """The different statements one by one, those of the header first, then in page order; at most
    500 of a kind."""

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


def may_state_use(
    fields: Fields,
    names: frozenset[str],
    metas: Sequence[tuple[str, str, bool, bool, int]],
    links: Sequence[tuple[str, str, str, str, str, bool, int]],
) -> bool:
    """Return whether header, META or LINK elements may state anything; most state nothing.

    Args:
        fields: The header fields.
        names: Their names.
        metas: The META elements.
        links: The LINK elements.

    """
    return (
        header_may_state(names)
        or ("link" in names and any(map(may_license, values_of(fields, "link"))))
        or (bool(metas) and RESERVING in [meta[0][: len(RESERVING)].lower() for meta in metas])
        or (bool(links) and True in ["license" in link[0].lower() for link in links])
    )


def may_license(value: str) -> bool:
    """Return whether a line of the Link header may name a licence."""
    return "license" in value.lower() or "\\" in value  # which may stand in any word


@lru_cache(maxsize=64)
def header_may_state(names: frozenset[str]) -> bool:
    """Return whether one of some header fields may state a use, besides Link.

    The answer comes from a cache: a site sends the same fields with each page.
    """
    return not names.isdisjoint(HEADERS) or any(name.startswith(RESERVING) for name in names)


RESERVING = "tdm-"


def no_usage(vocabulary: str) -> PageUsage:
    """Return the statements of a document that makes none."""
    return PageUsage(dict(unknown_preferences(vocabulary)), None, None, ())


@lru_cache(maxsize=8)
def unknown_preferences(vocabulary: str) -> dict[str, str]:
    """Return the preferences of a header without Content-Usage."""
    return preferences_of([], vocabulary)


def usage_of(
    fields: Iterable[tuple[str, str]],
    metas: Iterable[tuple[str, str, bool, bool, int]],
    licenses: tuple[str, ...],
    base: str,
    vocabulary: str,
    lines: tuple[UsageLine, ...] = (),
) -> PageUsage:
    """Collect the statements of header and document; `lines` has them one by one."""
    fields = list(fields)
    stated = [value.strip() for name, value in fields if name == "content-usage"]
    of_header = [one for one in fields if one[0].startswith("tdm-")]
    of_document = [(name.lower(), text) for name, text, *_ in metas if name[:4].lower() == "tdm-"]
    policy = policy_of(of_header, of_document)
    return PageUsage(
        content_usage=preferences_of(stated, vocabulary),
        tdm_reservation=reservation_of(of_document, reservation_of(of_header, None)),
        tdm_policy=policy and join(base, policy),
        licenses=licenses,
        lines=lines,
    )


def preferences_of(values: list[str], vocabulary: str) -> dict[str, str]:
    """Return the preferences of Content-Usage in a header.

    Lines are combined before they are read: of two values of one key the last counts, and a member
    that cannot be read makes all preferences unknown (RFC 9651 section 4.2; draft-ietf-aipref-vocab
    section 6.5). What a line of its own disallows stays disallowed where that leaves it unknown,
    which is goodbot's choice: a faulty line that somebody else has added lifts nothing.
    """
    found = content_usage(values, vocabulary=vocabulary)
    if len(values) > 1 and "unknown" in found.values():
        for value in dict.fromkeys(values):
            alone = content_usage([value], vocabulary=vocabulary)
            found |= {
                label: one
                for label, one in alone.items()
                if one == "disallow" and found[label] == "unknown"
            }
    return found


def reservation_of(named: Iterable[tuple[str, str]], other: int | None) -> int | None:
    """Return the reservation of a header or a document, the stricter of several; else another one.

    Values that are neither 0 nor 1 are protocol errors and change nothing (TDMRep, sections
    tdm-reservation and Processing priority).
    """
    values = {value.strip(SPACE) for name, value in named if name == "tdm-reservation"}
    return 1 if "1" in values else 0 if "0" in values else other


def policy_of(
    of_header: Iterable[tuple[str, str]], of_document: Iterable[tuple[str, str]]
) -> str | None:
    """Return the TDM policy: the first one of the place whose reservation counts.

    The document prevails over its header (TDMRep, section Processing priority); if both reserve,
    the header may have the only policy. Without any reservation, a policy counts wherever it is.
    """
    places = [list(of_document), list(of_header)]
    counts = reservation_of(places[0], reservation_of(places[1], None))
    values = (
        value.strip(SPACE)
        for place in places
        if reservation_of(place, None) == counts
        for name, value in place
        if name == "tdm-policy"
    )
    return next((value for value in values if value), None)


def usage_lines(
    fields: Iterable[tuple[str, str]],
    metas: Iterable[tuple[str, str, bool, bool, int]],
    links: Iterable[tuple[str, str, str, str, str, bool, int]],
    scripts: Iterable[tuple[str, int, bool]],
    base: str,
) -> tuple[UsageLine, ...]:
    """Return the statements of header and document one by one.

    A licence counts if its link has the type of RSL (RSL 1.0 sections 4.5 and 4.6); a link without
    it leads to some other licence.
    """
    found = list(lines_of_header(fields, base))
    of_document = [
        UsageLine(lower, value_of(lower, content, base), f"META {lower}", line)
        for name, content, *_, line in metas
        if (lower := name.lower()) in {"tdm-reservation", "tdm-policy"}
    ]
    for rel, href, kind, _name, _content, in_head, line in links:
        if href and "license" in rel.lower().split() and is_rsl(kind):
            url = join(base, href.strip()) or href
            of_document.append(UsageLine("rsl-license", url, "LINK license", line, not in_head))
    for text, line, in_head in scripts:
        place = f"SCRIPT {RSL_TYPE}"
        of_document.append(UsageLine("rsl-inline", text[:MOST_INLINE], place, line, not in_head))
    found += sorted(of_document, key=lambda one: one.line)
    return tuple(bounded_lines(found, base))


def bounded_lines(lines: Iterable[UsageLine], base: str) -> Iterable[UsageLine]:
    """Yield each different statement once, and what those beyond the bound come to."""
    seen: set[tuple[str, str, bool, bool]] = set()
    counts: dict[tuple[str, bool, bool, bool], int] = {}
    signals: list[str] = []
    for one in lines:
        key = (one.name, one.value, not one.line, one.of_part)
        if key in seen:
            continue
        seen.add(key)
        is_read = one.name != "tdm-reservation" or one.value in {"0", "1"}
        kind = (one.name, not one.line, one.of_part, is_read)
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= MOST_LINES:
            yield one
        elif one.name == "content-signal":
            signals.append(one.value)
        elif one.name == "rsl-inline" and counts[kind] == MOST_LINES + 1:
            place = f"{one.place} and those after it"
            yield UsageLine("rsl-license", base, place, one.line, one.of_part)
    if signals:
        yield UsageLine("content-signal", ", ".join(signals), "header Content-Signal", 0)


def lines_of_header(fields: Iterable[tuple[str, str]], base: str) -> Iterable[UsageLine]:
    """Yield the statements of header fields."""
    for name, value in fields:
        if name in HEADERS:
            yield UsageLine(name, value_of(name, value, base), f"header {HEADERS[name]}", 0)
        for target, relations, kind in links_of(value) if name == "link" else ():
            if "license" in relations and is_rsl(kind):
                yield UsageLine("rsl-license", join(base, target) or target, "header Link", 0)


def value_of(name: str, value: str, base: str) -> str:
    """Return a value without white space around it; the URL of a policy is made absolute."""
    value = value.strip(SPACE if name.startswith("tdm-") else None)
    return join(base, value) if name == "tdm-policy" and value else value


def is_rsl(media_type: str) -> bool:
    """Return whether a media type is that of RSL, with or without parameters."""
    return media_type.partition(";")[0].strip().lower() == RSL_TYPE
