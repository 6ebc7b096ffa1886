"""The length of quotations: at most a few hundred bytes of what others wrote.

A sentence or a source is stored for each URL. If a rule of 480 KB were quoted whole for each of
2,000 links, that would be a gigabyte; the whole line is in the robots.txt, which is stored once.
"""

from goodbot._core import MOST_QUOTED

__all__ = ["MOST_QUOTED", "shortened"]


def shortened(text: str, most: int = MOST_QUOTED) -> str:
    """Return the beginning of a text, with an ellipsis where something is omitted.

    Args:
        text: What somebody else wrote.
        most: The most characters of it.

    >>> shortened("Disallow: /private", 12)
    'Disallow: /p…'
    """
    return text if len(text) <= most else f"{text[:most]}…"
