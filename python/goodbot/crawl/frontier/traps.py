"""Traps: places of a site that lead to ever more URLs and to nothing new.

What may live here: the table of traps with their thresholds, and the decision on one page and its
links, from what a `TrapMemory` knows. There is no clock, socket or disk. What a single URL says of
itself is in `trap_urls`, what a body says in `contents`.

Every trap is recognised and counted, whatever the settings; the links of those that a crawl is set
to leave out are not queued. By default that is `repeated-path` alone: the page with the link
repeats one above it byte for byte, and its path repeats itself. Only where folders of one name,
each with nothing but the next one in it, are nested four deep may such a link lead to something
new.

Source: HTTP: The Definitive Guide, 2002, section "Avoiding loops and dups" (repeated components of
a path, content that was seen before, aliases); the thresholds are goodbot's choice.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.frontier.contents import PageContent
from goodbot.crawl.frontier.protocol import Candidate
from goodbot.crawl.frontier.quota import kept_form
from goodbot.crawl.frontier.trap_memory import TrapMemory
from goodbot.crawl.frontier.trap_urls import (
    LEAST_DATE,
    MONTHS_AHEAD,
    Mirror,
    calendar_month,
    count_key,
    is_below,
    may_be_trap,
    mirror_of,
    parameters_of,
    repeated_segments,
    session_free,
    urls_above,
    variant_key,
    without_parameter,
)
from goodbot.errors import WrongValueError
from goodbot.http.argument_checks import list_of_str

__all__ = ["DEFAULT_TRAPS", "TRAPS", "Trap", "TrapWatch", "trap_names"]

MOST_REPEATS = 3
"""Segments of a path that stand in it before already, from which on it is a trap."""

MOST_ABOVE = 2
"""Pages above a page with the same content, from which on nothing below it is queued."""

LEAST_EQUAL_VALUES = 5
"""Pages that differ in one parameter alone and are equal, until it changes nothing."""

LEAST_EQUAL_MIRRORED = 3
"""Pages that two hosts have at the same paths and that are equal, until one mirrors the other."""


class Trap(NamedTuple):
    """One kind of trap."""

    name: str
    """The slug, which is also the reason of a URL that was skipped for it."""
    meaning: str
    """What is recognised, and what is then not queued."""
    is_default: bool = False
    """Whether it is left out unless the crawl is set otherwise."""
    is_of_url: bool = False
    """Whether a URL shows it by itself, on whatever page it is found."""


TRAPS: dict[str, Trap] = {
    row.name: row
    for row in (
        Trap(
            "repeated-path",
            f"At least {MOST_REPEATS} segments of the path of a link repeat earlier ones, and the "
            "page with the link has the content of a page above it, such as `/a/b/a/` that of "
            "`/a/`. The link is not queued.",
            is_default=True,
        ),
        Trap(
            "repeated-tree",
            f"A page has the content of at least {MOST_ABOVE} pages above it, as where a symbolic "
            "link repeats a tree. Links to URLs below the page are not queued.",
        ),
        Trap(
            "duplicate-content",
            "A page has the content of another page of its origin. Its links within the origin "
            "are not queued.",
        ),
        Trap(
            "soft-404",
            "A page is answered as a success, but its title says that nothing was found, and it "
            "has less than 2,000 characters of text. Its links within the origin are not queued.",
        ),
        Trap(
            "session-id",
            "A URL has a parameter that is known to name a session or a campaign (`PHPSESSID`, "
            "`utm_source`), and without it or with another value it is fetched or queued already. "
            "It is not queued again.",
            is_of_url=True,
        ),
        Trap(
            "idle-parameter",
            f"At least {LEAST_EQUAL_VALUES} pages of one path that differ in one parameter alone "
            "had the same content, and none had another. A URL that differs in this parameter "
            "alone from a page that was fetched is not queued.",
            is_of_url=True,
        ),
        Trap(
            "mirror-host",
            "Of two hosts one has the name of the other with `www.` before it, at least "
            f"{LEAST_EQUAL_MIRRORED} pages at the same paths had the same content, and none had "
            "another. A URL is not queued if its counterpart on the other host was fetched, or "
            "waits and is on the host that was visited first.",
            is_of_url=True,
        ),
        Trap(
            "calendar",
            f"A URL names a month that is more than {MONTHS_AHEAD} months ahead, or before "
            f"{LEAST_DATE}: `/2031/05/`, `?month=2031-05`, `?year=2031&month=5`. It is not queued.",
            is_of_url=True,
        ),
    )
}
"""Every trap, in the order in which they are looked at."""

DEFAULT_TRAPS = frozenset(row.name for row in TRAPS.values() if row.is_default)
"""The traps that are left out unless a crawl is set otherwise."""


def trap_names(names: Iterable[str]) -> frozenset[str]:
    """Check the names of traps; return them as a set.

    Args:
        names: Slugs of `TRAPS`.

    Raises:
        WrongTypeError: It is no list of `str`.
        WrongValueError: There is no such trap.

    >>> sorted(trap_names(["calendar", "repeated-path"]))
    ['calendar', 'repeated-path']
    """
    found = list_of_str("traps", names)
    for name in found:
        if name not in TRAPS:
            message = f"there is no trap {name[:40]!r}; name some of {', '.join(TRAPS)}"
            raise WrongValueError(message)
    return frozenset(found)


class Recognised(NamedTuple):
    """A trap that was recognised."""

    trap: str
    why: str
    """Which other pages show it, as a sentence without a full stop."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the content of one page beside the others."""

    url: str
    origin: str
    not_found: str
    """What says in its title that nothing was found; empty if nothing does."""
    same: str
    """Another page of the origin with the same content; empty if there is none."""
    above: tuple[str, ...]
    """The pages above it with the same content, the nearest first."""

    @property
    def is_suspect(self) -> bool:
        """Whether its links may lead into a trap, whatever they look like."""
        return bool(self.same or self.not_found)


class TrapWatch:
    """Recognises the traps of a crawl, and tells which links are not queued.

    Args:
        memory: What is known of the pages that were fetched.
        traps: The traps that are left out.

    """

    def __init__(self, memory: TrapMemory, traps: Iterable[str] = DEFAULT_TRAPS) -> None:
        """Begin with what the memory has."""
        self._memory = memory
        self._traps = frozenset(traps)
        self._by_url = frozenset(name for name in self._traps if TRAPS[name].is_of_url)

    def read(
        self,
        url: str,
        origin: str,
        content: PageContent,
        links: Collection[Candidate],
        now: datetime,
    ) -> list[Candidate]:
        """Take note of a page that was fetched, and judge its links.

        Args:
            url: The page, in its normal form.
            origin: Its origin.
            content: What it says.
            links: Where it leads.
            now: When it was fetched.

        Returns:
            The links in their order; each that is left out has the reason and who shows it.

        """
        is_new = self._note(url, origin, content.fingerprint)
        # The links of a page that was read before were counted then.
        counted = set() if is_new else {(met.origin, met.trap) for met in self._memory.met()}
        standing = self._standing(url, origin, content)
        mirrored = {one for one in {place.origin for _, place in links} if self._is_mirrored(one)}
        return [
            self._judged(standing, one, now, counted)
            if standing.is_suspect or one[1].origin in mirrored or may_be_trap(one[1].url)
            else one
            for one in links
        ]

    def left_out(self, url: str, origin: str, now: datetime) -> Recognised | None:
        """Return the trap for which a URL that waits in the queue is left out by now, if any.

        What was fetched before is never left out: it is visited again when it is due.
        """
        if not self._by_url or self._memory.content_of(url) is not None:
            return None
        found = (one for one in self._of_url(url, origin, now) if one.trap in self._by_url)
        return next(found, None)

    def links(self) -> dict[str, int]:
        """Return how many links led into each trap so far, the most frequent trap first."""
        counts: Counter[str] = Counter()
        for met in self._memory.met():
            counts[met.trap] += met.links
        return dict(counts.most_common())

    # One page.

    def _note(self, url: str, origin: str, content: bytes) -> bool:
        """Learn from a page what its parameters change and what mirrors it; return if it is new."""
        memory = self._memory
        is_new = memory.keep(url, origin, content)
        for name in parameters_of(url):
            key = variant_key(url, name)
            other, known = memory.alike(key)
            variant: bytes | None = known
            if other in {"", kept_form(url)}:
                memory.keep_alike(key, url, content)
                variant = memory.content_of(without_parameter(url, name))
            self._count(count_key(url, name), content, variant, is_new=is_new)
        mirror = mirror_of(origin, url)
        if mirror is not None:
            if not memory.alike(mirror.key)[0]:
                memory.keep_alike(mirror.key, origin, b"")
            self._count(mirror.key, content, memory.content_of(mirror.url), is_new=is_new)
        return is_new

    def _count(self, key: str, one: bytes, other: bytes | None, *, is_new: bool) -> None:
        """Count that two pages are equal, once; that they differ, each time."""
        if other is not None and (is_new or one != other):
            self._memory.count(key, is_equal=one == other)

    def _standing(self, url: str, origin: str, content: PageContent) -> Standing:
        memory, print_ = self._memory, content.fingerprint
        same = memory.same_content(url, origin, print_)
        above = urls_above(url) if same else ()
        equal = tuple(one for one in above if memory.content_of(one) == print_)
        return Standing(url, origin, content.not_found, same, equal)

    # One link.

    def _judged(
        self, page: Standing, link: Candidate, now: datetime, counted: set[tuple[str, str]]
    ) -> Candidate:
        found, place = link
        if place.skip_reason or found.how != "link":
            return link
        recognised = [*of_page(page, place.url, place.origin)]
        recognised += self._of_url(place.url, place.origin, now)
        reason = next((one for one in recognised if one.trap in self._traps), None)
        for one in recognised:
            if (place.origin, one.trap) in counted:
                continue
            self._memory.tell(place.origin, one.trap, place.url, one.why)
        if reason is None:
            self._remember_session(place.url)
            return link
        return found, replace(place, skip_reason=reason.trap, source=reason.why)

    def _remember_session(self, url: str) -> None:
        free = session_free(url)
        if free is not None and not self._memory.alike(f"session {free}")[0]:
            self._memory.keep_alike(f"session {free}", url, b"")

    def _of_url(self, url: str, origin: str, now: datetime) -> Iterator[Recognised]:
        """Yield the traps that a URL shows by itself."""
        memory = self._memory
        free = session_free(url)
        if free is not None:
            other = memory.alike(f"session {free}")[0]
            other = free if memory.content_of(free) is not None else other
            if other not in {"", kept_form(url)}:
                yield Recognised("session-id", f"the same as {other}, but for a session id")
        for name in parameters_of(url):
            equal, differing = memory.counts(count_key(url, name))
            if equal < LEAST_EQUAL_VALUES or differing:
                continue
            other = memory.alike(variant_key(url, name))[0]
            if other not in {"", kept_form(url)}:
                why = f"the parameter {name[:40]} changed nothing at {equal} pages; see {other}"
                yield Recognised("idle-parameter", why)
        mirror = mirror_of(origin, url) if self._is_mirrored(origin) else None
        if mirror is not None and self._is_at(mirror, origin):
            equal, _ = memory.counts(mirror.key)
            yield Recognised("mirror-host", f"{equal} pages were equal; see {mirror.url}")
        month = calendar_month(url, now)
        if month:
            yield Recognised("calendar", f"it is of {month}")

    def _is_mirrored(self, origin: str) -> bool:
        """Whether two hosts have shown to have the same pages."""
        mirror = mirror_of(origin, origin)
        equal, differing = (0, 0) if mirror is None else self._memory.counts(mirror.key)
        return equal >= LEAST_EQUAL_MIRRORED and not differing

    def _is_at(self, mirror: Mirror, origin: str) -> bool:
        """Whether the counterpart was fetched, or waits on the host that was visited first."""
        memory = self._memory
        if memory.content_of(mirror.url) is not None:
            return True
        return memory.alike(mirror.key)[0] != origin and memory.is_waiting(mirror.url)


def of_page(page: Standing, url: str, origin: str) -> Iterator[Recognised]:
    """Yield the traps that the content of a page makes of one of its links."""
    if origin != page.origin:
        return
    if page.above and repeated_segments(url) >= MOST_REPEATS:
        why = f"{repeated_segments(url)} segments of its path repeat, and {page.url} has the "
        yield Recognised("repeated-path", f"{why}content of {page.above[0]}")
    if len(page.above) >= MOST_ABOVE and is_below(url, page.url):
        why = f"{page.url} has the content of {' and '.join(page.above[:MOST_ABOVE])}"
        yield Recognised("repeated-tree", why)
    if page.same:
        yield Recognised("duplicate-content", f"{page.url} has the content of {page.same}")
    if page.not_found:
        yield Recognised("soft-404", f"the title of {page.url} says {page.not_found!r}")
