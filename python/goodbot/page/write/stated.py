"""The wish that a document states: by header, META, processing instruction and Profile."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goodbot._core import HtmlDocument, parse_html, parse_xml
from goodbot.errors import WrongValueError
from goodbot.http.fields import field_lines
from goodbot.page.directives import DIRECTIVES, entries
from goodbot.page.document import Page
from goodbot.page.encoding import text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.header import x_robots_tag
from goodbot.page.inputs import checked_bytes, is_xml
from goodbot.page.pi import read_robots_pi
from goodbot.page.profile import names_in
from goodbot.page.readers.arguments import HTML_TYPES
from goodbot.page.readers.spoken import DESCRIPTIVE
from goodbot.page.write.codes import Loss
from goodbot.page.write.wish import Wish, Wished, wished

__all__ = ["Stated", "wish_of"]

CLASS_DIRECTIVES = {
    "index": ("index",),
    "noindex": ("noindex",),
    "follow": ("follow",),
    "nofollow": ("nofollow",),
    "archive": ("archive",),
    "noarchive": ("noarchive", "nosnippet"),
}
"""The directives that classes of the Profile on the whole document come to."""


WHOLE = frozenset({"html", "body"})
"""The elements that hold the whole document."""

CLASS = re.compile(r"robot(s|\d{1,9})-(\w+)")


@dataclass(frozen=True, slots=True)
class Stated:
    """What a document states, to whichever robots."""

    wish: Wish
    losses: tuple[Loss, ...]
    """What is stated and is no wish: of parts of the document, or not understood."""


def wish_of(page: Page, body: Any, *, headers: Any = ()) -> Stated:  # noqa: ANN401  as Page takes them
    """Read the wish that a document states as a whole, to all robots and to single ones.

    Args:
        page: The document, read by any robot.
        body: Its content again: `bytes`, any buffer, or a `str`.
        headers: The fields of its HTTP header, as `Page` takes them.

    Returns:
        The wish, and what is no wish of the whole document: marks on parts, what is not understood.

    Raises:
        WrongTypeError: `body` has no bytes.

    >>> body = '<meta name=robots content="noindex"><p>a <b data-nosnippet>c</b>'
    >>> stated = wish_of(Page("https://example.com/", body), body)
    >>> str(stated.wish), [loss.code for loss in stated.losses]
    ('noindex', ['of-a-part'])

    """
    gathered = Gathered([], [])
    for name, value in field_lines(headers):
        if name == "x-robots-tag":
            gathered.take(x_robots_tag(value), 0)
    document = parsed(page, checked_bytes(body, "body"))
    if document is not None:
        gathered.of_document(document, page)
    return Stated(Wish(tuple(dict.fromkeys(gathered.stated))), tuple(gathered.losses))


def parsed(page: Page, octets: bytes) -> HtmlDocument | None:
    """Parse a document by its type; `None` if it is neither HTML nor XML."""
    if page.content_type in HTML_TYPES:
        return parse_html(octets, page.encoding, [])
    if is_xml(page.content_type):
        return parse_xml(text_of_xml(octets, page.encoding, Findings())[0], [])
    return None


@dataclass(slots=True)
class Gathered:
    """What was read so far."""

    stated: list[Wished]
    losses: list[Loss]

    def take(self, found: Iterable[tuple[str | None, str, str]], line: int) -> None:
        """Take up directives as they are written."""
        for one in found:
            self.take_one(one, line)

    def take_one(self, found: tuple[str | None, str, str], line: int) -> None:
        """Take up one directive."""
        try:
            self.stated.append(wished(*found))
        except WrongValueError as error:
            self.losses.append(Loss("not-a-wish", str(error), line))

    def of_document(self, document: HtmlDocument, page: Page) -> None:
        """Take up what a document says."""
        facts = document.facts
        legal = (read_robots_pi(data, lenient=True) for data, *_ in facts.instructions)
        for index, follow in [one for one in legal if one is not None][:1]:
            names = ("index" if index else "noindex", "follow" if follow else "nofollow")
            self.take([(None, name, "") for name in names], 0)
        for name, content, is_pragma, _in_head, line in facts.metas:
            self.meta(name.lower(), content, line, is_pragma=is_pragma)
        self.of_parts(document, page, names_in(facts.metas).by_number)

    def meta(self, name: str, content: str, line: int, *, is_pragma: bool) -> None:
        """Take up a META element; any name may be that of a robot."""
        if is_pragma:
            self.take(x_robots_tag(content) if name == "x-robots-tag" else (), line)
            return
        found = list(entries(content, spaces=False))
        if name == "robots":
            self.take(((None, *one) for one in found), line)
        elif name not in DESCRIPTIVE and found and all(one in DIRECTIVES for one, _ in found):
            self.take(((name, *one) for one in found), line)

    def of_parts(
        self, document: HtmlDocument, page: Page, names: Mapping[str, Sequence[str]]
    ) -> None:
        """Take up marks: those of HTML and BODY speak of the whole document, others of parts."""
        idle = any(one.code == "classes-without-profile" for one in page.findings)
        for element, classes, nosnippet, line in document.marked():
            for name in classes:
                self.of_class(name, line, names, is_whole=element in WHOLE and not idle)
            if nosnippet:
                message = f"data-nosnippet on <{element}>, line {line}, is a mark on a part"
                self.losses.append(Loss("of-a-part", message, line))

    def of_class(
        self, name: str, line: int, names: Mapping[str, Sequence[str]], *, is_whole: bool
    ) -> None:
        """Take up a class of the Profile."""
        found = CLASS.fullmatch(name)
        directives = CLASS_DIRECTIVES.get(found[2]) if found is not None else None
        if found is None or directives is None or not is_whole:
            message = f"the class {name[:60]} in line {line} is a mark on a part, or has no effect"
            self.losses.append(Loss("of-a-part", message, line))
            return
        robots = [None] if found[1] == "s" else [*names.get(found[1], ())]
        if not robots:
            message = f"nobody declares the robot of the class {name}, line {line}"
            self.losses.append(Loss("not-a-wish", message, line))
        for robot in robots:
            addressed = None if robot is None else robot.strip().lower()
            self.take(((addressed, one, "") for one in directives), line)
