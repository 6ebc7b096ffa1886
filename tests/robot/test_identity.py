"""The identity of a robot, and that the URL it checks is the URL it sends."""

import subprocess
import sys
from typing import Any

import pytest

import goodbot
from goodbot.errors import MisuseError, RobotNameError, WrongTypeError, WrongValueError
from goodbot.http.address import address_of
from goodbot.robot import (
    Disallowed,
)
from tests.support.robot_sites import ME, OTHER, SITE, robot_at, run, site_with

RULES = "User-agent: *\nCrawl-delay: 7\nDisallow: /private\n"


# Who it is.


def test_every_request_says_who_asks() -> None:
    """User-Agent has the name and the URL, From has the contact (RFC 9110 section 10.1)."""
    site = site_with(RULES)

    async def main() -> None:
        async with robot_at(site) as robot:
            assert robot.identity.product == "ExampleBot"
            assert robot.identity.version == "1.0"
            await robot.visit(f"{SITE}/a")

    run(main())
    assert len(site.visits) == 2
    for visit in site.visits:
        assert visit.headers[:2] == (
            ("User-Agent", "ExampleBot/1.0 (+https://example.com/bot)"),
            ("From", "bot@example.com"),
        )


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("Mozilla/5.0", "the name of a browser"),
        ("Mozilla/5.0 (compatible; ExampleBot/1.0)", "the name of a browser"),
        ("chrome", "the name of a browser"),
        ("Safari/605", "the name of a browser"),
        ("Googlebot/2.1", "the name of a known robot"),
        ("Googlebot-Image/1.0", "the name of a known robot"),
        ("GPTBot", "the name of a known robot"),
        ("Amzn-SearchBot", "the name of a known robot"),
        ("archive_org_bot", "the name of a known robot"),
        ("python-requests/2.31", "the name of a library"),
        ("", "'ExampleBot/1.0'"),
        ("*", "'ExampleBot/1.0'"),
        ("Example Bot/1.0", "'ExampleBot/1.0'"),
        ("ExampleBot/", "'ExampleBot/1.0'"),
        ("ExampleBot/1.0 (+https://example.com)", "the URL as info_url="),
        ("https://example.com/bot", "'ExampleBot/1.0'"),
        ("ExampleBot\r\nX: y", "'ExampleBot/1.0'"),
        ("B" * 300, "'ExampleBot/1.0'"),
    ],
)
def test_a_name_that_is_not_its_own_is_refused(name: str, cure: str) -> None:
    """The message says who uses the name, and what to pass instead."""
    with pytest.raises(RobotNameError, match=cure.replace("(", r"\(")):
        goodbot.Robot(name, fetcher=site_with(), **ME)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"info_url": "example.com/bot"}, WrongValueError),
        ({"info_url": "ftp://example.com/bot"}, WrongValueError),
        ({"info_url": "https:///bot"}, WrongValueError),
        ({"info_url": "https://me:word@example.com/"}, WrongValueError),
        ({"info_url": "https://example.com/a b"}, WrongValueError),
        ({"info_url": "https://example.com/)\r\nX: y"}, WrongValueError),
        ({"info_url": "https://example.com:99999/"}, WrongValueError),
        ({"info_url": ""}, WrongValueError),
        ({"info_url": None}, WrongTypeError),
        ({"contact": "nobody"}, WrongValueError),
        ({"contact": "me@localhost"}, WrongValueError),
        ({"contact": "mailto:me@example.com"}, WrongValueError),
        ({"contact": "me@example.com\r\nX: y"}, WrongValueError),
        ({"contact": ""}, WrongValueError),
        ({"contact": 1}, WrongTypeError),
        ({"timeout": 0}, WrongValueError),
        ({"manners": 1}, WrongTypeError),
        ({"dialect": "no such"}, goodbot.UnknownDialectError),
        ({"page_dialect": "no such"}, goodbot.UnknownDialectError),
    ],
)
def test_misuse_is_told_at_once(changed: dict[str, Any], error: type[Exception]) -> None:
    """When the robot is made, not when it visits the first site."""
    with pytest.raises(error):
        goodbot.Robot("ExampleBot/1.0", **{"fetcher": site_with(), **ME, **changed})


def test_identity_is_required() -> None:
    """There is no robot without an identity."""
    with pytest.raises(TypeError):
        goodbot.Robot("ExampleBot/1.0")  # type: ignore[call-arg]


def test_it_is_asked_within_its_block() -> None:
    """Neither before nor after its `async with` block, and not twice."""
    robot = robot_at(site_with())

    async def main() -> None:
        with pytest.raises(MisuseError, match="async with"):
            await robot.may_fetch(f"{SITE}/a")
        async with robot:
            await robot.may_fetch(f"{OTHER}/a")
        with pytest.raises(MisuseError, match="closed"):
            await robot.may_fetch(f"{SITE}/a")
        with pytest.raises(MisuseError, match="once"):
            await robot.__aenter__()

    run(main())


def test_it_does_not_need_aiohttp() -> None:
    """Only the default fetcher requires aiohttp; without it the message says how to install it."""
    program = """
import sys
sys.modules["aiohttp"] = None
import goodbot, goodbot.blocking
from goodbot.testing import FakeSite
me = dict(info_url="https://example.com/bot", contact="bot@example.com")
goodbot.Robot("ExampleBot/1.0", fetcher=FakeSite({}), **me)
try:
    goodbot.Robot("ExampleBot/1.0", **me)
except goodbot.MissingExtraError as error:
    print(error)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert "pip install 'goodbot[robot]'" in done.stdout


# What it asks about is what it sends.


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}/x/../private",
        f"{SITE}/x/%2e%2E/private",
        f"{SITE}\\private",
        f"{SITE}/x\\..\\private",
        "https://name:word@a.example/private#top",
        "HTTPS://A.EXAMPLE:443/./private",
        f"{SITE}/pri\tvate\n",
    ],
)
def test_what_is_asked_about_is_what_is_sent(url: str) -> None:
    """No spelling of a URL gets past a rule."""
    site = site_with(RULES)

    async def main() -> None:
        async with robot_at(site) as robot:
            verdict = await robot.may_fetch(url)
            assert (verdict.allowed, verdict.url) == (False, f"{SITE}/private")
            with pytest.raises(Disallowed):
                await robot.visit(url)

    run(main())
    assert [visit.url for visit in site.visits] == [f"{SITE}/robots.txt"]


def test_what_is_sent_is_in_normal_form() -> None:
    """The URL that the verdict is about."""
    site = site_with(404)

    async def main() -> None:
        async with robot_at(site) as robot:
            visit = await robot.visit("HTTPS://a.example/b/../a?x y#z")
            assert visit.url == visit.verdict.url == site.visits[-1].url == f"{SITE}/a?x%20y"

    run(main())


@pytest.mark.parametrize(
    "url", ["/a", "mailto:a@b.example", "ftp://a.example/", "", "https://", "x:\ud800"]
)
def test_what_is_no_address_is_misuse(url: str) -> None:
    """There is no site to fetch robots.txt from."""

    async def main() -> None:
        async with robot_at(site_with()) as robot:
            with pytest.raises(goodbot.NoOriginError, match=r"https://example\.com/page"):
                await robot.may_fetch(url)
            with pytest.raises(goodbot.NoOriginError):
                await robot.visit(url)

    run(main())
    with pytest.raises(WrongTypeError):
        address_of(b"https://a.example/")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/",
        "http://[::1]:8080/a",
        "https://B\u00fccher.example./x",
        "http://1.2.3/",
    ],
)
def test_its_origin_is_the_origin(url: str) -> None:
    """The fast way to an origin returns what the core returns."""
    origin, address = address_of(url)
    assert origin == goodbot.origin(url) == goodbot.origin(address)
