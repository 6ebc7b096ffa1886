"""The key by which web archives look a URL up: its SURT form.

Scope: URLs in goodbot's normal form. The key only has to be the one that replay tools compute for
the same URL, so each step repeats theirs, and a test compares the keys with those of pywb.

Source: pywb, Outbackcdx and others follow the URL canonicalization of the Wayback Machine
(webarchive-commons, `org.archive.url`: GoogleURLCanonicalizer, then IAURLCanonicalizer).
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

__all__ = ["url_key"]

PARTS = re.compile(rb"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?")

HOST_AND_PORT = re.compile(rb"(\[.*\]|[^:]*)(?::([0-9]*))?")

NOT_ESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""The characters besides letters and digits that the key has as they are."""

MOST_PASSES = 50
"""How often escapes of a URL are decoded at most."""

DEFAULT_PORTS = {b"http": b"80", b"https": b"443"}

WWW = re.compile(rb"www\d*\.")

PATH_SESSIONS = (
    re.compile(rb"(.*/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)", re.DOTALL),
    re.compile(rb"(.*/)(?:\([0-9a-z]{24}\)/)([^?]+\.aspx.*)", re.DOTALL),
)
"""Numbers of sessions in the paths of ASP.NET, between two parts that stay."""

QUERY_SESSIONS = tuple(
    re.compile(rb"(.*)(?:%s)(?:&(.*))?" % one, re.IGNORECASE | re.DOTALL)
    for one in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
)
"""Numbers of sessions in queries, with what follows them."""


def url_key(url: str) -> str:
    """Return the key of a URL.

    Args:
        url: An http or https URL in its normal form.

    >>> url_key("https://www.Example.com:8443/A/b/?b=2&a=1")
    'com,example:8443)/a/b?a=1&b=2'
    >>> url_key("http://example.com/")
    'com,example)/'
    """
    found = PARTS.match(url.encode("utf-8", "replace"))
    if found is None:
        return url
    scheme, authority, path, query = found.groups()
    key = host_key(authority, scheme) + b")" + path_key(path)
    query = query_key(query or b"")
    return (key + b"?" + query if query else key).decode("ascii", "replace")


def host_key(authority: bytes, scheme: bytes) -> bytes:
    """Return the key of host and port: the labels of the host from its end, and the port."""
    found = HOST_AND_PORT.fullmatch(authority.rpartition(b"@")[2])
    host, port = (found[1], found[2] or b"") if found else (authority, b"")
    host = host.lower().strip(b".[]")
    www = WWW.match(host)
    labels = host[www.end() :] if www else host
    key = b",".join(reversed(labels.split(b".")))
    return key if port in {b"", DEFAULT_PORTS[scheme]} else key + b":" + port


def path_key(path: bytes) -> bytes:
    """Return the key of a path, in lower case and without the numbers of sessions."""
    key = escaped(tidied(unescaped(path))).lower()
    for session in PATH_SESSIONS:
        found = session.fullmatch(key)
        if found:
            key = found[1] + found[2]
    return key[:-1] if key.endswith(b"/") and len(key) > 1 else key


def tidied(path: bytes) -> bytes:
    """Return a path without dot segments and repeated slashes."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    if not kept:
        return b"/"
    return b"/" + b"/".join([*filter(None, kept[:-1]), kept[-1]])


def query_key(query: bytes) -> bytes:
    """Return the key of a query, in lower case, sorted and without the numbers of sessions."""
    key = escaped(unescaped(query))
    for session in QUERY_SESSIONS:
        found = session.fullmatch(key)
        if found:
            key = found[1] + (found[2] or b"")
    if len(key) <= 1:
        return key.lower()
    pairs = sorted(tuple(one.split(b"=", 1)) for one in key.lower().split(b"&"))
    return b"&".join(b"=".join(pair) for pair in pairs)


def unescaped(text: bytes) -> bytes:
    """Return a text with its escapes decoded, again and again until there are none."""
    # The limit keeps a URL of nothing but escaped percent signs from costing its length squared.
    for _ in range(MOST_PASSES):
        decoded = unquote_to_bytes(text)
        if decoded == text:
            break
        text = decoded
    return text


def escaped(text: bytes) -> bytes:
    """Return a text with every byte escaped that the key does not have as it is."""
    return quote_from_bytes(text, safe=NOT_ESCAPED).encode("ascii")
