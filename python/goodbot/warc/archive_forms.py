"""What a file is that has no WARC or ARC records, by its first bytes.

Scope: a name and what to do, for messages. Nothing is decided by it: whatever is not known here is
not read either.

Source: WARC 1.1 section 4; ARC 1.0, section "Version block"; the magic numbers of the formats.
"""

import re
from typing import BinaryIO

from goodbot.warc.stream_coding import DamagedFileError
from goodbot.warc.warc_stream import WarcStream

__all__ = ["BEGINNING", "begins_archive", "why_not_read"]

BEGINNING = 1024
"""How many bytes of a file are considered."""

ARCHIVE = re.compile(rb"[\r\n]*(?:WARC/(?:0\.[0-9]{1,2}|1\.[0-9]{1,2})[ \t]*\r?\n|filedesc:)")
"""What a file with records begins with. Versions of WARC before 1.0 have the same form if the
version is alone in its line."""
WARC_VERSION = re.compile(rb"[\r\n]*WARC/([0-9]{1,3}(?:\.[0-9]{1,3})?)(.?)")

NOT_ONE = "it is {}, and not a WARC file"
UNPACK = "it is compressed by {}; decompress it first: {} FILE"
COMPRESSED = (
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xfd7zXZ\0", "xz", "unxz"),
    (b"LZIP", "lzip", "lzip -d"),
    (b"\x04\x22\x4d\x18", "LZ4", "lz4 -d"),
    (b"\x1f\x9d", "compress", "uncompress"),
)
"""The beginnings of files of compressions that are not read, and what reads them."""
PACKED = ((b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"Rar!\x1a\x07", "RAR"))
BINARY = (
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%PDF-", "a PDF document"),
    (b"\x84H\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6", "a web bundle"),
    (b"\x85H\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6", "a web bundle"),
    (b"PK\x03\x04", "a ZIP file"),
)
TEXT = (
    (rb"<!doctype html|<html|<head|<body|<title", "an HTML page"),
    (rb"<\?xml", "an XML document"),
    (rb"CDX( [a-zA-Z])+", "an index of captures (CDX); name the WARC files that it is of"),
    (rb"!meta |\S+\)\S* [0-9]{14} \{", "an index of captures (CDXJ); name the WARC files that it is of"),  # noqa: E501  as the others
    (rb"\{[^}\]]*\"profile\": *\"multi-wacz", "a list of WACZ files (multi-WACZ); name them"),
    (rb"[{\[]", "JSON"),
    (rb"version https://git-lfs", "a pointer of Git LFS; fetch the file first: git lfs pull"),
    (rb"(?:From: |MIME-Version: |Snapshot-Content-Location: )", "a MIME document (MHTML)"),
    (rb"HTTP/[0-9]", "a bare HTTP message"),
)  # fmt: skip
TAR = slice(257, 262)


def begins_archive(file: BinaryIO) -> bool:
    """Return whether a file begins with a record of WARC or ARC, also if it is compressed."""
    try:
        return ARCHIVE.match(WarcStream(file).peek(BEGINNING)) is not None
    except DamagedFileError:
        return False


def why_not_read(file: BinaryIO) -> str:
    """Return why a file without a first record is not read, as a clause; empty if it is damaged.

    >>> import io
    >>> why_not_read(io.BytesIO(b"<html>")), why_not_read(io.BytesIO(b"WARC/1.1"))
    ('it is an HTML page, and not a WARC file', '')
    """
    file.seek(0)
    raw = file.read(BEGINNING)
    if not raw:
        return "it is empty"
    try:
        content = WarcStream(file).peek(BEGINNING)
    except DamagedFileError as error:
        return error.why
    is_cut = bool(content) and b"WARC/1.1\r\n".startswith(content[:10])
    if ARCHIVE.match(content) or is_cut:
        return ""
    return of_compression(raw) or of_version(content) or of_content(content)


def of_compression(raw: bytes) -> str:
    """Return why a file is not read that is compressed in another way; else an empty text."""
    for magic, name, tool in COMPRESSED:
        if raw.startswith(magic):
            return UNPACK.format(name, tool)
    return next(
        (f"it is packed by {name}; unpack it first" for magic, name in PACKED
         if raw.startswith(magic)), ""
    )  # fmt: skip


def of_version(content: bytes) -> str:
    """Return why records of another version of WARC are not read; else an empty text."""
    found = WARC_VERSION.match(content)
    if found is None:
        return ""
    version, behind = found[1].decode("ascii"), found[2]
    if version.startswith("0.") and behind == b" ":
        return (
            f"it has records of WARC {version}, a draft whose records have another form; convert "
            "it to WARC 1.0 with the tool that wrote it"
        )
    return f"it has records of WARC {version}, which is not known here; read are 0.14 to 1.1"


def of_content(content: bytes) -> str:
    """Return why content that has no records is not read."""
    if content[TAR] == b"ustar":
        return "it is a tar archive; unpack it first: tar -xf FILE"
    for magic, name in BINARY:
        if content.startswith(magic):
            return NOT_ONE.format(name)
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, name in TEXT:
        if re.match(pattern, text, re.IGNORECASE):
            return NOT_ONE.format(name) if ";" not in name else f"it is {name}"
    if not content:
        return "it has no record"
    return "it does not begin with a record of WARC or ARC"
