"""Records of WARC files for tests, each a gzip member of its own."""

import gzip
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

__all__ = ["record", "response", "write_warc"]


def record(
    url: str, at: datetime, block: bytes, *, kind: str = "response", fields: str = ""
) -> bytes:
    """Return a record."""
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: {at:%Y-%m-%dT%H:%M:%SZ}\r\nContent-Type: application/http;msgtype=response\r\n"
        f"WARC-Record-ID: <urn:uuid:{abs(hash((url, at, block))):032x}>\r\n"
        f"Content-Length: {len(block)}\r\n{fields}\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1, mtime=0)


def response(
    url: str,
    at: datetime,
    status: int,
    body: bytes = b"",
    headers: Iterable[tuple[str, str]] = (),
    *,
    fields: str = "",
) -> bytes:
    """Return the record of a response."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    block = f"HTTP/1.1 {status} Some\r\n{lines}\r\n".encode() + body
    return record(url, at, block, fields=fields)


def write_warc(path: Path, records: Iterable[bytes]) -> Path:
    """Write records to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(records))
    return path
