"""What many robots may fetch of many URLs, from a file and from the policy of a site."""

from collections.abc import Iterator
from datetime import datetime, timezone

import pytest

import goodbot
from goodbot import bots
from goodbot.bots.many_robots import rules_of_all
from goodbot.errors import OtherOriginError, RobotNameError, UnknownDialectError, WrongTypeError
from goodbot.policy import Policy

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
AT = "https://a.example/robots.txt"
TEXT = b"User-agent: Googlebot\nDisallow: /1\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\n"
ROBOTS: list[bots.KnownRobot | str] = [bots.get("Googlebot-News"), "GPTBot", "ExampleBot"]


def test_a_file_gives_a_row_for_each_url() -> None:
    """The verdicts stand in the order of the robots, and are those of each robot alone."""
    file = goodbot.RobotsTxt(TEXT)
    rows = list(bots.matrix(file, ROBOTS, ["/1", "/2"]))
    assert [row[0].url for row in rows] == ["/1", "/2"]
    found = [[one.allowed for one in row] for row in rows]
    assert found == [[False, False, True], [True, False, True]]
    assert rows[0][0] == goodbot.verdict(file, "/1", ROBOTS[0])


def test_rows_are_made_as_they_are_asked_for() -> None:
    """No URL is read before its row is needed, so that a list of any length can be checked."""
    read = []

    def urls() -> Iterator[str]:
        for number in range(3):
            read.append(number)
            yield f"/{number}"

    rows = bots.matrix(goodbot.RobotsTxt(TEXT), ROBOTS, urls())
    assert not read
    next(rows)
    assert read == [0]


def test_a_policy_is_decided_in_the_dialect_of_each_robot() -> None:
    """A 429 allows everything for Yandex, and nothing by RFC 9309; the site is asked once."""
    policy = Policy.from_response(AT, 429, {}, b"", now=NOW)
    (row,) = bots.matrix(policy, ["YandexBot", "ExampleBot"], ["https://a.example/x"])
    assert [one.allowed for one in row] == [True, False]
    assert [one.dialect for one in row] == ["yandex", "rfc9309"]
    (row,) = bots.matrix(policy, ["YandexBot"], ["https://a.example/x"], dialect="rfc9309")
    assert not row[0]


def test_a_policy_with_rules_brings_the_family() -> None:
    """The sentence says whose group is used; an exception holds only where there are rules."""
    policy = Policy.from_response(AT, 200, {}, TEXT, now=NOW)
    (row,) = bots.matrix(policy, ROBOTS, ["https://a.example/1"])
    assert "Google then uses Googlebot's." in str(row[0])
    assert [one.allowed for one in row] == [False, False, True]
    stars = Policy.from_response(AT, 200, {}, b"User-agent: *\nDisallow: /\n", now=NOW)
    ads = bots.rules_for(stars, "AdsBot-Google")
    assert ads.verdict("https://a.example/1").reason == "ignores-star"
    assert "it ignores the group for *" in str(ads.verdict("https://a.example/1"))
    failed = Policy.from_failure(AT, "timeout", now=NOW)
    assert not bots.rules_for(failed, "AdsBot-Google").verdict("https://a.example/1")
    with pytest.raises(OtherOriginError):
        ads.verdict("https://b.example/1")


def test_a_file_is_read_once_for_each_dialect() -> None:
    """Ninety robots of one dialect share its reading."""
    found = rules_of_all(goodbot.RobotsTxt(TEXT), ["Googlebot", "Googlebot-News", "bingbot", "a"])
    readings = [one.file for one in found]
    assert readings[0] is readings[1]
    assert [one.dialect for one in found] == ["google", "google", "bing", "rfc9309"]


def test_wrong_arguments_of_a_matrix() -> None:
    """Each is refused before the first row."""
    file = goodbot.RobotsTxt(TEXT)
    with pytest.raises(WrongTypeError, match="not one name"):
        bots.matrix(file, "GPTBot", ["/"])
    with pytest.raises(WrongTypeError, match="a Policy or a PolicyTimeline, not bytes"):
        bots.matrix(TEXT, ["GPTBot"], ["/"])  # type: ignore[arg-type]
    with pytest.raises(RobotNameError):
        bots.matrix(file, [""], ["/"])
    with pytest.raises(UnknownDialectError):
        bots.matrix(file, ["GPTBot"], ["/"], dialect="klingon")


NOT_READ = {202, 206}
"""Statuses whose file `rfc9309` does not read, so that no other dialect can read it afterwards."""


@pytest.mark.parametrize("status", [200, 204, 301, 401, 404, 429, 451, 503, *NOT_READ])
def test_an_answer_in_another_dialect(status: int) -> None:
    """It is what the same answer means when it is read in that dialect at once; times stay."""
    first = Policy.from_response(AT, status, {}, TEXT, now=NOW)
    for dialect in goodbot.dialects():
        other = first.in_dialect(dialect)
        at_once = Policy.from_response(AT, status, {}, TEXT, now=NOW, dialect=dialect)
        assert other.dialect == dialect
        assert other.fresh_until == first.fresh_until
        if status in NOT_READ and at_once.access == "rules":
            assert other.access == "defer"
        else:
            assert (other.access, other.reason) == (at_once.access, at_once.reason)
    assert first.in_dialect(first.dialect) is first


def test_a_failure_and_a_stale_copy_in_another_dialect() -> None:
    """A failed request is no permission where it is none; a stored copy still serves."""
    kept = Policy.from_response(AT, 200, {}, TEXT, now=NOW)
    failed = Policy.from_failure(AT, "timeout", now=NOW, previous=kept)
    nothing = Policy.from_failure(AT, "timeout", now=NOW)
    for dialect in goodbot.dialects():
        for policy, previous in ((failed, kept), (nothing, None)):
            before = None if previous is None else previous.in_dialect(dialect)
            at_once = Policy.from_failure(AT, "timeout", now=NOW, dialect=dialect, previous=before)
            other = policy.in_dialect(dialect)
            assert (other.access, other.reason) == (at_once.access, at_once.reason)
