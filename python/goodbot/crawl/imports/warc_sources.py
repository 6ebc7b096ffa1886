"""The WARC files that an import reads: files by themselves, and those in WACZ files.

Scope: opening them. A WACZ file is a ZIP file: of its members in `archive/`, those are read whose
digest in `datapackage.json` is right; what is omitted is reported. Nothing is unpacked, except
members that are compressed, to a temporary file and within bounds.

Source: WACZ 1.1.1, sections "Directories and Files" and "datapackage.json"; APPNOTE 6.3.10, section
4.3.7 (local file header).
"""

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from goodbot.errors import MisuseError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["UnreadPart", "WarcSource", "open_warcs"]

ZIP_MAGIC = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""The signature of a member, and the lengths of its name and of its extra field."""

PIECE = 1024 * 1024
MOST_JSON = 16 * 1024 * 1024
"""The most bytes of `datapackage.json`: 100,000 files take some 15 MiB."""
TIMES = 20
FREE = 64 * 1024 * 1024
"""The WARC files of a WACZ file may expand to this many times their size, and by this many bytes in
any case. Most are compressed already, and stored as they are."""

ENCRYPTED = 1
"""The bit of a member that says so."""

DIGEST = "sha256:"
ENDINGS = (".warc", ".warc.gz")

UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    struct.error, KeyError, OverflowError,
)  # fmt: skip
"""What `zipfile` raises because of a damaged file."""


class WarcSource(NamedTuple):
    """A WARC file to read."""

    name: str
    """Its path; of one in a WACZ file, the path of that and its own in it."""
    file: BinaryIO


class UnreadPart(NamedTuple):
    """A part of a file that was not read."""

    file: str
    offset: int
    """Where it begins in the file; within a compressed file, roughly."""
    bytes: int
    """Its size."""
    why: str
    """Why it was not read, as a clause."""


class NotAWaczError(Exception):
    """A ZIP file is not a WACZ. It never leaves the room."""


def open_warcs(path: Path, stack: ExitStack) -> tuple[list[WarcSource], list[UnreadPart]]:
    """Open a WARC file, or those in a WACZ file; return also what of that is not read.

    Args:
        path: The file.
        stack: Closes what is opened.

    Raises:
        MisuseError: It is a ZIP file, but not a WACZ.
        OSError: It cannot be read.

    """
    file = stack.enter_context(path.open("rb"))
    if file.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
        return [WarcSource(str(path), file)], []
    try:
        return members_of(file, str(path), stack)
    except (NotAWaczError, *UNREADABLE) as error:
        message = f"{path} is a ZIP file, but no WACZ ({error}); name WARC or WACZ files"
        raise MisuseError(message) from error


def members_of(
    file: BinaryIO, name: str, stack: ExitStack
) -> tuple[list[WarcSource], list[UnreadPart]]:
    """Open the WARC files in a WACZ file; return also what is not read.

    Raises:
        NotAWaczError: It is not a WACZ.

    """
    package = stack.enter_context(zipfile.ZipFile(file))
    size = file.seek(0, os.SEEK_END)
    if not all(0 <= one.header_offset < size for one in package.infolist()):
        message = "a member begins outside of the file"
        raise NotAWaczError(message)
    digests = digests_in(package)
    found: list[WarcSource] = []
    unread: list[UnreadPart] = []
    members = [one for one in package.infolist() if is_warc(one)]
    compressed = sum(one.compress_size for one in members)
    if compressed > size:
        message = "its members overlap"
        raise NotAWaczError(message)
    unpacked = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  the stack closes it
    copies = Copies(package, unpacked, FREE + TIMES * compressed)
    for member in members:
        path = f"{name}/{member.filename}"
        is_stored = member.compress_type == zipfile.ZIP_STORED
        content = stored_in(file, member) if is_stored else copies.of(member)
        why = why_not(content, digests.get(member.filename))
        if content is None or why:
            unread.append(UnreadPart(path, 0, member.file_size, why))
        else:
            found.append(WarcSource(path, content))
    return found, unread


def is_warc(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a WARC file."""
    name = member.filename
    return name.startswith("archive/") and name.lower().endswith(ENDINGS)


def digests_in(package: zipfile.ZipFile) -> Mapping[str, str]:
    """Return the digests that `datapackage.json` states, by path.

    Raises:
        NotAWaczError: There is none that can be read, or it is not the one that was digested.

    """
    names = set(package.namelist())
    if "datapackage.json" not in names:
        message = "it has no datapackage.json"
        raise NotAWaczError(message)
    content = json_in(package, "datapackage.json")
    if "datapackage-digest.json" in names:
        stated = as_dict(json.loads(json_in(package, "datapackage-digest.json"))).get("hash")
        if stated != DIGEST + hashlib.sha256(content).hexdigest():
            message = "datapackage.json was changed: its digest differs"
            raise NotAWaczError(message)
    resources = as_dict(json.loads(content)).get("resources")
    listed = map(as_dict, resources if isinstance(resources, list) else [])
    return {str(one.get("path")): str(one.get("hash")) for one in listed}


def json_in(package: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member, which must be small.

    Raises:
        NotAWaczError: It is too large.

    """
    with package.open(name) as member:
        content = member.read(MOST_JSON + 1)
    if len(content) > MOST_JSON:
        message = f"{name} is larger than 16 MiB"
        raise NotAWaczError(message)
    return content


def as_dict(value: object) -> dict[str, Any]:
    """Return a value if it is a JSON object, and else an empty one."""
    return value if isinstance(value, dict) else {}


def why_not(file: BinaryIO | None, stated: str | None) -> str:
    """Return why a WARC file is not read; empty if it is as its digest says."""
    if file is None:
        return "it is encrypted, damaged, or expands beyond all measure"
    if stated is None:
        return "datapackage.json does not list it"
    if not stated.startswith(DIGEST):
        return "datapackage.json has no SHA-256 digest of it"
    digest = hashlib.sha256()
    file.seek(0)
    for piece in pieces_of(file):
        digest.update(piece)
    return "" if stated == DIGEST + digest.hexdigest() else "its digest in datapackage.json differs"


def stored_in(file: BinaryIO, member: zipfile.ZipInfo) -> BinaryIO | None:
    """Open a member that is not compressed; `None` if it cannot be read."""
    file.seek(member.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if member.flag_bits & ENCRYPTED or len(head) < LOCAL_HEADER.size:
        return None
    signature, name, extra = LOCAL_HEADER.unpack(head)
    start = member.header_offset + LOCAL_HEADER.size + name + extra
    part = FilePart(file, start, member.file_size)
    return io.BufferedReader(part) if signature == ZIP_MAGIC else None


class Copies:
    """Decompressed members of a ZIP file, in one temporary file.

    Args:
        package: The ZIP file.
        file: The temporary file, which is empty.
        left: How many bytes it may take.

    """

    def __init__(self, package: zipfile.ZipFile, file: BinaryIO, left: int) -> None:
        """Start with none."""
        self._package, self._file, self._left, self._end = package, file, left, 0

    def of(self, member: zipfile.ZipInfo) -> BinaryIO | None:
        """Decompress a member; `None` if it cannot be read, or there is no room for it."""
        start = self._end
        if member.flag_bits & ENCRYPTED or member.file_size > self._left:
            return None
        self._left -= member.file_size  # of a member, `zipfile` returns no more
        self._file.seek(start)
        try:
            with self._package.open(member) as content:
                for piece in pieces_of(content):
                    self._end += self._file.write(piece)
        except UNREADABLE:
            return None
        return io.BufferedReader(FilePart(self._file, start, self._end - start))


def pieces_of(file: Any) -> Iterator[bytes]:  # noqa: ANN401  whatever has `read`
    """Yield the rest of a file in pieces."""
    while piece := file.read(PIECE):
        yield piece


class FilePart(io.RawIOBase):
    """A part of a file, as a file.

    Args:
        file: The file, which others may read meanwhile.
        start: Where the part begins.
        size: The number of its bytes.

    """

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        """Start at its beginning."""
        super().__init__()
        self._file, self._start, self._size, self._at = file, start, size, 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return that it has places."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, and return it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(origin + offset, 0)
        return self._at

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read some bytes; return how many."""
        view = memoryview(buffer)
        self._file.seek(self._start + self._at)
        piece = self._file.read(min(len(view), max(self._size - self._at, 0)))
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
