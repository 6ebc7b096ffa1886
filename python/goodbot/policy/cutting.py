"""What is left of a robots.txt that was cut: the one rule.

What may live here: from the bytes that were read to those that count. Half a line is another rule,
or another robot, so a line that is cut is dropped. Where nothing whole is left, nobody knows what
the file says, and that is no permission.

Source: RFC 9309 section 2.5 (a limit of at least 500 KiB); no document says what half a line is.
"""

from goodbot._core import Dialect

__all__ = ["whole_lines"]

BLANK = b"\xef\xbb\xbf \t\r\n"
"""What stands in a file that says nothing: a byte order mark and white space."""


def whole_lines(body: bytes, dialect: Dialect, *, truncated: bool) -> tuple[bytes, bool]:
    r"""Return the content that counts, and whether a cut has left nothing of it.

    Args:
        body: The content, or its beginning.
        dialect: Its `size_limit` cuts, too: the core drops the line in which that falls.
        truncated: Whether `body` is only the beginning.

    >>> from goodbot import dialect
    >>> whole_lines(b"Allow: /a\nDisallow: /", dialect("rfc9309"), truncated=True)
    (b'Allow: /a\n', False)
    >>> whole_lines(b"Disallow: /", dialect("rfc9309"), truncated=True)
    (b'', True)
    >>> whole_lines(b"#" * 600_000, dialect("rfc9309"), truncated=False)[1]
    True

    """
    limit, over_size = int(dialect.choices["size_limit"]), dialect.choices["over_size"]
    if limit and len(body) > limit and over_size != "keep":
        # What the dialect makes of a file of this size it decides itself; a line that ends at its
        # limit is whole.
        return body, over_size != "allow-all" and is_blank(body[: limit + 1])
    if not truncated:
        return body, False
    return up_to_last_line(body), is_blank(body)


def up_to_last_line(body: bytes) -> bytes:
    """Return the lines that end."""
    return body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]


def is_blank(body: bytes) -> bool:
    """Return whether no line that ends has anything in it."""
    return not up_to_last_line(body).strip(BLANK)
