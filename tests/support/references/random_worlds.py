"""Random sites for crawls, and a plain reference for the result that a crawl of them must have.

The reference does not use goodbot's queue: it goes breadth-first, with plain lists. What a site
forbids comes from `goodbot.RobotsTxt`; which words may be found comes from the marks around them.
"""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

import goodbot
from goodbot.page import PROFILE_URIS
from goodbot.testing import Answer, FakeClock, FakeVisit
from tests.support.crawls.memory_crawls import OTHER, SITE
from tests.support.robot_sites import WatchedSite

START = FakeClock().now()
ORIGINS = (SITE, OTHER)
NAMES = tuple(f"/{letter}" for letter in "abcdef")
ROOT = "/"
PATHS = (ROOT, *NAMES)
PROFILE = f'profile="{PROFILE_URIS[0]}"'
SHORTEST_LIFE, LONGEST_LIFE = 300, 86_400
EPSILON = 1e-5


@dataclass(frozen=True)
class Part:
    """A part of a page: a unique word, or parts within an element of a class."""

    mark: str = ""
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True)
class Link:
    """A link."""

    target: str
    """A path, or a URL at another origin."""
    is_open: bool = True
    """Whether it may be followed."""


@dataclass(frozen=True)
class Sheet:
    """A page at one path."""

    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    directives: frozenset[str]
    by_header: bool
    moved_to: str | None
    failures: int
    """The number of failures before it answers."""
    how_it_fails: int | str


@dataclass(frozen=True)
class Rules:
    """The content of a robots.txt."""

    forbidden: tuple[str, ...] = ()
    delay: int | None = None
    hours: tuple[int, int] | None = None
    max_age: int | None = None

    @property
    def text(self) -> str:
        """Return it as text."""
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in self.forbidden)]
        lines += [] if self.delay is None else [f"Crawl-delay: {self.delay}"]
        lines += [] if self.hours is None else ["Visit-time: {:02}00-{:02}59".format(*self.hours)]
        return "\n".join(lines)

    @property
    def life(self) -> int:
        """How many seconds it may be used."""
        stated = LONGEST_LIFE if self.max_age is None else self.max_age
        return min(max(stated, SHORTEST_LIFE), LONGEST_LIFE)

    def answer(self) -> Answer:
        """Return the answer that serves it."""
        age = [] if self.max_age is None else [("Cache-Control", f"max-age={self.max_age}")]
        return Answer(body=self.text.encode(), headers=age)

    def forbids(self, url: str) -> bool:
        """Return whether it forbids a URL, according to the plain reader."""
        robots_txt = goodbot.RobotsTxt(self.text.encode())
        return not robots_txt.rules_for("ExampleBot").verdict(url).allowed


@dataclass
class World:
    """Two origins and their contents."""

    rules: dict[str, list[tuple[float, Rules]]]
    sheets: dict[str, Sheet]
    """The pages by URL."""
    default: int
    """The seconds between visits if no rule states them."""
    workers: int
    clock: FakeClock = field(default_factory=FakeClock)
    fetched: dict[str, int] = field(default_factory=dict)

    def at(self, origin: str, seconds: float) -> Rules:
        """Return the robots.txt in force at a time."""
        return [rules for since, rules in self.rules[origin] if since <= seconds][-1]

    def site(self) -> WatchedSite:
        """Build the sites."""
        self.clock, self.fetched = FakeClock(), {}
        pages = dict.fromkeys(self.sheets, self._page)
        return WatchedSite({**pages, **self._robots()}, clock=self.clock)

    def _robots(self) -> dict[str, Any]:
        def answer(visit: FakeVisit) -> Answer:
            origin = visit.url.removesuffix("/robots.txt")
            return self.at(origin, visit.monotonic).answer()

        return {"/robots.txt": answer}

    def _page(self, visit: FakeVisit) -> Answer:
        sheet = self.sheets[visit.url]
        count = self.fetched[visit.url] = self.fetched.get(visit.url, 0) + 1
        if count <= sheet.failures:
            how = sheet.how_it_fails
            return Answer(status=how) if isinstance(how, int) else Answer(failure=how)
        return answer_of(visit.url, sheet)


def answer_of(url: str, sheet: Sheet) -> Answer:
    """Return the answer that serves a page."""
    if sheet.moved_to is not None:
        return Answer(status=302, headers=[("Location", sheet.moved_to)])
    said = ", ".join(sorted(sheet.directives))
    in_head = f'<meta name="robots" content="{said}">' if said and not sheet.by_header else ""
    headers = [("X-Robots-Tag", said)] if said and sheet.by_header else []
    words = iter(range(1000))
    body = " ".join(written(url, part, words) for part in sheet.parts)
    links = " ".join(
        f'<a href="{link.target}"{"" if link.is_open else " rel=nofollow"}>y</a>'
        for link in sheet.links
    )
    text = f"<!DOCTYPE html><html><head {PROFILE}>{in_head}<title>{word(url)}</title></head>"
    return Answer(body=f"{text}<body>{body} {links}".encode(), headers=headers)


def word(url: str, number: int | None = None) -> str:
    """Return a word that is unique to a page: one for the whole page, or one for a place in it."""
    at = f"{ORIGINS.index(url[: len(SITE)])}{PATHS.index(url[len(SITE) :])}"
    return f"page{at}x" if number is None else f"w{at}n{number}x"


def written(url: str, part: Part, words: Any) -> str:  # noqa: ANN401  an iterator of numbers
    """Return a part as HTML."""
    if not part.parts and not part.mark:
        return word(url, next(words))
    inner = " ".join(written(url, one, words) for one in part.parts)
    return f'<div class="{part.mark}">{inner}</div>' if part.mark else inner


def words_of(url: str, sheet: Sheet) -> dict[str, tuple[bool, bool]]:
    """Return each word of a page, and whether it may be indexed, and kept."""
    found: dict[str, tuple[bool, bool]] = {}
    words = iter(range(1000))

    def walk(part: Part, *, index: bool, keep: bool) -> None:
        if "index" in part.mark:
            index = part.mark == "robots-index"
        if "archive" in part.mark:
            keep = part.mark == "robots-archive"
        if not part.parts and not part.mark:
            found[word(url, next(words))] = (index, keep)
        for one in part.parts:
            walk(one, index=index, keep=keep)

    for part in sheet.parts:
        walk(part, index=True, keep=True)
    return found


@dataclass
class Expected:
    """The result that a crawl must have."""

    fetched: set[str]
    """The URLs of the pages that are requested."""
    forbidden: set[str]
    answered: set[str]
    """Those that return a page in the end."""


def expected(world: World, start: str) -> Expected:
    """Crawl breadth-first with rules that never change; nothing is too deep here."""
    come = Expected(set(), set(), set())
    waiting, seen = [start], {start}
    while waiting:
        url = waiting.pop(0)
        origin = url[: len(SITE)]
        if world.at(origin, 0).forbids(url):
            come.forbidden.add(url)
            continue
        come.fetched.add(url)
        sheet = world.sheets.get(url)
        if sheet is None or sheet.failures >= attempts(sheet):
            continue
        leads = [sheet.moved_to] if sheet.moved_to is not None else open_links(sheet)
        if sheet.moved_to is None:
            come.answered.add(url)
        for target in leads:
            address = target if target.startswith("http") else origin + target
            if address not in seen:
                seen.add(address)
                waiting.append(address)
    return come


def attempts(sheet: Sheet) -> int:
    """Return how often a failing page is requested: more often if the site is overloaded."""
    return 4 if sheet.how_it_fails == 503 else 3


def open_links(sheet: Sheet) -> list[str]:
    """Return the targets of the links that may be followed."""
    if sheet.directives & {"nofollow", "none"}:
        return []
    return [link.target for link in sheet.links if link.is_open]


# Random sites.

MARKS = ["", "robots-index", "robots-noindex", "robots-archive", "robots-noarchive"]
leaves = st.just(Part())
parts = st.recursive(
    leaves,
    lambda inner: st.builds(
        Part, st.sampled_from(MARKS), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=6,
)
targets = st.one_of(
    st.sampled_from(PATHS),
    st.sampled_from(PATHS),
    st.tuples(st.sampled_from(ORIGINS), st.sampled_from(PATHS)).map("".join),
)
directives = st.one_of(
    st.just(frozenset[str]()),
    st.just(frozenset[str]()),
    st.frozensets(
        st.sampled_from(["noindex", "nofollow", "noarchive", "none", "nosnippet"]), max_size=2
    ),
)
sheets = st.builds(
    Sheet,
    parts=st.lists(parts, max_size=3).map(tuple),
    links=st.lists(st.builds(Link, targets, st.sampled_from([True, True, False])), max_size=6).map(
        tuple
    ),
    directives=directives,
    by_header=st.booleans(),
    moved_to=st.one_of(st.none(), st.none(), st.none(), targets),
    failures=st.sampled_from([0, 0, 0, 0, 1, 2, 9]),
    how_it_fails=st.sampled_from([503, 500, "timeout", "reset"]),
)
rules = st.builds(
    Rules,
    forbidden=st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    delay=st.none() | st.sampled_from([0, 1, 30, 400]),
    hours=st.none() | st.none() | st.sampled_from([(0, 1), (6, 8), (22, 3)]),
    max_age=st.none() | st.sampled_from([0, 400, 5000]),
)


@st.composite
def worlds(draw: st.DrawFn, *, changes: bool) -> World:
    """Draw a world; its rules may change during the crawl."""
    known: dict[str, list[tuple[float, Rules]]] = {}
    for origin in ORIGINS:
        times = draw(st.lists(st.integers(1, 9_000), max_size=2)) if changes else []
        later = [(float(at), draw(rules)) for at in sorted(times)]
        known[origin] = [(0.0, draw(rules)), *later]
    urls = [origin + path for origin in ORIGINS for path in PATHS]
    drawn = {url: draw(st.one_of(sheets, sheets, sheets, st.none())) for url in urls}
    # A crawl that ends at its first page would test little.
    links = tuple(Link(target) for target in draw(st.lists(targets, min_size=4, max_size=7)))
    home = Sheet(
        (), links, frozenset(), by_header=False, moved_to=None, failures=0, how_it_fails=503
    )
    drawn[SITE + ROOT] = home
    pages = {url: sheet for url, sheet in drawn.items() if sheet is not None}
    return World(
        known, pages, default=draw(st.sampled_from([0, 10])), workers=draw(st.integers(1, 4))
    )


def time_of(seconds: float) -> dt.datetime:
    """Return the time this many seconds after the start."""
    return START + dt.timedelta(seconds=seconds)
