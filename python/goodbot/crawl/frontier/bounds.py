"""How far a crawl goes: its own bounds, which are beside what sites say.

What may live here: from a URL, or from what a crawl has done, to whether it is within bounds. There
is no clock, no socket, no disk. No bound lets a robot do what a site forbids.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.crawl.folder.records import How
from goodbot.crawl.frontier.patterns import Pattern, comparable
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.argument_checks import list_of_str

__all__ = [
    "REACHED",
    "SITE_LIMIT",
    "SKIP_REASONS",
    "TOO_MANY_LINKS",
    "TOO_MANY_SITEMAPS",
    "Bounds",
    "depth_of",
]

SITE_LIMIT = "site-page-limit"
"""Why nothing more of a site is visited in a run, although some of it waits."""

TOO_MANY_LINKS = "too-many-links"
"""Why a URL is not kept that a page with more than 10,000 new links leads to."""

TOO_MANY_SITEMAPS = "too-many-sitemaps"
"""Why a sitemap is not kept whose origin brings more than 1,000 to a crawl."""

SKIP_REASONS = {
    "url-too-long": "The URL has more characters than are taken.",
    "other-origin": "The URL is of an origin that this crawl leaves alone.",
    "too-deep": "There are too many links between the URL and where the crawl began.",
    "excluded": "The URL matches a pattern of what is left out.",
    "not-included": "The URL matches no pattern of what is taken in.",
}
"""Why a URL is left out: every slug, in the order in which they are looked at."""

REACHED = {
    "page-limit": "As many pages were visited as were asked for.",
    SITE_LIMIT: "Of each site with URLs left, as many pages were visited as were asked for.",
    "byte-limit": "As many bytes were received as were asked for.",
    "disk-limit": "The folder of the crawl has as many bytes as it may have.",
    "time-limit": "The crawl took as long as was asked for.",
}
"""Why a crawl ends before there is nothing left to visit: every slug."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far a crawl goes. `None` is no bound.

    Args:
        pages: The most pages to visit in one run. Where a crawl has several sites they share them:
            see `share`.
        pages_per_site: The most pages to visit of one site (origin) in one run.
        depth: The most links between a URL and where the crawl began, which has depth 0. The
            default ends what some sites have without end, such as calendars.
        seconds: The most seconds to take.
        bytes: The most bytes to receive.
        disk: The most bytes that the folder may have: the database and the archive. It is looked at
            after each change, so that one change may go beyond it.
        include: Patterns (see `goodbot.crawl.frontier.patterns.Pattern`), of which a URL must match
            one; none: every URL. Where the crawl began is visited whatever they say, for its links.
        exclude: Patterns of which a URL may match none; they win over `include`.
        origins: The origins within which to stay. `None`: those of the URLs with which the crawl
            begins, which `Crawl` fills in; until then every origin is another one.
        any_origin: Whether to go to any origin.
        url_length: The most characters of a URL. The default is that of the sitemaps protocol, and
            ends what is made of one path again and again.

    Raises:
        WrongTypeError: An argument is of a type that is not taken.
        WrongValueError: A number is too small, a pattern or an origin is none, or there are both
            `origins` and `any_origin`.

    >>> bounds = Bounds(depth=2, exclude=["/cart"], origins=["https://a.example"])
    >>> bounds.refuses("https://a.example/lamps", "https://a.example", 1) is None
    True
    >>> bounds.refuses("https://a.example/cart?add=1", "https://a.example", 1)
    'excluded'
    >>> bounds.refuses("https://b.example/", "https://b.example", 1)
    'other-origin'

    Source: goodbot: choice; sitemaps.org, protocol, XML tag definitions (the length of a URL).

    """

    pages: int | None = None
    pages_per_site: int | None = None
    depth: int | None = 20
    seconds: float | None = None
    bytes: int | None = None
    disk: int | None = 10 * 1024**3
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    origins: frozenset[str] | None = None
    any_origin: bool = False
    url_length: int | None = 2_048
    _include: tuple[Pattern, ...] = field(init=False, repr=False, compare=False)
    _exclude: tuple[Pattern, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check every bound, and read the patterns."""
        for name, least in (
            ("pages", 1),
            ("pages_per_site", 1),
            ("depth", 0),
            ("bytes", 1),
            ("disk", 1),
            ("url_length", 1),
        ):
            whole(name, getattr(self, name), least)
        if self.seconds is not None and not is_duration(self.seconds):
            message = f"seconds must be a number above 0, or None for no bound, not {self.seconds}"
            raise WrongValueError(message)
        if not isinstance(self.any_origin, bool):
            message = f"any_origin must be True or False, not {self.any_origin!r}"
            raise WrongTypeError(message)
        if self.any_origin and self.origins is not None:
            message = "there are origins= and any_origin=True; give one of them"
            raise WrongValueError(message)
        for name in ("include", "exclude"):
            texts = list_of_str(name, getattr(self, name))
            object.__setattr__(self, name, texts)
            object.__setattr__(self, f"_{name}", tuple(Pattern(text) for text in texts))
        if self.origins is not None:
            origins = frozenset(origin_of(text) for text in list_of_str("origins", self.origins))
            object.__setattr__(self, "origins", origins)

    def refuses(self, url: str, origin: str, depth: int) -> str | None:
        """Say why a URL is left out; `None` if it is within bounds.

        Args:
            url: The URL, in its normal form (`goodbot.http.address.address_of`).
            origin: Its origin.
            depth: How many links lie between it and where the crawl began.

        Returns:
            A slug of `SKIP_REASONS`, the first that applies.

        """
        if self.url_length is not None and len(url) > self.url_length:
            return "url-too-long"
        if not self.any_origin and (self.origins is None or origin not in self.origins):
            return "other-origin"
        if self.depth is not None and depth > self.depth:
            return "too-deep"
        return self._by_pattern(url, depth) if self._include or self._exclude else None

    def _by_pattern(self, url: str, depth: int) -> str | None:
        """Say why a URL is left out by its patterns."""
        text = comparable(url)
        if any(pattern.fits(text) for pattern in self._exclude):
            return "excluded"
        # Without its first page a crawl finds no link to what is included.
        if depth and self._include and not any(pattern.fits(text) for pattern in self._include):
            return "not-included"
        return None

    def reached(self, pages: int, received: int, seconds: float, disk: int = 0) -> str | None:
        """Say which bound the crawl as a whole has reached; `None` if it may go on.

        Args:
            pages: How many pages it has visited.
            received: How many bytes it has received.
            seconds: How long it has taken.
            disk: How many bytes its folder has.

        Returns:
            A slug of `REACHED`.

        >>> Bounds(pages=10).reached(10, 0, 0.0)
        'page-limit'

        """
        done = (
            ("page-limit", self.pages, pages),
            ("byte-limit", self.bytes, received),
            ("disk-limit", self.disk, disk),
            ("time-limit", self.seconds, seconds),
        )
        return next(
            (slug for slug, most, is_at in done if most is not None and is_at >= most), None
        )

    def is_site_done(self, pages: int) -> bool:
        """Whether so many pages of one site are as many as one run visits of a site."""
        return self.pages_per_site is not None and pages >= self.pages_per_site

    def share(self, sites: int) -> int | None:
        """Return the pages that a site may have before the others had their turn; `None`: any.

        A crawl with a bound on its pages is fair: no site takes more than its part while another
        one has something left to visit. What others leave is for whoever has more.

        Args:
            sites: How many sites the crawl has.

        >>> Bounds(pages=10).share(3), Bounds(pages=10).share(1), Bounds().share(3)
        (4, None, None)

        """
        if self.pages is None or sites <= 1:
            return None
        return -(-self.pages // sites)

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON.

        >>> Bounds.from_dict(Bounds(pages=3).as_dict()) == Bounds(pages=3)
        True
        """
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        origins = None if self.origins is None else sorted(self.origins)
        lists = {"include": list(self.include), "exclude": list(self.exclude), "origins": origins}
        return values | lists

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Bounds":
        """Take what `as_dict` gave.

        Raises:
            WrongTypeError: A value is of a type that is not taken.
            WrongValueError: There is no such bound, or it has no such value.

        """
        unknown = sorted(set(values) - {one.name for one in fields(cls) if one.init})
        if unknown:
            message = f"there is no bound {unknown[0]!r}; a newer goodbot may have written it"
            raise WrongValueError(message)
        return cls(**values)


def depth_of(how: How, depth: int) -> int:
    """Return the depth of a URL as bounds take it: sitemaps count as where the crawl began.

    >>> depth_of("link", 2), depth_of("sitemap-file", 1)
    (2, 0)
    """
    return 0 if how == "sitemap-file" else depth


def whole(name: str, value: object, least: int) -> None:
    """Check a whole number, or none."""
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"{name} must be an int, or None for no bound, not {type(value).__name__}"
        raise WrongTypeError(message)
    if value < least:
        message = f"{name} must be {least} or more, or None for no bound, not {value}"
        raise WrongValueError(message)


def is_duration(value: object) -> bool:
    """Tell whether something is a number of seconds above 0.

    Raises:
        WrongTypeError: It is no number.

    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        message = f"seconds must be a number, or None for no bound, not {type(value).__name__}"
        raise WrongTypeError(message)
    return math.isfinite(value) and value > 0
