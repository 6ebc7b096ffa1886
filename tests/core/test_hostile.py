"""Hostile input: each question is answered, and answered correctly.

The steps of the core are counted, for an input and for one twice as long: what is four times as
much has grown with the square of the bytes. Speed is measured in `benchmarks/`.
"""

from collections.abc import Callable

import pytest

import goodbot
from tests.support.references.core_tree import function_of_core

ROBOT = "ExampleBot"
LONG = "/" + "a" * 8_000
HALF_A_MEGABYTE = 10_000
"""The size of a case, of which its number of lines is a multiple."""
SHELL = goodbot.dialect("conner1996").replace(star="shell")


def steps_of(case: Callable[[int], None], size: int) -> int:
    """Return how many steps the core takes in a case."""
    steps: Callable[[], int] = function_of_core("_steps")
    before = steps()
    case(size)
    return steps() - before


def rules(content: bytes, dialect: str | goodbot.Dialect) -> goodbot.Rules:
    """Return the rules for the robot."""
    return goodbot.RobotsTxt(content, dialect=dialect).rules_for(ROBOT)


def paths_on_one_line(size: int) -> None:
    """Check that each of many rules on one line shows its own pattern, and shares the line."""
    many = rules(b"User-agent: *\nDisallow: " + b"/a /b " * (8 * size), "kollar1996")
    assert [rule.pattern for rule in many][:3] == ["/a", "/b", "/a"]
    assert len(many) == 16 * size
    assert [one.rule.pattern for one in many.verdict("/b").considered] == ["/b"]


def brackets_that_open_no_set(size: int) -> None:
    """Check that the end of a shell pattern's `[` is not searched for again and again."""
    two = b"User-agent: *\nRobot-version: 2.0.0\nDisallow: /"
    assert rules(two + b"*[a" * (15 * size), SHELL).allows(LONG)
    assert rules(two + b"[" * (45 * size), SHELL).allows("/" + "[" * 8_000)


def dots_of_a_reference(size: int) -> None:
    """Check that dots are removed from a relative path in one pass."""
    assert rules(b"User-agent: *\nDisallow: " + b"a/../" * (9 * size) + b"b", "lwp").allows("/a")
    assert not rules(b"User-agent: *\nDisallow: a" + b"/." * (20 * size), "lwp").allows("/a/")


def origins_of_rules(size: int) -> None:
    """Check that rules for another server's URLs are distinguished by origins read once."""
    assert rules(b"User-agent: *\n" + b"Disallow: http://h/\n" * (12 * size // 5), "lwp").allows(
        "http://g/"
    )


def names_of_parameters(size: int) -> None:
    """Check that names and parameters are not each compared with each."""
    lines = (
        b"&".join(b"p%d" % (60 * line + name) for name in range(60))
        for line in range(12 * size // 100)
    )
    content = b"User-agent: *\n" + b"".join(b"Clean-param: " + line + b"\n" for line in lines)
    url = "/x?" + "&".join(f"q{number}=1" for number in range(size // 5))
    assert rules(content, "yandex").clean_url(url) == url


def statements_on_use(size: int) -> None:
    """Check that every statement is compared with one reading of the URL."""
    content = b"User-agent: *\n" + b"Content-Usage: /*a*b*c train-ai=n\n" * (7 * size // 5)
    assert rules(content, "rfc9309").usage(LONG).content_usage_lines == []


CASES = [
    paths_on_one_line,
    brackets_that_open_no_set,
    dots_of_a_reference,
    origins_of_rules,
    names_of_parameters,
    statements_on_use,
]


@pytest.mark.stress
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_is_answered(case: Callable[[int], None]) -> None:
    """Half a megabyte is answered, and answered correctly."""
    case(HALF_A_MEGABYTE)


@pytest.mark.stress
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_cost_grows_with_the_square(case: Callable[[int], None]) -> None:
    """An input twice as long takes twice as many steps, and at least one a line."""
    once, twice = (steps_of(case, size) for size in (HALF_A_MEGABYTE // 8, HALF_A_MEGABYTE // 4))
    assert once >= HALF_A_MEGABYTE // 8
    assert twice <= 2.2 * once, (once, twice)
