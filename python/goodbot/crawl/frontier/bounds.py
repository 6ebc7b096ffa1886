"""The bounds of a crawl: how far it goes, apart from what sites allow.

Scope: deciding whether a URL, or the crawl as a whole, is within bounds. There is no clock, socket
or disk. No bound lets a robot do what a site forbids.
"""

import math
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.crawl.folder.records import How
from goodbot.crawl.frontier.patterns import Pattern, comparable
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "OTHER_ORIGIN",
    "REACHED",
    "SITE_LIMIT",
    "SKIP_REASONS",
    "Bounds",
    "depth_of",
]

OTHER_ORIGIN = "other-origin"
"""Why a URL is skipped that is on another origin than the crawl."""

SITE_LIMIT = "site-page-limit"
"""Why no more pages of a site are visited in this run, although some are queued."""

SKIP_REASONS = {
    "url-too-long": "The URL is longer than the crawl allows.",
    OTHER_ORIGIN: "The URL is on an origin outside this crawl.",
    "too-deep": "The URL is too many links away from the start URLs.",
    "excluded": "The URL matches an exclude pattern.",
    "not-included": "The URL matches no include pattern.",
    "not-captured": "The URL is not among the responses that were imported or recorded.",
}
"""Why a URL is skipped as out of bounds: every slug, in the order in which they are checked."""

REACHED = {
    "page-limit": "The crawl visited its maximum number of pages.",
    SITE_LIMIT: "The crawl visited its maximum number of pages of every site with URLs left.",
    "byte-limit": "The crawl received its maximum number of bytes.",
    "disk-limit": "The folder of the crawl reached its maximum size.",
    "time-limit": "The crawl reached its maximum duration.",
}
"""Why a crawl ended although URLs were left: every slug."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Bounds:
    """How far a crawl goes. `None` means no limit.

    Args:
        pages: The maximum number of pages to visit in one run. If a crawl has several sites, they
            share it: see `share`.
        pages_per_site: The maximum number of pages to visit on one site (origin) in one run.
        depth: The maximum number of links between a start URL, which has depth 0, and any other.
            The default stops endless structures of sites, such as calendars.
        seconds: The maximum duration of a run in seconds.
        bytes: The maximum number of bytes to receive.
        disk: The maximum size of the folder in bytes: the database and the archive. It is checked
            after each change, so one change may exceed it.
        include: Patterns (see `goodbot.crawl.frontier.patterns.Pattern`); a URL must match one of
            them. If empty, all URLs are included. Start URLs are visited in any case, for their
            links.
        exclude: Patterns that a URL must not match; they take precedence over `include`.
        origins: The origins to stay within. `None` stands for those of the start URLs, which
            `Crawl` fills in; until then, every origin is out of bounds.
        any_origin: Whether to visit any origin.
        check_external: Whether to request links to other origins, to see whether they are broken:
            under their own robots.txt and pace, and again when they are due. Only the header is
            read; nothing is indexed, kept or followed except redirects. Links that must not be
            followed, and URLs that `exclude` matches, are not requested.
        url_length: The maximum length of a URL in characters. The default is that of the sitemaps
            protocol, and stops paths that grow by repetition.

    Raises:
        WrongTypeError: An argument has the wrong type.
        WrongValueError: A number is too small, a pattern or an origin is invalid, or both `origins`
            and `any_origin` are given.

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
    check_external: bool = False
    url_length: int | None = 2_048
    _include: tuple[Pattern, ...] = field(init=False, repr=False, compare=False)
    _exclude: tuple[Pattern, ...] = field(init=False, repr=False, compare=False)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every bound, and compile the patterns."""
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
            message = (
                f"{{bounds.seconds}} must be a number above 0, or None for no limit, not "
                f"{self.seconds}"
            )
            raise WrongValueError(message, {"bounds.seconds": "seconds"})
        for name in ("any_origin", "check_external"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                message = f"{name} must be True or False, not {value!r}"
                raise WrongTypeError(message)
        if self.any_origin and self.origins is not None:
            message = (
                "{bounds.origins} and {bounds.any_origin} contradict each other; give one of them"
            )
            named = {"bounds.origins": "origins=", "bounds.any_origin": "any_origin=True"}
            raise WrongValueError(message, named)
        for name in ("include", "exclude"):
            texts = list_of_str(name, getattr(self, name))
            object.__setattr__(self, name, texts)
            object.__setattr__(self, f"_{name}", tuple(Pattern(text) for text in texts))
        if self.origins is not None:
            origins = frozenset(origin_of(text) for text in list_of_str("origins", self.origins))
            object.__setattr__(self, "origins", origins)

    def refuses(self, url: str, origin: str, depth: int) -> str | None:
        """Return why a URL is out of bounds; `None` if it is within them.

        Args:
            url: The URL, in its normal form (`goodbot.http.address.address_of`).
            origin: Its origin.
            depth: The number of links between a start URL and this one.

        Returns:
            A slug of `SKIP_REASONS`, the first that applies.

        """
        if self.url_length is not None and len(url) > self.url_length:
            return "url-too-long"
        if not self.any_origin and (self.origins is None or origin not in self.origins):
            return OTHER_ORIGIN
        if self.depth is not None and depth > self.depth:
            return "too-deep"
        return self._by_pattern(url, depth) if self._include or self._exclude else None

    def checks(self, url: str, origin: str, how: How) -> bool:
        """Return whether a URL is requested only to check a link to another origin.

        Args:
            url: The URL, in its normal form.
            origin: Its origin.
            how: How it was found: only links, and where they redirect to, are checked.

        >>> bounds = Bounds(origins=["https://a.example"], check_external=True)
        >>> bounds.checks("https://b.example/", "https://b.example", "link")
        True
        >>> bounds.checks("https://b.example/map.xml", "https://b.example", "sitemap-file")
        False

        """
        if not self.check_external or how not in {"link", "redirect"}:
            return False
        return self.refuses(url, origin, 0) == OTHER_ORIGIN and not self._by_pattern(url, 0)

    def _by_pattern(self, url: str, depth: int) -> str | None:
        """Return why the patterns exclude a URL; `None` if they do not."""
        text = comparable(url)
        if any(pattern.fits(text) for pattern in self._exclude):
            return "excluded"
        # Without its start URLs, a crawl would find no links to the URLs that are included.
        if depth and self._include and not any(pattern.fits(text) for pattern in self._include):
            return "not-included"
        return None

    def reached(self, pages: int, received: int, seconds: float, disk: int = 0) -> str | None:
        """Return which bound the crawl as a whole has reached; `None` if it may continue.

        Args:
            pages: The number of pages visited.
            received: The number of bytes received.
            seconds: The duration so far.
            disk: The size of the folder in bytes.

        Returns:
            A slug of `REACHED`.

        >>> Bounds(pages=10).reached(10, 0, 0.0)
        'page-limit'

        """
        if self.pages is not None and pages >= self.pages:
            return "page-limit"
        if self.bytes is not None and received >= self.bytes:
            return "byte-limit"
        if self.disk is not None and disk >= self.disk:
            return "disk-limit"
        if self.seconds is not None and seconds >= self.seconds:
            return "time-limit"
        return None

    def is_site_done(self, pages: int) -> bool:
        """Whether this many pages of one site are the maximum for one run."""
        return self.pages_per_site is not None and pages >= self.pages_per_site

    def share(self, sites: int) -> int | None:
        """Return how many pages of a site may be visited before other sites' turn; `None`: any.

        A crawl with a limit on its pages is fair: no site exceeds its share while another one has
        URLs left. Sites with more URLs may use what the others leave.

        Args:
            sites: The number of sites of the crawl.

        >>> Bounds(pages=10).share(3), Bounds(pages=10).share(1), Bounds().share(3)
        (4, None, None)

        """
        if self.pages is None or sites <= 1:
            return None
        return -(-self.pages // sites)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        >>> Bounds.from_dict(Bounds(pages=3).as_dict()) == Bounds(pages=3)
        True
        """
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        origins = None if self.origins is None else sorted(self.origins)
        lists = {"include": list(self.include), "exclude": list(self.exclude), "origins": origins}
        return values | lists

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Bounds":
        """Build bounds from the values that `as_dict` returned.

        Raises:
            WrongTypeError: A value has the wrong type.
            WrongValueError: There is no such bound, or its value is invalid.

        """
        unknown = sorted(set(values) - {one.name for one in fields(cls) if one.init})
        if unknown:
            message = f"there is no bound {unknown[0]!r}; a newer version may have stored it"
            raise WrongValueError(message)
        return cls(**values)


def depth_of(how: How, depth: int) -> int:
    """Return the depth of a URL for its bounds: sitemaps count as start URLs.

    >>> depth_of("link", 2), depth_of("sitemap-file", 1)
    (2, 0)
    """
    return 0 if how == "sitemap-file" else depth


def whole(name: str, value: object, least: int) -> None:
    """Check that a value is `None`, or an int that is not too small."""
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"{name} must be an int, or None for no limit, not {type(value).__name__}"
        raise WrongTypeError(message)
    if value < least:
        message = f"{name} must be {least} or more, or None for no limit, not {value}"
        raise WrongValueError(message)


def is_duration(value: object) -> bool:
    """Whether a value is a finite number of seconds above 0.

    Raises:
        WrongTypeError: It is not a number.

    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        message = f"seconds must be a number, or None for no limit, not {type(value).__name__}"
        raise WrongTypeError(message)
    return math.isfinite(value) and value > 0
