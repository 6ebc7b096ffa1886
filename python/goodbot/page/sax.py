"""Base classes for handlers and filters of `xml.sax`, like the sample of 1999 for SAX 1.

Source: A Robots Processing Instruction for XML Documents, Sample Implementation.
"""

from functools import wraps
from typing import TYPE_CHECKING, Any
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import XMLFilterBase
from xml.sax.xmlreader import Locator

from goodbot._core import Finding
from goodbot.errors import MisuseError
from goodbot.page.finding_codes import Findings
from goodbot.page.pi import Instructions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RobotsFilter", "RobotsHandler"]


class RobotsReading(ContentHandler if TYPE_CHECKING else object):  # type: ignore[misc]
    """What a handler and a filter have in common; the next class gets every event."""

    robots_lenient = True
    """Whether to accept white space before `?>`, as in `goodbot.Page(lenient=)`."""

    _robots: Instructions | None = None
    _robots_locator: Locator | None = None
    _robots_located = False
    """Whether the locator was set for the document that begins next."""
    _robots_starting = False
    """Whether the `startDocument` of a subclass runs, which has forgotten the previous document."""

    @property
    def robots_findings(self) -> list[Finding]:
        """The findings on the instructions that were read: code, severity, message, line."""
        return [] if self._robots is None else self._robots.findings.list

    @property
    def robots_errors(self) -> list[str]:
        """One line to log for each illegal instruction: its URL, its line and its syntax error."""
        found = (one for one in self.robots_findings if one.code == "illegal-robots-pi")
        return [f"{one.message}, line {one.line}" if one.line else one.message for one in found]

    def __init_subclass__(cls, **settings: Any) -> None:  # noqa: ANN401  those of other bases
        """Make each `startDocument` of a subclass forget the previous document first.

        `lxml.sax` and others pass no locator, so this event alone says that a document begins, and
        the subclass may override the method without calling ours.
        """
        super().__init_subclass__(**settings)
        owner = next(one for one in cls.__mro__ if "startDocument" in vars(one))
        if owner is not cls and issubclass(owner, RobotsReading):
            return
        start: Callable[[Any], None] = cls.startDocument

        @wraps(start)
        def forget_and_start(self: RobotsHandler) -> None:
            is_outermost = not self._robots_starting
            if is_outermost:
                self._robots_forget()
                self._robots_starting = True
            try:
                start(self)
            finally:
                if is_outermost:
                    self._robots_starting = False

        cls.startDocument = forget_and_start  # type: ignore[method-assign]

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802  the name is SAX's
        """Forget the previous document, and store the locator of this one."""
        self._robots, self._robots_locator, self._robots_located = None, locator, True
        super().setDocumentLocator(locator)

    def startDocument(self) -> None:  # noqa: N802  the name is SAX's
        """Forget the previous document."""
        if not self._robots_starting:
            self._robots_forget()
        super().startDocument()

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802  the name is SAX's
        """Read the instruction if it is for robots."""
        if target == "robots":
            url, line = self._robots_place()
            if self._robots is None:
                self._robots = Instructions(url, Findings(), self.robots_lenient)
            # lxml has None for an instruction without data.
            self._robots.add(data or "", line)
        super().processingInstruction(target, data)

    def _robots_forget(self) -> None:
        """Forget the previous document, and its locator unless this document has its own."""
        self._robots = None
        if not self._robots_located:
            self._robots_locator = None
        self._robots_located = False

    def _robots_place(self) -> tuple[str, int]:
        """Return the URL of the document and the current line; empty and 0 if not known."""
        locator = self._robots_locator
        if locator is None:
            return "", 0
        try:
            return locator.getSystemId() or "", locator.getLineNumber() or 0
        except ReferenceError:  # the parser that it belongs to is gone
            return "", 0

    def should_index(self) -> bool:
        """Return whether the document may be indexed, according to what was read so far."""
        return self._stated()[0]

    def should_follow(self) -> bool:
        """Return whether its links may be followed, according to what was read so far."""
        return self._stated()[1]

    def _stated(self) -> tuple[bool, bool]:
        stated = None if self._robots is None else self._robots.stated
        return (True, True) if stated is None else stated


class RobotsHandler(RobotsReading, ContentHandler):
    """A SAX handler that reads the robots processing instruction of a document.

    Derive your handler from it, or put it first in the list of base classes. If you override
    `processingInstruction`, call the method of this class, too; for other methods you need not.
    For a filter, derive from `RobotsFilter`.

    The first instruction with a legal form counts. Until one is read, the robot may index the
    document and follow its links.

    >>> import xml.sax
    >>> class Handler(RobotsHandler):
    ...     pass
    >>> handler = Handler()
    >>> xml.sax.parseString(b'<?robots index="no" follow="yes"?><d/>', handler)
    >>> handler.should_index(), handler.should_follow()
    (False, True)

    The document of 1999 asks robots to log an illegal instruction with its URL and line. Set the
    URL as the system identifier of the source:

    >>> from io import BytesIO
    >>> source = xml.sax.xmlreader.InputSource("https://example.com/a.xml")
    >>> source.setByteStream(BytesIO(b'<?robots index="none"?><d/>'))
    >>> xml.sax.parse(source, handler)
    >>> print(handler.robots_errors[0])  # doctest: +ELLIPSIS
    https://example.com/a.xml: <?robots index="none"?>: both index and follow ... present, line 1

    Source: A Robots Processing Instruction for XML Documents, Syntax and Sample Implementation.
    """

    def __init_subclass__(cls, **settings: Any) -> None:  # noqa: ANN401  those of other bases
        """Refuse a filter, whose events would end here.

        Raises:
            MisuseError: The class is a filter.

        """
        super().__init_subclass__(**settings)
        if issubclass(cls, XMLFilterBase):
            message = (
                f"{cls.__name__} is a filter, and the events that it passes on would end in "
                "RobotsHandler; derive it from goodbot.page.sax.RobotsFilter instead"
            )
            raise MisuseError(message)


class RobotsFilter(RobotsReading, XMLFilterBase):
    """A SAX filter that reads the robots processing instruction and passes every event on.

    It has the attributes and methods of `RobotsHandler`. Derive your filter from it, or put it
    first in the list of base classes.

    >>> import io, xml.sax.saxutils
    >>> out = io.StringIO()
    >>> reader = RobotsFilter(xml.sax.make_parser())
    >>> reader.setContentHandler(xml.sax.saxutils.XMLGenerator(out))
    >>> reader.parse(io.BytesIO(b'<?robots index="no" follow="yes"?><d/>'))
    >>> reader.should_index(), out.getvalue().endswith("<d></d>")
    (False, True)

    Source: A Robots Processing Instruction for XML Documents, Sample Implementation.
    """
