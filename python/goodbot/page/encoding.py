"""Encodings of XML and plain text. The core reads those of HTML."""

import codecs
import re
from collections.abc import Iterator

from goodbot.page.finding_codes import Findings

__all__ = ["decoded", "is_utf_8", "redeclared", "text_of_xml"]

SAFE = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e|-sig)?|ascii|iso8859-\d+|cp\d+|koi8-[rut]|shift_jis\w*|euc_\w+"
    r"|gb\w+|big5\w*|hz|iso2022_\w+|johab|mac-\w+|tis-620|ptcp154|hp-roman8|kz1048"
)
"""Python's codecs for encodings of documents. Others are slow, or not character encodings."""

PIECE = 256 * 1024
"""The bytes that are decoded in one step, which takes a few milliseconds in any encoding."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; one that begins with another comes before it."""

PATTERNS = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
"""The first bytes of documents without a byte order mark (XML 1.0, appendix F.1)."""

DECLARATION = re.compile(
    rb"""\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([A-Za-z][\w.-]{0,40})["']"""
)
DECLARED = re.compile(r"""(\A\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["'])[\w.-]+""")


def codec(name: str) -> str | None:
    """Return Python's name of an encoding; `None` if it is not known as one of documents."""
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return found if SAFE.fullmatch(found) else None


def decoded(content: bytes, encoding: str | None) -> str:
    r"""Decode a text; replace invalid bytes by U+FFFD.

    >>> decoded(b"na\xefve", "latin-1"), decoded(b"a\xff", "no-such")
    ('naïve', 'a�')
    """
    for mark, name in MARKS:
        if content.startswith(mark):
            return "".join(pieces_of(content[len(mark) :], name))
    return "".join(pieces_of(content, codec(encoding or "") or "utf-8"))


def pieces_of(content: bytes, encoding: str) -> Iterator[str]:
    r"""Yield decoded text piece by piece, so that other threads can run in between.

    The caller has checked for a byte order mark. Without one, utf-16 is little-endian (Encoding
    Standard section 4.2), and so is utf-32; Python's incremental decoders would raise here.

    >>> "".join(pieces_of(b"a\0b\0", "utf-16"))
    'ab'
    """
    if encoding in {"utf-16", "utf-32"}:
        encoding += "-le"
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for at in range(0, len(content), PIECE):
        yield decoder.decode(content[at : at + PIECE])
    yield decoder.decode(b"", final=True)


def is_utf_8(content: bytes) -> bool:
    r"""Return whether all bytes are valid UTF-8.

    >>> is_utf_8("né".encode()), is_utf_8(b"n\xe9")
    (True, False)
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(content), PIECE):
            decoder.decode(content[at : at + PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def text_of_xml(content: bytes, charset: str | None, findings: Findings) -> tuple[bytes, str]:
    r"""Return an XML document converted to UTF-8, and its original encoding.

    A byte order mark counts first, then the charset of the header (RFC 7303 section 3), then the
    XML declaration (XML 1.0, section 4.3.3). A document in UTF-8 is returned unchanged: its reader
    checks it.

    Args:
        content: The document.
        charset: The charset of its header.
        findings: The list to which unknown encodings and invalid bytes are reported.

    >>> text_of_xml(b'<?xml version="1.0" encoding="latin-1"?><a>\xe9</a>', None, Findings())[1]
    'iso8859-1'
    """
    size, encoding = 0, ""
    for mark, name in MARKS:
        if content.startswith(mark):
            size, encoding = len(mark), name
            break
    encoding = encoding or declared(content, charset, findings)
    if content[size:].lstrip(b" \t\r\n").startswith(b"<?xml"):
        # A declaration must be at the very beginning; white space before it is tolerated.
        content, size = content[size:].lstrip(b" \t\r\n"), 0
    content = content[size:]
    if encoding in {"utf-8", "ascii"}:
        return content, encoding
    is_broken, pieces = False, []
    for piece in pieces_of(content, encoding):
        is_broken = is_broken or "\ufffd" in piece
        pieces.append(piece.encode("utf-8", "replace"))
    if is_broken:
        message = f"some bytes are not valid {encoding}; correct them or the declared encoding"
        findings.add("encoding-broken", message)
    return b"".join(pieces), encoding


def redeclared(text: str) -> str:
    """Return an XML document with its declaration changed to UTF-8.

    >>> redeclared('<?xml version="1.0" encoding="latin-1"?><a/>')
    '<?xml version="1.0" encoding="utf-8"?><a/>'
    """
    # Not `sub`, which would try to match at every position of the text.
    found = DECLARED.match(text)
    return text if found is None else f"{found[1]}utf-8{text[found.end() :]}"


def declared(content: bytes, charset: str | None, findings: Findings) -> str:
    """Return the encoding of a document without a byte order mark."""
    for start, name in PATTERNS:
        if content.startswith(start):
            return name
    found = DECLARATION.match(content[:400])
    for name in filter(None, (charset, found and found[1].decode("ascii"))):
        known = codec(name)
        if known is None:
            message = f"the declared encoding {name[:60]!r} is not known; declare UTF-8"
            findings.add("encoding-unknown", message)
        elif not known.startswith(("utf-16", "utf-32")) or name == charset:
            return known
    return "utf-8"
