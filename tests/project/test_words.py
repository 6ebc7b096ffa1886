"""The words of the project: plain English, without what made the older texts hard to read."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import PurePosixPath
from token import tok_name
from tokenize import generate_tokens

import pytest

from tests.support.paths import ROOT
from tests.support.sources import followed, text_of, tree_of

SUFFIXES = {".md", ".py", ".pyi", ".rs"}

RUST_COMMENT = re.compile(r"(?:^|\s)//.*")

OLD_OPENINGS = r"Give|Tell|Take|Say|Look(?! up\b)|Ask|Have|Let|See|Hand|Make out"
"""Words with which no docstring begins: they stood for *return*, *report*, *read* and all else."""

OLD_WORDS = {
    "What may live here": "Scope:",
    "tells? the cure|the cure": "the message says how to fix it",
    "whoever": "anyone who, if you",
    "nobody (is|was) (told|asked)|asks? nobody|what nobody": "the sentence turned round",
    "(most|fewest|more|fewer) octets": "longest match, longer, shorter",
    "passed over": "ignored, skipped",
    "heeded": "obeyed, applied",
    "what (came|comes) of": "the result of",
    "(cannot|could|can) be had": "cannot be fetched, is available",
    "(is|are) looked at": "is checked, is considered",
    "puts? (it |them |visits )?off": "defer, postpone",
    "save (that|those|for)": "except",
    "is told|are told": "is reported, is shown",
    "left out": "omitted, skipped",
    "octets?": "byte, bytes",
}
"""What the older texts said, and what to write instead."""

OCTETS_ALLOWED = {
    "python/goodbot/crawl/folder/segment_rows.py": "columns of stored tables have that name",
    "python/goodbot/store/histories.py": "columns of stored tables have that name",
    "python/goodbot/store/schema.py": "columns of stored tables have that name",
    "python/goodbot/store/sqlite.py": "columns of stored tables have that name",
    "tests/store/test_store.py": "columns of stored tables have that name",
    "python/goodbot/crawl/folder/tables.py": "a column and a setting had that name in older files",
    "python/goodbot/crawl/archive/copies.py": "a key of the metadata that archives have stored",
    "python/goodbot/crawl/archive/kept_copy.py": "the same key",
    "tests/crawl/archive/test_archive.py": "the same key",
    "docs/reference/dialects.md": "the sources of the dialects, in the words of their documents",
    "docs/reference/seeds.md": "quotations, and names of cases",
    "tests/project/test_words.py": "this list",
    "tests/system/nginx.py": "a media type",
    "tests/project/test_sql.py": "the name of a table of the store",
    "tests/crawl/folder/test_readonly_parts.py": "the same",
}
"""Files that may write "octet", each with its reason."""

EXCEPTIONS = {"tests/project/test_words.py": "this list"}
"""Files that may use all of the old words, each with its reason."""


FILES = [path for path in followed() if path.suffix in SUFFIXES and str(path) not in EXCEPTIONS]


@cache
def prose_of(path: PurePosixPath) -> tuple[tuple[int, str], ...]:
    """Return the numbered lines of a file that people read: no names and no code."""
    if path.suffix == ".rs":
        lines = enumerate(text_of(ROOT / path).splitlines(), start=1)
        comments = ((number, RUST_COMMENT.search(line)) for number, line in lines)
        return tuple((number, re.sub("`[^`]*`", "", one[0])) for number, one in comments if one)
    if path.suffix != ".py":
        return tuple(enumerate(text_of(ROOT / path).splitlines(), start=1))
    found: list[tuple[int, str]] = []
    for token in generate_tokens(StringIO(text_of(ROOT / path)).readline):
        if tok_name[token.type] in {"COMMENT", "STRING", "FSTRING_MIDDLE"}:
            found += enumerate(token.string.splitlines(), start=token.start[0])
    return tuple(found)


def openings(path: PurePosixPath) -> Iterator[tuple[int, str]]:
    """Yield the line and the first line of each docstring of a Python file."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree_of(ROOT / path)):
        if isinstance(node, kinds) and (words := ast.get_docstring(node)):
            yield node.body[0].lineno, words.splitlines()[0]


def doc_comments(path: PurePosixPath) -> Iterator[tuple[int, str]]:
    """Yield the number and the first line of each doc comment of a Rust file."""
    before = ""
    for number, line in enumerate(text_of(ROOT / path).splitlines(), start=1):
        words = re.match(r"\s*//[/!] ?(.*)", line)
        if words and not before:
            yield number, words[1]
        before = words[1] if words else ""


def test_docstrings_begin_with_ordinary_verbs() -> None:
    """Return, Parse, Report, Yield, Raise, not Give or Tell for everything."""
    offences = [
        f"{path}:{line}: {words}"
        for path in FILES
        if path.suffix in {".py", ".rs"}
        for line, words in (openings(path) if path.suffix == ".py" else doc_comments(path))
        if re.match(rf"({OLD_OPENINGS})s?\b", words)
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize("old", OLD_WORDS)
def test_the_old_words_are_gone(old: str) -> None:
    """No text of the project, to be read by users or in the code, uses a word of the list."""
    offences = [
        f"{path}:{number}: {line.strip()}"
        for path in FILES
        if not ("octet" in old and str(path) in OCTETS_ALLOWED)
        for number, line in prose_of(path)
        if re.search(rf"\b({old})\b", line, re.IGNORECASE)
    ]
    assert not offences, f"write instead: {OLD_WORDS[old]}\n" + "\n".join(offences)


def test_what_is_excepted_is_there() -> None:
    """Each file and folder that the lists name exists."""
    named = {*OCTETS_ALLOWED, *EXCEPTIONS}
    files = [str(path) for path in followed()]
    gone = [name for name in named if not any(file.startswith(name) for file in files)]
    assert not gone, "these are gone: remove them from the lists"
