"""Whose group a known robot obeys: the cases of conformance/bots, and what the cases do not say."""

from typing import Any

import pytest

import goodbot
from goodbot import bots
from goodbot.bots import rules_for
from goodbot.errors import UnknownDialectError, WrongTypeError
from tests.support.conformance_cases import cases

CASES = [case for case in cases("bots") if "checks" in case]
STAR = b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_families(case: dict[str, Any]) -> None:
    """Each case: the answers, the group that is obeyed, the dialect, and what the sentence says."""
    robots = goodbot.RobotsTxt(case["content"])
    rules = bots.rules_for(robots, case["robot"])
    assert (rules.token, rules.dialect) == (case.get("token"), case["dialect"])
    for path, allowed in case["checks"]:
        url = f"https://example.com{path}"
        verdict = rules.verdict(url)
        assert (verdict.allowed, rules.allows(url), bool(verdict)) == (allowed,) * 3
        assert case.get("says", "") in str(verdict)
        if "reason" in case:
            assert verdict.reason == case["reason"]


def test_no_two_cases_share_an_id() -> None:
    """A case is cited by its id."""
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids)) >= 20


def test_the_raw_question_stays_the_code() -> None:
    """`RobotsTxt` knows no family: it asks for one name, as google/robotstxt does."""
    robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /", dialect="google")
    assert robots.allows("https://example.com/", "Googlebot-News")
    assert not goodbot.verdict(robots, "https://example.com/", "Googlebot-News")
    stars = goodbot.RobotsTxt(STAR, dialect="google")
    assert not stars.allows("https://example.com/", "AdsBot-Google")


def test_every_known_robot_gets_an_answer() -> None:
    """A file that disallows everybody disallows everyone but those who ignore the group for *."""
    robots = goodbot.RobotsTxt(STAR)
    for robot in bots.every():
        verdict = goodbot.verdict(robots, "https://example.com/", robot)
        assert verdict.allowed is bool(robot.ignores_star)
        assert verdict.token is None
        if not verdict.tried:
            assert " " in robot.name
            assert not robot.tokens
            continue
        assert verdict.tried == (robot.tokens or (robot.name,))
        own = goodbot.RobotsTxt(f"User-agent: {verdict.tried[0]}\nDisallow: /\n")
        assert not goodbot.verdict(own, "https://example.com/", robot), robot.name


def test_a_display_name_is_no_product_token() -> None:
    """A robot whose tokens are not known, and whose name has several words, obeys only `*`."""
    text = b"User-agent: Apple\nDisallow: /1\n\nUser-agent: Datadog\nDisallow: /1\n" + STAR
    for name in ("Apple Messages preview", "Datadog Synthetics"):
        rules = bots.rules_for(goodbot.RobotsTxt(text), name)
        assert (rules.token, rules.tried) == (None, ())
        verdict = rules.verdict("/2")
        assert not verdict
        assert f"Which groups {name} looks for is not known." in str(verdict)


def test_any_robot_can_be_asked_for() -> None:
    """A known name brings its family, dialect and exceptions; another is the plain question."""
    robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /1\n\nUser-agent: Me\nAllow: /")
    news = rules_for(robots, "Mozilla/5.0 (compatible; Googlebot-News/1.0)")
    assert (news.robot, news.token, news.dialect) == (
        bots.get("Googlebot-News"),
        "Googlebot",
        "google",
    )
    own = rules_for(robots, "Me/1.0 (+https://example.com/me)")
    assert (own.robot, own.token, own.tried, own.dialect) == (None, "Me", ("Me",), "rfc9309")
    assert str(own.verdict("/1")) == str(robots.verdict("/1", "Me"))
    anyone = rules_for(robots, "*", dialect="google")
    assert (anyone.token, anyone.tried, anyone.remarks, anyone.dialect) == (None, (), (), "google")
    assert anyone.verdict("/").as_dict()["known_robot"] is None


def test_another_dialect_can_be_asked_for() -> None:
    """The robot's own dialect is the default; of others, that of the file."""
    text = b"User-agent: *\nDisallow: /x/\nAllow: /x/index.html\n"
    robots = goodbot.RobotsTxt(text, dialect="koster1994")
    assert bots.rules_for(robots, "Googlebot").dialect == "google"
    assert bots.rules_for(robots, "GPTBot").dialect == "koster1994"
    assert not goodbot.verdict(robots, "/x/", "Googlebot", dialect="rfc9309")
    strict = goodbot.dialect("google").replace(tie="disallow")
    assert bots.rules_for(robots, "Googlebot", dialect=strict).dialect == strict.name
    with pytest.raises(UnknownDialectError):
        bots.rules_for(robots, "Googlebot", dialect="klingon")


def test_verdicts_as_plain_values() -> None:
    """`as_dict` has the family and the verdict of the rules."""
    robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /")
    shown = goodbot.verdict(robots, "/a", "Googlebot-News").as_dict()
    assert (shown["token"], shown["tried"]) == ("Googlebot", ["Googlebot-News", "Googlebot"])
    assert shown["rules"]["rule"]["line"] == 2
    ads = goodbot.verdict(goodbot.RobotsTxt(STAR), "/a", "AdsBot-Google")
    assert ads.as_dict()["rules"] is None
    assert ads.source == "robots.txt"
    assert "special-case crawlers" in ads._repr_html_()


def test_wrong_arguments() -> None:
    """The message says what is expected."""
    robots = goodbot.RobotsTxt(b"")
    with pytest.raises(WrongTypeError, match="a Policy or a PolicyTimeline, not bytes"):
        bots.rules_for(b"", "Googlebot")  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="robot must be a str"):
        bots.rules_for(robots, 7)  # type: ignore[arg-type]
