"""Directives: one table of what META elements and header fields can say, and a parser of lists."""

import re
from collections.abc import Iterator
from typing import Literal

from goodbot.display import short_repr
from goodbot.http.fields import SPACE
from goodbot.lazy_dataclass import dataclass
from goodbot.page.dates import DAY_NAMES, parse_date
from goodbot.page.verdict import Value

__all__ = ["DIRECTIVES", "IMAGE_SIZES", "VALUED", "Directive", "entries", "value_of"]

ValueKind = Literal["flag", "number", "choice", "date"]


@dataclass(frozen=True, slots=True, repr=False)
class Directive:
    """A row of the table."""

    name: str
    """The name, in lower case."""
    kind: ValueKind
    """The kind of its value; `flag` if it has none."""
    forbids: tuple[str, ...]
    """The acts that it forbids."""
    allows: tuple[str, ...]
    """The acts that it explicitly allows."""
    meaning: str
    """The meaning, in one sentence."""
    source: str
    """The document that defines it."""

    __repr__ = short_repr


BOF = "Spidering BOF report, Distributed Indexing/Searching Workshop, May 1996"
GOOGLE = "Google, robots meta tag"
BING = "Bing, webmaster pages (secondary)"
YANDEX = "Yandex, Robots meta tag and X-Robots-Tag"
ART = "DeviantArt, November 2022"
IMAGE_SIZES = ("none", "standard", "large")


def row(
    name: str,
    forbids: str,
    allows: str,
    meaning: str,
    source: str,
    kind: ValueKind = "flag",
) -> Directive:
    """Build a row."""
    return Directive(name, kind, tuple(forbids.split()), tuple(allows.split()), meaning, source)


DIRECTIVES: dict[str, Directive] = {
    one.name: one
    for one in (
        row("all", "", "index follow", "Robots may index the page and follow its links.", BOF),
        row("none", "index follow", "", "Robots must not index the page or follow its links; they may still keep a copy.", BOF),
        row("index", "", "index", "Robots may index the page.", BOF),
        row("noindex", "index", "", "Robots must not index the page.", BOF),
        row("follow", "", "follow", "Robots may follow the links on the page.", BOF),
        row("nofollow", "follow", "", "Robots must not follow the links on the page.", BOF),
        row("archive", "", "archive", "Robots may keep and show a copy of the page.", YANDEX),
        row("noarchive", "archive", "", "Robots must not keep or show a copy of the page.", "HTTP book; Google, 1997 on"),
        row("nocache", "archive", "", "Robots must not keep or show a copy of the page; the same as noarchive.", BING),
        row("nosnippet", "snippet", "", "Robots must not quote the page.", GOOGLE),
        row("max-snippet", "", "", "Robots must not quote more than this number of characters; 0 means none, -1 means no limit.", GOOGLE, "number"),
        row("max-image-preview", "", "", "The largest preview of the page's images that robots may show: none, standard or large.", GOOGLE, "choice"),
        row("max-video-preview", "", "", "Robots must not show more than this number of seconds of the page's videos; 0 means a still image, -1 means no limit.", GOOGLE, "number"),
        row("notranslate", "translate", "", "Robots must not offer a translation of the page.", GOOGLE),
        row("noimageindex", "image_index", "", "Robots must not index the images on the page.", GOOGLE),
        row("indexifembedded", "", "", "Robots may index the page as part of another page that embeds it, despite noindex.", GOOGLE),
        row("unavailable_after", "", "", "Robots must not show the page from this date on.", GOOGLE, "date"),
        row("noai", "train train_images", "", "Robots must not use the page or its images to train AI.", ART),
        row("noimageai", "train_images", "", "Robots must not use the page's images to train AI.", ART),
        row("noml", "train", "", "Robots must not use the page for machine learning; seen on pages, but no document defines it.", "in the wild"),
        row("noodp", "", "", "Robots must not describe the page by text from the Open Directory; no effect, because the directory is closed.", "Google and Bing, until 2017"),
        row("noydir", "", "", "Robots must not describe the page by text from Yahoo's directory; no effect, because the directory is closed.", "Yahoo, until 2014"),
        row("noyaca", "", "", "Robots must not describe the page by text from Yandex's catalogue; no effect, because the catalogue is closed.", YANDEX),
        row("nopagereadaloud", "", "", "Assistants must not read the page aloud; no effect on what robots do.", "Google, special tags"),
        row("nositelinkssearchbox", "", "", "Search results must not show a search box for the site; no effect since 2024.", GOOGLE),
    )
}  # fmt: skip
"""Every directive, by name."""

VALUED = frozenset(name for name, one in DIRECTIVES.items() if one.kind != "flag")
"""The directives that take a value after a colon; before a colon they are not names of robots."""

MOST_CHARACTERS = 65_536
"""Up to here the entries of a list are read one by one; after it, only known directives are. A page
of nothing but commas would take a second for each megabyte. Unknown entries have no effect; all
that is lost is one more finding for each."""

NAMES = "|".join(sorted(DIRECTIVES, key=len, reverse=True))
KNOWN_BETWEEN_COMMAS = re.compile(rf",\s*((?ai:{NAMES})(?=\s*(?:[,:]|\Z)))")
KNOWN_BETWEEN_SPACES = re.compile(rf"(?<![^,\s])((?ai:{NAMES})(?=[,:\s]|\Z))")
ANY = re.compile(r"([^,\s])")
VALUED_NAME = re.compile(rf"((?ai:{'|'.join(VALUED)}))\s*:")
PIECE = re.compile(r"[^,]*")
WORD = re.compile(r"\s*[^,\s]*")
DAY_OF_MONTH = re.compile(r",\s*\d[^,]*")


def entries(text: str, *, spaces: bool) -> Iterator[tuple[str, str]]:
    """Split a list of directives.

    Args:
        text: The list. A date may have a comma after the name of the day.
        spaces: Whether white space separates entries, too. Then a value may follow its colon
            directly or after a space.

    Yields:
        The name, in lower case, and the value of each entry; the value is empty if there is none.

    >>> list(entries("NoIndex , unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT,x", spaces=False))
    [('noindex', ''), ('unavailable_after', 'Wed, 03 Dec 2025 13:09:53 GMT'), ('x', '')]

    """
    # One entry at a time: a list of all entries would take thirty times the memory of the text.
    known = KNOWN_BETWEEN_SPACES if spaces else KNOWN_BETWEEN_COMMAS
    content = WORD if spaces else PIECE
    end = 0
    while found := (ANY if end <= MOST_CHARACTERS else known).search(text, end):
        start = found.start(1)
        if valued := VALUED_NAME.match(text, start):
            name = valued[1].lower()
            is_date = name == "unavailable_after"
            end = date_end(text, valued.end()) if is_date else end_of(content, text, valued.end())
            value = text[valued.end() : end]
            yield name, value.strip(SPACE if DIRECTIVES[name].kind == "number" else None)
        else:
            end = end_of(content, text, start)
            yield text[start:end].strip().lower(), ""


def end_of(content: re.Pattern[str], text: str, start: int) -> int:
    """Return where a piece of a list ends; the pattern matches nothing, too."""
    found = content.match(text, start)
    return found.end() if found else start


def date_end(text: str, start: int) -> int:
    """Return where a date ends: at a comma, but not at the one in `Wed, 03 Dec 2025`."""
    end = end_of(PIECE, text, start)
    words = text[start:end].rsplit(maxsplit=1)
    if words and words[-1].lower() in DAY_NAMES:
        return end_of(DAY_OF_MONTH, text, end)
    return end


def value_of(row: Directive, text: str) -> Value:
    """Parse the value of a directive; return `None` if it has none or it is malformed.

    >>> value_of(DIRECTIVES["max-snippet"], "50"), value_of(DIRECTIVES["max-snippet"], "abc")
    (50, None)
    """
    if row.kind == "number":
        return int(text) if re.fullmatch(r"-1|[0-9]{1,9}", text) else None
    if row.kind == "choice":
        return text.lower() if text.lower() in IMAGE_SIZES else None
    if row.kind == "date":
        return parse_date(text)
    return None
