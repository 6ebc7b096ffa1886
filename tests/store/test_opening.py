"""Stores opened from text: paths, URLs, and the schemes of other packages."""

import sys
from pathlib import Path, PureWindowsPath

import pytest

from goodbot.errors import (
    GoodbotError,
    MissingExtraError,
    StoreUnavailableError,
    WrongTypeError,
    WrongValueError,
)
from goodbot.store import MemoryStore, SQLiteStore, open_store
from goodbot.store.opening import is_lasting, opened_store, store_file, store_name

PATHS = [
    ("robots.db", "robots.db"),
    ("/var/robots.db", "/var/robots.db"),
    ("./memory:", "./memory:"),
    (r"C:\stores\robots.db", r"C:\stores\robots.db"),
    ("C:/stores/robots.db", "C:/stores/robots.db"),
    ("robots:2026-01-31.db", "robots:2026-01-31.db"),
    ("postgresql:robots", "postgresql:robots"),
    ("a//b.db", "a//b.db"),
    ("sqlite:///robots.db", "robots.db"),
    ("SQLite:///robots.db", "robots.db"),
    ("sqlite:////var/robots.db", "/var/robots.db"),
    (r"sqlite:///C:\stores\robots.db", r"C:\stores\robots.db"),
    ("sqlite:///a%20b.db", "a%20b.db"),
    ("file:///var/a%20b.db", "/var/a b.db"),
    ("file://localhost/var/robots.db", "/var/robots.db"),
    ("file:/var/robots.db", "/var/robots.db"),
    ("file:robots.db", "robots.db"),
]
NOTHING = [
    ("", "write memory:"),
    (":memory:", "write memory:"),
    ("a\0b", "has a NUL"),
    ("memory:robots", "write memory: alone"),
    ("sqlite:", "sqlite:///robots.db"),
    ("sqlite://", "sqlite:///robots.db"),
    ("sqlite:///", "sqlite:///robots.db"),
    ("sqlite:robots.db", "sqlite:///robots.db"),
    ("sqlite://host/robots.db", "sqlite:///robots.db"),
    ("sqlite:///robots.db?mode=ro", "no options"),
    ("file:robots.db?mode=memory", "no options"),
    ("file://other/robots.db", "another machine"),
    ("file:", "names no file"),
    ("file:///", "names no file"),
]
PLUGIN = """
from goodbot.store import MemoryStore

def open_shelf(text):
    store = MemoryStore()
    store.text = text
    return store

def open_box(text):
    return {"text": text}

def open_shut(text):
    raise OSError(f"no connection to {text}")

def open_later(text):
    import a_driver_that_is_missing
"""
POINTS = """[goodbot.stores]
shelf = shelf_store:open_shelf
box = shelf_store:open_box
crate = a_module_that_is_missing:open [fast]
barrel = shelf_store:open_later
chest = shelf_store:open_shut
"""


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
@pytest.mark.parametrize(("text", "path"), PATHS)
def test_a_text_means_a_file(text: str, path: str) -> None:
    """Whatever is no URL is a path, with a colon or a drive."""
    assert store_file(text) == path
    assert store_name(text) == path
    assert is_lasting(text)


@pytest.mark.parametrize(("text", "cure"), NOTHING)
def test_a_url_that_means_no_store_names_the_cure(text: str, cure: str) -> None:
    """No file is created with a name that was not meant."""
    with pytest.raises(WrongValueError, match=cure):
        open_store(text)


def test_both_schemes_of_a_file_open_the_file_that_its_path_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a path below the present folder."""
    monkeypatch.chdir(tmp_path)
    for text in ("robots.db", "sqlite:///robots.db", "file:robots.db", tmp_path / "robots.db"):
        with opened_store(text) as store:
            assert isinstance(store, SQLiteStore)
    assert [path.name for path in tmp_path.iterdir()] == ["robots.db"]


def test_a_path_is_never_taken_for_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `Path` is one, whatever its name."""
    monkeypatch.chdir(tmp_path)
    with opened_store(Path("memory:")) as store:
        assert isinstance(store, SQLiteStore)
    assert (tmp_path / "memory:").is_file()
    assert store_file(PureWindowsPath(r"C:\robots.db")) == r"C:\robots.db"


def test_memory_is_a_store_of_this_process() -> None:
    """It has the bound of a robot's own store, and no file."""
    assert isinstance(open_store("memory:"), MemoryStore)
    assert store_name("memory:") == "memory:"
    assert not is_lasting("memory:")


def test_what_is_no_text_is_refused() -> None:
    """Such as a store that is open already."""
    with pytest.raises(WrongTypeError, match="not MemoryStore"):
        open_store(MemoryStore())  # type: ignore[arg-type]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that adds schemes."""
    (tmp_path / "shelf_store.py").write_text(PLUGIN)
    facts = tmp_path / "shelf_store-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-store\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shelf_store", raising=False)


@pytest.mark.usefixtures("shelf")
def test_another_package_adds_a_scheme() -> None:
    """Its function gets the whole text."""
    text = "shelf://robot:secret@host.example/top?tls=1"
    store = open_store(text)
    assert isinstance(store, MemoryStore)
    assert vars(store)["text"] == text
    assert store_name(text) == "shelf://host.example/top"
    assert store_file(text) is None


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("text", "error", "cure"),
    [
        ("box://a", WrongTypeError, "box of goodbot.stores returned dict"),
        ("crate://a", MissingExtraError, r"pip install 'shelf-store\[fast\]'"),
        ("chest://robot:secret@a", StoreUnavailableError, r"chest://a cannot be opened \(OSError"),
        ("barrel://a", MissingExtraError, "pip install a_driver_that_is_missing"),
        ("vat://robot:secret@a", WrongValueError, "there is no store for vat://; install"),
    ],
)
def test_what_a_scheme_lacks_is_told_with_the_cure(
    text: str, error: type[GoodbotError], cure: str
) -> None:
    """A library, a store, or the scheme itself; and never a password."""
    with pytest.raises(error, match=cure) as caught:
        open_store(text)
    assert "secret" not in str(caught.value)
