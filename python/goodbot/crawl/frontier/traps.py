"""Traps: parts of a site that lead to more and more URLs without new content.

Scope: the table of traps with their thresholds, and the decisions on a page and its links, based on
a `TrapMemory`. There is no clock, socket or disk. `trap_urls` examines single URLs, `contents`
examines bodies.

Every trap is recognised and counted, whatever the settings. A crawl skips links only into the traps
that it is set to skip. By default this is only `repeated-path`: the page with the link has the same
bytes as a page above it, and the path of the link repeats itself. Such a link leads to something
new only if four folders of the same name are nested, each with nothing but the next one in it.

Source: HTTP: The Definitive Guide, 2002, section "Avoiding loops and dups" (repeated components of
a path, content that was seen before, aliases); the thresholds are goodbot's choice.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.frontier.candidates import origins_of, url_lines
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
    mirror_of_origin,
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
"""How many repeated segments in a path make it a trap."""

MOST_ABOVE = 2
"""How many pages above a page must have its content for everything below it to be a trap."""

LEAST_EQUAL_VALUES = 5
"""How many pages that differ only in one parameter must be equal for it to count as idle."""

LEAST_EQUAL_MIRRORED = 3
"""How many pages must be equal on two hosts for one to count as a mirror of the other."""


class Trap(NamedTuple):
    """One kind of trap."""

    name: str
    """The slug, which is also the reason of URLs skipped because of the trap."""
    meaning: str
    """How it is recognised, and what is then not queued."""
    is_default: bool = False
    """Whether a crawl skips it by default."""
    is_of_url: bool = False
    """Whether it is recognised by the URL, on whatever page the URL is found."""


TRAPS: dict[str, Trap] = {
    row.name: row
    for row in (
        Trap(
            "repeated-path",
            f"At least {MOST_REPEATS} segments in the path of a link repeat earlier ones, and the "
            "page with the link has the same content as a page above it: `/a/b/a/` has that of "
            "`/a/`. The link is not queued.",
            is_default=True,
        ),
        Trap(
            "repeated-tree",
            f"A page has the same content as at least {MOST_ABOVE} pages above it, for example "
            "because a symbolic link repeats a tree of folders. Links to URLs below the page are "
            "not queued.",
        ),
        Trap(
            "duplicate-content",
            "A page has the same content as another page of its origin. Its links within the "
            "origin are not queued.",
        ),
        Trap(
            "soft-404",
            "The status of a page is a success, but its title says that nothing was found, and it "
            "has less than 2,000 characters of text. Its links within the origin are not queued.",
        ),
        Trap(
            "session-id",
            "A URL has a parameter that is known to name a session or a campaign (`PHPSESSID`, "
            "`utm_source`), and the same URL without it or with another value was fetched or "
            "queued before. It is not queued again.",
            is_of_url=True,
        ),
        Trap(
            "idle-parameter",
            f"At least {LEAST_EQUAL_VALUES} pages whose URLs differ only in the value of one "
            "parameter had the same content, and none had other content. A URL that differs only "
            "in this parameter from a page that was fetched is not queued.",
            is_of_url=True,
        ),
        Trap(
            "mirror-host",
            "Two hosts differ only in `www.`, at least "
            f"{LEAST_EQUAL_MIRRORED} pages at the same paths had the same content on both, and "
            "none had other content. A URL is not queued if its counterpart on the other host was "
            "fetched, or is queued and on the host that was visited first.",
            is_of_url=True,
        ),
        Trap(
            "calendar",
            f"A URL names a month more than {MONTHS_AHEAD} months in the future, or before "
            f"{LEAST_DATE}: `/2031/05/`, `?month=2031-05`, `?year=2031&month=5`. It is not queued.",
            is_of_url=True,
        ),
    )
}
"""Every trap, in the order in which they are checked."""

BY_PAGE = frozenset({"duplicate-content", "soft-404"})
"""The traps for which the page with the links is at fault, and not what they lead to."""

DEFAULT_TRAPS = frozenset(row.name for row in TRAPS.values() if row.is_default)
"""The traps that a crawl skips by default."""


def trap_names(names: Iterable[str]) -> frozenset[str]:
    """Check the names of traps; return them as a set.

    Args:
        names: Slugs of `TRAPS`.

    Raises:
        WrongTypeError: `names` is not a list of `str`.
        WrongValueError: There is no such trap.

    >>> sorted(trap_names(["calendar", "repeated-path"]))
    ['calendar', 'repeated-path']
    """
    found = list_of_str("traps", names)
    for name in found:
        if name not in TRAPS:
            message = f"there is no trap {name[:40]!r}; choose from {', '.join(TRAPS)}"
            raise WrongValueError(message)
    return frozenset(found)


class Recognised(NamedTuple):
    """A trap that was recognised."""

    trap: str
    why: str
    """The pages that show it, as a sentence without a full stop."""
    page: str = ""
    """The page with the link, if it is the page that makes it a trap; otherwise empty."""


class Standing(NamedTuple):
    """How the content of one page compares with others."""

    url: str
    """The URL of the page."""
    origin: str
    """The origin of the page."""
    not_found: str
    """The words in its title that say that nothing was found; empty if there are none."""
    same: str
    """Another page of the origin with the same content; empty if there is none."""
    above: tuple[str, ...]
    """The pages above it with the same content, nearest first."""

    @property
    def is_suspect(self) -> bool:
        """Whether any of its links may lead into a trap."""
        return bool(self.same or self.not_found)


class TrapWatch:
    """Recognises the traps of a crawl, and decides which links are not queued.

    Args:
        memory: What is known about the pages that were fetched.
        traps: The traps to skip.

    """

    def __init__(self, memory: TrapMemory, traps: Iterable[str] = DEFAULT_TRAPS) -> None:
        """Start with what the memory has."""
        self._memory = memory
        self._traps = frozenset(traps)
        self._by_url = frozenset(name for name in self._traps if TRAPS[name].is_of_url)
        self.leaves_out = bool(self._by_url)
        """Whether any queued URL may be skipped; see `left_out`."""

    def read(
        self,
        url: str,
        origin: str,
        content: PageContent,
        links: Collection[Candidate],
        now: datetime,
    ) -> Collection[Candidate]:
        """Learn from a page that was fetched, and check its links for traps.

        Args:
            url: The URL of the page, in its normal form.
            origin: Its origin.
            content: Its content, as it is compared.
            links: Its links.
            now: When it was fetched.

        Returns:
            The links in their order; each skipped one has the reason and the evidence for it. If
            none can lead into a trap, the links as they are.

        """
        # First, because the memory need not look for others while it has no such content at all.
        standing = self._standing(url, origin, content)
        is_new = self._note(url, origin, content.fingerprint)
        # On an earlier visit of the page, its links were counted already.
        counted = set() if is_new else {(met.origin, met.trap) for met in self._memory.met()}
        mirrored = {one for one in origins_of(links) if self._is_mirrored(one)}
        # Of all URLs at once, because hardly any reveals a trap.
        if not (standing.is_suspect or mirrored or may_be_trap(url_lines(links))):
            return links
        return [
            self._judged(standing, one, now, counted)
            if standing.is_suspect or one[1].origin in mirrored or may_be_trap(one[1].url)
            else one
            for one in links
        ]

    def left_out(self, url: str, origin: str, now: datetime) -> Recognised | None:
        """Return the trap because of which a queued URL is to be skipped now, if there is one.

        A page that was fetched before is never skipped: it is revisited when it is due.
        """
        if not self.leaves_out or self._memory.content_of(url) is not None:
            return None
        found = (one for one in self._of_url(url, origin, now) if one.trap in self._by_url)
        return next(found, None)

    def links(self) -> dict[str, int]:
        """Return the number of links into each trap so far, most frequent first."""
        counts: Counter[str] = Counter()
        for met in self._memory.met():
            counts[met.trap] += met.links
        return dict(counts.most_common())

    # One page.

    def _note(self, url: str, origin: str, content: bytes) -> bool:
        """Learn what the parameters of a page change and what mirrors it.

        Returns:
            Whether the page is new.

        """
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
        """Count two equal pages once, and two differing ones each time."""
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
        found, entry = link
        if entry.skip_reason or found.how != "link":
            return link
        recognised = [*of_page(page, entry.url, entry.origin)]
        recognised += self._of_url(entry.url, entry.origin, now)
        reason = next((one for one in recognised if one.trap in self._traps), None)
        for one in recognised:
            if (entry.origin, one.trap) in counted:
                continue
            self._memory.tell(entry.origin, one.trap, one.page or entry.url, one.why)
        if reason is None:
            self._remember_session(entry.url)
            return link
        return found, entry._replace(skip_reason=reason.trap, source=reason.why)

    def _remember_session(self, url: str) -> None:
        free = session_free(url)
        if free is not None and not self._memory.alike(f"session {free}")[0]:
            self._memory.keep_alike(f"session {free}", url, b"")

    def _of_url(self, url: str, origin: str, now: datetime) -> Iterator[Recognised]:
        """Yield the traps recognised by a URL alone."""
        memory = self._memory
        free = session_free(url)
        if free is not None:
            other = memory.alike(f"session {free}")[0]
            other = free if memory.content_of(free) is not None else other
            if other not in {"", kept_form(url)}:
                yield Recognised("session-id", f"the same as {other} except for the session id")
        for name in parameters_of(url):
            equal, differing = memory.counts(count_key(url, name))
            if equal < LEAST_EQUAL_VALUES or differing:
                continue
            other = memory.alike(variant_key(url, name))[0]
            if other not in {"", kept_form(url)}:
                why = f"the parameter {name[:40]} changed nothing on {equal} pages; see {other}"
                yield Recognised("idle-parameter", why)
        mirror = mirror_of(origin, url) if self._is_mirrored(origin) else None
        if mirror is not None and self._is_at(mirror, origin):
            equal, _ = memory.counts(mirror.key)
            why = f"{equal} pages were the same on both hosts; see {mirror.url}"
            yield Recognised("mirror-host", why)
        month = calendar_month(url, now)
        if month:
            yield Recognised("calendar", f"it is about {month}")

    def _is_mirrored(self, origin: str) -> bool:
        """Whether an origin and its counterpart were found to have the same pages."""
        mirror = mirror_of_origin(origin)
        equal, differing = (0, 0) if mirror is None else self._memory.counts(mirror.key)
        return equal >= LEAST_EQUAL_MIRRORED and not differing

    def _is_at(self, mirror: Mirror, origin: str) -> bool:
        """Whether the counterpart was fetched, or is queued on the host that was visited first."""
        memory = self._memory
        if memory.content_of(mirror.url) is not None:
            return True
        return memory.alike(mirror.key)[0] != origin and memory.is_waiting(mirror.url)


def of_page(page: Standing, url: str, origin: str) -> Iterator[Recognised]:
    """Yield the traps recognised for a link by the content of its page."""
    if origin != page.origin:
        return
    if page.above and repeated_segments(url) >= MOST_REPEATS:
        why = f"{repeated_segments(url)} segments of its path repeat, and {page.url} has the same "
        yield Recognised("repeated-path", f"{why}content as {page.above[0]}")
    if len(page.above) >= MOST_ABOVE and is_below(url, page.url):
        why = f"{page.url} has the same content as {' and '.join(page.above[:MOST_ABOVE])}"
        yield Recognised("repeated-tree", why)
    if page.same:
        why = f"{page.url} has the same content as {page.same}"
        yield Recognised("duplicate-content", why, page.url)
    if page.not_found:
        yield Recognised("soft-404", f"the title of {page.url} says {page.not_found!r}", page.url)
