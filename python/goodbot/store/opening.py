r"""Open a store from text, such as `--store` and config files have it: a path, or a URL.

Scope: which class a text means. Other packages add schemes by entry points of the group
`goodbot.stores`: the name of the entry point is the scheme, and it loads a function that takes the
whole text and returns a store.

| text | store |
|---|---|
| `robots.db`, `/var/robots.db`, `C:\robots.db` | a `SQLiteStore` in this file |
| `sqlite:///robots.db`, `sqlite:////var/robots.db` | the same: the path follows `sqlite:///` |
| `file:///var/robots.db`, `file:robots.db` | the same; escapes such as `%20` are decoded |
| `memory:` | a `MemoryStore` of 64 MiB, which ends with the process |
| `postgresql://user@host/name` | a `PostgresStore`, if no entry point has this scheme |
| `SCHEME://...` | the store of the entry point `SCHEME` |

A path is everything else. If one begins like a URL, write `./` before it.

>>> store_file("sqlite:///robots.db"), store_file("memory:"), store_file("a:b.db")
('robots.db', None, 'a:b.db')
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.request import url2pathname

from goodbot.errors import (
    GoodbotError,
    MissingExtraError,
    StoreUnavailableError,
    WrongTypeError,
    WrongValueError,
)
from goodbot.store.protocols import Store
from goodbot.store.url_names import url_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "GROUP",
    "close_store",
    "is_lasting",
    "open_store",
    "opened_store",
    "store_file",
    "store_name",
]

GROUP = "goodbot.stores"
"""The group of entry points with which packages add schemes."""

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?=://)|(?:memory|sqlite|file)(?=:)", re.IGNORECASE)
"""The scheme of a URL. A single letter is a drive of Windows; other names with a colon are paths
unless `//` follows."""

MEMORY = "memory"
POSTGRES = frozenset({"postgresql", "postgres"})
"""The schemes of libpq."""
ASK_FOR_FILE = "write the path of a file, such as robots.db"


def open_store(text: str | os.PathLike[str], *, patience: float | None = None) -> Store:
    """Open the store that a text means; see the module.

    Close it with its `close`, if it has one; `opened_store` does.

    Args:
        text: The path or the URL. An `os.PathLike` is always a path.
        patience: The most seconds that a call waits for a file that another process has locked, or
            for the server; by default those of `SQLiteStore` and `PostgresStore`. A store of
            another package has its own.

    Raises:
        MissingExtraError: The package of the scheme needs a library that is not installed.
        StoreError: The store cannot be opened; see `SQLiteStore`.
        WrongTypeError: `text` is neither a `str` nor an `os.PathLike`; or what an entry point
            returned is no store.
        WrongValueError: The text is empty, or a URL that means no store.

    >>> store = open_store("memory:")
    >>> store.get("https://example.com") is None
    True
    >>> open_store("redis://localhost")
    Traceback (most recent call last):
    ...
    goodbot.errors.WrongValueError: there is no store for redis://; install a package that adds it \
(an entry point of the group goodbot.stores), or use the path of a file, sqlite:///PATH, \
postgresql:// or memory:
    """
    file = store_file(text)
    if file is not None:
        from goodbot.store.sqlite import SQLiteStore  # noqa: PLC0415  slow to load

        return SQLiteStore(file) if patience is None else SQLiteStore(file, patience=patience)
    scheme = scheme_of(str(text))
    if scheme == MEMORY:
        from goodbot.policy.size import MOST_BYTES  # noqa: PLC0415  as above
        from goodbot.store.memory import MemoryStore  # noqa: PLC0415  as above

        return MemoryStore(MOST_BYTES)
    return store_of(scheme, str(text), patience)


@contextmanager
def opened_store(text: str | os.PathLike[str], *, patience: float | None = None) -> Iterator[Store]:
    """Open the store that a text means, and close it at the end; see `open_store`."""
    store = open_store(text, patience=patience)
    try:
        yield store
    finally:
        close_store(store)


def close_store(store: object) -> None:
    """Close a store, if it can be closed."""
    close = getattr(store, "close", None)
    if close is not None:
        close()


def store_file(text: str | os.PathLike[str]) -> str | None:
    """Return the path of the SQLite file that a text means; `None` if it means another store.

    Raises:
        WrongTypeError: See `open_store`.
        WrongValueError: See `open_store`.

    """
    if not isinstance(text, (str, os.PathLike)):
        message = f"a store must be a path or a URL, not {type(text).__name__}; {ASK_FOR_FILE}"
        raise WrongTypeError(message)
    path = os.fsdecode(text)
    if path in {"", ":memory:"}:
        message = f"a store needs a file: {ASK_FOR_FILE}; for a store in memory, write memory:"
        raise WrongValueError(message)
    if "\0" in path:
        message = f"{path!r} has a NUL, which no path has; {ASK_FOR_FILE}"
        raise WrongValueError(message)
    scheme = scheme_of(path) if isinstance(text, str) else ""
    if not scheme:
        return path
    rest = path[len(scheme) + 1 :]
    if scheme == MEMORY:
        if rest.strip("/"):
            message = f"memory: takes no name; write memory: alone, or ./{path} for a file"
            raise WrongValueError(message)
        return None
    if scheme == "sqlite":
        return sqlite_file(path, rest)
    return uri_file(path, rest) if scheme == "file" else None


def sqlite_file(text: str, rest: str) -> str:
    """Return the path in a URL of sqlite, which is as written, as SQLAlchemy has it."""
    if not rest.startswith("///") or not rest[3:]:
        message = (
            f"{text} names no file; write sqlite:///robots.db for a path below the present "
            "folder, or sqlite:////var/robots.db for an absolute one"
        )
        raise WrongValueError(message)
    refuse_options(text, rest)
    return rest[3:]


def uri_file(text: str, rest: str) -> str:
    """Return the path in a URL of file (RFC 8089; a relative one as SQLite has it)."""
    refuse_options(text, rest)
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if host.lower() not in {"", "localhost"}:
            message = f"{text} names a file of another machine; {ASK_FOR_FILE}"
            raise WrongValueError(message)
        rest = slash + path
    path = url2pathname(rest)
    if not path.strip("/\\"):
        message = f"{text} names no file; {ASK_FOR_FILE}"
        raise WrongValueError(message)
    return path


def refuse_options(text: str, rest: str) -> None:
    """Refuse options of SQLite, which would change what a store relies on."""
    if "?" in rest or "#" in rest:
        message = (
            f"{text} has a part after ? or #, and the file of a store has no options; write the "
            "path itself"
        )
        raise WrongValueError(message)


def store_name(text: str | os.PathLike[str]) -> str:
    """Return how to show a store: the path of its file, or its URL without user and password.

    >>> store_name("postgresql://robot:secret@db.example/crawls?sslmode=require")
    'postgresql://db.example/crawls'
    >>> store_name("sqlite:///robots.db"), store_name("memory:")
    ('robots.db', 'memory:')
    """
    file = store_file(text)
    scheme = scheme_of(str(text))
    if file is not None:
        return file
    if scheme == MEMORY:
        return "memory:"
    return url_name(str(text))


def is_lasting(text: str | os.PathLike[str]) -> bool:
    """Return whether a store outlasts the process that opens it."""
    return store_file(text) is not None or scheme_of(str(text)) != MEMORY


def scheme_of(text: str) -> str:
    """Return the scheme of a URL, in lower case; empty for a path."""
    found = SCHEME.match(text)
    return "" if found is None else found[0].lower()


def store_of(scheme: str, text: str, patience: float | None) -> Store:
    """Open a store by the entry point of its scheme.

    Raises:
        MissingExtraError: It needs a library that is not installed.
        StoreUnavailableError: It cannot be opened.
        WrongTypeError: What it returned is no store.
        WrongValueError: There is no such entry point.

    """
    from importlib.metadata import entry_points  # noqa: PLC0415  slow to load

    found = [*entry_points(group=GROUP, name=scheme)]
    if not found and scheme in POSTGRES:
        return postgres_store(text, patience)
    if not found:
        message = (
            f"there is no store for {scheme}://; install a package that adds it (an entry point of "
            f"the group {GROUP}), or use the path of a file, sqlite:///PATH, postgresql:// or "
            "memory:"
        )
        raise WrongValueError(message)
    try:
        return checked_store(found[0].load()(text), scheme)
    except GoodbotError:
        raise
    except ImportError as error:
        cure = how_to_install(found[0], error)
        message = f"a store with a URL of {scheme}:// needs {error.name}; {cure}"
        raise MissingExtraError(message, name=error.name) from error
    except Exception as error:
        name = store_name(text)
        what = f"{type(error).__name__}: {error}".replace(text, name)
        message = f"the store {name} cannot be opened ({what}); check its URL, and that it is there"
        raise StoreUnavailableError(message) from error


def postgres_store(url: str, patience: float | None) -> Store:
    """Open a store in PostgreSQL.

    Raises:
        MissingExtraError: psycopg is not installed.
        StoreError: It cannot be opened; see `PostgresStore`.

    """
    from goodbot.store.postgres import PostgresStore  # noqa: PLC0415  needs the extra

    return PostgresStore(url) if patience is None else PostgresStore(url, patience=patience)


def how_to_install(point: "EntryPoint", error: ImportError) -> str:
    """Return how to install what an entry point needs: its extra, if it names one."""
    package = "" if point.dist is None else point.dist.name
    if package and point.extras:
        return f"pip install '{package}[{','.join(point.extras)}]'"
    return f"install it, for example: pip install {error.name}"


def checked_store(store: object, scheme: str) -> Store:
    """Return what an entry point returned, if it is a store.

    Raises:
        WrongTypeError: It is not.

    """
    if not isinstance(store, Store):
        message = (
            f"the entry point {scheme} of {GROUP} returned {type(store).__name__}, which lacks "
            "methods of goodbot.store.Store; see the documentation of its package"
        )
        raise WrongTypeError(message)
    return store
