"""Content that is evidently not a robots.txt causes a warning; a long line is quoted briefly."""

import warnings

import pytest

import goodbot
from goodbot.errors import GoodbotWarning, LooksLikeAddressWarning

ADDRESSES = [
    "robots.txt",
    "my sites/robots.txt",
    "C:\\sites\\example\\robots.txt",
    "/var/www/robots",
    "./robots",
    "example.com",
    "example.com/robots.txt",
    "https://example.com/robots.txt",
    "https://example.com/",
    "ROBOTS.TXT\n",
]

CONTENTS = [
    "",
    "\n",
    "User-agent: *",
    "Disallow: /robots.txt",
    "disallow:/a.txt",
    "Dissalow: /a.txt",
    "Disallow /a.txt",
    "Sitemap: https://example.com/sitemap.txt",
    "# robots.txt",
    "User-agent: *\nDisallow: /a.txt",
    "<html></html>",
    "nothing",
    "Not found. See /help.",
]


@pytest.mark.parametrize("text", ADDRESSES)
def test_address_given_as_content_warns(text: str) -> None:
    """A path or URL as `str` warns at the line of the caller; the same as `bytes` does not."""
    with pytest.warns(LooksLikeAddressWarning, match="pass open") as found:
        goodbot.RobotsTxt(text)
    assert [warning.filename for warning in found] == [__file__]
    assert issubclass(LooksLikeAddressWarning, GoodbotWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robots = goodbot.RobotsTxt(text.encode())
    assert "looks-like-address" in [finding.code for finding in robots.findings]


@pytest.mark.parametrize("text", CONTENTS)
def test_content_does_not_warn(text: str) -> None:
    """A line with a field, a comment, a page or a sentence is content."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robots = goodbot.RobotsTxt(text)
    assert "looks-like-address" not in [finding.code for finding in robots.findings]


def test_warning_can_be_made_an_error() -> None:
    """The filters of `warnings` apply to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", GoodbotWarning)
        with pytest.raises(LooksLikeAddressWarning):
            goodbot.RobotsTxt("robots.txt")


def test_line_of_many_paths_is_quoted_shortly() -> None:
    """Rules that share a line do not each quote all of it."""
    paths = [f"/{'é' * length}" for length in range(400)]
    content = f"User-agent: *\nDisallow: {' '.join(paths)}\n"
    rules = goodbot.RobotsTxt(content, dialect="kollar1996").rules_for("ExampleBot")
    considered = rules.verdict(paths[-1]).considered
    assert len(considered) == len(paths)
    assert max(len(one.rule.text.encode()) for one in considered) <= 303
    assert all(one.rule.text.startswith("Disallow: / /é") for one in considered)
    assert [one.rule.pattern for one in considered] == paths
    assert rules.verdict(paths[-1]).rule == considered[0].rule
    short = goodbot.RobotsTxt("User-agent: *\nDisallow: /a /b", dialect="kollar1996")
    rule = short.rules_for("ExampleBot").verdict("/b").rule
    assert rule is not None
    assert rule.text == "Disallow: /a /b"


def test_repeated_paths_of_a_line_are_considered_once() -> None:
    """A line of 100,000 equal paths is one rule."""
    content = "User-agent: *\nDisallow:" + " /" * 100_000
    rules = goodbot.RobotsTxt(content, dialect="kollar1996").rules_for("ExampleBot")
    assert len(rules.verdict("/a").considered) == 1


def test_guesses_are_told() -> None:
    """The rules of both readings are listed, and the longer of the two delays applies."""
    content = (
        "User-agent: *\nCrawl-delay: 1\nDisallow: /a\n"
        "User-agnet: FooBot\nCrawl-delay: 9\nDisallow: /b\n"
    )
    robots = goodbot.RobotsTxt(content)
    rules = robots.rules_for("FooBot")
    assert [rule.line for rule in rules] == [3, 6]
    assert len(rules) == 2
    assert rules.crawl_delay == 9
    assert robots.rules_for("ExampleBot").crawl_delay == 9
    verdict = rules.verdict("/a")
    assert (verdict.allowed, verdict.rule and verdict.rule.line) == (False, 3)
    assert [one.rule.line for one in verdict.considered if one.decides] == [3]
    assert "never allows anything" in " ".join(finding.message for finding in robots.findings)


@pytest.mark.parametrize("dialect", ["rfc9309", "koster1994", "conner1996", "yandex"])
def test_relative_urls_are_forbidden_in_columns(dialect: str) -> None:
    """Many URLs get the same answers as each alone."""
    urls = ["https://h/x", "x", "https://h/x", "h/x", "", "/x", "x", "https://h/private"]
    rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /private", dialect=dialect).rules_for("X")
    single = [rules.verdict(url) for url in urls]
    assert rules.allows_many(urls) == [verdict.allowed for verdict in single]
    assert rules.verdicts_many(urls)["reason"] == [verdict.reason for verdict in single]
    assert [verdict.reason for verdict in single].count("relative-url") == 4
    assert single[1].considered == []
    assert single[1].reason == "relative-url"
