"""`goodbot bots`: known robots in tables and as JSON; lists are fetched into the cache."""

import asyncio
import re
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from goodbot.address_lists import ListFolder
from goodbot.address_lists.plain_robot import plain_robot
from goodbot.bots import AddressList, every, get
from goodbot.cli.program import run as run_here
from goodbot.cli.shared.printing import Printer
from goodbot.cli.verbs import bots as verb
from goodbot.robot.identity import program_identity
from goodbot.testing import FakeClock, FakeSite
from tests.support import program
from tests.support.json_output import check_output

LIST = get("GPTBot").addresses[0]
BODY = b'{"prefixes": [{"ipv4Prefix": "8.8.8.0/24"}, {"ipv4Prefix": "10.0.0.0/8"}]}'


def run(*arguments: str) -> tuple[int, str, str]:
    """Run `goodbot bots` on these arguments; its exit status, output and complaints."""
    done = program.run("bots", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_all_robots_are_listed() -> None:
    """A row for each robot, with its operator and the groups that it looks for."""
    status, output, complaints = run("--json")
    names = [row["name"] for row in check_output("bots", output)]
    assert (status, complaints) == (0, "")
    assert names == [robot.name for robot in every()]


def test_filters() -> None:
    """By purpose, by operator, and both; nothing that matches is status 1."""
    status, output, _ = run("--purpose", "ai-training", "--operator", "anthropic")
    assert status == 0
    assert "ClaudeBot" in output
    assert "Claude-User" not in output
    assert "2 robots." in output
    status, output, _ = run("--operator", "OpenAI", "--purpose", "feed")
    assert (status, output) == (1, "No known robot matches.\n")


def test_one_robot_with_its_sources() -> None:
    """Each fact has the number of its source, and what is not known is named."""
    status, output, _ = run("Googlebot-News")
    assert status == 0
    assert "Googlebot-News: Google" in output
    assert "1. Google: common crawlers (https://developers.google.com/" in output
    assert "read 2026-11-22)" in output
    assert "Not known: fields it heeds, addresses, keys." in output
    assert re.search("sends requests +no", run("Google-Extended")[1])


def test_a_user_agent_is_looked_up() -> None:
    """The robot that it names is shown; of a browser there is none."""
    status, output, _ = run("--user-agent", "Mozilla/5.0 (compatible; GPTBot/1.3)")
    assert (status, output.splitlines()[0]) == (0, "GPTBot: OpenAI")
    assert run("--user-agent", "Mozilla/5.0 Firefox/128.0")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Googelbot"], "did you mean Googlebot?"),
        (["--operator", "Open AI"], "did you mean OpenAI?"),
        (["GPTBot", "--purpose", "search"], "but not both"),
        (["update", "--purpose", "search"], "takes no filter"),
        (["--purpose", "selling"], "ai-training"),
    ],
)
def test_what_is_misused_is_refused(arguments: list[str], message: str) -> None:
    """The message says what was meant, or what is possible."""
    status, _, complaints = run(*arguments)
    assert status == 2
    assert message in " ".join(complaints.split())


class World:
    """What `bots update` works with, in memory: one list, a clock, a cache."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Put all of it in the place of the real ones."""
        self.clock = FakeClock(datetime.now(timezone.utc))
        self.site = FakeSite({LIST.url: BODY}, clock=self.clock)
        self.identity = program_identity(contact="bot@example.com")
        self.other = AddressList("https://a.example/list")
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        monkeypatch.setattr("goodbot.net.AiohttpFetcher", lambda: self)
        monkeypatch.setattr("goodbot.net.SystemClock", lambda: self.clock)
        monkeypatch.setattr("goodbot.address_lists.lists_of", lambda _: [LIST, self.other])

    async def __aenter__(self) -> FakeSite:
        """Return the site."""
        return self.site

    async def __aexit__(self, *_: object) -> None:
        """Close nothing."""

    def update(self, capsys: pytest.CaptureFixture[str], *, as_json: bool) -> tuple[int, str]:
        """Update, and return the exit status with what was printed."""
        status = verb.update(Printer(sys.stdout), self.identity, as_json=as_json)
        return status, capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME chooses the cache")
def test_lists_are_fetched_into_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The outcome of each is printed; one that fails makes the status 3, and stops no other."""
    world = World(monkeypatch, tmp_path)
    status, output = world.update(capsys, as_json=False)
    assert status == 3
    assert f"updated   {LIST.url} (1 range, confirmed less than a second ago)" in output
    assert "failed    https://a.example/list (not in the cache;" in output
    assert "the site answered with status 404" in output
    assert str(tmp_path) in output
    world.site.routes[world.other.url] = BODY
    asyncio.run(world.clock.sleep(7200))
    status, output = world.update(capsys, as_json=True)
    rows: list[dict[str, Any]] = check_output("bots", output)
    assert status == 0
    assert [row["outcome"] for row in rows] == ["fresh", "updated"]
    assert rows[0]["copy"]["refused"] == 1
    # Anyone who asks for a robot sees how old its list is.
    shown = plain_robot(get("GPTBot"))["addresses"][0]["copy"]
    assert (shown["prefixes"], shown["created"]) == (1, None)
    assert verb.age_of(LIST) == "1 range, confirmed 2 hours ago"
    assert ListFolder().read(LIST.url) is not None
    assert all(dict(one.headers)["From"] == "bot@example.com" for one in world.site.visits)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME chooses the cache")
def test_each_request_for_a_list_identifies_who_asks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By page and contact, from the options or the environment; a note says what is missing."""
    world = World(monkeypatch, tmp_path)
    monkeypatch.setenv("GOODBOT_CONTACT", "bot@example.com")
    run_here(["bots", "update", "--info-url", "https://example.com/bot"])
    assert "without" not in capsys.readouterr().err
    monkeypatch.delenv("GOODBOT_CONTACT")
    asyncio.run(world.clock.sleep(7200))
    run_here(["bots", "update"])
    assert "the lists were requested as goodbot" in " ".join(capsys.readouterr().err.split())
    first, last = (dict(world.site.visits[place].headers) for place in (0, -1))
    assert (first["From"], last.get("From")) == ("bot@example.com", None)
    assert "+https://example.com/bot" in first["User-Agent"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--purpose", "ai"), "did you mean ai-training or ai-search?"),
        (("openai",), "goodbot bots --operator OpenAI"),
        (("ai-training",), "goodbot bots --purpose ai-training"),
        (("ai",), "goodbot bots --purpose ai-training or goodbot bots --purpose ai-search"),
    ],
)
def test_words_for_several_robots_have_a_hint(words: tuple[str, ...], said: str) -> None:
    """An operator, a purpose or a part of one is no name; the message says what to write."""
    status, output, complaints = run(*words)
    assert (status, output) == (2, "")
    assert said in complaints
