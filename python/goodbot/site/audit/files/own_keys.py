"""The keys of operators that the user names, to verify signatures.

Scope: it reads files, and fetches the URLs of keys that the user names.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from goodbot.bots import known
from goodbot.errors import MisuseError, WrongValueError
from goodbot.files.file_input import read_input
from goodbot.key_sets import fetch_key_set
from goodbot.net import SystemClock
from goodbot.signatures import KeySet, key_set_id
from goodbot.signatures.key_cache import KeyAnswer
from goodbot.site.audit.log_signatures import OwnKeys

IN_PYTHON = {"keys": "keys="}
"""What messages say of the setting in Python."""


class KeyPlace(NamedTuple):
    """Where keys are that the user names."""

    robot: str | None
    """The robot that they are of; `None` if only their URL is known."""
    url: str | None
    """The URL that publishes them; `None` if it is not known."""
    path: str | None
    """The file that has them; `None` if they are to be fetched."""


def key_place(given: str) -> KeyPlace:
    """Return where keys are: `ROBOT=FILE`, `ROBOT=URL`, `URL`, `URL=FILE` or `ROBOT=URL=FILE`.

    Raises:
        MisuseError: It is none of these.

    """
    name, equals, rest = ("", "=", given) if is_url(given) else given.partition("=")
    if not (equals and rest and (name or is_url(rest))):
        message = (
            f"{{keys}} {given}: write ROBOT=FILE, such as 'ChatGPT Agent=keys.json', or the URL at "
            "which the operator publishes its keys"
        )
        raise MisuseError(message, IN_PYTHON)
    robot = name or None
    if not is_url(rest):
        found = known(name)
        return KeyPlace(robot, None if found is None else found.keys, rest)
    # A URL may have `=` in its query: it is followed by a file only if there is that file.
    url, behind, path = rest.rpartition("=")
    has_file = behind and key_set_id(url) is not None and path and Path(path).exists()
    place = KeyPlace(robot, url, path) if has_file else KeyPlace(robot, rest, None)
    if place.url is None or key_set_id(place.url) is None:
        message = f"{{keys}} {given}: keys are published at a URL of https; pass one"
        raise MisuseError(message, IN_PYTHON)
    return place


def is_url(text: str) -> bool:
    """Return whether a text is meant as a URL."""
    return text.lower().startswith(("https://", "http://"))


def read_own_keys(given: Sequence[str]) -> OwnKeys:
    """Return the keys that the user names.

    Args:
        given: Where they are; see `key_place`.

    Raises:
        MisuseError: It names no keys, or they cannot be fetched.
        MissingExtraError: Keys are to be fetched, and aiohttp is not installed.
        OSError: A file cannot be read.
        WrongValueError: There is no key that can be used.

    """
    by_robot: dict[str, list[KeySet]] = {}
    others: list[KeySet] = []
    for one in given:
        place = key_place(one)
        keys = read_keys(one, place)
        if place.robot is None:
            others.append(keys)
        else:
            found = known(place.robot)
            name = place.robot if found is None else found.name
            by_robot.setdefault(name, []).append(keys)
    return OwnKeys(by_robot, others)


def read_keys(given: str, place: KeyPlace) -> KeySet:
    """Return the keys at a place."""
    if place.path is not None:
        if place.path != "-" and not Path(place.path).exists():
            message = f"{{keys}} {given}: there is no file {place.path}; check its path"
            raise MisuseError(message, IN_PYTHON)
        content = read_input(place.path)
        try:
            return KeySet.of(content, place.url)
        except WrongValueError as error:
            message = f"{{keys}} {given}: {error}"
            raise WrongValueError(message, IN_PYTHON) from error
    answer = asyncio.run(fetch_keys(place.url or ""))
    if answer.keys is None:
        message = f"{{keys}} {given}: {answer.why}; save the keys, and pass {place.url}=FILE"
        raise WrongValueError(message, IN_PYTHON)
    return answer.keys


async def fetch_keys(url: str) -> KeyAnswer:
    """Return what a URL has."""
    from goodbot.net import AiohttpFetcher  # noqa: PLC0415  an extra

    async with AiohttpFetcher() as fetcher:
        return await fetch_key_set(url, fetcher, SystemClock())
