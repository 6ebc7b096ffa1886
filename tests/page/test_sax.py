"""RobotsHandler: the robots processing instruction in a handler of xml.sax.

Source: A Robots Processing Instruction for XML Documents (1999), Sample Implementation.
"""

import xml.sax
from collections.abc import Callable
from io import BytesIO, StringIO
from itertools import product
from xml.sax.saxutils import XMLFilterBase, XMLGenerator

import lxml.etree
import lxml.sax
import pytest

from goodbot.errors import MisuseError
from goodbot.page.sax import RobotsFilter, RobotsHandler

FORMS = [
    (f'<?robots index="{index}" follow="{follow}"?>', index == "yes", follow == "yes")
    for index, follow in product(("yes", "no"), repeat=2)
]


class Recording(xml.sax.ContentHandler):
    """A handler that records every instruction."""

    def startDocument(self) -> None:  # noqa: N802  as SAX has it
        """Start an empty list."""
        self.seen: list[str] = []

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802  as SAX has it
        """Record the instruction."""
        self.seen.append(f"{target} {data}")


class Handler(RobotsHandler, Recording):
    """What the sample calls a class that extends the base."""


def read(document: str, handler: Handler | None = None) -> Handler:
    """Parse a document with a handler."""
    at_work = handler or Handler()
    xml.sax.parseString(document.encode(), at_work)  # noqa: S317  our own text
    return at_work


@pytest.mark.parametrize(("form", "index", "follow"), FORMS, ids=str)
def test_the_four_forms_set_both_flags(form: str, index: bool, follow: bool) -> None:  # noqa: FBT001
    """Each legal form sets the flags for index and follow."""
    handler = read(f"{form}<d>a</d>")
    assert (handler.should_index(), handler.should_follow()) == (index, follow)
    assert handler.robots_errors == []


def test_without_an_instruction_both_are_allowed() -> None:
    """A document without the instruction may be indexed, and its links followed."""
    handler = read("<d>a</d>")
    assert (handler.should_index(), handler.should_follow()) == (True, True)


def test_the_first_legal_form_counts() -> None:
    """An illegal instruction before the legal one, or another one after it, changes nothing."""
    handler = read(
        '<?robots index="none"?><?robots index="no" follow="yes"?>'
        '<?robots index="yes" follow="no"?><d/>'
    )
    assert (handler.should_index(), handler.should_follow()) == (False, True)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ('follow="no" index="no"', "index must come before follow"),
        ('index="no"', "both index and follow must be present"),
        ("index='no' follow='no'", "the values must be in double quotes"),
        ('index="no" follow="no" archive="no"', "index and follow, once each"),
        ('index = "no" follow = "no"', "there must be no white space around ="),
        ('index="NO" follow="no"', 'the values must be "yes" or "no"'),
    ],
)
def test_the_syntax_error_of_each_illegal_form_is_told(data: str, fault: str) -> None:
    """An illegal instruction is reported with its error, and then everything is allowed."""
    handler = read(f"<?robots {data}?><d/>")
    assert (handler.should_index(), handler.should_follow()) == (True, True)
    [error] = handler.robots_errors
    assert data in error
    assert fault in error


def test_other_handlers_still_get_every_instruction() -> None:
    """The next handler in the list of bases gets the instructions for robots and all others."""
    handler = read('<?other x?><?robots index="no" follow="no"?><d/>')
    assert handler.seen == ["other x", 'robots index="no" follow="no"']
    assert not handler.should_index()


def test_a_handler_reads_one_document_after_another() -> None:
    """The statements of a document are forgotten when the next one begins."""
    handler = read('<?robots index="no" follow="no"?><?robots x?><d/>')
    assert not handler.should_index()
    read("<d/>", handler)
    assert (handler.should_index(), handler.should_follow()) == (True, True)
    assert handler.robots_errors == []


class Careless(RobotsHandler, xml.sax.ContentHandler):
    """A handler that overrides a method without calling ours."""

    def startDocument(self) -> None:  # noqa: N802  as SAX has it
        """Do not call the base class."""


def test_it_works_before_parsing_and_with_an_overridden_start() -> None:
    """Without a statement nothing is forbidden; then each document has its own instruction."""
    handler = Careless()
    assert (handler.should_index(), handler.should_follow()) == (True, True)
    assert (handler.robots_errors, handler.robots_findings) == ([], [])
    for form, index, follow in FORMS:
        xml.sax.parseString(f"{form}<?robots?><d/>".encode(), handler)  # noqa: S317  our own text
        assert (handler.should_index(), handler.should_follow()) == (index, follow)
    xml.sax.parseString(b"<d/>", handler)  # noqa: S317  our own text
    assert (handler.should_index(), handler.should_follow()) == (True, True)


class Alone(RobotsHandler):
    """A handler without another base."""


@pytest.mark.parametrize("kind", [Handler, Careless, Alone])
def test_an_error_names_url_and_line_by_the_locator(kind: type[RobotsHandler]) -> None:
    """The robot should report or log the URL and the syntax error."""
    handler = kind()
    source = xml.sax.xmlreader.InputSource("https://example.com/a.xml")
    source.setByteStream(BytesIO(b'<!-- a\n -->\n<?robots index="none"?><d/>'))
    parser = xml.sax.make_parser()  # noqa: S317  our own text
    parser.setContentHandler(handler)
    parser.parse(source)
    [error] = handler.robots_errors
    assert error.startswith('https://example.com/a.xml: <?robots index="none"?>: ')
    assert error.endswith(", line 3")


class Calling(RobotsHandler):
    """A handler that overrides a method and calls ours."""

    def startDocument(self) -> None:  # noqa: N802  as SAX has it
        """Call the base class."""
        super().startDocument()


def parse_by_expat(document: str, handler: RobotsHandler) -> None:
    """Parse a document with expat, whose locator ends with its parser."""
    xml.sax.parseString(document.encode(), handler)  # noqa: S317  our own text


def parse_by_lxml(document: str, handler: RobotsHandler) -> None:
    """Pass the events of a tree of lxml, without a locator."""
    lxml.sax.saxify(lxml.etree.fromstring(document.encode()), handler)


PARSERS = [parse_by_expat, parse_by_lxml]


@pytest.mark.parametrize("kind", [Handler, Careless, Calling, Alone])
@pytest.mark.parametrize("order", list(product(PARSERS, repeat=3)))
def test_a_handler_reads_documents_of_any_parsers_in_turn(
    kind: type[RobotsHandler], order: tuple[Callable[[str, RobotsHandler], None], ...]
) -> None:
    """Each document has its own instruction and errors, whichever parser read the one before."""
    handler = kind()
    for parse in order:
        for form, index, follow in FORMS:
            parse(f"{form}<?robots x?><?robots?><d/>", handler)
            assert (handler.should_index(), handler.should_follow()) == (index, follow)
            assert handler.robots_errors == []
        parse("<?robots x?><d/>", handler)
        assert (handler.should_index(), handler.should_follow()) == (True, True)
        assert len(handler.robots_errors) == 1
        assert handler.robots_errors[0].endswith(", line 1") == (parse is parse_by_expat)
        parse("<d/>", handler)
        assert handler.robots_errors == []


def test_a_document_that_breaks_off_leaves_nothing_to_the_next() -> None:
    """No end was announced, and the locator is that of a parser that is gone."""
    for kind in (Handler, Careless, Calling, Alone):
        handler = kind()
        with pytest.raises(xml.sax.SAXParseException):
            parse_by_expat('<?robots index="no" follow="no"?><d>', handler)
        assert not handler.should_index()
        parse_by_lxml("<?robots x?><d/>", handler)
        assert (handler.should_index(), len(handler.robots_errors)) == (True, 1)


def test_events_may_come_without_a_locator() -> None:
    """Then neither URL nor line is known."""
    handler = Alone()
    handler.processingInstruction("robots", "index='no'")
    assert handler.robots_errors == ["<?robots index='no'?>: the values must be in double quotes"]
    handler.startDocument()
    assert handler.robots_errors == []


def test_white_space_before_the_end_is_ignored_and_reported_or_illegal() -> None:
    """Like `Page`, with the same option."""
    document = '<?robots index="no" follow="no" ?><d/>'
    handler = read(document)
    assert (handler.should_index(), handler.robots_errors) == (False, [])
    assert [finding.code for finding in handler.robots_findings] == ["spaced-robots-pi"]
    strict = Handler()
    strict.robots_lenient = False
    read(document, strict)
    assert strict.should_index()
    assert len(strict.robots_errors) == 1


def test_what_stands_behind_a_legal_one_is_no_error() -> None:
    """A single illegal instruction is reported; not if a legal one was read."""
    handler = read('<?robots index="no" follow="no"?><?robots index="none"?><d/>')
    assert handler.robots_errors == []
    assert [finding.code for finding in handler.robots_findings] == ["repeated-robots-pi"]


class KeepsItsStart(xml.sax.ContentHandler):
    """A handler whose `startDocument` calls no other."""

    def startDocument(self) -> None:  # noqa: N802  as SAX has it
        """Do nothing."""


class Second(KeepsItsStart, RobotsHandler):
    """A handler with the base class behind another one."""


def test_it_forgets_a_document_also_behind_another_base() -> None:
    """The order of the base classes makes no answer outlive its document."""
    handler = Second()
    for document, may in ((b'<?robots index="no" follow="no"?><d/>', False), (b"<d/>", True)):
        lxml.sax.saxify(lxml.etree.fromstring(document).getroottree(), handler)
        assert handler.should_index() is may


class Filter(RobotsFilter):
    """A filter of a user, which renames elements."""

    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:  # noqa: N802
        """Pass the element on under another name."""
        super().startElement(name.upper(), attrs)


@pytest.mark.parametrize(("form", "index", "follow"), FORMS, ids=str)
def test_a_filter_reads_the_instruction_and_passes_every_event_on(
    form: str,
    index: bool,  # noqa: FBT001
    follow: bool,  # noqa: FBT001
) -> None:
    """The next handler gets the document, and the filter has the answers, one after another."""
    reader = Filter(xml.sax.make_parser())  # noqa: S317  our own text
    for before, flags in ((form, (index, follow)), ("", (True, True))):
        out = StringIO()
        reader.setContentHandler(XMLGenerator(out))
        reader.parse(BytesIO(f"{before}<d>a</d>".encode()))
        assert (reader.should_index(), reader.should_follow()) == flags
        assert out.getvalue().partition("?>\n")[2] == f"{before}<D>a</d>"


def test_a_filter_with_the_base_class_of_handlers_is_refused() -> None:
    """Its events would end there, and nothing would say so."""
    with pytest.raises(MisuseError, match="RobotsFilter"):
        type("Wrong", (RobotsHandler, XMLFilterBase), {})
