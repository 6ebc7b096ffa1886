"""Page dialects: records of the choices on which the documents about META elements differ."""

import dataclasses
from typing import Literal

from goodbot.display import short_repr
from goodbot.errors import DialectChoiceError, UnknownDialectError, WrongTypeError
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["PAGE_DIALECTS", "PageDialect", "page_dialect"]


@dataclass(frozen=True, slots=True, repr=False)
class PageDialect:
    """How a document's directives are read: a record of named choices.

    >>> page_dialect("yandex").conflicts
    'permissive'
    >>> page_dialect("google").replace(name="mine", placement="head").placement
    'head'
    """

    name: str
    """The name of the dialect."""
    title: str
    """A description in one line."""
    placement: Literal["head", "anywhere"]
    """Where META elements count."""
    separators: Literal["comma", "comma-or-space"]
    """The separators between directives in a META element."""
    conflicts: Literal["restrictive", "permissive"]
    """Which directive holds when two contradict each other."""
    noindex_forbids: tuple[str, ...]
    """The acts that `noindex` and `none` forbid in addition to `index`."""
    own_names: bool
    """Whether META elements with the robot's own name count in addition to `robots`."""
    ignored_names: tuple[tuple[str, tuple[str, ...]], ...]
    """Pairs of a beginning of META names that are ignored, and the names among them that count."""
    other_names: tuple[tuple[str, str, tuple[str, ...]], ...]
    """META names with a special use: the name, the robot that obeys it, its directives."""
    nosnippet_elements: tuple[str, ...]
    """The elements on which `data-nosnippet` counts; all of them if this is empty."""
    ignore_instead: tuple[str, ...]
    """The beginnings of the names of robots that are not known to obey META URL and INDEXINSTEAD,
    by which an author wants another URL indexed; all other robots obey them."""
    aliases: tuple[tuple[str, str], ...]
    """Pairs of the beginning of a robot's name and another name that it answers to."""
    remarks: tuple[tuple[str, str], ...]
    """Pairs of a directive and what it means here besides its acts; that decides no use."""
    sources: tuple[tuple[str, str], ...]
    """Pairs of a statement and the document that makes it."""

    __repr__ = short_repr

    def __hash__(self) -> int:
        """Return a hash of the name: a dialect is a key of caches that each page asks."""
        return hash(self.name)

    def replace(self, **choices: object) -> "PageDialect":
        """Return a copy of this dialect with some choices changed.

        Raises:
            DialectChoiceError: There is no such choice.

        """
        known = {one.name for one in dataclasses.fields(self)}
        for name in choices:
            if name not in known:
                has = ", ".join(sorted(known))
                message = f"a page dialect has no choice {shortened(name, 60)!r}; it has {has}"
                raise DialectChoiceError(message)
        choices = {name: frozen(choice) for name, choice in choices.items()}
        return dataclasses.replace(self, **choices)  # type: ignore[arg-type]


def frozen(choice: object) -> object:
    """Return a list as a tuple, so that dialects are hashable."""
    if isinstance(choice, list | tuple):
        return tuple(map(frozen, choice))
    return choice


ALIASES = (
    ("googlebot-", "googlebot"),
    ("yandex", "yandex"),
    ("bingbot", "msnbot"),
)
"""Robots whose names begin so answer to that name, too: Googlebot-News to `googlebot`."""

GOOGLE_IGNORES = (("googlebot-", ("googlebot-news",)),)

GOOGLE_NAMES = (
    "googlebot", "google-", "googleother", "adsbot-google", "mediapartners-google", "apis-google",
    "storebot-google", "feedfetcher-google",
)  # fmt: skip
"""The beginnings of the names of Google's robots."""

PAGE_DIALECTS: dict[str, PageDialect] = {
    one.name: one
    for one in (
        PageDialect(
            name="google",
            title="Google, robots meta tag: the default",
            placement="anywhere",
            separators="comma",
            conflicts="restrictive",
            noindex_forbids=(),
            own_names=True,
            ignored_names=GOOGLE_IGNORES,
            other_names=(("google", "googlebot", ("notranslate", "nopagereadaloud")),),
            nosnippet_elements=("span", "div", "section"),
            ignore_instead=(
                "googlebot",
                "google-",
                "googleother",
                "adsbot-google",
                "mediapartners-google",
                "apis-google",
                "storebot-google",
                "feedfetcher-google",
            ),
            aliases=ALIASES,
            remarks=(),
            sources=(
                (
                    "of names that begin with googlebot-, only googlebot-news counts",
                    "Google, robots meta tag",
                ),
                ("META google: notranslate, nopagereadaloud", "Google, special tags"),
                ("META elements count in the body too", "Google, robots meta tag"),
                (
                    "the more restrictive rule applies; robots and the robot's own name add up",
                    "the same",
                ),
                ("data-nosnippet on span, div, section", "the same"),
                ("neither META URL nor INDEXINSTEAD is mentioned", "Google, special tags"),
            ),
        ),
        PageDialect(
            name="meta1996",
            title="The Robots META tag of 1996, as described by the workshop and the HTTP book",
            placement="head",
            separators="comma",
            # The book calls this undefined: the careful choice, with a finding.
            conflicts="restrictive",
            # A store of copies is a database. Newer dialects have NOARCHIVE for copies.
            noindex_forbids=("archive",),
            own_names=False,
            ignored_names=(),
            other_names=(),
            nosnippet_elements=("span", "div", "section"),
            ignore_instead=(),
            aliases=(),
            remarks=(),
            sources=(
                ("META elements must appear in the HEAD", "HTTP book, chapter 9"),
                ("there is no syntax for single robots", "Spidering BOF report, May 1996"),
                ("contradictions are undefined", "HTTP book, chapter 9"),
                (
                    "noindex keeps a page out of databases, so no copy is kept; none does the same",
                    "HTTP book, chapter 9, NOINDEX and NONE; for NONE this is the careful choice",
                ),
            ),
        ),
        PageDialect(
            name="bing",
            title="Bing, as its webmaster pages are quoted",
            placement="anywhere",
            separators="comma-or-space",
            conflicts="restrictive",
            noindex_forbids=(),
            own_names=True,
            ignored_names=(),
            other_names=(),
            nosnippet_elements=(),
            ignore_instead=("bingbot", "bingpreview", "msnbot", "adidxbot"),
            aliases=ALIASES,
            # NOCACHE means less than the whole page, so that it decides no use.
            remarks=(
                ("nocache", "Bing uses only its URL, title and snippet, in chat and in training"),
            ),
            sources=(
                ("lists separated by spaces", "notes of 2007 on Microsoft's robot (secondary)"),
                ("data-nosnippet on any element", "Bing, 15 October 2025 (secondary)"),
                (
                    "with NOCACHE only URL, title and snippet are used in chat and training",
                    "Bing, Announcing new options for webmasters, 22 September 2023",
                ),
            ),
        ),
        PageDialect(
            name="yandex",
            title="Yandex, Robots meta tag and X-Robots-Tag",
            placement="anywhere",
            separators="comma",
            conflicts="permissive",
            noindex_forbids=(),
            own_names=True,
            ignored_names=(),
            other_names=(),
            nosnippet_elements=("span", "div", "section"),
            ignore_instead=("yandex",),
            aliases=ALIASES,
            remarks=(),
            sources=(
                (
                    "allow directives have priority over prohibiting directives",
                    "Yandex, Robots meta tag and X-Robots-Tag",
                ),
            ),
        ),
    )
}
"""Every page dialect, the default first."""


def page_dialect(name: object) -> PageDialect:
    """Return the page dialect of a name.

    Args:
        name: The name, or a `PageDialect`, which is returned as it is.

    Raises:
        UnknownDialectError: There is no page dialect of this name.
        WrongTypeError: `name` is neither a `str` nor a `PageDialect`.

    >>> page_dialect("google").conflicts
    'restrictive'

    """
    if isinstance(name, PageDialect):
        return name
    if not isinstance(name, str):
        given = type(name).__name__
        message = f"dialect must be the name of a page dialect or a PageDialect, not {given}"
        raise WrongTypeError(message)
    if name not in PAGE_DIALECTS:
        given, known = shortened(name, 60), ", ".join(PAGE_DIALECTS)
        message = f"there is no page dialect {given!r}; choose from {known}"
        raise UnknownDialectError(message)
    return PAGE_DIALECTS[name]
