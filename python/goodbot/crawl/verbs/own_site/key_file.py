"""The random key of an owner, from which the tokens of all sites are made.

Scope: one small file in the user's configuration. It is no secret that protects a site: a person
who has it still cannot write into its robots.txt.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from goodbot.crawl.verbs.own_site.ownership import KEY_BYTES
from goodbot.errors import StoreUnavailableError
from goodbot.files.user_folders import config_folder

__all__ = ["owner_key"]

NAME = "own-site.key"


def owner_key(folder: Path | None = None) -> bytes:
    """Return the key; a new one is made if there is none yet.

    Args:
        folder: Where it is kept; by default `config_folder()`.

    Raises:
        StoreUnavailableError: It cannot be read or written, or is damaged; the message names it.

    """
    path = (config_folder() if folder is None else folder) / NAME
    try:
        with suppress(FileNotFoundError):
            return key_in(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another process was quicker
            write_new(path)
        return key_in(path)
    except OSError as error:
        message = (
            f"the key {path} cannot be read or written ({error.strerror}); make its folder "
            "writable, or name another one with XDG_CONFIG_HOME"
        )
        raise StoreUnavailableError(message) from error


def write_new(path: Path) -> None:
    """Write a new key, all of it or nothing; a file that exists is kept."""
    new = path.with_name(f"{NAME}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123  a descriptor
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
        os.link(new, path)
    finally:
        new.unlink()


def key_in(path: Path) -> bytes:
    """Read the key.

    Raises:
        OSError: The file cannot be read.
        StoreUnavailableError: It has no key.

    """
    with path.open("rb") as file:
        text = file.read(4 * KEY_BYTES)
    with suppress(ValueError):
        key = bytes.fromhex(text.decode("ascii", "replace").strip())
        if len(key) == KEY_BYTES:
            return key
    message = f"the key {path} is damaged; remove it, and a new one is made: then tokens change"
    raise StoreUnavailableError(message)
