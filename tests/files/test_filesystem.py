"""Files on POSIX and on Windows: locks, names and devices, each with a fake of its system."""

import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from goodbot.files.filesystem import HERE, Posix, Windows, filesystem


class FakeMsvcrt:
    """`msvcrt` as far as it is used: it records which byte of which file is locked."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        """Start without locks."""
        self.locked: set[tuple[int, int]] = set()

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        """Lock bytes from the current position on, or raise as Windows does.

        Raises:
            PermissionError: The bytes are locked.

        """
        assert (mode, count) == (self.LK_NBLCK, 1)
        facts = os.fstat(descriptor)
        byte = (facts.st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        if byte in self.locked:
            raise PermissionError(13, "Permission denied")
        self.locked.add(byte)


def test_windows_locks_a_byte_that_nobody_reads(tmp_path: Path) -> None:
    """Another process is refused, the content stays readable, and the position is the beginning."""
    windows = Windows(FakeMsvcrt())
    path = tmp_path / "crawl.lock"
    path.write_bytes(b"7\n")
    with path.open("r+b", buffering=0) as one, path.open("r+b", buffering=0) as other:
        windows.lock(one.fileno())
        assert os.read(one.fileno(), 9) == b"7\n"
        with pytest.raises(OSError, match="Permission denied"):
            windows.lock(other.fileno())
        assert os.read(other.fileno(), 9) == b"7\n"


def test_posix_locks_the_file() -> None:
    """The lock does not wait."""
    asked = []
    fcntl = SimpleNamespace(LOCK_EX=2, LOCK_NB=4, flock=lambda *given: asked.append(given))
    Posix(fcntl).lock(7)
    assert asked == [(7, 6)]


def test_windows_replaces_a_file_once_it_is_closed() -> None:
    """A scanner may hold a new file for a moment; holding it for long is an error."""
    pauses: list[float] = []

    class Held:
        """A file that is held open for some tries."""

        def __init__(self, tries: int) -> None:
            """Set the number of tries."""
            self.tries, self.replaced = tries, False

        def replace(self, _source: str | Path, _target: str | Path) -> None:
            """Fail while the file is held open.

            Raises:
                PermissionError: It is held open.

            """
            self.tries -= 1
            if self.tries >= 0:
                raise PermissionError(13, "Permission denied")
            self.replaced = True

    held = Held(3)
    Windows(FakeMsvcrt(), held.replace, pauses.append).replace("a", "b")
    assert held.replaced
    assert pauses == [Windows.PAUSE] * 3
    with pytest.raises(PermissionError):
        Windows(FakeMsvcrt(), Held(99).replace, pauses.append).replace("a", "b")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NUL", True),
        ("nul.html", True),
        ("out/Com1.txt", True),
        ("C:/x/aux .json", True),
        ("LPT²", True),
        ("report.html", False),
        ("console.txt", False),
        ("com10", False),
        (".nul", False),
    ],
)
def test_reserved_names_are_devices_on_windows(name: str, *, expected: bool) -> None:
    """They are devices in any folder, in upper or lower case, with any extension."""
    assert Windows(FakeMsvcrt()).is_device(Path(name)) is expected


def test_a_folder_is_synced_where_it_can_be(tmp_path: Path) -> None:
    """Windows cannot open folders; elsewhere a missing folder is not an error."""
    Windows(FakeMsvcrt()).sync_folder(tmp_path / "gone")
    HERE.sync_folder(tmp_path)
    HERE.sync_folder(tmp_path / "gone")


def test_each_system_has_its_class() -> None:
    """The class follows from the system's name; without a module for locks there are none."""
    loaded: list[str] = []

    def load(name: str) -> ModuleType:
        loaded.append(name)
        return ModuleType(name)

    def refuse(name: str) -> ModuleType:
        raise ImportError(name)

    assert type(filesystem("nt", load)) is Windows
    assert type(filesystem("posix", load)) is Posix
    assert loaded == ["msvcrt", "fcntl"]
    filesystem("posix", refuse).lock(-1)


@pytest.mark.skipif(os.name == "nt", reason="permissions and pipes of POSIX")
def test_posix_knows_pipes_and_permissions(tmp_path: Path) -> None:
    """A pipe is not a file, and a missing path is not a device."""
    os.mkfifo(tmp_path / "pipe")
    assert HERE.is_device(tmp_path / "pipe")
    assert not HERE.is_device(tmp_path)
    assert not HERE.is_device(tmp_path / "gone")
    with (tmp_path / "file").open("wb") as file:
        HERE.set_mode(file.fileno(), 0o640)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
