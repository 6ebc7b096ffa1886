"""The replacement for Protego: its cases, the original on plain files, and the differences."""

from datetime import time
from typing import Any

import protego as peer
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.adapters import protego
from goodbot.adapters.protego import Protego
from tests.support import conformance_cases as data
from tests.support.adapter_sites import ROBOTS, URLS, plain_files
from tests.support.examples import examples

CASES = [case for case in data.cases("adapters") if case["id"].startswith("protego-")]


def at(minute: int) -> time:
    """Return a time of day."""
    return time(minute // 60, minute % 60)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_cases_hold(case: data.Case) -> None:
    """Each answer follows the documents; the original differs only if a case says so."""
    text = case["content"].decode()
    ours, theirs = Protego.parse(text), peer.Protego.parse(text)
    answers = []
    for robot, url, allowed in case.get("checks", []):
        assert ours.can_fetch(url, robot) is allowed, (robot, url)
        answers.append(theirs.can_fetch(url, robot))
    assert answers == case.get("departs", [allowed for *_, allowed in case.get("checks", [])])


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
@pytest.mark.parametrize("kind", [Protego, peer.Protego])
def test_values_have_the_same_fields(case: data.Case, kind: type[Protego]) -> None:
    """Delay, rate, hours, sitemaps and host are as in the case, here and in the original."""
    robots = kind.parse(case["content"].decode())
    for stated in [case] if "robot" in case else case.get("values", []):
        robot = stated["robot"]
        assert robots.crawl_delay(robot) == stated.get("delay")
        rate, hours = robots.request_rate(robot), robots.visit_time(robot)
        found = None if rate is None else [rate.requests, rate.seconds, *rate[2:]]
        numbers, window = stated.get("rate", [])[:2], stated.get("rate", [])[2:]
        assert found == (
            [*numbers, *(map(at, window) if window else (None, None))] if numbers else None
        )
        assert hours == (tuple(map(at, stated["hours"])) if "hours" in stated else None)
    assert list(robots.sitemaps) == case.get("sitemaps", [])
    assert robots.preferred_host == case.get("host")


@examples(300)
@given(plain_files(), ROBOTS, st.lists(URLS, min_size=1, max_size=8))
def test_on_plain_files_both_answer_alike(text: str, robot: str, urls: list[str]) -> None:
    """Apart from the listed differences, which `plain_files` avoids, the answers are the same."""
    ours, theirs = Protego.parse(text), peer.Protego.parse(text)
    for url in urls:
        assert ours.can_fetch(url, robot) is theirs.can_fetch(url, robot), url
    assert ours.crawl_delay(robot) == theirs.crawl_delay(robot)
    rate: Any = theirs.request_rate(robot)
    assert ours.request_rate(robot) == rate
    assert list(ours.sitemaps) == list(theirs.sitemaps)


def test_every_public_name_of_the_original_is_there() -> None:
    """Every method and attribute of the original exists, and so do the fields of its values."""
    names = {name for name in dir(peer.Protego) if not name.startswith("_")}
    assert names <= set(dir(Protego))
    from protego import _ruleset as theirs  # noqa: PLC0415  where the original has its types

    assert protego.RequestRate._fields == theirs.RequestRate._fields
    assert protego.VisitTime._fields == theirs.VisitTime._fields


def test_of_several_values_the_careful_one_holds() -> None:
    """The longest delay, the strictest rate and the first time; the original takes the last."""
    text = (
        "User-agent: *\nCrawl-delay: 9\nCrawl-delay: 1\nRequest-rate: 1/9\nRequest-rate: 9/1\n"
        "Visit-time: 0100-0200\nVisit-time: 0300-0400\n"
    )
    ours = Protego.parse(text)
    assert ours.crawl_delay("mybot") == 9.0
    assert ours.request_rate("mybot") == (1, 9, None, None)
    assert ours.visit_time("mybot") == (time(1), time(2))
    assert peer.Protego.parse(text).crawl_delay("mybot") == 1.0


def test_octets_are_read_and_misuse_is_told() -> None:
    """A file is bytes or str; anything else raises, and so do swapped arguments."""
    assert not Protego.parse(b"User-agent: *\nDisallow: /caf\xe9").can_fetch("/caf%E9", "mybot")
    assert Protego().can_fetch("/a", "mybot")
    with pytest.raises(goodbot.WrongTypeError):
        Protego.parse(1)  # type: ignore[arg-type]
    with pytest.raises(goodbot.RobotNameError, match="comes after the URL"):
        Protego.parse("").can_fetch("mybot", "https://example.com/")
    with pytest.raises(goodbot.UnknownDialectError):
        Protego.parse("", dialect="no-such")


@given(st.text(st.characters()), st.text(st.characters()))
def test_foreign_text_never_raises(text: str, path: str) -> None:
    """Any text can be parsed, including surrogates."""
    robots = Protego.parse(text)
    assert robots.can_fetch("/" + path, "mybot") in {True, False}
    assert robots.preferred_host is None or robots.preferred_host
