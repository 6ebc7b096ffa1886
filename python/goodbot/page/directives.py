"""Directives: one table of what META elements and header fields can say, and a parser of lists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from goodbot.display import short_repr
from goodbot.page.dates import DAY_NAMES, parse_date
from goodbot.page.verdict import Value

__all__ = ["DIRECTIVES", "IMAGE_SIZES", "VALUED", "Directive", "entries", "value_of"]

ValueKind = Literal["flag", "number", "choice", "date"]


@dataclass(frozen=True, slots=True)
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


def row(  # noqa: PLR0913, PLR0917  the columns of the table
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
"""Up to here the entries of a list are read one by one; after it, only known directives are."""
NAME = f"(?:{'|'.join(sorted(DIRECTIVES, key=len, reverse=True))})"
DATE = r"[^,]*(?:,\s*\d[^,]*)?"
KNOWN_BETWEEN_COMMAS = re.compile(rf"(?:(?<=,)|\A)\s*{NAME}\s*(?:(?=,)|\Z|:{DATE})", re.IGNORECASE)
KNOWN_BETWEEN_SPACES = re.compile(
    rf"(?<![^,\s])(?:unavailable_after:{DATE}|{NAME}(?:(?=[,\s])|\Z|:\s*[^,\s]*))", re.IGNORECASE
)


def entries(text: str, *, spaces: bool) -> Iterator[tuple[str, str]]:
    """Split a list of directives.

    Args:
        text: The list. A date may have a comma after the name of the day.
        spaces: Whether white space separates entries, too.

    Yields:
        The name, in lower case, and the value of each entry; the value is empty if there is none.

    >>> list(entries("NoIndex , unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT,x", spaces=False))
    [('noindex', ''), ('unavailable_after', 'Wed, 03 Dec 2025 13:09:53 GMT'), ('x', '')]

    """
    # One piece at a time: a list of all pieces would take thirty times the memory of the text.
    pieces = Pieces(without_unknown_tail(text, spaces=spaces))
    while (piece := pieces.take()) is not None:
        piece = piece.strip()
        name, colon, value = piece.partition(":")
        name = name.strip().lower()
        if colon and name in VALUED:
            if name == "unavailable_after" and (rest := pieces.take()) is not None:
                if is_half(value, rest):
                    value = f"{value},{rest}"
                else:
                    pieces.put_back(rest)
            if spaces and name != "unavailable_after":
                value, *more = value.split(maxsplit=1) or [""]
                if more:
                    pieces.put_back(more[0])
            yield name, value.strip()
        elif spaces:
            yield from divided(piece)
        elif piece:
            yield piece.lower(), ""


def without_unknown_tail(text: str, *, spaces: bool) -> str:
    """Return a list without the unknown entries after its first 65,536 characters.

    A page of nothing but commas would take a second for each megabyte. Unknown entries have no
    effect; all that is lost is one more finding for each.
    """
    border = re.compile(r"[,\s]" if spaces else ",").search(text, MOST_CHARACTERS)
    if border is None:
        return text
    known = (KNOWN_BETWEEN_SPACES if spaces else KNOWN_BETWEEN_COMMAS).finditer(
        text[border.end() :]
    )
    return ",".join([text[: border.start()], *(one[0] for one in known)])


class Pieces:
    """The pieces of a text between commas, read one at a time; a piece can be put back."""

    def __init__(self, text: str) -> None:
        """Start at the first piece."""
        self._found = re.finditer("[^,]*,?", text)
        self._length = len(text)
        self._back: list[str] = []

    def take(self) -> str | None:
        """Return the next piece; `None` after the last one."""
        if self._back:
            return self._back.pop()
        found = next(self._found, None)
        if found is None or found.start() == self._length:
            return None
        return found[0].removesuffix(",")

    def put_back(self, piece: str) -> None:
        """Put a piece back, to be returned next."""
        self._back.append(piece)


def is_half(value: str, rest: str) -> bool:
    """Return whether the comma is the one after the name of a day: `Wed, 03 Dec 2025`."""
    words = value.split()
    return bool(words) and words[-1].lower() in DAY_NAMES and rest.strip()[:1].isdigit()


def divided(piece: str) -> Iterator[tuple[str, str]]:
    """Split a list at white space; a value may follow its colon directly or after a space."""
    words = re.finditer(r"\S+", piece)
    for word in words:
        name, colon, value = word[0].partition(":")
        if not colon or name.lower() not in VALUED:
            yield word[0].lower(), ""
            continue
        if name.lower() == "unavailable_after":
            yield name.lower(), piece[word.start() + len(name) + 1 :].strip()
            return
        if not value and (following := next(words, None)) is not None:
            value = following[0]
        yield name.lower(), value


def value_of(row: Directive, text: str) -> Value:
    """Parse the value of a directive; return `None` if it has none or it is malformed.

    >>> value_of(DIRECTIVES["max-snippet"], "50"), value_of(DIRECTIVES["max-snippet"], "abc")
    (50, None)
    """
    if row.kind == "number":
        return int(text) if re.fullmatch(r"-1|\d{1,9}", text) else None
    if row.kind == "choice":
        return text.lower() if text.lower() in IMAGE_SIZES else None
    if row.kind == "date":
        return parse_date(text)
    return None
