"""What a document said to all robots, read again for one of them.

>>> import goodbot
>>> from goodbot.page.said_reading import read_said
>>> body = "<title>Sea</title><meta name=googlebot content=noindex>"
>>> said = goodbot.Page("https://example.com/a", body, robot="bingbot").said_to_all
>>> read_said(said, "https://example.com/a", "Googlebot", "google").index.source
'META googlebot, line 1: noindex'
"""

from goodbot.page.document import Page
from goodbot.page.said_to_all import SaidToAll

__all__ = ["read_said"]


def read_said(said: SaidToAll, url: str, robot: str, dialect: str, *, status: int = 200) -> Page:
    """Return a document of these statements alone, as one robot reads it.

    Args:
        said: What the document said to all robots.
        url: Its URL.
        robot: The robot: a product token.
        dialect: The name of the page dialect.
        status: The status of the response.

    """
    content, header = said.document()
    return Page(url, content, headers=header, robot=robot, dialect=dialect, status=status)
