"""Orders of the operator to a crawl: files in its folder, which a run notices within a second.

Scope: writing, listing, reading and removing orders. Each file is written atomically. The run
decides what an order changes.
"""

import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, get_args

from goodbot.crawl.folder.own_files import ORDER_NAME, open_own
from goodbot.errors import NotAStoreError, StoreError
from goodbot.files.atomic_file import atomic_file
from goodbot.http.instants import instant
from goodbot.lazy_dataclass import dataclass

__all__ = ["Order", "OrderKind", "done", "leave", "pass_on", "waiting"]

LOG = logging.getLogger("goodbot.crawl")

OrderKind = Literal["block", "unblock", "pause", "resume", "forget"]
MAX_BYTES = 64 * 1024
"""How many bytes of an order are read: it has a URL and two sentences."""
MAX_ORDERS = 1_000
"""How many orders are listed at once; the others follow next time."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the operator."""

    do: OrderKind
    place: str
    """The site or the URL that it is about."""
    at: datetime
    """When it was given; an aware time."""
    why: str = ""
    by: str = ""

    def as_json(self) -> bytes:
        """Return the content of its file."""
        plain = {"do": self.do, "place": self.place, "at": self.at.isoformat()}
        return json.dumps({**plain, "why": self.why, "by": self.by}).encode()

    @classmethod
    def of(cls, content: bytes) -> "Order | None":
        """Parse the content of a file; return `None` if it is not an order."""
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


def leave(folder: Path, order: Order, name: str = "") -> str:
    """Write an order to the folder of a crawl; return the name of its file.

    Args:
        folder: The folder.
        order: The order.
        name: The name, if the order had one in another folder; a new one by default.

    Raises:
        StoreFullError: The disk is full.
        StoreUnavailableError: The folder cannot be written.

    """
    name = name or f"order-{instant(order.at, 'at'):020d}-{token_hex(4)}.json"
    with atomic_file(folder / name, follow=False) as file:
        file.write(order.as_json())
    return name


def waiting(folder: Path) -> list[str]:
    """Return the file names of the orders not carried out yet, oldest first."""
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(one.name for one in entries if ORDER_NAME.fullmatch(one.name))[:MAX_ORDERS]
    return []


def pass_on(
    folder: Path, parts: Sequence[Path], passed: set[tuple[str, Path]] | None = None
) -> None:
    """Pass the orders in the folder of a crawl on to the folders of its processes.

    An order is removed when each of them has it. Those that can be written get it at once, and only
    once, because its process may carry it out before the others have it: `forget` again would
    remove what was fetched since. After a crash in between, it is passed on again.

    Args:
        folder: The folder of the crawl.
        parts: The folders of its processes.
        passed: Which part has which order already, from one call to the next.

    Raises:
        OSError: An order cannot be read now.
        StoreFullError: The disk is full.
        StoreUnavailableError: A folder cannot be written.

    """
    passed = set() if passed is None else passed
    failure: OSError | StoreError | None = None
    for name in waiting(folder):
        try:
            order = read(folder, name)
        except OSError as error:  # the orders after it, such as a block, do not wait for it
            failure = failure or error
            continue
        if order is None:
            LOG.warning("%s is not a valid order; it was removed", folder / name)
            done(folder, name)
            continue
        for part in parts:
            try:
                if (name, part) not in passed:
                    part.mkdir(exist_ok=True)
                    leave(part, order, name)
                    passed.add((name, part))
            except (OSError, StoreError) as error:  # noqa: PERF203  the other parts get it
                failure = failure or error
        if all((name, part) in passed for part in parts):
            done(folder, name)
            passed.difference_update([(name, part) for part in parts])
    if failure is not None:
        raise failure


def read(folder: Path, name: str) -> Order | None:
    """Read an order; return `None` if the file is not an order, or was removed.

    Raises:
        OSError: It cannot be read now, for example because too many files are open.

    """
    try:
        descriptor = open_own(folder, name)
    except (FileNotFoundError, NotAStoreError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor
        return Order.of(file.read(MAX_BYTES))


def done(folder: Path, name: str) -> None:
    """Remove the file of an order that was carried out, or that is not an order."""
    with suppress(OSError):
        (folder / name).unlink()
