"""A base for handlers of `xml.sax`, as the sample of 1999 was one for handlers of SAX 1.

Source: A Robots Processing Instruction for XML Documents, Sample Implementation.
"""

from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import Locator

from goodbot._core import Finding
from goodbot.page.finding_codes import Findings
from goodbot.page.pi import Instructions

__all__ = ["RobotsHandler"]


class RobotsHandler(ContentHandler):
    """Obey the robots processing instruction of the document that a handler reads.

    Derive from it, or put it before your own handler in the list of bases. A method that you
    override may leave out the call of ours, save `processingInstruction`.

    The first instruction with a legal form counts; without one the robot may index and follow.
    Before anything was read it may do both.

    >>> import xml.sax
    >>> class Handler(RobotsHandler):
    ...     pass
    >>> handler = Handler()
    >>> xml.sax.parseString(b'<?robots index="no" follow="yes"?><d/>', handler)
    >>> handler.should_index(), handler.should_follow()
    (False, True)

    An illegal instruction is to be logged with the URL, which is the system identifier of the
    source, and with the line:

    >>> from io import BytesIO
    >>> source = xml.sax.xmlreader.InputSource("https://example.com/a.xml")
    >>> source.setByteStream(BytesIO(b'<?robots index="none"?><d/>'))
    >>> xml.sax.parse(source, handler)
    >>> print(handler.robots_errors[0])  # doctest: +ELLIPSIS
    https://example.com/a.xml: <?robots index="none"?>: both index and follow ... present, line 1

    Source: A Robots Processing Instruction for XML Documents, Syntax and Sample Implementation.
    """

    robots_lenient = True
    """Whether white space may stand before `?>`, as `goodbot.Page(lenient=)` has it."""

    _robots: Instructions | None = None
    _robots_locator: Locator | None = None

    @property
    def robots_findings(self) -> list[Finding]:
        """What is odd about the instructions that were read: code, severity, message, line."""
        return [] if self._robots is None else self._robots.findings.list

    @property
    def robots_errors(self) -> list[str]:
        """What is to be logged: each illegal instruction with its URL, line and syntax error."""
        found = (one for one in self.robots_findings if one.code == "illegal-robots-pi")
        return [f"{one.message}, line {one.line}" if one.line else one.message for one in found]

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802  the name is SAX's
        """Forget the document before, and remember where this one is."""
        self._robots, self._robots_locator = None, locator
        super().setDocumentLocator(locator)

    def startDocument(self) -> None:  # noqa: N802  the name is SAX's
        """Forget the document before."""
        self._robots = None
        super().startDocument()

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802  the name is SAX's
        """Read the instruction, if it is for robots."""
        if target == "robots":
            locator = self._robots_locator
            if self._robots is None:
                url = (locator and locator.getSystemId()) or ""
                self._robots = Instructions(url, Findings(), self.robots_lenient)
            self._robots.add(data, (locator and locator.getLineNumber()) or 0)
        super().processingInstruction(target, data)

    def should_index(self) -> bool:
        """Return whether the document may be indexed, as far as it has been read."""
        return self._stated()[0]

    def should_follow(self) -> bool:
        """Return whether its links may be followed, as far as it has been read."""
        return self._stated()[1]

    def _stated(self) -> tuple[bool, bool]:
        stated = None if self._robots is None else self._robots.stated
        return (True, True) if stated is None else stated
