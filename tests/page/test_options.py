"""Options for reading pages reach every reader: robot, crawl, adapter, command."""

import asyncio
import json
import pickle  # our own bytes
from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot.adapters.scrapy import LazyPage
from goodbot.errors import MisuseError, WrongTypeError
from goodbot.page import PageOptions
from goodbot.testing import FakeSite
from tests.support import program
from tests.support.crawls.memory_crawls import ME

URL = "https://a.example/"
URI = "https://example.com/my-profile"
BODY = (
    f'<head profile="{URI}"><link rel="RobotExclusion.Names" href="/names"></head>'
    '<p>seen <b class="robots-noindex">hidden</b> <i class="robot7-noindex">unnamed</i>'
)
NAMES = b'<meta name="RobotExclusion.RobotName7" content="ExampleBot">'
OPTIONS: dict[str, Any] = {"profile_uris": [URI], "names_page": NAMES}
READ = "seen"


def test_a_str_where_a_list_belongs_raises() -> None:
    """Its letters would be read as URIs, and the Profile would be switched off in silence."""
    told = r"profile_uris must be a list of str, not a single str; write \['http://x'\]"
    with pytest.raises(WrongTypeError, match=told):
        goodbot.Page(URL, BODY, profile_uris="http://x")
    with pytest.raises(WrongTypeError, match=told):
        PageOptions(profile_uris="http://x")
    wrong: Any
    for wrong in ([b"x"], 7, None):
        with pytest.raises(WrongTypeError, match="profile_uris must"):
            goodbot.Page(URL, BODY, profile_uris=wrong)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"profile_uri": [URI]}, r"page_options has no 'profile_uri'; it has marks, profile_uris"),
        ([URI], "page_options must be PageOptions or a mapping"),
        ({"marks": ["no such"]}, "there is no mark 'no such'; choose from data-nosnippet"),
        ({"marks": "ugc"}, r"marks must be a list of str, not a single str; write \['ugc'\]"),
        ({"names_page": 7}, "names_page must be bytes"),
        ({"names_page": b"x" * 1_048_577}, "pass at most 1 MiB"),
        ({"lenient": "yes"}, "lenient must be True, False or None"),
        ({"profile_links": 1}, "profile_links must be True, False or None"),
    ],
)
def test_what_is_no_option_raises(named: Any, told: str) -> None:  # noqa: ANN401  whatever is wrong
    """The message says how to fix it."""
    with pytest.raises(MisuseError, match=told):
        PageOptions.of(named)


def test_options_are_the_arguments_of_a_page() -> None:
    """And plain values, as they are stored."""
    options = PageOptions.of({**OPTIONS, "marks": ["robots-noindex"], "lenient": True})
    page = goodbot.Page(URL, BODY, robot="ExampleBot", **options.as_arguments())
    assert page.text() == READ
    assert PageOptions.from_dict(json.loads(json.dumps(options.as_dict()))) == options
    assert PageOptions().as_arguments() == {}
    assert options.merged({"lenient": False}).lenient is False
    assert options.merged(None) is options


def test_a_robot_reads_pages_so() -> None:
    """`Visit.page` has the options of its robot."""
    site = FakeSite({"/robots.txt": "", "/": BODY})

    async def visited(**given: Any) -> str:  # noqa: ANN401  as `Robot` has them
        robot = goodbot.Robot("ExampleBot", **ME, fetcher=site, clock=site.clock, **given)
        async with robot:
            return (await robot.visit(URL)).page.text()

    assert asyncio.run(visited(page_options=OPTIONS)) == READ
    assert "hidden" in asyncio.run(visited())
    with pytest.raises(WrongTypeError, match="not a single str"):
        asyncio.run(visited(page_options={"profile_uris": URI}))


def test_the_adapter_reads_pages_so() -> None:
    """Even one that was stored in a queue on disk."""
    page = LazyPage(URL, BODY.encode(), (), "ExampleBot", 200, "bing", PageOptions.of(OPTIONS))
    again = pickle.loads(pickle.dumps(page))  # noqa: S301 - our own bytes
    assert (page.text(), again.text(), again.dialect.name) == (READ, READ, "bing")


def test_the_command_reads_pages_so(tmp_path: Path) -> None:
    """`goodbot page` has an option for each."""
    (tmp_path / "page.html").write_text(BODY)
    (tmp_path / "names.html").write_bytes(NAMES)
    words = ["page", "page.html", "-u", URL, "-r", "ExampleBot", "--view", "text"]
    named = ["--profile-uri", URI, "--names-page", "names.html"]
    assert program.run(*words, *named, cwd=tmp_path).stdout.decode().strip() == READ
    assert "hidden" in program.run(*words, cwd=tmp_path).stdout.decode()


def test_the_command_takes_links_of_profiles(tmp_path: Path) -> None:
    """Robot Exclusion Profile, Profile URI; RFC 6906: by choice."""
    profile = goodbot.page.PROFILE_URIS[0]
    body = f'<link rel=profile href="{profile}"><p>seen <b class="robots-noindex">hidden</b>'
    (tmp_path / "page.html").write_text(body)
    words = ["page", "page.html", "-u", URL, "--view", "text"]
    assert "hidden" in program.run(*words, cwd=tmp_path).stdout.decode()
    chosen = program.run(*words, "--profile-links", cwd=tmp_path).stdout.decode()
    assert chosen.split() == ["seen"]
    assert PageOptions(profile_links=True).as_arguments() == {"profile_links": True}
