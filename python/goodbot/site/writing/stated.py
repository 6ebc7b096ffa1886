"""Reading the wish of a document from its header, META, processing instruction and Profile."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from goodbot._core import HtmlDocument, HtmlFacts, parse_html, parse_xml
from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.http.fields import field_lines
from goodbot.lazy_dataclass import dataclass
from goodbot.page.combine import SPIDER_BY
from goodbot.page.directives import DIRECTIVES, entries
from goodbot.page.document import Page
from goodbot.page.encoding import text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.page.header import x_robots_tag
from goodbot.page.inputs import checked_bytes, is_xml
from goodbot.page.marks import MARKS, WATCHED, Mark
from goodbot.page.pi import Instructions
from goodbot.page.plan import Plan
from goodbot.page.profile import names_in
from goodbot.page.readers.arguments import HTML_TYPES
from goodbot.page.readers.instructions import is_about
from goodbot.page.readers.spoken import DESCRIPTIVE
from goodbot.page.statements import directive_alone
from goodbot.site.writing.codes import Loss
from goodbot.site.writing.wish import Wish, Wished, wished

__all__ = ["Stated", "wish_of"]

CLASS_DIRECTIVES = {
    "index": ("index",),
    "noindex": ("noindex",),
    "follow": ("follow",),
    "nofollow": ("nofollow",),
    "archive": ("archive",),
    "noarchive": ("noarchive", "nosnippet"),
}
"""The directives that correspond to classes of the Profile on the whole document."""


WHOLE = frozenset({"html", "body"})
"""The elements that contain the whole document."""

CLASS = re.compile(r"robot(s|\d{1,9})-(\w+)")
NUMBERED = re.compile(r"\Arobot\d{1,9}-")
LIKE_A_MARK = re.compile(r"robots?\d*[-_]", re.IGNORECASE)
"""How marks begin, even misspelt ones; `robotics` is an ordinary class."""

BY_NAME = {mark.name: mark for mark in MARKS}
OF_PARTS = frozenset(mark.name for mark in MARKS if mark.form == "class")
"""Classes that mark a part on any element, even on HTML and BODY."""
SHOWN = {"comments": "<!--{}-->", "element": "<{}>", "relation": "rel={}"}
"""The marks that are neither attributes nor classes of an element, as a message shows them."""


@dataclass(frozen=True, slots=True, repr=False)
class Stated:
    """The wish that a document states, for all robots and for single ones."""

    wish: Wish
    """The wish for the whole document."""
    losses: tuple[Loss, ...]
    """What the wish leaves out: marks on parts, and directives that are not understood."""

    __repr__ = short_repr


def wish_of(page: Page, body: Any, *, headers: Any = ()) -> Stated:  # noqa: ANN401  as Page takes them
    """Return the wish that a document states as a whole, for all robots and for single ones.

    Args:
        page: The document, read by any robot.
        body: Its content again: `bytes`, any buffer, or a `str`.
        headers: Its HTTP header fields, as for `Page`.

    Returns:
        The wish, and what it leaves out: marks on parts, and directives that are not understood.

    Raises:
        WrongTypeError: `body` is neither a `str` nor a buffer.

    >>> body = '<meta name=robots content="noindex"><p>a <b data-nosnippet>c</b>'
    >>> stated = wish_of(Page("https://example.com/", body), body)
    >>> str(stated.wish), [loss.code for loss in stated.losses]
    ('noindex', ['of-a-part'])

    """
    gathered = Gathered([], [])
    for name, value in field_lines(headers):
        if name == "x-robots-tag":
            gathered.add(x_robots_tag(value), 0)
    document = parsed(page, checked_bytes(body, "body"))
    if document is not None:
        gathered.of_document(document, page)
    if page.index.reason == "index-instead":
        what = "it names another page to be indexed in its place, which no other form can express"
        gathered.losses.append(Loss("not-sayable", f"{page.index.source}: {what}"))
    return Stated(Wish(tuple(dict.fromkeys(gathered.stated))), tuple(gathered.losses))


def parsed(page: Page, content: bytes) -> HtmlDocument | None:
    """Parse a document by its type; `None` if it is neither HTML nor XML."""
    if page.content_type in HTML_TYPES:
        return parse_html(content, page.encoding, WATCHED)
    if is_xml(page.content_type):
        return parse_xml(text_of_xml(content, page.encoding, Findings())[0], WATCHED)
    return None


@dataclass(slots=True)
class Gathered:
    """The directives and losses that were read so far."""

    stated: list[Wished]
    losses: list[Loss]
    is_decided: bool = False
    """Whether a robots processing instruction says whether to index and to follow."""

    def add(self, found: Iterable[tuple[str | None, str, str]], line: int) -> None:
        """Add directives as they are written."""
        for one in found:
            self.add_one(one, line)

    def add_one(self, found: tuple[str | None, str, str], line: int) -> None:
        """Add one directive."""
        try:
            self.stated.append(wished(*found))
        except WrongValueError as error:
            self.losses.append(Loss("not-a-wish", str(error), line))

    def of_document(self, document: HtmlDocument, page: Page) -> None:
        """Add the directives of a document."""
        facts = document.facts
        if page.content_type in HTML_TYPES:
            self.instruction_in_html(page)
        else:
            self.instructions(facts)
        for name, content, is_pragma, _in_head, line in facts.metas:
            self.meta(name.lower(), content, line, is_pragma=is_pragma)
        self.of_parts(document, page, names_in(facts.metas).by_number)

    def instruction_in_html(self, page: Page) -> None:
        """Report a processing instruction in HTML, unless META says the same."""
        for one in page.findings:
            if one.code in {"pi-in-html", "pi-contradicts-meta"}:
                shown = "the robots PI has no effect in HTML, so it is not converted"
                self.losses.append(Loss("without-effect", shown, one.line or 0))

    def instructions(self, facts: HtmlFacts) -> None:
        """Add the directives of the processing instruction of XML, and report illegal ones."""
        read = Instructions("", Findings())
        for data, line, *_ in facts.instructions:
            if read.add(data, line):
                index, follow = read.stated or (True, True)
                names = ("index" if index else "noindex", "follow" if follow else "nofollow")
                self.add([(None, name, "") for name in names], line)
                self.is_decided = True
        for one in read.findings.list:
            if one.code == "illegal-robots-pi":
                self.losses.append(Loss("not-a-wish", one.message, one.line or 0))

    def meta(self, name: str, content: str, line: int, *, is_pragma: bool) -> None:
        """Add the directives of a META element; any name may be that of a robot."""
        if is_pragma:
            self.add(x_robots_tag(content) if name == "x-robots-tag" else (), line)
            return
        found = list(entries(content, spaces=False))
        if (alone := directive_alone(name, content)) is not None:
            self.add([(None, alone, "")], line)
        elif name == SPIDER_BY:
            return  # ALL is the default, and nothing else has a meaning
        elif name == "robots":
            # In XML the instruction decides on what it speaks of.
            heeded = (one for one in found if not (self.is_decided and is_about(one[0])))
            self.add(((None, *one) for one in heeded), line)
        elif name not in DESCRIPTIVE and found and all(one in DIRECTIVES for one, _ in found):
            self.add(((name, *one) for one in found), line)

    def of_parts(
        self, document: HtmlDocument, page: Page, names: Mapping[str, Sequence[str]]
    ) -> None:
        """Add the marks: those of HTML and BODY speak of the whole document, others of parts."""
        idle = any(one.code == "classes-without-profile" for one in page.findings)
        for element, classes, nosnippet, line in document.marked():
            for name in filter(LIKE_A_MARK.match, classes):
                if element in WHOLE and not idle and name not in OF_PARTS:
                    self.of_class(name, line, names)
                else:
                    why = why_not_whole(name, idle=idle)
                    self.lose_part(f"the class {name[:60]} on <{element}>", why, line)
            if nosnippet:
                why = of_a_part(BY_NAME["data-nosnippet"])
                self.lose_part(f"data-nosnippet on <{element}>", why, line)
        for mark, line in regions_and_relations(document, page):
            shown = SHOWN[mark.form].format(mark.written[0])
            self.lose_part(shown, of_a_part(mark), line)

    def lose_part(self, shown: str, why: str, line: int) -> None:
        """Report a mark that is not converted."""
        message = f"line {line}: {shown} is not converted: {why}"
        self.losses.append(Loss("of-a-part", message, line))

    def of_class(self, name: str, line: int, names: Mapping[str, Sequence[str]]) -> None:
        """Add a class of the Profile on HTML or BODY."""
        found = CLASS.fullmatch(name)
        directives = CLASS_DIRECTIVES.get(found[2]) if found is not None else None
        if found is None or directives is None:
            shown = f"the class {name[:60]} on HTML or BODY"
            self.lose_part(shown, "no directive for a whole page corresponds to it.", line)
            return
        robots = [None] if found[1] == "s" else [*names.get(found[1], ())]
        if not robots:
            message = f"line {line}: the page does not say which robot the class {name[:60]} means"
            self.losses.append(Loss("not-a-wish", message, line))
        for robot in robots:
            addressed = None if robot is None else robot.strip().lower()
            self.add(((addressed, one, "") for one in directives), line)


def of_a_part(mark: Mark) -> str:
    """Return why a mark cannot be converted, and what it means."""
    return f"it marks a part of the page. Its meaning: {mark.meaning}"


def why_not_whole(name: str, *, idle: bool) -> str:
    """Return why a class is not converted."""
    mark = BY_NAME.get(NUMBERED.sub("robots-", name))
    if mark is None:
        return "no such class is known."
    if idle and mark.form == "profile class":
        return "it has no effect, because the HEAD does not name the Robot Exclusion Profile."
    return of_a_part(mark)


def regions_and_relations(document: HtmlDocument, page: Page) -> Iterator[tuple[Mark, int]]:
    """Yield comments, NOINDEX elements and link relations that are marks, each with its line.

    The document is scanned once for each kind of mark: a mark within another that forbids the
    same has no effect of its own, but it must be reported, too.
    """
    for mark in MARKS:
        if mark.form not in SHOWN:
            continue
        plan = Plan(page.dialect, frozenset({mark.name}))
        plan.add_table()
        plan.add_regions(document.facts)
        if plan.regions or plan.relations:
            for _row, _allows, line in document.scan(plan.as_dict(page.url)).causes:
                yield mark, line
