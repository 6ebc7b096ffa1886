"""What the command says when it was used in another way than it knows."""

import pytest

import goodbot
from goodbot import bots
from goodbot.cli.advice.near_misses import RENAMED
from tests.support import program


def complaint(*words: str, given: bytes = b"") -> str:
    """Return what a command that fails says."""
    done = program.run(*words, given=given)
    assert done.returncode == 2
    return done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("check", "--robts-txt", "x"), "Did you mean --robots-txt?"),
        (("check", "--user-agent", "x"), "Did you mean --robot?"),
        (("crawl", "--max-page", "x"), "Did you mean --max-pages?"),
        (("crawl", "--delay", "3"), "Did you mean --pause?"),
        (("check", "--max-pages", "3"), "goodbot crawl"),
        (("chek",), "Did you mean check?"),
        (("archive", "lst"), "Did you mean list?"),
        (("robot", "block", "ad"), "Did you mean add?"),
        (("check", "--wacz", "x"), "It is an option of goodbot archive export."),
        (("https://a.example/?a&b",), "goodbot check 'https://a.example/?a&b'"),
    ],
)
def test_a_near_miss_names_what_was_meant(words: tuple[str, ...], meant: str) -> None:
    """An option or a verb that does not exist is answered with the nearest one."""
    assert meant in complaint(*words)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_earlier_name_of_a_verb_goes_on_working(old: str, new: str) -> None:
    """It does what the new one does, and a note says the new one."""
    earlier, now = program.run(old, "--help"), program.run(*new.split(), "--help")
    assert (earlier.returncode, earlier.stdout) == (now.returncode, now.stdout) == (0, now.stdout)
    assert earlier.stderr.decode() == f"note: goodbot {old} is now goodbot {new}\n"
    assert not now.stderr


def test_a_word_that_resembles_nothing_is_not_corrected() -> None:
    """A wrong suggestion is worse than none."""
    assert "Did you mean" not in complaint("check", "--frobnicate")
    assert "Did you mean" not in complaint("frobnicate")


@pytest.mark.parametrize("verb", ["crawl", "robot page"])
@pytest.mark.parametrize("pause", ["nan", "-1", "1e-9", "inf", "99999999"])
def test_a_pause_that_cannot_be_kept(verb: str, pause: str) -> None:
    """The message says which pauses can be."""
    words = ["-r", "ExampleBot/1.0", f"--pause={pause}"]
    words += ["http://127.0.0.1:9/"] if verb == "crawl" else []
    told = complaint(*verb.split(), *words)
    assert "--pause" in told
    assert "write 0 for no pause, or seconds from 0.001 to 31,536,000" in told


@pytest.mark.parametrize(
    ("words", "dialect"),
    [
        (("-r", "Googlebot"), "google"),
        (("-r", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"), "bing"),
        (("-r", "YandexBot/3.0"), "yandex"),
        (("-r", "Applebot"), "apple"),
        (("-r", "GPTBot"), "rfc9309"),
        (("-r", "ExampleBot"), "rfc9309"),
        (("-r", "Googlebotany"), "rfc9309"),
        (("-r", "Googlebot", "-d", "google"), "google"),
    ],
)
def test_a_known_robot_brings_its_dialect(words: tuple[str, ...], dialect: str) -> None:
    """The verdict names the dialect; nothing else needs to be said."""
    done = program.run("check", "-f", "-", *words, "/x", given=b"User-agent: *\nDisallow: /y\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"dialect {dialect})" in done.stdout.decode()


def test_a_chosen_dialect_wins_and_is_said() -> None:
    """One line on standard error says that the operator of the robot reads the file otherwise."""
    rules = b"User-agent: *\nDisallow: /y\n"
    done = program.run("check", "-f", "-", "-r", "Googlebot", "-d", "bing", "/x", given=rules)
    assert "dialect bing)" in done.stdout.decode()
    told = "robots.txt is read as bing, which --dialect chose; Google reads it as google"
    assert done.stderr.decode() == f"note: {told}\n"
    for words in (("-r", "Googlebot", "-d", "all"), ("-r", "GPTBot", "-d", "bing")):
        assert program.run("check", "-f", "-", *words, "/x", given=rules).stderr == b""


def test_a_robot_with_a_stand_in_is_known_to_read_that_dialect() -> None:
    """Where a dialect has a stand-in for a robot, the robot's operator reads that dialect."""
    for dialect in goodbot.dialects():
        stand_in = dialect.choices["stand_ins"].partition("=")[0]
        assert not stand_in or bots.get(stand_in).dialect == dialect.name


def test_the_help_of_the_program_has_no_exit_statuses() -> None:
    """They belong to the verbs: each has its own."""
    assert "0 every URL is allowed" not in program.run("--help").stdout.decode()
    assert "0 every URL is allowed" in program.run("check", "--help").stdout.decode()


def test_a_page_is_read_in_the_dialect_of_a_known_robot() -> None:
    """Bing reads lists that are separated by spaces; a chosen dialect wins, and a note says so."""
    content = b"<!DOCTYPE html><title>A</title><meta name=robots content='noindex nofollow'>"
    url = ("-u", "https://a.example/")

    def read(*words: str) -> tuple[int, str, str]:
        done = program.run("page", "-", *url, *words, given=content)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    status, output, complaints = read("-r", "bingbot/2.0")
    assert (status, complaints) == (1, "")
    assert "read as bing" in output
    assert "read as yandex" in read("-r", "YandexImages")[1]
    for robot in ("GPTBot", "Applebot", "ExampleBot"):
        assert "read as google" in read("-r", robot)[1]
    status, output, complaints = read("-r", "bingbot", "-d", "google")
    assert status == 0
    assert complaints == (
        "note: directives are read as google, which --dialect chose; Microsoft reads them as bing\n"
    )
