"""The list of the files in a WACZ, with their digests.

Scope: `datapackage.json` and `datapackage-digest.json`, and whether a file is as its digest says. A
digest shows that a file is whole. Who wrote the WACZ can write any digest.

Source: WACZ 1.1.1, section "datapackage.json"; Data Package 1.0, "hash" and, in files of py-wacz
before 0.3, "stats"; Multi-WACZ 0.1.0, https://specs.webrecorder.net/multi-wacz/0.1.0/.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from goodbot.warc.zip_members import pieces_of

__all__ = ["ListedFile", "NotAWaczError", "files_listed_in", "why_not"]

MANIFEST, DIGEST = "datapackage.json", "datapackage-digest.json"
OLD_MANIFEST = "webarchive.yaml"
MOST_JSON = 16 * 1024 * 1024
"""The most bytes of `datapackage.json`: 100,000 files take some 15 MiB."""
FREE_JSON, TIMES_JSON = 256 * 1024, 32
"""It may also be no larger than the first, and its compressed size so many times: digests hardly
compress, and brackets, which take 30 times as much memory, to a thousandth."""

ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
BY_LENGTH = {32: "md5", 40: "sha1", 64: "sha256", 128: "sha512"}
"""The algorithm of a digest without its name, by the number of its digits."""
HEX = re.compile(r"[0-9a-f]+")


class NotAWaczError(Exception):
    """A ZIP file is not a WACZ. It never leaves the room."""


class ListedFile(NamedTuple):
    """A file that `datapackage.json` lists."""

    path: str
    """Its path in the WACZ, or a URL."""
    digest: str
    """Its digest, such as `sha256:` and digits; empty if none is stated."""


def files_listed_in(package: zipfile.ZipFile) -> list[ListedFile]:
    """Return the files that `datapackage.json` lists.

    Raises:
        NotAWaczError: There is none that can be read, or it is not the one that was digested.

    """
    names = set(package.namelist())
    if MANIFEST not in names:
        message = f"it has no {MANIFEST}"
        if OLD_MANIFEST in names:
            message = f"it is of WACZ 0.1.0, with {OLD_MANIFEST} and no digests; unpack it"
        raise NotAWaczError(message)
    content = json_in(package, MANIFEST)
    if DIGEST in names:
        stated = digest_stated(as_dict(json.loads(json_in(package, DIGEST))))
        if not is_digest(stated) or digest_of(iter([content]), stated) != stated:
            message = f"{MANIFEST} was changed: its digest differs"
            raise NotAWaczError(message)
    resources = as_dict(json.loads(content)).get("resources")
    listed = map(as_dict, resources if isinstance(resources, list) else [])
    return [
        ListedFile(str(one.get("path") or one.get("url")), digest_stated(one)) for one in listed
    ]


def json_in(package: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member, which must be small.

    Raises:
        NotAWaczError: It is too large.

    """
    compressed = package.getinfo(name).compress_size
    most = min(MOST_JSON, FREE_JSON + TIMES_JSON * compressed)
    with package.open(name) as member:
        content = member.read(most + 1)
    if len(content) > MOST_JSON:
        message = f"{name} is larger than 16 MiB"
        raise NotAWaczError(message)
    if len(content) > most:
        message = f"{name} has {compressed:,} bytes and expands beyond all measure"
        raise NotAWaczError(message)
    return content


def as_dict(value: object) -> dict[str, Any]:
    """Return a value if it is a JSON object, and else an empty one."""
    return value if isinstance(value, dict) else {}


def digest_stated(resource: dict[str, Any]) -> str:
    """Return the digest of a file, with the name of its algorithm; empty without one.

    >>> digest_stated({"stats": {"hash": "d41d8cd98f00b204e9800998ecf8427e"}})
    'md5:d41d8cd98f00b204e9800998ecf8427e'
    """
    stated = resource.get("hash") or as_dict(resource.get("stats")).get("hash")
    if not isinstance(stated, str):
        return ""
    name, colon, digits = stated.strip().rpartition(":")
    if not colon:
        named = resource.get("hashing")
        name = named if isinstance(named, str) else BY_LENGTH.get(len(digits), "unknown")
    return f"{name.lower().replace('-', '')}:{digits.lower()}"


def is_digest(stated: str) -> bool:
    """Return whether a digest can be checked."""
    name, _, digits = stated.partition(":")
    return name in ALGORITHMS and HEX.fullmatch(digits) is not None


def digest_of(pieces: Iterator[bytes], like: str) -> str:
    """Return the digest of some content, of the same algorithm as another."""
    name = like.partition(":")[0]
    digest = hashlib.new(name, usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    return f"{name}:{digest.hexdigest()}"


def why_not(file: BinaryIO | None, stated: str | None) -> str:
    """Return why a file is not read; empty if it is as its digest says.

    Args:
        file: The file; `None` if it cannot be opened.
        stated: Its digest; empty without one, `None` if the file is not listed.

    """
    if file is None:
        return "it is encrypted, damaged, or expands beyond all measure"
    if stated is None:
        return f"{MANIFEST} does not list it"
    if not stated:
        return f"{MANIFEST} has no digest of it"
    if not is_digest(stated):
        name = stated.partition(":")[0]
        return f"{MANIFEST} has a digest of {name}, which is not known; known are MD5 and SHA"
    file.seek(0)
    is_right = digest_of(pieces_of(file), stated) == stated
    return "" if is_right else f"its digest in {MANIFEST} differs; fetch the file again"
