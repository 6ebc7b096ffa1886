"""The table of everything that goodbot knows, in one row per document.

Scope: rows that are written by hand, those that follow from the table of known robots, and lookups.
"""

from collections.abc import Iterator
from functools import lru_cache

from goodbot.bots import robot_table
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.amounts import counted
from goodbot.knowledge.known_document import KnownDocument
from goodbot.knowledge.log_formats import LOG_FORMATS
from goodbot.knowledge.signals import SIGNALS
from goodbot.knowledge.specifications import ENGINES, SPECIFICATIONS
from goodbot.knowledge.web import WEB

__all__ = ["document", "known_documents"]

FACTS = "conformance/bots/documents.toml"
"""The cases on facts that documents state about robots."""
LISTS = "conformance/bots/address_lists.toml"
"""The cases on lists of addresses."""
ALSO_CITED = {
    "openai-bots": ("OpenAI, overview of crawlers",),
    "baidu-faq": ("Baidu, questions about Baiduspider",),
    "anthropic-crawlers": ("Anthropic, crawler documentation",),
}
"""Other names by which cases cite a source of known robots."""


@lru_cache(maxsize=1)
def known_documents() -> tuple[KnownDocument, ...]:
    """Return a row for each document: specifications first, then operators, then lists.

    >>> from goodbot.knowledge import known_documents
    >>> {row.kind for row in known_documents()} >= {"specification", "draft", "addresses"}
    True
    """
    written = (*SPECIFICATIONS, *SIGNALS, *ENGINES, *WEB, *LOG_FORMATS)
    return (*written, *documents_on_robots(), *lists_of_addresses())


def document(key: str) -> KnownDocument:
    """Return a row by its name.

    Args:
        key: The name, such as `rfc9309`.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: There is no such row.

    >>> document("tdmrep").date
    '2024-05-10'

    """
    if not isinstance(key, str):
        message = f"key must be a str such as 'rfc9309', not {type(key).__name__}"
        raise WrongTypeError(message)
    found = next((row for row in known_documents() if row.key == key), None)
    if found is None:
        message = (
            f"no document {key[:60]!r} is known; 'goodbot dialects --knowledge' lists them all"
        )
        raise WrongValueError(message)
    return found


def documents_on_robots() -> Iterator[KnownDocument]:
    """Yield a row for each page or list that states facts about known robots."""
    table = robot_table.table()
    robots: dict[str, int] = {}
    for row in table.rows:
        for key in {row["source"], *row["from"].values()}:
            robots[key] = robots.get(key, 0) + 1
    for key, source in table.sources.items():
        yield KnownDocument(
            f"robots:{key}", "operator", source.title, "", source.as_of or "", source.read,
            source.url, f"Facts about {counted(robots[key], 'known robot')}.", (FACTS,),
            (source.title, source.title.replace(": ", ", "), *ALSO_CITED.get(key, ())),
            copy=source.copy,
        )  # fmt: skip


def lists_of_addresses() -> Iterator[KnownDocument]:
    """Yield a row for each published list of addresses, with the page that names it."""
    names: dict[str, list[str]] = {}
    read: dict[str, str] = {}
    for robot in robot_table.every():
        for one in robot.addresses:
            names.setdefault(one.url, []).append(robot.name)
            read.setdefault(one.url, robot.sources["addresses"].read)
    for url, robots in names.items():
        shown = ", ".join(robots[:3]) + (" and others" if len(robots) > 3 else "")  # noqa: PLR2004  what fits
        yield KnownDocument(
            f"addresses:{url}", "addresses", f"Addresses of {shown}", "", "", read[url], url,
            "The form of the list; its content is fetched when it is needed.", (LISTS,), (url,),
        )  # fmt: skip
