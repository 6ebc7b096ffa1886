"""Which types of content a robot reads: short names, media types, and patterns of them.

Scope: the table of short names, and the decision on one Content-Type. What is not of use is known
from the header, so that a robot need not read the content.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

from goodbot.errors import WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.page.inputs import XML_TYPES, type_of

__all__ = ["DOCUMENTS", "SHORT_NAMES", "is_wanted", "resource_kinds", "type_names"]

SHORT_NAMES: dict[str, tuple[str, ...]] = {
    "html": ("text/html", "application/xhtml+xml"),
    # RFC 7303, sections 4.2 and 9.
    "xml": ("*/xml", "*/*+xml", *sorted(XML_TYPES)),
    "text": ("text/*",),
    "pdf": ("application/pdf",),
    "json": ("application/json", "*/*+json"),
    "css": ("text/css",),
    "javascript": ("text/javascript", "application/javascript"),
    "image": ("image/*",),
    "audio": ("audio/*",),
    "video": ("video/*",),
    "font": ("font/*",),
    "all": ("*/*",),
}
"""The short names, and the media types that each stands for; `*` stands for any characters."""

DOCUMENTS = ("html", "xml", "text")
"""The types that a crawl reads by default: those that it can index."""

RESOURCES = {
    "image": ("image", "all", "*/*"),
    "style": ("css", "text/css", "all", "*/*"),
    "script": ("javascript", "text/javascript", "application/javascript", "all", "*/*"),
}
"""The kinds of resources that a page loads, and how the names of types begin that ask for them."""

PATTERN = re.compile(r"[\w.+*!#$&^-]+/[\w.+*!#$&^-]+")


def type_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of types in lower case, each once.

    Args:
        names: Short names (`SHORT_NAMES`), media types such as `application/zip`, and patterns such
            as `image/*`.

    Raises:
        WrongTypeError: `names` is not a list of `str`.
        WrongValueError: There is none, or one is neither a short name nor a media type.

    >>> type_names(["HTML", "image/*", "html"])
    ('html', 'image/*')

    """
    given = list_of_str("types", names, such_as="['html', 'pdf', 'image/*']")
    found = tuple(dict.fromkeys(name.strip().lower() for name in given))
    wrong = next((one for one in found if not is_name(one)), None if found else "")
    if wrong is not None:
        message = (
            f"there is no type {wrong[:100]!r}; write media types such as application/pdf or "
            f"image/*, or {', '.join(SHORT_NAMES)}"
        )
        raise WrongValueError(message)
    return found


def is_name(name: str) -> bool:
    """Return whether this is a short name, or a media type or a pattern of one."""
    return name in SHORT_NAMES or PATTERN.fullmatch(name) is not None


def resource_kinds(names: Iterable[str]) -> frozenset[str]:
    """Return which resources of pages are wanted by types that name them.

    `text` names documents, so it does not ask for style sheets, whose type is text/css.

    Args:
        names: The wanted types, as `type_names` returned them.

    >>> sorted(resource_kinds(["html", "text", "image/png", "css"]))
    ['image', 'style']

    """
    return frozenset(
        kind for kind, starts in RESOURCES.items() if any(name.startswith(starts) for name in names)
    )


@lru_cache(maxsize=64)
def is_wanted(declared: str, names: tuple[str, ...] = DOCUMENTS) -> bool:
    """Return whether content is to be read, by its Content-Type.

    Content without a type, or with one that says nothing, is read: its type shows only then.

    Args:
        declared: The value of Content-Type; empty if there is none.
        names: The wanted types, as `type_names` returned them.

    >>> [is_wanted(one) for one in ("text/html; charset=utf-8", "application/rss+xml", "")]
    [True, True, True]
    >>> is_wanted("image/png"), is_wanted("image/png", ("html", "image/*"))
    (False, True)

    """
    kind = type_of(declared)
    return kind is None or any(matches(kind, name) for name in names)


def matches(kind: str, name: str) -> bool:
    """Return whether a name stands for a media type."""
    patterns = SHORT_NAMES.get(name) or (name,)
    # Most types are named in full, for which no pattern need be compiled.
    return kind in patterns or any(fnmatchcase(kind, one) for one in patterns)
