"""XML, read safely: no external entity is fetched, and few bytes never become many.

expat, of the standard library, finds up to where a document is well-formed and what it declares.
It calls nothing back meanwhile, save for declarations. The core then reads that part. Entities in
texts are those that HTML names; those in attributes are those that the document declares, of which
`without_bombs` has emptied the long ones.
"""

from xml.parsers import expat

from goodbot._core import HtmlDocument, parse_xml, xml_deeper_than
from goodbot.page.entities import without_bombs
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import WATCHED
from goodbot.page.pieces import EndsHereError, parse_in_pieces

__all__ = ["read_xml"]

DEEPEST = 50_000
"""Expat takes some 300 bytes for each open element, however it is left out."""


class Declarations:
    """What a document declares of its attributes; the first declaration counts."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        """Listen to a parser."""
        self.entities: dict[str, str] = {}
        self.attributes: dict[tuple[str, str], tuple[bool, str | None]] = {}
        parser.EntityDeclHandler = self.entity
        parser.AttlistDeclHandler = self.attribute

    def entity(self, name: str, is_parameter: bool, value: str | None, *_: object) -> None:  # noqa: FBT001  as expat calls it
        """Note an entity that stands for a text."""
        if not is_parameter and value is not None:
            self.entities.setdefault(name, value)

    def attribute(
        self, element: str, name: str, kind: str, default: str | None, _required: int
    ) -> None:
        """Note an attribute: whether it is a list of tokens, and its default."""
        self.attributes.setdefault((element, name), (kind != "CDATA", default))


def read_xml(body: bytes, url: str, findings: Findings) -> tuple[bytes, HtmlDocument]:
    """Read a document of XML as far as it is well-formed; what is wrong with it is a finding.

    Args:
        body: Its bytes, in UTF-8 whatever it declares.
        url: Its URL, which relative links are resolved against.
        findings: Where findings go.

    Returns:
        The bytes that were read, which places in the document refer to, and the document.

    Source: XML 1.0, sections 2.1 and 4.4.

    """
    body = without_bombs(body, findings)
    parser = expat.ParserCreate("utf-8")
    # An entity that nobody declares is then passed over; the subset itself is never fetched.
    parser.UseForeignDTD(True)  # noqa: FBT003  the signature is expat's
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    # Once a default handler was set, even to none, entities in texts are not expanded.
    parser.DefaultHandler = None
    declared = Declarations(parser)
    deepest = xml_deeper_than(body, DEEPEST)
    well_formed = len(body) if deepest is None else deepest
    try:
        parse_in_pieces(parser, body[:well_formed])
    except EndsHereError as end:
        findings.add(end.code, str(end), parser.CurrentLineNumber)
        well_formed = end.place
    except expat.ExpatError as error:
        if deepest is None or parser.ErrorByteIndex < deepest:
            message = f"the XML is not well-formed: {expat.errors.messages.get(error.code, error)}"
            findings.add("not-well-formed", message, error.lineno)
            well_formed = max(parser.ErrorByteIndex, 0)
        else:
            message = f"elements are nested over {DEEPEST} deep; the rest was not read"
            findings.add("too-deep", message, error.lineno)
    entities = list(declared.entities.items())
    attributes = [(*names, *kind) for names, kind in declared.attributes.items()]
    return body, parse_xml(body, well_formed, url, entities, attributes, WATCHED)
