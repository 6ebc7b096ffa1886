"""The keys by which web archives look a URL up: its SURT form, of which there are two.

Scope: URLs in goodbot's normal form. A key only has to be the one that a replay tool computes for
the same URL, so each step repeats its own, and tests compare the keys with those of pywb and of
ReplayWeb.page. Where the two differ, an index has a line for each: in an index of several blocks, a
tool reads only those blocks in which its own key can be.

Source: pywb, Outbackcdx and others follow the URL canonicalization of the Wayback Machine
(webarchive-commons, `org.archive.url`: GoogleURLCanonicalizer, then IAURLCanonicalizer).
ReplayWeb.page parses the URL in lower case (wabac and warcio.js, `getSurt`; URL Standard, section
"URL parsing"): the path keeps its last slash and its escapes, and the query its sessions.
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

__all__ = ["parsed_key", "url_key", "url_keys"]

PARTS = re.compile(rb"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?")

HOST_AND_PORT = re.compile(rb"(\[.*\]|[^:]*)(?::([0-9]*))?")

NOT_ESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""The characters besides letters and digits that the key has as they are."""

QUERY_AS_IT_IS = "!$%&()*+,-./:;=?@[\\]^_`{|}~"
PATH_AS_IT_IS = "!$%&'()*+,-./:;=@[]^_|~"
"""The characters besides letters and digits that a parser leaves as they are (URL Standard, the
path and the special-query percent-encode set). Older parsers left `^` as well."""

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


def parsed_key(url: str) -> str:
    """Return the key of a URL for tools that parse it, such as ReplayWeb.page.

    Args:
        url: An http or https URL in its normal form.

    >>> parsed_key("https://www.Example.com:8443/A/b/?b=2&a=1")
    'com,example:8443)/a/b/?a=1&b=2'
    """
    found = PARTS.match(url.lower().encode("utf-8", "replace"))
    if found is None:
        return url
    scheme, authority, path, query = found.groups()
    place = HOST_AND_PORT.fullmatch(authority.rpartition(b"@")[2])
    host, port = (place[1], place[2] or b"") if place else (authority, b"")
    www = WWW.match(host)
    host = host[www.end() :] if www else host
    key = b",".join(reversed(host.split(b".")))
    if port not in {b"", DEFAULT_PORTS[scheme]}:
        key += b":" + port
    key += b")" + quote_from_bytes(path or b"/", safe=PATH_AS_IT_IS).encode("ascii")
    if query:
        written = quote_from_bytes(query, safe=QUERY_AS_IT_IS).encode("ascii")
        key += b"?" + b"&".join(sorted(written.split(b"&")))
    return key.decode("ascii", "replace")


def url_keys(url: str) -> list[str]:
    """Return the keys under which an index lists a URL.

    >>> url_keys("https://example.com/a"), url_keys("https://example.com/a/")
    (['com,example)/a'], ['com,example)/a', 'com,example)/a/'])
    """
    parsed = parsed_key(url)
    path, mark, query = parsed.partition("?")
    newer = path.replace("^", "%5E") + mark + query
    return list(dict.fromkeys((url_key(url), parsed, newer)))


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
