"""The choice of the reader for a document, by its type."""

from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import is_xml
from goodbot.page.readers.arguments import HTML_TYPES, Given
from goodbot.page.readers.html import HtmlReader
from goodbot.page.readers.reader import DocumentReader
from goodbot.page.readers.text import TextReader
from goodbot.page.readers.xml import XmlReader
from goodbot.page.statements import may_be_for_robots, statements_of_headers


def choose_reader(given: Given, content: bytes, findings: Findings) -> DocumentReader:
    """Return the reader for a document, with the statements of the header."""
    is_addressed = may_be_for_robots(given.names)
    header = statements_of_headers(given.fields, given.robot, findings) if is_addressed else []
    if given.content_type in HTML_TYPES:
        return HtmlReader(given, content, header, findings)
    if is_xml(given.content_type):
        return XmlReader(given, content, header, findings)
    return TextReader(given, content, header, findings)
