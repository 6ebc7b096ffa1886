"""A WACZ file with rewritten WARC files: its index, its pages and its digests follow.

Scope: one package, from its members to those of the new one. Members that have nothing to do with
removed records stay as they are. A signature of the old package says nothing about the new one, and
is not kept.

Source: WACZ 1.1.1, https://specs.webrecorder.net/wacz/1.1.1/; CDXJ 0.1.0 (ZipNum).
"""

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from tempfile import TemporaryFile
from typing import BinaryIO

from goodbot.crawl.reconsidering.capture_indexes import Find, rewrite_index
from goodbot.crawl.wacz.cdxj import LINES
from goodbot.crawl.wacz.package import Member, digest_text
from goodbot.warc.wacz_digests import DIGEST, MANIFEST
from goodbot.warc.warc_sources import is_wacz, is_warc

__all__ = ["IsGone", "RewriteMember", "rewrite_wacz"]

PIECE = 1024 * 1024
RewriteMember = Callable[[str, Member], bool]
"""Writes a WARC file in the package anew, by its name; `False` if it stays as it is."""
IsGone = Callable[[str, str], bool]
"""Whether the page of a URL and a time is gone."""
ALGORITHMS = ("sha256", "md5", "sha1", "sha512")
"""The digests of which a package may state one."""
PAGES = re.compile(r"pages/[^/]+\.jsonl")
INDEX = re.compile(r"indexes/[^/]+\.(?:cdxj|cdx)(?:\.gz)?")
BLOCKS = re.compile(r"indexes/[^/]+\.idx")
ABOUT_THE_MAIN_PAGE = ("mainPageUrl", "mainPageUrl", "mainPageURL", "mainPageDate", "mainPageTs")


def rewrite_wacz(
    file: BinaryIO,
    target: BinaryIO,
    name: str,
    rewrite: RewriteMember,
    find: Find,
    is_gone: IsGone,
    *,
    modified: str,
) -> None:
    """Write a WACZ file anew.

    Args:
        file: The old file.
        target: The new one.
        name: The name of the old one, with which the names of its WARC files begin.
        rewrite: Writes a WARC file in it anew.
        find: Finds a record by its place in the index.
        is_gone: Says which pages are gone.
        modified: The time, as the list of members has it.

    """
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        new.comment = old.comment
        written: dict[str, Member] = {}
        blocks: list[bytes] = []
        late = [one for one in old.infolist() if one.filename in {MANIFEST, DIGEST}]
        others = [one for one in old.infolist() if one not in late]
        # The small index is made of the large one.
        for member in sorted(others, key=lambda one: bool(BLOCKS.fullmatch(one.filename))):
            facts = copied_facts(member)
            with new.open(facts, "w") as stream:
                sink = written[member.filename] = Member(stream, ALGORITHMS)
                if is_wacz(member):
                    rewrite_inner(
                        old,
                        member,
                        sink,
                        f"{name}/{member.filename}",
                        rewrite,
                        find,
                        is_gone,
                        modified,
                    )
                elif is_warc(member):
                    if not rewrite(f"{name}/{member.filename}", sink):
                        copy_member(old, member, sink)
                elif INDEX.fullmatch(member.filename):
                    lines = rewrite_index(lines_of(old, member), find)
                    blocks = write_index(lines, member.filename, sink)
                elif BLOCKS.fullmatch(member.filename):
                    sink.write(b"".join(blocks))
                elif PAGES.fullmatch(member.filename):
                    for line in kept_pages(lines_of(old, member), is_gone):
                        sink.write(line)
                else:
                    copy_member(old, member, sink)
        if any(one.filename == MANIFEST for one in late):
            content = manifest_of(old, written, is_gone, modified)
            new.writestr(copied_facts(old.getinfo(MANIFEST)), content)
            digest = digest_text(hashlib.sha256(content).digest())
            if any(one.filename == DIGEST for one in late):
                plain = json.dumps({"path": MANIFEST, "hash": digest}, indent=2) + "\n"
                new.writestr(copied_facts(old.getinfo(DIGEST)), plain)


def copied_facts(member: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return the facts of a member for a new one of the same name."""
    facts = zipfile.ZipInfo(member.filename, member.date_time)
    facts.compress_type = member.compress_type
    facts.external_attr, facts.comment = member.external_attr, member.comment
    facts.file_size = member.file_size
    return facts


def copy_member(old: zipfile.ZipFile, member: zipfile.ZipInfo, sink: Member) -> None:
    """Copy the content of a member."""
    with old.open(member) as content:
        while piece := content.read(PIECE):
            sink.write(piece)


def rewrite_inner(
    old: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    sink: Member,
    name: str,
    rewrite: RewriteMember,
    find: Find,
    is_gone: IsGone,
    modified: str,
) -> None:
    """Write a WACZ in another one anew."""
    with TemporaryFile() as inner, TemporaryFile() as done:
        with old.open(member) as content:
            while piece := content.read(PIECE):
                inner.write(piece)
        rewrite_wacz(inner, done, name, rewrite, find, is_gone, modified=modified)
        done.seek(0)
        while piece := done.read(PIECE):
            sink.write(piece)


def lines_of(old: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the lines of a member, which may be compressed by gzip."""
    with old.open(member) as content:
        is_gzip = content.read(2) == b"\x1f\x8b"
    with old.open(member) as content:
        reader = gzip.GzipFile(fileobj=content) if is_gzip else content
        yield from io.BufferedReader(reader)  # type: ignore[type-var]  # both can be read


def write_index(lines: Iterable[bytes], name: str, sink: Member) -> list[bytes]:
    """Write an index; return the lines of the small one, if it is compressed in blocks."""
    if not name.endswith(".gz"):
        for line in lines:
            sink.write(line)
        return []
    file = name.rpartition("/")[2]
    first = {"format": "cdxj-gzip-1.0", "filename": file}
    blocks = [b"!meta 0 " + json.dumps(first).encode() + b"\n"]
    left = iter(lines)
    while block := list(islice(left, LINES)):
        member = gzip.compress(b"".join(block), mtime=0)
        key, time, *_ = block[0].split(b" ", 2)
        place = {
            "offset": sink.bytes,
            "length": len(member),
            "digest": digest_text(hashlib.sha256(member).digest()),
            "filename": file,
        }
        blocks.append(b" ".join((key, time, json.dumps(place).encode() + b"\n")))
        sink.write(member)
    return blocks


def kept_pages(lines: Iterable[bytes], is_gone: IsGone) -> Iterator[bytes]:
    """Yield the lines of a list of pages, without those that are gone."""
    for line in lines:
        try:
            page = json.loads(line)
            url, time = page.get("url"), page.get("ts", "")
        except (ValueError, AttributeError):
            url = time = None
        if isinstance(url, str) and is_gone(url, str(time)):
            continue
        yield line


def manifest_of(
    old: zipfile.ZipFile, written: dict[str, Member], is_gone: IsGone, modified: str
) -> bytes:
    """Return the list of members with the digests of the new ones."""
    manifest = json.loads(old.read(MANIFEST))
    for resource in manifest.get("resources", []):
        sink = written.get(str(resource.get("path")))
        if sink is None:
            continue
        if "bytes" in resource:
            resource["bytes"] = sink.bytes
        holders = [one for one in (resource, resource.get("stats")) if isinstance(one, dict)]
        for holder in holders:
            stated = holder.get("hash")
            if isinstance(stated, str):
                algorithm, colon, _ = stated.rpartition(":")
                known = algorithm.lower().replace("-", "")
                known = known if known in ALGORITHMS else "sha256"
                digest = sink.digest(known)
                holder["hash"] = digest if colon else digest.partition(":")[2]
            if holder is not resource and "bytes" in holder:
                holder["bytes"] = sink.bytes
    main = next((manifest[name] for name in ABOUT_THE_MAIN_PAGE if name in manifest), None)
    if isinstance(main, str) and is_gone(main, ""):
        manifest = {key: one for key, one in manifest.items() if key not in ABOUT_THE_MAIN_PAGE}
    if "modified" in manifest or "created" in manifest:
        manifest["modified"] = modified
    return json.dumps(manifest, indent=2).encode() + b"\n"
