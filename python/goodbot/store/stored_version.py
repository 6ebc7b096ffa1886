"""A robots.txt of a site as a store has kept it.

Scope: which of the versions in a store a text means.
"""

import os
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from goodbot._core import origin as origin_of
from goodbot.errors import MisuseError
from goodbot.policy import Policy
from goodbot.store.opening import opened_store, store_file, store_name

if TYPE_CHECKING:
    from goodbot.store import StoredPolicy

__all__ = ["read_stored_version"]

DIGEST = re.compile("[0-9a-f]{6,64}")
NUMBER = re.compile("-[0-9]{1,6}")

HOW = (
    "write store:URL for the newest version, store:URL@-1 for the one before, store:URL@2026-01-31 "
    "for the one at that time, or store:URL@ and the first 6 or more digits of its sha256"
)


def read_stored_version(named: str, store: str | os.PathLike[str] | None) -> bytes | None:
    """Return a robots.txt that is stored; `None` if the site had none.

    Args:
        named: The URL of the site, and after `@` which version is meant.
        store: The file or the URL of the store (`goodbot.store.open_store`).

    Raises:
        MisuseError: There is no store, or no such version in it, or the site was unreachable then.
        StoreError: The store cannot be read.

    """
    file = None if store is None else store_file(store)
    if store is None or (file is not None and not Path(file).is_file()):
        missing = "{store} names the store" if store is None else f"there is no file {file}"
        message = (
            f"store:{named} is a version in a store, and {missing}; 'goodbot policy' makes one"
        )
        raise MisuseError(message, {"store": "store="})
    url, version = divided(named)
    origin = origin_of(url)
    with opened_store(store) as kept:
        seen = kept.history(origin)
    if not seen:
        message = (
            f"{store_name(store)} has no robots.txt of {origin}; 'goodbot policy --store' stores it"
        )
        raise MisuseError(message)
    return content_of(chosen(seen, version, origin), origin)


def divided(named: str) -> tuple[str, str]:
    """Return the URL and the version; the version is empty if none is named."""
    host = named.find("://") + 3
    at = named.find("@", host)
    return (named, "") if at < 0 else (named[:at], named[at + 1 :])


def chosen(seen: list["StoredPolicy"], version: str, origin: str) -> "StoredPolicy":
    """Return the version that is meant; they are ordered from the oldest."""
    if not version:
        return seen[-1]
    found: list[StoredPolicy] = []
    if NUMBER.fullmatch(version):
        found = seen[: int(version)][-1:]
    elif DIGEST.fullmatch(version):
        found = [one for one in seen if (one.sha256 or "").startswith(version)][-1:]
    else:
        moment = time_of(version)
        found = [one for one in seen if one.first <= moment][-1:]
    if not found:
        message = f"the store has no version {version} of {origin}; {HOW}"
        raise MisuseError(message)
    return found[0]


def time_of(version: str) -> datetime:
    """Return a time; one without a zone is UTC, and a day means its end."""
    try:
        moment = datetime.fromisoformat(version.replace("Z", "+00:00"))
    except ValueError as error:
        message = f"{version!r} names no version; {HOW}"
        raise MisuseError(message) from error
    if len(version) == len("2026-01-31"):
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)


def content_of(seen: "StoredPolicy", origin: str) -> bytes | None:
    """Return the robots.txt of a version; `None` if the site had none."""
    policy = Policy.from_record(seen.record)
    if policy.robots_txt is not None and policy.reason != "stale-copy":
        return policy.robots_txt.content
    if policy.access == "allow-all" and policy.reason != "long-unreachable":
        return None
    message = (
        f"{origin} gave no robots.txt at that time ({policy.reason}), so there is no result; name "
        "another version"
    )
    raise MisuseError(message)
