"""The head of an HTTP message: status line and field lines, from bytes."""

import re
from typing import NamedTuple

__all__ = ["FIELD_NAME", "TOKEN", "Head", "read_head"]

LINE_END = re.compile(rb"\r\n|\n|\r")
STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?:[ \t].*)?")
TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  no secret
"""A token (RFC 9110 section 5.6.2)."""
FIELD_NAME = re.compile(TOKEN.encode())
PLAIN_FIELD = re.compile(rf"(?<![^\n])({TOKEN}):([^\r\n]*)\r\n".encode())
"""A field line as nearly all are written. It is looked for where lines begin: at every byte of a
name without a colon, the search would cost the square of its length."""


class Head(NamedTuple):
    """The content of a head."""

    status: int | None
    """The status; `None` if there is no status line."""
    fields: list[tuple[bytes, bytes]]
    """Names as they were written, and values without white space around them."""
    odd: list[tuple[int, bytes]]
    """The lines that are neither, with their numbers from 1."""


def read_head(block: bytes) -> Head:
    r"""Read field lines, and status lines between them: the last response counts, after redirects.

    A line may end in any way, and one that begins with white space continues the field before it.

    >>> head = read_head(b"HTTP/1.1 301 Moved\r\nVary: b\r\n\r\nHTTP/2 200\r\nETag: a\r\nb\r\n")
    >>> head.status, head.fields, head.odd
    (200, [(b'ETag', b'a')], [(6, b'b')])

    Source: RFC 9112 sections 2.2, 4 and 5.2.

    """
    return read_plain_head(block) or read_lines(block)


def read_plain_head(block: bytes) -> Head | None:
    """Read a head at once: a status line or none, and fields of one line; `None` for any other."""
    status, rest = None, block if block.endswith(b"\r\n") else block + b"\r\n"
    if block.startswith(b"HTTP/"):
        line, _, rest = rest.partition(b"\r\n")
        answer = STATUS_LINE.fullmatch(line)
        if answer is None or b"\r" in line:  # which may end a line, too
            return None
        status = int(answer[1])
    found = PLAIN_FIELD.findall(rest)
    if sum(len(name) + len(value) + len(b":\r\n") for name, value in found) != len(rest):
        return None  # there is something else between them
    return Head(status, [(name, value.strip()) for name, value in found], [])


def read_lines(block: bytes) -> Head:
    """Read a head line by line."""
    status: int | None = None
    fields: list[tuple[bytes, list[bytes]]] = []  # a value line by line: joined once, at the end
    odd: list[tuple[int, bytes]] = []
    for number, line in enumerate(LINE_END.split(block), 1):
        answer = STATUS_LINE.fullmatch(line) if line.startswith(b"HTTP/") else None
        name, colon, value = line.partition(b":")
        bare = name.strip()
        if answer:
            status, fields = int(answer[1]), []
        elif line.startswith((b" ", b"\t")) and line.strip() and fields:
            fields[-1][1].append(line.strip())
        elif colon and FIELD_NAME.fullmatch(bare):
            fields.append((bare, [value.strip()]))
        elif line.strip():
            odd.append((number, line))
    return Head(status, [(name, b" ".join(lines)) for name, lines in fields], odd)
