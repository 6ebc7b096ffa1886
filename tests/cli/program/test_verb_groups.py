"""Verbs in groups: what help lists without loading any, and a verb with others below it."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from goodbot.cli.advice.near_misses import verbs_of
from goodbot.cli.program import SECTIONS, VERBS, program
from goodbot.cli.shared.verb_groups import VerbGroup
from tests.support.program import bare_environment, run

CONTEXT = click.Context(program, info_name="goodbot")
GROUPS = [program, *(verb for _, verb in verbs_of(program, CONTEXT) if isinstance(verb, VerbGroup))]
PAGE = b"<title>T</title><meta name=robots content=noindex>"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_summary_is_the_first_sentence_of_the_help(group: VerbGroup) -> None:
    """Help lists a lazy verb by its summary, so the two must not differ."""
    for name, lazy in group.lazy.items():
        assert lazy.summary == lazy.load().get_short_help_str(1_000), name


def test_help_loads_no_verb() -> None:
    """Neither that of the program nor that of a group whose verbs are lazy."""
    for words, loaded in (
        (["--help"], []),
        (["robot", "--help"], ["cli.verbs.robot", "cli.verbs.robot.robot"]),
    ):
        code = (
            "import sys; from goodbot.cli.program import run; run(sys.argv[1:]);"
            "print(sorted(name for name in sys.modules if '.verbs.' in name))"
        )
        done = subprocess.run(  # noqa: S603  our own code
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
        )
        expected = [f"goodbot.{name}" for name in loaded]
        assert done.stdout.splitlines()[-1] == str(expected)


def test_help_begins_with_what_everyone_needs_and_cuts_nothing() -> None:
    """At 80 columns: five verbs first, every verb once, each with its whole description."""
    text = run("--help", env=bare_environment(COLUMNS="80")).stdout.decode()
    start, *sections = SECTIONS
    assert start == "Start here"
    assert len(SECTIONS[start]) == 5
    assert len(VERBS) == len(set(VERBS))
    places = [text.index(f"\n{title}:\n") for title in (start, *sections)]
    assert places == sorted(places)
    assert max(map(len, text.partition("Start here")[2].splitlines())) <= 80
    words = " ".join(text.split())
    for verbs in SECTIONS.values():
        for verb, summary in verbs.items():
            assert f" {verb} {summary}" in words


def test_a_verb_with_others_runs_itself_or_one_of_them(tmp_path: Path) -> None:
    """The first word decides; a file with the name of a verb is written with its folder."""
    (tmp_path / "convert").write_bytes(PAGE)
    url = ("-u", "https://example.com/")
    done = run("page", "./convert", *url, cwd=tmp_path)
    assert (done.returncode, b"index" in done.stdout) == (1, True)
    done = run("page", *url, "convert", cwd=tmp_path)
    assert (done.returncode, b"index" in done.stdout) == (1, True)
    done = run("page", "convert", "convert", "--to", "header", cwd=tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, [b"X-Robots-Tag:", b"noindex"])
    done = run("page", "convert", "--nothing", cwd=tmp_path)
    assert b"See goodbot page convert --help." in b" ".join(done.stderr.split())
    for words in ("page",), ("page", "--help"):
        done = run(*words, cwd=tmp_path)
        assert b"Usage: goodbot page [OPTIONS] FILE|URL" in done.stdout + done.stderr


def test_a_message_names_the_options_of_the_verb_below() -> None:
    """A setting is called by its option, also two groups down."""
    done = run("robot", "page", "-r", "A/1", "--info-url", "x", "--contact", "a@b.example")
    assert done.returncode == 2
    assert b"--info-url" in done.stderr
