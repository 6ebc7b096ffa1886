"""The parts that a caller passes to a crawl, in place of those in its folder.

Scope: checking them, and that a crawl continues with the parts with which it began.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields

from goodbot.crawl.archive.place import WarcPlace
from goodbot.crawl.archive.protocol import Archive
from goodbot.crawl.evidence.protocol import EvidenceWriter
from goodbot.crawl.folder.elsewhere import ELSEWHERE, parts_elsewhere
from goodbot.crawl.frontier.protocol import Frontier
from goodbot.crawl.frontier.trap_memory import TrapMemory
from goodbot.crawl.index.protocol import Index
from goodbot.crawl.inventory.protocol import InventoryWriter
from goodbot.crawl.links.protocol import LinkWriter
from goodbot.crawl.run.same_part import describe_part, is_same_part
from goodbot.errors import MisuseError, WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.store import Store
from goodbot.store.opening import is_lasting, opened_store, store_name

__all__ = ["GivenParts"]

STORE = "store"


@dataclass(frozen=True, slots=True)
class GivenParts:
    """What was passed to a crawl; each is `None` for the part in its folder.

    Raises:
        MisuseError: Both an archive and a place for WARC files were passed.
        WrongTypeError: One of them lacks a method of its protocol.
        WrongValueError: The text of a store means none.

    """

    store: Store | str | os.PathLike[str] | None = None
    frontier: Frontier | None = None
    archive: Archive | None = None
    index: Index | None = None
    evidence: EvidenceWriter | None = None
    links: LinkWriter | None = None
    inventory: InventoryWriter | None = None
    trap_memory: TrapMemory | None = None
    warc_place: WarcPlace | None = None

    def __post_init__(self) -> None:
        """Check them."""
        if self.archive is not None and self.warc_place is not None:
            message = "warc_place= is for the archive in the folder; omit it, or omit archive="
            raise MisuseError(message)
        if isinstance(self.store, (str, os.PathLike)):
            store_name(self.store)
        for one in fields(self):
            part, protocol = getattr(self, one.name), PROTOCOLS[one.name]
            if part is None or (isinstance(part, (str, os.PathLike)) and one.name == STORE):
                continue
            lacks = sorted(name for name in methods_of(protocol) if not has(part, name))
            if lacks:
                message = (
                    f"{one.name}= needs the methods of {protocol.__module__}.{protocol.__name__}; "
                    f"{type(part).__name__} lacks {', '.join(lacks)}"
                )
                raise WrongTypeError(message)

    @property
    def kinds(self) -> dict[str, str]:
        """Which part was passed, by its name; see `describe_part`."""
        return {
            one.name: describe_part(getattr(self, one.name))
            for one in fields(self)
            if getattr(self, one.name) is not None
        }

    @property
    def settings(self) -> dict[str, str]:
        """Which parts are elsewhere, as a setting to store; none if all are in the folder."""
        return {ELSEWHERE: json.dumps(self.kinds)} if self.kinds else {}

    def refuse_others(self, settings: Mapping[str, str], folder: object, *, is_new: bool) -> None:
        """Refuse to continue a crawl with other parts than it began with.

        A store may be added, because what the folder knows of pauses is passed on to it.

        Args:
            settings: The stored settings of the crawl.
            folder: Its folder, for messages.
            is_new: Whether the crawl begins now.

        Raises:
            MisuseError: A part is missing, another one, or new.

        """
        if is_new:
            return
        before = parts_elsewhere(settings)
        for name, kind in before.items():
            if name not in self.kinds:
                message = (
                    f"the crawl in {folder} was started with {{{name}}} ({kind}); pass it "
                    "again to continue"
                )
                raise MisuseError(message, {name: f"{name}="})
            if not is_same_part(kind, getattr(self, name)):
                message = (
                    f"the crawl in {folder} was started with {{{name}}} ({kind}), and "
                    f"{self.kinds[name]} is another; pass the former again to continue, or crawl "
                    "into another folder"
                )
                raise MisuseError(message, {name: f"{name}="})
        for name in self.kinds.keys() - before.keys() - {STORE}:
            message = (
                f"the crawl in {folder} has its own {name.replace('_', ' ')}, which {name}= cannot "
                f"replace; omit {name}=, or crawl into another folder"
            )
            raise MisuseError(message)

    def for_processes(self) -> str | os.PathLike[str] | None:
        """Return the store as each process of a crawl can open it; `None` if none was passed.

        Raises:
            MisuseError: A part was passed that other processes cannot use.

        """
        for name in self.kinds:
            is_text = name == STORE and isinstance(self.store, (str, os.PathLike))
            if not is_text:
                cure = "pass the path or URL of a store" if name == STORE else "omit it"
                message = f"{name}= cannot be used by other processes; {cure}, or use Crawl"
                raise MisuseError(message)
        if not isinstance(self.store, (str, os.PathLike)):
            return None
        if not is_lasting(self.store):
            message = (
                f"each process would have a store of its own in {self.store}; pass {{store}} the "
                "path of a file, or omit it"
            )
            raise MisuseError(message, {"store": "store="})
        return self.store

    @contextmanager
    def opened_store(self) -> Iterator[Store | None]:
        """Return the store; one that was passed as text is opened, and closed at the end."""
        if isinstance(self.store, (str, os.PathLike)):
            with opened_store(self.store) as store:
                yield store
        else:
            yield self.store


PROTOCOLS: dict[str, type] = {
    STORE: Store,
    "frontier": Frontier,
    "archive": Archive,
    "index": Index,
    "evidence": EvidenceWriter,
    "links": LinkWriter,
    "inventory": InventoryWriter,
    "trap_memory": TrapMemory,
    "warc_place": WarcPlace,
}


def methods_of(protocol: type) -> set[str]:
    """Return the names of the methods of a protocol, inherited ones too."""
    bases = [one for one in protocol.__mro__ if getattr(one, "_is_protocol", False)]
    names = {name for base in bases for name in vars(base)}
    return {name for name in names if not name.startswith("_") or name == "__contains__"}


def has(part: object, name: str) -> bool:
    """Return whether a part has an attribute, even if it cannot be read now."""
    try:
        return hasattr(part, name)
    except Exception:  # noqa: BLE001  the crawl reports it when it needs the part
        return True
