"""A WACZ file: a ZIP file with a list of its members and their digests.

Scope: the form of the file. It is written in one pass, also to a pipe: then each member is followed
by its length (ZIP, data descriptors), because the file cannot be changed behind it.

Source: WACZ 1.1.1, https://specs.webrecorder.net/wacz/1.1.1/; ZIP is written by Python's `zipfile`.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Any, BinaryIO

__all__ = ["Member", "WaczPackage", "digest_text"]

VERSION = "1.1.1"
MANIFEST = "datapackage.json"
SHA256 = "sha256"
EARLIEST = 1980
"""The first year that a ZIP file can state."""


class Member:
    """A member that is being written; it counts its bytes and computes their digests.

    Args:
        stream: What is written to.
        algorithms: The names of the digests.

    """

    def __init__(self, stream: Any, algorithms: Sequence[str] = (SHA256,)) -> None:  # noqa: ANN401  the type is private to `zipfile`
        """Start with nothing."""
        self._stream = stream
        self._digests = {name: hashlib.new(name, usedforsecurity=False) for name in algorithms}
        self.bytes = 0

    def write(self, content: bytes) -> int:
        """Write some bytes."""
        self._stream.write(content)
        for digest in self._digests.values():
            digest.update(content)
        self.bytes += len(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: all bytes are written when the member ends."""

    def digest(self, name: str = SHA256) -> str:
        """Return a digest of what was written."""
        return f"{name}:{self._digests[name].hexdigest()}"


class ForwardOnly:
    """A stream that is only written to, such as a pipe, even if it could do more."""

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap the stream."""
        self.write = stream.write
        self.flush = stream.flush


class WaczPackage:
    """A WACZ file that is being written.

    Args:
        file: Where to write it.
        at: The time for its members; an aware `datetime`.
        streamed: Whether `file` must only be written forward.

    """

    def __init__(self, file: BinaryIO, at: datetime, *, streamed: bool = False) -> None:
        """Write nothing yet."""
        target: Any = ForwardOnly(file) if streamed else file
        self._zip = zipfile.ZipFile(target, "w")
        year = max(at.year, EARLIEST)
        self._at = (year, at.month, at.day, at.hour, at.minute, at.second)
        self._resources: list[dict[str, str | int]] = []

    @contextmanager
    def member(self, path: str, *, size: int = 0, deflated: bool = False) -> Iterator[Member]:
        """Open a member for writing; only one can be open at a time.

        Args:
            path: Its path in the file.
            size: Its size in bytes, if it is known or may be very large.
            deflated: Whether to compress it. What is compressed already must be stored as it is
                (WACZ 1.1.1, Zip Compression).

        """
        facts = zipfile.ZipInfo(path, self._at)
        facts.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
        facts.file_size = size
        with self._zip.open(facts, "w") as stream:
            member = Member(stream)
            yield member
        name = path.rpartition("/")[2]
        self._resources.append(
            {"name": name, "path": path, "hash": member.digest(), "bytes": member.bytes}
        )

    def __enter__(self) -> "WaczPackage":  # noqa: PYI034  Python 3.10 has no Self
        """Return the file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Write nothing more after a failure: a file without its end is no ZIP file."""
        self._zip.fp = None

    def finish(
        self, facts: Mapping[str, Any], sign: Callable[[str], Mapping[str, str]] | None = None
    ) -> None:
        """Write the list of members with its digest, and end the file.

        Args:
            facts: What the list says of the whole, such as `title`.
            sign: Returns the signature of a digest (`signedData`); `None` for a file without one.

        """
        resources = [*self._resources]
        manifest = {"profile": "data-package", "wacz_version": VERSION, **facts}
        with self.member(MANIFEST, deflated=True) as member:
            member.write(as_json({**manifest, "resources": resources}))
        digest: dict[str, Any] = {"path": MANIFEST, "hash": member.digest()}
        if sign is not None:
            digest["signedData"] = sign(member.digest())
        with self.member("datapackage-digest.json", deflated=True) as member:
            member.write(as_json(digest))
        self._zip.close()


def as_json(values: Mapping[str, Any]) -> bytes:
    """Return values as JSON, indented for people."""
    return json.dumps(values, indent=2).encode() + b"\n"


def digest_text(digest: bytes) -> str:
    """Return a SHA-256 in the form of the list of members."""
    return f"sha256:{digest.hex()}"
