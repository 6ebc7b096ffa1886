"""What an operator orders a crawl to do: files in its folder, which a run notices within a second.

What may live here: writing them, finding them, and taking them away when they are done. A file is
there whole or not at all. What follows from an order is decided by the run.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, get_args

from goodbot.crawl.folder.atomic_file import atomic_file
from goodbot.crawl.folder.own_files import ORDER_NAME, open_own
from goodbot.errors import NotAStoreError
from goodbot.http.instants import instant

__all__ = ["Order", "OrderKind", "done", "leave", "waiting"]

OrderKind = Literal["block", "unblock", "pause", "resume", "forget"]
LARGEST = 64 * 1024
"""Bytes of an order: an URL and two sentences."""
MOST = 1_000
"""Orders that are read at once; the others come next."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the operator."""

    do: OrderKind
    place: str
    """The site or the URL that it is about."""
    at: datetime
    """When it was given: aware."""
    why: str = ""
    by: str = ""

    def as_json(self) -> bytes:
        """Return what its file has."""
        plain = {"do": self.do, "place": self.place, "at": self.at.isoformat()}
        return json.dumps({**plain, "why": self.why, "by": self.by}).encode()

    @classmethod
    def of(cls, content: bytes) -> "Order | None":
        """Read a file; `None` if it is no order."""
        try:
            found: dict[str, Any] = json.loads(content)
            texts = [found[name] for name in ("place", "why", "by")]
            at = datetime.fromisoformat(found["at"])
            if found["do"] not in get_args(OrderKind) or not all(
                isinstance(text, str) for text in texts
            ):
                return None
            instant(at, "at")
        except (ValueError, TypeError, KeyError, RecursionError):  # a GoodbotError is a ValueError
            return None
        place, why, by = texts
        return cls(found["do"], place, at.astimezone(timezone.utc), why, by)


def leave(folder: Path, order: Order) -> str:
    """Leave an order in the folder of a crawl; return the name of its file.

    Raises:
        StoreFullError: There is no room.
        StoreUnavailableError: The folder cannot be written.

    """
    name = f"order-{instant(order.at, 'at'):020d}-{token_hex(4)}.json"
    with atomic_file(folder / name, follow=False) as file:
        file.write(order.as_json())
    return name


def waiting(folder: Path) -> list[str]:
    """Return the names of the orders that wait, the oldest first."""
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(one.name for one in entries if ORDER_NAME.fullmatch(one.name))[:MOST]
    return []


def read(folder: Path, name: str) -> Order | None:
    """Read an order; `None` if the file is none."""
    try:
        descriptor = open_own(folder, name)
    except (OSError, NotAStoreError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123  it is open already
        return Order.of(file.read(LARGEST))


def done(folder: Path, name: str) -> None:
    """Take an order away that was carried out, or is none."""
    with suppress(OSError):
        (folder / name).unlink()
