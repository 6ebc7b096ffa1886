r"""A takedown list of your own: URLs, sites, patterns and hashes that must go.

Scope: from the text of the list to whether something is on it. Each line is one entry, and `#`
begins a comment:

| line | is |
|---|---|
| `https://example.com/a` | a URL, in any spelling |
| `https://example.com/private/*` | a pattern for the URLs of an origin, as in robots.txt |
| `example.com` | a site: its host, with any scheme and port |
| `*.example.com` | a site with all its subdomains |
| `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ` | content with this digest, in Base32 or hexadecimal |

>>> listed = read_takedown("*.example.com  # by letter of 3 May\nhttps://a.example/x/../b")
>>> [listed.entry_of(url) for url in ("HTTP://www.Example.com:8080/a", "https://a.example/b")]
[(1, '*.example.com'), (2, 'https://a.example/x/../b')]
>>> listed.entry_of("https://a.example/b/c") is None
True

Source: no document defines such a list. Patterns are those of RFC 9309 section 2.2.3, digests those
of WARC 1.1 section 5.8.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias
from urllib.parse import urlsplit

from goodbot._core import matching_octets
from goodbot.errors import MisuseError, NoOriginError
from goodbot.http.address import address_of

__all__ = ["TakedownEntry", "TakedownList", "read_takedown"]

TakedownEntry: TypeAlias = tuple[int, str]
"""The number of a line, and the entry in it."""

COMMENT = re.compile(r"(?:^|\s)#.*")
LABEL = r"[A-Za-z0-9_\u0080-\U0010ffff-]+"
HOST = re.compile(rf"(\*\.)?({LABEL}(?:\.{LABEL})*|\[[0-9A-Fa-f:.]+\])\.?")
DIGEST = re.compile(r"(md5|sha-?1|sha-?256|sha-?512):([A-Za-z0-9+/=_-]+)", re.IGNORECASE)
SIZES = {"md5": 16, "sha1": 20, "sha256": 32, "sha512": 64}
"""The number of bytes of each digest."""


def read_takedown(content: bytes | str) -> "TakedownList":
    """Parse a takedown list.

    Args:
        content: The list, in UTF-8.

    Raises:
        MisuseError: A line is no entry: an entry that does nothing would be worse than an error.

    """
    text = content if isinstance(content, str) else content.decode("utf-8-sig", "replace")
    entries = [
        (number, entry)
        for number, line in enumerate(text.splitlines(), 1)
        if (entry := COMMENT.sub("", line).strip())
    ]
    return TakedownList(entries)


class TakedownList:
    """A takedown list.

    Args:
        entries: The number of each line, and the entry in it.

    Raises:
        MisuseError: A line is no entry.

    """

    def __init__(self, entries: Iterable[TakedownEntry]) -> None:
        """Sort the entries by what they are."""
        self._urls: dict[str, TakedownEntry] = {}
        self._hosts: dict[str, TakedownEntry] = {}
        self._domains: dict[str, TakedownEntry] = {}
        self._patterns: dict[str, list[tuple[str, TakedownEntry]]] = {}
        self._digests: dict[tuple[str, bytes], TakedownEntry] = {}
        for entry in entries:
            self._add(entry)

    def __len__(self) -> int:
        """Return the number of entries."""
        named = len(self._urls) + len(self._hosts) + len(self._domains) + len(self._digests)
        return named + sum(len(one) for one in self._patterns.values())

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The digests that the list has: `sha1` and the like."""
        return tuple(sorted({name for name, _ in self._digests}))

    def _add(self, entry: TakedownEntry) -> None:
        """Add an entry."""
        number, text = entry
        digest = DIGEST.fullmatch(text)
        if digest is not None:
            name = digest[1].lower().replace("-", "")
            value = digest_bytes(name, digest[2])
            if value is None:
                message = (
                    f"line {number} of the takedown list has no whole digest: {text[:80]!r}; "
                    "write it in Base32 or hexadecimal"
                )
                raise MisuseError(message)
            self._digests.setdefault((name, value), entry)
        elif "://" in text:
            self._add_url(entry)
        else:
            host = HOST.fullmatch(text)
            if host is None:
                message = (
                    f"line {number} of the takedown list is no URL, host or digest: "
                    f"{text[:80]!r}; write https://example.com/page, example.com or sha1:DIGEST"
                )
                raise MisuseError(message)
            known = self._domains if host[1] else self._hosts
            known.setdefault(host_of(f"http://{host[2]}/", number), entry)

    def _add_url(self, entry: TakedownEntry) -> None:
        """Add a URL or a pattern."""
        number, text = entry
        try:
            origin, url = undotted(*address_of(text))
        except NoOriginError as error:
            message = f"line {number} of the takedown list: {error}"
            raise MisuseError(message) from error
        path = text.partition("://")[2]
        path = path[path.find("/") :] if "/" in path else "/"
        if "*" in path or path.endswith("$"):
            self._patterns.setdefault(origin, []).append((path, entry))
        else:
            self._urls.setdefault(url, entry)

    def entry_of(self, url: str, digests: Iterable[str] = ()) -> TakedownEntry | None:
        """Return the entry that something is on the list by; `None` if it is not.

        Args:
            url: Its URL.
            digests: Digests of its content, such as `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`.

        """
        for one in digests:
            stated = DIGEST.fullmatch(one.strip())
            if stated is not None:
                name = stated[1].lower().replace("-", "")
                value = digest_bytes(name, stated[2])
                if value is not None and (name, value) in self._digests:
                    return self._digests[name, value]
        try:
            origin, address = undotted(*address_of(url))
        except NoOriginError:
            return None
        if address in self._urls:
            return self._urls[address]
        host = urlsplit(origin).hostname or ""
        known = self._hosts.get(host) or next(
            (self._domains[one] for one in hosts_above(host) if one in self._domains), None
        )
        if known is not None:
            return known
        for pattern, entry in self._patterns.get(origin, ()):
            if matching_octets(pattern, address) is not None:
                return entry
        return None

    def named_digests(self, stated: str | None) -> list[str]:
        """Return a digest of a table as `entry_of` reads it, by each algorithm of the list.

        Args:
            stated: The digest, with its algorithm (`sha1:…`) or without it.

        >>> read_takedown("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ").named_digests("3I42")
        ['sha1:3I42']

        """
        if not stated:
            return []
        return [stated] if ":" in stated else [f"{name}:{stated}" for name in self.algorithms]

    def entry_of_content(self, content: bytes) -> TakedownEntry | None:
        """Return the entry that has a digest of some content; `None` if there is none."""
        for name in self.algorithms:
            value = hashlib.new(name, content, usedforsecurity=False).digest()
            if (name, value) in self._digests:
                return self._digests[name, value]
        return None


def undotted(origin: str, url: str) -> tuple[str, str]:
    """Return an origin and a URL of it without the dot that ends a host in DNS.

    >>> undotted("https://a.example.:8443", "https://a.example.:8443/b")
    ('https://a.example:8443', 'https://a.example:8443/b')
    """
    host = urlsplit(origin).hostname or ""
    if not host.endswith("."):
        return origin, url
    plain = origin.replace(host, host.rstrip("."), 1)
    return plain, plain + url.removeprefix(origin)


def host_of(url: str, number: int) -> str:
    """Return the host of a URL in its normal form.

    Raises:
        MisuseError: It has none.

    """
    try:
        return urlsplit(undotted(*address_of(url))[0]).hostname or ""
    except NoOriginError as error:
        message = f"line {number} of the takedown list names no host; write example.com"
        raise MisuseError(message) from error


def hosts_above(host: str) -> Iterator[str]:
    """Yield a host, and the domains that it is in.

    >>> list(hosts_above("www.a.example"))
    ['www.a.example', 'a.example', 'example']
    """
    while host:
        yield host
        host = host.partition(".")[2]


def digest_bytes(name: str, text: str) -> bytes | None:
    """Return the bytes of a digest in hexadecimal or Base32; `None` if it is not whole.

    >>> digest_bytes("sha1", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ") == hashlib.sha1(b"").digest()
    True
    """
    size = SIZES[name]
    try:
        value = bytes.fromhex(text) if len(text) == 2 * size else base32(text)
    except (ValueError, binascii.Error):
        return None
    return value if len(value) == size else None


def base32(text: str) -> bytes:
    """Return the bytes that Base32 stands for, with or without padding (RFC 4648 section 6)."""
    plain = text.rstrip("=").upper()
    return base64.b32decode(plain + "=" * (-len(plain) % 8))
