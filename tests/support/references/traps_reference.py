"""The reference for traps: plain, slow and stateless, computed each time from all pages.

It parses URLs by itself; the fingerprints of bodies are those of the package.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = ["Fetched", "recognised"]


class Fetched(NamedTuple):
    """A page that was fetched."""

    url: str
    content: bytes
    not_found: bool = False


def origin_of(url: str) -> str:
    """Return the origin of a URL."""
    return "/".join(url.split("/")[:3])


def query_of(url: str) -> list[str]:
    """Return the parameters of a URL as written."""
    return url.split("?", 1)[1].split("&") if "?" in url else []


def without(url: str, name: str) -> str:
    """Return a URL without a parameter."""
    left = [one for one in query_of(url) if one.split("=")[0] != name]
    return url.split("?", maxsplit=1)[0] + ("?" + "&".join(left) if left else "")


def sessionless(url: str) -> str:
    """Return a URL without `sid`, the only session parameter that the tests use."""
    return without(url.replace(";sid=1", ""), "sid")


def above(url: str) -> list[str]:
    """Return the URLs with the same last segment in the folders above."""
    *folders, name = urlsplit(url).path.split("/")[1:]
    query = url[url.index("?") :] if "?" in url else ""
    found = []
    while folders:
        folders = folders[:-1]
        found.append(origin_of(url) + "/" + "".join(f"{one}/" for one in folders) + name + query)
    return found


def repeated(url: str) -> int:
    """Count the segments of a path that occur earlier in it."""
    segments = urlsplit(url).path.split("/")[1:]
    if segments[-1] == "":
        segments.pop()
    return sum(one in segments[:at] for at, one in enumerate(segments))


def pairs(pages: Sequence[Fetched], name: str, path: str) -> Iterator[bool]:
    """Yield whether pages that differ only in a parameter are equal, in the order of fetching."""
    first: dict[str, bytes] = {}
    seen: dict[str, bytes] = {}
    for page in pages:
        named = [one.split("=")[0] for one in query_of(page.url)]
        if page.url.split("?")[0] == path and name in named:
            free = without(page.url, name)
            other = first.get(free, seen.get(free))
            first.setdefault(free, page.content)
            if other is not None:
                yield other == page.content
        seen[page.url] = page.content


def mirrored(pages: Sequence[Fetched], one: str, other: str) -> list[bool]:
    """Return, for the paths that two origins share, whether their pages are equal."""
    contents = {page.url: page.content for page in pages}
    there = [page for page in pages if origin_of(page.url) == one]
    found = [(page, contents.get(other + page.url[len(one) :])) for page in there]
    return [page.content == content for page, content in found if content is not None]


def of_page(pages: Sequence[Fetched], link: str) -> set[str]:
    """Return the traps that the content of the last page reveals about a link."""
    page, contents = pages[-1], {one.url: one.content for one in pages}
    if origin_of(link) != origin_of(page.url):
        return set()
    there = [one for one in pages[:-1] if origin_of(one.url) == origin_of(page.url)]
    equal = [url for url in above(page.url) if contents.get(url) == page.content]
    folder = page.url.split("?")[0].rpartition("/")[0] + "/"
    is_below = link.startswith(folder) and link != page.url
    found = {
        "repeated-path": bool(equal) and repeated(link) > 2,
        "repeated-tree": len(equal) > 1 and is_below,
        "duplicate-content": any(one.content == page.content for one in there),
        "soft-404": page.not_found,
    }
    return {trap for trap, holds in found.items() if holds}


def of_url(pages: Sequence[Fetched], link: str, now: datetime) -> set[str]:
    """Return the traps that a URL shows by itself, except sessions."""
    found: set[str] = set()
    for name in {one.split("=")[0] for one in query_of(link)}:
        compared = list(pairs(pages, name, link.split("?", maxsplit=1)[0]))
        free = without(link, name)
        same = [one.url for one in pages if without(one.url, name) == free != one.url]
        is_idle = len(compared) >= 5 and all(compared)
        found |= {"idle-parameter"} if is_idle and same[:1] not in ([], [link]) else set()
    origin = origin_of(link)
    host = origin.split("//")[1]
    other = origin.replace(host, host[4:] if host.startswith("www.") else f"www.{host}")
    both = mirrored(pages, origin, other)
    if len(both) >= 3 and all(both) and other + link[len(origin) :] in {one.url for one in pages}:
        found.add("mirror-host")
    dated = re.search(r"/([12]\d\d\d)/(\d\d)/", link)
    if dated and 1 <= int(dated[2]) <= 12:
        months = int(dated[1]) * 12 + int(dated[2]) - (now.year * 12 + now.month)
        found |= {"calendar"} if months > 12 or int(dated[1]) < 1990 else set()
    return found


def recognised(pages: Sequence[Fetched], links: Sequence[str], now: datetime) -> list[set[str]]:
    """Return the traps of each link of the last page, each page fetched once.

    Args:
        pages: Every page, in the order in which they were fetched.
        links: The targets of the last page's links.
        now: The time.

    """
    fetched = {one.url for one in pages}
    queued: set[str] = set()
    found = []
    for link in links:
        traps = of_page(pages, link) | of_url(pages, link, now)
        if (free := sessionless(link)) != link:
            others = {one for one in queued if sessionless(one) == free and one != link}
            traps |= {"session-id"} if others or free in fetched else set()
            if not others:
                queued.add(link)
        found.append(traps)
    return found
