"""The folders of goodbot among a user's own files, as each system has them."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["cache_folder", "config_folder"]


class SystemFolder(NamedTuple):
    """Where each system has one kind of a user's files."""

    windows: str
    """The variable that names the folder on Windows."""
    roaming: str
    """The folder in `AppData` if the variable is not set."""
    macos: str
    """The folder in `Library`."""
    xdg: str
    """The variable that names the folder elsewhere."""
    hidden: str
    """The folder in the user's home if the variable is not set."""

    def folder(self) -> Path:
        """Return the folder of goodbot there."""
        if sys.platform == "win32":
            base = os.environ.get(self.windows) or Path.home() / "AppData" / self.roaming
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / self.macos
        else:
            stated = os.environ.get(self.xdg, "")
            # The specification: a relative path is invalid, and ignored.
            base = stated if Path(stated).is_absolute() else Path.home() / self.hidden
        return Path(base) / "goodbot"


CACHE = SystemFolder("LOCALAPPDATA", "Local", "Caches", "XDG_CACHE_HOME", ".cache")
CONFIG = SystemFolder("APPDATA", "Roaming", "Application Support", "XDG_CONFIG_HOME", ".config")


def cache_folder() -> Path:
    """Return the folder of goodbot in the user's cache, as the system has it.

    `XDG_CACHE_HOME` or `~/.cache` (XDG Base Directory Specification), `~/Library/Caches` on macOS,
    `%LOCALAPPDATA%` on Windows.
    """
    return CACHE.folder()


def config_folder() -> Path:
    """Return the folder of goodbot in the user's configuration, as the system has it.

    `XDG_CONFIG_HOME` or `~/.config` (XDG Base Directory Specification), `~/Library/Application
    Support` on macOS, `%APPDATA%` on Windows.
    """
    return CONFIG.folder()
