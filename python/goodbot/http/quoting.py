"""How much is quoted of what others wrote: a few hundred bytes, however long it is.

A sentence or a source is kept for each URL. Quoted whole, a rule of 480 KB and 2,000 links would
make a gigabyte; whoever wants all of a line finds it in the robots.txt that is kept once.
"""

from goodbot._core import MOST_QUOTED

__all__ = ["MOST_QUOTED", "shortened"]


def shortened(text: str, most: int = MOST_QUOTED) -> str:
    """Return the beginning of a text, with an ellipsis where something is left out.

    Args:
        text: What somebody else wrote.
        most: The most characters of it.

    >>> shortened("Disallow: /private", 12)
    'Disallow: /p…'
    """
    return text if len(text) <= most else f"{text[:most]}…"
