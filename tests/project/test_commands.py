"""The pages on the command describe every verb, and the exit statuses that it has."""

import inspect
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from printing.of_commands import Verb, statuses, verbs
from printing.of_man import main, man_pages

from goodbot.cli.shared.exit_status import ExitStatus
from tests.support.paths import ROOT

DOCS = ROOT / "docs"

VERBS = list(verbs())


def module_of(verb: Verb) -> ModuleType:
    """Return the module that defines the function of a verb."""
    assert verb.command.callback is not None
    return sys.modules[verb.command.callback.__module__]


def test_a_status_of_1_is_explained() -> None:
    """Every file of verbs that can exit with 1 has a verb whose help explains what 1 means."""
    for verb in VERBS:
        assert set(statuses(verb)) <= {int(status) for status in ExitStatus}
        module = module_of(verb)
        if "ExitStatus.DISALLOWED" in inspect.getsource(module):
            neighbours = [one for one in VERBS if module_of(one) is module]
            assert any(ExitStatus.DISALLOWED in statuses(one) for one in neighbours), verb.name


def test_exit_statuses_are_read_from_the_help() -> None:
    """The sentence of `goodbot check` is split into its statuses."""
    check = next(verb for verb in VERBS if verb.name == "goodbot check")
    assert set(statuses(check)) == {ExitStatus.ALLOWED, ExitStatus.DISALLOWED, ExitStatus.MISUSE}
    crawl = next(verb for verb in VERBS if verb.name == "goodbot crawl")
    assert ExitStatus.INTERRUPTED in statuses(crawl)


def test_every_verb_has_its_row_and_its_section() -> None:
    """The page of commands and the page of exit statuses list every command."""
    commands = (DOCS / "reference" / "command.md").read_text(encoding="utf-8")
    table = (DOCS / "reference" / "exit-statuses.md").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"\n## {verb.name}\n" in commands
        assert f"\n| `{verb.name}` |" in table


def test_every_verb_has_a_manual_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make man` writes one page for each verb, and one for the program that names them all."""
    assert main([str(tmp_path / "man")]) == 0
    assert "goodbot.1" in capsys.readouterr().out
    written = {path.name for path in (tmp_path / "man").iterdir()}
    assert written == {"goodbot.1", *(f"{verb.name.replace(' ', '-')}.1" for verb in VERBS)}
    main_page = (tmp_path / "man" / "goodbot.1").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f".BR {verb.name.replace(' ', '-')} (1)".replace("-", "\\-") in main_page


CHECKERS = [("mandoc", "-Tlint", "-Wwarning"), ("man", "--warnings", "-Tutf8", "-Z", "-l")]


def test_manual_pages_are_well_formed(tmp_path: Path) -> None:
    """An installed checker of manual pages reports nothing.

    Without a checker, every line is text or one of the macros of man(7) that the pages use.
    """
    macros = {".TH", ".SH", ".PP", ".TP", ".B", ".BR", ".nf", ".fi"}
    checkers = [checker for checker in CHECKERS if shutil.which(checker[0])]
    for name, text in man_pages():
        lines = text.splitlines()
        assert {line.split()[0] for line in lines if line.startswith(".")} <= macros, name
        assert lines.count(".nf") == lines.count(".fi"), name
        page = tmp_path / name
        page.write_text(text, encoding="utf-8")
        for checker in checkers[:1]:
            done = subprocess.run(  # noqa: S603  an installed checker
                [*checker, page], capture_output=True, text=True, check=False
            )
            assert not done.stderr, done.stderr
            assert checker[0] != "mandoc" or not done.stdout, done.stdout
