"""The URLs that a robots.txt asks robots to visit: Kollar's PleaseVisit.

Scope: turning the values of the field into URLs to queue. Nothing is visited or stored. Like a
sitemap, the field is a hint and not a permission: the rules of robots.txt apply to these URLs too.
"""

from collections.abc import Sequence

from goodbot.crawl.folder.records import Discovery
from goodbot.http.address import resolve

__all__ = ["MOST_ASKED", "asked_for"]

MOST_ASKED = 1_000
"""How many URLs one robots.txt may ask for, which is also the limit for sitemaps. They are queued
on the event loop, together with its policy. A site with more of them can use a sitemap."""


def asked_for(values: Sequence[str], origin: str) -> list[Discovery]:
    """Return the URLs that a robots.txt asks to visit, if it may speak for them.

    Like a sitemap, it speaks for its own scheme, host and port. Other URLs are ignored, and so are
    those after the first `MOST_ASKED`.

    Args:
        values: The values of the field: absolute or relative URLs.
        origin: The origin of the robots.txt.

    >>> found = asked_for(["/new", "news/", "https://b.example/x"], "https://a.example")
    >>> [one.url for one in found]
    ['https://a.example/new', 'https://a.example/news/']

    Source: Koster's reply of 4 June 1996, the last extension ("a PleaseVisit field, with either an
    absolute or relative URL"); for what it may speak for: sitemaps.org, Sitemap file location.

    """
    resolved = (
        resolve(f"{origin}/robots.txt", value, as_written=True)[0] for value in values[:MOST_ASKED]
    )
    urls = dict.fromkeys(one[1] for one in resolved if one is not None and one[0] == origin)
    return [Discovery(url, "please-visit") for url in urls]
