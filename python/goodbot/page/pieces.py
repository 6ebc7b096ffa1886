"""XML, handed to expat in pieces: no tag and no nesting takes what its document does not.

What may live here: how octets are handed over, and when that ends early. What is made of what expat
finds is its readers'.
"""

from xml.parsers import expat

__all__ = ["EndsHereError", "parse_in_pieces"]

PIECE = 64 * 1024

LONGEST_TAG = 128 * 1024
"""Bytes of a tag. Expat takes up all attributes of a tag at once, and holds all threads meanwhile:
8 MB of them, 1.5 MB on the wire, take two seconds."""


class EndsHereError(Exception):
    """Nothing behind this place is read.

    Args:
        message: What is wrong.
        code: The code of the finding that says so.
        place: The byte.

    """

    def __init__(self, message: str, code: str, place: int) -> None:
        """Keep what is to be said."""
        super().__init__(message)
        self.code = code
        self.place = place


def parse_in_pieces(parser: expat.XMLParserType, body: bytes) -> None:
    """Have a document parsed, whole; others have their turn between its pieces.

    Args:
        parser: The parser, with its handlers.
        body: All of the document, in the encoding of the parser.

    Raises:
        EndsHereError: A tag is too long.
        ExpatError: It is not well-formed.

    >>> parse_in_pieces(expat.ParserCreate("utf-8"), b"<a>" + b"text" * 100_000 + b"</a>")
    >>> parse_in_pieces(expat.ParserCreate("utf-8"), b"<a>" + b"<b c='" + b"d" * 300_000)
    Traceback (most recent call last):
    goodbot.page.pieces.EndsHereError: a tag is over 131,072 bytes long; the rest was not read

    """
    begun = 0
    for at in range(0, len(body), PIECE):
        end = at + PIECE
        parser.Parse(body[at:end], False)  # noqa: FBT003  the signature is expat's
        # Where the token begins whose end is not there yet; expat does not always know.
        begun = max(begun, parser.CurrentByteIndex)
        if end - begun > LONGEST_TAG and is_tag(body, begun):
            message = f"a tag is over {LONGEST_TAG:,} bytes long; the rest was not read"
            raise EndsHereError(message, "too-many-attributes", begun)
    parser.Parse(b"", True)  # noqa: FBT003  the signature is expat's


def is_tag(body: bytes, place: int) -> bool:
    """Whether a tag begins at a place, and no comment, instruction or section."""
    return body[place : place + 1] == b"<" and body[place + 1 : place + 2] not in {b"!", b"?"}
