"""Each difference of the table in the adapter for Protego, run against both."""

from datetime import time
from typing import Any, NamedTuple

import protego as peer
import pytest

from goodbot.adapters import protego
from goodbot.adapters.protego import Protego

HEADER = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"
HOURS = (time(6), time(8, 45))


class Difference(NamedTuple):
    """A file, a question, and the two answers."""

    point: str
    """The point as the table has it."""
    text: str
    theirs: Any
    ours: Any
    url: str | None = None
    """The URL to ask about; without one, the field is asked for."""
    robot: str = "examplebot"
    field: str = "crawl_delay"


def paths(
    point: str, text: str, url: str, *, theirs: bool, robot: str = "examplebot"
) -> Difference:
    """Return a difference about a URL, of which the other answer follows."""
    return Difference(point, text, theirs, not theirs, url, robot)


def fields(point: str, line: str, theirs: object, ours: object) -> Difference:
    """Return a difference about a field."""
    name = line.partition(":")[0].lower().replace("-", "_")
    return Difference(point, f"User-agent: *\n{line}\nDisallow: /x", theirs, ours, field=name)


RATE = (1, 5, None, None)
DIFFERENCES = [
    paths("the robot's name", "User-agent: example\nDisallow: /", "/a", theirs=False),
    paths(
        "words of the User-Agent", "User-agent: mozilla\nDisallow: /", "/a", theirs=False,
        robot=HEADER,
    ),
    paths("spaces in a name", "User-agent: examplebot news\nDisallow: /", "/a", theirs=True),
    paths("a version in a name", "User-agent: examplebot/1.0\nDisallow: /", "/a", theirs=True),
    paths("`*` within a name", "User-agent: *bot\nDisallow: /", "/a", theirs=False, robot="bot"),
    paths(
        "User-agent after a Crawl-delay",
        "User-agent: examplebot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "/a", theirs=True,
    ),
    paths(
        "User-agent after an unknown field",
        "User-agent: examplebot\nFoo: x\nUser-agent: b\nDisallow: /", "/a", theirs=True,
    ),
    paths("misspelt fields", "User-agent: *\nDisalllow: /", "/a", theirs=True),
    paths("a byte order mark", "\ufeffUser-agent: *\nDisallow: /", "/a", theirs=True),
    paths("ends of lines", "User-agent: *\u2028Disallow: /", "/a", theirs=False),
    paths("`$` at the end of a path", "User-agent: *\nDisallow: /a$", "/a$", theirs=False),
    paths("dot segments", "User-agent: *\nDisallow: /a/b", "/a/c/../b", theirs=True),
    paths("escapes in a query", "User-agent: *\nDisallow: /a?x=%2F", "/a?x=/", theirs=True),
    paths(
        "Allow of an index.html", "User-agent: *\nDisallow: /\nAllow: /x/index.html", "/x/",
        theirs=True,
    ),
    paths("`/robots.txt` with a query", "User-agent: *\nDisallow: /", "/robots.txt?a", theirs=True),
    fields("Crawl-delay with a unit", "Crawl-delay: 5s", None, 5.0),
    fields("digits of Python", "Crawl-delay: 1_0", 10.0, None),
    fields("digits of Python", "Request-rate: 1_0/5", (10, 5, None, None), None),
    fields("Request-rate with spaces", "Request-rate: 1 / 5", None, RATE),
    fields("Request-rate a week", "Request-rate: 1/1w", None, (1, 604_800, None, None)),
    fields("hours with a colon", "Request-rate: 1/5 06:00-08:45", None, (1, 5, *HOURS)),
    fields("hours with a colon", "Visit-time: 06:00-08:45", None, HOURS),
    fields("hours with a zone", "Request-rate: 1/5 0600-0845 UTC", RATE, (1, 5, *HOURS)),
    fields("hours with a zone", "Visit-time: 0600-0845 UTC", None, HOURS),
    fields("hours of three digits", "Visit-time: 600-845", HOURS, None),
    fields("hours until 2400", "Visit-time: 0000-2400", None, (time(0), time(23, 59))),
    fields("hours that are none", "Request-rate: 1/5 2400-0100", None, RATE),
    fields(
        "Request-rate, several", "Request-rate: 1/9\nRequest-rate: 9/1", (9, 1, None, None),
        (1, 9, None, None),
    ),
    fields("Crawl-delay, several", "Crawl-delay: 9\nCrawl-delay: 1", 1.0, 9.0),
    fields(
        "Visit-time, several", "Visit-time: 0600-0845\nVisit-time: 0100-0200",
        (time(1), time(2)), HOURS,
    ),
]  # fmt: skip


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: f"{one.point}: {one.text[-20:]}")
def test_each_difference_is_real(one: Difference) -> None:
    """The original answers as the table says, and the adapter in its own way."""
    theirs, ours = peer.Protego.parse(one.text), Protego.parse(one.text)
    robots: Any
    for robots, expected in ((theirs, one.theirs), (ours, one.ours)):
        if one.url is not None:
            assert robots.can_fetch(one.url, one.robot) is expected
        else:
            assert getattr(robots, one.field)(one.robot) == expected


def test_sitemaps_without_a_colon_or_url_are_only_theirs() -> None:
    """The original lists them."""
    text = "Sitemap https://a.example/b\nSitemap: /x"
    assert list(peer.Protego.parse(text).sitemaps) == ["https://a.example/b", "/x"]
    assert list(Protego.parse(text).sitemaps) == []


def test_the_table_has_these_points() -> None:
    """No row is without its test, but for those on misuse, which `test_protego` has."""
    rows = (protego.__doc__ or "").splitlines()
    points = {row.split(" | ")[0][2:] for row in rows if row.startswith("| ")} - {"point", "---"}
    others = {"a Sitemap without a colon or URL", "bytes", "arguments in the wrong order"}
    assert points == {one.point for one in DIFFERENCES} | others
