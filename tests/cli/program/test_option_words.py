"""A message names the options of the command, and in Python the arguments."""

import pickle
import re
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.error_messages import options_by_setting
from goodbot.crawl import Bounds, Crawl
from goodbot.crawl.verbs.crawl import crawl
from goodbot.net.failures import FAILURES, failure
from goodbot.pace import Manners
from tests.support import program
from tests.support.crawls.memory_crawls import SITE, site_of
from tests.support.crawls.memory_crawls import crawl as crawl_in_memory
from tests.support.robot_sites import ME

PYTHON = re.compile(r"(?<![\w-])[a-z]+(?:_[a-z]+)+|\b[a-z_]+=(?!\")|\bTrue\b|\bNone\b")
"""Names and values as only Python writes them."""

TOLD: dict[tuple[str, ...], str] = {
    ("--robot", "Ex Bot/1"): "pass the URL as --info-url",
    ("--info-url", "nix"): "--info-url 'nix' is not an http or https URL",
    ("--info-url", "https://a:b@example.com/"): "--info-url has a user name",
    ("--contact", "nix"): "--contact 'nix' is not an email address",
    ("--hours", "25"): "--hours must be windows in UT",
    ("--exclude", "a"): "the pattern 'a' must begin with",
    ("--group", "x/y"): "'x/y' is no server group",
    ("--types", "x"): "there is no type 'x'",
    ("--traps", "x"): "there is no trap 'x'",
    ("--dialect", "x"): "there is no dialect",
    ("--page-dialect", "x"): "there is no page dialect",
    ("--allow-network", "x"): "'x' is not a network",
}
"""Wrong options, and what the message says."""


@pytest.mark.parametrize("words", TOLD, ids=" ".join)
def test_the_command_does_not_speak_python(words: tuple[str, ...], tmp_path: Path) -> None:
    """What is wrong is named as the user wrote it."""
    robot = () if "--robot" in words else ("--robot", "ExampleBot/1.0")
    done = program.run("crawl", f"{SITE}/", *robot, *words, cwd=tmp_path, env=program.environment())
    told = " ".join(done.stderr.decode().split())
    assert done.returncode == 2
    assert TOLD[words] in told
    assert PYTHON.search(told) is None


def test_another_start_is_refused_with_the_option(tmp_path: Path) -> None:
    """Python's argument is named by the library alone."""
    crawl_in_memory(tmp_path / "crawl", site_of("", home="x"))
    words = ("crawl", "https://b.example/", "--robot", "ExampleBot/1.0")
    done = program.run(*words, cwd=tmp_path, env=program.environment())
    assert "resume the crawl (--resume)" in " ".join(done.stderr.decode().split())
    with pytest.raises(goodbot.MisuseError, match=r"resume the crawl \(resume=True\)"):
        crawl_in_memory(tmp_path / "crawl", site_of("", home="x"), "https://b.example/")


def raised_by(misuse: object) -> goodbot.GoodbotError:
    """Return the exception that a call raises."""
    assert callable(misuse)
    with pytest.raises(goodbot.GoodbotError) as caught:
        misuse()
    return caught.value


@pytest.mark.parametrize(
    ("misuse", "python", "option"),
    [
        (lambda: Crawl("x"), "name=, info_url= and contact=", "--robot, --info-url and --contact"),
        (lambda: Crawl("x", "Ex Bot", **ME), "as info_url=", "as --info-url"),
        (
            lambda: Bounds(origins=frozenset({SITE}), any_origin=True),
            "any_origin=True",
            "--any-origin",
        ),
        (lambda: Manners(back_off_first=2.0, back_off_longest=1.0), "back_off_first", "--back-off"),
        (lambda: Manners(hours="x"), "hours must", "--hours must"),
    ],
)
def test_one_message_has_both_words(misuse: object, python: str, option: str) -> None:
    """Also after it was pickled, as exceptions of other processes are."""
    error = raised_by(misuse)
    for one in (error, pickle.loads(pickle.dumps(error))):  # noqa: S301  our own
        assert python in str(one)
        told = one.message_with(options_by_setting(crawl))
        assert option in told
        assert PYTHON.search(told) is None


@pytest.mark.parametrize("kind", FAILURES)
def test_failures_name_options_where_there_are_some(kind: str) -> None:
    """Where the command has no option, the message says that Python has."""
    error = failure(f"{SITE}/", kind)
    assert str(error).endswith(FAILURES[kind][1])
    told = error.message_with(options_by_setting(crawl))
    found = PYTHON.search(told)
    assert found is None or "in Python, pass" in told[: found.start()]
    assert pickle.loads(pickle.dumps(error)).message == error.message  # noqa: S301  our own


def test_a_very_long_patience_is_as_none(tmp_path: Path) -> None:
    """It is longer than a clock can tell."""
    done = crawl_in_memory(tmp_path / "crawl", site_of("", home="x"), patience=1e99)
    assert done.summary.ended == "nothing-left"
