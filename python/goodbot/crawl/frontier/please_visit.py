"""The URLs that a robots.txt asks a robot to visit: Kollar's PleaseVisit.

What may live here: from the values of the field to what is queued. Nothing is visited, and nothing
is kept. As with a sitemap the field is a hint and no permission: robots.txt is asked as ever.
"""

from collections.abc import Sequence

from goodbot.crawl.folder.records import Discovery
from goodbot.http.address import resolve

__all__ = ["MOST_ASKED", "asked_for"]

MOST_ASKED = 1_000
"""URLs that one robots.txt may ask for, as many as it may name sitemaps: they are queued on the
event loop, together with its policy. Who has more has a sitemap."""


def asked_for(values: Sequence[str], origin: str) -> list[Discovery]:
    """Return the URLs that a robots.txt asks for, as far as it may speak for them.

    Like a sitemap it speaks for its own scheme, host and port; others are left out, and so are
    those behind the first `MOST_ASKED`.

    Args:
        values: The values of the field, each an absolute or a relative URL.
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
