"""Masks of the names that an operator's addresses have.

Scope: does a name fit a mask? The whole name must fit: `googlebot.com.evil.example` does not.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

TOKEN = re.compile(r"\*{3}|\*|[^*]+")
MEANINGS = {"***": "[0-9a-f]+", "*": "[a-z0-9_.-]+"}


@lru_cache(maxsize=1024)
def compile_mask(mask: str) -> re.Pattern[str]:
    """Return the pattern of a mask."""
    parts = TOKEN.findall(mask.lower())
    return re.compile("".join(MEANINGS.get(part) or re.escape(part) for part in parts))


def fits_mask(name: str, mask: str) -> bool:
    """Return whether a name fits a mask of `KnownRobot.hosts`.

    Args:
        name: The name, as `readable_name` returns it.
        mask: The mask: `*` is any text, `***` a part of the address.

    >>> mask = "crawl-***-***-***-***.googlebot.com"
    >>> fits_mask("crawl-66-249-66-1.googlebot.com", mask)
    True
    >>> fits_mask("crawl-66-249-66-1.googlebot.com.evil.example", mask)
    False

    Source: Google, Verify requests from Google crawlers and fetchers.

    """
    return compile_mask(mask).fullmatch(name) is not None


def fitting_mask(name: str, masks: Iterable[str]) -> str | None:
    """Return the first mask that a name fits; `None` if it fits none."""
    return next((mask for mask in masks if name and fits_mask(name, mask)), None)
