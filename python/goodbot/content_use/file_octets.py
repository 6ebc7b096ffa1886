"""The bytes of a file that somebody passes as bytes or as text."""

__all__ = ["file_octets"]


def file_octets(content: bytes | str) -> bytes:
    r"""Return the content of a file as bytes.

    Half of a surrogate pair, which no encoding has, becomes bytes that are not UTF-8. They are
    read as those of any other file with a faulty encoding.

    >>> file_octets("\u00e9"), file_octets(chr(0xD800)), file_octets(b"a")
    (b'\xc3\xa9', b'\xed\xa0\x80', b'a')
    """
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
