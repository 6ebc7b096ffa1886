r"""Sitemaps: their entries, the sitemaps that an index lists, and what is wrong with them.

>>> from goodbot.sitemaps import read_sitemap
>>> listed = read_sitemap(b"https://example.com/lamps\n", "https://example.com/urls.txt")
>>> [entry.url for entry in listed.urls]
['https://example.com/lamps']

Source: the protocol of sitemaps.org, 0.9.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.sitemaps.sitemaps import Sitemap, SitemapEntry, read_sitemap

__all__ = ["Sitemap", "SitemapEntry", "read_sitemap"]

__getattr__, __dir__ = lazy_names(
    __name__, {"sitemaps": ("Sitemap", "SitemapEntry", "read_sitemap")}
)
