"""Where a user's own files are, on each system."""

from collections.abc import Callable
from pathlib import Path

import pytest

from goodbot.files.user_folders import cache_folder, config_folder

KINDS = [
    (cache_folder, "LOCALAPPDATA", "AppData/Local", "Library/Caches", "XDG_CACHE_HOME", ".cache"),
    (
        *(config_folder, "APPDATA", "AppData/Roaming"),
        *("Library/Application Support", "XDG_CONFIG_HOME", ".config"),
    ),
]


@pytest.mark.parametrize(("find", "windows", "roaming", "macos", "xdg", "hidden"), KINDS)
def test_each_system_has_its_folder(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    find: Callable[[], Path],
    windows: str,
    roaming: str,
    macos: str,
    xdg: str,
    hidden: str,
) -> None:
    """A variable comes first, but a relative one is ignored, as the specification of XDG says."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv(xdg, str(tmp_path))
    assert find() == tmp_path / "goodbot"
    monkeypatch.setenv(xdg, "relative")
    assert find() == Path.home() / hidden / "goodbot"
    monkeypatch.setattr("sys.platform", "darwin")
    assert find() == Path.home() / macos / "goodbot"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv(windows, str(tmp_path))
    assert find() == tmp_path / "goodbot"
    monkeypatch.delenv(windows)
    assert find() == Path.home() / roaming / "goodbot"
