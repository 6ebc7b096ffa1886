"""The URL of a store as it is shown: without user, password and options.

Scope: the name alone. `goodbot.store.opening` decides what a text means.
"""

from urllib.parse import urlsplit

__all__ = ["url_name"]


def url_name(url: str) -> str:
    """Return a URL without user, password and options.

    >>> url_name("postgresql://robot:secret@db.example/crawls?sslmode=require")
    'postgresql://db.example/crawls'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
