"""Encodings of what is no HTML: XML and plain text; those of HTML the core reads."""

import codecs
import re
from collections.abc import Iterator

from goodbot.page.finding_codes import Findings

__all__ = ["decoded", "is_utf_8", "redeclared", "text_of_xml"]

SAFE = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e|-sig)?|ascii|iso8859-\d+|cp\d+|koi8-[rut]|shift_jis\w*|euc_\w+"
    r"|gb\w+|big5\w*|hz|iso2022_\w+|johab|mac-\w+|tis-620|ptcp154|hp-roman8|kz1048"
)
"""The codecs of Python that are encodings of documents; others are slow, or no encodings at all."""

PIECE = 256 * 1024
"""Bytes that are decoded at once: a few milliseconds, whatever the encoding."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks, the longer before their beginnings."""

PATTERNS = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
"""How a document without a mark begins (XML 1.0, appendix F.1)."""

DECLARATION = re.compile(
    rb"""\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([A-Za-z][\w.-]{0,40})["']"""
)
DECLARED = re.compile(r"""(\A\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["'])[\w.-]+""")


def codec(name: str) -> str | None:
    """Give Python's name of an encoding; `None` if it has none, or it is none of a document."""
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return found if SAFE.fullmatch(found) else None


def decoded(octets: bytes, encoding: str | None) -> str:
    r"""Decode a text; what is no character in it is replaced.

    >>> decoded(b"na\xefve", "latin-1"), decoded(b"a\xff", "no-such")
    ('naïve', 'a�')
    """
    for mark, name in MARKS:
        if octets.startswith(mark):
            return "".join(pieces_of(octets[len(mark) :], name))
    return "".join(pieces_of(octets, codec(encoding or "") or "utf-8"))


def pieces_of(octets: bytes, encoding: str) -> Iterator[str]:
    r"""Yield the text of bytes piece by piece: other threads have their turn in between.

    Without a byte order mark, which the caller has looked for, utf-16 is little-endian (Encoding
    Standard section 4.2), and so is utf-32; Python's decoders of pieces would raise.

    >>> "".join(pieces_of(b"a\0b\0", "utf-16"))
    'ab'
    """
    if encoding in {"utf-16", "utf-32"}:
        encoding += "-le"
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for at in range(0, len(octets), PIECE):
        yield decoder.decode(octets[at : at + PIECE])
    yield decoder.decode(b"", final=True)


def is_utf_8(octets: bytes) -> bool:
    r"""Whether bytes are UTF-8 throughout.

    >>> is_utf_8("né".encode()), is_utf_8(b"n\xe9")
    (True, False)
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(octets), PIECE):
            decoder.decode(octets[at : at + PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def text_of_xml(octets: bytes, charset: str | None, findings: Findings) -> tuple[bytes, str]:
    r"""Return a document of XML in UTF-8, and the encoding that it was in.

    A byte order mark counts first, then the charset of the header (RFC 7303 section 3), then the
    declaration (XML 1.0, section 4.3.3). Whether a document in UTF-8 is valid, its reader finds.

    Args:
        octets: The document.
        charset: The charset of its header.
        findings: Where it is reported that an encoding is not known, or that bytes of an encoding
            other than UTF-8 are no characters.

    >>> text_of_xml(b'<?xml version="1.0" encoding="latin-1"?><a>\xe9</a>', None, Findings())[1]
    'iso8859-1'
    """
    size, encoding = 0, ""
    for mark, name in MARKS:
        if octets.startswith(mark):
            size, encoding = len(mark), name
            break
    encoding = encoding or declared(octets, charset, findings)
    if octets[size:].lstrip(b" \t\r\n").startswith(b"<?xml"):
        # A declaration stands at the very beginning; readers bear what is before it.
        octets, size = octets[size:].lstrip(b" \t\r\n"), 0
    octets = octets[size:]
    if encoding in {"utf-8", "ascii"}:
        return octets, encoding
    is_broken, pieces = False, []
    for piece in pieces_of(octets, encoding):
        is_broken = is_broken or "\ufffd" in piece
        pieces.append(piece.encode("utf-8", "replace"))
    if is_broken:
        findings.add("encoding-broken", f"some octets are no characters of {encoding}")
    return b"".join(pieces), encoding


def redeclared(text: str) -> str:
    """Let the declaration of a document of XML name UTF-8.

    >>> redeclared('<?xml version="1.0" encoding="latin-1"?><a/>')
    '<?xml version="1.0" encoding="utf-8"?><a/>'
    """
    # No `sub`: it would look for the beginning of the text everywhere in it.
    found = DECLARED.match(text)
    return text if found is None else f"{found[1]}utf-8{text[found.end() :]}"


def declared(octets: bytes, charset: str | None, findings: Findings) -> str:
    """Find the encoding of a document without a byte order mark."""
    for start, name in PATTERNS:
        if octets.startswith(start):
            return name
    found = DECLARATION.match(octets[:400])
    for name in filter(None, (charset, found and found[1].decode("ascii"))):
        known = codec(name)
        if known is None:
            message = f"{name[:60]!r} is no encoding that is known"
            findings.add("encoding-unknown", message)
        elif not known.startswith(("utf-16", "utf-32")) or name == charset:
            return known
    return "utf-8"
