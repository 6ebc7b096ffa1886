"""A mixin for handlers of `xml.sax`, as the sample of 1999 was a base for handlers of SAX 1.

Source: A Robots Processing Instruction for XML Documents, Sample Implementation.
"""

from goodbot.page.pi import read_robots_pi, syntax_error

__all__ = ["RobotsHandler"]


class RobotsHandler:
    """Heeds the robots processing instruction of the document that it handles.

    Put it before the handler in the list of bases.

    >>> import xml.sax
    >>> class Handler(RobotsHandler, xml.sax.ContentHandler):
    ...     pass
    >>> handler = Handler()
    >>> xml.sax.parseString(b'<?robots index="no" follow="yes"?><d/>', handler)
    >>> handler.should_index(), handler.should_follow()
    (False, True)

    The first instruction with a legal form counts; without one the robot may index and follow. What
    is wrong with the others is in `robots_errors`, to be logged with the URL.
    """

    robots_lenient = False
    """Whether white space may stand before `?>`."""

    def startDocument(self) -> None:  # noqa: N802  the name is SAX's
        """Forget the document before."""
        self._robots: tuple[bool, bool] | None = None
        self.robots_errors: list[str] = []
        super().startDocument()  # type: ignore[misc]

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802  the name is SAX's
        """Heed the instruction, if it is for robots."""
        if target == "robots":
            said = read_robots_pi(data, lenient=self.robots_lenient)
            if said is None:
                self.robots_errors.append(f"<?robots {data}?>: {syntax_error(data)}")
            elif self._robots is None:
                self._robots = said
        super().processingInstruction(target, data)  # type: ignore[misc]

    def should_index(self) -> bool:
        """Whether the document may be indexed, as far as it has been read."""
        return self._robots is None or self._robots[0]

    def should_follow(self) -> bool:
        """Whether its links may be followed, as far as it has been read."""
        return self._robots is None or self._robots[1]
