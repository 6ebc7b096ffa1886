r"""Whether a part that is passed to a crawl is the one with which the crawl began.

Scope: the text that the folder keeps of a part, and comparing a part with such a text. A store is
known by its file or its URL, if it has one; other parts are known by their class.

| part | text |
|---|---|
| a path, a URL of a file, a `SQLiteStore` | the absolute path |
| another URL, a store with an attribute `url` | the URL without user, password and options |
| `memory:` | `memory:` |
| any other | the names of its class and of the classes from which it derives: `Logged(MyIndex)` |
"""

import os
from pathlib import Path
from typing import Any, Generic

from goodbot.store import MemoryStore, Store
from goodbot.store.opening import opened_store, store_file, store_name
from goodbot.store.sqlite import SQLiteStore

__all__ = ["describe_part", "is_same_part"]

MEMORY = "memory:"


def describe_part(part: Any) -> str:  # noqa: ANN401  any part
    """Return the text by which a crawl knows a part.

    >>> describe_part("postgresql://robot:secret@db.example/crawls")
    'postgresql://db.example/crawls'
    >>> describe_part(MemoryStore())
    'MemoryStore'
    """
    file = file_of(part)
    if file is not None:
        return str(Path(file).resolve())
    if isinstance(part, str):
        return store_name(part)
    url = getattr(part, "url", None) if isinstance(part, Store) else None
    if isinstance(url, str) and "://" in url:
        return store_name(url)
    own, *bases = names_of_classes(type(part))
    return f"{own}({', '.join(bases)})" if bases else own


def is_same_part(stored: str, part: Any) -> bool:  # noqa: ANN401  any part
    """Return whether a part is the one that a text describes.

    A file that was moved is the same store: nothing is left at its former path. A class may change
    to one that derives from it, and back. Earlier versions stored paths as they were written, and
    the class of each store that was not passed as text.

    Args:
        stored: The text; see `describe_part`.
        part: The part that is passed now.

    """
    if stored == describe_part(part) or "://" in stored:
        return stored == describe_part(part)
    own, *bases = names_of_classes(class_of(part))
    stored_own, *stored_bases = names_in(stored)
    if stored_own in {own, *bases} or own in stored_bases:
        return True
    file = file_of(part)
    if file is None:
        return False
    before, now = Path(stored), Path(file)
    if not before.is_absolute():
        return before.name == now.name
    return before.samefile(now) if before.exists() and now.exists() else not before.exists()


def file_of(part: Any) -> str | None:  # noqa: ANN401  any part
    """Return the path of the file of a store; `None` if it has none."""
    if isinstance(part, (str, os.PathLike)):
        return store_file(part)
    return part.path if isinstance(part, SQLiteStore) else None


def class_of(part: Any) -> type:  # noqa: ANN401  any part
    """Return the class of a part; a store that is passed as text is opened for it."""
    if not isinstance(part, (str, os.PathLike)):
        return type(part)
    if store_file(part) is not None:
        return SQLiteStore
    with opened_store(part) as store:
        return type(store)


def names_of_classes(kind: type) -> list[str]:
    """Return the names of a class and of those from which it derives, without protocols."""
    shared = {object, Generic}
    return [
        one.__name__
        for one in kind.__mro__
        if one not in shared and not getattr(one, "_is_protocol", False)
    ]


def names_in(stored: str) -> list[str]:
    """Return the names of classes in a text, as `names_of_classes` has them."""
    if stored == MEMORY:
        return [MemoryStore.__name__]
    return stored.rstrip(")").replace("(", ", ").split(", ")
