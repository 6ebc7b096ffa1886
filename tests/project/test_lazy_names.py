"""Packages that load their public names on first use, and what must agree there."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import goodbot

PACKAGE = Path(goodbot.__file__).parent
ROOMS = sorted(
    ".".join(("goodbot", *file.parent.relative_to(PACKAGE).parts))
    for file in PACKAGE.rglob("__init__.py")
    if "= lazy_names(" in file.read_text(encoding="utf-8")
)


def lazy_table(room: ModuleType) -> dict[str, tuple[str, ...]]:
    """Return what a package passes to `lazy_names`, from its source."""
    calls = [node for node in ast.walk(tree_of(room)) if isinstance(node, ast.Call)]
    call = next(node for node in calls if getattr(node.func, "id", "") == "lazy_names")
    table: dict[str, tuple[str, ...]] = ast.literal_eval(call.args[1])
    return table


def tree_of(room: ModuleType) -> ast.Module:
    """Return the parsed `__init__.py` of a package."""
    assert room.__file__ is not None
    return ast.parse(Path(room.__file__).read_text(encoding="utf-8"))


def typed(room: ModuleType) -> dict[str, set[str]]:
    """Return what a package imports for type checkers only, by module."""
    found: dict[str, set[str]] = {}
    for block in tree_of(room).body:
        if isinstance(block, ast.If):
            for node in block.body:
                assert isinstance(node, ast.ImportFrom)
                assert node.module is not None
                name = node.module.removeprefix(room.__name__).removeprefix(".")
                found.setdefault(name, set()).update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("name", ROOMS)
def test_type_checkers_read_the_same_names(name: str) -> None:
    """What is loaded on first use is what type checkers are shown, and it is public."""
    room = importlib.import_module(name)
    table = lazy_table(room)
    assert typed(room) == {module: set(names) for module, names in table.items()}
    names = {one for names in table.values() for one in names}
    assert names <= set(room.__all__)
    assert {*names, *room.__all__} <= set(dir(room))
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'no_such_name'"):
        _ = room.no_such_name


@pytest.mark.parametrize("name", ROOMS)
def test_no_name_hides_behind_a_module(name: str) -> None:
    """A name on first use is not that of a module, which would be found in its place."""
    room = importlib.import_module(name)
    below = {module.name for module in pkgutil.iter_modules(room.__path__)}
    lazily = {one for names in lazy_table(room).values() for one in names}
    assert not lazily & below


def test_a_module_of_a_room_does_not_load_the_others() -> None:
    """Reading evidence, for example, needs the verdicts on pages and not what reads pages."""
    program = (
        "import sys; import goodbot.crawl.evidence.history, goodbot.crawl.folder.open_readonly;"
        "print(*[name for name in sys.modules if name.startswith('goodbot.')])"
    )
    done = subprocess.run(  # noqa: S603  ours
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "goodbot.page.verdict" in loaded
    needless = (
        "goodbot.page.readers",
        "goodbot.crawl.inventory",
        "goodbot.net",
        "goodbot.pace.pace",
        "goodbot.content_use.rsl_reader",
    )
    assert [name for name in loaded if name.startswith(needless)] == []
