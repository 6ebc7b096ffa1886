"""The documentation is current and correct: printed pages match the code, and examples run."""

import ast
import doctest
import importlib
import importlib.util
import re
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import click
import pytest

from goodbot.cli.advice.near_misses import verbs_of
from goodbot.cli.program import VERBS, program
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
EXAMPLES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
APART = {
    DOCS / "how-to" / "polars.md",
    DOCS / "tutorials" / "audit.md",
    DOCS / "tutorials" / "corpus.md",
}
"""Pages whose examples run elsewhere: `make test-system` builds what the first one needs, and those
of the others read the files of their page, or what its commands write."""

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def read(path: Path) -> str:
    """Return the text of a page."""
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """Return the name of a page as it appears in links."""
    return str(path.relative_to(ROOT))


def generator() -> ModuleType:
    """Load docs/generate.py, which is not part of a package."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))  # where the script finds its modules
        spec.loader.exec_module(module)
    return module


def test_a_page_that_is_not_current_is_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` fails if a page was changed by hand, names it, and says what to run."""
    module = generator()
    monkeypatch.setattr(module, "HERE", tmp_path)
    assert module.main([]) == 0
    assert module.main(["--check"]) == 0
    (tmp_path / "fields.md").write_text("changed by hand", encoding="utf-8")
    assert module.main(["--check"]) == 1
    said = capsys.readouterr().err
    assert said == "docs/reference/fields.md is not current; print it again with `make docs`\n"


def python_blocks(path: Path) -> list[str]:
    """Return the Python blocks of a page, padded with blank lines to their places in the file."""
    text = read(path)
    found = [match for match in FENCE.finditer(text) if match[2] == "python"]
    return ["\n" * text.count("\n", 0, match.start(3)) + dedent(match[3]) for match in found]


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path not in APART], ids=name_of)
def test_the_examples_of_a_page_run(path: Path) -> None:
    """The examples of a page run from top to bottom, and return what they show."""
    run_examples(path)


def run_examples(path: Path) -> None:
    """Run the examples of a page."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    names: dict[str, object] = {}
    for block in python_blocks(path):
        if ">>> " in block:
            test = doctest.DocTestParser().get_doctest(block, names, path.name, str(path), 0)
            # The runner would clear the names that the next block uses.
            runner.run(test, out=report.append, clear_globs=False)
            names = test.globs
        else:
            ast.parse(block)
    assert runner.failures == 0, "".join(report)


def test_the_pages_for_learners_have_examples() -> None:
    """The tutorial of the library and the how-to guides have examples that run."""
    for folder, least in (("tutorials", 30), ("how-to", 60)):
        pages = (DOCS / folder).glob("*.md")
        examples = sum("".join(python_blocks(page)).count(">>> ") for page in pages)
        assert examples >= least, f"docs/{folder} has {examples} examples"


def test_a_reference_page_has_an_entrance() -> None:
    """Its first lines say where to find things, before the first table."""
    pages = sorted((DOCS / "reference").glob("*.md"))
    assert len(pages) > 10
    assert [path for path in pages if "Looking for" not in read(path).partition("\n|")[0]] == []


def test_a_page_has_a_title() -> None:
    """Each page has one heading of the first level."""
    prose = {path: FENCE.sub("", read(path)) for path in [*EXAMPLES, ROOT / "GLOSSARY.md"]}
    titles = {path: re.findall(r"^# .+", text, re.MULTILINE) for path, text in prose.items()}
    assert {name_of(path): found for path, found in titles.items() if len(found) != 1} == {}


def test_the_glossary_is_in_order_and_names_its_sources() -> None:
    """The glossary is short, sorted, and names a source for each word."""
    rows = re.findall(
        r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", read(ROOT / "GLOSSARY.md"), re.MULTILINE
    )
    words = [word.casefold() for word, _, _ in rows]
    assert 10 < len(words) <= 30
    assert words == sorted(set(words))


def test_every_verb_of_the_command_line_is_in_the_readme() -> None:
    """The short list in the README has every `goodbot <verb>`."""
    readme = read(ROOT / "README.md")
    assert not [verb for verb in VERBS if f"goodbot {verb}" not in readme]


def test_the_calls_behind_the_verbs_exist() -> None:
    """Each row of the page names a verb of the command, and functions that can be imported."""
    text = read(DOCS / "how-to" / "ask-in-python.md")
    rows = re.findall(r"^\| `([\w ]+)[^|]* \| .+? \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) >= 10
    every = {name for name, _ in verbs_of(program, click.Context(program))}
    assert {verb.strip() for verb, _ in rows} <= every
    calls = {name for _, call in rows for name in re.findall(r"`(goodbot[\w.]+)\(", call)}
    assert len(calls) >= 10
    for call in calls:
        module, _, name = call.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), call
