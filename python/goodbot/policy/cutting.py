"""Which part of a robots.txt counts if it was cut.

Scope: from the bytes that were read to those that count. Half a line would be another rule or
another robot, so a line that is cut is dropped. If no complete line is left, it is unknown what the
file says, and that is not permission.

Source: RFC 9309 section 2.5 (a limit of at least 500 KiB); no document covers half a line.
"""

from goodbot._core import Dialect

__all__ = ["whole_lines"]

BLANK = b"\xef\xbb\xbf \t\x0b\x0c\r\n"
"""The content of a file that says nothing: a byte order mark and white space."""


def whole_lines(body: bytes, dialect: Dialect, *, truncated: bool) -> tuple[bytes, bool]:
    r"""Return the content that counts, and whether nothing of it is left.

    Args:
        body: The content, or its beginning.
        dialect: The core cuts the content at its `size_limit` (`RobotsTxt.is_cut_short`): a line
            that ends at the limit is complete.
        truncated: Whether `body` is only the beginning.

    >>> from goodbot import dialect
    >>> whole_lines(b"Allow: /a\nDisallow: /", dialect("rfc9309"), truncated=True)
    (b'Allow: /a\n', False)
    >>> whole_lines(b"Disallow: /", dialect("rfc9309"), truncated=True)
    (b'', True)

    """
    if not truncated:
        return body, False
    limit = int(dialect.choices["size_limit"])
    is_cut_by_dialect = limit and len(body) > limit and dialect.choices["over_size"] != "keep"
    if is_cut_by_dialect:
        return body, False
    whole = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return whole, not whole.strip(BLANK)
