"""Directives: one table of what META elements and header fields may say, and how lists of them read."""

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
    """Its name, in lower case."""
    kind: ValueKind
    """Whether it has a value, and of what kind."""
    forbids: tuple[str, ...]
    """The acts that it forbids."""
    allows: tuple[str, ...]
    """The acts that it says are allowed."""
    meaning: str
    """What it means."""
    source: str
    """The document that has it."""

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
    """Write a row."""
    return Directive(name, kind, tuple(forbids.split()), tuple(allows.split()), meaning, source)


DIRECTIVES: dict[str, Directive] = {
    one.name: one
    for one in (
        row("all", "", "index follow", "Everything is allowed: index and follow.", BOF),
        row("none", "index follow", "", "Neither index nor follow; it does not include noarchive.", BOF),
        row("index", "", "index", "The document may be indexed.", BOF),
        row("noindex", "index", "", "The document is not to be indexed.", BOF),
        row("follow", "", "follow", "Its links may be followed.", BOF),
        row("nofollow", "follow", "", "Its links are not to be followed.", BOF),
        row("archive", "", "archive", "A copy may be kept and shown.", YANDEX),
        row("noarchive", "archive", "", "No copy is to be kept or shown.", "HTTP book; Google, 1997 on"),
        row("nocache", "archive", "", "As noarchive.", BING),
        row("nosnippet", "snippet", "", "Nothing of it is to be quoted.", GOOGLE),
        row("max-snippet", "", "", "At most so many characters are to be quoted; 0: none, -1: any number.", GOOGLE, "number"),
        row("max-image-preview", "", "", "How large a preview of its images may be: none, standard, large.", GOOGLE, "choice"),
        row("max-video-preview", "", "", "At most so many seconds of its videos are to be shown; 0: a still image, -1: any number.", GOOGLE, "number"),
        row("notranslate", "translate", "", "No translation is to be offered.", GOOGLE),
        row("noimageindex", "image_index", "", "Its images are not to be indexed.", GOOGLE),
        row("indexifembedded", "", "", "It may be indexed as part of a page that embeds it, in spite of noindex.", GOOGLE),
        row("unavailable_after", "", "", "From this date on it is not to be shown.", GOOGLE, "date"),
        row("noai", "train train_images", "", "Neither it nor its images are to be used to train AI.", ART),
        row("noimageai", "train_images", "", "Its images are not to be used to train AI.", ART),
        row("noml", "train", "", "It is not to be used for machine learning; in the wild, in no document.", "in the wild"),
        row("noodp", "", "", "No text of the Open Directory is to be used; without effect, the directory is gone.", "Google and Bing, until 2017"),
        row("noydir", "", "", "No text of Yahoo's directory is to be used; without effect.", "Yahoo, until 2014"),
        row("noyaca", "", "", "No text of Yandex's catalogue is to be used; without effect.", YANDEX),
        row("nopagereadaloud", "", "", "It is not to be read aloud; without effect on what robots do.", "Google, special tags"),
        row("nositelinkssearchbox", "", "", "No search box; without effect since 2024.", GOOGLE),
    )
}  # fmt: skip
"""Every directive, by name."""

VALUED = frozenset(name for name, one in DIRECTIVES.items() if one.kind != "flag")
"""The names that have a colon and a value behind them, and so are never robots."""

MOST_CHARACTERS = 65_536
"""Entries of a list are read one by one up to here; behind it, only those that are directives."""
NAME = f"(?:{'|'.join(sorted(DIRECTIVES, key=len, reverse=True))})"
DATE = r"[^,]*(?:,\s*\d[^,]*)?"
KNOWN_BETWEEN_COMMAS = re.compile(rf"(?:(?<=,)|\A)\s*{NAME}\s*(?:(?=,)|\Z|:{DATE})", re.IGNORECASE)
KNOWN_BETWEEN_SPACES = re.compile(
    rf"(?<![^,\s])(?:unavailable_after:{DATE}|{NAME}(?:(?=[,\s])|\Z|:\s*[^,\s]*))", re.IGNORECASE
)


def entries(text: str, *, spaces: bool) -> Iterator[tuple[str, str]]:
    """Divide a list of directives.

    Args:
        text: The list. A date may hold a comma behind the name of a day.
        spaces: Whether white space divides too.

    Yields:
        Name in lower case and value of each; without a value the empty text.

    >>> list(entries("NoIndex , unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT,x", spaces=False))
    [('noindex', ''), ('unavailable_after', 'Wed, 03 Dec 2025 13:09:53 GMT'), ('x', '')]

    """
    # One piece at a time: a list of all would be thirty times as long as the text.
    pieces = Pieces(shortened(text, spaces=spaces))
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
                value, _, rest = value.strip().partition(" ")
                if rest:
                    pieces.put_back(rest)
            yield name, value.strip()
        elif spaces:
            yield from divided(piece)
        elif piece:
            yield piece.lower(), ""


def shortened(text: str, *, spaces: bool) -> str:
    """Return a list without the unknown entries behind its first 65,536 characters.

    A page of nothing but commas would cost a second for each megabyte. What is left out has no
    effect, and would only be one more finding.
    """
    border = re.compile(r"[,\s]" if spaces else ",").search(text, MOST_CHARACTERS)
    if border is None:
        return text
    known = (KNOWN_BETWEEN_SPACES if spaces else KNOWN_BETWEEN_COMMAS).finditer(
        text[border.end() :]
    )
    return ",".join([text[: border.start()], *(one[0] for one in known)])


class Pieces:
    """The pieces of a text between commas, one after the other; some can be put back."""

    def __init__(self, text: str) -> None:
        """Begin at the first."""
        self._found = re.finditer("[^,]*,?", text)
        self._length = len(text)
        self._back: list[str] = []

    def take(self) -> str | None:
        """Return the next piece; `None` behind the last."""
        if self._back:
            return self._back.pop()
        found = next(self._found, None)
        if found is None or found.start() == self._length:
            return None
        return found[0].removesuffix(",")

    def put_back(self, piece: str) -> None:
        """Have a piece be the next."""
        self._back.append(piece)


def is_half(value: str, rest: str) -> bool:
    """Whether a comma parts the day's name from the day: `Wed, 03 Dec 2025`."""
    words = value.split()
    return bool(words) and words[-1].lower() in DAY_NAMES and rest.strip()[:1].isdigit()


def divided(piece: str) -> Iterator[tuple[str, str]]:
    """Divide a list without commas at white space; a value may stand behind its colon or after it."""
    words = re.finditer(r"\S+", piece)
    for word in words:
        name, colon, value = word[0].partition(":")
        if not colon or name.lower() not in VALUED:
            yield word[0].lower(), ""
            continue
        if name.lower() == "unavailable_after":
            yield name.lower(), " ".join(f"{value} {piece[word.end() :]}".split())
            return
        if not value and (following := next(words, None)) is not None:
            value = following[0]
        yield name.lower(), value


def value_of(row: Directive, text: str) -> Value:
    """Read the value of a directive; `None` if it has none or it cannot be read.

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
