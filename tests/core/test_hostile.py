"""Hostile input: each question is answered, and answered correctly.

Speed is measured in `benchmarks/`; here a cost that grows with the square of the bytes would hang.
"""

from collections.abc import Callable

import pytest

import goodbot

ROBOT = "ExampleBot"
LONG = "/" + "a" * 8_000
SHELL = goodbot.dialect("conner1996").replace(star="shell")


def rules(content: bytes, dialect: str | goodbot.Dialect) -> goodbot.Rules:
    """Return the rules for the robot."""
    return goodbot.RobotsTxt(content, dialect=dialect).rules_for(ROBOT)


def paths_on_one_line() -> None:
    """Check that each of many rules on one line shows its own pattern, and shares the line."""
    many = rules(b"User-agent: *\nDisallow: " + b"/a /b " * 80_000, "kollar1996")
    assert [rule.pattern for rule in many][:3] == ["/a", "/b", "/a"]
    assert len(many) == 160_000
    assert [one.rule.pattern for one in many.verdict("/b").considered] == ["/b"]


def brackets_that_open_no_set() -> None:
    """Check that the end of a shell pattern's `[` is not searched for again and again."""
    two = b"User-agent: *\nRobot-version: 2.0.0\nDisallow: /"
    assert rules(two + b"*[a" * 150_000, SHELL).allows(LONG)
    assert rules(two + b"[" * 450_000, SHELL).allows("/" + "[" * 8_000)


def dots_of_a_reference() -> None:
    """Check that dots are removed from a relative path in one pass."""
    assert rules(b"User-agent: *\nDisallow: " + b"a/../" * 90_000 + b"b", "lwp").allows("/a")
    assert not rules(b"User-agent: *\nDisallow: a" + b"/." * 200_000, "lwp").allows("/a/")


def origins_of_rules() -> None:
    """Check that rules for another server's URLs are distinguished by origins read once."""
    assert rules(b"User-agent: *\n" + b"Disallow: http://h/\n" * 24_000, "lwp").allows("http://g/")


def names_of_parameters() -> None:
    """Check that names and parameters are not each compared with each."""
    lines = (b"&".join(b"p%d" % (60 * line + name) for name in range(60)) for line in range(1_200))
    content = b"User-agent: *\n" + b"".join(b"Clean-param: " + line + b"\n" for line in lines)
    url = "/x?" + "&".join(f"q{number}=1" for number in range(2_000))
    assert rules(content, "yandex").clean_url(url) == url


def statements_on_use() -> None:
    """Check that every statement is compared with one reading of the URL."""
    content = b"User-agent: *\n" + b"Content-Usage: /*a*b*c train-ai=n\n" * 14_000
    assert rules(content, "rfc9309").usage(LONG).content_usage_lines == []


@pytest.mark.parametrize(
    "case",
    [
        paths_on_one_line,
        brackets_that_open_no_set,
        dots_of_a_reference,
        origins_of_rules,
        names_of_parameters,
        statements_on_use,
    ],
    ids=lambda case: case.__name__,
)
def test_no_cost_grows_with_the_square(case: Callable[[], None]) -> None:
    """Half a megabyte is answered, and answered correctly."""
    case()
