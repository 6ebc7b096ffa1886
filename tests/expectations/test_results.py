"""Expectations compared with a robots.txt."""

import pytest

import goodbot
from goodbot import bots
from goodbot.errors import WrongValueError
from goodbot.expectations import (
    Expectation,
    ExpectationFile,
    ExpectationResult,
    check_expectations,
    read_expectations,
)
from goodbot.expectations import results as results_module

FILE = b"""\
User-agent: *
Disallow: /private
Allow: /%7Efred
Disallow: /~

User-agent: Googlebot
Disallow: /drafts
"""


def check(
    robot: str, url: str, *, allow: bool, dialect: str | None = None, content: bytes = FILE
) -> ExpectationResult:
    """Compare one expectation with a file."""
    wish = Expectation(robot, url, allow=allow, dialect=dialect, why="because")
    (result,) = check_expectations(goodbot.RobotsTxt(content), ExpectationFile((wish,)))
    return result


@pytest.mark.parametrize(
    ("robot", "url", "allowed"),
    [
        ("ExampleBot", "/private/a", False),
        ("ExampleBot", "https://example.com/a", True),
        ("*", "/private", False),
        ("Googlebot", "/private", True),
        ("Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)", "/private", False),
    ],
)
@pytest.mark.parametrize("allow", [True, False])
def test_an_expectation_holds_if_the_verdict_is_as_expected(
    robot: str, url: str, *, allowed: bool, allow: bool
) -> None:
    """The result is true exactly if the two are equal."""
    result = check(robot, url, allow=allow)
    assert (result.holds, bool(result)) == ((allow is allowed),) * 2


def test_a_known_robot_obeys_the_group_of_its_family() -> None:
    """Googlebot-News has no group here, so it obeys Googlebot's, in Google's dialect."""
    result = check("Googlebot-News", "/drafts/1", allow=True)
    assert not result
    assert result.verdict.known_robot is not None
    assert (result.verdict.token, result.verdict.dialect) == ("Googlebot", "google")
    assert "Google then uses Googlebot's" in str(result)
    assert result.as_dict()["known_robot"] == "Googlebot-News"


def test_a_robot_that_ignores_the_star_is_not_held_by_it() -> None:
    """AdsBot-Google obeys only a group that names it."""
    assert check("AdsBot-Google", "/private", allow=True)


def test_the_dialect_of_an_expectation_comes_first() -> None:
    """A case can ask how another robot would read the file."""
    content = b"User-agent: *\nDisallow: /*.pdf$\n"
    assert check("Googlebot", "/a.pdf", allow=False, content=content)
    assert check("Googlebot", "/a.pdf", allow=True, dialect="koster1994", content=content)
    named = read_expectations(
        b"dialect='koster1994'\ncase=[{robot='Googlebot', url='/a.pdf', allow=true}]"
    )
    assert all(check_expectations(goodbot.RobotsTxt(content), named))


def test_a_url_must_be_allowed_as_written_and_as_sent() -> None:
    """A robot sends /~private for /%7Eprivate, whatever a dialect makes of the escape."""
    content = b"User-agent: *\nDisallow: /~private\n"
    verdict = check("Googlebot", "/%7Eprivate", allow=False, content=content)
    assert verdict.holds


def test_a_result_prints_the_verdict_and_the_reason() -> None:
    """The sentence of a failure names the line that decided, and why it was expected."""
    assert str(check("ExampleBot", "/private/a", allow=True)) == (
        "ExampleBot may fetch /private/a: does not hold\n"
        '  Disallowed: line 2, "Disallow: /private", is the longest match '
        "(group *; dialect rfc9309).\n"
        "  why: because"
    )
    assert str(check("ExampleBot", "/a", allow=True)).startswith("ExampleBot may fetch /a: holds\n")


def test_many_expectations_read_a_file_once_for_each_dialect() -> None:
    """The results are those of the files, in order, and rules are chosen once for each robot."""
    urls = [f"/{'private' if number % 3 else 'open'}/{number}" for number in range(500)]
    wishes = tuple(Expectation("ExampleBot", url, allow=True) for url in urls)
    results = list(check_expectations(goodbot.RobotsTxt(FILE), ExpectationFile(wishes)))
    assert [one.expectation for one in results] == list(wishes)
    assert [one.holds for one in results] == [url.startswith("/open") for url in urls]


def test_rules_of_many_robots_do_not_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every robot has rules of its own: what is kept is forgotten before it grows too large."""
    read: list[str] = []
    rules_of = results_module.rules_of

    def counted(
        wish: Expectation, robots: goodbot.RobotsTxt, files: dict[str, goodbot.RobotsTxt]
    ) -> goodbot.Rules | bots.ObeyedRules:
        read.append(wish.robot)
        return rules_of(wish, robots, files)

    monkeypatch.setattr(results_module, "rules_of", counted)
    wishes = tuple(Expectation(robot, "/a", allow=True) for robot in ("A", "B", "A"))
    assert all(check_expectations(goodbot.RobotsTxt(FILE), ExpectationFile(wishes)))
    assert read == ["A", "B"]
    monkeypatch.setattr(results_module, "MOST_MEMORY", 0)
    assert all(check_expectations(goodbot.RobotsTxt(FILE), ExpectationFile(wishes)))
    assert read == ["A", "B", "A", "B", "A"]


def test_too_many_expectations_for_the_length_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work grows with their product: what is refused says how many the file could have."""
    wishes = (Expectation("ExampleBot", "/a", allow=True),) * 3
    monkeypatch.setattr(results_module, "MOST_COMPARED", 3 * len(FILE) - 1)
    with pytest.raises(WrongValueError, match=r"3 expectations are too many .*: at most 2; divide"):
        list(check_expectations(goodbot.RobotsTxt(FILE), ExpectationFile(wishes)))
    assert all(check_expectations(goodbot.RobotsTxt(FILE), ExpectationFile(wishes[:2])))
