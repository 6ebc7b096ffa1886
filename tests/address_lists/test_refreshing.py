"""Lists of addresses are fetched when they are due, kept on disk, and never needed."""

import asyncio
import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot import bots
from goodbot.address_lists import ListFolder, Refreshed, lists_of, refresh
from goodbot.bots import AddressList
from goodbot.errors import StoreUnavailableError
from goodbot.testing import Answer, FakeClock, FakeSite

URL = "https://a.example/list.json"
LIST = AddressList(URL)
BODY = b'{"prefixes": [{"ipv4Prefix": "8.8.8.0/24"}]}'
HEADERS = [("ETag", '"a"'), ("Cache-Control", "max-age=7200")]


class World:
    """A site with a list, a clock, and a folder."""

    def __init__(self, folder: Path) -> None:
        """Make a site that sends the list."""
        self.clock = FakeClock(datetime(2026, 11, 22, tzinfo=timezone.utc))
        self.site = FakeSite({URL: Answer(body=BODY, headers=HEADERS)}, clock=self.clock)
        self.folder = ListFolder(folder / "lists")

    def refresh(self, published: AddressList = LIST) -> Refreshed:
        """Refresh the list."""
        return asyncio.run(refresh(published, self.site, self.folder, self.clock))

    def pass_hours(self, hours: float) -> None:
        """Advance the clock."""
        asyncio.run(self.clock.sleep(hours * 3600))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a world of its own."""
    return World(tmp_path)


def test_a_list_is_fetched_kept_and_confirmed(world: World) -> None:
    """First it is fetched; while it is fresh, nothing is requested; then a 304 confirms it."""
    assert world.refresh().outcome == "updated"
    copy = world.folder.read(URL)
    assert copy is not None
    assert copy.prefixes == ("8.8.8.0/24",)
    assert world.refresh().outcome == "fresh"
    assert len(world.site.visits) == 1
    world.pass_hours(3)
    world.site.routes[URL] = Answer(status=304)
    assert world.refresh().outcome == "unchanged"
    sent = dict(world.site.visits[-1].headers)
    assert sent["If-None-Match"] == '"a"'
    assert sent["User-Agent"].startswith("goodbot/")
    again = world.folder.read(URL)
    assert again is not None
    assert (again.fetched, again.confirmed > copy.confirmed) == (copy.fetched, True)


def test_without_a_network_the_copy_stays(world: World) -> None:
    """A failure is reported with its reason, and what is there is used, however old it is."""
    world.refresh()
    world.pass_hours(24 * 400)
    world.site.routes[URL] = Answer(failure="timeout")
    told = world.refresh()
    assert (told.outcome, "timed out" in told.why) == ("failed", True)
    assert told.copy is not None
    assert told.copy.age(world.clock.now()) == 400 * 86_400
    world.site.routes[URL] = 503
    assert world.refresh().why == "the site answered with status 503"


@pytest.mark.parametrize("body", [b"<html>", b'{"prefixes": [{"ipv4Prefix": "0.0.0.0/0"}]}'])
def test_a_list_that_is_refused_does_not_replace_the_copy(world: World, body: bytes) -> None:
    """A page of an error, or a list that lets the whole Internet pass."""
    world.refresh()
    world.pass_hours(3)
    world.site.routes[URL] = body
    told = world.refresh()
    assert told.outcome == "refused"
    assert told.copy is not None
    assert told.copy.prefixes == ("8.8.8.0/24",)
    assert world.folder.read(URL) == told.copy


def test_redirects(world: World) -> None:
    """A list may move, but not to a place without TLS, nor for ever."""
    world.site.routes["https://b.example/moved"] = Answer(body=BODY)
    world.site.routes[URL] = Answer(status=301, headers=[("Location", "https://b.example/moved")])
    told = world.refresh()
    assert (told.outcome, told.copy and told.copy.url) == ("updated", URL)
    other = AddressList("https://a.example/open")
    world.site.routes[other.url] = Answer(status=302, headers=[("Location", "http://a.example/x")])
    assert world.refresh(other).outcome == "failed"
    ring = AddressList("https://a.example/ring")
    world.site.routes[ring.url] = Answer(status=302, headers=[("Location", "/ring")])
    before = len(world.site.visits)
    assert world.refresh(ring).outcome == "failed"
    assert len(world.site.visits) - before == 6


def test_files_that_are_no_copies(world: World) -> None:
    """A damaged file, or one of another list, is no copy; the next refresh replaces it."""
    assert world.folder.read(URL) is None
    world.refresh()
    path = world.folder.path_of(URL)
    whole = path.read_bytes()
    record = json.loads(whole)
    other = json.dumps(record | {"url": "https://b.example/"}).encode()
    for damaged in (b"", b"{", b"[" * 100_000, whole[: len(whole) // 2], other):
        path.write_bytes(damaged)
        assert world.folder.read(URL) is None
        assert world.refresh().outcome == "updated"
        assert path.read_bytes() == whole
    assert list(path.parent.iterdir()) == [path], "no file is left behind"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The message names the folder, and says how to choose another."""
    (tmp_path / "lists").write_text("a file", encoding="utf-8")
    world = World(tmp_path)
    with pytest.raises(StoreUnavailableError, match="XDG_CACHE_HOME"):
        world.refresh()


def test_each_list_is_fetched_once() -> None:
    """Many robots share a list."""
    google = bots.by_operator("Google")
    urls = [one.url for one in lists_of(google)]
    assert len(urls) == len(set(urls)) < len(google)
    assert len(lists_of(bots.every())) >= 25
