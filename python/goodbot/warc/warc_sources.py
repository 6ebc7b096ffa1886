"""The WARC files that an import reads: files by themselves, and those in WACZ files.

Scope: opening them, whatever reads them then. A WACZ file is a ZIP file: of its members in
`archive/`, those are read whose digest in `datapackage.json` is right; what is omitted is reported.
A multi-WACZ is a ZIP file with WACZ files, which are read in the same way. Nothing is unpacked,
except members that are compressed, to a temporary file and within bounds.

Source: WACZ 1.1.1, sections "Directories and Files" and "datapackage.json"; Multi-WACZ 0.1.0,
section "ZIP Packaging".
"""

import os
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from goodbot.errors import MisuseError
from goodbot.warc.archive_forms import begins_archive
from goodbot.warc.wacz_digests import NotAWaczError, files_listed_in, why_not
from goodbot.warc.zip_members import UNREADABLE, ZIP_MAGIC, Copies, stored_in

__all__ = ["UnreadPart", "WarcSource", "is_archive", "is_named_archive", "open_warcs"]

TIMES = 20
FREE = 64 * 1024 * 1024
"""The WARC files of a WACZ file may expand to this many times their size, and by this many bytes in
any case. Most are compressed already, and stored as they are."""

WACZ = ".wacz"
ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
"""The names of files with records."""
NAMED_SO = (*ENDINGS, WACZ, ".warc.bz2", ".warc.xz", ".warc.lz4")
"""The names of files that are meant as web archives; some are refused with their form."""


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


def is_archive(path: Path) -> bool:
    """Return whether a file is a web archive, by its name or its first bytes.

    Raises:
        OSError: It cannot be read.

    """
    if is_named_archive(path):
        return True
    with path.open("rb") as file:
        return begins_archive(file)


def is_named_archive(path: Path) -> bool:
    """Return whether a file has the name of a web archive."""
    return path.name.lower().endswith(NAMED_SO)


def open_warcs(path: Path, stack: ExitStack) -> tuple[list[WarcSource], list[UnreadPart]]:
    """Open a WARC file, or those in a WACZ file; return also what of that is not read.

    Args:
        path: The file.
        stack: Closes what is opened.

    Raises:
        MisuseError: It is a pipe, a ZIP file but not a WACZ, or a damaged ZIP file.
        OSError: It cannot be read.

    """
    file = stack.enter_context(path.open("rb"))
    if not file.seekable():
        message = f"{path} is a pipe, and web archives are read more than once; write it to a file"
        raise MisuseError(message)
    if file.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
        return [WarcSource(str(path), file)], []
    package = OpenedPackage(stack)
    try:
        package.read(file, str(path), is_inner=False)
    except zipfile.BadZipFile as error:  # its table is at its end
        message = (
            f"{path} is a ZIP file that is damaged or cut off ({error}); fetch it again, or name "
            "other WARC, ARC or WACZ files"
        )
        raise MisuseError(message) from error
    except (NotAWaczError, *UNREADABLE) as error:
        message = f"{path} is a ZIP file, but no WACZ ({error}); name WARC, ARC or WACZ files"
        raise MisuseError(message) from error
    return package.found, package.unread


class OpenedPackage:
    """The WARC files in a WACZ file, also those in WACZ files in it.

    Args:
        stack: Closes what is opened.

    """

    def __init__(self, stack: ExitStack) -> None:
        """Start with none."""
        self._stack = stack
        self.found: list[WarcSource] = []
        self.unread: list[UnreadPart] = []

    def read(self, file: BinaryIO, name: str, *, is_inner: bool) -> None:
        """Open what is in a WACZ file.

        Args:
            file: The file.
            name: Its name.
            is_inner: Whether it is in another one, so that no further one in it is read.

        Raises:
            NotAWaczError: It is not a WACZ.

        """
        package = self._stack.enter_context(zipfile.ZipFile(file))
        size = file.seek(0, os.SEEK_END)
        if not all(0 <= one.header_offset < size for one in package.infolist()):
            message = "a member begins outside of the file"
            raise NotAWaczError(message)
        listed = {one.path: one.digest for one in files_listed_in(package)}
        members = [one for one in package.infolist() if is_warc(one) or is_wacz(one)]
        compressed = sum(one.compress_size for one in members)
        if compressed > size:
            message = "its members overlap"
            raise NotAWaczError(message)
        away = [path for path in listed if "://" in path]
        if not members and not away:
            message = "it has no WARC files in archive/"
            raise NotAWaczError(message)
        self.unread += [UnreadPart(path, 0, 0, f"{name} has only its URL") for path in away]
        unpacked = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  the stack
        copies = Copies(package, unpacked, FREE + TIMES * compressed)
        for member in members:
            is_stored = member.compress_type == zipfile.ZIP_STORED
            content = stored_in(file, member) if is_stored else copies.of(member)
            self._add(name, member, content, listed, is_inner=is_inner)

    def _add(
        self,
        name: str,
        member: zipfile.ZipInfo,
        content: BinaryIO | None,
        listed: Mapping[str, str],
        *,
        is_inner: bool,
    ) -> None:
        """Add a member, or what is in it."""
        path, why = f"{name}/{member.filename}", why_not(content, listed.get(member.filename))
        if is_wacz(member) and content is not None and listed.get(member.filename) == "":
            why = ""  # a WACZ has the digests of its own files
        if content is None or why:
            self.unread.append(UnreadPart(path, 0, member.file_size, why))
        elif not is_wacz(member):
            self.found.append(WarcSource(path, content))
        elif is_inner:
            why = "it is in a WACZ in another one, in which no further one is read; unpack it"
            self.unread.append(UnreadPart(path, 0, member.file_size, why))
        else:
            try:
                self.read(content, path, is_inner=True)
            except (NotAWaczError, *UNREADABLE) as error:
                why = f"it is no WACZ ({error})"
                self.unread.append(UnreadPart(path, 0, member.file_size, why))


def is_warc(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a WARC file."""
    name = member.filename
    return name.startswith("archive/") and name.lower().endswith(ENDINGS)


def is_wacz(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a WACZ file."""
    return member.filename.lower().endswith(WACZ)
