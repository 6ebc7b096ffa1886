"""WARC files as other crawlers write them, made by hand for tests of the import."""

import gzip
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

__all__ = ["NOON", "http", "record", "response", "write_warc"]

NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
END = b"\r\n\r\n"


def http(body: bytes = b"", status: int = 200, fields: Mapping[str, str] | None = None) -> bytes:
    """Return a response as bytes; by default it is HTML."""
    lines = {"Content-Type": "text/html", **(fields or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status} x\r\n{head}\r\n".encode() + body


def record(
    kind: str,
    url: str | None = None,
    block: bytes = b"",
    *,
    at: datetime = NOON,
    length: int | None = None,
    **fields: str,
) -> bytes:
    """Return a record; underscores in the names of fields become hyphens."""
    lines = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{abs(hash((kind, url, at, block)))}>",
        "WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **({} if url is None else {"WARC-Target-URI": url}),
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in fields.items()},
        "Content-Length": str(len(block) if length is None else length),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + END


def response(
    url: str, body: bytes | str, status: int = 200, *, hours: float = 0, **fields: str
) -> bytes:
    """Return the record of a response, captured some hours after noon."""
    content = body.encode() if isinstance(body, str) else body
    kinds = {"Content-Type": "text/plain"} if url.endswith("robots.txt") else {}
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    block = http(content, status, {**kinds, **named})
    return record("response", url, block, at=NOON + timedelta(hours=hours))


def write_warc(path: Path, records: Iterable[bytes], how: str = "by record") -> Path:
    """Write records: compressed `by record`, as a `whole`, or `plain`."""
    parts = list(records)
    if how == "by record":
        path.write_bytes(b"".join(gzip.compress(part) for part in parts))
    else:
        content = b"".join(parts)
        path.write_bytes(gzip.compress(content) if how == "whole" else content)
    return path
