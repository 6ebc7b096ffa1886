"""How the snapshot of sentences is made: one text file for each module of `sections`."""

import pkgutil
import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from importlib import import_module
from pathlib import Path

from tests.support.paths import ROOT
from tests.words import sections

__all__ = [
    "HERE",
    "SECTIONS",
    "difference",
    "entries",
    "entry",
    "heading",
    "path_of",
    "text_of",
    "write",
]

HERE = Path(__file__).parent
SECTIONS = sorted(module.name for module in pkgutil.iter_modules(sections.__path__))


def heading(title: str) -> Iterator[str]:
    """Yield a heading with an empty line before and after it."""
    yield ""
    yield f"## {title}"
    yield ""


def entry(name: str, sentence: object) -> Iterator[str]:
    """Yield what is asked or reported, and below it the sentence that goodbot prints for it.

    What differs from machine to machine, such as the path of a checkout, must be replaced before.
    """
    yield name
    for line in str(sentence).splitlines() or [""]:
        yield f"    {line}".rstrip()


def entries(title: str, rows: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Yield a heading and the entries below it."""
    yield from heading(title)
    for name, sentence in rows:
        yield from entry(name, sentence)


def path_of(section: str) -> Path:
    """Return the file in which the sentences of a section are kept."""
    return HERE / f"{section}.txt"


def text_of(section: str) -> str:
    """Return the sentences of a section as the code makes them today."""
    module = import_module(f"{sections.__name__}.{section}")
    lines: Iterable[str] = module.lines()
    title = (module.__doc__ or "").strip().splitlines()[0]
    text = "\n".join([f"# {title}", *lines])
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def difference(section: str) -> str:
    """Return how the kept file differs from what the code says; empty if it does not."""
    kept = path_of(section).read_text(encoding="utf-8") if path_of(section).is_file() else ""
    name = path_of(section).relative_to(ROOT).as_posix()
    lines = unified_diff(
        kept.splitlines(), text_of(section).splitlines(), name, "what the code says", lineterm=""
    )
    return "\n".join(lines)


def write() -> None:
    """Write the file of each section."""
    for section in SECTIONS:
        path_of(section).write_text(text_of(section), encoding="utf-8")
